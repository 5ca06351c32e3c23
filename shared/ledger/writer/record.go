package writer

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"

	"mailgap/shared/ledger"
	"mailgap/shared/ledger/internal/book"
)

const (
	maxSeen      = 8192      // digests kept in memory, about 600 kB
	refreshAfter = time.Hour // a confidential message that is read again counts anew
)

// Record puts what a tool result hands out on the disk, in one transaction, and returns when it is there. What is known already
// costs no write. After an error nothing may be handed out. Records of one reference are joined. It blocks while another process
// writes, for seconds at most; a context that ends stops it before the transaction and not within it. Errors: those of package
// ledger.
func (w *Writer) Record(ctx context.Context, records []ledger.Record) error {
	list, err := join(records)
	if err != nil || len(list) == 0 {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), transactionTime)
	defer cancel()
	if err := w.ready(ctx); err != nil {
		return err
	}
	now := w.opts.Clock().Round(0)
	digests := make([][32]byte, len(list))
	for i, r := range list {
		digests[i] = digestOf(r, now)
	}
	news, err := w.unseen(ctx, list, digests)
	if err != nil || len(news) == 0 {
		return err
	}
	if err := w.write(ctx, news, now); err != nil {
		return err
	}
	for _, d := range digests {
		if len(w.seen) >= maxSeen {
			clear(w.seen)
		}
		w.seen[d] = true
	}
	w.tidy(ctx)
	return nil
}

// join puts the records of one message together, in the order of their first ones, and bounds what they hold.
func join(records []ledger.Record) ([]ledger.Record, error) {
	at := map[string]int{}
	var out []ledger.Record
	for _, r := range records {
		if r.Ref == "" || len(r.Ref) > maxRefOctets {
			return nil, ledger.ErrRecord
		}
		i, ok := at[r.Ref]
		if !ok {
			at[r.Ref] = len(out)
			out = append(out, ledger.Record{Facts: bound(r.Facts), Texts: r.Texts})
			continue
		}
		out[i].Facts = merge(out[i].Facts, bound(r.Facts))
		out[i].Texts = append(out[i].Texts[:len(out[i].Texts):len(out[i].Texts)], r.Texts...)
	}
	return out, nil
}

// digestOf names a record in memory, within its week.
func digestOf(r ledger.Record, now time.Time) [32]byte {
	h := sha256.New()
	facts, _ := book.EncodeFacts(r.Facts) // fails for a date beyond year 9999 alone, which bound removes
	write := func(s string) {
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(s)))) // a hash never fails
		io.WriteString(h, s)
	}
	write(string(facts))
	for _, t := range r.Texts {
		write(string(t.Place))
		write(t.Text)
	}
	turn := now.Unix() / int64(ledger.Week/time.Second)
	if r.Confidential {
		turn = now.Unix() / int64(refreshAfter/time.Second)
	}
	h.Write(binary.BigEndian.AppendUint64(nil, uint64(turn)))
	return [32]byte(h.Sum(nil))
}

// unseen returns the records that were not recorded by this Writer in this state of the book.
func (w *Writer) unseen(ctx context.Context, list []ledger.Record, digests [][32]byte) ([]ledger.Record, error) {
	if len(w.seen) > 0 {
		var events int64
		if err := w.book.DB.QueryRowContext(ctx, "SELECT coalesce(max(seq), 0) FROM log WHERE kind <> 1").Scan(&events); err != nil {
			return nil, book.DatabaseError(err)
		}
		there, err := book.Reaches(ctx, w.book.DB, book.Position{}, w.mark)
		if err != nil {
			return nil, err
		}
		if events != w.events || !there {
			clear(w.seen)
			w.events = events
		}
	}
	var out []ledger.Record
	for i, r := range list {
		if !w.seen[digests[i]] {
			out = append(out, r)
		}
	}
	return out, nil
}

