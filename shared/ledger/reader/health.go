package reader

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"time"

	"mailgap/shared/ledger"
	"mailgap/shared/ledger/internal/book"
)

// fullEvery is how often the whole chain is read again. Entries that were verified before are not trusted blindly in between: what
// is used of them is opened with number and week, so a change of it is noticed then.
const fullEvery = 10 * time.Minute

// Health examines the book: the chain up to its head, the head against the ones remembered, and then remembers the new one. The
// first call reads the whole chain (without contents), later ones what is new, and the whole again after ten minutes. It does
// not return an error: a book that cannot be examined is StateUnreadable. Call it before the other questions of a send.
func (r *Reader) Health(ctx context.Context) ledger.Health {
	r.mu.Lock()
	defer r.mu.Unlock()
	there, traces := r.there(ctx)
	if !there {
		return r.absent(traces)
	}
	if r.wholeDue() { // the files are opened anew, with all that is checked then
		if err := r.drop(); err != nil {
			return r.unusable(err)
		}
	}
	if err := r.ready(ctx); err != nil {
		return r.unusable(err)
	}
	x := &examination{r: r}
	x.readHeads() // before the database: what is written meanwhile is newer than they say, and never older
	tx, err := r.book.DB.BeginTx(ctx, nil)
	if err != nil {
		return r.unusable(book.DatabaseError(err))
	}
	defer tx.Rollback() // nothing was written
	x.tx = tx
	if err := x.run(ctx); err != nil {
		r.verified, r.full = book.Position{}, time.Time{}
		return x.failed(err)
	}
	h := ledger.Health{State: ledger.StateOK, Entries: x.at.Seq - x.base.Seq, Head: x.at.Seq, Newest: x.newest}
	if err := r.remember(x.at, x.anchor); err != nil {
		h.Reasons = append(h.Reasons, "the newest entry could not be remembered: check the state directory of smtp-mcp")
	}
	return h
}

// wholeDue reports whether the whole chain is to be read again.
func (r *Reader) wholeDue() bool {
	since := r.opts.Clock().Sub(r.full)
	return r.book != nil && (since >= fullEvery || since < 0)
}

// there reports whether there is a book, and if not, whether there are traces of one. One that is just being made leaves traces
// only after the lock for it was taken, so it is waited for.
func (r *Reader) there(ctx context.Context) (there, traces bool) {
	if r.book != nil {
		return book.Exists(r.dir), true
	}
	if !book.Exists(r.dir) && !book.Traces(r.dir, r.opts.Keys) {
		return false, false
	}
	book.Await(ctx, r.dir)
	return book.Exists(r.dir), book.Traces(r.dir, r.opts.Keys)
}

// absent says whether a book that is not there once was.
func (r *Reader) absent(traces bool) ledger.Health {
	switch {
	case r.anchorText() != nil:
		return ledger.Health{State: ledger.StateMissing, Reasons: []string{"the ledger was there before and is gone"}}
	case traces:
		return ledger.Health{State: ledger.StateMissing, Reasons: []string{"there is a key or another file of a ledger, and no ledger"}}
	}
	return ledger.Health{State: ledger.StateNever}
}

func (r *Reader) unusable(err error) ledger.Health {
	h := ledger.Health{State: ledger.StateUnreadable, Reasons: []string{err.Error()}}
	switch {
	case errors.Is(err, ledger.ErrNoLedger):
		return r.absent(book.Traces(r.dir, r.opts.Keys))
	case errors.Is(err, ledger.ErrKey):
		h.State = ledger.StateForeignKey
	}
	return h
}

// anchorText returns what was remembered; nil for nothing.
func (r *Reader) anchorText() []byte {
	if r.opts.Anchor == "" {
		return r.anchor
	}
	text, err := os.ReadFile(r.opts.Anchor)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return []byte{} // it is there and says nothing: not a head of any book
	}
	return text
}

// remember keeps the newer of two heads.
func (r *Reader) remember(now, before book.Position) error {
	if before.Mac != nil && now.Seq <= before.Seq {
		return nil
	}
	text := book.HeadText(r.book.Keys, now)
	if r.opts.Anchor == "" {
		r.anchor = text
		return nil
	}
	if p, err := book.ReadHead(r.book.Keys, r.opts.Anchor); err == nil && p.Seq >= now.Seq {
		return nil // another process was faster
	}
	return book.WriteFile(r.opts.Anchor, text)
}

// Accept forgets the remembered heads, so that the book as it is now counts as good from the next examination on; what is wrong with
// its chain stays wrong. For a person who knows why the book changed. Errors: those of the file system.
func (r *Reader) Accept(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.anchor = nil
	if r.opts.Anchor != "" {
		if err := os.Remove(r.opts.Anchor); err != nil && !errors.Is(err, os.ErrNotExist) {
			return book.FileError(err)
		}
	}
	return ctx.Err()
}

// Causes of a failed examination that are no broken chain.
var (
	errRolledBack = errors.New("the ledger is older than it was")
	errReplaced   = errors.New("another ledger is in the place of the one that was there")
)

