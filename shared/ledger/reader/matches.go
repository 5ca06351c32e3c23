package reader

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
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
		g := &gathering{r: r, tx: tx, byRef: map[string]*gathered{}}
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
	byRef map[string]*gathered
}

type gathered struct {
	ref   string
	hits  int
	parts []Part
}

// common is how widely a fingerprint is known.
type common struct {
	domains []string
	own     bool
}

// week looks for q among what one week holds.
func (g *gathering) week(ctx context.Context, runs []*book.Run, e *book.Epoch, q *fingerprint.Query) error {
	hashed := q.Hash(e.Text)
	var items []book.Item
	err := g.r.find(ctx, g.tx, runs, e, hashed.Hashes, func(it book.Item) {
		if it.Pos != book.SightingPosition {
			items = append(items, it)
		}
	})
	if err != nil {
		return err
	}
	known := map[uint64]*common{}
	hits := map[string][]Hit{}
	for _, it := range items {
		at, ok := g.r.entry(it.Seq)
		if !ok {
			continue
		}
		b, err := g.r.brief(ctx, g.tx, at)
		if err != nil {
			return err
		}
		known[it.Hash] = known[it.Hash].add(b)
		hits[b.ref] = append(hits[b.ref], Hit{Hit: fingerprint.Hit{Hash: it.Hash, Pos: uint32(it.Pos)}})
	}
	for ref, list := range hits {
		for i := range list {
			c := known[list[i].Hash]
			list[i].Domains, list[i].Own = len(c.domains), c.own
		}
		slices.SortFunc(list, func(a, b Hit) int { return cmp.Or(cmp.Compare(a.Pos, b.Pos), cmp.Compare(a.Hash, b.Hash)) })
		m := g.byRef[ref]
		if m == nil {
			m = &gathered{ref: ref}
			g.byRef[ref] = m
		}
		m.hits += len(list)
		m.parts = append(m.parts, Part{Hashed: hashed, Hits: list})
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

func (g *gathering) result(ctx context.Context, max int) ([]Match, error) {
	var all []*gathered
	for _, m := range g.byRef {
		all = append(all, m)
	}
	slices.SortFunc(all, func(a, b *gathered) int { return cmp.Or(cmp.Compare(b.hits, a.hits), cmp.Compare(a.ref, b.ref)) })
	var out []Match
	for _, m := range all[:min(len(all), max)] {
		msg, _, err := g.r.message(ctx, g.tx, m.ref)
		if err != nil {
			return nil, err
		}
		out = append(out, Match{Message: msg, Parts: m.parts})
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
	which := map[uint64][]int{}
	var hashes []uint64
	for i, id := range ids {
		h := book.DigestHash(id.Digest(e.ID))
		if which[h] == nil {
			hashes = append(hashes, h)
		}
		which[h] = append(which[h], i)
	}
	slices.Sort(hashes)
	var items []book.Item
	err := r.find(ctx, tx, runs, e, hashes, func(it book.Item) {
		if it.Pos == book.SightingPosition {
			items = append(items, it)
		}
	})
	if err != nil {
		return err
	}
	slices.SortFunc(items, func(a, b book.Item) int { return cmp.Compare(a.Seq, b.Seq) })
	for _, it := range items {
		at, ok := r.entry(it.Seq)
		if !ok {
			continue
		}
		for _, i := range which[it.Hash] {
			f := &firsts[i]
			if f.seq == 0 {
				f.seq, f.refs = it.Seq, map[string]bool{}
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
