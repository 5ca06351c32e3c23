package sendmail

import (
	"slices"

	"mailgap/confirm"
	"mailgap/sanitize"
	"mailgap/sendmail/compose"
	"mailgap/sendmail/policy"
	"mailgap/shared/addr"
)

// question puts together what the person is asked, from the frozen octets as they were read back, the envelope, and what the
// journal knows. Nothing in it is a sentence of the caller.
func (s *Server) question(p *pending) confirm.Question {
	f := p.message.Facts
	links := p.links()
	q := confirm.Question{
		Purpose: purposeOf(p.tool), Notes: s.notes(p, links), Links: links.asked(), MoreLinks: links.further, From: fromLine(f.From), Subject: f.Subject, Text: f.Text,
		To: s.recipients(p, policy.To), Cc: s.recipients(p, policy.Cc), Bcc: s.recipients(p, policy.Bcc),
	}
	if s.ownCopy(p) {
		q.Bcc = append(q.Bcc, confirm.Recipient{Address: s.cfg.From.Unicode(), Origin: confirm.OriginOperator, Rule: confirm.RuleNone})
	}
	q.HTML = p.part.asked()
	for _, i := range f.Inline {
		q.Attachments = append(q.Attachments, askedFile(i.AttachmentFacts, true))
	}
	for _, a := range f.Attachments {
		q.Attachments = append(q.Attachments, askedFile(a, false))
	}
	return q
}

func askedFile(a compose.AttachmentFacts, inline bool) confirm.Attachment {
	return confirm.Attachment{Name: a.Name, MediaType: a.MediaType, Octets: a.Size, SHA256: a.SHA256, Inline: inline}
}

func purposeOf(tool string) confirm.Purpose {
	switch tool {
	case "reply_mail":
		return confirm.PurposeReply
	case "forward_mail":
		return confirm.PurposeForward
	}
	return confirm.PurposeSend
}

func fromLine(a addr.Address) string {
	if a.DisplayName == "" {
		return a.Unicode()
	}
	return a.DisplayName + " <" + a.Unicode() + ">"
}

// recipients are the accepted recipients of one kind, each with the rule that let it through.
func (s *Server) recipients(p *pending, k policy.Kind) []confirm.Recipient {
	var out []confirm.Recipient
	for i, r := range p.verdict.Recipients {
		if r.Kind != k {
			continue
		}
		c := confirm.Recipient{Address: r.Address.Unicode(), Rule: ruleOf(r.Rule)}
		c.Origin, c.Level = p.origin(i, r)
		if ascii := r.Address.AddrSpec(); ascii != c.Address {
			c.ASCII = ascii
		}
		out = append(out, c)
	}
	return out
}

func ruleOf(r policy.Rule) confirm.Rule {
	switch r {
	case policy.RuleAddress:
		return confirm.RuleExact
	case policy.RuleDomain:
		return confirm.RuleDomain
	}
	return confirm.RuleAny
}

// ownCopy reports whether the sender gets a hidden copy that the operator configured.
func (s *Server) ownCopy(p *pending) bool {
	return s.cfg.BccSelf && !contains(p.verdict.Recipients, s.cfg.From)
}

// notes are what the person should know besides the message itself.
func (s *Server) notes(p *pending, links messageLinks) []confirm.Note {
	notes := slices.Clone(p.report.Notes)
	add := func(l confirm.Level, text confirm.Sentence, values ...string) {
		notes = append(notes, confirm.Note{Level: l, Text: text, Values: values})
	}
	if e := p.earlier; e != nil {
		add(confirm.LevelElevated, confirm.Say("The same message was sent before and its outcome is unknown: it may have arrived. On a yes it is sent again with the same Message-ID. Time of the last attempt and Message-ID:"),
			clock(e.At).String(), e.MessageID)
	}
	if p.answers != "" && p.original.row == nil {
		add(confirm.LevelNormal, confirm.Say("The AI assistant says that it answers or forwards this message:"), p.answers)
	}
	for _, r := range p.verdict.Recipients {
		if r.Kind == policy.Bcc && r.Rule != policy.RuleAddress {
			add(confirm.LevelElevated, confirm.Say("A hidden recipient is not listed by its exact address:"), r.Address.Unicode())
		}
	}
	p.part.notes(add)
	links.notes(add)
	if names := signalsOf(p.prepared); len(names) > 0 {
		add(confirm.LevelElevated, confirm.Say("The message has the shape of instructions to an AI assistant. Shapes found:"), names...)
	}
	return bounded(notes)
}

// maxNotes is what package confirm takes. Limit: of more, the least important ones are counted.
const maxNotes = 32

// bounded keeps the most important notes, in their order.
func bounded(notes []confirm.Note) []confirm.Note {
	if len(notes) <= maxNotes {
		return notes
	}
	left := len(notes) - (maxNotes - 1)
	for level := confirm.LevelNormal; level < confirm.LevelSevere && left > 0; level++ {
		for i := len(notes) - 1; i >= 0 && left > 0; i-- {
			if notes[i].Level == level {
				notes = slices.Delete(notes, i, i+1)
				left--
			}
		}
	}
	return append(notes[:min(len(notes), maxNotes-1)], confirm.Note{Level: confirm.LevelElevated, Text: confirm.Say("There is more to say about this message than is shown here.")})
}

// signalsOf are the shapes of injected instructions in subject, text and attachment names, each once.
func signalsOf(p *prepared) []string {
	f := p.message.Facts
	seen := map[string]bool{}
	var out []string
	texts := []string{f.Subject, f.Text}
	if p.part != nil {
		texts = append(texts, p.part.seen.Text, p.part.seen.Preheader)
	}
	for _, i := range f.Inline {
		texts = append(texts, i.Name)
	}
	for _, a := range f.Attachments {
		texts = append(texts, a.Name)
	}
	for _, t := range texts {
		for _, g := range sanitize.Signals(t, sanitize.Clean{}) {
			if name := string(g.Name); !seen[name] && len(out) < 10 {
				seen[name] = true
				out = append(out, name)
			}
		}
	}
	return out
}
