package writer

import (
	"context"
	"errors"

	"mailgap/shared/ledger/internal/book"
)

// maxMergedItems bounds the runs that merging makes. Limit: a merge holds them in memory, 24 octets each.
const maxMergedItems = 1 << 20

// runRow is a row of table run without its head.
type runRow struct {
	id, epoch int64
	book.Span
	entries, items int
}

// small reports whether a run is one of those that are merged.
func (r runRow) small() bool { return r.entries <= 2*book.RunEntries && r.items < maxMergedItems/2 }

func listRuns(ctx context.Context, q book.Querier) ([]runRow, error) {
	rows, err := q.QueryContext(ctx, "SELECT id, epoch, first, last, entries, prints FROM run ORDER BY first")
	if err != nil {
		return nil, book.DatabaseError(err)
	}
	var out []runRow
	for rows.Next() {
		var r runRow
		if err := rows.Scan(&r.id, &r.epoch, &r.First, &r.Last, &r.entries, &r.items); err != nil {
			return nil, errors.Join(book.DatabaseError(err), rows.Close())
		}
		out = append(out, r)
	}
	return out, book.DatabaseError(errors.Join(rows.Err(), rows.Close()))
}

// tidy indexes what is not indexed once that is worth it. The index is a cache: a failure costs the sender time, so it is logged
// and nothing else.
func (w *Writer) tidy(ctx context.Context) {
	if err := w.index(ctx); err != nil {
		w.opts.Logger.Warn("ledger index", "error", err)
	}
	if w.cut {
		if _, err := w.tryCutLog(ctx); err != nil {
			w.opts.Logger.Warn("ledger log file", "error", err)
		}
	}
	events, err := numbers(ctx, w.book.DB, "SELECT coalesce(max(seq), 0) FROM log WHERE kind <> 1")
	if err == nil && len(events) == 1 && events[0] != w.events {
		clear(w.seen)
		w.events = events[0]
	}
}

// index builds runs over what no run covers and merges small ones.
func (w *Writer) index(ctx context.Context) error {
	if due, err := w.due(ctx); err != nil || !due {
		return err
	}
	tx, err := w.book.DB.BeginTx(ctx, nil)
	if err != nil {
		return book.DatabaseError(err)
	}
	defer tx.Rollback() // after Commit it does nothing
	newest, _, err := book.Newest(ctx, tx)
	if err != nil {
		return err
	}
	a := &appender{w: w, tx: tx, last: newest}
	spans, _, err := uncovered(ctx, tx, newest.Seq)
	if err != nil {
		return err
	}
	for _, s := range spans {
		if err := a.cover(ctx, s); err != nil {
			return err
		}
	}
	if err := a.mergeRuns(ctx); err != nil {
		return err
	}
	w.opts.step("index, before the commit")
	err = tx.Commit()
	w.opts.step("index, after the commit")
	return book.DatabaseError(err)
}

// due reports whether there is enough for a run, or a hole between runs that holds something.
func (w *Writer) due(ctx context.Context) (bool, error) {
	spans, last, err := uncovered(ctx, w.book.DB, w.mark.Seq)
	if err != nil || w.mark.Seq-last >= book.RunEntries {
		return true, err
	}
	for _, s := range spans {
		if s.First > last {
			break
		}
		n, err := numbers(ctx, w.book.DB, "SELECT 1 FROM log WHERE seq BETWEEN ? AND ? AND kind = 1 AND gone = 0 LIMIT 1", s.First, s.Last)
		if err != nil || len(n) > 0 {
			return true, err
		}
	}
	return false, nil
}

// uncovered returns the ranges up to newest that no run covers, and where the last run ends.
func uncovered(ctx context.Context, q book.Querier, newest int64) (spans []book.Span, last int64, err error) {
	runs, err := listRuns(ctx, q)
	if err != nil {
		return nil, 0, err
	}
	oldest, err := numbers(ctx, q, "SELECT seq FROM log ORDER BY seq LIMIT 1")
	if err != nil || len(oldest) == 0 {
		return nil, newest, err
	}
	last = oldest[0] - 1
	if len(runs) > 0 {
		last = runs[len(runs)-1].Last
	}
	return book.Spans(spansOf(runs), oldest[0], newest), last, nil
}

func spansOf(runs []runRow) []book.Span {
	var out []book.Span
	for _, r := range runs {
		out = append(out, r.Span)
	}
	return out
}

