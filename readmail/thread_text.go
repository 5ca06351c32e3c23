package readmail

import (
	"context"
	"slices"

	"mailgap/readmail/decode"
	"mailgap/readmail/session"
	"mailgap/sanitize"
)

// Octets of each text part that are fetched for a conversation.
const (
	threadPlainOctets = 32 << 10
	threadHTMLOctets  = 128 << 10
)

// texts fetches the text of each member: one round trip per mailbox and part number.
func (t *threader) texts(ctx context.Context, shown []*member) ([]bodyText, error) {
	out := make([]bodyText, len(shown))
	groups := map[partGroup][]int{}
	var order []partGroup
	for i, m := range shown {
		g, ok := snippetPart(picked{page: m.page, facts: m.facts})
		if !ok {
			out[i].shown = viewNone
			continue
		}
		if groups[g] == nil {
			order = append(order, g)
		}
		groups[g] = append(groups[g], i)
	}
	for _, g := range order {
		if err := t.groupTexts(ctx, g, groups[g], shown, out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (t *threader) groupTexts(ctx context.Context, g partGroup, members []int, shown []*member, out []bodyText) error {
	var uids []session.UID
	for _, i := range members {
		uids = append(uids, shown[i].facts.uid)
	}
	items := session.Items{Parts: []session.PartRequest{{Number: g.number, Max: pick(g.html, threadHTMLOctets, threadPlainOctets)}}}
	_, msgs, err := t.c.ExamineFetch(ctx, g.mailbox, g.uidValidity, session.UIDs(uids...), items)
	if err != nil {
		t.page(g.mailbox).err = err
		if fatal(ctx, err) {
			return err
		}
		return nil
	}
	for _, m := range msgs {
		i := slices.IndexFunc(members, func(i int) bool { return shown[i].facts.uid == m.UID })
		if i < 0 {
			continue
		}
		d := m.Parts[session.PartKey{Number: g.number}]
		out[members[i]] = memberText(shown[members[i]].facts.body, g.html, d)
	}
	return nil
}

func memberText(body decode.Body, html bool, d session.PartData) bodyText {
	nodes := pick(html, body.HTML, body.Plain)
	src := &source{facts: &summaryFacts{}}
	part := textPart{node: nodes[0], octets: d.Octets, cut: d.Truncated && int64(len(d.Octets)) < nodes[0].Size}
	if html {
		src.html = []textPart{part}
	} else {
		src.plain = []textPart{part}
	}
	return src.render(bodyOptions{view: pick(html, viewHTML, viewPlain), foldQuotes: true})
}

// result writes the answer.
func (t *threader) result(shown []*member, texts []bodyText, maxChars int) threadResult {
	r := threadResult{Messages: []threadMessage{}, Found: len(t.members), LeftOut: len(t.members) - len(shown), Method: t.method}
	for i, m := range shown {
		tm := threadMessage{
			messageSummary: t.s.summary(m.page, m.facts, sanitize.Clean{}), Author: t.s.author(m.facts.header),
			LinkedBy: m.link, Folded: texts[i].FoldedChars,
		}
		for _, box := range m.also {
			tm.AlsoIn = append(tm.AlsoIn, sanitize.Line(box, maxNameChars))
		}
		tm.Text = sanitize.Slice(texts[i].Text, 0, maxChars)
		tm.More = texts[i].Text.Len() > maxChars || texts[i].cut
		r.Messages = append(r.Messages, tm)
	}
	for _, box := range t.boxes {
		p := t.page(box)
		if t.capped {
			p.note(noteCapped)
		}
		r.Coverage = append(r.Coverage, t.s.coverage(p))
	}
	return r
}

// threadText writes a conversation for reading, oldest message first.
func (s *Server) threadText(r threadResult) (sanitize.Clean, error) {
	var head, body lines
	head.add(sanitize.Sprintf("Conversation of %d messages, oldest first, times in %s, * unread; looked for in %d mailboxes.", r.Found, s.zoneName(), len(r.Coverage)))
	if r.LeftOut > 0 {
		head.add(sanitize.Sprintf("%d older messages are left out; limit raises how many are shown.", r.LeftOut))
	}
	if r.BoxesLeftOut > 0 {
		head.add(sanitize.Sprintf("%d more mailboxes were not looked at.", r.BoxesLeftOut))
	}
	for _, c := range r.Coverage {
		if !c.Error.IsZero() || len(c.Notes) > 0 {
			head.add(coverageText(c))
		}
	}
	for _, m := range r.Messages {
		body.add(summaryLine(m.messageSummary))
		body.add(authorText(m.Author))
		if m.LinkedBy == linkSubject {
			body.add(sanitize.Literal("Linked by its subject only."))
		}
		if !m.Text.IsZero() {
			body.add(m.Text)
		}
		if m.More {
			body.add(sanitize.Literal("[more text: get_message]"))
		}
		body.add(sanitize.Clean{})
	}
	fenced, err := s.fence(body.text())
	head.add(fenced)
	return head.text(), err
}
