package outbox

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"mailgap/shared/guardswitch"
)

// Reasons that the journal gives by itself.
const (
	detailProcessEnded = "process ended"
	detailNoAnswer     = "no answer in time"
	detailRefusal      = "declined by a person"
	detailSettled      = "settled by a person"
	detailNoDot        = "final dot not sent" // of an attempt in StateSending that announces its dot
	detailNotSent      = "refused after the question"
)

// Ticket is one reservation. One of its ways is taken: Declined or Expired; or Sending, perhaps Dot, and then Sent, Failed or Unknown. If
// Sending fails, nothing may leave. Not safe for concurrent use.
type Ticket struct {
	// Earlier is not nil if the same message may have been accepted before. The question must name it.
	Earlier *Earlier

	o        *Outbox
	id       int64
	identity [32]byte
	begun    bool // Sending succeeded: octets may be on their way
}

// ID is the number of the attempt in the journal.
func (t *Ticket) ID() int64 { return t.id }

// Sending records, on the disk before it returns, that octets of the message may leave from now on. It checks again, in
// the same transaction, what Begin checked before the person was asked. A retry of an unknown attempt must carry its
// Message-ID, and its octets if they are still kept (ErrNotFrozen). Accepting a question ends a row of refusals.
//
// Errors: ErrReservation (too late, or released), ErrChanged, *LockedError, *CapError, ErrNotFrozen, ErrIntent,
// ErrTicketState (called twice), or one of Ready. After any error nothing may leave. But for the errors of the arguments
// (ErrNotFrozen, ErrIntent), which leave the reservation as it is, the attempt is then closed as failed (after
// ErrReservation: expired), if that can be written; calling Failed again does no harm.
func (t *Ticket) Sending(ctx context.Context, f Frozen) error {
	if t.begun {
		return ErrTicketState
	}
	if err := t.validate(f); err != nil {
		return err
	}
	if err := t.commitSending(ctx, f); err != nil {
		if closing := t.closeUnsent(ctx, err); closing != nil {
			slog.WarnContext(ctx, "outbox: attempt left open", "attempt", t.id, "cause", closing.Error())
		}
		return err
	}
	t.begun = true
	return nil
}

// closeUnsent closes an attempt whose Sending failed. A commit that reported a failure may still have reached the disk;
// without this it would look like a message on its way.
func (t *Ticket) closeUnsent(ctx context.Context, cause error) error {
	if errors.Is(cause, ErrReservation) {
		return t.Expired(ctx)
	}
	return t.Failed(ctx, detailNotSent)
}

func (t *Ticket) commitSending(ctx context.Context, f Frozen) error {
	return t.o.transact(ctx, "sending", func(ctx context.Context, tx *sql.Tx, now time.Time) error {
		if err := t.recheck(ctx, tx, now); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "INSERT INTO frozen (identity, octets, at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
			t.identity[:], f.Octets, now.UnixMicro()); err != nil {
			return databaseError(err)
		}
		if _, err := tx.ExecContext(ctx, "UPDATE brake SET refusals = 0 WHERE id = 1"); err != nil {
			return databaseError(err)
		}
		detail := ""
		if f.AnnouncesDot {
			detail = detailNoDot
		}
		return changeOne(ctx, tx, ErrReservation, `UPDATE attempt SET state = 'sending', message_id = ?, size = ?, detail = ?, updated_at = ?
			WHERE id = ? AND owner = ? AND state = 'reserved'`, f.MessageID, len(f.Octets), detail, now.UnixMicro(), t.id, t.o.owner)
	})
}

// Dot records, on the disk before it returns, that the final dot is about to leave: from now on the message may have been
// accepted, and an attempt that ends without a result is unknown instead of failed. It is for a ticket whose Sending announced
// it. Errors: ErrTicketState (not announced, or others have taken the attempt for ended), or one of Ready. After an error the
// dot must not leave; call Failed.
func (t *Ticket) Dot(ctx context.Context) error {
	return t.o.transact(context.WithoutCancel(ctx), "dot", func(ctx context.Context, tx *sql.Tx, now time.Time) error {
		return changeOne(ctx, tx, ErrTicketState, `UPDATE attempt SET detail = '', updated_at = ?
			WHERE id = ? AND owner = ? AND state = 'sending' AND detail = ?`, now.UnixMicro(), t.id, t.o.owner, detailNoDot)
	})
}

