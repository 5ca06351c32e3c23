package writer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"mailgap/shared/ledger"
	"mailgap/shared/ledger/internal/book"
)

// Forget says what is to be forgotten: exactly one field is set.
type Forget struct {
	Ref     string // a message, by its reference without section
	Mailbox string // all messages of a mailbox, by its name, whatever the account
	All     bool   // everything; the keys of all weeks go too
}

// Forget removes what is known of messages: content, keyed names, fingerprints and the index of them, from the database and its
// log files. What stays is the number of each entry, its time, and the digest of what was sealed, so that the chain holds;
// an entry says what was done. It returns how many entries lost their content; a message has one or a few. It blocks while other
// processes write. Errors: those of package ledger; ErrNoLedger if there is no book. Removing takes
// effect even when a process that reads the book keeps a part of the log file alive for a while; then the error is ErrBusy, and
// calling it again finishes the work.
func (w *Writer) Forget(ctx context.Context, f Forget) (entries int, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !book.Exists(w.dir) {
		return 0, ledger.ErrNoLedger
	}
	ctx = context.WithoutCancel(ctx)
	if err := w.ready(ctx); err != nil {
		return 0, err
	}
	now := w.opts.Clock().Round(0)
	err = w.append(ctx, now, func(a *appender) error {
		if f.All {
			entries, err = a.forgetAll(ctx)
			return err
		}
		seqs, err := a.entriesOf(ctx, f)
		if err != nil || len(seqs) == 0 {
			return err
		}
		entries = len(seqs)
		return a.forget(ctx, seqs)
	})
	if err != nil {
		return 0, err
	}
	clear(w.seen)
	if f.All {
		if err := w.acceptHead(ctx); err != nil {
			return entries, err
		}
	}
	w.tidy(ctx)
	return entries, w.cutLog(ctx)
}

// cutLog moves the write-ahead log into the database and empties it, within a second or so.
func (w *Writer) cutLog(ctx context.Context) error {
	for range 50 {
		if done, err := w.tryCutLog(ctx); err != nil || done {
			return err
		}
		<-time.NewTimer(20 * time.Millisecond).C
	}
	return fmt.Errorf("%w: another process reads", ledger.ErrBusy)
}

// tryCutLog reports whether it could be done now. The next record tries again if it could not.
func (w *Writer) tryCutLog(ctx context.Context) (bool, error) {
	var busy, frames, moved int
	if err := w.book.DB.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &frames, &moved); err != nil {
		return false, book.DatabaseError(err)
	}
	w.cut = busy != 0
	return busy == 0, nil
}

// entriesOf finds the entries that f is about.
func (a *appender) entriesOf(ctx context.Context, f Forget) ([]int64, error) {
	if f.Ref == "" && f.Mailbox == "" {
		return nil, ledger.ErrRecord
	}
	epochs, err := a.w.allEpochs(ctx, a.tx)
	if err != nil {
		return nil, err
	}
	var out []int64
	for _, e := range epochs {
		query, arg := "SELECT seq FROM log WHERE kind = 1 AND gone = 0 AND epoch = ?", e.N
		if f.Ref != "" {
			query, arg = "SELECT seq FROM log WHERE about = ? AND about <> 0", e.About(f.Ref)
		}
		seqs, err := numbers(ctx, a.tx, query, arg)
		if err != nil {
			return nil, err
		}
		for _, seq := range seqs {
			if f.Ref == "" {
				facts, _, err := book.Load(ctx, a.tx, e, seq, true, false)
				if err != nil {
					return nil, err
				}
				if facts.Mailbox != f.Mailbox {
					continue
				}
			}
			out = append(out, seq)
		}
	}
	slices.Sort(out)
	return out, nil
}

func (w *Writer) allEpochs(ctx context.Context, q book.Querier) ([]*book.Epoch, error) {
	ns, err := numbers(ctx, q, "SELECT n FROM epoch ORDER BY n")
	if err != nil {
		return nil, err
	}
	var out []*book.Epoch
	for _, n := range ns {
		e, err := w.openEpoch(ctx, q, n)
		if err != nil {
			return nil, err
		}
		out = append(out, e)
	}
	return out, nil
}

