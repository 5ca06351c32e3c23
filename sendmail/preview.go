package sendmail

import (
	"context"
	"encoding/hex"
	"errors"

	"mailgap/sanitize"
	"mailgap/sendmail/compose"
	"mailgap/sendmail/policy"
	"mailgap/shared/mcpserve"
)

// maxPreviewChars bounds the text that a preview shows.
const maxPreviewChars = 20_000

// maxPreviewLines bounds each list within the text; the structured result has more.
const maxPreviewLines = 20

// previewResult is the answer of preview_mail: what would be sent, or why it would be refused.
type previewResult struct {
	WouldAsk    bool             `json:"would_be_put_to_the_person"`
	Refusals    []previewRefusal `json:"refusals,omitempty"`
	From        sanitize.Clean   `json:"from,omitzero"`
	To          []sanitize.Clean `json:"to,omitempty"`
	Cc          []sanitize.Clean `json:"cc,omitempty"`
	Bcc         []sanitize.Clean `json:"bcc,omitempty"`
	Subject     sanitize.Clean   `json:"subject,omitzero"`
	Text        sanitize.Clean   `json:"text,omitzero"`
	HTML        *previewHTML     `json:"html,omitempty"`
	Size        int              `json:"message_octets,omitempty"`
	Inline      []previewFile    `json:"inline_images,omitempty"` // shown by the HTML
	Attachments []previewFile    `json:"attachments,omitempty"`
	Links       []sanitize.Link  `json:"links,omitempty"`
	MoreLinks   int              `json:"links_not_listed,omitempty"`
}

type previewRefusal struct {
	Code refusalCode    `json:"code"`
	Why  sanitize.Clean `json:"why"`
}

type previewFile struct {
	Name      sanitize.Clean `json:"name"`
	MediaType sanitize.Clean `json:"media_type"`
	Size      int64          `json:"size"`
	SHA256    sanitize.Clean `json:"sha256"`
}

// previewMail is the handler of preview_mail. It works with nothing configured, asks nobody, and changes nothing.
func (s *Server) previewMail(ctx context.Context, _ *mcpserve.Call, a mailArgs) (mcpserve.Result[previewResult], error) {
	p, err := s.prepare(ctx, a.proposal("preview_mail"), "")
	r := previewResult{}
	for _, f := range p.verdict.Refusals {
		var ours *refusal
		if errors.As(policyRefusal(f), &ours) {
			r.Refusals = append(r.Refusals, previewRefusal{ours.code, ours.text})
		}
	}
	var ours *refusal
	if errors.As(err, &ours) && len(r.Refusals) == 0 {
		r.Refusals = append(r.Refusals, previewRefusal{ours.code, ours.text})
	} else if err != nil && ours == nil {
		return mcpserve.Result[previewResult]{}, err
	}
	if !s.cfg.AllowSend {
		r.Refusals = append(r.Refusals, previewRefusal{refusedUnset, sanitize.Literal("Sending is off. hint: the operator sets SMTP_ALLOW_SEND=true and SMTP_ALLOWED_RECIPIENTS.")})
	}
	if missing, ok := s.unset().(*refusal); ok && s.submit == nil {
		r.Refusals = append(r.Refusals, previewRefusal{missing.code, missing.text})
	}
	if p.message != nil {
		r.fill(p)
	}
	r.WouldAsk = len(r.Refusals) == 0
	return mcpserve.Result[previewResult]{Structured: r, Text: r.asText()}, nil
}

// fill takes what the frozen octets say.
func (r *previewResult) fill(p *prepared) {
	f := p.message.Facts
	r.From = sanitize.Address(f.From.AddrSpec())
	for _, x := range p.verdict.Recipients {
		c := sanitize.Address(x.Address.AddrSpec())
		switch x.Kind {
		case policy.To:
			r.To = append(r.To, c)
		case policy.Cc:
			r.Cc = append(r.Cc, c)
		default:
			r.Bcc = append(r.Bcc, c)
		}
	}
	r.Subject = sanitize.Line(f.Subject, 500)
	r.Text = sanitize.ForModel(f.Text, sanitize.Options{MaxChars: maxPreviewChars}).Text
	r.HTML = p.part.preview()
	r.Size = len(p.message.Octets)
	for _, i := range f.Inline {
		r.Inline = append(r.Inline, fileOf(i.AttachmentFacts))
	}
	for _, a := range f.Attachments {
		r.Attachments = append(r.Attachments, fileOf(a))
	}
	r.Links, r.MoreLinks = p.links().preview()
}

func fileOf(a compose.AttachmentFacts) previewFile {
	return previewFile{sanitize.Line(a.Name, 200), sanitize.Line(a.MediaType, 100), a.Size, sanitize.Opaque(hex.EncodeToString(a.SHA256[:]))}
}

func (r previewResult) asText() sanitize.Clean {
	var l []sanitize.Clean
	for _, f := range r.Refusals {
		l = append(l, sanitize.Sprintf("Would be refused (%s): %s", string(f.Code), f.Why))
	}
	if r.WouldAsk {
		l = append(l, sanitize.Literal("Nothing speaks against this message; send_mail would put it to the person."))
	}
	if r.From.IsZero() {
		return sanitize.Join(l, "\n")
	}
	l = append(l, sanitize.Sprintf("From: %s", r.From), sanitize.Sprintf("To: %s", sanitize.Join(r.To, ", ")))
	if len(r.Cc) > 0 {
		l = append(l, sanitize.Sprintf("Cc: %s", sanitize.Join(r.Cc, ", ")))
	}
	if len(r.Bcc) > 0 {
		l = append(l, sanitize.Sprintf("Bcc: %s", sanitize.Join(r.Bcc, ", ")))
	}
	l = append(l, sanitize.Sprintf("Subject: %s", r.Subject), sanitize.Clean{}, r.Text)
	l = append(append(l, r.HTML.lines()...), r.linkLines()...)
	for _, a := range r.Inline {
		l = append(l, sanitize.Sprintf("Inline image, shown by the HTML: %s, %s, %d octets", a.Name, a.MediaType, a.Size))
	}
	for _, a := range r.Attachments {
		l = append(l, sanitize.Sprintf("Attachment: %s, %s, %d octets", a.Name, a.MediaType, a.Size))
	}
	return sanitize.Join(append(l, sanitize.Sprintf("%d octets in all.", r.Size)), "\n")
}

// linkLines are the first of the links, those that mislead before the others.
func (r previewResult) linkLines() []sanitize.Clean {
	var first, rest []sanitize.Clean
	for _, l := range r.Links {
		if misleads(l) {
			first = append(first, linkLine(l))
		} else {
			rest = append(rest, linkLine(l))
		}
	}
	lines := append(first, rest...)
	shown := lines[:min(len(lines), maxPreviewLines)]
	if more := len(lines) - len(shown) + r.MoreLinks; more > 0 {
		shown = append(shown, sanitize.Sprintf("%d further links.", more))
	}
	return shown
}
