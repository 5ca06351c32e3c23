package fingerprint

import "slices"

// Query is a text that is to be looked for: every run of GramOctets octets of every view of it. A query is made once and hashed
// with the key of each epoch. It does not change; safe for concurrent use.
type Query struct {
	views  []normalised
	kinds  []View
	Partly bool // there was more than is looked at
}

// At is where a run stands in a query.
type At struct {
	View uint16 // index of the view
	Pos  uint32 // in its normalised text
}

// NewQuery prepares text. See Views for what is looked at.
func NewQuery(text string) *Query {
	views, partly := Views(text)
	q := &Query{Partly: partly}
	for _, v := range views {
		for _, turn := range turns {
			n := normalise(turn(v.Text), -1)
			if len(n.text) >= GramOctets && !slices.ContainsFunc(q.views, func(o normalised) bool { return slices.Equal(o.text, n.text) }) {
				q.views, q.kinds = append(q.views, n), append(q.kinds, v)
			}
		}
	}
	return q
}

// Octets is the length of the normalised text as it is.
func (q *Query) Octets() int {
	if len(q.views) == 0 {
		return 0
	}
	return len(q.views[0].text)
}

// Hashed is a query under one key: each hash with the places it stands at. Safe for concurrent reading.
type Hashed struct {
	Hashes []uint64 // distinct, ascending
	at     map[uint64][]At
}

// Hash hashes q under the key of one epoch.
func (q *Query) Hash(key TextKey) *Hashed {
	h := &Hashed{at: map[uint64][]At{}}
	for v, n := range q.views {
		for p, sum := range grams(n.text, key) {
			h.at[sum] = append(h.at[sum], At{View: uint16(v), Pos: uint32(p)})
		}
	}
	for sum := range h.at {
		h.Hashes = append(h.Hashes, sum)
	}
	slices.Sort(h.Hashes)
	return h
}

// At says where hash stands in the query; none if it does not.
func (h *Hashed) At(hash uint64) []At { return h.at[hash] }

// Hit is one kept fingerprint of a source that the query holds too.
type Hit struct {
	Hash uint64
	Pos  uint32 // in the source
}

// Cover collects what one source covers of a query. The zero value is not ready; use Query.Cover.
type Cover struct {
	out map[uint16][]span
	in  []span
}

// span is a range of octets.
type span struct{ from, to uint32 }
