//go:build unix

package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mailgap/shared/audit"
)

const (
	peerWait = 2 * time.Minute // Limit: one answer on a busy machine
	peerLine = 16 << 20        // octets of one line that the program may print
)

// The two choices of the form.
const (
	sayYes = "Send this message"
	sayNo  = "Do not send"
)

// shippedProgram builds smtp-mcp as it is shipped, with more flags of go build if there are any.
func shippedProgram(t *testing.T, flags ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "smtp-mcp")
	args := append(append([]string{"build", "-o", path}, flags...), ".")
	if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return path
}

// peer is an MCP client on the standard input and output of a running smtp-mcp. It makes one call at a time. Not safe for
// concurrent use, except ended and kill.
type peer struct {
	program string
	modern  bool
	cmd     *exec.Cmd
	in      io.WriteCloser
	lines   chan peerMessage
	ended   chan struct{} // closed when the process is gone
	result  error         // of the process, after ended
	stderr  *peerLog
	stdout  *peerLog
	next    int
}

type peerMessage struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      *int            `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   json.RawMessage `json:"error,omitempty"`
}

// errPeerGone is returned when the program ended before it answered.
var errPeerGone = errors.New("the program ended without an answer")

// launchPeer runs the program with these settings and nothing else in its environment.
func launchPeer(program string, modern bool, settings ...string) (*peer, error) {
	p := &peer{program: program, modern: modern, lines: make(chan peerMessage, 16), ended: make(chan struct{}), stderr: &peerLog{}, stdout: &peerLog{}}
	p.cmd = exec.Command(program)
	p.cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME"), "TZ=UTC"}, settings...)
	p.cmd.Stderr = p.stderr
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go p.read(io.TeeReader(out, p.stdout))
	if modern {
		return p, nil
	}
	_, err = p.request("initialize", map[string]any{"protocolVersion": "2025-11-25", "capabilities": map[string]any{"elicitation": map[string]any{}},
		"clientInfo": map[string]any{"name": "peer", "version": "1"}}, nil)
	if err != nil {
		return nil, err
	}
	return p, p.write(peerMessage{JSONRPC: "2.0", Method: "notifications/initialized"})
}

// startPeer launches the program; when the test ends, the end of input must end it with status 0.
func startPeer(t *testing.T, program string, modern bool, settings ...string) *peer {
	t.Helper()
	p, err := launchPeer(program, modern, settings...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.close(); err != nil {
			t.Errorf("smtp-mcp: %v", err)
		}
		checkSecret(t, addressFile(settings), p.stdout.String()+p.stderr.String())
		if t.Failed() {
			t.Logf("standard error of smtp-mcp: %s", p.stderr)
		}
	})
	return p
}

// close ends the input and waits for the program.
func (p *peer) close() error {
	p.in.Close()
	for range p.lines { // nothing is expected any more
	}
	<-p.ended
	return p.result
}

// kill ends the program as kill -9 does and waits until it is gone. What it had printed can still be read.
func (p *peer) kill() {
	_ = p.cmd.Process.Kill() // it may be gone already
	<-p.ended
}

// read hands out the lines. A line that is not JSON-RPC is an error: standard output carries the protocol and nothing else.
func (p *peer) read(out io.Reader) {
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, peerLine)
	var bad error
	for lines.Scan() {
		var m peerMessage
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil || m.JSONRPC != "2.0" {
			bad = fmt.Errorf("line on standard output is not JSON-RPC: %.200q", lines.Bytes())
			continue
		}
		p.lines <- m
	}
	p.result = errors.Join(bad, lines.Err(), p.cmd.Wait())
	close(p.ended)
	close(p.lines)
}

func (p *peer) write(m peerMessage) error {
	line, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if _, err := p.in.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("%w: %v", errPeerGone, err)
	}
	return nil
}

// person answers a question: an action, and a choice if that is accept.
type person func(question string) (action, choice string)

func always(choice string) person {
	return func(string) (string, string) { return "accept", choice }
}

// answerTo writes the result of a form.
func answerTo(params json.RawMessage, who person) (map[string]any, error) {
	var form struct{ Message string }
	if err := json.Unmarshal(params, &form); err != nil {
		return nil, err
	}
	if who == nil {
		return nil, fmt.Errorf("a question that nobody expected: %s", form.Message)
	}
	action, choice := who(form.Message)
	a := map[string]any{"action": action}
	if action == "accept" {
		a["content"] = map[string]any{"decision": choice}
	}
	return a, nil
}

// request sends a request and returns its answer; questions in between go to who.
func (p *peer) request(method string, params map[string]any, who person) (json.RawMessage, error) {
	if p.modern {
		params["_meta"] = map[string]any{"io.modelcontextprotocol/protocolVersion": "2026-07-28",
			"io.modelcontextprotocol/clientCapabilities": map[string]any{"elicitation": map[string]any{}}}
	}
	text, err := json.Marshal(params)
	if err != nil {
		return nil, err
	}
	p.next++
	id := p.next
	if err := p.write(peerMessage{JSONRPC: "2.0", ID: &id, Method: method, Params: text}); err != nil {
		return nil, err
	}
	limit := time.NewTimer(peerWait)
	defer limit.Stop()
	for {
		select {
		case m, ok := <-p.lines:
			switch {
			case !ok:
				return nil, errPeerGone
			case m.Method == "elicitation/create":
				if err := p.answer(m, who); err != nil {
					return nil, err
				}
			case m.ID != nil && *m.ID == id && m.Error != nil:
				return nil, fmt.Errorf("%s: %s", method, m.Error)
			case m.ID != nil && *m.ID == id:
				return m.Result, nil
			}
		case <-limit.C:
			return nil, fmt.Errorf("%s: no answer within %v; standard error: %s", method, peerWait, p.stderr)
		}
	}
}

func (p *peer) answer(m peerMessage, who person) error {
	a, err := answerTo(m.Params, who)
	if err != nil {
		return err
	}
	result, err := json.Marshal(a)
	if err != nil {
		return err
	}
	return p.write(peerMessage{JSONRPC: "2.0", ID: m.ID, Result: result})
}

// sendGot is the answer of a sending tool as a client gets it.
type sendGot struct {
	IsError     bool
	Code, Text  string
	Questions   []string // those that the person saw
	Sent        bool
	AlreadySent bool `json:"already_sent"`
	Outcome     string
	MessageID   string `json:"message_id"`
	Approved    string `json:"approved_by"`
	Reason      string
	ReplyCode   string `json:"reply_code"`
	Recipients  []struct {
		Address  string
		Accepted bool
	}
}

// mailFields are the arguments of a sending tool.
type mailFields map[string]any

// call calls a sending tool the way a client of either era does. With a nil person there must be no question.
func (p *peer) call(tool string, fields mailFields, who person) (sendGot, error) {
	var got sendGot
	noted := who
	if who != nil {
		noted = func(q string) (string, string) {
			got.Questions = append(got.Questions, q)
			return who(q)
		}
	}
	params := map[string]any{"name": tool, "arguments": fields}
	raw, err := p.request("tools/call", params, noted)
	for err == nil && p.modern {
		var again map[string]any
		if again, err = resume(raw, noted); again == nil {
			break
		}
		again["name"], again["arguments"] = tool, fields
		raw, err = p.request("tools/call", again, noted)
	}
	if err != nil {
		return got, err
	}
	return got, got.decode(raw)
}

// resume answers an input_required result; nil if raw is something else.
func resume(raw json.RawMessage, who person) (map[string]any, error) {
	var r struct {
		ResultType    string
		RequestState  string
		InputRequests map[string]struct{ Params json.RawMessage }
	}
	if err := json.Unmarshal(raw, &r); err != nil || r.ResultType != "input_required" {
		return nil, err
	}
	responses := map[string]any{}
	for name, request := range r.InputRequests {
		a, err := answerTo(request.Params, who)
		if err != nil {
			return nil, err
		}
		responses[name] = a
	}
	return map[string]any{"requestState": r.RequestState, "inputResponses": responses}, nil
}

func (g *sendGot) decode(raw json.RawMessage) error {
	var r struct {
		IsError           bool
		StructuredContent json.RawMessage
		Content           []struct{ Text string }
		Meta              map[string]json.RawMessage `json:"_meta"`
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		return err
	}
	g.IsError = r.IsError
	for _, c := range r.Content {
		g.Text += c.Text
	}
	for name, value := range r.Meta {
		if strings.HasSuffix(name, "code") {
			g.Code = strings.Trim(string(value), `"`)
		}
	}
	if r.StructuredContent == nil {
		return nil
	}
	return json.Unmarshal(r.StructuredContent, g)
}

// mustCall calls a sending tool and fails the test if there is no answer.
func (p *peer) mustCall(t *testing.T, tool string, fields mailFields, who person) sendGot {
	t.Helper()
	got, err := p.call(tool, fields, who)
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	return got
}

// mustSend sends a message with a yes and fails the test if it was not sent.
func (p *peer) mustSend(t *testing.T, fields mailFields) sendGot {
	t.Helper()
	got := p.mustCall(t, "send_mail", fields, always(sayYes))
	if !got.Sent || got.Outcome != "sent" || len(got.Questions) != 1 {
		t.Fatalf("send_mail: %+v", got)
	}
	return got
}

// auditOf returns the digest of the message that the audit log says was approved and sent, and checks the chain.
func auditOf(t *testing.T, stateDir, messageID string) string {
	t.Helper()
	path := filepath.Join(stateDir, "audit.jsonl")
	report, err := audit.Verify(path)
	if err != nil || !report.OK() {
		t.Fatalf("audit log: %+v, %v", report, err)
	}
	entries, err := audit.Read(path, audit.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Outcome == audit.OutcomeSent && e.MessageID == messageID {
			return e.Digest
		}
	}
	t.Fatalf("audit log: nothing about %s", messageID)
	return ""
}
