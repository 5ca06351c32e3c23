package sendmail

import (
	"context"
	"fmt"
	"strings"

	"mailgap/confirm"
	"mailgap/sanitize"
	"mailgap/sendmail/submit"
	"mailgap/shared/mcpserve"
)

func joinMissing(names []string) string {
	if len(names) == 0 {
		return "SMTP_HOST and SMTP_FROM"
	}
	return strings.Join(names, ", ")
}

func orWords(c sanitize.Clean, def string) sanitize.Clean {
	if c.IsZero() {
		return sanitize.Line(def, 0)
	}
	return c
}

// sendResult is the answer of the sending tools.
type sendResult struct {
	Sent        bool               `json:"sent"`
	AlreadySent bool               `json:"already_sent,omitempty"`
	Outcome     sendOutcome        `json:"outcome"`
	MessageID   sanitize.Clean     `json:"message_id,omitzero"`
	Recipients  []recipientOutcome `json:"recipients,omitempty"`
	Approved    approvedBy         `json:"approved_by,omitempty"`
	Level       messageLevel       `json:"level,omitempty"`
	ReplyCode   sanitize.Clean     `json:"reply_code,omitzero"`
	ServerSaid  sanitize.Clean     `json:"server_said_untrusted,omitzero"`
	Reason      sanitize.Clean     `json:"reason,omitzero"`
	Left        *int               `json:"sends_left,omitempty"`
	Token       sanitize.Clean     `json:"confirm_token,omitzero"`
	Removals    []previewRemoval   `json:"html_removals,omitempty"` // at most maxToldRemovals
	Further     int                `json:"html_removals_not_listed,omitempty"`
	Next        sanitize.Clean     `json:"next"`
}

// maxToldRemovals bounds the report in the answer of a sending tool: preview_mail has more of it.
const maxToldRemovals = 10

// sendOutcome is what became of the message.
type sendOutcome string

const (
	outcomeSent    sendOutcome = "sent"
	outcomeFailed  sendOutcome = "failed"
	outcomeUnknown sendOutcome = "unknown"
	outcomeNotYet  sendOutcome = "not_sent"
)

// Words implements mcpserve.Word.
func (sendOutcome) Words() []string {
	return []string{string(outcomeSent), string(outcomeFailed), string(outcomeUnknown), string(outcomeNotYet)}
}

// approvedBy says how a message was approved.
type approvedBy string

const (
	byClientForm approvedBy = "client_form"
	byTerminal   approvedBy = "terminal"
	byPage       approvedBy = "page"
	byToken      approvedBy = "token_no_person"
)

// Words implements mcpserve.Word.
func (approvedBy) Words() []string {
	return []string{string(byClientForm), string(byTerminal), string(byPage), string(byToken)}
}

func approvedOf(p confirm.PathName) approvedBy {
	switch p {
	case confirm.PathElicitation:
		return byClientForm
	case confirm.PathTerminal:
		return byTerminal
	case confirm.PathPage:
		return byPage
	}
	return byToken
}

// messageLevel is a confirm.Level as a word of a result.
type messageLevel string

// Words implements mcpserve.Word.
func (messageLevel) Words() []string { return confirm.Level(0).Words() }

// recipientOutcome is what became of the message for one recipient.
type recipientOutcome struct {
	Address   sanitize.Clean `json:"address"`
	Accepted  bool           `json:"accepted"` // the server took the message for this recipient
	Outcome   recipientFate  `json:"outcome"`
	ReplyCode sanitize.Clean `json:"reply_code,omitzero"`
}

// recipientFate is what became of the message for one recipient. Not one of them got it unless all did.
type recipientFate string

const (
	fateAccepted recipientFate = "accepted"
	fateRefused  recipientFate = "refused"
	fateNotSent  recipientFate = "not_sent"
	fateUnknown  recipientFate = "unknown"
)

// Words implements mcpserve.Word.
func (recipientFate) Words() []string {
	return []string{string(fateAccepted), string(fateRefused), string(fateNotSent), string(fateUnknown)}
}

func fateOf(state submit.State, r submit.Recipient) recipientFate {
	switch {
	case state == submit.StateSent:
		return fateAccepted
	case state == submit.StateUnknown:
		return fateUnknown
	case r.Asked && !r.Accepted && r.Reply.Code != 0:
		return fateRefused
	}
	return fateNotSent
}

// base is what every answer about p holds.
func (s *Server) base(ctx context.Context, p *pending) sendResult {
	r := sendResult{Outcome: outcomeNotYet, MessageID: sanitize.Address(p.message.MessageID)}
	r.Removals, r.Further = p.part.removed(maxToldRemovals)
	if u, err := s.outbox.Usage(ctx); err == nil {
		left := max(u.Max-u.Used, 0)
		r.Left = &left
	}
	return r
}

// sendAnswer tells what became of a message.
func (s *Server) sendAnswer(ctx context.Context, p *pending, path confirm.PathName, o submit.Outcome, err error) mcpserve.Result[sendResult] {
	r := s.base(ctx, p)
	r.Level = messageLevel(p.level.String())
	r.Approved, r.ReplyCode = approvedOf(path), sanitize.Sprintf("%s", replyCode(o.Reply))
	if o.Reply.TextRaw != "" {
		r.ServerSaid = sanitize.Line(o.Reply.TextRaw, 300)
	}
	for _, x := range o.Recipients {
		r.Recipients = append(r.Recipients, recipientOutcome{sanitize.Address(x.ForwardPath), o.State == submit.StateSent, fateOf(o.State, x), sanitize.Sprintf("%s", replyCode(x.Reply))})
	}
	code, advice := submit.Explain(s.cfg.Submit.Host, err)
	switch o.State {
	case submit.StateSent:
		r.Sent, r.Outcome = true, outcomeSent
		r.Next = sanitize.Sprintf("Sent to %s, Message-ID %s.", recipientsWord(len(o.Recipients)), r.MessageID)
	case submit.StateFailed:
		r.Outcome, r.Reason = outcomeFailed, sanitize.Sprintf("%s", string(code))
		r.Next = sanitize.Sprintf("NOT sent: the server did not accept the message (%s). %s", r.Reason, advice)
	default:
		r.Outcome, r.Reason = outcomeUnknown, sanitize.Sprintf("%s", string(code))
		r.Next = sanitize.Literal("UNKNOWN: the connection was lost after the message had left. It may have been delivered. Do not send it again by yourself: tell the person, who can look in the Sent mailbox and settle it with smtp-mcp outbox.")
	}
	if path == confirm.PathToken {
		r.Next = sanitize.Sprintf("%s %s", r.Next, confirm.TokenNotice().SafeText())
	}
	return mcpserve.Result[sendResult]{Structured: r, Text: r.Next}
}

// replyCode writes a reply as numbers: "550 5.7.1".
func replyCode(r submit.Reply) string {
	if r.Code == 0 {
		return ""
	}
	return strings.TrimSpace(fmt.Sprintf("%d %s", r.Code, r.Enhanced))
}

func recipientsWord(n int) sanitize.Clean {
	if n == 1 {
		return sanitize.Literal("1 recipient")
	}
	return sanitize.Sprintf("%d recipients", n)
}
