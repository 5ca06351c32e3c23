package sendmail

import (
	"context"
	"errors"
	"strings"

	"mailgap/confirm"
	"mailgap/sanitize"
	"mailgap/sendmail/outbox"
	"mailgap/sendmail/policy"
	"mailgap/shared/addr"
	"mailgap/shared/audit"
	"mailgap/shared/mcpserve"
)

// refusalCode is an enumerated reason for which nothing was sent.
type refusalCode string

// Reasons beyond those of package policy.
const (
	refusedAttachment  refusalCode = "attachment_refused"
	refusedCompose     refusalCode = "cannot_be_composed"
	refusedNoParent    refusalCode = "original_not_named"
	refusedTarget      refusalCode = "reply_target"
	refusedUnset       refusalCode = "not_configured"
	refusedCap         refusalCode = "hourly_cap_reached"
	refusedLocked      refusalCode = "sending_locked"
	refusedInProgress  refusalCode = "in_progress"
	refusedTooSoon     refusalCode = "too_soon"
	refusedState       refusalCode = "state_unusable"
	refusedNoPath      refusalCode = "nobody_can_be_asked"
	refusedNotApproved refusalCode = "not_approved"
	refusedToken       refusalCode = "token_refused"
	refusedChanged     refusalCode = "changed_since_asked"
	refusedEnding      refusalCode = "server_ending"
	refusedSevere      refusalCode = "level_not_allowed"
	refusedStillWaits  refusalCode = "still_waiting"
)

// Codes that stand in the audit log alone: the call was answered with an error of the protocol, or not at all.
const (
	auditConfirmation = "confirmation_refused"
	auditFault        = "internal_error"
	auditCancelled    = "call_ended"
)

// Words implements mcpserve.Word.
func (refusalCode) Words() []string {
	out := []string{string(refusedAttachment), string(refusedCompose), string(refusedNoParent), string(refusedTarget), string(refusedUnset), string(refusedCap),
		string(refusedLocked), string(refusedInProgress), string(refusedTooSoon), string(refusedState), string(refusedNoPath),
		string(refusedNotApproved), string(refusedToken), string(refusedChanged), string(refusedEnding),
		string(refusedSevere), string(refusedStillWaits)}
	out = append(out, htmlCodes()...)
	for _, c := range policy.Codes() {
		if told := tellable(c); told == refusalCode(c) {
			out = append(out, string(c))
		}
	}
	return out
}

// refusal says why a proposal cannot be sent, to the model and the person. Nothing was sent.
type refusal struct {
	code refusalCode
	text sanitize.Clean
	// audited is the code for the operator where it says more than may be told; "" means code.
	audited string
	// recorded is set if the audit log already has it.
	recorded bool
}

func (r *refusal) Error() string { return "sendmail: refused: " + string(r.code) }

// toolError turns a refusal into what the model and the person read. Other errors stay as they are, and the shell answers
// them with a constant sentence.
func toolError(err error) error {
	var r *refusal
	if !errors.As(err, &r) {
		return err
	}
	return &mcpserve.ToolError{Text: sanitize.Sprintf("Nothing was sent. %s", r.text), Code: r.code}
}

// tellable is the code that may be told for a code of package policy. Security: that an address looks like a listed one
// says that such a one is listed, and with a few guesses which; so the answer is that of any address that is not allowed.
func tellable(c policy.Code) refusalCode {
	if c == policy.CodeLookAlike {
		c = policy.CodeRecipientNotAllowed
	}
	return refusalCode(c)
}

// policyRefusal turns a refusal of package policy into ours, as sentences: where, why, what to do.
func policyRefusal(err error) error {
	var r *policy.Refusal
	if !errors.As(err, &r) {
		return err
	}
	told := tellable(r.Code)
	words := policy.Explain(policy.Code(told))
	remedy := words.Remedy
	if hint := addr.Hint(r.Cause); r.Cause != nil && hint != "" {
		remedy = hint
	}
	return &refusal{code: told, audited: string(r.Code), text: sanitize.Sprintf("%s%s hint: %s.", place(r), words.Cause, strings.TrimSuffix(remedy, "."))}
}

// place says which value of the arguments is meant.
func place(r *policy.Refusal) sanitize.Clean {
	switch r.Field {
	case "":
		return sanitize.Clean{}
	case "to", "cc", "bcc":
		return sanitize.Sprintf("%s, address %d: ", r.Field, r.Index+1)
	case "header value":
		return sanitize.Literal("A file name or message id: ")
	}
	return sanitize.Sprintf("%s: ", r.Field)
}

