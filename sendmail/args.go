package sendmail

import (
	"strings"

	"mailgap/sanitize"
	"mailgap/sendmail/compose"
)

// mailArgs are the fields that every tool which writes a message has.
type mailArgs struct {
	To          []string `json:"to,omitempty"`
	Cc          []string `json:"cc,omitempty"`
	Bcc         []string `json:"bcc,omitempty"`
	Subject     string   `json:"subject,omitempty"`
	Text        string   `json:"text,omitempty"`
	HTML        string   `json:"html,omitempty"`
	Attachments []string `json:"attachments,omitempty"`
	Token       string   `json:"confirm_token,omitempty"`
}

func (a mailArgs) proposal(tool string) proposal {
	return proposal{tool: tool, to: a.To, cc: a.Cc, bcc: a.Bcc, subject: a.Subject, text: a.Text, html: a.HTML, attachments: a.Attachments}
}

// originalArgs describe the message that is answered or forwarded, as get_message of imap-mcp gave it.
type originalArgs struct {
	Ref        string   `json:"ref,omitempty"`
	MessageID  string   `json:"message_id,omitempty"`
	InReplyTo  []string `json:"in_reply_to,omitempty"`
	References []string `json:"references,omitempty"`
	From       string   `json:"from,omitempty"`
	To         string   `json:"to,omitempty"`
	Date       string   `json:"date,omitempty"`
	Subject    string   `json:"subject,omitempty"`
	Text       string   `json:"text,omitempty"`
}

// replyArgs are the arguments of reply_mail. Without recipients in to, the record of what was read says who the
// answer goes to.
type replyArgs struct {
	mailArgs
	Original originalArgs `json:"original"`
	ReplyTo  string       `json:"reply_to,omitempty"`
}

func (a replyArgs) proposal() proposal {
	p := a.mailArgs.proposal("reply_mail")
	o := a.Original
	if o.MessageID == "" {
		p.flaw = &refusal{code: refusedNoParent, text: sanitize.Literal("original.ref of a message that was read, or original.message_id, is needed, or the answer starts a conversation of its own. hint: pass the ref and the message_id that get_message gave.")}
	}
	if p.subject == "" {
		p.subject, p.derived = compose.ReplySubject(o.Subject), true
	}
	p.parent = &compose.Parent{MessageID: o.MessageID, InReplyTo: o.InReplyTo, References: o.References}
	p.answers, p.choice = o.Ref, a.ReplyTo
	if o.Text != "" {
		p.quote = &compose.Quote{Attribution: attribution(o), Text: o.Text}
	}
	return p
}

// attribution is the line above a quote.
func attribution(o originalArgs) string {
	switch {
	case o.From != "" && o.Date != "":
		return "On " + oneLine(o.Date) + ", " + oneLine(o.From) + " wrote:"
	case o.From != "":
		return oneLine(o.From) + " wrote:"
	}
	return "The original message:"
}

// oneLine folds white space: attribution and heading lines are one line each, whatever the caller wrote.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// forwardArgs are the arguments of forward_mail. The original goes along as text, or whole as a file of the attachment directory.
type forwardArgs struct {
	mailArgs
	Original originalArgs `json:"original"`
}

func (a forwardArgs) proposal() proposal {
	p := a.mailArgs.proposal("forward_mail")
	o := a.Original
	if p.subject == "" {
		p.subject, p.derived = compose.ForwardSubject(o.Subject), true
	}
	p.answers = o.Ref
	if o.Text == "" && len(p.attachments) == 0 {
		p.flaw = &refusal{code: refusedCompose, text: sanitize.Literal("There is nothing to forward. hint: pass original.text, or the original as a .eml file of the attachment directory in attachments.")}
	}
	if o.Text != "" {
		p.quote = &compose.Quote{Attribution: forwardHeading(o), Text: o.Text, Plain: true}
	}
	return p
}

// forwardHeading is the block above a forwarded text, as mail clients write it.
func forwardHeading(o originalArgs) string {
	lines := []string{"---------- Forwarded message ----------"}
	for _, f := range []struct{ name, value string }{{"From", o.From}, {"Date", o.Date}, {"Subject", o.Subject}, {"To", o.To}} {
		if f.value != "" {
			lines = append(lines, f.name+": "+oneLine(f.value))
		}
	}
	return strings.Join(append(lines, "", ""), "\n")
}
