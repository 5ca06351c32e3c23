package readmail

import (
	"context"
	"errors"
	"strings"
	"time"

	"mailgap/readmail/session"
	"mailgap/sanitize"
	"mailgap/shared/ledger"
	"mailgap/shared/mcpserve"
)

// notConfiguredError says which settings are missing.
type notConfiguredError struct{ missing []string }

func (e *notConfiguredError) Error() string { return "readmail: no account is configured" }

// refuse is a tool error in our own words.
func refuse(text sanitize.Clean) error { return &mcpserve.ToolError{Text: text} }

// failure is one row of the table that explains errors: what happened and what to do next.
type failure struct {
	is   error
	text sanitize.Clean
}

func failures() []failure {
	return []failure{
		{errGone, sanitize.Literal("The message is no longer in that mailbox: it was moved or deleted. hint: search for it with message_id in all mailboxes.")},
		{errPart, sanitize.Literal("The message has no such part, or the server has nothing for it. hint: get_message lists the attachments with their refs.")},
		{errLarge, sanitize.Literal("The attachment is larger than this server fetches. hint: the operator can raise IMAP_MAX_ATTACHMENT.")},
		{ErrBadRef, sanitize.Literal("ref is not a message reference. hint: pass a ref exactly as list_messages gave it, such as imap://default/INBOX;UIDVALIDITY=1/;UID=40.")},
		{ErrBadCursor, sanitize.Literal("cursor is not one that this server made. hint: pass next_cursor unchanged, or leave cursor out to start again.")},
		{ErrOtherQuery, sanitize.Literal("cursor belongs to other filters. hint: repeat the arguments of the call that returned it, or leave cursor out.")},
		{session.ErrUIDValidityChanged, sanitize.Literal("The mailbox was rebuilt on the server (UIDVALIDITY changed), so this reference no longer names a message. hint: list the mailbox again and use the new references.")},
		{session.ErrNoMailbox, sanitize.Literal("There is no such mailbox, or it cannot be opened. hint: list_mailboxes gives the names; they are case-sensitive except INBOX.")},
		{session.ErrCharsetRefused, sanitize.Literal("The server cannot search for text outside ASCII. hint: search for an ASCII part of the text.")},
		{session.ErrBadString, sanitize.Literal("An argument holds a line break, a NUL or an invalid name. hint: remove it; one line per value.")},
		{session.ErrBadCriteria, sanitize.Literal("These filters cannot be put to the server. hint: use fewer or shorter filters.")},
		{session.ErrUnsupported, sanitize.Literal("The server does not offer this. hint: get_server_info lists what it offers.")},
		{session.ErrLimited, sanitize.Literal("The server sent more than is accepted for one answer. hint: ask for fewer messages or a narrower range.")},
		{session.ErrTimeout, sanitize.Literal("The mail server did not answer in time. Nothing was changed. hint: try again, or narrow the search with since.")},
		{session.ErrConnLost, sanitize.Literal("The connection to the mail server was lost, also on a second try. hint: try again in a moment; imap-mcp check shows what is wrong.")},
		{errBusy, sanitize.Literal("Two calls wait for messages already, and that is the most at a time. hint: wait until one of them ends, or use list_new_messages.")},
		{session.ErrLoginDisabled, sanitize.Literal("The mail server does not allow a login on this connection (LOGINDISABLED). hint: the operator sets IMAP_TLS to implicit or starttls, or IMAP_AUTH to another method if it is that already; imap-mcp check shows what the server offers.")},
		{session.ErrPlaintext, sanitize.Literal("Refused: the connection would not be encrypted. hint: the operator sets IMAP_TLS to implicit or starttls.")},
		{session.ErrNotConfigured, sanitize.Literal("No credentials are configured. hint: the operator sets IMAP_PASSWORD_FILE, IMAP_PASSWORD_COMMAND or IMAP_PASSWORD.")},
		{ledger.ErrFull, sanitize.Literal("Nothing was handed out, because it could not be recorded in the ledger: no space is left on the disk. hint: a person has to make room; IMAP_LEDGER=false reads without a record.")},
		{ledger.ErrBusy, sanitize.Literal("Nothing was handed out, because it could not be recorded: another process keeps the ledger locked. hint: try again in a moment.")},
		{ledger.ErrKey, sanitize.Literal("Nothing was handed out, because it could not be recorded: the key of the ledger is missing or another one. hint: a person should run imap-mcp ledger, which says what to do.")},
		{errRecord, sanitize.Literal("Nothing was handed out, because it could not be recorded in the ledger. hint: a person should run imap-mcp ledger, which says what is wrong; IMAP_LEDGER=false reads without a record.")},
		{session.ErrClosed, sanitize.Literal("The server is shutting down.")},
		{context.Canceled, sanitize.Literal("The call was cancelled.")},
		{context.DeadlineExceeded, sanitize.Literal("The call took too long and was stopped. Nothing was changed. hint: narrow the search or ask for less.")},
	}
}

