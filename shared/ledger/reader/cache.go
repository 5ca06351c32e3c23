package reader

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"sort"
	"time"

	"mailgap/shared/ledger"
	"mailgap/shared/ledger/internal/book"
)

// cache is what a Reader keeps in memory of the book: numbers of entries, the index, and a few facts of messages that were found.
type cache struct {
	epochs  map[int64]*book.Epoch
	order   []int64         // weeks that have a key, ascending
	entries []entry         // of kind record and not forgotten, ascending by seq
	newest  map[int64]int64 // keyed name of a message in its week to its newest entry
	synced  int64           // entries holds everything up to here
	events  int64           // the last entry that was no record
	runs    map[int64]*book.Run
	tail    tail
	briefs  map[int64]brief // by entry
}

// entry is one entry of the log.
type entry struct{ seq, epoch, at, about int64 }

// brief is what matters of the message of an entry to whoever counts hits.
type brief struct {
	ref          string
	domain       string // confirmed domain of the author, or ""
	own          bool
	confidential bool
}

const maxBriefs = 200_000 // Limit: about 20 MB

func (c *cache) reset() {
	*c = cache{epochs: map[int64]*book.Epoch{}, newest: map[int64]int64{}, runs: map[int64]*book.Run{}, briefs: map[int64]brief{}}
}

// sync brings the list of entries up to date.
func (r *Reader) sync(ctx context.Context, tx *sql.Tx) error {
	var events, newest int64
	const q = "SELECT (SELECT coalesce(max(seq), 0) FROM log WHERE kind <> 1), (SELECT coalesce(max(seq), 0) FROM log)"
	if err := tx.QueryRowContext(ctx, q).Scan(&events, &newest); err != nil {
		return book.DatabaseError(err)
	}
	if events != r.events || newest < r.synced {
		r.cache.reset()
		r.events = events
	}
	if err := r.syncEpochs(ctx, tx); err != nil {
		return err
	}
	rows, err := tx.QueryContext(ctx, "SELECT seq, epoch, at, about FROM log WHERE seq > ? AND kind = 1 AND gone = 0 ORDER BY seq", r.synced)
	if err != nil {
		return book.DatabaseError(err)
	}
	for rows.Next() {
		var e entry
		if err := rows.Scan(&e.seq, &e.epoch, &e.at, &e.about); err != nil {
			return errors.Join(book.DatabaseError(err), rows.Close())
		}
		if r.epochs[e.epoch] == nil {
			return errors.Join(fmt.Errorf("%w: the key of the week of entry %d is gone", ledger.ErrCorrupt, e.seq), rows.Close())
		}
		r.entries = append(r.entries, e)
		r.newest[e.about], r.synced = e.seq, e.seq
	}
	return book.DatabaseError(errors.Join(rows.Err(), rows.Close()))
}

// syncEpochs opens the keys of the weeks.
func (r *Reader) syncEpochs(ctx context.Context, tx *sql.Tx) error {
	rows, err := tx.QueryContext(ctx, "SELECT n, wrapped FROM epoch ORDER BY n")
	if err != nil {
		return book.DatabaseError(err)
	}
	r.order = r.order[:0]
	for rows.Next() {
		var n int64
		var wrapped []byte
		if err := rows.Scan(&n, &wrapped); err != nil {
			return errors.Join(book.DatabaseError(err), rows.Close())
		}
		if e := r.epochs[n]; e == nil || !e.Wraps(wrapped) {
			e, err := r.book.Keys.OpenEpoch(n, wrapped)
			if err != nil {
				return errors.Join(err, rows.Close())
			}
			r.epochs[n] = e
		}
		r.order = append(r.order, n)
	}
	return book.DatabaseError(errors.Join(rows.Err(), rows.Close()))
}

// entry returns the entry with this number, if it is there and not too old.
func (r *Reader) entry(seq int64) (entry, bool) {
	i := sort.Search(len(r.entries), func(i int) bool { return r.entries[i].seq >= seq })
	if i == len(r.entries) || r.entries[i].seq != seq || r.tooOld(r.entries[i].at) {
		return entry{}, false
	}
	return r.entries[i], true
}

func (r *Reader) tooOld(at int64) bool {
	return at < r.opts.Clock().Add(-ledger.Retention).UnixMicro()
}

