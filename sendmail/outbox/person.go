package outbox

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"time"
)

const (
	lockReason     = "refused by the person several times in a row"
	lockReasonHeld = "locked by the person"

	// heldRefusals in the count of refusals marks a lock that a person asked for: no cooling period ends it.
	heldRefusals = 1 << 20
)

// lock reports the lock in force, or nil.
func (o *Outbox) lock(ctx context.Context, q querier, now time.Time) (*LockedError, error) {
	var at, refusals int64
	if err := q.QueryRowContext(ctx, "SELECT locked_at, refusals FROM brake WHERE id = 1").Scan(&at, &refusals); err != nil {
		return nil, databaseError(err)
	}
	if at == 0 {
		return nil, nil
	}
	if refusals >= heldRefusals {
		return &LockedError{Since: time.UnixMicro(at), Reason: lockReasonHeld}, nil
	}
	e := &LockedError{Since: time.UnixMicro(at), Reason: lockReason}
	if o.opts.Cooling > 0 {
		e.Until = e.Since.Add(o.opts.Cooling)
		if !now.Before(e.Until) {
			return nil, nil
		}
	}
	return e, nil
}

// endCooling forgets a lock whose cooling period is over, and the refusals that led to it.
func (o *Outbox) endCooling(ctx context.Context, tx *sql.Tx, now time.Time) error {
	if o.opts.Cooling == 0 {
		return nil
	}
	_, err := tx.ExecContext(ctx, "UPDATE brake SET refusals = 0, locked_at = 0 WHERE locked_at <> 0 AND locked_at <= ? AND refusals < ?",
		now.Add(-o.opts.Cooling).UnixMicro(), heldRefusals)
	if err != nil {
		return databaseError(err)
	}
	return nil
}

// Lock locks sending because a person asked for it. Only Unlock ends that, not a cooling period. Errors: those of Ready.
func (o *Outbox) Lock(ctx context.Context) error {
	return o.transact(context.WithoutCancel(ctx), "lock", func(ctx context.Context, tx *sql.Tx, now time.Time) error {
		if _, err := tx.ExecContext(ctx, "UPDATE brake SET refusals = ?, locked_at = CASE WHEN locked_at = 0 THEN ? ELSE locked_at END WHERE id = 1",
			heldRefusals, now.UnixMicro()); err != nil {
			return databaseError(err)
		}
		return nil
	})
}

// Refuse records a person's no to an attempt whose process may be gone: it counts towards the lock as Ticket.Declined does, and
// once, whoever of both comes first. An attempt that is over otherwise, or not known any more, is left as it is. Errors: those of
// Ready.
func (o *Outbox) Refuse(ctx context.Context, id int64) error {
	err := o.transact(context.WithoutCancel(ctx), "refuse", func(ctx context.Context, tx *sql.Tx, now time.Time) error {
		if err := changeOne(ctx, tx, ErrNoAttempt, "UPDATE attempt SET detail = '' WHERE id = ? AND state IN ('reserved','expired')", id); err != nil {
			return err
		}
		return o.refused(ctx, tx, id, now)
	})
	if errors.Is(err, ErrNoAttempt) {
		return nil
	}
	return err
}

// Unlock ends a lock, for a person. It also gives slots that are dated ahead of the clock, left by a clock that was
// wrong, the present time, so that they free within the hour. Errors: those of Ready.
func (o *Outbox) Unlock(ctx context.Context) error {
	return o.transact(ctx, "unlock", func(ctx context.Context, tx *sql.Tx, now time.Time) error {
		if _, err := tx.ExecContext(ctx, "UPDATE brake SET refusals = 0, locked_at = 0 WHERE id = 1"); err != nil {
			return databaseError(err)
		}
		if _, err := tx.ExecContext(ctx, "UPDATE slot SET at = ?1 WHERE at > ?1", now.UnixMicro()); err != nil {
			return databaseError(err)
		}
		return nil
	})
}

// Settle records what a person found out about an unknown attempt: StateSent or StateFailed. After StateSent the same
// message is answered as already sent for one replay window from now; after StateFailed it can be sent afresh, with a
// new Message-ID. Errors: ErrWrongOutcome, ErrNoAttempt, ErrNotUnknown, or one of Ready.
func (o *Outbox) Settle(ctx context.Context, id int64, outcome State) error {
	if outcome != StateSent && outcome != StateFailed {
		return ErrWrongOutcome
	}
	if err := o.tidy(ctx); err != nil {
		return err
	}
	err := o.transact(ctx, "person", func(ctx context.Context, tx *sql.Tx, now time.Time) error {
		var exists bool
		if err := tx.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM attempt WHERE id = ?)", id).Scan(&exists); err != nil {
			return databaseError(err)
		}
		if !exists {
			return ErrNoAttempt
		}
		var accepted int64
		if outcome == StateSent {
			accepted = now.UnixMicro()
		}
		if err := changeOne(ctx, tx, ErrNotUnknown, `UPDATE attempt SET by_person = 1, accepted_at = ?
			WHERE id = ? AND state = 'unknown' AND resolved_by = 0`, accepted, id); err != nil {
			return err
		}
		return closeAttempt(ctx, tx, id, outcome, detailSettled, now)
	})
	if err == nil {
		o.forget(ctx)
	}
	return err
}

