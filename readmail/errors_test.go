package readmail

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"mailgap/readmail/session"
	"mailgap/sanitize"
	"mailgap/shared/mcpserve"
)

// maxErrorOctets bounds what a tool error says: a few sentences and the server's words.
const maxErrorOctets = 1000

// sentence is what a caller is told about err.
func sentence(t *testing.T, err error) string {
	t.Helper()
	var te *mcpserve.ToolError
	if !errors.As(explain(err), &te) {
		t.Fatalf("%v is not explained", err)
	}
	return te.Text.SafeText()
}

// Each error says what to do next, in sentences that end, and is short whatever a server says.
func TestErrorSentences(t *testing.T) {
	long := strings.Repeat("<b>words\r\n\x1b[31m\u202e ", 500)
	errs := map[string]error{
		"not configured":   &notConfiguredError{[]string{"IMAP_HOST"}},
		"paused":           &session.LoginPausedError{Until: epoch().Add(time.Minute)},
		"paused for now":   &session.LoginPausedError{Until: epoch().Add(time.Minute), Last: &session.AuthError{Temporary: true}},
		"paused with hint": &session.LoginPausedError{Until: epoch().Add(time.Minute), Last: &session.AuthError{Hint: "check IMAP_USER"}},
		"login refused":    &session.AuthError{Method: session.AuthPlain, TextRaw: long, CodeRaw: long, Hint: "check IMAP_USER"},
		"login broken":     &session.AuthError{Method: session.AuthPlain, TextRaw: long, Err: errors.New("x")},
		"login later":      &session.AuthError{Method: session.AuthPlain, TextRaw: long, Temporary: true},
		"no credentials":   &session.CredentialError{Err: errors.New("run imap-mcp login")},
		"no TLS":           &session.TLSError{Reason: session.TLSUntrusted, Host: "mail.example"},
		"no connection":    &session.DialError{Step: "tcp", Host: "mail.example", Port: 993, Err: errors.New("x")},
		"server error":     &session.ServerError{Command: "SEARCH", Status: "NO", TextRaw: long},
		"no mailbox":       errors.Join(session.ErrNoMailbox, &session.ServerError{Command: "EXAMINE", Status: "NO", TextRaw: long}),
	}
	for _, f := range failures() {
		errs[f.is.Error()] = f.is
	}
	for name, err := range errs {
		got := sentence(t, err)
		if len(got) > maxErrorOctets || strings.ContainsAny(got, "\r\n\x1b\u202e") || !strings.HasSuffix(got, ".") {
			t.Errorf("%s: %d octets: %q; want one line of at most %d that ends with a full stop", name, len(got), got, maxErrorOctets)
		}
		ends := errors.Is(err, session.ErrClosed) || errors.Is(err, context.Canceled)
		if !ends && !strings.Contains(got, "hint: ") {
			t.Errorf("%s: %q has no hint", name, got)
		}
	}
}

// A pause says when it ends, to the second, and whether waiting helps.
func TestPauseSentences(t *testing.T) {
	until := epoch().Add(30 * time.Second)
	for _, tc := range []struct {
		last error
		want string
	}{
		{&session.AuthError{Temporary: true, Hint: "check IMAP_USER"}, "try again after that time"},
		{&session.AuthError{Hint: "check IMAP_USER"}, "do not retry; tell the person: check IMAP_USER"},
		{errors.New("x"), "check user name and password"},
	} {
		got := sentence(t, &session.LoginPausedError{Until: until, Last: tc.last})
		if !strings.Contains(got, "until 2026-03-10 12:00:30 UTC") || !strings.Contains(got, tc.want) {
			t.Errorf("after %v: %q, want the time and %q", tc.last, got, tc.want)
		}
	}
}

// An error that nobody foresaw stays one of ours and is not shown; a tool error stays as it is.
func TestUnforeseenErrors(t *testing.T) {
	if err := errors.New("password hunter2"); explain(err) != err {
		t.Errorf("got %v, want the error itself, which is not shown", explain(err))
	}
	if err := refuse(sanitize.Literal("as it is")); explain(err) != err || explain(nil) != nil {
		t.Errorf("got %v, want the tool error", explain(err))
	}
}
