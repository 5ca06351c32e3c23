package htmltext

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"io"
	"os"
	"os/exec"
	"testing"
	"time"
)

// browser is a headless Chromium that is spoken to over a pair of pipes (Chrome DevTools Protocol). It is the second
// opinion on what a person sees. Scripts of the documents are switched off, nothing is loaded from the network.
type browser struct {
	t       testing.TB
	in      io.WriteCloser
	out     *bufio.Reader
	id      int
	session string
	frame   string
}

// startBrowser skips the test where there is no Chromium, except in CI, where it must be there.
func startBrowser(t testing.TB) *browser {
	t.Helper()
	if os.Getenv("CI") != "true" && os.Getenv("MAILGAP_BROWSER") == "" {
		t.Skip("takes a minute: asked in CI, or with MAILGAP_BROWSER=1")
	}
	path, err := findChromium()
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("no Chromium in CI: %v", err)
		}
		t.Skipf("no Chromium here (%v): the second opinion on visibility is not asked", err)
	}
	profile, err := os.MkdirTemp("", "htmltext-browser-")
	if err != nil {
		t.Fatal(err)
	}
	toBrowser, in, err1 := os.Pipe()
	out, fromBrowser, err2 := os.Pipe()
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	cmd := exec.Command(path, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
		"--host-resolver-rules=MAP * ~NOTFOUND", "--force-color-profile=srgb", "--hide-scrollbars", "--window-size=800,600",
		"--user-data-dir="+profile, "--remote-debugging-pipe", "about:blank")
	cmd.ExtraFiles = []*os.File{toBrowser, fromBrowser}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	toBrowser.Close()
	fromBrowser.Close()
	watchdog := time.AfterFunc(8*time.Minute, func() { cmd.Process.Kill() }) // a browser that hangs fails the read
	t.Cleanup(func() {
		// Asked to close, it ends its own child processes; killed, they would go on writing into the profile.
		if _, err := in.Write([]byte(`{"id":1000000,"method":"Browser.close"}` + "\x00")); err != nil {
			cmd.Process.Kill()
		}
		if err := cmd.Wait(); err != nil {
			t.Logf("Chromium ended: %v", err)
		}
		watchdog.Stop()
		in.Close()
		out.Close()
		if err := os.RemoveAll(profile); err != nil {
			t.Logf("profile left behind: %v", err)
		}
	})
	b := &browser{t: t, in: in, out: bufio.NewReaderSize(out, 1<<20)}
	b.attach()
	return b
}

func findChromium() (string, error) {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("chromium is not installed")
}

// attach opens a page of 800 by 600 CSS pixels.
func (b *browser) attach() {
	var target struct{ TargetID string }
	b.call("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	var attached struct{ SessionID string }
	b.call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached)
	b.session = attached.SessionID
	b.call("Page.enable", nil, nil)
	b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": viewWidth, "height": viewHeight, "deviceScaleFactor": 1, "mobile": false}, nil)
	b.call("Emulation.setScriptExecutionDisabled", map[string]any{"value": true}, nil)
	var tree struct {
		FrameTree struct{ Frame struct{ ID string } }
	}
	b.call("Page.getFrameTree", nil, &tree)
	b.frame = tree.FrameTree.Frame.ID
}

// call sends one command and waits for its answer; events in between are dropped.
func (b *browser) call(method string, params map[string]any, result any) {
	b.t.Helper()
	b.id++
	msg := map[string]any{"id": b.id, "method": method}
	if params != nil {
		msg["params"] = params
	}
	if b.session != "" {
		msg["sessionId"] = b.session
	}
	data, err := json.Marshal(msg)
	if err != nil {
		b.t.Fatal(err)
	}
	if _, err := b.in.Write(append(data, 0)); err != nil {
		b.t.Fatalf("%s: %v", method, err)
	}
	for {
		line, err := b.out.ReadBytes(0)
		if err != nil {
			b.t.Fatalf("%s: %v", method, err)
		}
		var answer struct {
			ID     int
			Result json.RawMessage
			Error  *struct{ Message string }
		}
		if err := json.Unmarshal(bytes.TrimSuffix(line, []byte{0}), &answer); err != nil {
			b.t.Fatal(err)
		}
		if answer.ID != b.id {
			continue
		}
		if answer.Error != nil {
			b.t.Fatalf("%s: %s", method, answer.Error.Message)
		}
		if result != nil {
			if err := json.Unmarshal(answer.Result, result); err != nil {
				b.t.Fatal(err)
			}
		}
		return
	}
}

// load shows a document, in quirks mode if it has no doctype.
func (b *browser) load(doc string) {
	b.t.Helper()
	b.call("Page.navigate", map[string]any{"url": "about:blank"}, nil)
	b.call("Page.setDocumentContent", map[string]any{"frameId": b.frame, "html": doc}, nil)
}

// eval runs an expression of ours and decodes its value.
func (b *browser) eval(expr string, result any) {
	b.t.Helper()
	var r struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails *struct {
			Text      string
			Exception struct{ Description string }
		}
	}
	b.call("Runtime.evaluate", map[string]any{"expression": expr, "returnByValue": true}, &r)
	if r.ExceptionDetails != nil {
		b.t.Fatalf("script: %s %s", r.ExceptionDetails.Text, r.ExceptionDetails.Exception.Description)
	}
	if result != nil {
		if err := json.Unmarshal(r.Result.Value, result); err != nil {
			b.t.Fatalf("%s: %v", r.Result.Value, err)
		}
	}
}

// screenshot takes a picture of the page down to its end, 800 pixels wide.
func (b *browser) screenshot() []byte {
	b.t.Helper()
	var height float64
	b.eval(`Math.min(4000, Math.max(600, document.documentElement ? document.documentElement.scrollHeight : 600))`, &height)
	var shot struct{ Data string }
	b.call("Page.captureScreenshot", map[string]any{
		"format": "png", "captureBeyondViewport": true, "optimizeForSpeed": true,
		"clip": map[string]any{"x": 0, "y": 0, "width": viewWidth, "height": height, "scale": 1},
	}, &shot)
	data, err := base64.StdEncoding.DecodeString(shot.Data)
	if err != nil {
		b.t.Fatal(err)
	}
	return data
}

// pixelsDiffer counts pixels that differ by more than a trace; a picture of another size counts as wholly different.
func pixelsDiffer(t testing.TB, x, y []byte) int {
	t.Helper()
	if bytes.Equal(x, y) {
		return 0
	}
	p, q := decodePixels(t, x), decodePixels(t, y)
	if p.Bounds() != q.Bounds() {
		return p.Bounds().Dx() * p.Bounds().Dy()
	}
	const trace = 20 // of 255 per channel
	n := 0
	for i := 0; i+3 < len(p.Pix); i += 4 {
		for k := range 3 {
			if d := int(p.Pix[i+k]) - int(q.Pix[i+k]); d > trace || d < -trace {
				n++
				break
			}
		}
	}
	return n
}

func decodePixels(t testing.TB, data []byte) *image.NRGBA {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	n, ok := img.(*image.NRGBA)
	if !ok {
		n = image.NewNRGBA(img.Bounds())
		draw.Draw(n, n.Bounds(), img, img.Bounds().Min, draw.Src)
	}
	return n
}
