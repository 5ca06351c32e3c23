package desk

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"mailgap/confirm"
)

// decisions are the ends of a question that are kept: a yes, and what is somebody's no or makes the question void. That nobody
// could be asked, or nobody answered, is no answer.
var decisions = []confirm.Reason{confirm.Approved, confirm.Declined, confirm.Dismissed, confirm.DoNotSend, confirm.DeclinedAndLock,
	confirm.Malformed, confirm.OpenedTwice, confirm.WrongForms}

// row is what the state of a message depends on.
type row struct {
	status  Status
	shown   [32]byte
	reason  confirm.Reason
	path    confirm.PathName
	binding confirm.Binding
	expires time.Time
}

// look reads a row. Errors: ErrNone.
func look(ctx context.Context, q querier, id int64) (row, error) {
	var r row
	var shown, digest []byte
	var expires int64
	err := q.QueryRowContext(ctx, "SELECT state, shown, reason, path, principal, tool, binding, expires_at FROM message WHERE id = ?", id).
		Scan(&r.status, &shown, &r.reason, &r.path, &r.binding.Principal, &r.binding.Tool, &digest, &expires)
	if errors.Is(err, sql.ErrNoRows) {
		return r, ErrNone
	}
	copy(r.shown[:], shown)
	copy(r.binding.Digest[:], digest)
	r.expires = time.UnixMicro(expires)
	return r, databaseError(err)
}

// open is look for a message that is not over. Errors: ErrNone, ErrEnded, ErrExpired.
func open(ctx context.Context, q querier, id int64) (row, error) {
	r, err := look(ctx, q, id)
	switch {
	case err != nil:
		return r, err
	case r.status == StatusExpired:
		return r, ErrExpired
	case r.status != StatusWaiting && r.status != StatusAnswered:
		return r, ErrEnded
	}
	return r, nil
}

// Answer writes a person's answer to the message that was shown, if it is the first. It is on the disk when Answer returns.
// What was answered with a no is wiped by that. Errors: ErrNone, ErrChanged (another digest), ErrAnswered, ErrExpired, ErrEnded, and
// ErrEntry for an answer that nobody gave.
func (d *Desk) Answer(ctx context.Context, id int64, shown [32]byte, a confirm.Answer) error {
	if !slices.Contains(decisions, a.Reason()) || a.Path() != confirm.PathPage && a.Path() != confirm.PathTerminal {
		return ErrEntry
	}
	return d.transact(context.WithoutCancel(ctx), "answer", func(ctx context.Context, tx *sql.Tx, now time.Time) error {
		r, err := open(ctx, tx, id)
		switch {
		case err != nil:
			return err
		case r.shown != shown:
			return ErrChanged
		case r.status == StatusAnswered:
			return ErrAnswered
		}
		// Security: the state is part of the condition, so two answers cannot both be written even if the look-up were wrong.
		res, err := tx.ExecContext(ctx, `UPDATE message SET state = 'answered', reason = ?, path = ?, updated_at = ?
			WHERE id = ? AND state = 'waiting' AND shown = ?`, a.Reason(), a.Path(), now.UnixMicro(), id, shown[:])
		if err := changedOne(res, err, ErrAnswered); err != nil {
			return err
		}
		if a.Yes() {
			return nil
		}
		return wipe(ctx, tx, id)
	})
}

// Take returns the answer, once, and wipes the message. That it is taken is on the disk when Take returns, so whoever is given a
// yes may act on it, and nobody else is given it again. Errors: ErrNone, ErrUnanswered, ErrChanged, ErrEnded (also: taken before),
// ErrExpired.
func (d *Desk) Take(ctx context.Context, id int64, shown [32]byte) (confirm.Record, error) {
	var rec confirm.Record
	err := d.transact(ctx, "take", func(ctx context.Context, tx *sql.Tx, now time.Time) error {
		r, err := open(ctx, tx, id)
		switch {
		case err != nil:
			return err
		case r.shown != shown:
			return ErrChanged
		case r.status == StatusWaiting:
			return ErrUnanswered
		}
		res, err := tx.ExecContext(ctx, "UPDATE message SET state = 'taken', updated_at = ? WHERE id = ? AND state = 'answered' AND shown = ?",
			now.UnixMicro(), id, shown[:])
		if err := changedOne(res, err, ErrEnded); err != nil {
			return err
		}
		if err := wipe(ctx, tx, id); err != nil {
			return err
		}
		rec = confirm.Record{Binding: r.binding, Shown: r.shown, Reason: r.reason, Path: r.path, Expires: r.expires}
		return nil
	})
	if err != nil {
		return confirm.Record{}, err
	}
	return rec, nil
}

// changedOne turns a statement that did not change exactly one row into none.
func changedOne(res sql.Result, err, none error) error {
	if err != nil {
		return databaseError(err)
	}
	n, err := res.RowsAffected()
	if err != nil {
		return databaseError(err)
	}
	if n != 1 {
		return none
	}
	return nil
}
