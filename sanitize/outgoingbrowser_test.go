package sanitize

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// watcher is a headless Chromium with scripts on, spoken to over a pair of pipes (Chrome DevTools Protocol). Every request is
// intercepted: the document itself is answered, everything else is counted and fails.
type watcher struct {
	in      *os.File
	events  chan cdpMessage
	id      int
	session string
}

type cdpMessage struct {
	ID     int             `json:"id,omitempty"`
	Method string          `json:"method,omitempty"`
	Params json.RawMessage `json:"params,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
}

// acts is what a document did while it was open.
type acts struct {
	requests []string // beyond the document itself; a navigation is one too
	scripts  int      // dialogs that a script opened
}

const (
	watchTimeout = 30 * time.Second       // Limit: for a machine that does much else
	watchGrace   = 120 * time.Millisecond // Limit: after the load event, for what loads late
)

// startWatcher skips the test where there is no Chromium, except in CI, where it must be there.
func startWatcher(t *testing.T) *watcher {
	t.Helper()
	if os.Getenv("CI") != "true" && os.Getenv("MAILGAP_BROWSER") == "" {
		t.Skip("takes minutes: asked in CI, or with MAILGAP_BROWSER=1")
	}
	path, err := exec.LookPath("chromium")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("no Chromium in CI: %v", err)
		}
		t.Skipf("no Chromium here: %v", err)
	}
	toBrowser, in, err1 := os.Pipe()
	out, fromBrowser, err2 := os.Pipe()
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	cmd := exec.Command(path, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update",
		"--disable-sync", "--disable-dev-shm-usage", "--host-resolver-rules=MAP * ~NOTFOUND", "--user-data-dir="+t.TempDir(), "--remote-debugging-pipe", "about:blank")
	cmd.ExtraFiles = []*os.File{toBrowser, fromBrowser}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	toBrowser.Close()
	fromBrowser.Close()
	w := &watcher{in: in, events: make(chan cdpMessage, 10_000)}
	go w.read(bufio.NewReaderSize(out, 1<<20))
	t.Cleanup(func() {
		in.Close() // a browser whose pipe ends closes itself
		kill := time.AfterFunc(10*time.Second, func() { _ = cmd.Process.Kill() })
		_ = cmd.Wait() // it may end with an error when its pipe ends
		kill.Stop()
		out.Close()
	})
	w.attach(t)
	return w
}

func (w *watcher) read(r *bufio.Reader) {
	defer close(w.events)
	for {
		line, err := r.ReadBytes(0)
		if err != nil {
			return
		}
		var m cdpMessage
		if json.Unmarshal(bytes.TrimSuffix(line, []byte{0}), &m) == nil {
			w.events <- m
		}
	}
}

func (w *watcher) send(t *testing.T, method string, params any) int {
	t.Helper()
	w.id++
	m := map[string]any{"id": w.id, "method": method, "params": params}
	if w.session != "" {
		m["sessionId"] = w.session
	}
	data, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.in.Write(append(data, 0)); err != nil {
		t.Fatal(err)
	}
	return w.id
}

// call sends a command and waits for its answer.
func (w *watcher) call(t *testing.T, method string, params any) json.RawMessage {
	t.Helper()
	id := w.send(t, method, params)
	for {
		select {
		case m, ok := <-w.events:
			if !ok {
				t.Fatal("Chromium ended")
			}
			if m.ID == id {
				return m.Result
			}
		case <-time.After(watchTimeout):
			t.Fatalf("no answer to %s", method)
		}
	}
}

func (w *watcher) attach(t *testing.T) {
	t.Helper()
	var target struct {
		TargetID  string `json:"targetId"`
		SessionID string `json:"sessionId"`
	}
	if err := json.Unmarshal(w.call(t, "Target.createTarget", map[string]any{"url": "about:blank"}), &target); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(w.call(t, "Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}), &target); err != nil {
		t.Fatal(err)
	}
	w.session = target.SessionID
	w.call(t, "Page.enable", map[string]any{})
	w.call(t, "Fetch.enable", map[string]any{"patterns": []any{map[string]any{"urlPattern": "*"}}})
}

// open shows doc and tells what it did.
func (w *watcher) open(t *testing.T, n int, doc string) (a acts) {
	t.Helper()
	address := fmt.Sprintf("https://mail-%d.invalid/", n)
	w.send(t, "Page.navigate", map[string]any{"url": address})
	served := false
	var grace <-chan time.Time
	limit := time.After(watchTimeout)
	for {
		select {
		case <-grace:
			return a
		case <-limit:
			t.Fatalf("never loaded: %q", doc)
		case m, ok := <-w.events:
			if !ok {
				t.Fatal("Chromium ended")
			}
			var p struct {
				RequestID string `json:"requestId"`
				Request   struct {
					URL string `json:"url"`
				} `json:"request"`
			}
			_ = json.Unmarshal(m.Params, &p) // events without these fields leave them empty
			switch {
			case m.Method == "Fetch.requestPaused" && p.Request.URL == address && !served:
				served = true
				w.send(t, "Fetch.fulfillRequest", map[string]any{"requestId": p.RequestID, "responseCode": 200, "body": base64.StdEncoding.EncodeToString([]byte(doc)),
					"responseHeaders": []any{map[string]any{"name": "Content-Type", "value": "text/html; charset=utf-8"}}})
			case m.Method == "Fetch.requestPaused":
				if strings.Contains(p.Request.URL, "/favicon.ico") || !served {
					w.send(t, "Fetch.failRequest", map[string]any{"requestId": p.RequestID, "errorReason": "Aborted"})
					continue // the browser's own wish, or a late one of the page before
				}
				a.requests = append(a.requests, p.Request.URL)
				w.send(t, "Fetch.failRequest", map[string]any{"requestId": p.RequestID, "errorReason": "Aborted"})
			case m.Method == "Page.javascriptDialogOpening" && served:
				a.scripts++
				w.send(t, "Page.handleJavaScriptDialog", map[string]any{"accept": true})
			case m.Method == "Page.loadEventFired" && served && grace == nil:
				grace = time.After(watchGrace)
			}
		}
	}
}

// TestOutgoingInBrowser: no cleaned vector and no cleaned mail requests anything, runs a script or goes elsewhere. The same
// harness must see the vectors act before they are cleaned, or it proves nothing.
func TestOutgoingInBrowser(t *testing.T) {
	t.Parallel()
	w := startWatcher(t)
	var sources []string
	for _, v := range htmlVectors(t) {
		sources = append(sources, v.HTML)
	}
	for _, g := range outgoingVectors() {
		for _, v := range g.vectors {
			sources = append(sources, v.html)
		}
	}
	vectors := len(sources)
	for _, m := range ordinaryMails(t) {
		sources = append(sources, m.html)
	}
	requested, ran, cleaned := 0, 0, 0
	for n, src := range sources {
		before := acts{}
		if n < vectors {
			before = w.open(t, 2*n, src)
		}
		if len(before.requests) > 0 {
			requested++
		}
		if before.scripts > 0 {
			ran++
		}
		out, err := OutgoingHTML(src, OutgoingOptions{})
		if err != nil {
			continue
		}
		cleaned++
		if after := w.open(t, 2*n+1, out.HTML); len(after.requests) > 0 || after.scripts > 0 {
			t.Errorf("acts: %+v\n%s", after, out.HTML)
		}
	}
	t.Logf("%d vectors: %d request something and %d run a script before they are cleaned; %d of %d documents cleaned", vectors, requested, ran, cleaned, len(sources))
	if requested < 150 || ran < 20 {
		t.Errorf("the harness saw %d vectors request and %d run", requested, ran)
	}
}
