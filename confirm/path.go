package confirm

import (
	"context"
	"time"

	"mailgap/shared/mcpserve"
)

// Pending is one message that waits for an answer.
type Pending struct {
	Question Question
	Binding  Binding
	Expires  time.Time // an answer after it is worth nothing
	View     View      // what a page shows besides
	// Open, if not nil, hands the address of the page to the person in place of PageOptions.Open, for instance through a
	// client that opens URLs by itself (MCP URL mode elicitation).
	Open Opener
}

// Path is a way of asking a person that ends within the call: terminal, page. Ask blocks until there is an answer, ctx
// ends or p expires. A non-nil error means that nobody was asked; the Answer is a no then.
//
// The form of the client is not a Path: with protocol revision 2026-07-28 the call ends with the question. See [Ask].
type Path interface {
	Name() PathName
	Ask(ctx context.Context, p Pending) (Answer, error)
}

var _ Path = Terminal{}

// Ask returns the question as a form, under a handle that [Gate.Open] returned. The handler gives it to mcpserve, and passes
// what comes back through [FromElicitation] to [Gate.Redeem]. Errors: those of [Question.Render].
func Ask(q Question, handle string, wait time.Duration) (*mcpserve.Ask, error) {
	text, err := q.Render()
	if err != nil {
		return nil, err
	}
	return &mcpserve.Ask{State: handle, Wait: wait, Form: mcpserve.Form{
		Message: text, Title: q.title(), Description: q.description(),
		Choices: []mcpserve.SafeText{mcpserve.Constant(choiceRefuse), mcpserve.Constant(choiceAccept)},
	}}, nil
}
