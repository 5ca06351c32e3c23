package sendmail

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
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
	w      *world
	modern bool
	caps   string // declared capabilities
	cmd    *exec.Cmd
	in     io.WriteCloser
	lines  chan reply
	ids    int
	stderr lockedBuffer
	stdout lockedBuffer
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

// reply is any line that a server wrote.
type reply struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result struct {
		ResultType    string                     `json:"resultType"`
		RequestState  string                     `json:"requestState"`
		InputRequests map[string]json.RawMessage `json:"inputRequests"`
		Structured    told                       `json:"structuredContent"`
		IsError       bool                       `json:"isError"`
		Meta          map[string]any             `json:"_meta"`
	} `json:"result"`
	Error *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
	raw string
}

// told is the structured result of a sending tool.
type told struct {
	Sent        bool   `json:"sent"`
	AlreadySent bool   `json:"already_sent"`
	Outcome     string `json:"outcome"`
	MessageID   string `json:"message_id"`
	Approved    string `json:"approved_by"`
	ReplyCode   string `json:"reply_code"`
	Reason      string `json:"reason"`
	Left        *int   `json:"sends_left"`
	Token       string `json:"confirm_token"`
	Next        string `json:"next"`
	Recipients  []struct {
		Address, Outcome string
		Accepted         bool
		ReplyCode        string `json:"reply_code"`
	}
}

const (
	formCapability = `{"elicitation":{}}`
	accept         = `{"action":"accept","content":{"decision":"Send this message"}}`
	decline        = `{"action":"decline"}`
)

// start starts a server with the settings of w and says hello.
func (w *world) start(t *testing.T, modern bool, caps string) *client {
	t.Helper()
	text, err := json.Marshal(w.setup)
	if err != nil {
		t.Fatal(err)
	}
	c := &client{t: t, w: w, modern: modern, caps: caps, cmd: exec.Command(os.Args[0]), lines: make(chan reply, 1000)}
	c.cmd.Env = append(os.Environ(), childEnv+"="+string(text))
	c.cmd.Stderr = &c.stderr
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
	t.Cleanup(func() {
		_ = c.cmd.Process.Kill()
		// The invariant of every test with a server: the side of the model sees no secret of an approval page.
		if found := w.leaks(c.stdout.String() + c.stderr.String()); len(found) > 0 && !w.Leak {
			t.Errorf("the server wrote what leads to an approval page: %q", found)
		}
		if t.Failed() {
			t.Logf("standard error of the server:\n%s", c.stderr.String())
		}
	})
	go c.read(out)
	if !modern {
		c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":%s,"clientInfo":{"name":"t","version":"1"}}}`, caps))
		c.next()
	}
	return c
}

// read checks that every line on standard output is one JSON-RPC message.
func (c *client) read(out io.Reader) {
	defer close(c.lines)
	sc := bufio.NewScanner(out)
	sc.Buffer(nil, 4<<20)
	for sc.Scan() {
		r := reply{raw: sc.Text()}
		if err := json.Unmarshal(sc.Bytes(), &r); err != nil {
			c.t.Errorf("standard output has %q, want JSON only: %v", sc.Text(), err)
		}
		if c.w.URL && (r.Method == "elicitation/create" || r.Result.ResultType == "input_required") {
			c.lines <- r // the one place where the operator lets the address stand
			continue
		}
		fmt.Fprintln(&c.stdout, r.raw)
		if r.Method != "notifications/cancelled" {
			c.lines <- r
		}
	}
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

// ask calls a tool that must put a question.
func (c *client) ask(tool, args string) question {
	c.t.Helper()
	c.call(tool, args, "")
	return c.question()
}

// question is a question that the server put.
type question struct {
	id, state, text string
}

// question reads the next line, which must be one.
func (c *client) question() question {
	c.t.Helper()
	r := c.next()
	form := r.Params
	q := question{id: string(r.ID), state: r.Result.RequestState}
	switch {
	case c.modern && r.Result.ResultType == "input_required" && q.state != "":
		var in struct{ Params json.RawMessage }
		if err := json.Unmarshal(r.Result.InputRequests["confirm"], &in); err != nil {
			c.t.Fatal(err)
		}
		form = in.Params
	case c.modern || r.Method != "elicitation/create":
		c.t.Fatalf("got %s, want a question", r.raw)
	}
	var params struct{ Message string }
	if err := json.Unmarshal(form, &params); err != nil {
		c.t.Fatal(err)
	}
	q.text = params.Message
	return q
}

// answer answers q with an elicitation result: by a reply, or by repeating the call. An accepted question counts as approved.
func (c *client) answer(q question, tool, args, result string) {
	c.t.Helper()
	if result == accept {
		c.w.approve(q.text)
	}
	if c.modern {
		c.call(tool, args, resumption(q.state, result))
		return
	}
	c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, q.id, result))
}

func resumption(state, result string) string {
	return fmt.Sprintf(`,"requestState":%q,"inputResponses":{"confirm":%s}`, state, result)
}

// sends proposes a message, approves it, and returns what is told of it.
func (c *client) sends(tool, args string) told {
	c.t.Helper()
	c.answer(c.ask(tool, args), tool, args, accept)
	r := c.next()
	if r.Error != nil || r.Result.IsError {
		c.t.Fatalf("got %s, want a result", r.raw)
	}
	return r.Result.Structured
}

// refused reads the next line, which must be a refusal with want in it, as a result or as a protocol error.
func (c *client) refused(want string) reply {
	c.t.Helper()
	r := c.next()
	if r.Error == nil && !r.Result.IsError || r.Result.Structured.Sent || !strings.Contains(r.raw, want) {
		c.t.Errorf("got %s, want a refusal with %q", r.raw, want)
	}
	return r
}

// ends waits for the end of the process.
func (c *client) ends() error {
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