// write appends what is new in list, in one transaction.
func (w *Writer) write(ctx context.Context, list []ledger.Record, now time.Time) error {
	return w.append(ctx, now, func(a *appender) error {
		if err := a.expire(ctx); err != nil {
			return err
		}
		e, err := a.epoch(ctx)
		if err != nil {
			return err
		}
		for _, r := range list {
			if err := a.record(ctx, e, r); err != nil {
				return err
			}
		}
		return nil
	})
}

// appender is one write transaction.
type appender struct {
	w    *Writer
	tx   *sql.Tx
	now  time.Time
	at   int64 // of new entries: now, but never before the newest entry
	last book.Position
	n    int64 // week of new entries: never before that of the newest entry
	wide bool  // something was appended
}

// append runs f in a write transaction and then remembers the new head.
func (w *Writer) append(ctx context.Context, now time.Time, f func(*appender) error) error {
	tx, err := w.book.DB.BeginTx(ctx, nil)
	if err != nil {
		return book.DatabaseError(err)
	}
	defer tx.Rollback() // after Commit it does nothing
	last, newest, err := book.Newest(ctx, tx)
	if err != nil {
		return err
	}
	a := &appender{w: w, tx: tx, now: now, at: max(now.UnixMicro(), newest.At), last: last}
	a.n = max(a.at/ledger.Week.Microseconds(), newest.Epoch)
	if last.Seq == 0 {
		a.last.Mac = w.book.Keys.Genesis()
	}
	advance, err := w.mayAdvance(ctx, tx, last)
	if err != nil {
		return err
	}
	if err := f(a); err != nil {
		return err
	}
	if !a.wide {
		w.mark = a.last
		return nil // Rollback: nothing was written
	}
	w.opts.step("entries, before the commit")
	if err := tx.Commit(); err != nil {
		return book.DatabaseError(err)
	}
	w.opts.step("entries, before the head")
	w.mark = a.last
	if advance {
		err = book.OverwriteHead(w.book.Keys, book.HeadPath(w.dir), a.last)
	}
	w.opts.step("entries, after the head")
	return err
}

// mayAdvance reports whether the head beside the book may follow the chain. It may not when the chain does not hold the entry
// that the head names: then the difference stays for the sender to see.
func (w *Writer) mayAdvance(ctx context.Context, tx *sql.Tx, last book.Position) (bool, error) {
	head, err := book.ReadHead(w.book.Keys, book.HeadPath(w.dir))
	holds := err == nil
	if holds && head.Seq == last.Seq && last.Seq == 0 {
		return true, nil
	}
	if holds {
		base, err := book.Base(ctx, tx, w.book.Keys)
		if err != nil && !errors.Is(err, book.ErrChain) {
			return false, err
		}
		if holds, err = book.Reaches(ctx, tx, base, head); err != nil {
			return false, err
		}
	}
	if !holds && !w.lag {
		w.lag = true
		w.opts.Logger.Warn("the ledger does not hold the entry that was its newest; smtp-mcp will raise the level of questions. hint: imap-mcp ledger says what is wrong")
	}
	return holds, nil
}

// add appends one entry.
func (a *appender) add(ctx context.Context, kind, about, mid int64, head, body []byte) error {
	m := a.w.book.Keys.Mac()
	e := &book.Entry{Seq: a.last.Seq + 1, Epoch: a.n, At: a.at, Kind: kind, About: about, MessageID: mid, Digest: book.ContentDigest(head, body)}
	e.Tags = book.TagSum(m, e.Seq, about, mid)
	e.Mac = book.Code(m, a.last.Mac, e)
	_, err := a.tx.ExecContext(ctx, "INSERT INTO log (seq, epoch, at, kind, about, mid, tags, digest, mac) VALUES (?,?,?,?,?,?,?,?,?)",
		e.Seq, e.Epoch, e.At, e.Kind, e.About, e.MessageID, e.Tags, e.Digest, e.Mac)
	if err != nil {
		return book.DatabaseError(err)
	}
	if _, err := a.tx.ExecContext(ctx, "INSERT INTO content (seq, head, body) VALUES (?,?,?)", e.Seq, head, append([]byte{}, body...)); err != nil {
		return book.DatabaseError(err)
	}
	a.last, a.wide = book.Position{Seq: e.Seq, Mac: e.Mac}, true
	return nil
}

