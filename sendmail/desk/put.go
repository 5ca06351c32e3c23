package desk

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"mailgap/confirm"
)

// transact runs f in one write transaction, after what is over was swept. The clock is read after the write lock is held. A call
// that is cancelled is refused at the start and never in the middle.
func (d *Desk) transact(ctx context.Context, name string, f func(context.Context, *sql.Tx, time.Time) error) error {
	if err := d.Ready(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stepTimeout)
	defer cancel()
	tx, err := d.db.BeginTx(ctx, nil)
	if err != nil {
		return databaseError(err)
	}
	defer tx.Rollback() // after Commit it does nothing
	now := d.opts.Clock().Round(0)
	if err := sweep(ctx, tx, now); err != nil {
		return err
	}
	refused := f(ctx, tx, now)
	if refused != nil && !isVerdict(refused) {
		return refused
	}
	d.opts.step(name + ":before")
	if err := tx.Commit(); err != nil { // with a verdict too: what was swept stays swept
		return databaseError(err)
	}
	d.opts.step(name + ":after")
	d.turn()
	return refused
}

// isVerdict says whether an error is about the message and not about the file. Such a function has changed nothing.
func isVerdict(err error) bool {
	for _, v := range []error{ErrNone, ErrEnded, ErrExpired, ErrAnswered, ErrUnanswered, ErrChanged} {
		if errors.Is(err, v) {
			return true
		}
	}
	return false
}

// turn wakes those who wait in this process.
func (d *Desk) turn() {
	d.mu.Lock()
	defer d.mu.Unlock()
	close(d.turned)
	d.turned = make(chan struct{})
}

// sweep ends what has waited too long, wipes it, and forgets what ended long ago. A message of the future was written before the
// clock went back: it has waited for an unknown time, so it is over.
func sweep(ctx context.Context, tx *sql.Tx, now time.Time) error {
	const ahead = time.Minute // two clocks readings of two processes may be out of order by a little
	for _, s := range []struct {
		stmt string
		args []any
	}{
		{`UPDATE message SET state = 'expired', updated_at = ?1 WHERE state IN ('waiting','answered') AND (expires_at <= ?1 OR created_at > ?2)`,
			[]any{now.UnixMicro(), now.Add(ahead).UnixMicro()}},
		{`DELETE FROM content WHERE id NOT IN (SELECT id FROM message WHERE state IN ('waiting','answered') AND reason IN ('', ?))`, []any{confirm.Approved}},
		{`DELETE FROM message WHERE state NOT IN ('waiting','answered') AND updated_at < ?`, []any{now.Add(-keepEnded).UnixMicro()}},
	} {
		if _, err := tx.ExecContext(ctx, s.stmt, s.args...); err != nil {
			return databaseError(err)
		}
	}
	return nil
}

// Put puts a message down. It is on the disk when Put returns. An older one under the same binding is ended: of one message one
// question is open. Errors: ErrEntry, ErrFull, or the file's.
func (d *Desk) Put(ctx context.Context, e Entry) (Message, error) {
	if err := e.check(); err != nil {
		return Message{}, err
	}
	m := Message{Entry: e, Status: StatusWaiting}
	err := d.transact(ctx, "put", func(ctx context.Context, tx *sql.Tx, now time.Time) error {
		m.CreatedAt, m.Expires = now.Truncate(time.Microsecond), now.Add(d.opts.Lifetime).Truncate(time.Microsecond)
		m.Shown = m.digest()
		if err := makeRoom(ctx, tx, e.Binding, now); err != nil {
			return err
		}
		return m.insert(ctx, tx)
	})
	return m, err
}

// makeRoom ends an older question about the same message, and refuses if too many others wait.
func makeRoom(ctx context.Context, tx *sql.Tx, b confirm.Binding, now time.Time) error {
	if _, err := tx.ExecContext(ctx, `UPDATE message SET state = 'ended', updated_at = ? WHERE principal = ? AND tool = ? AND binding = ?
		AND state IN ('waiting','answered')`, now.UnixMicro(), b.Principal, b.Tool, b.Digest[:]); err != nil {
		return databaseError(err)
	}
	var open int
	if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM message WHERE state IN ('waiting','answered')").Scan(&open); err != nil {
		return databaseError(err)
	}
	if open >= maxPending {
		return ErrFull
	}
	return nil
}

func (m *Message) insert(ctx context.Context, tx *sql.Tx) error {
	paths, err := json.Marshal(m.ForwardPaths)
	if err != nil {
		return fmt.Errorf("%w: %v", ErrEntry, err)
	}
	typed, err := json.Marshal(m.Typed)
	if err != nil {
		return fmt.Errorf("%w: %v", ErrEntry, err)
	}
	res, err := tx.ExecContext(ctx, `INSERT INTO message (principal, tool, binding, identity, shown, message_id, level, attempt, state,
		created_at, expires_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'waiting', ?, ?, ?)`,
		m.Binding.Principal, m.Binding.Tool, m.Binding.Digest[:], m.Identity[:], m.Shown[:], m.MessageID, int(m.Level), m.Attempt,
		m.CreatedAt.UnixMicro(), m.Expires.UnixMicro(), m.CreatedAt.UnixMicro())
	if err != nil {
		return databaseError(err)
	}
	if m.ID, err = res.LastInsertId(); err != nil {
		return databaseError(err)
	}
	_, err = tx.ExecContext(ctx, "INSERT INTO content (id, reverse_path, forward_paths, typed, text, octets) VALUES (?, ?, ?, ?, ?, ?)",
		m.ID, m.ReversePath, string(paths), string(typed), m.Text, m.Octets)
	return databaseError(err)
}

// Adopt notes under which reservation of the journal the message waits from now on: that of the process which had put it down is
// gone with it. Errors: ErrNone, ErrEnded, ErrExpired.
func (d *Desk) Adopt(ctx context.Context, id, attempt int64) error {
	return d.transact(ctx, "adopt", func(ctx context.Context, tx *sql.Tx, now time.Time) error {
		if _, err := open(ctx, tx, id); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, "UPDATE message SET attempt = ?, updated_at = ? WHERE id = ?", attempt, now.UnixMicro(), id)
		return databaseError(err)
	})
}

// End withdraws a message that waits, and wipes it. It is no error if it is over already.
func (d *Desk) End(ctx context.Context, id int64) error {
	return d.transact(context.WithoutCancel(ctx), "end", func(ctx context.Context, tx *sql.Tx, now time.Time) error {
		if _, err := tx.ExecContext(ctx, "UPDATE message SET state = 'ended', updated_at = ? WHERE id = ? AND state IN ('waiting','answered')",
			now.UnixMicro(), id); err != nil {
			return databaseError(err)
		}
		return wipe(ctx, tx, id)
	})
}

// wipe overwrites octets, envelope and question.
func wipe(ctx context.Context, tx *sql.Tx, id int64) error {
	_, err := tx.ExecContext(ctx, "DELETE FROM content WHERE id = ?", id)
	return databaseError(err)
}