// examination is one call of Health.
type examination struct {
	r      *Reader
	tx     *sql.Tx
	base   book.Position
	at     book.Position // newest entry
	newest time.Time

	beside    book.Position // what the file beside the book says
	besideErr error
	anchor    book.Position // Mac is nil if nothing was remembered
	anchorErr error
}

// readHeads reads what is remembered of the chain.
func (x *examination) readHeads() {
	k := x.r.book.Keys
	x.beside, x.besideErr = book.ReadHead(k, book.HeadPath(x.r.dir))
	if text := x.r.anchorText(); text != nil {
		x.anchor, x.anchorErr = book.ParseHead(k, text)
	}
}

func (x *examination) failed(err error) ledger.Health {
	h := ledger.Health{State: ledger.StateUnreadable, Reasons: []string{err.Error()}, Head: x.at.Seq, Newest: x.newest}
	switch {
	case errors.Is(err, errRolledBack):
		h.State = ledger.StateRolledBack
	case errors.Is(err, errReplaced):
		h.State = ledger.StateReplaced
	case errors.Is(err, book.ErrChain), errors.Is(err, ledger.ErrCorrupt):
		h.State = ledger.StateGap
	}
	return h
}

func (x *examination) run(ctx context.Context) error {
	var err error
	newest, e, err := book.Newest(ctx, x.tx)
	if err != nil {
		return err
	}
	x.at, x.newest = newest, timeOf(e.At)
	if x.base, err = book.Base(ctx, x.tx, x.r.book.Keys); err != nil {
		return err
	}
	if newest.Seq == 0 {
		x.at, x.newest = x.base, time.Time{}
	}
	if err := x.heads(ctx); err != nil {
		return err
	}
	if err := x.chain(ctx); err != nil {
		return err
	}
	return x.r.sync(ctx, x.tx) // opens the keys of the weeks
}

// heads compares the chain with the head beside it and with the one that this side remembers.
func (x *examination) heads(ctx context.Context) error {
	switch err := x.besideErr; {
	case errors.Is(err, book.ErrNoHead) && x.at.Seq == 0 && x.anchor.Mac == nil && x.anchorErr == nil:
		return nil // it was just made, by a process that ended before the file was there
	case errors.Is(err, book.ErrNoHead):
		return fmt.Errorf("%w: the file that says how far it went is gone", book.ErrChain)
	case errors.Is(err, book.ErrBadHead):
		return fmt.Errorf("%w: the file beside it is of another one", errReplaced)
	case err != nil:
		return err
	}
	if err := x.reaches(ctx, x.beside, "it went to entry %d and now ends at %d, or took another way"); err != nil {
		return err
	}
	if x.anchorErr != nil {
		return fmt.Errorf("%w: the remembered head is of another one", errReplaced)
	}
	if x.anchor.Mac == nil {
		return nil
	}
	return x.reaches(ctx, x.anchor, "entry %d was seen, and now it ends at %d, or took another way")
}

func (x *examination) reaches(ctx context.Context, p book.Position, words string) error {
	ok, err := book.Reaches(ctx, x.tx, x.base, p)
	if err == nil && !ok {
		err = fmt.Errorf("%w: "+words, errRolledBack, p.Seq, x.at.Seq)
	}
	return err
}

// chain follows the chain: what is new since the last time, or all of it.
func (x *examination) chain(ctx context.Context) error {
	r := x.r
	from := r.verified
	whole := from.Mac == nil || from.Seq < x.base.Seq
	if !whole {
		ok, err := book.Reaches(ctx, x.tx, x.base, from)
		if err != nil {
			return err
		}
		whole = !ok
	}
	if whole {
		from = x.base
	}
	at, err := book.Walk(ctx, x.tx, r.book.Keys, from, nil)
	if err != nil {
		return err
	}
	if err := x.counts(ctx, at, whole); err != nil {
		return err
	}
	x.at, r.verified = at, at
	if whole {
		r.full = r.opts.Clock()
	}
	return nil
}

// counts checks that nothing is missing among what was not read just now.
func (x *examination) counts(ctx context.Context, at book.Position, whole bool) error {
	var rows, oldest int64
	if err := x.tx.QueryRowContext(ctx, "SELECT count(*), coalesce(min(seq), 0) FROM log").Scan(&rows, &oldest); err != nil {
		return book.DatabaseError(err)
	}
	if want := at.Seq - x.base.Seq; rows != want || rows > 0 && oldest != x.base.Seq+1 {
		return fmt.Errorf("%w: it has %d entries and should have %d", book.ErrChain, rows, want)
	}
	if !whole {
		return nil
	}
	var missing, stray int64
	const q = "SELECT (SELECT count(*) FROM log WHERE gone = 0 AND seq NOT IN (SELECT seq FROM content)), (SELECT count(*) FROM content WHERE seq NOT IN (SELECT seq FROM log WHERE gone = 0))"
	if err := x.tx.QueryRowContext(ctx, q).Scan(&missing, &stray); err != nil {
		return book.DatabaseError(err)
	}
	if missing+stray > 0 {
		return fmt.Errorf("%w: the content of %d entries is missing, and %d have content that should not be there", book.ErrChain, missing, stray)
	}
	return nil
}
