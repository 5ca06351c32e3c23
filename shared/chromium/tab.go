package chromium

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"sync"
	"time"
)

// maxEvents bounds what is kept of one tab. Limit: a test causes some hundreds.
const maxEvents = 20000

// Event is something that happened in a tab, in the terms of the protocol.
type Event struct {
	Method string
	Params json.RawMessage
}

// Tab is one page. For one goroutine.
type Tab struct {
	b       *Browser
	session string
	target  string

	mu     sync.Mutex
	events []Event
	seen   int // events that Wait has passed
	more   chan struct{}
	gone   bool
}

// Open opens a tab with an empty page. Page, Network, Runtime and Log events are kept.
func (b *Browser) Open() (*Tab, error) {
	var target struct{ TargetID string }
	if err := b.call("", "Target.createTarget", map[string]any{"url": "about:blank"}, &target); err != nil {
		return nil, err
	}
	var attached struct{ SessionID string }
	if err := b.call("", "Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached); err != nil {
		return nil, err
	}
	t := &Tab{b: b, session: attached.SessionID, target: target.TargetID, more: make(chan struct{}, 1)}
	b.mu.Lock()
	b.tabs[t.session] = t
	b.mu.Unlock()
	for _, domain := range []string{"Page", "Network", "Runtime", "Log"} {
		if err := t.Call(domain+".enable", nil, nil); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// Close closes the tab.
func (t *Tab) Close() error {
	return t.b.call("", "Target.closeTarget", map[string]any{"targetId": t.target}, nil)
}

// Call sends one command of the protocol to the tab and decodes its result, unless result is nil.
func (t *Tab) Call(method string, params, result any) error {
	return t.b.call(t.session, method, params, result)
}

// Go navigates as a person does who types an address, and waits for the page to load. A failure to load is an error with
// the browser's word for it, such as "net::ERR_CONNECTION_REFUSED".
func (t *Tab) Go(url string) error {
	t.Forget()
	var nav struct{ ErrorText, LoaderID string }
	if err := t.Call("Page.navigate", map[string]any{"url": url}, &nav); err != nil {
		return err
	}
	if nav.ErrorText != "" {
		return fmt.Errorf("chromium: %s", nav.ErrorText)
	}
	return t.Wait("Page.loadEventFired")
}

// Forget lets Wait see only what happens from now on.
func (t *Tab) Forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.seen = len(t.events)
}

// Wait waits for the next event of a kind, and passes over those before it. Errors: ErrGone.
func (t *Tab) Wait(method string) error {
	late := time.NewTimer(commandTime)
	defer late.Stop()
	for {
		found, gone := t.next(method)
		switch {
		case found:
			return nil
		case gone:
			return fmt.Errorf("waiting for %s: %w", method, ErrGone)
		}
		select {
		case <-t.more:
		case <-late.C:
			return fmt.Errorf("waiting for %s: %w", method, ErrGone)
		}
	}
}

func (t *Tab) next(method string) (found, gone bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for t.seen < len(t.events) {
		t.seen++
		if t.events[t.seen-1].Method == method {
			return true, false
		}
	}
	return false, t.gone
}

// Events are all events of a kind so far.
func (t *Tab) Events(method string) []Event {
	t.mu.Lock()
	defer t.mu.Unlock()
	var out []Event
	for _, e := range t.events {
		if e.Method == method {
			out = append(out, e)
		}
	}
	return out
}

// Requests are the URLs of everything that the tab asked for so far, blocked ones too.
func (t *Tab) Requests() []string {
	var urls []string
	for _, e := range t.Events("Network.requestWillBeSent") {
		var p struct{ Request struct{ URL string } }
		if json.Unmarshal(e.Params, &p) == nil {
			urls = append(urls, p.Request.URL)
		}
	}
	return urls
}

func (t *Tab) take(e Event) {
	t.mu.Lock()
	if len(t.events) < maxEvents {
		t.events = append(t.events, e)
	}
	t.mu.Unlock()
	t.wake()
}

func (t *Tab) lost() {
	t.mu.Lock()
	t.gone = true
	t.mu.Unlock()
	t.wake()
}

func (t *Tab) wake() {
	select {
	case t.more <- struct{}{}:
	default:
	}
}

// Eval runs an expression and decodes its value, of a promise what it is fulfilled with.
func (t *Tab) Eval(expression string, result any) error {
	var r struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails *struct {
			Text      string
			Exception struct{ Description string }
		}
	}
	params := map[string]any{"expression": expression, "returnByValue": true, "awaitPromise": true, "userGesture": true}
	if err := t.Call("Runtime.evaluate", params, &r); err != nil {
		return err
	}
	if r.ExceptionDetails != nil {
		return fmt.Errorf("script: %s %s", r.ExceptionDetails.Text, r.ExceptionDetails.Exception.Description)
	}
	if result == nil || len(r.Result.Value) == 0 {
		return nil
	}
	return json.Unmarshal(r.Result.Value, result)
}

// View sets the size of the window in CSS pixels and the colour scheme, "light" or "dark".
func (t *Tab) View(width, height int, scheme string) error {
	metrics := map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false}
	if err := t.Call("Emulation.setDeviceMetricsOverride", metrics, nil); err != nil {
		return err
	}
	media := map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": scheme}}}
	return t.Call("Emulation.setEmulatedMedia", media, nil)
}

// Picture takes a picture of the whole page as PNG, in a window as high as the page: what is beyond a window is not drawn in
// frames that have a process of their own.
func (t *Tab) Picture() ([]byte, error) {
	var size struct {
		CSSContentSize struct{ Width, Height float64 }
	}
	if err := t.Call("Page.getLayoutMetrics", nil, &size); err != nil {
		return nil, err
	}
	metrics := map[string]any{"width": int(size.CSSContentSize.Width), "height": int(size.CSSContentSize.Height), "deviceScaleFactor": 1, "mobile": false}
	if err := t.Call("Emulation.setDeviceMetricsOverride", metrics, nil); err != nil {
		return nil, err
	}
	var shot struct{ Data string }
	for range 2 { // the first makes the frames draw
		if err := t.Call("Page.captureScreenshot", map[string]any{"format": "png"}, &shot); err != nil {
			return nil, err
		}
	}
	return base64.StdEncoding.DecodeString(shot.Data)
}