func (t *Ticket) validate(f Frozen) error {
	switch {
	case f.MessageID == "" || len(f.MessageID) > maxMessageIDOctets || strings.ContainsAny(f.MessageID, "<>\r\n\x00 "):
		return fmt.Errorf("%w: message id is missing, too long, or has brackets or spaces", ErrIntent)
	case len(f.Octets) == 0 || len(f.Octets) > maxMessageOctets:
		return fmt.Errorf("%w: message not between 1 and %d octets", ErrIntent, maxMessageOctets)
	case t.Earlier == nil:
		return nil
	case f.MessageID != t.Earlier.MessageID, t.Earlier.Octets != nil && !bytes.Equal(f.Octets, t.Earlier.Octets):
		return ErrNotFrozen
	}
	return nil
}

// recheck repeats what Begin checked. The slot of this ticket is counted, hence > instead of >=.
func (t *Ticket) recheck(ctx context.Context, tx *sql.Tx, now time.Time) error {
	var state State
	var expires int64
	err := tx.QueryRowContext(ctx, "SELECT state, expires_at FROM attempt WHERE id = ? AND owner = ?", t.id, t.o.owner).Scan(&state, &expires)
	if errors.Is(err, sql.ErrNoRows) {
		return ErrReservation
	}
	if err != nil {
		return databaseError(err)
	}
	if state != StateReserved || now.UnixMicro() >= expires {
		return ErrReservation
	}
	if err := t.unchanged(ctx, tx, now); err != nil {
		return err
	}
	if guardswitch.Off(guardswitch.Limits) {
		return nil
	}
	lock, err := t.o.lock(ctx, tx, now)
	if err != nil {
		return err
	}
	if lock != nil {
		return lock
	}
	used, frees, err := usedSlots(ctx, tx, now)
	if err != nil {
		return err
	}
	if used > t.o.opts.MaxPerHour {
		return &CapError{Max: t.o.opts.MaxPerHour, FreesAt: frees}
	}
	return nil
}

// unchanged refuses if what the question said about earlier attempts is no longer so.
func (t *Ticket) unchanged(ctx context.Context, q querier, now time.Time) error {
	replay, err := t.o.acceptedBefore(ctx, q, t.identity, now)
	if err != nil {
		return err
	}
	earlier, err := unknownBefore(ctx, q, t.identity)
	if err != nil {
		return err
	}
	if replay != nil || attempts(earlier) != attempts(t.Earlier) {
		return ErrChanged
	}
	return nil
}

func attempts(e *Earlier) int {
	if e == nil {
		return 0
	}
	return e.Attempts
}

// Sent records that the server accepted the message. detail is the reply code; at most 200 octets of printable ASCII
// are kept. Earlier unknown attempts of the message are resolved, and what was kept of it is forgotten. It may follow
// an attempt that others already took for unknown: whoever saw the reply knows better. Errors: ErrTicketState, or one
// of Ready; the attempt then reads as unknown once this process has ended.
func (t *Ticket) Sent(ctx context.Context, detail string) error {
	return t.result(ctx, StateSent, detail, "('sending','unknown')")
}

// Failed records that the server certainly did not accept the message: the terminating dot did not leave, or was
// answered with a refusal. It also ends a ticket whose Sending failed. Errors as for Sent.
func (t *Ticket) Failed(ctx context.Context, detail string) error {
	return t.result(ctx, StateFailed, detail, "('reserved','sending','unknown','expired','failed') AND by_person = 0")
}

// Unknown records that the terminating dot left, or may have left, and no reply was seen. The octets are kept, so that
// a retry can repeat them. Errors as for Sent.
func (t *Ticket) Unknown(ctx context.Context, detail string) error {
	return t.result(ctx, StateUnknown, detail, "('sending','unknown')")
}

func (t *Ticket) result(ctx context.Context, to State, detail, from string) error {
	err := t.o.transact(context.WithoutCancel(ctx), "settle", func(ctx context.Context, tx *sql.Tx, now time.Time) error {
		var accepted int64
		if to == StateSent {
			accepted = now.UnixMicro()
		}
		// Security: an attempt that a person settled is in neither state; one that a later attempt resolved stays as it is.
		err := changeOne(ctx, tx, ErrTicketState, `UPDATE attempt SET accepted_at = ? WHERE id = ? AND owner = ?
			AND resolved_by = 0 AND state IN `+from, accepted, t.id, t.o.owner)
		if err != nil {
			return err
		}
		return closeAttempt(ctx, tx, t.id, to, detail, now)
	})
	if err == nil && to != StateUnknown {
		t.o.forget(ctx)
	}
	return err
}

