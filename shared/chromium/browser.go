package chromium

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"time"
)

const (
	commandTime = 60 * time.Second // Limit: a command takes milliseconds; this is for a machine that does much else
	endTime     = 10 * time.Second // Limit: for a browser to end by itself
)

// ErrNotInstalled says that there is no Chromium on this machine.
var ErrNotInstalled = errors.New("chromium: not installed")

// ErrGone says that the process has ended or gave no answer in time.
var ErrGone = errors.New("chromium: the browser is gone")

// Find returns the path of a Chromium. Errors: ErrNotInstalled.
func Find() (string, error) {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", ErrNotInstalled
}

// Options say how a browser is started. The zero value reaches this machine alone.
type Options struct {
	Hosts string   // rules for names before "everything else is unknown", such as "MAP evil.example 127.0.0.1"
	Flags []string // further arguments
}

// Browser is one process with a profile of its own. Safe for concurrent use.
type Browser struct {
	in, out *os.File
	cmd     *exec.Cmd
	profile string

	mu      sync.Mutex
	id      int
	waiting map[int]chan<- message
	tabs    map[string]*Tab
	gone    bool
}

// message is an answer to a command, or an event.
type message struct {
	ID        int
	SessionID string
	Method    string
	Params    json.RawMessage
	Result    json.RawMessage
	Error     *struct{ Message string }
}

// Start starts the Chromium at path. Close it.
func Start(path string, o Options) (*Browser, error) {
	profile, err := os.MkdirTemp("", "chromium-test-")
	if err != nil {
		return nil, err
	}
	toBrowser, in, err1 := os.Pipe()
	out, fromBrowser, err2 := os.Pipe()
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	b := &Browser{in: in, out: out, profile: profile, waiting: map[int]chan<- message{}, tabs: map[string]*Tab{}}
	b.cmd = exec.Command(path, append(arguments(o, profile), "about:blank")...)
	b.cmd.ExtraFiles = []*os.File{toBrowser, fromBrowser}
	if err := errors.Join(b.cmd.Start(), toBrowser.Close(), fromBrowser.Close()); err != nil {
		return nil, errors.Join(err, in.Close(), out.Close(), os.RemoveAll(profile))
	}
	go b.read()
	return b, nil
}

func arguments(o Options, profile string) []string {
	hosts := "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost"
	if o.Hosts != "" {
		hosts = o.Hosts + ", " + hosts
	}
	return append([]string{"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
		"--host-resolver-rules=" + hosts, "--force-color-profile=srgb", "--hide-scrollbars",
		"--user-data-dir=" + profile, "--remote-debugging-pipe"}, o.Flags...)
}

// Close ends the process and removes its profile.
func (b *Browser) Close() error {
	_ = b.call("", "Browser.close", nil, nil) // whatever it answers: the process is awaited, or killed
	_ = b.in.Close()                          // a browser whose pipe ends closes itself
	kill := time.AfterFunc(endTime, func() { _ = b.cmd.Process.Kill() })
	_ = b.cmd.Wait() // how it ended does not matter
	kill.Stop()
	_ = b.out.Close()
	var err error
	for range 50 { // a child process of it may still write
		if err = os.RemoveAll(b.profile); err == nil {
			return nil
		}
		<-time.After(100 * time.Millisecond)
	}
	return err
}

// read hands out answers and events until the pipe ends.
func (b *Browser) read() {
	lines := bufio.NewReaderSize(b.out, 1<<20)
	for {
		line, err := lines.ReadBytes(0)
		var m message
		if err != nil || json.Unmarshal(bytes.TrimSuffix(line, []byte{0}), &m) != nil {
			b.lost()
			return
		}
		b.mu.Lock()
		waiting, tab := b.waiting[m.ID], b.tabs[m.SessionID]
		delete(b.waiting, m.ID)
		b.mu.Unlock()
		switch {
		case m.Method == "" && waiting != nil:
			waiting <- m
		case m.Method != "" && tab != nil:
			tab.take(Event{m.Method, m.Params})
		}
	}
}

// lost tells everybody who waits.
func (b *Browser) lost() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.gone = true
	for id, w := range b.waiting {
		close(w)
		delete(b.waiting, id)
	}
	for _, t := range b.tabs {
		t.lost()
	}
}

// call sends one command and waits for its answer.
func (b *Browser) call(session, method string, params, result any) error {
	done, err := b.send(session, method, params)
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	late := time.NewTimer(commandTime)
	defer late.Stop()
	select {
	case m, ok := <-done:
		switch {
		case !ok:
			return fmt.Errorf("%s: %w", method, ErrGone)
		case m.Error != nil:
			return fmt.Errorf("%s: %s", method, m.Error.Message)
		case result == nil:
			return nil
		}
		return json.Unmarshal(m.Result, result)
	case <-late.C:
		return fmt.Errorf("%s: %w", method, ErrGone)
	}
}

func (b *Browser) send(session, method string, params any) (<-chan message, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.gone {
		return nil, ErrGone
	}
	b.id++
	command := map[string]any{"id": b.id, "method": method}
	if params != nil {
		command["params"] = params
	}
	if session != "" {
		command["sessionId"] = session
	}
	data, err := json.Marshal(command)
	if err != nil {
		return nil, err
	}
	done := make(chan message, 1)
	b.waiting[b.id] = done
	_, err = b.in.Write(append(data, 0))
	return done, err
}
