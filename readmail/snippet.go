package readmail

import (
	"context"
	"slices"

	"mailgap/readmail/decode"
	"mailgap/readmail/session"
	"mailgap/sanitize"
)

// Octets of a text part that are fetched for a snippet. Limit: HTML mail often begins with some kilobytes of style.
const (
	snippetPlainOctets = 1 << 10
	snippetHTMLOctets  = 12 << 10
)

// partGroup is the messages of a mailbox whose text begins in the same part.
type partGroup struct {
	mailbox     string
	uidValidity uint32
	number      string
	html        bool
}

// addSnippets fetches the beginning of the text of each message: one round trip per mailbox and part number.
func (s *Server) addSnippets(ctx context.Context, list []picked) error {
	groups := map[partGroup][]int{}
	for i, p := range list {
		if g, ok := snippetPart(p); ok {
			groups[g] = append(groups[g], i)
		}
	}
	if len(groups) == 0 {
		return nil
	}
	return s.do(ctx, list[0].page.mailbox, func(ctx context.Context, c *session.Conn) error {
		for g, members := range groups {
			if err := s.fetchSnippets(ctx, c, g, members, list); err != nil {
				if fatal(ctx, err) {
					return err
				}
			}
		}
		return nil
	})
}

// snippetPart says which part of a message its snippet comes from.
func snippetPart(p picked) (partGroup, bool) {
	g := partGroup{mailbox: p.page.mailbox, uidValidity: p.page.state.UIDValidity}
	switch body := p.facts.body; {
	case len(body.Plain) > 0:
		g.number = body.Plain[0].PartNumber
	case len(body.HTML) > 0:
		g.number, g.html = body.HTML[0].PartNumber, true
	default:
		return g, false
	}
	return g, true
}

func (s *Server) fetchSnippets(ctx context.Context, c *session.Conn, g partGroup, members []int, list []picked) error {
	var uids []session.UID
	for _, i := range members {
		uids = append(uids, list[i].facts.uid)
	}
	items := session.Items{Parts: []session.PartRequest{{Number: g.number, Max: pick(g.html, snippetHTMLOctets, snippetPlainOctets)}}}
	_, msgs, err := c.ExamineFetch(ctx, g.mailbox, g.uidValidity, session.UIDs(uids...), items)
	if err != nil {
		return err
	}
	for _, m := range msgs {
		i := slices.IndexFunc(members, func(i int) bool { return list[i].facts.uid == m.UID })
		if i < 0 {
			continue
		}
		p := &list[members[i]]
		p.snippet = snippetOf(p.facts.body, g.html, m.Parts[session.PartKey{Number: g.number}].Octets)
	}
	return nil
}

// snippetOf turns the first octets of a text part into one line.
func snippetOf(body decode.Body, html bool, octets []byte) sanitize.Clean {
	nodes := pick(html, body.HTML, body.Plain)
	part := textPart{node: nodes[0], octets: octets}
	o := sanitize.Options{MaxChars: 4 * maxSnippetChars, FoldQuotes: true}
	text, _ := part.text(html)
	var r sanitize.Result
	if html {
		r = sanitize.HTML(text, o)
	} else {
		r = sanitize.ForModel(text, o)
	}
	return sanitize.Ellipsis(sanitize.OneLine(r.Text), maxSnippetChars)
}
