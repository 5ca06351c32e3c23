package outbox

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"mailgap/shared/guardswitch"
)

// querier is what *sql.DB and *sql.Tx have in common for reading.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// transact opens the journal if need be and runs f in one write transaction. The clock is read after the write lock is
// held, so times in the journal follow the order of the transactions. A call that is cancelled is refused here at the
// start and never in the middle: a commit whose result nobody saw would be worse than one that takes a moment longer.
func (o *Outbox) transact(ctx context.Context, name string, f func(context.Context, *sql.Tx, time.Time) error) error {
	if err := o.Ready(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), resultTimeout)
	defer cancel()
	tx, err := o.db.BeginTx(ctx, nil)
	if err != nil {
		return databaseError(err)
	}
	defer tx.Rollback() // after Commit it does nothing
	if err := f(ctx, tx, o.opts.Clock().Round(0)); err != nil {
		return err
	}
	o.opts.step(name + ":before")
	if err := tx.Commit(); err != nil {
		return databaseError(err)
	}
	o.opts.step(name + ":after")
	return nil
}

// Begin looks the message up and, if it may be asked about, reserves it with a slot of the hour, all in one
// transaction. Exactly one result is not nil:
//
//   - a Replay: identical and accepted within the replay window; nobody is asked and no slot is used;
//   - a Ticket: ask the person. If Ticket.Earlier is set, an earlier attempt may have been accepted: the question must
//     say so, and the retry carries Earlier.MessageID and Earlier.Octets;
//   - an error: *InProgressError, *LockedError, *CapError, ErrIntent, or one of Ready. Nothing was reserved.
//
// The slot is spent whatever becomes of the question, and also if this process dies: otherwise a restart would make
// room for more questions.
func (o *Outbox) Begin(ctx context.Context, in Intent) (*Ticket, *Replay, error) {
	if err := in.validate(); err != nil {
		return nil, nil, err
	}
	if err := o.tidy(ctx); err != nil {
		return nil, nil, err
	}
	var ticket *Ticket
	var replay *Replay
	err := o.transact(ctx, "reserve", func(ctx context.Context, tx *sql.Tx, now time.Time) (err error) {
		replay, err = o.acceptedBefore(ctx, tx, in.Identity, now)
		if err != nil || replay != nil {
			return err
		}
		if err := o.mayAsk(ctx, tx, in.Identity, now); err != nil {
			return err
		}
		earlier, err := unknownBefore(ctx, tx, in.Identity)
		if err != nil {
			return err
		}
		id, err := o.reserve(ctx, tx, in, now)
		ticket = &Ticket{o: o, id: id, identity: in.Identity, Earlier: earlier}
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	return ticket, replay, nil
}

func (in Intent) validate() error {
	if in.Identity == [32]byte{} || len(in.Recipients) == 0 || len(in.Recipients) > maxRecipients {
		return fmt.Errorf("%w: no identity, or recipients not between 1 and %d", ErrIntent, maxRecipients)
	}
	for _, r := range in.Recipients {
		if len(r) == 0 || len(r) > maxRecipientOctets {
			return fmt.Errorf("%w: recipient not between 1 and %d octets", ErrIntent, maxRecipientOctets)
		}
	}
	return nil
}

// tidy recovers and prunes in a transaction of its own, so that its result lasts even if the caller is refused.
func (o *Outbox) tidy(ctx context.Context) error {
	err := o.transact(ctx, "tidy", func(ctx context.Context, tx *sql.Tx, now time.Time) error {
		if err := o.recoverAttempts(ctx, tx, now); err != nil {
			return err
		}
		if err := o.endCooling(ctx, tx, now); err != nil {
			return err
		}
		return o.prune(ctx, tx, now)
	})
	if err != nil {
		return err
	}
	return o.removeDeadLives()
}

func (o *Outbox) prune(ctx context.Context, tx *sql.Tx, now time.Time) error {
	old := now.Add(-o.opts.Retention).UnixMicro()
	for _, s := range []struct {
		stmt string
		arg  int64
	}{
		{"DELETE FROM attempt WHERE updated_at < ? AND (state IN ('sent','failed','declined','expired') OR (state = 'unknown' AND resolved_by <> 0))", old},
		{"DELETE FROM frozen WHERE at < ? AND NOT EXISTS (SELECT 1 FROM attempt a WHERE a.identity = frozen.identity AND a.state = 'sending')", old},
		{"DELETE FROM slot WHERE at <= ?", now.Add(-capWindow).UnixMicro()},
	} {
		if _, err := tx.ExecContext(ctx, s.stmt, s.arg); err != nil {
			return databaseError(err)
		}
	}
	return nil
}

// acceptedBefore finds the latest acceptance within the replay window. One dated ahead of the clock counts too.
func (o *Outbox) acceptedBefore(ctx context.Context, q querier, identity [32]byte, now time.Time) (*Replay, error) {
	if guardswitch.Off(guardswitch.Once) {
		return nil, nil
	}
	var r Replay
	var at int64
	err := q.QueryRowContext(ctx, `SELECT id, message_id, accepted_at, by_person FROM attempt
		WHERE identity = ? AND state = 'sent' AND accepted_at > ? ORDER BY accepted_at DESC, id DESC LIMIT 1`,
		identity[:], now.Add(-o.opts.ReplayWindow).UnixMicro()).Scan(&r.ID, &r.MessageID, &at, &r.Settled)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, databaseError(err)
	}
	r.AcceptedAt = time.UnixMicro(at)
	return &r, nil
}

// mayAsk refuses while the same message is open, sending is locked, or the hour is full.
func (o *Outbox) mayAsk(ctx context.Context, q querier, identity [32]byte, now time.Time) error {
	var e InProgressError
	var since int64
	err := q.QueryRowContext(ctx, "SELECT id, state, updated_at FROM attempt WHERE identity = ? AND state IN ('reserved','sending')",
		identity[:]).Scan(&e.ID, &e.State, &since)
	if err == nil {
		e.Since = time.UnixMicro(since)
		return &e
	}
	if !errors.Is(err, sql.ErrNoRows) {
		return databaseError(err)
	}
	if guardswitch.Off(guardswitch.Limits) {
		return nil
	}
	lock, err := o.lock(ctx, q, now)
	if err != nil {
		return err
	}
	if lock != nil {
		return lock
	}
	used, frees, err := usedSlots(ctx, q, now)
	if err != nil {
		return err
	}
	if used >= o.opts.MaxPerHour {
		return &CapError{Max: o.opts.MaxPerHour, FreesAt: frees}
	}
	return nil
}

// usedSlots counts the slots of the last hour. A slot dated ahead of the clock counts as well: a clock that went back
// frees nothing.
func usedSlots(ctx context.Context, q querier, now time.Time) (used int, frees time.Time, err error) {
	var oldest sql.NullInt64
	err = q.QueryRowContext(ctx, "SELECT count(*), min(at) FROM slot WHERE at > ?", now.Add(-capWindow).UnixMicro()).Scan(&used, &oldest)
	if err != nil {
		return 0, time.Time{}, databaseError(err)
	}
	if oldest.Valid {
		frees = time.UnixMicro(oldest.Int64).Add(capWindow)
	}
	return used, frees, nil
}

// unknownBefore finds unresolved attempts whose outcome is unknown. All of them carry the same Message-ID.
func unknownBefore(ctx context.Context, q querier, identity [32]byte) (*Earlier, error) {
	var e Earlier
	var at sql.NullInt64
	var messageID sql.NullString
	err := q.QueryRowContext(ctx, `SELECT count(*), max(created_at), min(message_id) FROM attempt
		WHERE identity = ? AND state = 'unknown' AND resolved_by = 0`, identity[:]).Scan(&e.Attempts, &at, &messageID)
	if err != nil {
		return nil, databaseError(err)
	}
	if e.Attempts == 0 {
		return nil, nil
	}
	e.At, e.MessageID = time.UnixMicro(at.Int64), messageID.String
	e.Octets, err = frozenOctets(ctx, q, identity)
	return &e, err
}

func frozenOctets(ctx context.Context, q querier, identity [32]byte) ([]byte, error) {
	var octets []byte
	err := q.QueryRowContext(ctx, "SELECT octets FROM frozen WHERE identity = ?", identity[:]).Scan(&octets)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, databaseError(err)
	}
	return octets, nil
}

func (o *Outbox) reserve(ctx context.Context, tx *sql.Tx, in Intent, now time.Time) (int64, error) {
	recipients, err := json.Marshal(in.Recipients)
	if err != nil {
		return 0, fmt.Errorf("%w: %v", ErrIntent, err)
	}
	if _, err := tx.ExecContext(ctx, "INSERT INTO slot (at) VALUES (?)", now.UnixMicro()); err != nil {
		return 0, databaseError(err)
	}
	_, domain, _ := strings.Cut(in.Recipients[0], "@")
	res, err := tx.ExecContext(ctx, `INSERT INTO attempt (identity, state, owner, tool, subject, recipients, recipients_count,
		first_domain, created_at, updated_at, expires_at) VALUES (?, 'reserved', ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		in.Identity[:], o.owner, cut(in.Tool, maxToolOctets), cut(in.Subject, maxSubjectOctets), string(recipients), len(in.Recipients),
		domain, now.UnixMicro(), now.UnixMicro(), now.Add(o.opts.Reservation).UnixMicro())
	if err != nil {
		return 0, databaseError(err)
	}
	id, err := res.LastInsertId()
	if err != nil {
		return 0, databaseError(err)
	}
	return id, nil
}

// cut keeps at most n octets and no half character.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
