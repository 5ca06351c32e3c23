package confirm

import (
	"encoding/json"
	"errors"

	"mailgap/shared/mcpserve"
)

// Reason says how a question ended. Only [Approved] is a yes; the zero value is a no.
type Reason string

// The reasons. Each "no" leaves the message unsent.
const (
	Approved     Reason = "approved"      // the accepting choice, exactly
	Declined     Reason = "declined"      // the person (or the client for them) declined
	Dismissed    Reason = "dismissed"     // the dialog was closed without a choice
	DoNotSend    Reason = "do_not_send"   // the refusing choice
	Malformed    Reason = "malformed"     // accepted, but without exactly the accepting choice
	TimedOut     Reason = "timed_out"     // nobody answered in time
	CallEnded    Reason = "call_ended"    // the call was cancelled while the question was open
	Disconnected Reason = "disconnected"  // the connection or the terminal was lost
	CannotAsk    Reason = "cannot_ask"    // the client did not declare forms, or there is no terminal
	AskFailed    Reason = "ask_failed"    // the client answered with an error, or the question could not be put
	Unanswered   Reason = "unanswered"    // the state came back without an answer
	Expired      Reason = "expired"       // the approval was older than its lifetime
	Superseded   Reason = "superseded"    // the same message was proposed again, or the table was full
	Mismatched   Reason = "mismatched"    // the handle came back with another message, tool or principal
	TokenWrong   Reason = "token_refused" // a token was refused

	DeclinedAndLock Reason = "declined_and_locked" // declined, and sending is to be locked until a person unlocks it
	OpenedTwice     Reason = "opened_twice"        // the one-time address of the page was used again, so somebody else has it
	WrongForms      Reason = "wrong_forms"         // too many answers that were not what the page asks for
)

// Words implements [mcpserve.Word].
func (Reason) Words() []string {
	return []string{
		string(Approved), string(Declined), string(Dismissed), string(DoNotSend), string(Malformed), string(TimedOut), string(CallEnded),
		string(Disconnected), string(CannotAsk), string(AskFailed), string(Unanswered), string(Expired), string(Superseded),
		string(Mismatched), string(TokenWrong), string(DeclinedAndLock), string(OpenedTwice), string(WrongForms),
	}
}

// IsRefusal says whether the reason is somebody's no to this message, as opposed to a failure to ask or to answer. Whoever
// locks sending after some refusals in a row counts these.
func (r Reason) IsRefusal() bool {
	return r == Declined || r == Dismissed || r == DoNotSend || r == DeclinedAndLock
}

// Locks says whether the person asked for sending to be locked at once, until a person unlocks it.
func (r Reason) Locks() bool { return r == DeclinedAndLock }

// PathName names a way of asking.
type PathName string

// The paths.
const (
	PathElicitation PathName = "elicitation" // the client's form: proves that the client said yes
	PathToken       PathName = "token"       // two calls: proves nothing about a person
	PathTerminal    PathName = "terminal"    // a person at a terminal of this machine
	PathPage        PathName = "page"        // a person at a browser of this machine
)

// Words implements [mcpserve.Word].
func (PathName) Words() []string {
	return []string{string(PathElicitation), string(PathToken), string(PathTerminal), string(PathPage)}
}

// Answer is what came of a question. Its zero value is a no, and only this package makes one that is a yes: from a
// form, a terminal or a path that was given to it.
type Answer struct {
	reason Reason
	path   PathName
}

// No returns an answer that approves nothing. [Approved] is taken for [AskFailed].
func No(path PathName, r Reason) Answer {
	if r == Approved || r == "" {
		r = AskFailed
	}
	return Answer{r, path}
}

// Yes says whether the answer approves.
func (a Answer) Yes() bool { return a.reason == Approved }

// Reason returns how the question ended; never empty.
func (a Answer) Reason() Reason {
	if a.reason == "" {
		return AskFailed
	}
	return a.reason
}

// Path returns the way the question went; empty for the zero Answer.
func (a Answer) Path() PathName { return a.path }

// The two choices of the form. The refusing one comes first, because some clients preselect the first.
const (
	choiceRefuse = "Do not send"
	choiceAccept = "Send this message"
)

// FromElicitation reads the answer to a form. It is a yes only if the action is accept and the content is exactly the
// accepting choice and nothing else; whatever cannot be understood is a no.
func FromElicitation(a *mcpserve.Answer) Answer {
	return Answer{elicitationReason(a), PathElicitation}
}

func elicitationReason(a *mcpserve.Answer) Reason {
	switch {
	case a == nil:
		return AskFailed
	case a.Err != nil:
		return failureReason(a.Err)
	case a.Action == mcpserve.ActionDecline:
		return Declined
	case a.Action == mcpserve.ActionCancel:
		return Dismissed
	case a.Action != mcpserve.ActionAccept:
		return Malformed
	}
	var choice string
	raw := a.Content[mcpserve.FormField]
	if len(a.Content) != 1 || len(raw) == 0 || raw[0] != '"' || json.Unmarshal(raw, &choice) != nil {
		return Malformed
	}
	switch choice {
	case choiceAccept:
		return Approved
	case choiceRefuse:
		return DoNotSend
	}
	return Malformed
}

// failureReason names a failure to ask. An error that is not known is one too: never a yes.
func failureReason(err error) Reason {
	for _, k := range []struct {
		err    error
		reason Reason
	}{
		{mcpserve.ErrCannotAsk, CannotAsk},
		{mcpserve.ErrAskTimeout, TimedOut},
		{mcpserve.ErrAskCancelled, CallEnded},
		{mcpserve.ErrConnectionEnded, Disconnected},
		{mcpserve.ErrBadAnswer, Malformed},
		{mcpserve.ErrNoAnswer, Unanswered},
	} {
		if errors.Is(err, k.err) {
			return k.reason
		}
	}
	return AskFailed
}
