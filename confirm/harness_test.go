package confirm

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// patience is how long a test waits for what must come. Nothing passes by waiting it out.
const patience = 20 * time.Second

// client is a running server and the raw JSON-RPC that a client of one era speaks with it.
type client struct {
	t      *testing.T
	modern bool
	caps   string // declared capabilities
	cmd    *exec.Cmd
	in     io.WriteCloser
	lines  chan reply
	sent   string
	ids    int
	stderr lockedBuffer
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}
func (l *lockedBuffer) String() string { l.mu.Lock(); defer l.mu.Unlock(); return l.b.String() }

type reply struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result struct {
		ResultType    string                     `json:"resultType"`
		RequestState  string                     `json:"requestState"`
		InputRequests map[string]json.RawMessage `json:"inputRequests"`
		Structured    noteOutJSON                `json:"structuredContent"`
	} `json:"result"`
	Error *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
	raw string
}

type noteOutJSON struct {
	Sent  bool   `json:"sent"`
	Token string `json:"confirm_token"`
}

const formCapability = `{"elicitation":{}}`

func start(t *testing.T, modern bool, caps string, env ...string) *client {
	t.Helper()
	c := &client{t: t, modern: modern, caps: caps, cmd: exec.Command(os.Args[0]), lines: make(chan reply, 1000)}
	c.sent = filepath.Join(t.TempDir(), "sent")
	c.cmd.Env = append(append(os.Environ(), envSent+"="+c.sent), env...)
	c.cmd.Stderr = &c.stderr
	var err error
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.cmd.Process.Kill() })
	go func() {
		defer close(c.lines)
		sc := bufio.NewScanner(out)
		sc.Buffer(nil, 4<<20)
		for sc.Scan() {
			r := reply{raw: sc.Text()}
			if err := json.Unmarshal(sc.Bytes(), &r); err != nil {
				t.Errorf("standard output has %q, want JSON only: %v", sc.Text(), err)
			}
			c.lines <- r
		}
	}()
	if !modern {
		c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":%s,"clientInfo":{"name":"t","version":"1"}}}`, caps))
		c.next()
	}
	return c
}

func (c *client) send(lines ...string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, strings.Join(lines, "\n")+"\n"); err != nil {
		c.t.Fatal(err)
	}
}

func (c *client) next() reply {
	c.t.Helper()
	select {
	case r, ok := <-c.lines:
		if !ok {
			c.t.Fatalf("the server ended; its log: %s", c.stderr.String())
		}
		return r
	case <-time.After(patience):
		c.t.Fatalf("no answer; log: %s", c.stderr.String())
	}
	return reply{}
}

// message returns a tools/call with extra parameters, and its id.
func (c *client) message(tool, args, extra string) (line, id string) {
	c.ids++
	id = fmt.Sprint(1000 + c.ids)
	if c.modern {
		extra += fmt.Sprintf(`,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":%s}`, c.caps)
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%q,"arguments":%s%s}}`, id, tool, args, extra), id
}

func (c *client) call(tool, args, extra string) (id string) {
	c.t.Helper()
	line, id := c.message(tool, args, extra)
	c.send(line)
	return id
}

// question is a question that the server put.
type question struct {
	id, state string
	form      json.RawMessage
}

// question reads the next line, which must be one.
func (c *client) question() question {
	c.t.Helper()
	r := c.next()
	if !c.modern {
		if r.Method != "elicitation/create" {
			c.t.Fatalf("got %s, want elicitation/create", r.raw)
		}
		return question{id: string(r.ID), form: r.Params}
	}
	if r.Result.ResultType != "input_required" || r.Result.RequestState == "" {
		c.t.Fatalf("got %s, want input_required with a state", r.raw)
	}
	var in struct{ Params json.RawMessage }
	if err := json.Unmarshal(r.Result.InputRequests["confirm"], &in); err != nil {
		c.t.Fatal(err)
	}
	return question{state: r.Result.RequestState, form: in.Params}
}

// answer answers q with an elicitation result: by a reply, or by repeating the call.
func (c *client) answer(q question, tool, args, result string) {
	c.t.Helper()
	if c.modern {
		c.call(tool, args, c.resumption(q.state, result))
		return
	}
	c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, q.id, result))
}

func (c *client) resumption(state, result string) string {
	return fmt.Sprintf(`,"requestState":%q,"inputResponses":{"confirm":%s}`, state, result)
}

// wantSent checks how many messages left, and that all are want.
func (c *client) wantSent(n int, want string) {
	c.t.Helper()
	data, err := os.ReadFile(c.sent)
	if err != nil && !os.IsNotExist(err) {
		c.t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	if len(data) == 0 {
		lines = nil
	}
	if len(lines) != n {
		c.t.Errorf("messages sent: got %d, want %d", len(lines), n)
	}
	for _, l := range lines {
		if !strings.Contains(l, want) {
			c.t.Errorf("message sent: got %s, want %s in it", l, want)
		}
	}
}

// exit waits for the end of the process.
func (c *client) exit() error {
	c.t.Helper()
	done := make(chan error, 1)
	go func() {
		for range c.lines { // Wait closes the pipe; read to its end first
		}
		done <- c.cmd.Wait()
	}()
	select {
	case err := <-done:
		return err
	case <-time.After(patience):
		c.t.Fatal("the server did not end")
	}
	return nil
}

// inEras runs f against both eras.
func inEras(t *testing.T, f func(t *testing.T, modern bool)) {
	for name, modern := range map[string]bool{"legacy": false, "modern": true} {
		t.Run(name, func(t *testing.T) { f(t, modern) })
	}
}
