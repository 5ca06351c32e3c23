package readmail

import (
	"context"
	"strings"

	"mailgap/readmail/decode"
	"mailgap/readmail/session"
)

// Octets of body parts that are fetched to show text, still in their transfer encoding.
const (
	guessOctets     = 5 << 10 // Limit: of part 1; with header, structure and the guess below, less than 12 kB whatever part 1 is
	nestedGuess     = 4 << 10 // Limit: of part 1.1, which some servers answer with part 1 itself where that has no parts
	maxPlainOctets  = 1 << 20
	maxHTMLOctets   = 2 << 20
	maxRawOctets    = 2 << 20 // of a message whose structure is unknown
	maxHeaderOctets = 64 << 10
	maxTextOctets   = 4 << 20 // of all text parts of one message together
	maxTextParts    = 20      // text parts of one message that are shown
)

// source is one message as fetched: its facts, and the octets of the parts that are its text.
type source struct {
	facts *summaryFacts
	plain []textPart
	html  []textPart
	notes decode.Notes // on the header, and on the structure if it was read from the raw message
	cut   bool         // the raw message was longer than maxRawOctets, or not all text parts were fetched
}

// textPart is a part and its octets.
type textPart struct {
	node   decode.Node
	octets []byte
	cut    bool
}

// text returns the decoded text of t.
func (t textPart) text(html bool) (string, decode.Notes) {
	limit := maxHTMLOctets
	octets, notes := decode.TransferDecode(t.node.Encoding, t.octets, limit)
	read := decode.Text
	if html {
		read = decode.HTMLText
	}
	s, c := read(t.node.Params["charset"], octets)
	for _, n := range c.Notes {
		if !notes.Has(n) {
			notes = append(notes, n)
		}
	}
	if !html && strings.EqualFold(t.node.Params["format"], "flowed") {
		s = decode.Flowed(s, strings.EqualFold(t.node.Params["delsp"], "yes"))
	}
	return s, notes
}

// messageItems is what get_message fetches of the message itself.
func messageItems() session.Items {
	return session.Items{Flags: true, InternalDate: true, Size: true, BodyStructure: true, Header: true, MaxHeader: maxHeaderOctets}
}

// fetchText fetches a message with its text. Where its structure is known from a list, that is one round trip; else the
// usual part numbers are asked for together with the structure, and a second trip is made if the text is elsewhere,
// longer, or in HTML.
func (s *Server) fetchText(ctx context.Context, c *session.Conn, ref MessageRef, text bool) (*source, error) {
	items := messageItems()
	known := s.structures.get(ref)
	if text {
		items.Parts = firstParts(known)
	}
	_, msgs, err := c.ExamineFetch(ctx, ref.Mailbox, ref.UIDValidity, session.UIDs(session.UID(ref.UID)), items)
	if err != nil {
		return nil, err
	}
	if len(msgs) == 0 {
		return nil, errGone
	}
	m := &msgs[0]
	src := &source{facts: factsOf(m, items)}
	src.notes = src.facts.header.Notes
	src.facts.fetched = nil
	if !text || m.Has(session.TroubleUnreadable) {
		return src, nil
	}
	if !src.facts.structureKnown {
		return src, s.fetchRaw(ctx, c, ref, src)
	}
	if known == nil {
		if known, err = s.mend(ctx, c, ref, m.Structure); err != nil {
			return nil, err
		}
	}
	s.structures.put(ref, known)
	m.Structure = known
	src.facts.readStructure(m)
	return src, src.complete(ctx, c, ref, m)
}

// firstParts are the parts to ask for: those that structure says are the text, or else parts 1 and 1.1, which hold it in
// most messages.
func firstParts(structure *session.Part) []session.PartRequest {
	if structure == nil {
		return []session.PartRequest{{Number: "1", Max: guessOctets}, {Number: "1.1", Max: nestedGuess}}
	}
	nodes, _ := textNodes(decode.Bodies(nodeOf(structure)))
	var out []session.PartRequest
	for _, n := range nodes {
		out = append(out, session.PartRequest{Number: n.PartNumber, Max: n.wanted()})
	}
	return out
}

// textNode is a part that is text of a message.
type textNode struct {
	decode.Node
	html bool
}

