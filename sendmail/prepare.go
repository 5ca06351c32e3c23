package sendmail

import (
	"context"

	"mailgap/sanitize"
	"mailgap/sendmail/attach"
	"mailgap/sendmail/compose"
	"mailgap/sendmail/policy"
	"mailgap/sendmail/provenance"
	"mailgap/shared/addr"
	"mailgap/shared/guardswitch"
)

// proposal is what a tool call proposes, whatever the tool: the arguments in one shape.
type proposal struct {
	tool        string
	to, cc, bcc []string
	subject     string
	text        string
	html        string
	attachments []string
	inline      []compose.InlineImage // attached images that the HTML shows; found while it is cleaned
	quote       *compose.Quote
	parent      *compose.Parent
	answers     string   // reference of the message answered or forwarded, for the person; ""
	choice      string   // reply_to: who an answer goes to; ""
	derived     bool     // subject was made from what the caller says about the original
	flaw        *refusal // found while the arguments were put into this shape
}

// prepared is a proposal that passed everything that can refuse without asking: frozen octets and what is known about them.
type prepared struct {
	proposal
	verdict policy.Verdict
	draft   compose.Draft
	message *compose.Message
	part    *htmlPart // nil if there is none

	original original
	report   provenance.Report // where recipients and passages come from
}

// rules are the operator's policy.
func (s *Server) rules() policy.Rules {
	return policy.Rules{Allowlist: s.cfg.Allowlist, Limits: s.cfg.Limits, OwnDomain: s.cfg.From.Domain}
}

// request is p in the terms of package policy.
func (p *proposal) request() policy.Request {
	r := policy.Request{To: p.to, Cc: p.cc, Bcc: p.bcc, Subject: p.subject, Text: p.text, HTML: p.html, HasAttachments: len(p.attachments) > 0}
	r.HeaderValues = append(r.HeaderValues, p.attachments...)
	if p.parent != nil {
		r.HeaderValues = append(append(append(r.HeaderValues, p.parent.MessageID), p.parent.InReplyTo...), p.parent.References...)
	}
	return r
}

// prepare puts a proposal through policy, attachments and composition, in that order. The error is a *refusal. messageID, if
// not empty, is that of an earlier attempt.
func (s *Server) prepare(ctx context.Context, p proposal, messageID string) (*prepared, error) {
	out := &prepared{proposal: p}
	var err error
	if out.original, err = s.resolve(ctx, &p); err != nil {
		return out, err
	}
	out.proposal = p
	if p.flaw != nil {
		return out, p.flaw
	}
	if out.verdict, err = policy.Check(p.request(), s.rules()); err != nil {
		return out, policyRefusal(err)
	}
	if s.cfg.From.IsZero() {
		return out, &refusal{code: refusedUnset, text: sanitize.Literal("No sender is configured. hint: the operator sets SMTP_FROM.")}
	}
	files, err := s.attachments(ctx, p.attachments)
	if err != nil {
		return out, err
	}
	if out.part, files, err = s.cleanHTML(&p, files); err != nil {
		return out, err
	}
	out.draft = s.draftOf(p, out.verdict, files)
	if p.parent != nil {
		if out.draft.InReplyTo, out.draft.References, err = compose.Threading(*p.parent); err != nil {
			return out, composeRefusal(err)
		}
	}
	out.message, err = compose.Compose(out.draft, compose.Options{
		Clock: s.cfg.Now, Random: s.cfg.Random, MessageID: messageID, MaxBytes: s.cfg.MaxMessageBytes,
	})
	if err != nil {
		return out, composeRefusal(err)
	}
	if out.part != nil {
		if err := out.part.frozen(out.message.Facts); err != nil {
			return out, err
		}
	}
	out.report = s.assess(ctx, out, files, p.inline)
	out.draft.Attachments, out.draft.Inline = nil, nil // the octets are in the message; a message that waits need not hold them twice
	return out, nil
}

func (s *Server) attachments(ctx context.Context, names []string) ([]attach.File, error) {
	if len(names) == 0 {
		return nil, nil
	}
	if guardswitch.Off(guardswitch.Files) {
		return unguardedFiles(s.cfg.AttachmentDir, names)
	}
	files, err := attach.OpenAll(ctx, s.cfg.AttachmentDir, names, s.cfg.Attachments)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, &refusal{code: refusedAttachment, text: sanitize.Sprintf("An attachment is refused: %s. hint: %s", reason(err), attach.Hint(err))}
	}
	return files, nil
}

// draftOf puts the accepted parts together. The sender's own hidden copy is added after policy: it is the operator's wish.
func (s *Server) draftOf(p proposal, v policy.Verdict, files []attach.File) compose.Draft {
	d := compose.Draft{
		From: s.cfg.From, To: v.Of(policy.To), Cc: v.Of(policy.Cc), Bcc: v.Of(policy.Bcc), Subject: p.subject, Text: p.text, HTML: p.html,
		Quote: p.quote, Signature: s.cfg.Signature, Inline: p.inline,
	}
	if s.cfg.BccSelf && !contains(v.Recipients, s.cfg.From) {
		self := s.cfg.From
		self.DisplayName = ""
		d.Bcc = append(d.Bcc, self)
	}
	for _, f := range files {
		d.Attachments = append(d.Attachments, attachmentOf(f))
	}
	return d
}

func contains(list []policy.Recipient, a addr.Address) bool {
	for _, r := range list {
		if r.Address.Key() == a.Key() {
			return true
		}
	}
	return false
}