// numbers reads a column of numbers.
func numbers(ctx context.Context, q book.Querier, query string, args ...any) ([]int64, error) {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, book.DatabaseError(err)
	}
	var out []int64
	for rows.Next() {
		var n int64
		if err := rows.Scan(&n); err != nil {
			return nil, errors.Join(book.DatabaseError(err), rows.Close())
		}
		out = append(out, n)
	}
	return out, book.DatabaseError(errors.Join(rows.Err(), rows.Close()))
}

// forget takes the content of entries away and says so in a new one.
func (a *appender) forget(ctx context.Context, seqs []int64) error {
	if err := a.add(ctx, book.KindForget, 0, 0, book.Numbers(seqs), nil); err != nil {
		return err
	}
	by := a.last.Seq
	for _, seq := range seqs {
		if err := a.exec(ctx, "DELETE FROM content WHERE seq = ?", seq); err != nil {
			return err
		}
		if err := a.exec(ctx, "UPDATE log SET about = 0, mid = 0, gone = ? WHERE seq = ?", by, seq); err != nil {
			return err
		}
	}
	runs, err := listRuns(ctx, a.tx)
	if err != nil {
		return err
	}
	for _, r := range runs {
		at, _ := slices.BinarySearch(seqs, r.First)
		if at < len(seqs) && seqs[at] <= r.Last {
			if err := a.dropRun(ctx, r); err != nil {
				return err
			}
		}
	}
	return nil
}

func (a *appender) exec(ctx context.Context, query string, args ...any) error {
	_, err := a.tx.ExecContext(ctx, query, args...)
	return book.DatabaseError(err)
}

func (a *appender) dropRun(ctx context.Context, r runRow) error {
	if err := a.exec(ctx, "DELETE FROM block WHERE id >= ? AND id < ?", book.BlockRow(r.id, 0), book.BlockRow(r.id+1, 0)); err != nil {
		return err
	}
	return a.exec(ctx, "DELETE FROM run WHERE id = ?", r.id)
}

// forgetAll ends the history so far: nothing of it stays but the code of its last entry.
func (a *appender) forgetAll(ctx context.Context) (int, error) {
	var n int
	if err := a.tx.QueryRowContext(ctx, "SELECT count(*) FROM log WHERE kind = 1 AND gone = 0").Scan(&n); err != nil {
		return 0, book.DatabaseError(err)
	}
	for _, stmt := range []string{"DELETE FROM log", "DELETE FROM content", "DELETE FROM run", "DELETE FROM block", "DELETE FROM epoch"} {
		if err := a.exec(ctx, stmt); err != nil {
			return 0, err
		}
	}
	clear(a.w.epochs)
	return n, a.add(ctx, book.KindExpired, 0, 0, book.Expired(a.last), nil)
}

// slack is how long entries may stay beyond their time, so that the old end of the log is cut once a day and not in each call.
const slack = 24 * time.Hour

// expire takes away the entries that are older than ledger.Retention, and the keys of weeks that have none left.
func (a *appender) expire(ctx context.Context) error {
	oldest, err := numbers(ctx, a.tx, "SELECT at FROM log ORDER BY seq LIMIT 1")
	if err != nil || len(oldest) == 0 || oldest[0] > a.now.Add(-ledger.Retention-slack).UnixMicro() {
		return err
	}
	var cut book.Position
	row := a.tx.QueryRowContext(ctx, "SELECT seq, mac FROM log WHERE at < ? ORDER BY seq DESC LIMIT 1", a.now.Add(-ledger.Retention).UnixMicro())
	if err := row.Scan(&cut.Seq, &cut.Mac); err != nil {
		return book.DatabaseError(err)
	}
	runs, err := listRuns(ctx, a.tx)
	if err != nil {
		return err
	}
	for _, r := range runs {
		if r.First <= cut.Seq {
			if err := a.dropRun(ctx, r); err != nil {
				return err
			}
		}
	}
	for _, stmt := range []string{"DELETE FROM log WHERE seq <= ?", "DELETE FROM content WHERE seq <= ?"} {
		if err := a.exec(ctx, stmt, cut.Seq); err != nil {
			return err
		}
	}
	if err := a.exec(ctx, "DELETE FROM epoch WHERE n NOT IN (SELECT DISTINCT epoch FROM log WHERE kind = 1)"); err != nil {
		return err
	}
	a.w.cut = true
	return a.add(ctx, book.KindExpired, 0, 0, book.Expired(cut), nil)
}
