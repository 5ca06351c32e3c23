package sanitize

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

const (
	pictureHeight    = 1800 // Limit: CSS pixels; the longest of the mails is shorter at the narrow width
	pixelStep        = 24   // of 255: below that nobody sees a difference between two flat colours
	maxPixelsChanged = 1.0  // percent; a line that moves by its own height changes more
)

// picture is what doc looks like at a width in CSS pixels.
func (w *watcher) picture(t *testing.T, n, width int, doc string) *image.RGBA {
	t.Helper()
	w.call(t, "Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": pictureHeight, "deviceScaleFactor": 1, "mobile": false})
	w.open(t, n, doc)
	var shot struct {
		Data string `json:"data"`
	}
	if err := json.Unmarshal(w.call(t, "Page.captureScreenshot", map[string]any{"format": "png"}), &shot); err != nil {
		t.Fatal(err)
	}
	data, err := base64.StdEncoding.DecodeString(shot.Data)
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	rgba := image.NewRGBA(img.Bounds())
	draw.Draw(rgba, rgba.Bounds(), img, img.Bounds().Min, draw.Src)
	return rgba
}

// changed is the share of pixels, in percent, that differ, of those above the last line of either picture that holds more
// than the colour of its last row.
func changed(t *testing.T, a, b *image.RGBA) float64 {
	t.Helper()
	if a.Bounds() != b.Bounds() {
		t.Fatalf("pictures of %v and %v", a.Bounds(), b.Bounds())
	}
	width := a.Bounds().Dx()
	rows := max(lastRow(a), lastRow(b)) + 1
	n := 0
	for y := range rows {
		for x := range width {
			if apart(a.RGBAAt(x, y), b.RGBAAt(x, y)) {
				n++
			}
		}
	}
	return 100 * float64(n) / float64(rows*width)
}

func lastRow(p *image.RGBA) int {
	size := p.Bounds().Size()
	ground := p.RGBAAt(0, size.Y-1)
	for y := size.Y - 1; y > 0; y-- {
		for x := range size.X {
			if p.RGBAAt(x, y) != ground {
				return y
			}
		}
	}
	return 0
}

func apart(a, b color.RGBA) bool {
	far := func(a, b uint8) bool { return max(a, b)-min(a, b) > pixelStep }
	return far(a.R, b.R) || far(a.G, b.G) || far(a.B, b.B)
}

// picturedMails are the mails in which nothing is remote, with something to see for their attached pictures.
func picturedMails(t *testing.T) (list []ordinaryMail) {
	t.Helper()
	all := ordinaryMails(t)
	files, err := filepath.Glob(filepath.Join(repoRoot(t), "testdata", "html", "outgoing", "*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(data), "-- input.html --\n")
		source, _, _ := strings.Cut(rest, "\n-- keeps --\n")
		all = append(all, ordinaryMail{name: "outgoing/" + strings.TrimSuffix(filepath.Base(f), ".txtar"), html: source})
	}
	for _, m := range all {
		out, err := OutgoingHTML(m.html, OutgoingOptions{ContentIDs: []string{"logo", "hero", "portrait"}})
		if err != nil {
			t.Fatal(err)
		}
		remote := false
		for _, r := range out.Removals {
			remote = remote || r.Reason == ReasonRemote || r.Name.String() == "background" || strings.Contains(r.Value.String(), "url(")
		}
		if !remote {
			list = append(list, m)
		}
	}
	return list
}

// pictured puts a picture in the place of each attached one.
func pictured(t *testing.T, doc string) string {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, 40, 20))
	draw.Draw(img, img.Bounds(), image.NewUniform(color.RGBA{0x2a, 0x6f, 0x97, 0xff}), image.Point{}, draw.Src)
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	data := "data:image/png;base64," + base64.StdEncoding.EncodeToString(b.Bytes())
	return strings.NewReplacer("cid:logo", data, "cid:hero", data, "cid:portrait", data).Replace(doc)
}

// withDoctype adds a doctype where there is none: a mail program shows all mails in documents of its own, of one mode.
func withDoctype(doc string) string {
	if strings.HasPrefix(strings.ToLower(strings.TrimSpace(doc)), "<!doctype") {
		return doc
	}
	return "<!DOCTYPE html>" + doc
}

// TestOutgoingPictures: a mail in which nothing is remote looks after cleaning as it did before. Each is drawn at one of two widths in turn;
// with MAILGAP_ALL set at both.
func TestOutgoingPictures(t *testing.T) {
	t.Parallel()
	w := startWatcher(t)
	mails := picturedMails(t)
	const narrow = "columns that stand below each other on telephones: which screen a reader has is not known when a mail is sent"
	spoiled := map[string]string{
		"details-open 360":            "the triangle of an element that opens and closes",
		"gradient-text 360":           "letters cut out of a gradient",
		"gradient-text 800":           "the same",
		"hanging-indent 360":          "a negative margin, and a box moved from its place",
		"hanging-indent 800":          "the same",
		"hide-on-mobile 360":          "another passage for telephones",
		"hybrid-event-es 360":         narrow,
		"hybrid-invoice-de 360":       narrow,
		"hybrid-order 360":            narrow,
		"overflow-hidden-rounded 360": "a box that clips, and grows with what floats in it for that reason",
		"overflow-hidden-rounded 800": "the same",
	}
	n := 0
	for i, m := range mails {
		out, err := OutgoingHTML(m.html, OutgoingOptions{ContentIDs: []string{"logo", "hero", "portrait"}})
		if err != nil {
			t.Fatal(err)
		}
		widths := []int{360, 800}
		if os.Getenv("MAILGAP_ALL") == "" {
			widths = widths[i%2 : i%2+1]
		}
		for _, width := range widths {
			before := w.picture(t, n, width, pictured(t, withDoctype(m.html)))
			after := w.picture(t, n+1, width, pictured(t, out.HTML))
			n += 2
			share := changed(t, before, after)
			t.Logf("%-40s %4d px: %6.3f %%", m.name, width, share)
			why, known := spoiled[m.name+" "+strconv.Itoa(width)]
			switch {
			case share > maxPixelsChanged && !known:
				t.Errorf("%s at %d px: %.3f %% of the pixels differ", m.name, width, share)
			case share <= maxPixelsChanged && known:
				t.Errorf("%s at %d px is no exception any more: %s", m.name, width, why)
			}
		}
	}
	t.Logf("%d mails, %d pictures that differ for a reason", len(mails), len(spoiled))
	if len(mails) < 40 {
		t.Errorf("got %d mails in which nothing is remote", len(mails))
	}
}
