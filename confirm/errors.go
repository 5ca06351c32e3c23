package confirm

import (
	"errors"
	"fmt"
	"time"

	"mailgap/shared/mcpserve"
)

// ErrNotApproved is what every error of Redeem, Renew and RedeemToken matches with errors.Is, but for ErrRandom.
var ErrNotApproved = errors.New("confirm: not approved")

// ErrRandom is returned if the random source failed; nothing was opened.
var ErrRandom = errors.New("confirm: random source failed")

// Errors of a handle or token that does not verify. Each matches ErrNotApproved, and errors.As finds a *mcpserve.StateError
// with the text of Explain in it, so a handler can return it for a handle as it is: a protocol error then. For a token, which
// is an argument, make it a *mcpserve.ToolError.
var (
	ErrUnknown        = refuse("confirm: unknown approval")
	ErrSpent          = refuse("confirm: approval already used")
	ErrExpired        = refuse("confirm: approval expired")
	ErrOtherMessage   = refuse("confirm: approval is for another message")
	ErrOtherTool      = refuse("confirm: approval is for another tool")
	ErrOtherPrincipal = refuse("confirm: approval is for another principal")

	// ErrTokenForm: the token is not 32 lower-case hexadecimal digits. Nothing was consumed, no attempt counted.
	ErrTokenForm = refuse("confirm: malformed token")
	// ErrTokenWrong: no message waits under this token. Nothing was consumed, but the attempt is counted.
	ErrTokenWrong = refuse("confirm: wrong token")
	// ErrTokenAttempts: too many wrong tokens; every message that waited for one was dropped.
	ErrTokenAttempts = refuse("confirm: too many wrong tokens")
)

// refusal is an error about a handle or token.
type refusal struct{ text string }

func refuse(text string) error { return &refusal{text} }

func (e *refusal) Error() string        { return e.text }
func (e *refusal) Is(target error) bool { return target == ErrNotApproved }

// As makes a *mcpserve.StateError of the refusal.
func (e *refusal) As(target any) bool {
	state, ok := target.(**mcpserve.StateError)
	if ok {
		*state = &mcpserve.StateError{Text: Explain(e)}
	}
	return ok
}

// NotApprovedError says that the answer was a no. It matches ErrNotApproved.
type NotApprovedError struct{ Reason Reason }

// Error implements error.
func (e *NotApprovedError) Error() string { return "confirm: not approved: " + string(e.Reason) }

// Is matches ErrNotApproved.
func (e *NotApprovedError) Is(target error) bool { return target == ErrNotApproved }

// QuestionOpenError is returned by Open while another message is before the person. Wait is how long that can last at most.
type QuestionOpenError struct{ Wait time.Duration }

// Error implements error.
func (e *QuestionOpenError) Error() string { return "confirm: another question is open" }

