package sendmail

import (
	"context"
	"errors"

	"mailgap/sanitize"
	"mailgap/sendmail/attach"
	"mailgap/sendmail/compose"
	"mailgap/sendmail/policy"
	"mailgap/shared/addr"
)

// proposal is what a tool call proposes, whatever the tool: the arguments in one shape.
type proposal struct {
	tool        string
	to, cc, bcc []string
	subject     string
	text        string
	html        string
	attachments []string
	quote       *compose.Quote
	parent      *compose.Parent
	answers     string // reference of the message answered or forwarded, for the person; ""
}

// prepared is a proposal that passed everything that can refuse without asking: frozen octets and what is known about them.
type prepared struct {
	proposal
	verdict policy.Verdict
	draft   compose.Draft
	message *compose.Message
}

// refusalCode is an enumerated reason for which nothing was sent.
type refusalCode string

// Reasons beyond those of package policy.
const (
	refusedHTML        refusalCode = "html_not_supported"
	refusedAttachment  refusalCode = "attachment_refused"
	refusedCompose     refusalCode = "cannot_be_composed"
	refusedUnset       refusalCode = "not_configured"
	refusedCap         refusalCode = "hourly_cap_reached"
	refusedLocked      refusalCode = "sending_locked"
	refusedInProgress  refusalCode = "in_progress"
	refusedState       refusalCode = "state_unusable"
	refusedNoPath      refusalCode = "nobody_can_be_asked"
	refusedNotApproved refusalCode = "not_approved"
	refusedToken       refusalCode = "token_refused"
	refusedChanged     refusalCode = "changed_since_asked"
)

// Words implements mcpserve.Word.
func (refusalCode) Words() []string {
	out := []string{string(refusedHTML), string(refusedAttachment), string(refusedCompose), string(refusedUnset), string(refusedCap),
		string(refusedLocked), string(refusedInProgress), string(refusedState), string(refusedNoPath), string(refusedNotApproved),
		string(refusedToken), string(refusedChanged)}
	for _, c := range policy.Codes() {
		out = append(out, string(c))
	}
	return out
}

// refusal says why a proposal cannot be sent, to the model and the person. Nothing was sent and nobody was asked.
type refusal struct {
	code refusalCode
	text sanitize.Clean
}

func (r *refusal) Error() string { return "sendmail: refused: " + string(r.code) }

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
	if out.verdict, err = policy.Check(p.request(), s.rules()); err != nil {
		return out, policyRefusal(err)
	}
	if s.cfg.From.IsZero() {
		return out, &refusal{refusedUnset, sanitize.Literal("No sender is configured. hint: the operator sets SMTP_FROM.")}
	}
	files, err := s.attachments(ctx, p.attachments)
	if err != nil {
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
	return out, nil
}

func (s *Server) attachments(ctx context.Context, names []string) ([]attach.File, error) {
	if len(names) == 0 {
		return nil, nil
	}
	files, err := attach.OpenAll(ctx, s.cfg.AttachmentDir, names, s.cfg.Attachments)
	if err != nil {
		return nil, &refusal{refusedAttachment, sanitize.Sprintf("An attachment is refused: %s. hint: %s", reason(err), attach.Hint(err))}
	}
	return files, nil
}

// draftOf puts the accepted parts together. The sender's own hidden copy is added after policy: it is the operator's wish.
func (s *Server) draftOf(p proposal, v policy.Verdict, files []attach.File) compose.Draft {
	d := compose.Draft{
		From: s.cfg.From, To: v.Of(policy.To), Cc: v.Of(policy.Cc), Bcc: v.Of(policy.Bcc), Subject: p.subject, Text: p.text, HTML: p.html,
		Quote: p.quote, Signature: s.cfg.Signature,
	}
	if s.cfg.BccSelf && !contains(v.Recipients, s.cfg.From) {
		self := s.cfg.From
		self.DisplayName = ""
		d.Bcc = append(d.Bcc, self)
	}
	for _, f := range files {
		d.Attachments = append(d.Attachments, compose.Attachment{Name: f.Name, MediaType: f.MediaType, Octets: f.Octets})
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

// policyRefusal turns a refusal of package policy into ours: its text is in our own words.
func policyRefusal(err error) error {
	var r *policy.Refusal
	if !errors.As(err, &r) {
		return err
	}
	text := sanitize.Sprintf("%s", r.Error())
	if hint := addr.Hint(r.Cause); hint != "" {
		text = sanitize.Sprintf("%s (%s)", text, hint)
	}
	return &refusal{refusalCode(r.Code), text}
}

func composeRefusal(err error) error {
	if errors.Is(err, compose.ErrHTMLNotSupported) {
		return &refusal{refusedHTML, sanitize.Literal("HTML bodies are refused: they cannot be cleaned yet. hint: send text.")}
	}
	return &refusal{refusedCompose, sanitize.Sprintf("The message cannot be composed: %s. hint: shorten or correct the field named.", reason(err))}
}

// reason is the text of an error of our own packages without the package name: their errors hold no caller values.
func reason(err error) string {
	text := err.Error()
	for _, p := range []string{"attach: ", "compose: ", "outbox: "} {
		if len(text) > len(p) && text[:len(p)] == p {
			return text[len(p):]
		}
	}
	return text
}