// cover makes runs over a range that has none: one for each week and MaxRunSpan entries. What is left of the newest week waits
// until it is worth a run.
func (a *appender) cover(ctx context.Context, s book.Span) error {
	rows, err := a.tx.QueryContext(ctx, "SELECT seq, epoch, gone = 0 AND kind = 1 FROM log WHERE seq BETWEEN ? AND ? ORDER BY seq", s.First, s.Last)
	if err != nil {
		return book.DatabaseError(err)
	}
	type part struct {
		book.Span
		epoch int64
		seqs  []int64
	}
	var parts []part
	for rows.Next() {
		var seq, epoch int64
		var there bool
		if err := rows.Scan(&seq, &epoch, &there); err != nil {
			return errors.Join(book.DatabaseError(err), rows.Close())
		}
		if n := len(parts); n == 0 || parts[n-1].epoch != epoch || seq-parts[n-1].First >= book.MaxRunSpan || len(parts[n-1].seqs) == book.RunEntries {
			parts = append(parts, part{Span: book.Span{First: seq}, epoch: epoch})
		}
		p := &parts[len(parts)-1]
		p.Last = seq
		if there {
			p.seqs = append(p.seqs, seq)
		}
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return book.DatabaseError(err)
	}
	for i, p := range parts {
		if i == len(parts)-1 && p.Last == a.last.Seq && len(p.seqs) < book.RunEntries {
			return nil
		}
		if err := a.build(ctx, p.epoch, p.Span, p.seqs); err != nil {
			return err
		}
	}
	return nil
}

// build makes the run of s from the log. A span of a week whose key is gone holds no content, and its run is not needed.
func (a *appender) build(ctx context.Context, epoch int64, s book.Span, seqs []int64) error {
	if len(seqs) == 0 {
		return nil
	}
	e, err := a.w.openEpoch(ctx, a.tx, epoch)
	if err != nil {
		return err
	}
	var items []book.Item
	for _, seq := range seqs {
		_, b, err := book.Load(ctx, a.tx, e, seq, false, true)
		if err != nil {
			return err
		}
		items = append(items, b.Items(seq)...)
	}
	return a.putRun(ctx, e, s, len(seqs), items)
}

func (a *appender) putRun(ctx context.Context, e *book.Epoch, s book.Span, entries int, items []book.Item) error {
	book.SortItems(items)
	sealed, err := book.SealRun(e, a.w.opts.Random, s, items)
	if err != nil {
		return err
	}
	res, err := a.tx.ExecContext(ctx, "INSERT INTO run (epoch, first, last, entries, prints, head) VALUES (?,?,?,?,?,?)", e.N, s.First, s.Last, entries, len(items), sealed.Head)
	if err != nil {
		return book.DatabaseError(err)
	}
	id, err := res.LastInsertId()
	if err != nil {
		return book.DatabaseError(err)
	}
	for n, b := range sealed.Blocks {
		if err := a.exec(ctx, "INSERT INTO block (id, data) VALUES (?,?)", book.BlockRow(id, n), b); err != nil {
			return err
		}
	}
	return nil
}

// mergeRuns joins neighbouring small runs of one week once there are enough of them.
func (a *appender) mergeRuns(ctx context.Context) error {
	runs, err := listRuns(ctx, a.tx)
	if err != nil {
		return err
	}
	var group []runRow
	for _, r := range runs {
		if n := len(group); n > 0 && (!r.small() || r.epoch != group[0].epoch || r.First != group[n-1].Last+1) {
			group = nil
		}
		if r.small() {
			group = append(group, r)
		}
		if len(group) >= book.MergedRuns {
			return a.merge(ctx, group)
		}
	}
	return nil
}

// merge replaces the runs of group, as many as fit, by one.
func (a *appender) merge(ctx context.Context, group []runRow) error {
	fit, total := 0, 0
	for _, r := range group {
		if r.Last-group[0].First >= book.MaxRunSpan || total+r.items > maxMergedItems {
			break
		}
		fit, total = fit+1, total+r.items
	}
	if fit < 2 {
		return nil
	}
	e, err := a.w.openEpoch(ctx, a.tx, group[0].epoch)
	if err != nil {
		return err
	}
	items := make([]book.Item, 0, total)
	entries := 0
	for _, r := range group[:fit] {
		more, err := a.takeRun(ctx, e, r)
		if err != nil {
			return err
		}
		items = append(items, more...)
		entries += r.entries
	}
	return a.putRun(ctx, e, book.Span{First: group[0].First, Last: group[fit-1].Last}, entries, items)
}

// takeRun reads a run and drops it.
func (a *appender) takeRun(ctx context.Context, e *book.Epoch, r runRow) ([]book.Item, error) {
	var head []byte
	if err := a.tx.QueryRowContext(ctx, "SELECT head FROM run WHERE id = ?", r.id).Scan(&head); err != nil {
		return nil, book.DatabaseError(err)
	}
	open, err := book.OpenRun(e, r.id, r.Span, r.entries, head)
	if err != nil {
		return nil, err
	}
	items, err := open.All(ctx, a.tx, e)
	if err != nil {
		return nil, err
	}
	return items, a.dropRun(ctx, r)
}