// textNodes are the parts of body that are fetched, plain ones first, and whether others were left out because there are
// too many or they are too large together.
func textNodes(body decode.Body) (out []textNode, left bool) {
	budget := maxTextOctets
	add := func(nodes []decode.Node, html bool) {
		for _, n := range nodes {
			t := textNode{n, html}
			if budget -= t.wanted(); budget < 0 || len(out) == maxTextParts {
				left = true
				return
			}
			out = append(out, t)
		}
	}
	add(body.Plain, false)
	add(body.HTML, true)
	return out, left
}

func (n textNode) limit() int { return pick(n.html, maxHTMLOctets, maxPlainOctets) }

// wanted is how many octets of n to ask for: one more than its size, so that an answer that is not cut shows that the size
// was true, or as many as are accepted.
func (n textNode) wanted() int {
	if n.Size <= 0 || n.Size >= int64(n.limit()) {
		return n.limit()
	}
	return int(n.Size) + 1
}

// cut reports whether there is more of n than d holds.
func (n textNode) cut(d session.PartData) bool { return d.Truncated && int64(len(d.Octets)) != n.Size }

// complete takes the text parts that came with m and fetches those that are missing or incomplete.
func (src *source) complete(ctx context.Context, c *session.Conn, ref MessageRef, m *session.Message) error {
	have := m.Parts
	nodes, left := textNodes(src.facts.body)
	src.cut = left
	var ask []session.PartRequest
	for _, n := range nodes {
		d, ok := have[session.PartKey{Number: n.PartNumber}]
		if !ok || d.Missing || n.cut(d) && len(d.Octets) < n.limit() {
			lied := int64(len(d.Octets)) > n.Size
			ask = append(ask, session.PartRequest{Number: n.PartNumber, Max: pick(lied, n.limit(), n.wanted())})
		}
	}
	if len(ask) > 0 {
		msgs, err := c.Fetch(ctx, session.UIDs(session.UID(ref.UID)), session.Items{Parts: ask})
		if err != nil {
			return err
		}
		if len(msgs) == 0 {
			return errGone
		}
		have = merged(have, msgs[0].Parts)
	}
	for _, n := range nodes {
		d := have[session.PartKey{Number: n.PartNumber}]
		part := textPart{node: n.Node, octets: d.Octets, cut: n.cut(d)}
		if n.html {
			src.html = append(src.html, part)
		} else {
			src.plain = append(src.plain, part)
		}
	}
	return nil
}

func merged(a, b map[session.PartKey]session.PartData) map[session.PartKey]session.PartData {
	out := make(map[session.PartKey]session.PartData, len(a)+len(b))
	for k, v := range a {
		out[k] = v
	}
	for k, v := range b {
		out[k] = v
	}
	return out
}

// fetchRaw reads the text from the raw message, for messages whose structure the server cannot describe.
func (s *Server) fetchRaw(ctx context.Context, c *session.Conn, ref MessageRef, src *source) error {
	msgs, err := c.Fetch(ctx, session.UIDs(session.UID(ref.UID)), session.Items{Parts: []session.PartRequest{{Max: maxRawOctets}}})
	if err != nil {
		return err
	}
	if len(msgs) == 0 {
		return errGone
	}
	raw := msgs[0].Parts[session.PartKey{}]
	src.cut = raw.Truncated && int64(len(raw.Octets)) < src.facts.size
	entity := decode.ParseMessage(raw.Octets, decode.Limits{})
	src.fromEntity(entity)
	return nil
}

// fromEntity takes body and text from a parsed message.
func (src *source) fromEntity(e *decode.Entity) {
	src.notes = e.AllNotes()
	src.facts.body = decode.Bodies(e.Node())
	src.facts.attachments = len(src.facts.body.Attachments)
	take := func(nodes []decode.Node) (out []textPart) {
		for _, n := range nodes[:min(len(nodes), maxTextParts)] {
			if part := e.Find(n.PartNumber); part != nil {
				out = append(out, textPart{node: n, octets: part.Body})
			}
		}
		return out
	}
	src.plain, src.html = take(src.facts.body.Plain), take(src.facts.body.HTML)
}