// epoch returns the key of the week of new entries and makes it in the first entry of a week.
func (a *appender) epoch(ctx context.Context) (*book.Epoch, error) {
	e, err := a.w.openEpoch(ctx, a.tx, a.n)
	if !errors.Is(err, sql.ErrNoRows) {
		return e, err
	}
	e, wrapped, err := a.w.book.Keys.NewEpoch(a.n, a.w.opts.Random)
	if err != nil {
		return nil, err
	}
	if _, err := a.tx.ExecContext(ctx, "INSERT INTO epoch (n, wrapped) VALUES (?, ?)", a.n, wrapped); err != nil {
		return nil, book.DatabaseError(err)
	}
	return e, nil // remembered once it is committed and read again
}

// openEpoch returns the key of week n; sql.ErrNoRows if it has none.
func (w *Writer) openEpoch(ctx context.Context, q book.Querier, n int64) (*book.Epoch, error) {
	var wrapped []byte
	if err := q.QueryRowContext(ctx, "SELECT wrapped FROM epoch WHERE n = ?", n).Scan(&wrapped); err != nil {
		if errors.Is(err, sql.ErrNoRows) {
			delete(w.epochs, n)
			return nil, err
		}
		return nil, book.DatabaseError(err)
	}
	if e := w.epochs[n]; e != nil && e.Wraps(wrapped) {
		return e, nil
	}
	e, err := w.book.Keys.OpenEpoch(n, wrapped)
	if err == nil {
		w.epochs[n] = e
	}
	return e, err
}

// record appends what r adds to what is known of its message in this week; nothing if it adds nothing.
func (a *appender) record(ctx context.Context, e *book.Epoch, r ledger.Record) error {
	about := e.About(r.Ref)
	k, err := a.known(ctx, e, about)
	if err != nil {
		return err
	}
	body, facts, changed := k.add(e, r)
	stale := r.Confidential && a.at-k.at >= refreshAfter.Microseconds()
	if k.entries > 0 && !changed && !stale {
		return nil
	}
	head, err := book.EncodeFacts(facts)
	if err != nil {
		return err
	}
	seq := a.last.Seq + 1
	if head, err = e.Seal(a.w.opts.Random, head, book.FactsName(seq)); err != nil {
		return err
	}
	sealed, err := e.Seal(a.w.opts.Random, book.EncodeBody(body), book.BodyName(seq))
	if err != nil {
		return err
	}
	return a.add(ctx, book.KindRecord, about, e.MessageID(facts.MessageID), head, sealed)
}

// known loads what this week holds of a message.
func (a *appender) known(ctx context.Context, e *book.Epoch, about int64) (*known, error) {
	rows, err := a.tx.QueryContext(ctx, "SELECT seq, at FROM log WHERE about = ? AND about <> 0 ORDER BY seq", about)
	if err != nil {
		return nil, book.DatabaseError(err)
	}
	var seqs []int64
	k := newKnown()
	for rows.Next() {
		var seq int64
		if err := rows.Scan(&seq, &k.at); err != nil {
			return nil, errors.Join(book.DatabaseError(err), rows.Close())
		}
		seqs = append(seqs, seq)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return nil, book.DatabaseError(err)
	}
	for _, seq := range seqs {
		f, b, err := book.Load(ctx, a.tx, e, seq, true, true)
		if err != nil {
			return nil, fmt.Errorf("entry %d: %w", seq, err)
		}
		k.take(f, b)
	}
	return k, nil
}