func composeRefusal(err error) error {
	return &refusal{code: refusedCompose, text: sanitize.Sprintf("The message cannot be composed: %s. hint: shorten or correct what is named.", reason(err))}
}

// reason is the text of an error of our own packages without the package name: their errors hold no caller values.
func reason(err error) string {
	text, _, _ := strings.Cut(err.Error(), "\n") // joined errors: the first is the cause
	for _, p := range []string{"attach: ", "compose: ", "outbox: ", "audit: ", "desk: "} {
		if rest, ok := strings.CutPrefix(text, p); ok && rest != "" {
			return rest
		}
	}
	return text
}

// journalRefusal explains why the journal said no.
func (s *Server) journalRefusal(err error) error {
	var (
		capped *outbox.CapError
		locked *outbox.LockedError
		busy   *outbox.InProgressError
	)
	switch {
	case errors.As(err, &capped):
		return &refusal{code: refusedCap, text: sanitize.Sprintf("The hourly limit of %d messages is reached. hint: the next one can be proposed at %s.", capped.Max, clock(capped.FreesAt))}
	case errors.As(err, &locked):
		return &refusal{code: refusedLocked, text: lockedText(locked)}
	case errors.As(err, &busy):
		return s.busyRefusal(busy)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	}
	s.log.Error("journal refused", "error", err)
	return &refusal{code: refusedState, text: sanitize.Sprintf("The journal of sent messages cannot be used (%s), and without it nothing is sent. hint: a person should check SMTP_STATE_DIR: rights, room, damage.", reason(err))}
}

func lockedText(e *outbox.LockedError) sanitize.Clean {
	if e.Until.IsZero() {
		return sanitize.Sprintf("Sending is locked since %s: %s. hint: do not retry; a person unlocks it with smtp-mcp unlock.", clock(e.Since), e.Reason)
	}
	return sanitize.Sprintf("Sending is locked from %s to %s: %s. hint: do not retry; a person can unlock it earlier with smtp-mcp unlock.", clock(e.Since), clock(e.Until), e.Reason)
}

func (s *Server) busyRefusal(e *outbox.InProgressError) error {
	switch {
	case e.State == outbox.StateSending:
		return &refusal{code: refusedInProgress, text: sanitize.Literal("The same message is being sent right now. hint: wait for that call to end.")}
	case s.cfg.Token:
		return &refusal{code: refusedInProgress, text: sanitize.Literal("The same message already waits for its token. hint: repeat the call with the confirm_token of the earlier result, or wait five minutes.")}
	}
	return &refusal{code: refusedInProgress, text: sanitize.Literal("The same message is before the person right now. hint: wait for that answer.")}
}

func openRefusal(err error) error {
	var open *confirm.QuestionOpenError
	if errors.As(err, &open) {
		return &refusal{code: refusedInProgress, text: sanitize.Sprintf("Another message is before the person. hint: wait for that answer (at most %d seconds), then call again.", int(open.Wait.Seconds())+1)}
	}
	return err
}

func notApproved(r confirm.Reason) error {
	text := strings.ReplaceAll(r.Explain().SafeText(), ": nothing was sent", "")
	return &refusal{code: refusedNotApproved, recorded: true, text: sanitize.Sprintf("Not approved (%s): %s.", string(r), strings.TrimSuffix(text, "."))}
}

// recordRefusal writes what was not sent to the audit log: the counts of what was proposed, never its text.
func (s *Server) recordRefusal(call *mcpserve.Call, p proposal, err error) {
	e := audit.Record{Outcome: audit.OutcomeRefused, Tool: p.tool, Principal: call.Principal(), RecipientsCount: len(p.to) + len(p.cc) + len(p.bcc)}
	var r *refusal
	switch {
	case errors.As(err, &r) && r.recorded:
		return
	case r != nil:
		e.Code = string(r.code)
		if r.audited != "" {
			e.Code = r.audited
		}
		e.Outcome = outcomeOf(r.code)
	case errors.Is(err, confirm.ErrNotApproved):
		e.Code = auditConfirmation
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		e.Code = auditCancelled
	default:
		e.Code = auditFault
	}
	s.note(e)
}

func outcomeOf(c refusalCode) audit.Outcome {
	switch c {
	case refusedLocked:
		return audit.OutcomeLocked
	case refusedToken:
		return audit.OutcomeTokenRefused
	}
	return audit.OutcomeRefused
}
