package mcpserve

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

// Form is a question for a person, with one required choice.
type Form struct {
	// Message is the whole question. Most clients show it; some show the title and the description of the field alone.
	Message SafeText
	// Title and Description belong to the field.
	Title, Description SafeText
	// Choices are our own words, two or more. The first should be the harmless one: some clients preselect it.
	Choices []SafeText
}

// Ask is a handler's wish to have a question put to the person.
type Ask struct {
	Form Form
	// URL, if not empty, is handed to the person instead of a form: the client asks whether it may open it (URL mode), and shows
	// Form.Message with it; the rest of Form is left out. ActionAccept then means that it was opened, and nothing else. The client
	// sees the URL, and its logs may. A client that did not declare URL mode is not asked.
	URL string
	// State comes back in Answer.State. A client of 2026-07-28 holds it between two requests and may change, repeat or invent
	// it, so it must be a handle that cannot be guessed and that is good for one use. It must not be empty.
	State string
	// Wait is how long a client of the old revisions may take; 0 means five minutes, which is also the most. A client of
	// 2026-07-28 is not waited for: the handler decides how long a state is good.
	Wait time.Duration
}

// Action is what a client says the person did with a form. Only the three below are known; any other value is kept as it
// came and means nothing.
type Action string

// The actions.
const (
	ActionAccept  Action = "accept"
	ActionDecline Action = "decline"
	ActionCancel  Action = "cancel"
)

// Answer is what came of an Ask. It is the word of the client. If Err is not nil, nobody answered.
type Answer struct {
	State   string
	Action  Action
	Content map[string]json.RawMessage // as the client sent it; checked against nothing
	Err     error
}

// Why nobody answered. Each means "no".
var (
	ErrCannotAsk       = errors.New("mcpserve: the client cannot ask a person")
	ErrAskTimeout      = errors.New("mcpserve: no answer in time")
	ErrAskCancelled    = errors.New("mcpserve: the call was cancelled while asking")
	ErrConnectionEnded = errors.New("mcpserve: the connection ended while asking")
	ErrClientError     = errors.New("mcpserve: the client answered a question with an error")
	ErrBadAnswer       = errors.New("mcpserve: the answer is malformed")
	ErrNoAnswer        = errors.New("mcpserve: the state came back without an answer")
)

// StateError is returned by a handler for an Answer.State that it does not accept. A client of 2026-07-28 gets a protocol
// error (invalid params) with Text, so that it neither takes the call for done nor asks the person again by itself.
type StateError struct{ Text SafeText }

// Error implements error. The text is for the client and stays out of logs.
func (e *StateError) Error() string { return "mcpserve: request state refused" }

// Step is what one run of an asking handler ends in: a result, or a question if Ask is not nil.
type Step[Out any] struct {
	Result Result[Out]
	Ask    *Ask
}

// DefineAsking makes a tool whose handler may ask the person who uses the client. It is Define but for this: the handler is
// run with a nil Answer first; if it returns an Ask, it is run again with the same arguments and the Answer. That is one way
// for all clients. With the old revisions the question is sent within the call, and answers that come after its end are
// dropped; with 2026-07-28 the call ends with the question, and the client repeats it with State and answer, so the
// second run may be another process, other arguments, or made up, and the handler has to verify State before it
// looks at anything else. A client that did not declare forms is not asked: the handler runs again with ErrCannotAsk.
//
// An answer without State is dropped and the call is a first one. After an Answer the handler may ask again, with a new
// State; within one call of the old revisions at most three questions are put.
func DefineAsking[In, Out any](s Spec, handler func(context.Context, *Call, In, *Answer) (Step[Out], error)) Tool {
	run := func(ctx context.Context, c *Call, args json.RawMessage, a *Answer) (Outcome, error) {
		var in In
		if err := json.Unmarshal(args, &in); err != nil {
			return Outcome{}, errDecode
		}
		step, err := handler(ctx, c, in, a)
		switch {
		case err != nil:
			return Outcome{}, err
		case step.Ask != nil:
			return Outcome{ask: step.Ask}, step.Ask.check()
		}
		return render(reflect.ValueOf(&step.Result.Structured).Elem(), step.Result.Text, step.Result.Images)
	}
	return Tool{spec: s, out: reflect.TypeFor[Out](), run: run, asks: true}
}

const (
	maxAskWait   = 5 * time.Minute // the lifetime of an approval; a dialog that is older cannot be honoured
	maxAskRounds = 3               // questions within one call of the old revisions
	formField    = "decision"      // the one field of every form
	inputKey     = "confirm"       // the name of the question in inputRequests and inputResponses
)

