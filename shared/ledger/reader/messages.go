package reader

import (
	"context"
	"database/sql"
	"slices"
	"strings"
	"time"

	"mailgap/shared/ledger"
	"mailgap/shared/ledger/internal/book"
)

// Message returns what is known of the message with this reference (a section is ignored). ok is false if it was not read.
func (r *Reader) Message(ctx context.Context, ref string) (m ledger.Message, ok bool, err error) {
	ref, _, _ = strings.Cut(ref, "/;SECTION=")
	err = r.look(ctx, func(tx *sql.Tx) error {
		m, ok, err = r.message(ctx, tx, ref)
		return err
	})
	return m, ok, err
}

// message gathers all entries about ref.
func (r *Reader) message(ctx context.Context, tx *sql.Tx, ref string) (m ledger.Message, ok bool, err error) {
	for _, n := range r.order {
		e := r.epochs[n]
		seqs, err := column(ctx, tx, "SELECT seq FROM log WHERE about = ? AND about <> 0 ORDER BY seq", e.About(ref))
		if err != nil {
			return m, false, err
		}
		prints := 0
		for _, seq := range seqs {
			at, there := r.entry(seq)
			if !there {
				continue
			}
			f, b, err := book.Load(ctx, tx, e, seq, true, true)
			if err != nil {
				return m, false, err
			}
			prints += len(b.Prints)
			take(&m, f, at.at, ok)
			m.Partly, m.Prints, m.Octets = m.Partly || b.Partly, max(m.Prints, prints), max(m.Octets, b.Octets)
			ok = true
		}
	}
	return m, ok, nil
}

// take adds what an entry says: of facts the newest complete ones count.
func take(m *ledger.Message, f ledger.Facts, at int64, more bool) {
	if !more {
		m.FirstRead = timeOf(at)
	}
	m.LastRead = timeOf(at)
	if more && m.Complete && !f.Complete {
		m.Confidential, m.Own = f.Confidential, f.Own
		return
	}
	m.Facts = f
}

func column(ctx context.Context, tx *sql.Tx, query string, args ...any) ([]int64, error) {
	rows, err := tx.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, book.DatabaseError(err)
	}
	defer rows.Close() // its error is rows.Err
	var out []int64
	for rows.Next() {
		var n int64
		if err := rows.Scan(&n); err != nil {
			return nil, book.DatabaseError(err)
		}
		out = append(out, n)
	}
	return out, book.DatabaseError(rows.Err())
}

// ByMessageID returns the messages with this Message-ID (without angle brackets), oldest first: anybody can use one again. Of
// messages that were only listed the Message-ID is not known.
func (r *Reader) ByMessageID(ctx context.Context, id string) ([]ledger.Message, error) {
	var out []ledger.Message
	err := r.look(ctx, func(tx *sql.Tx) error {
		refs := map[string]bool{}
		for _, n := range r.order {
			seqs, err := column(ctx, tx, "SELECT seq FROM log WHERE mid = ? AND mid <> 0 ORDER BY seq", r.epochs[n].MessageID(id))
			if err != nil {
				return err
			}
			for _, seq := range seqs {
				e, there := r.entry(seq)
				if !there {
					continue
				}
				b, err := r.brief(ctx, tx, e)
				if err != nil {
					return err
				}
				if refs[b.ref] {
					continue
				}
				refs[b.ref] = true
				m, _, err := r.message(ctx, tx, b.ref)
				if err != nil {
					return err
				}
				out = append(out, m)
			}
		}
		slices.SortStableFunc(out, func(a, b ledger.Message) int { return a.FirstRead.Compare(b.FirstRead) })
		return nil
	})
	return out, err
}

// Confidential returns when a message of a mailbox labelled confidential was last handed out, since the given time at the
// earliest; ok is false if none was. Within an hour a message that is read again does not count anew.
func (r *Reader) Confidential(ctx context.Context, since time.Time) (at time.Time, m ledger.Message, ok bool, err error) {
	err = r.look(ctx, func(tx *sql.Tx) error {
		for i := len(r.entries) - 1; i >= 0 && r.entries[i].at >= since.UnixMicro(); i-- {
			b, err := r.brief(ctx, tx, r.entries[i])
			if err != nil {
				return err
			}
			if !b.confidential {
				continue
			}
			at = timeOf(r.entries[i].at)
			m, ok, err = r.message(ctx, tx, b.ref)
			return err
		}
		return nil
	})
	return at, m, ok, err
}

// Totals are counts of what the book holds now.
type Totals struct {
	Messages, Entries, Prints int
	Forgotten                 int // entries whose content was taken away
	Weeks                     []Week
	Octets                    int64 // of the database file and its log
}

// Week is one week of the book.
type Week struct {
	From     time.Time
	Messages int
	Entries  int
}

// Totals counts what the book holds, for a person. It opens every entry. Errors: see Reader.
func (r *Reader) Totals(ctx context.Context) (Totals, error) {
	var t Totals
	err := r.look(ctx, func(tx *sql.Tx) error {
		refs := map[string]bool{}
		weeks := map[int64]*Week{}
		perWeek := map[int64]bool{}
		for _, e := range r.entries {
			f, b, err := book.Load(ctx, tx, r.epochs[e.epoch], e.seq, true, true)
			if err != nil {
				return err
			}
			w := weeks[e.epoch]
			if w == nil {
				w = &Week{From: time.UnixMicro(e.epoch * ledger.Week.Microseconds())}
				weeks[e.epoch] = w
			}
			t.Entries++
			w.Entries++
			t.Prints += len(b.Prints)
			refs[f.Ref] = true
			if !perWeek[e.about] {
				perWeek[e.about] = true
				w.Messages++
			}
		}
		t.Messages = len(refs)
		for _, w := range weeks {
			t.Weeks = append(t.Weeks, *w)
		}
		slices.SortFunc(t.Weeks, func(a, b Week) int { return a.From.Compare(b.From) })
		gone, err := column(ctx, tx, "SELECT count(*) FROM log WHERE gone <> 0")
		if err != nil {
			return err
		}
		t.Forgotten = int(gone[0])
		t.Octets = size(r.dir)
		return nil
	})
	return t, err
}
