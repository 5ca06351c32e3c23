package fingerprint

import (
	"encoding/binary"
	"hash/maphash"
	"slices"
	"sync"
)

// Limits of one query. Beyond them Query.Partly is set.
const (
	maxQueryOctets = 2 << 20 // Limit: normalised octets of all views; about 150 MB while it is asked
	noOccurrence   = -1
)

// Query is a text that is to be looked for: every run of GramOctets octets in every view of it. It is made once and hashed with
// the key of each epoch. It does not change once made; safe for concurrent use.
type Query struct {
	Partly bool // there was more than is looked at

	views []queryView
	grams []words // distinct runs, in the order of their first occurrence
	head  []int32 // of each run, its first occurrence
	at    []place // occurrences
}

type queryView struct {
	View
	turn   turn
	text   []byte
	source string // the text that was normalised
}

// words are sixteen octets as SipHash takes them.
type words struct{ lo, hi uint64 }

// place is one occurrence of a run, and the next one of the same run.
type place struct {
	pos  uint32
	next int32
	view uint16
}

// NewQuery prepares text. See Views for what is looked at; each view is also read turned by thirteen, reversed, and with each
// word reversed. Linear in text.
func NewQuery(text string) *Query {
	views, partly := Views(text)
	q := &Query{Partly: partly}
	total := 0
	for _, v := range views {
		for t := asIs; t <= wordsReversed; t++ {
			source := t.of(v.Text)
			n := normalise(source, maxQueryOctets-total)
			q.Partly = q.Partly || n.cut
			if len(n.text) < GramOctets || q.has(n.text) {
				continue
			}
			total += len(n.text)
			q.views = append(q.views, queryView{View: v, turn: t, text: n.text, source: source})
		}
	}
	q.collect(total)
	return q
}

// has reports whether a view reads the same: an encoding that changed nothing that counts.
func (q *Query) has(text []byte) bool {
	return slices.ContainsFunc(q.views, func(v queryView) bool { return slices.Equal(v.text, text) })
}

// collect lists the distinct runs and where they stand.
func (q *Query) collect(total int) {
	index := newTable(total)
	seed := maphash.MakeSeed()
	last := make([]int32, 0, total) // of each run, its latest occurrence
	q.at = make([]place, 0, total)
	for v, view := range q.views {
		for p := 0; p+GramOctets <= len(view.text); p++ {
			octets := view.text[p : p+GramOctets]
			w := words{binary.LittleEndian.Uint64(octets), binary.LittleEndian.Uint64(octets[8:])}
			slot, found := index.find(maphash.Bytes(seed, octets), func(i int32) bool { return q.grams[i] == w })
			occurrence := int32(len(q.at))
			q.at = append(q.at, place{pos: uint32(p), next: noOccurrence, view: uint16(v)})
			if found {
				i := index.slots[slot] - 1
				q.at[last[i]].next, last[i] = occurrence, occurrence
				continue
			}
			q.grams = append(q.grams, w)
			q.head, last = append(q.head, occurrence), append(last, occurrence)
			index.slots[slot] = int32(len(q.grams))
		}
	}
}

// Octets is the length of the normalised text as it is, without its other views.
func (q *Query) Octets() int {
	if len(q.views) == 0 || q.views[0].Name != "" || q.views[0].turn != asIs {
		return 0
	}
	return len(q.views[0].text)
}

// Gram numbers a distinct run of a query. It means the same under every key.
type Gram int32

// Hashed is a query under one key. It does not change; safe for concurrent use.
type Hashed struct {
	// Hashes are those of the distinct runs: Hashes[g] is the hash of Gram g. Not to be changed.
	Hashes []uint64
	once   sync.Once // table is made when it is first asked
	table  table
}

// Hash hashes q under the key of one epoch.
func (q *Query) Hash(key TextKey) *Hashed {
	h := &Hashed{Hashes: make([]uint64, len(q.grams))}
	k0, k1 := key.halves()
	for i, w := range q.grams {
		h.Hashes[i] = gram(k0, k1, w.lo, w.hi)
	}
	return h
}

func (h *Hashed) fill() {
	h.table = newTable(len(h.Hashes))
	for i, sum := range h.Hashes {
		if slot, found := h.table.find(sum, func(j int32) bool { return h.Hashes[j] == sum }); !found {
			h.table.slots[slot] = int32(i + 1)
		}
	}
}

// Find says which run of the query has the hash. It is made to be asked of every fingerprint that is kept: some nanoseconds.
func (h *Hashed) Find(hash uint64) (Gram, bool) {
	h.once.Do(h.fill)
	slot, found := h.table.find(hash, func(i int32) bool { return h.Hashes[i] == hash })
	if !found {
		return 0, false
	}
	return Gram(h.table.slots[slot] - 1), true
}

// table is a hash table with open addressing that is at most half full. A slot holds an index plus one, or 0.
type table struct {
	slots []int32
	shift uint
}

func newTable(n int) table {
	size, shift := 16, uint(60)
	for size < 2*n {
		size, shift = size*2, shift-1
	}
	return table{slots: make([]int32, size), shift: shift}
}

// find returns the slot of the entry with the hash, or the free slot where it belongs.
func (t table) find(hash uint64, same func(int32) bool) (slot int, found bool) {
	for slot = int(hash >> t.shift); ; slot = (slot + 1) & (len(t.slots) - 1) {
		switch i := t.slots[slot]; {
		case i == 0:
			return slot, false
		case same(i - 1):
			return slot, true
		}
	}
}
