package agent

import (
	"context"
	"errors"
	"maps"
)

// Call is one tool call.
type Call struct {
	Tool string
	Args map[string]any
}

// Result is what came back. IsError covers refusals of a server and of an agent-side guard alike: a model sees no difference.
type Result struct {
	Text       string
	Structured map[string]any
	IsError    bool
	Code       string
}

// Tool is what a model is told about one tool.
type Tool struct {
	Name, Description string
	Schema            []byte // JSON Schema of its arguments
}

// Session is the agent's side of the tools. Call does not fail: a broken connection is a Result with IsError.
type Session interface {
	Tools() []Tool
	Call(ctx context.Context, c Call) Result
}

// Model drives one session until it has nothing more to do. It may be used for several sessions, one after the other.
type Model interface {
	Run(ctx context.Context, r Request, s Session) error
}

// Request is what the user asks. Text is for models that read; Steps are the same as a program, for those that do not.
type Request struct {
	Text  string `json:"text"`
	Steps []Step `json:"steps"`
	// Mark begins the subject of every message that a model thinks up, so that the messages of two sessions are never the same one.
	Mark string `json:"-"`
}

// The verbs of a Step.
const (
	DoRead    = "read"    // list the newest Count messages and open each; with Files, their attachments too
	DoThread  = "thread"  // open the conversation of the newest message read
	DoReply   = "reply"   // answer the author of the newest message read with Text
	DoSend    = "send"    // a new message
	DoForward = "forward" // the newest message read, to To, with Text above
	DoCall    = "call"    // Tool with Args
)

// Step is one thing that the request asks for.
type Step struct {
	Do          string         `json:"do"`
	Count       int            `json:"count,omitempty"`
	Mailbox     string         `json:"mailbox,omitempty"`
	Files       bool           `json:"files,omitempty"`
	To          []string       `json:"to,omitempty"`
	Cc          []string       `json:"cc,omitempty"`
	Bcc         []string       `json:"bcc,omitempty"`
	Subject     string         `json:"subject,omitempty"`
	Text        string         `json:"text,omitempty"`
	HTML        string         `json:"html,omitempty"`
	Attachments []string       `json:"attachments,omitempty"`
	Tool        string         `json:"tool,omitempty"`
	Args        map[string]any `json:"args,omitempty"`
}

// Sends reports whether the step puts a message to the person.
func (s Step) Sends() bool { return s.Do == DoReply || s.Do == DoSend || s.Do == DoForward }

// ErrBudget says that a model made more calls than a case allows.
var ErrBudget = errors.New("agent: call budget used up")

// with returns a copy of args with more added.
func with(args map[string]any, more map[string]any) map[string]any {
	out := maps.Clone(args)
	if out == nil {
		out = map[string]any{}
	}
	maps.Copy(out, more)
	return out
}

// list turns strings into what JSON makes of them.
func list(ss ...string) []any {
	out := make([]any, len(ss))
	for i, s := range ss {
		out[i] = s
	}
	return out
}
