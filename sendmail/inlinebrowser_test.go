package sendmail

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// colours of the pictures: none of them stands in ordinary text or is made by smoothing it.
var (
	magenta = color.RGBA{255, 0, 255, 255}
	green   = color.RGBA{0, 255, 0, 255}
)

const pictureSide = 40

func square(t *testing.T, c color.RGBA) []byte {
	t.Helper()
	m := image.NewRGBA(image.Rect(0, 0, pictureSide, pictureSide))
	for i := range pictureSide * pictureSide {
		m.SetRGBA(i%pictureSide, i/pictureSide, c)
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// The octets that left are read by a browser: it opens the multipart/related as it stands (as a saved page, RFC 2557), resolves the
// cid URLs by itself, and draws each picture where the HTML shows it.
func TestInlineImagesInBrowser(t *testing.T) {
	if os.Getenv("CI") != "true" && os.Getenv("MAILGAP_BROWSER") == "" {
		t.Skip("starts a browser twice: asked in CI, or with MAILGAP_BROWSER=1")
	}
	browser, err := exec.LookPath("chromium")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("no Chromium in CI: %v", err)
		}
		t.Skipf("no Chromium here: %v", err)
	}
	w := newWorld(t, withFiles(t))
	for name, c := range map[string]color.RGBA{"logo.png": magenta, "Überblick 1.png": green, "other.png": green} {
		if err := os.WriteFile(filepath.Join(w.Attachments, name), square(t, c), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w.sendDirect(t, "send_mail", arguments(t, map[string]any{"subject": "Pictures", "attachments": []string{"logo.png", "Überblick 1.png", "other.png", "plan.pdf"},
		"html": `<p>Our logo <img src="cid:logo.png" alt="logo"> again <img src="cid:logo.png"></p><p><img src="cid:Überblick 1.png" width="40" height="40"></p><p style="display:none"><img src="cid:other.png"></p>`}))
	related := relatedOf(t, w.wantMessages(t, 1)[0].Octets)
	if got, want := drawn(t, browser, related), (colours{2 * pictureSide * pictureSide, pictureSide * pictureSide}); got != want {
		t.Errorf("pixels: got %+v, want %+v", got, want)
	}
	if got := drawn(t, browser, strings.ReplaceAll(related, "Content-ID: <", "Content-ID: <0")); got != (colours{}) {
		t.Errorf("pixels under other ids: got %+v, want none, or this test proves nothing", got)
	}
}

// colours are numbers of pixels.
type colours struct{ magenta, green int }

// relatedOf cuts the multipart/related out of a message.
func relatedOf(t *testing.T, octets []byte) string {
	t.Helper()
	const field = "Content-Type: multipart/related;"
	_, rest, found := strings.Cut(string(octets), field)
	_, after, _ := strings.Cut(rest, `boundary="`)
	boundary, _, _ := strings.Cut(after, `"`)
	body, _, closed := strings.Cut(rest, "--"+boundary+"--\r\n")
	if !found || !closed || boundary == "" {
		t.Fatalf("no multipart/related in the message:\n%s", octets)
	}
	return "MIME-Version: 1.0\r\n" + field + body + "--" + boundary + "--\r\n"
}

// drawn counts the pixels of both colours.
func drawn(t *testing.T, browser, related string) (n colours) {
	t.Helper()
	dir := t.TempDir()
	page, shot := filepath.Join(dir, "page.mhtml"), filepath.Join(dir, "shot.png")
	if err := os.WriteFile(page, []byte(related), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), browser, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-dev-shm-usage",
		"--host-resolver-rules=MAP * ~NOTFOUND", "--force-device-scale-factor=1", "--window-size=600,400", "--user-data-dir="+filepath.Join(dir, "profile"), "--screenshot="+shot, "file://"+page)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	f, err := os.Open(shot)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	m, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	for y := range m.Bounds().Dy() {
		for x := range m.Bounds().Dx() {
			switch color.RGBAModel.Convert(m.At(x, y)) {
			case magenta:
				n.magenta++
			case green:
				n.green++
			}
		}
	}
	return n
}
