package htmltext

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"os"
	"os/exec"
	"testing"
	"time"
)

// browser is a headless Chromium that is spoken to over a pair of pipes (Chrome DevTools Protocol). It is the second
// opinion on what a person sees. Scripts of the documents are switched off, nothing is loaded from the network.
//
// One process serves all tests. On a busy machine a browser may fail to start, die or hang: every command has a deadline,
// and what failed is asked once more of a new process (see again).
type browser struct {
	path    string
	in      *os.File
	out     *os.File
	answers *bufio.Reader
	id      int
	session string
	frame   string
	stop    func() error
}

const (
	commandTimeout = 60 * time.Second // Limit: a page takes milliseconds; this is for a machine that does much else
	browserStarts  = 4                // Limit: processes that are started for one answer, at most
)

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
	b := &browser{path: path}
	t.Cleanup(func() {
		if err := b.close(); err != nil {
			t.Logf("Chromium: %v", err)
		}
	})
	return b
}

// again asks f of the browser, started if need be, and repeats it with a new process when it fails.
func (b *browser) again(t testing.TB, f func() error) {
	t.Helper()
	var errs []error
	for range browserStarts {
		err := b.start()
		if err == nil {
			err = f()
		}
		if err == nil {
			return
		}
		errs = append(errs, err, b.close())
	}
	t.Fatalf("Chromium gave no answer: %v", errors.Join(errs...))
}

// start starts a process and opens a page, unless one is there.
func (b *browser) start() error {
	if b.stop != nil {
		return nil
	}
	profile, err := os.MkdirTemp("", "htmltext-browser-")
	if err != nil {
		return err
	}
	toBrowser, in, err1 := os.Pipe()
	out, fromBrowser, err2 := os.Pipe()
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	cmd := exec.Command(b.path, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
		"--host-resolver-rules=MAP * ~NOTFOUND", "--force-color-profile=srgb", "--hide-scrollbars", "--window-size=800,600",
		"--user-data-dir="+profile, "--remote-debugging-pipe", "about:blank")
	cmd.ExtraFiles = []*os.File{toBrowser, fromBrowser}
	err = cmd.Start()
	toBrowser.Close()
	fromBrowser.Close()
	b.in, b.out, b.answers, b.session = in, out, bufio.NewReaderSize(out, 1<<20), ""
	b.stop = func() error {
		in.Close() // a browser whose pipe ends closes itself and its child processes
		defer out.Close()
		if err == nil {
			kill := time.AfterFunc(10*time.Second, func() { cmd.Process.Kill() })
			cmd.Wait()
			kill.Stop()
		}
		return removeProfile(profile)
	}
	if err != nil {
		return err
	}
	return b.attach()
}

// removeProfile is patient: a child process of a browser that was killed may still write into its profile.
func removeProfile(dir string) error {
	var err error
	for range 50 {
		if err = os.RemoveAll(dir); err == nil {
			return nil
		}
		<-time.After(100 * time.Millisecond)
	}
	return err
}

func (b *browser) close() error {
	if b.stop == nil {
		return nil
	}
	if b.session != "" {
		b.session = ""
		b.call("Browser.close", nil, nil) // whatever it answers: the process is awaited, or killed
	}
	err := b.stop()
	b.stop = nil
	return err
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
func (b *browser) attach() error {
	var target struct{ TargetID string }
	if err := b.call("Target.createTarget", map[string]any{"url": "about:blank"}, &target); err != nil {
		return err
	}
	var attached struct{ SessionID string }
	if err := b.call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached); err != nil {
		return err
	}
	b.session = attached.SessionID
	var tree struct {
		FrameTree struct{ Frame struct{ ID string } }
	}
	err := errors.Join(
		b.call("Page.enable", nil, nil),
		b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": viewWidth, "height": viewHeight, "deviceScaleFactor": 1, "mobile": false}, nil),
		b.call("Emulation.setScriptExecutionDisabled", map[string]any{"value": true}, nil),
		b.call("Page.getFrameTree", nil, &tree))
	b.frame = tree.FrameTree.Frame.ID
	return err
}

// call sends one command and waits for its answer; events in between are dropped.
func (b *browser) call(method string, params map[string]any, result any) error {
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
		return err
	}
	deadline := time.Now().Add(commandTimeout)
	if err := errors.Join(b.in.SetWriteDeadline(deadline), b.out.SetReadDeadline(deadline)); err != nil {
		return err
	}
	if _, err := b.in.Write(append(data, 0)); err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	for {
		line, err := b.answers.ReadBytes(0)
		if err != nil {
			return fmt.Errorf("%s: %w", method, err)
		}
		var answer struct {
			ID     int
			Result json.RawMessage
			Error  *struct{ Message string }
		}
		switch err := json.Unmarshal(bytes.TrimSuffix(line, []byte{0}), &answer); {
		case err != nil:
			return err
		case answer.ID != b.id:
			continue
		case answer.Error != nil:
			return fmt.Errorf("%s: %s", method, answer.Error.Message)
		case result == nil:
			return nil
		}
		return json.Unmarshal(answer.Result, result)
	}
}

// load shows a document, in quirks mode if it has no doctype.
func (b *browser) load(doc string) error {
	if err := b.call("Page.navigate", map[string]any{"url": "about:blank"}, nil); err != nil {
		return err
	}
	if err := b.call("Page.setDocumentContent", map[string]any{"frameId": b.frame, "html": doc}, nil); err != nil {
		return err
	}
	return b.eval(prepare, nil)
}

// eval runs an expression of ours and decodes its value.
func (b *browser) eval(expr string, result any) error {
	var r struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails *struct {
			Text      string
			Exception struct{ Description string }
		}
	}
	if err := b.call("Runtime.evaluate", map[string]any{"expression": expr, "returnByValue": true}, &r); err != nil {
		return err
	}
	if r.ExceptionDetails != nil {
		return fmt.Errorf("script: %s %s", r.ExceptionDetails.Text, r.ExceptionDetails.Exception.Description)
	}
	if result == nil {
		return nil
	}
	return json.Unmarshal(r.Result.Value, result)
}

// area is a part of a page in CSS pixels.
type area struct{ X, Y, Width, Height float64 }

// picture takes a picture of a part of the page.
func (b *browser) picture(a area) ([]byte, error) {
	var shot struct{ Data string }
	err := b.call("Page.captureScreenshot", map[string]any{
		"format": "png", "captureBeyondViewport": a.Y+a.Height > viewHeight, "optimizeForSpeed": true,
		"clip": map[string]any{"x": a.X, "y": a.Y, "width": a.Width, "height": a.Height, "scale": 1},
	}, &shot)
	if err != nil {
		return nil, err
	}
	return base64.StdEncoding.DecodeString(shot.Data)
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