// FormField is the name of the one field of a Form, and so the key of the choice in Answer.Content.
const FormField = formField

var errAsk = errors.New("mcpserve: a question lacks a part, or there are too many questions")

// check refuses an Ask that lacks a part.
func (a *Ask) check() error {
	f := a.Form
	if a.URL != "" {
		if a.State == "" || f.Message == nil {
			return errAsk
		}
		return nil
	}
	if a.State == "" || f.Message == nil || f.Title == nil || f.Description == nil || len(f.Choices) < 2 {
		return errAsk
	}
	return nil
}

func (a *Ask) wait() time.Duration {
	if a.Wait <= 0 || a.Wait > maxAskWait {
		return maxAskWait
	}
	return a.Wait
}

// params writes the form as a flat schema that every revision with forms knows: a string with an enum, without titles
// and without a default.
func (f Form) params() mcp.ElicitationParams {
	choices := make([]string, len(f.Choices))
	for i, c := range f.Choices {
		choices[i] = c.SafeText()
	}
	field := map[string]any{"type": "string", "title": f.Title.SafeText(), "description": f.Description.SafeText(), "enum": choices}
	return mcp.ElicitationParams{Message: f.Message.SafeText(), RequestedSchema: map[string]any{
		"type": "object", "properties": map[string]any{formField: field}, "required": []string{formField},
	}}
}

// params writes what the client is asked. id names a question in URL mode for the old revisions; the newer one has none.
func (a *Ask) params(id string) mcp.ElicitationParams {
	if a.URL == "" {
		return a.Form.params()
	}
	return mcp.ElicitationParams{Mode: mcp.ElicitationModeURL, Message: a.Form.Message.SafeText(), URL: a.URL, ElicitationID: id}
}

// result is the input_required result of revision 2026-07-28.
func (a *Ask) result() *mcp.CallToolResult {
	r := &mcp.CallToolResult{}
	r.ResultType = mcp.ResultTypeInputRequired
	r.InputRequests = mcp.InputRequests{inputKey: mcp.NewElicitationInputRequest(a.params(""))}
	r.RequestState = a.State
	return r
}

// readAnswer reads an elicitation result. It was checked for repeated keys with the whole message.
func readAnswer(raw json.RawMessage) Answer {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil || fields == nil {
		return Answer{Err: ErrBadAnswer}
	}
	var a Answer
	if fields["action"] == nil || json.Unmarshal(fields["action"], &a.Action) != nil {
		return Answer{Err: ErrBadAnswer}
	}
	if c := fields["content"]; c != nil && json.Unmarshal(c, &a.Content) != nil {
		return Answer{Err: ErrBadAnswer}
	}
	return a
}

// resumed returns the Answer that a repeated call of revision 2026-07-28 brings, or nil if the call is a first one. Other
// revisions have no such fields, and tools that never ask have no use for them.
func (m *message) resumed() (*Answer, *fault) {
	raw := m.params["requestState"]
	if m.era != EraModern || raw == nil || string(raw) == "null" {
		return nil, nil
	}
	var state string
	if json.Unmarshal(raw, &state) != nil {
		return nil, &fault{id: m.id, code: codeInvalidParams, text: "params.requestState must be a string"}
	}
	if state == "" {
		return nil, nil
	}
	a := Answer{Err: ErrNoAnswer}
	var all map[string]json.RawMessage
	if r := m.params["inputResponses"]; r != nil && json.Unmarshal(r, &all) != nil {
		a = Answer{Err: ErrBadAnswer}
	} else if one := all[inputKey]; one != nil {
		a = readAnswer(one)
	}
	a.State = state
	return &a, nil
}

// put asks through c and returns the Answer, or nil if the client gets the question as the result of the call.
func (c *Call) put(ctx context.Context, a *Ask, round int) *Answer {
	switch {
	case a.URL == "" && !c.elicit.Form, a.URL != "" && !c.elicit.URL, round >= maxAskRounds:
		return &Answer{State: a.State, Err: ErrCannotAsk}
	case c.era == EraModern:
		return nil
	}
	answer := c.ask(ctx, a, c.stillAsking)
	if ctx.Err() != nil { // also if both came at once: a cancelled call does nothing more
		answer = Answer{Err: ErrAskCancelled}
	}
	answer.State = a.State
	return &answer
}

// stillAsking tells the client, for the n-th time, that the question is open.
func (c *Call) stillAsking(n int) {
	c.Progress(float64(n), 0, Constant("waiting for the person's answer"))
}
