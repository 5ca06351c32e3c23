package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"
)

const (
	answerWithin = 60 * time.Second // Limit: one call on a busy machine
	maxLine      = 64 << 20         // octets of one line that the program may print
)

// buildProgram builds imap-mcp as it is shipped and returns its path.
func buildProgram(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "imap-mcp")
	out, err := exec.Command("go", "build", "-o", path, ".").CombinedOutput()
	if err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return path
}

// client is an MCP client on the standard input and output of a running imap-mcp.
type client struct {
	stdin  io.WriteCloser
	pid    int
	done   chan error // result of the process
	stderr *syncBuffer

	mu      sync.Mutex
	next    int
	waiting map[int]chan rpcMessage
	notes   []rpcMessage // notifications
}

type rpcMessage struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      *int            `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   json.RawMessage `json:"error,omitempty"`
}

// syncBuffer is a bytes.Buffer for two goroutines.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// startClient runs the program with these settings and nothing else in its environment, and shakes hands. When the test
// ends, the end of input must end the program with status 0.
func startClient(t *testing.T, program string, settings ...string) *client {
	t.Helper()
	cmd := exec.Command(program)
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME"), "TZ=UTC"}, settings...)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	c := &client{stdin: stdin, done: make(chan error, 1), stderr: &syncBuffer{}, waiting: map[int]chan rpcMessage{}}
	cmd.Stderr = c.stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	c.pid = cmd.Process.Pid
	go func() {
		readErr := c.read(stdout)
		if err := cmd.Wait(); err != nil {
			readErr = fmt.Errorf("%w: %s", err, c.stderr)
		}
		c.done <- readErr
	}()
	t.Cleanup(func() { c.close(t) })
	c.request(t, "initialize", map[string]any{"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "test", "version": "1"}})
	c.send(t, rpcMessage{JSONRPC: "2.0", Method: "notifications/initialized"})
	return c
}

func (c *client) close(t *testing.T) {
	t.Helper()
	c.stdin.Close()
	select {
	case err := <-c.done:
		if err != nil {
			t.Errorf("imap-mcp: %v", err)
		}
	case <-time.After(answerWithin):
		t.Errorf("imap-mcp did not end with its input; standard error: %s", c.stderr)
	}
	if t.Failed() {
		t.Logf("standard error of imap-mcp: %s", c.stderr)
	}
}

// read hands each line to who waits for it. A line that is not a JSON-RPC message is an error: standard output carries
// the protocol and nothing else.
func (c *client) read(stdout io.Reader) error {
	lines := bufio.NewScanner(stdout)
	lines.Buffer(nil, maxLine)
	var bad error
	for lines.Scan() {
		var m rpcMessage
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil || m.JSONRPC != "2.0" {
			bad = fmt.Errorf("line on standard output is not JSON-RPC: %.200q", lines.Bytes())
			continue
		}
		c.mu.Lock()
		if m.ID == nil {
			c.notes = append(c.notes, m)
		} else if ch := c.waiting[*m.ID]; ch != nil {
			delete(c.waiting, *m.ID)
			ch <- m
		} else {
			bad = fmt.Errorf("an answer with id %d that nobody asked for", *m.ID)
		}
		c.mu.Unlock()
	}
	if err := lines.Err(); err != nil {
		return err
	}
	return bad
}

func (c *client) send(t *testing.T, m rpcMessage) {
	t.Helper()
	line, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, err := c.stdin.Write(append(line, '\n')); err != nil {
		t.Fatalf("write: %v; standard error: %s", err, c.stderr)
	}
}

// start sends a request and returns where its answer arrives.
func (c *client) start(t *testing.T, method string, params any) <-chan rpcMessage {
	t.Helper()
	p, err := json.Marshal(params)
	if err != nil {
		t.Fatal(err)
	}
	ch := make(chan rpcMessage, 1)
	c.mu.Lock()
	c.next++
	id := c.next
	c.waiting[id] = ch
	c.mu.Unlock()
	c.send(t, rpcMessage{JSONRPC: "2.0", ID: &id, Method: method, Params: p})
	return ch
}

func (c *client) await(t *testing.T, what string, ch <-chan rpcMessage) rpcMessage {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), answerWithin)
	defer cancel()
	select {
	case m := <-ch:
		if m.Error != nil {
			t.Fatalf("%s: %s", what, m.Error)
		}
		return m
	case err := <-c.done:
		c.done <- err
		t.Fatalf("%s: imap-mcp ended: %v", what, err)
	case <-ctx.Done():
		t.Fatalf("%s: no answer within %v; standard error: %s", what, answerWithin, c.stderr)
	}
	return rpcMessage{}
}

func (c *client) request(t *testing.T, method string, params any) rpcMessage {
	t.Helper()
	return c.await(t, method, c.start(t, method, params))
}

// args are the arguments of a tool.
type args map[string]any

// answer is the result of a tool as a client gets it.
type answer struct {
	IsError           bool            `json:"isError"`
	StructuredContent json.RawMessage `json:"structuredContent"`
	Content           []struct {
		Type, Text, MIMEType, Data string
	}
	octets int // of the whole result
}

// text is the text for the model.
func (a answer) text() string {
	for _, c := range a.Content {
		if c.Type == "text" {
			return c.Text
		}
	}
	return ""
}

func (c *client) startTool(t *testing.T, tool string, a args) <-chan rpcMessage {
	t.Helper()
	return c.start(t, "tools/call", map[string]any{"name": tool, "arguments": a})
}

func (c *client) awaitTool(t *testing.T, tool string, ch <-chan rpcMessage) answer {
	t.Helper()
	m := c.await(t, tool, ch)
	var out answer
	if err := json.Unmarshal(m.Result, &out); err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	out.octets = len(m.Result)
	return out
}

// try calls a tool and returns its answer, an error or not.
func (c *client) try(t *testing.T, tool string, a args) answer {
	t.Helper()
	return c.awaitTool(t, tool, c.startTool(t, tool, a))
}

// call calls a tool that must succeed and decodes its structured result.
func call[T any](t *testing.T, c *client, tool string, a args) T {
	t.Helper()
	return decodeAnswer[T](t, tool, c.try(t, tool, a))
}

func decodeAnswer[T any](t *testing.T, tool string, a answer) T {
	t.Helper()
	var out T
	if a.IsError {
		t.Fatalf("%s: %s", tool, a.text())
	}
	if err := json.Unmarshal(a.StructuredContent, &out); err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	return out
}

// fullText reads the whole text of a message, piece by piece.
func fullText(t *testing.T, c *client, ref string, a args) messageGot {
	t.Helper()
	req := args{"ref": ref, "max_chars": 50000}
	for k, v := range a {
		req[k] = v
	}
	first := call[messageGot](t, c, "get_message", req)
	for next := first.Body.NextOffset; next > 0; {
		req["offset"] = next
		piece := call[messageGot](t, c, "get_message", req)
		first.Body.Text += piece.Body.Text
		if piece.Body.NextOffset != 0 && piece.Body.NextOffset <= next {
			t.Fatalf("get_message %s: next_offset %d does not go on from %d", ref, piece.Body.NextOffset, next)
		}
		next = piece.Body.NextOffset
	}
	return first
}

// allPages reads a list to its end.
func allPages(t *testing.T, c *client, a args) (all []summary, pages []listGot) {
	t.Helper()
	req := args{}
	for k, v := range a {
		req[k] = v
	}
	var cursors []string
	for {
		page := call[listGot](t, c, "list_messages", req)
		all = append(all, page.Messages...)
		pages = append(pages, page)
		if page.NextCursor == "" {
			return all, pages
		}
		if slices.Contains(cursors, page.NextCursor) {
			t.Fatalf("list_messages %v: the same cursor twice after %d messages", a, len(all))
		}
		cursors = append(cursors, page.NextCursor)
		req["cursor"] = page.NextCursor
	}
}