// Usage says what of the hour is used and whether sending is locked. Where there is no journal, nothing is, and none is
// made. Errors: those of Ready.
func (o *Outbox) Usage(ctx context.Context) (Usage, error) {
	u := Usage{Max: o.opts.MaxPerHour}
	if !o.exists() {
		return u, nil
	}
	if err := o.Ready(ctx); err != nil {
		return u, err
	}
	now := o.opts.Clock().Round(0)
	var err error
	if u.Used, u.FreesAt, err = usedSlots(ctx, o.db, now); err != nil {
		return u, err
	}
	u.Lock, err = o.lock(ctx, o.db, now)
	return u, err
}

// List returns at most n attempts (0: 1,000), newest first, and changes nothing: where the journal cannot be written it
// is opened for reading, and where there is none the list is empty. An attempt left open by a process that is gone is
// shown as what it will become. With ErrCorrupt or ErrNewerSchema, the attempts that could be read come with the error.
func (o *Outbox) List(ctx context.Context, n int) ([]Attempt, error) {
	if n <= 0 || n > maxListEntries {
		n = maxListEntries
	}
	if !o.exists() {
		return nil, nil
	}
	ready := o.Ready(ctx)
	if ready == nil {
		return o.list(ctx, o.db, n)
	}
	if errors.Is(ready, ErrClosed) || errors.Is(ready, ErrNotPrivate) || ctx.Err() != nil {
		return nil, ready
	}
	out, err := o.listReadOnly(ctx, n)
	if err != nil || errors.Is(ready, ErrCorrupt) || errors.Is(ready, ErrNewerSchema) {
		return out, ready
	}
	return out, nil
}

// exists reports whether there may be a journal; a doubt is a yes, so that opening it says what is wrong.
func (o *Outbox) exists() bool {
	_, err := os.Lstat(filepath.Join(o.dir, databaseName))
	return !errors.Is(err, fs.ErrNotExist)
}

// listReadOnly reads a journal that cannot be opened for writing. Without side files nothing is pending in a log, and
// the file can be read as it is where even the side files of a reader cannot be made.
func (o *Outbox) listReadOnly(ctx context.Context, n int) ([]Attempt, error) {
	q := url.Values{"mode": {"ro"}, "_query_only": {"1"}, "_busy_timeout": {"1000"}}
	if info, err := os.Stat(filepath.Join(o.dir, databaseName+"-wal")); err != nil || info.Size() == 0 {
		q.Set("immutable", "1")
	}
	db, err := connect(o.dir, q)
	if err != nil {
		return nil, err
	}
	out, err := o.list(ctx, db, n)
	return out, errors.Join(err, db.Close())
}

func (o *Outbox) list(ctx context.Context, db *sql.DB, n int) ([]Attempt, error) {
	rows, err := db.QueryContext(ctx, `SELECT id, state, owner, tool, message_id, subject, recipients, recipients_count, first_domain,
		created_at, updated_at, expires_at, accepted_at, detail, by_person, resolved_by, size,
		EXISTS (SELECT 1 FROM frozen f WHERE f.identity = attempt.identity) AND state IN ('sending','unknown') AND resolved_by = 0
		FROM attempt ORDER BY id DESC LIMIT ?`, n)
	if err != nil {
		return nil, databaseError(err)
	}
	defer rows.Close() // its error is rows.Err
	now := o.opts.Clock().Round(0)
	var out []Attempt
	for rows.Next() {
		a, err := o.scanAttempt(rows, now)
		if err != nil {
			return out, err
		}
		out = append(out, a)
	}
	return out, wrapRows(rows.Err())
}

func (o *Outbox) scanAttempt(rows *sql.Rows, now time.Time) (Attempt, error) {
	var a Attempt
	var owner, recipients string
	var created, updated, expires, accepted int64
	err := rows.Scan(&a.ID, &a.State, &owner, &a.Tool, &a.MessageID, &a.Subject, &recipients, &a.RecipientsCount, &a.FirstDomain,
		&created, &updated, &expires, &accepted, &a.Detail, &a.SettledByPerson, &a.ResolvedBy, &a.Size, &a.HasOctets)
	if err != nil {
		return a, databaseError(err)
	}
	if err := json.Unmarshal([]byte(recipients), &a.Recipients); err != nil {
		return a, fmt.Errorf("%w: recipients of attempt %d", ErrCorrupt, a.ID)
	}
	if len(a.Recipients) == 0 {
		a.Recipients = nil
	}
	a.CreatedAt, a.UpdatedAt = time.UnixMicro(created), time.UnixMicro(updated)
	if accepted != 0 {
		a.AcceptedAt = time.UnixMicro(accepted)
	}
	if a.State != StateReserved && a.State != StateSending {
		return a, nil
	}
	to, why, err := o.fate(openAttempt{id: a.ID, state: a.State, detail: a.Detail, owner: owner, expires: time.UnixMicro(expires)}, now)
	if err != nil {
		return a, err
	}
	if to != a.State {
		a.State, a.Detail = to, why
	}
	return a, nil
}
