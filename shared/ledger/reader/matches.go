package reader

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"mailgap/shared/fingerprint"
	"mailgap/shared/ledger"
	"mailgap/shared/ledger/internal/book"
)

const (
	defaultMatches = 100
	maxDomains     = 4
	maxOthers      = 100
)

// Matches returns the messages that share fingerprints with q, the one with the most hits first, at most max (0: 100).
func (r *Reader) Matches(ctx context.Context, q *fingerprint.Query, max int) ([]Match, error) {
	if max <= 0 {
		max = defaultMatches
	}
	var out []Match
	err := r.look(ctx, func(tx *sql.Tx) error {
		runs, err := r.index(ctx, tx)
		if err != nil {
			return err
		}
		g := &gathering{r: r, tx: tx, known: map[fingerprint.Gram]*common{}, hits: map[string][]Hit{}}
		for _, n := range r.order {
			if err := g.week(ctx, runs, r.epochs[n], q); err != nil {
				return err
			}
		}
		out, err = g.result(ctx, max)
		return err
	})
	return out, err
}

// gathering collects hits by message.
type gathering struct {
	r     *Reader
	tx    *sql.Tx
	known map[fingerprint.Gram]*common
	hits  map[string][]Hit // by reference
}

// common is how widely a fingerprint is known.
type common struct {
	domains []string
	own     bool
}

// week looks for q among what one week holds.
func (g *gathering) week(ctx context.Context, runs []*book.Run, e *book.Epoch, q *fingerprint.Query) error {
	var hits []book.Item
	var grams []fingerprint.Gram
	err := g.r.find(ctx, g.tx, runs, e, book.Ask(q.Hash(e.Text).Hashes), func(it book.Item, gram int32) {
		if it.Pos != book.SightingPosition {
			hits, grams = append(hits, it), append(grams, fingerprint.Gram(gram))
		}
	})
	if err != nil {
		return err
	}
	for i, it := range hits {
		at, ok := g.r.entry(it.Seq)
		if !ok {
			continue
		}
		b, err := g.r.brief(ctx, g.tx, at)
		if err != nil {
			return err
		}
		g.known[grams[i]] = g.known[grams[i]].add(b)
		g.hits[b.ref] = append(g.hits[b.ref], Hit{Hit: fingerprint.Hit{Gram: grams[i], Pos: uint32(it.Pos)}})
	}
	return nil
}

func (c *common) add(b brief) *common {
	if c == nil {
		c = &common{}
	}
	c.own = c.own || b.own
	if b.domain != "" && len(c.domains) < maxDomains && !slices.Contains(c.domains, b.domain) {
		c.domains = append(c.domains, b.domain)
	}
	return c
}

// result reads the messages with the most hits.
func (g *gathering) result(ctx context.Context, max int) ([]Match, error) {
	refs := slices.SortedFunc(maps.Keys(g.hits), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(g.hits[b]), len(g.hits[a])), cmp.Compare(a, b))
	})
	var out []Match
	for _, ref := range refs[:min(len(refs), max)] {
		m, _, err := g.r.message(ctx, g.tx, ref)
		if err != nil {
			return nil, err
		}
		list := g.hits[ref]
		for i := range list {
			c := g.known[list[i].Gram]
			list[i].Domains, list[i].Own = len(c.domains), c.own
		}
		slices.SortFunc(list, func(a, b Hit) int { return cmp.Or(cmp.Compare(a.Pos, b.Pos), cmp.Compare(a.Gram, b.Gram)) })
		out = append(out, Match{Message: m, Hits: list})
	}
	return out, nil
}

// Sightings returns for each identifier where it was seen first; nil for one that is not in the book. The result has the
// order and length of ids.
func (r *Reader) Sightings(ctx context.Context, ids []fingerprint.Identifier) ([]*Sighting, error) {
	out := make([]*Sighting, len(ids))
	err := r.look(ctx, func(tx *sql.Tx) error {
		runs, err := r.index(ctx, tx)
		if err != nil {
			return err
		}
		firsts := make([]first, len(ids))
		for _, n := range r.order {
			if err := r.sightWeek(ctx, tx, runs, r.epochs[n], ids, firsts); err != nil {
				return err
			}
		}
		for i, f := range firsts {
			if f.seq == 0 {
				continue
			}
			if out[i], err = r.sighting(ctx, tx, f, ids[i]); err != nil {
				return err
			}
		}
		return nil
	})
	return out, err
}

// first is the oldest entry with an identifier, and the messages that have it.
type first struct {
	seq  int64
	refs map[string]bool
}

func (r *Reader) sightWeek(ctx context.Context, tx *sql.Tx, runs []*book.Run, e *book.Epoch, ids []fingerprint.Identifier, firsts []first) error {
	hashes := make([]uint64, len(ids))
	for i, id := range ids {
		hashes[i] = book.DigestHash(id.Digest(e.ID))
	}
	type hit struct {
		seq int64
		id  int32
	}
	var hits []hit
	err := r.find(ctx, tx, runs, e, book.Ask(hashes), func(it book.Item, i int32) {
		if it.Pos == book.SightingPosition {
			hits = append(hits, hit{it.Seq, i})
		}
	})
	if err != nil {
		return err
	}
	slices.SortFunc(hits, func(a, b hit) int { return cmp.Compare(a.seq, b.seq) })
	for _, h := range hits {
		at, ok := r.entry(h.seq)
		if !ok {
			continue
		}
		f := &firsts[h.id]
		if f.seq == 0 {
			f.seq, f.refs = h.seq, map[string]bool{}
		}
		if len(f.refs) > maxOthers {
			continue
		}
		b, err := r.brief(ctx, tx, at)
		if err != nil {
			return err
		}
		f.refs[b.ref] = true
	}
	return nil
}

// sighting reads where in its message an identifier was.
func (r *Reader) sighting(ctx context.Context, tx *sql.Tx, f first, id fingerprint.Identifier) (*Sighting, error) {
	at, _ := r.entry(f.seq)
	e := r.epochs[at.epoch]
	facts, b, err := book.Load(ctx, tx, e, f.seq, true, true)
	if err != nil {
		return nil, err
	}
	d := id.Digest(e.ID)
	i := slices.IndexFunc(b.Sightings, func(s book.Sighting) bool { return s.Digest == d })
	if i < 0 {
		return nil, fmt.Errorf("%w: index and entry %d disagree", ledger.ErrCorrupt, f.seq)
	}
	m, _, err := r.message(ctx, tx, facts.Ref)
	if err != nil {
		return nil, err
	}
	return &Sighting{Place: b.Sightings[i].Place, At: timeOf(at.at), Message: m, Others: len(f.refs) - 1}, nil
}

// size is how many octets the book takes on the disk.
func size(dir string) (n int64) {
	for _, name := range []string{book.DatabaseName, book.DatabaseName + "-wal", book.DatabaseName + "-shm"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil {
			n += info.Size()
		}
	}
	return n
}
