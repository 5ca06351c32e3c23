package world

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"sync"
	"time"
)

// Limits of one connection to a server.
const (
	maxLineOctets = 16 << 20         // an answer with an image
	exitPatience  = 5 * time.Second  // after the end of input; the servers promise a second
	callPatience  = 60 * time.Second // no call of the suite takes long
)

// Question is what a server put to the person through the client's form.
type Question struct {
	Text    string
	Choices []string // in the order of the form
}

// Reply is what the client answers. Failed is an error of the client: nobody could be asked.
type Reply struct {
	Failed  bool           `json:"-"`
	Action  string         `json:"action"`
	Content map[string]any `json:"content,omitempty"`
}

// Asked answers questions. It is called while a call is open, one at a time.
type Asked func(Question) Reply

// Result is what a tool answered.
type Result struct {
	Text       string
	Structured map[string]any
	IsError    bool
	Code       string // the refusal's code, if the server gave one
}

// Tool is one entry of tools/list.
type Tool struct {
	Name, Description string
	Schema            json.RawMessage
}

// Client is one server process and the connection to it. One call at a time. Make one with Start.
type Client struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	lines chan message
	asked Asked
	tools []Tool
	errs  *tail

	mu  sync.Mutex // one call at a time
	ids int
}

// message is any line of a server.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// Start runs the program with exactly this environment and says hello as a client that can show forms. asked may be nil: then the
// client says that it cannot. The process ends with Close.
func Start(ctx context.Context, program string, env []string, asked Asked) (*Client, error) {
	c := &Client{cmd: exec.Command(program), lines: make(chan message, 64), asked: asked, errs: &tail{}}
	c.cmd.Env, c.cmd.Stderr = env, c.errs
	var err error
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.cmd.Start(); err != nil {
		return nil, err
	}
	go c.read(out)
	if err := c.hello(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("%s did not start: %w: %s", program, err, c.errs.String()), c.Close())
	}
	return c, nil
}

func (c *Client) hello(ctx context.Context) error {
	capabilities := map[string]any{}
	if c.asked != nil {
		capabilities["elicitation"] = map[string]any{}
	}
	_, err := c.request(ctx, "initialize", map[string]any{"protocolVersion": "2025-11-25", "capabilities": capabilities,
		"clientInfo": map[string]any{"name": "mail-evals", "version": "1"}})
	if err != nil {
		return err
	}
	if err := c.write(map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"}); err != nil {
		return err
	}
	raw, err := c.request(ctx, "tools/list", map[string]any{})
	if err != nil {
		return err
	}
	var list struct {
		Tools []struct {
			Name        string          `json:"name"`
			Description string          `json:"description"`
			Schema      json.RawMessage `json:"inputSchema"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(raw, &list); err != nil {
		return err
	}
	for _, t := range list.Tools {
		c.tools = append(c.tools, Tool{t.Name, t.Description, t.Schema})
	}
	return nil
}

// read takes lines until the process ends.
func (c *Client) read(out io.Reader) {
	defer close(c.lines)
	sc := bufio.NewScanner(out)
	sc.Buffer(nil, maxLineOctets)
	for sc.Scan() {
		var m message
		if json.Unmarshal(sc.Bytes(), &m) == nil {
			c.lines <- m
		}
	}
}

func (c *Client) write(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = c.in.Write(append(line, '\n'))
	return err
}

// errEnded says that the server process ended.
var errEnded = errors.New("world: the server ended")

// rpcError is an error of the protocol, such as arguments that do not fit the schema.
type rpcError struct{ text string }

func (e *rpcError) Error() string { return e.text }

// request sends one request and waits for its answer. Questions that come meanwhile are answered.
func (c *Client) request(ctx context.Context, method string, params any) (json.RawMessage, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ids++
	id := fmt.Sprint(c.ids)
	if err := c.write(map[string]any{"jsonrpc": "2.0", "id": c.ids, "method": method, "params": params}); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, callPatience)
	defer cancel()
	for {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case m, ok := <-c.lines:
			switch {
			case !ok:
				return nil, errEnded
			case m.Method == "elicitation/create":
				if err := c.answer(m); err != nil {
					return nil, err
				}
			case string(m.ID) == id && m.Error != nil:
				return nil, &rpcError{m.Error.Message}
			case string(m.ID) == id:
				return m.Result, nil
			}
		}
	}
}

// answer puts a question to the person and sends back what came of it.
func (c *Client) answer(m message) error {
	var p struct {
		Message string `json:"message"`
		Schema  struct {
			Properties map[string]struct {
				Enum []string `json:"enum"`
			} `json:"properties"`
		} `json:"requestedSchema"`
	}
	if err := json.Unmarshal(m.Params, &p); err != nil {
		return err
	}
	q := Question{Text: p.Message}
	for _, f := range p.Schema.Properties {
		q.Choices = append(q.Choices, f.Enum...)
	}
	r := Reply{Failed: true}
	if c.asked != nil {
		r = c.asked(q)
	}
	if r.Failed {
		return c.write(map[string]any{"jsonrpc": "2.0", "id": m.ID, "error": map[string]any{"code": -32603, "message": "nobody is there"}})
	}
	return c.write(map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": r})
}

// Tools returns what the server listed.
func (c *Client) Tools() []Tool { return c.tools }

// Call calls a tool. A refusal of the server is a Result with IsError; the error is one of the connection.
func (c *Client) Call(ctx context.Context, tool string, args map[string]any) (Result, error) {
	if args == nil {
		args = map[string]any{}
	}
	raw, err := c.request(ctx, "tools/call", map[string]any{"name": tool, "arguments": args})
	var refused *rpcError
	if errors.As(err, &refused) {
		return Result{Text: refused.text, IsError: true, Code: "protocol_error"}, nil
	}
	if err != nil {
		return Result{}, fmt.Errorf("%w: %s", err, c.errs.String())
	}
	return parseResult(raw)
}

func parseResult(raw json.RawMessage) (Result, error) {
	var r struct {
		Content []struct {
			Text string `json:"text"`
		} `json:"content"`
		Structured map[string]any `json:"structuredContent"`
		IsError    bool           `json:"isError"`
		Meta       map[string]any `json:"_meta"`
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		return Result{}, err
	}
	out := Result{Structured: r.Structured, IsError: r.IsError}
	for _, c := range r.Content {
		out.Text += c.Text
	}
	for _, v := range r.Meta {
		if code, ok := v.(string); ok && r.IsError {
			out.Code = code
		}
	}
	return out, nil
}

// Close ends the process: end of input first, then by force.
func (c *Client) Close() error {
	_ = c.in.Close()
	done := make(chan error, 1)
	go func() {
		for range c.lines { // until standard output ends, so that Wait closes nothing that is still read
		}
		done <- c.cmd.Wait()
	}()
	t := time.AfterFunc(exitPatience, func() { _ = c.cmd.Process.Kill() })
	defer t.Stop()
	return <-done
}

// tail keeps the end of what was written to it.
type tail struct {
	mu   sync.Mutex
	text []byte
}

const maxTail = 4096 // enough for the last lines of a log

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if over := len(t.text) - maxTail; over > 0 {
		t.text = append([]byte(nil), t.text[over:]...)
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.text)
}