// Explain says to a model and a person what an error of this package means, what was not done, and what to do. It is made of
// our own words alone. An error of elsewhere is said to have kept the message from being approved, without its text.
func Explain(err error) mcpserve.SafeText {
	var no *NotApprovedError
	var open *QuestionOpenError
	switch {
	case errors.As(err, &no):
		return no.Reason.Explain()
	case errors.As(err, &open):
		return shown(fmt.Sprintf("another message is waiting for the person's answer, and one is asked about at a time: nothing was sent. "+
			"hint: wait for that call to end, or for its question to expire (in %d seconds at most), then call again", int(open.Wait.Seconds()+1)))
	}
	for _, k := range []struct {
		err  error
		text mcpserve.SafeText
	}{
		{ErrUnknown, mcpserve.Constant("this confirmation is not known here, perhaps because the server was restarted: nothing was sent. hint: call again from the start, and the person is asked anew")},
		{ErrSpent, mcpserve.Constant("this confirmation was used before or was withdrawn, and is good for one use: this call sent nothing. hint: call again from the start, and the person is asked anew")},
		{ErrExpired, mcpserve.Constant("this confirmation came too late (five minutes at most): nothing was sent. hint: call again from the start, and the person is asked anew")},
		{ErrOtherMessage, mcpserve.Constant("the arguments are not those that were confirmed: nothing was sent, and the confirmation is void. hint: call again from the start, and the person is asked about the new message")},
		{ErrOtherTool, mcpserve.Constant("this confirmation belongs to another tool: nothing was sent, and the confirmation is void. hint: call again from the start, and the person is asked anew")},
		{ErrOtherPrincipal, mcpserve.Constant("this confirmation belongs to another client: nothing was sent, and the confirmation is void")},
		{ErrTokenForm, mcpserve.Constant("confirm_token must be the 32 hexadecimal digits from the earlier result: nothing was sent")},
		{ErrTokenWrong, mcpserve.Constant("no message waits under this confirm_token: nothing was sent. hint: call without confirm_token to get one")},
		{ErrTokenAttempts, mcpserve.Constant("too many wrong tokens: nothing was sent, and every message that waited for one was dropped. hint: call without confirm_token to start anew")},
		{ErrTooMuch, mcpserve.Constant("the message is too large for a question that a person can read: nothing was sent. hint: fewer recipients or attachments, or a shorter subject")},
		{ErrNoBrowser, mcpserve.Constant("no browser could be opened to ask the person in: nothing was sent. hint: a person can run smtp-mcp approve in a terminal, or the operator names a browser in SMTP_BROWSER")},
		{ErrNotEnrolled, mcpserve.Constant("the operator requires a second factor for a message like this, and no device is enrolled: nothing was sent. hint: a person enrols one with smtp-mcp enrol in a terminal")},
		{ErrRandom, mcpserve.Constant("the system gave no random numbers, so nobody could be asked safely: nothing was sent")},
	} {
		if errors.Is(err, k.err) {
			return k.text
		}
	}
	return mcpserve.Constant("the question could not be put: nothing was sent")
}

// Explain says what a reason means and what to do, in our own words. For [Approved] it says so.
func (r Reason) Explain() mcpserve.SafeText {
	switch r {
	case Approved:
		return mcpserve.Constant("approved")
	case Declined:
		return mcpserve.Constant("the person declined: nothing was sent. hint: ask in the conversation what should change; do not propose the same message again by yourself")
	case Dismissed:
		return mcpserve.Constant("the question was closed without an answer: nothing was sent. hint: ask in the conversation whether the message is still wanted")
	case DoNotSend:
		return mcpserve.Constant("the person chose not to send: nothing was sent. hint: ask in the conversation what should change; do not propose the same message again by yourself")
	case Malformed:
		return mcpserve.Constant("the client returned something other than one of the two choices, which counts as no: nothing was sent. hint: the client may not show forms properly; the person can send with smtp-mcp call at a terminal")
	case TimedOut:
		return mcpserve.Constant("nobody answered in time: nothing was sent. hint: call again when the person is there")
	case CallEnded:
		return mcpserve.Constant("the call was cancelled while the question was open: nothing was sent")
	case Disconnected:
		return mcpserve.Constant("the connection was lost while the question was open: nothing was sent")
	case CannotAsk:
		return mcpserve.Constant("nobody could be asked, because the client did not declare that it can show forms (MCP elicitation), or there is no terminal: nothing was sent. hint: use a client with elicitation, or let the person run smtp-mcp call at a terminal; reading and preview tools work as before")
	case Unanswered:
		return mcpserve.Constant("the client repeated the call without an answer: nothing was sent. hint: call again from the start, and the person is asked anew")
	case Expired:
		return mcpserve.Constant("the question ran out before anybody answered: nothing was sent. hint: call again when the person is there")
	case Superseded:
		return mcpserve.Constant("the question was replaced by a newer one: nothing was sent for this one")
	case Mismatched:
		return mcpserve.Constant("the confirmation came back for something else than was asked: nothing was sent, and it is void")
	case TokenWrong:
		return mcpserve.Constant("the token was refused: nothing was sent")
	case DeclinedAndLock:
		return mcpserve.Constant("the person chose not to send and locked sending: nothing was sent, and nothing can be until a person unlocks it. hint: stop sending; ask in the conversation what is wrong")
	case OpenedTwice:
		return mcpserve.Constant("the one-time address of the approval page was opened a second time, which may mean that a program on this machine reads along: nothing was sent, and the approval is void. hint: tell the person; do not propose the message again by yourself")
	case WrongForms:
		return mcpserve.Constant("too many answers on the approval page were not what it asks for: nothing was sent. hint: ask in the conversation whether the message is still wanted")
	default:
		return mcpserve.Constant("the question could not be put to a person, which counts as no: nothing was sent")
	}
}
