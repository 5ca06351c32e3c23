package confirm

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"mailgap/shared/mcpserve"
)

// TestFromElicitation covers what the process tests cannot send.
func TestFromElicitation(t *testing.T) {
	content := map[string]json.RawMessage{mcpserve.FormField: json.RawMessage(`"Send this message"`)}
	if a := FromElicitation(&mcpserve.Answer{Action: mcpserve.ActionAccept, Content: content}); !a.Yes() {
		t.Errorf("accept: got %v, want a yes", a.Reason())
	}
	tests := []struct {
		err  error
		want Reason
	}{
		{mcpserve.ErrCannotAsk, CannotAsk}, {mcpserve.ErrAskTimeout, TimedOut}, {mcpserve.ErrAskCancelled, CallEnded},
		{mcpserve.ErrConnectionEnded, Disconnected}, {mcpserve.ErrClientError, AskFailed}, {mcpserve.ErrBadAnswer, Malformed},
		{mcpserve.ErrNoAnswer, Unanswered}, {errors.New("server-initiated requests are not supported"), AskFailed},
	}
	for _, tt := range tests { // an error wins over an answer that came with it
		if a := FromElicitation(&mcpserve.Answer{Action: mcpserve.ActionAccept, Content: content, Err: tt.err}); a.Yes() || a.Reason() != tt.want {
			t.Errorf("%v: got %v, want %v", tt.err, a.Reason(), tt.want)
		}
	}
	if FromElicitation(nil).Yes() {
		t.Error("nil is a yes")
	}
}

func TestWordsAndTexts(t *testing.T) {
	seen := map[string]bool{}
	for _, w := range Reason("").Words() {
		text := Reason(w).Explain().SafeText()
		if seen[text] {
			t.Errorf("%s has the text of another reason", w)
		}
		seen[text] = true
		if Reason(w) != Approved && !strings.Contains(text, "nothing was sent") && Reason(w) != Declined {
			t.Errorf("%s: got %q, want it to say that nothing was sent", w, text)
		}
		if Reason(w).IsRefusal() != slices.Contains([]Reason{Declined, Dismissed, DoNotSend, DeclinedAndLock}, Reason(w)) {
			t.Errorf("%s: wrong about refusals", w)
		}
	}
	fallback := Explain(errors.New("x")).SafeText()
	for _, err := range []error{ErrUnknown, ErrSpent, ErrExpired, ErrOtherMessage, ErrOtherTool, ErrOtherPrincipal, ErrTokenForm, ErrTokenWrong, ErrTokenAttempts, ErrTooMuch, ErrRandom, ErrNoBrowser, ErrNotEnrolled, &QuestionOpenError{}} {
		if text := Explain(fmt.Errorf("wrapped: %w", err)).SafeText(); text == fallback || !strings.Contains(text, "sent") || seen[text] {
			t.Errorf("%v: got %q", err, text)
		}
	}
	var state *mcpserve.StateError
	if !errors.As(fmt.Errorf("wrapped: %w", ErrExpired), &state) || state.Text != Explain(ErrExpired) || errors.As(&NotApprovedError{Declined}, &state) {
		t.Error("a handle that does not verify is a state error, a no is none")
	}
	if got, want := Explain(&NotApprovedError{Declined}), Declined.Explain(); got != want {
		t.Errorf("a no: got %v, want %v", got, want)
	}
}
