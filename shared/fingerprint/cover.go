package fingerprint

import (
	"cmp"
	"slices"
	"unicode/utf8"
)

// Hit is one kept fingerprint of a source that the query holds too.
type Hit struct {
	Gram Gram   // as Hashed.Find gave it
	Pos  uint32 // where it stands in the source, as Print.Pos gave it
}

// Cover is what one source covers of a query. It does not change.
type Cover struct {
	query *Query
	views map[uint16][]span // of the normalised views, disjoint and ascending
	// Octets is how much of the source is in the query, in normalised octets: of one view, or of all views together if a
	// passage was split among them.
	Octets int
}

// span is a range of octets of normalised text.
type span struct{ from, to uint32 }

// Cover says what the hits of one source cover of q. What except covers too (the message that is answered, for one) does not
// count; it may be nil.
func (q *Query) Cover(hits []Hit, except *Cover) *Cover {
	c := &Cover{query: q, views: map[uint16][]span{}}
	source := map[Gram]uint32{}
	for _, h := range hits {
		if int(h.Gram) < 0 || int(h.Gram) >= len(q.head) {
			continue
		}
		if _, again := source[h.Gram]; again {
			continue // a run that a source repeats is one run
		}
		counted := false
		for i := q.head[h.Gram]; i != noOccurrence; i = q.at[i].next {
			p := q.at[i]
			if !except.holds(p) {
				c.views[p.view] = append(c.views[p.view], span{p.pos, p.pos + GramOctets})
				counted = true
			}
		}
		if counted {
			source[h.Gram] = h.Pos
		}
	}
	for v, spans := range c.views {
		c.views[v] = merge(spans)
		c.Octets = max(c.Octets, length(c.views[v]))
	}
	var spans []span
	for _, p := range source {
		spans = append(spans, span{p, p + GramOctets})
	}
	c.Octets = max(c.Octets, length(merge(spans)))
	return c
}

// holds reports whether at least half of the run at p is covered. A shared passage has a few octets at each end of which one
// source keeps a run and another does not.
func (c *Cover) holds(p place) bool {
	if c == nil {
		return false
	}
	spans := c.views[p.view]
	i, _ := slices.BinarySearchFunc(spans, p.pos, func(s span, pos uint32) int { return cmp.Compare(s.to, pos+1) })
	covered := uint32(0)
	for ; i < len(spans) && spans[i].from < p.pos+GramOctets; i++ {
		covered += min(spans[i].to, p.pos+GramOctets) - max(spans[i].from, p.pos)
	}
	return covered >= GramOctets/2
}

// merge sorts spans and joins those that touch.
func merge(spans []span) []span {
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	var out []span
	for _, s := range spans {
		if n := len(out); n > 0 && s.from <= out[n-1].to {
			out[n-1].to = max(out[n-1].to, s.to)
			continue
		}
		out = append(out, s)
	}
	return out
}

func length(spans []span) int {
	n := 0
	for _, s := range spans {
		n += int(s.to - s.from)
	}
	return n
}

// Passage is a piece of outgoing text that a source covers.
type Passage struct {
	View string // how it was encoded: a View.Name, with the turn ("rot13", "reversed", "words reversed") after it; "" is as it is
	Text string // as it stands in that view, decoded
}

// Passage returns the longest covered piece, cut to limit octets; false if nothing is covered.
func (c *Cover) Passage(limit int) (Passage, bool) {
	var best span
	view := uint16(0)
	for v, spans := range c.views {
		for _, s := range spans {
			if n, old := s.to-s.from, best.to-best.from; n > old || n == old && (v < view || v == view && s.from < best.from) {
				best, view = s, v
			}
		}
	}
	if best.to == 0 {
		return Passage{}, false
	}
	v := c.query.views[view]
	return Passage{View: viewName(v.Name, v.turn.name()), Text: locate(v.source, best, limit)}, true
}

// Gap returns the first piece of the text as it is that the source does not have, with a few letters around it and cut to limit
// octets; false if there is none. Of
// a text that is copied whole only the ends may be unmatched, by less than a window of runs; more of them is a gap.
func (c *Cover) Gap(limit int) (string, bool) {
	if c.query.Octets() == 0 {
		return "", false
	}
	end := uint32(len(c.query.views[0].text))
	at := uint32(0)
	for _, s := range append(slices.Clone(c.views[0]), span{end, end}) {
		edge := at == 0 || s.from == end
		if n := s.from - at; n > 0 && (!edge || n >= WindowGrams) {
			around := span{max(at, GramOctets) - GramOctets, min(s.from+GramOctets, end)}
			return locate(c.query.views[0].source, around, limit), true
		}
		at = s.to
	}
	return "", false
}

// viewName joins the words for an encoding and a turn.
func viewName(name, turn string) string {
	if name != "" && turn != "" {
		return name + "+" + turn
	}
	return name + turn
}

// locate finds the piece of text whose normalised form is s, cut to limit octets. Normalisation works character by character.
func locate(text string, s span, limit int) string {
	n := normalised{}
	start := len(text)
	for i := 0; i < len(text); {
		if len(n.text) >= int(s.to) || i-start >= limit {
			return text[start:i]
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		before := len(n.text)
		n = n.with(text[i:i+size], r)
		if before <= int(s.from) && len(n.text) > int(s.from) {
			start = i
		}
		i += size
	}
	return text[start:]
}