// forget moves what the log holds into the database, where deleted octets were overwritten, and cuts the log. It is not
// an error if that has to wait: the result is recorded, and the log is cut at the next chance.
func (o *Outbox) forget(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), busyTimeout)
	defer cancel()
	if _, err := o.db.ExecContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)"); err != nil {
		slog.WarnContext(ctx, "outbox: log not cut", "cause", databaseError(err).Error())
	}
}

// Declined records that the person said no. It counts towards the lock; the slot stays spent.
func (t *Ticket) Declined(ctx context.Context) error {
	return t.o.transact(context.WithoutCancel(ctx), "decline", func(ctx context.Context, tx *sql.Tx, now time.Time) error {
		if err := t.waits(ctx, tx); err != nil {
			return err
		}
		return t.o.refused(ctx, tx, t.id, now)
	})
}

// refused closes a reservation with a no, and locks sending if it is one too many.
func (o *Outbox) refused(ctx context.Context, tx *sql.Tx, id int64, now time.Time) error {
	if err := closeAttempt(ctx, tx, id, StateDeclined, detailRefusal, now); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `UPDATE brake SET refusals = refusals + 1,
		locked_at = CASE WHEN refusals + 1 >= ? AND locked_at = 0 THEN ? ELSE locked_at END WHERE id = 1`, o.opts.LockAfter, now.UnixMicro())
	if err != nil {
		return databaseError(err)
	}
	return nil
}

// Expired records that nobody answered or that the question could not be put. It does not count towards the lock; the
// slot stays spent. A reservation that has already expired is no error.
func (t *Ticket) Expired(ctx context.Context) error {
	return t.o.transact(context.WithoutCancel(ctx), "expire", func(ctx context.Context, tx *sql.Tx, now time.Time) error {
		if err := t.waits(ctx, tx); err != nil {
			return err
		}
		return closeAttempt(ctx, tx, t.id, StateExpired, detailNoAnswer, now)
	})
}

// waits refuses if the reservation is over. A no that comes after it expired is still a no.
func (t *Ticket) waits(ctx context.Context, tx *sql.Tx) error {
	return changeOne(ctx, tx, ErrTicketState, `UPDATE attempt SET detail = '' WHERE id = ? AND owner = ? AND state IN ('reserved','expired')`,
		t.id, t.o.owner)
}

// closeAttempt moves an attempt to a final state and forgets what is no longer needed. An unknown attempt keeps
// everything, because a person has to find out what became of it and a retry repeats its octets.
func closeAttempt(ctx context.Context, tx *sql.Tx, id int64, to State, detail string, now time.Time) error {
	err := changeOne(ctx, tx, ErrTicketState, "UPDATE attempt SET state = ?, detail = ?, updated_at = ? WHERE id = ?",
		to, visible(detail), now.UnixMicro(), id)
	if err != nil || to == StateUnknown {
		return err
	}
	if to == StateSent {
		if _, err := tx.ExecContext(ctx, `UPDATE attempt SET resolved_by = ?1, subject = '', recipients = '[]', updated_at = ?2
			WHERE identity = (SELECT identity FROM attempt WHERE id = ?1) AND state = 'unknown' AND resolved_by = 0`, id, now.UnixMicro()); err != nil {
			return databaseError(err)
		}
	}
	if _, err := tx.ExecContext(ctx, "UPDATE attempt SET subject = '', recipients = '[]' WHERE id = ?", id); err != nil {
		return databaseError(err)
	}
	if _, err := tx.ExecContext(ctx, `DELETE FROM frozen WHERE identity = (SELECT identity FROM attempt WHERE id = ?)
		AND NOT EXISTS (SELECT 1 FROM attempt a WHERE a.identity = frozen.identity
			AND (a.state = 'sending' OR (a.state = 'unknown' AND a.resolved_by = 0)))`, id); err != nil {
		return databaseError(err)
	}
	return nil
}

// changeOne runs a statement that must change exactly one row; otherwise the error is none.
func changeOne(ctx context.Context, tx *sql.Tx, none error, stmt string, args ...any) error {
	res, err := tx.ExecContext(ctx, stmt, args...)
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

// visible keeps printable ASCII. A reply's text belongs to a server; only codes and stages are meant to be here.
func visible(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, cut(s, maxDetailOctets))
}
