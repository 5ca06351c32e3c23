package confirm

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"testing"
	"time"

	"mailgap/shared/mcpserve"
)

// Environment that makes the test binary a server with two sending tools and a fake sender.
const (
	envSent     = "CONFIRM_TEST_SENT"     // file that gets one line per message sent
	envWait     = "CONFIRM_TEST_WAIT"     // how long a client of the old revisions may take
	envLifetime = "CONFIRM_TEST_LIFETIME" // of an approval
	envTerminal = "CONFIRM_TEST_TERMINAL" // asks on the controlling terminal instead
)

func TestMain(m *testing.M) {
	switch {
	case os.Getenv(envTerminal) != "":
		a, err := Terminal{}.Ask(context.Background(), Pending{Question: sample()})
		fmt.Println(a.Reason(), err)
		return
	case os.Getenv(envSent) == "":
		os.Exit(m.Run())
	}
	if err := serveFixture(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func serveFixture() error {
	wait, _ := time.ParseDuration(os.Getenv(envWait))
	lifetime, _ := time.ParseDuration(os.Getenv(envLifetime))
	gate, err := NewGate[note](GateOptions{Now: time.Now, Random: rand.Reader, Lifetime: lifetime})
	if err != nil {
		return err
	}
	f := &fixture{gate: gate, sent: os.Getenv(envSent), wait: wait}
	s, err := mcpserve.NewServer(mcpserve.Config{Name: "confirm-test", Version: "1.0.0", Logger: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelDebug})), Tools: []mcpserve.Tool{f.tool("send_note"), f.tool("forward_note"), f.token(), f.plain()}})
	if err != nil {
		return err
	}
	return mcpserve.Serve(context.Background(), s, os.Stdin, os.Stdout, mcpserve.Options{})
}

// fixture is a sender as a server would build it on this package.
type fixture struct {
	gate *Gate[note]
	sent string
	wait time.Duration
}

// note is a frozen message.
type note struct {
	To, Cc  []string
	Subject string
	Text    string
}

type noteIn struct {
	To           []string `json:"to"`
	Cc           []string `json:"cc"`
	Subject      string   `json:"subject"`
	Text         string   `json:"text"`
	ConfirmToken string   `json:"confirm_token"`
}

type noteOut struct {
	Sent  bool     `json:"sent"`
	How   PathName `json:"how,omitempty"`
	Token token    `json:"confirm_token,omitempty"`
}

// token may leave: it is made of random digits.
type token string

func (t token) SafeText() string { return string(t) }

const noteSchema = `{"type":"object","additionalProperties":false,"required":["to"],"properties":{
	"to":{"type":"array","items":{"type":"string"}},"cc":{"type":"array","items":{"type":"string"}},
	"subject":{"type":"string"},"text":{"type":"string"},"confirm_token":{"type":"string"}}}`

func (in noteIn) binding(c *mcpserve.Call, tool string) Binding {
	d := NewDigest().AddList("to", in.To).AddList("cc", in.Cc).AddText("subject", in.Subject).AddText("text", in.Text)
	return Binding{c.Principal(), tool, d.Sum()}
}

func (in noteIn) note() note { return note{in.To, in.Cc, in.Subject, in.Text} }

func (n note) question() Question {
	q := Question{From: "me@example.com", Subject: n.Subject, Text: n.Text}
	for _, a := range n.To {
		q.To = append(q.To, Recipient{Address: a, Rule: RuleDomain})
	}
	for _, a := range n.Cc {
		q.Cc = append(q.Cc, Recipient{Address: a, Rule: RuleExact})
	}
	return q
}

func (f *fixture) tool(name string) mcpserve.Tool {
	return mcpserve.DefineAsking(mcpserve.Spec{Name: name, Description: "Sends.", InputSchema: json.RawMessage(noteSchema), Hints: mcpserve.Hints{Destructive: true}},
		func(_ context.Context, c *mcpserve.Call, in noteIn, a *mcpserve.Answer) (mcpserve.Step[noteOut], error) {
			b := in.binding(c, name)
			switch {
			case a == nil:
				handle, err := f.gate.Open(b, c.Era() != mcpserve.EraModern, in.note())
				return f.ask(in.note(), handle, err)
			case errors.Is(a.Err, mcpserve.ErrNoAnswer):
				handle, n, err := f.gate.Renew(a.State, b)
				return f.ask(n, handle, asState(err))
			}
			approval, err := f.gate.Redeem(a.State, b, FromElicitation(a))
			if err != nil {
				return mcpserve.Step[noteOut]{}, asState(err)
			}
			return f.send(approval)
		})
}

// asState makes a no an error of the tool; what a handle does not verify with is a protocol error by itself.
func asState(err error) error {
	var no *NotApprovedError
	if errors.As(err, &no) {
		return &mcpserve.ToolError{Text: Explain(err), Code: no.Reason}
	}
	return err
}

func (f *fixture) ask(n note, handle string, err error) (step mcpserve.Step[noteOut], _ error) {
	if err != nil {
		var state *mcpserve.StateError
		if errors.As(err, &state) {
			return step, err
		}
		return step, &mcpserve.ToolError{Text: Explain(err)}
	}
	step.Ask, err = Ask(n.question(), handle, f.wait)
	if err != nil {
		f.gate.Close(handle, AskFailed)
		return step, &mcpserve.ToolError{Text: Explain(err)}
	}
	return step, nil
}

// send is the fake sender: one line per message.
func (f *fixture) send(a Approval[note]) (step mcpserve.Step[noteOut], err error) {
	n, ok := a.Payload()
	if !ok {
		return step, errors.New("not approved")
	}
	file, err := os.OpenFile(f.sent, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return step, err
	}
	line, err := json.Marshal(n)
	if err != nil {
		return step, err
	}
	if _, err := file.Write(append(line, '\n')); err != nil {
		return step, err
	}
	step.Result.Structured = noteOut{Sent: true, How: a.Path()}
	return step, file.Close()
}

// token is the tool of a server without asking.
func (f *fixture) token() mcpserve.Tool {
	return mcpserve.Define(mcpserve.Spec{Name: "token_note", Description: "Sends.", InputSchema: json.RawMessage(noteSchema)},
		func(_ context.Context, c *mcpserve.Call, in noteIn) (mcpserve.Result[noteOut], error) {
			b := in.binding(c, "token_note")
			if in.ConfirmToken == "" {
				t, err := f.gate.IssueToken(b, in.note())
				return mcpserve.Result[noteOut]{Structured: noteOut{Token: token(t)}}, err
			}
			approval, err := f.gate.RedeemToken(in.ConfirmToken, b)
			if err != nil {
				return mcpserve.Result[noteOut]{}, &mcpserve.ToolError{Text: Explain(err)}
			}
			step, err := f.send(approval)
			step.Result.Text = TokenNotice()
			return step.Result, err
		})
}

// plain is a tool that never asks.
func (f *fixture) plain() mcpserve.Tool {
	return mcpserve.Define(mcpserve.Spec{Name: "get_info", Description: "Says hello.", InputSchema: json.RawMessage(noteSchema)},
		func(context.Context, *mcpserve.Call, noteIn) (mcpserve.Result[noteOut], error) {
			return mcpserve.Result[noteOut]{}, nil
		})
}