// explain turns an error of the layers below into a tool error for the model and the person. Errors it does not know stay
// as they are; the shell answers those with a constant sentence.
func explain(err error) error {
	if err == nil {
		return nil
	}
	if te := (*mcpserve.ToolError)(nil); errors.As(err, &te) {
		return err
	}
	if text := explainTyped(err); !text.IsZero() {
		return refuse(text)
	}
	server := serverWords(err)
	for _, f := range failures() {
		if errors.Is(err, f.is) {
			return refuse(sanitize.Sprintf("%s%s", f.text, server))
		}
	}
	if !server.IsZero() {
		return refuse(sanitize.Sprintf("The mail server did not do what it was asked.%s hint: try again in a moment; imap-mcp check shows what is wrong.", server))
	}
	return err
}

// serverWords is what the server said, if it answered NO, BAD or BYE.
func serverWords(err error) sanitize.Clean {
	var e *session.ServerError
	if !errors.As(err, &e) {
		return sanitize.Clean{}
	}
	return sanitize.Sprintf(" It answered %s to %s; its words (untrusted): %s.", e.Status, e.Command, sanitize.Line(e.TextRaw, maxServerTextChars))
}

func explainTyped(err error) sanitize.Clean {
	var (
		missing *notConfiguredError
		paused  *session.LoginPausedError
		auth    *session.AuthError
		fetch   *session.CredentialError
		tls     *session.TLSError
		dial    *session.DialError
	)
	switch {
	case errors.As(err, &missing):
		return sanitize.Sprintf("No mail account is configured. hint: the operator sets %s in the environment of imap-mcp; imap-mcp --demo tries it without an account.", strings.Join(missing.missing, ", "))
	case errors.As(err, &paused):
		return explainPaused(paused)
	case errors.As(err, &auth):
		return explainAuth(auth)
	case errors.As(err, &fetch) && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded):
		return sanitize.Sprintf("No login was tried: %s. hint: do not retry; tell the person, who can run imap-mcp check.", sanitize.Line(fetch.Error(), maxHintChars))
	case errors.As(err, &tls):
		return sanitize.Sprintf("The connection to %s could not be secured (%s). Nothing was sent over it. hint: a person should run imap-mcp check, which prints the certificate's fingerprint and what to set.", tls.Host, string(tls.Reason))
	case errors.As(err, &dial):
		return sanitize.Sprintf("The mail server %s, port %d, cannot be reached (step: %s). hint: check IMAP_HOST, IMAP_PORT and the network; imap-mcp check shows each step.", dial.Host, dial.Port, dial.Step)
	}
	return sanitize.Clean{}
}

const (
	maxServerTextChars = 200
	maxHintChars       = 400
)

// explainPaused says when the next login is tried: to the second, since the first pauses are shorter than a minute.
func explainPaused(e *session.LoginPausedError) sanitize.Clean {
	until := sanitize.Sprintf("%s UTC", e.Until.UTC().Format(time.DateTime))
	var last *session.AuthError
	switch {
	case errors.As(e.Last, &last) && last.Temporary:
		return sanitize.Sprintf("The mail server could not log in a moment ago, so no new attempt is made until %s. hint: try again after that time.", until)
	case last != nil && last.Hint != "":
		return sanitize.Sprintf("The mail server refused the login before, so no new attempt is made until %s. hint: do not retry; tell the person: %s. imap-mcp check tries it step by step.", until, sanitize.Line(last.Hint, maxHintChars))
	}
	return sanitize.Sprintf("The mail server refused the login before, so no new attempt is made until %s. hint: do not retry; a person should check user name and password with imap-mcp check.", until)
}

func explainAuth(e *session.AuthError) sanitize.Clean {
	words := sanitize.Line(e.TextRaw, maxServerTextChars)
	switch {
	case e.Temporary:
		return sanitize.Sprintf("The mail server cannot log in now (%s). Its words (untrusted): %s hint: try again later.", string(e.Method), words)
	case e.Err != nil:
		return sanitize.Sprintf("The mail server broke the exchange of the login (%s), so it was given up. hint: do not retry; a person should run imap-mcp check, and choose another method with IMAP_AUTH if the server is the right one.", string(e.Method))
	}
	return sanitize.Sprintf("The mail server refused the login (%s). Its words (untrusted): %s hint: do not retry; tell the person: %s. Many providers want an app password or OAuth instead of the account password. imap-mcp check tries it step by step.",
		string(e.Method), words, sanitize.Line(e.Hint, maxHintChars))
}