// brief returns what is known now of the message that e is about.
func (r *Reader) brief(ctx context.Context, tx *sql.Tx, e entry) (brief, error) {
	seq := r.newest[e.about]
	if b, ok := r.briefs[seq]; ok {
		return b, nil
	}
	f, _, err := book.Load(ctx, tx, r.epochs[e.epoch], seq, true, false)
	if err != nil {
		return brief{}, err
	}
	b := brief{ref: f.Ref, own: f.Own, confidential: f.Confidential}
	if f.Author == ledger.AuthorVerified {
		b.domain = f.AuthorDomain
	}
	if len(r.briefs) >= maxBriefs {
		clear(r.briefs)
	}
	r.briefs[seq] = b
	return b, nil
}

// tail is the index of the entries that no run covers.
type tail struct {
	seqs  []int64
	items map[int64]map[uint64][]book.Item // by week and hash
}

// run returns an open run.
func (r *Reader) run(ctx context.Context, tx *sql.Tx, e *book.Epoch, id int64, s book.Span, entries int) (*book.Run, error) {
	if run := r.runs[id]; run != nil && run.Span == s && run.Epoch == e.N {
		return run, nil
	}
	var head []byte
	if err := tx.QueryRowContext(ctx, "SELECT head FROM run WHERE id = ?", id).Scan(&head); err != nil {
		return nil, book.DatabaseError(err)
	}
	run, err := book.OpenRun(e, id, s, entries, head)
	if err == nil {
		r.runs[id] = run
	}
	return run, err
}

// index returns the runs of the book and brings the tail up to date. A run that overlaps another one, or whose week has no key, is
// not used; what it covers is read from the log.
func (r *Reader) index(ctx context.Context, tx *sql.Tx) ([]*book.Run, error) {
	rows, err := tx.QueryContext(ctx, "SELECT id, epoch, first, last, entries FROM run ORDER BY first, last")
	if err != nil {
		return nil, book.DatabaseError(err)
	}
	type row struct {
		id, epoch int64
		s         book.Span
		entries   int
	}
	var list []row
	for rows.Next() {
		var w row
		if err := rows.Scan(&w.id, &w.epoch, &w.s.First, &w.s.Last, &w.entries); err != nil {
			return nil, errors.Join(book.DatabaseError(err), rows.Close())
		}
		list = append(list, w)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return nil, book.DatabaseError(err)
	}
	var out []*book.Run
	var spans []book.Span
	kept := map[int64]*book.Run{}
	for _, w := range list {
		e := r.epochs[w.epoch]
		if e == nil || len(spans) > 0 && w.s.First <= spans[len(spans)-1].Last {
			continue
		}
		run, err := r.run(ctx, tx, e, w.id, w.s, w.entries)
		if err != nil {
			return nil, err
		}
		out, spans, kept[w.id] = append(out, run), append(spans, w.s), run
	}
	r.runs = kept
	return out, r.syncTail(ctx, tx, spans)
}

// syncTail loads what no run covers.
func (r *Reader) syncTail(ctx context.Context, tx *sql.Tx, spans []book.Span) error {
	var seqs []int64
	var open []entry
	at := 0
	for _, e := range r.entries {
		for at < len(spans) && spans[at].Last < e.seq {
			at++
		}
		if at < len(spans) && spans[at].First <= e.seq {
			continue
		}
		seqs, open = append(seqs, e.seq), append(open, e)
	}
	n := len(r.tail.seqs)
	if n > len(seqs) || !slices.Equal(r.tail.seqs, seqs[:n]) {
		n, r.tail = 0, tail{}
	}
	if r.tail.items == nil {
		r.tail.items = map[int64]map[uint64][]book.Item{}
	}
	for _, e := range open[n:] {
		_, b, err := book.Load(ctx, tx, r.epochs[e.epoch], e.seq, false, true)
		if err != nil {
			r.tail = tail{}
			return err
		}
		if r.tail.items[e.epoch] == nil {
			r.tail.items[e.epoch] = map[uint64][]book.Item{}
		}
		for _, it := range b.Items(e.seq) {
			r.tail.items[e.epoch][it.Hash] = append(r.tail.items[e.epoch][it.Hash], it)
		}
		r.tail.seqs = append(r.tail.seqs, e.seq)
	}
	return nil
}

// find looks for what is asked among what week e holds.
func (r *Reader) find(ctx context.Context, tx *sql.Tx, runs []*book.Run, e *book.Epoch, asked []book.Asked, found func(book.Item, int32)) error {
	for _, run := range runs {
		if run.Epoch != e.N {
			continue
		}
		if err := run.Find(ctx, tx, e, asked, found); err != nil {
			return err
		}
	}
	if items := r.tail.items[e.N]; len(items) > 0 {
		for _, a := range asked {
			for _, it := range items[a.Hash] {
				found(it, a.Index)
			}
		}
	}
	return nil
}

func timeOf(at int64) time.Time { return time.UnixMicro(at) }
