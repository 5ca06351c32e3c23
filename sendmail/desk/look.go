package desk

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"mailgap/confirm"
)

// pollEvery is how often a waiting process looks for an answer of another one. Limit: a person does not notice less.
const pollEvery = 200 * time.Millisecond

// querier is what *sql.DB and *sql.Tx have in common for reading.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// exists reports whether there may be a file; a doubt is a yes, so that opening it says what is wrong.
func (d *Desk) exists() bool {
	_, err := os.Lstat(filepath.Join(d.dir, databaseName))
	return !errors.Is(err, fs.ErrNotExist)
}

// Find returns the message that waits, or whose answer was not taken, under b. Where there is no file, none is made. Errors:
// ErrNone, ErrDamaged, or the file's.
func (d *Desk) Find(ctx context.Context, b confirm.Binding) (Message, error) {
	if !d.exists() {
		return Message{}, ErrNone
	}
	var m Message
	err := d.transact(ctx, "find", func(ctx context.Context, tx *sql.Tx, _ time.Time) error {
		var id int64
		err := tx.QueryRowContext(ctx, "SELECT id FROM message WHERE principal = ? AND tool = ? AND binding = ? AND state IN ('waiting','answered')",
			b.Principal, b.Tool, b.Digest[:]).Scan(&id)
		if errors.Is(err, sql.ErrNoRows) {
			return ErrNone
		}
		if err != nil {
			return databaseError(err)
		}
		m, err = load(ctx, tx, id)
		return err
	})
	return m, err
}

// Show returns a message for a person to look at, with what became of it. Errors: ErrNone, ErrDamaged if its content does not
// fit its digest or could act on a terminal, or the file's.
func (d *Desk) Show(ctx context.Context, id int64) (Message, error) {
	if !d.exists() {
		return Message{}, ErrNone
	}
	var m Message
	err := d.transact(ctx, "show", func(ctx context.Context, tx *sql.Tx, _ time.Time) (err error) {
		m, err = load(ctx, tx, id)
		return err
	})
	return m, err
}

// load reads a whole message. What waits must be what was put down.
func load(ctx context.Context, q querier, id int64) (Message, error) {
	m, err := scan(q.QueryRowContext(ctx, selectMessage+" WHERE id = ?", id))
	if errors.Is(err, sql.ErrNoRows) {
		return m, ErrNone
	}
	if err != nil {
		return m, databaseError(err)
	}
	var paths, typed string
	err = q.QueryRowContext(ctx, "SELECT reverse_path, forward_paths, typed, text, octets FROM content WHERE id = ?", id).
		Scan(&m.ReversePath, &paths, &typed, &m.Text, &m.Octets)
	if errors.Is(err, sql.ErrNoRows) {
		if m.Status == StatusWaiting || m.Status == StatusAnswered && m.Reason == confirm.Approved {
			return m, fmt.Errorf("%w: content is missing", ErrDamaged)
		}
		return m, nil
	}
	if err != nil {
		return m, databaseError(err)
	}
	if json.Unmarshal([]byte(paths), &m.ForwardPaths) != nil || json.Unmarshal([]byte(typed), &m.Typed) != nil {
		return m, fmt.Errorf("%w: content cannot be read", ErrDamaged)
	}
	// Security: nothing is shown, and nothing is sent, that is not what was put down in one piece.
	if m.check() != nil || m.digest() != m.Shown {
		return m, fmt.Errorf("%w: content does not fit its digest", ErrDamaged)
	}
	return m, nil
}

const selectMessage = `SELECT id, principal, tool, binding, identity, shown, message_id, level, attempt, state, reason, path,
	created_at, expires_at FROM message`

func scan(row interface{ Scan(...any) error }) (Message, error) {
	var m Message
	var binding, identity, shown []byte
	var created, expires int64
	err := row.Scan(&m.ID, &m.Binding.Principal, &m.Binding.Tool, &binding, &identity, &shown, &m.MessageID, &m.Level, &m.Attempt,
		&m.Status, &m.Reason, &m.Path, &created, &expires)
	copy(m.Binding.Digest[:], binding)
	copy(m.Identity[:], identity)
	copy(m.Shown[:], shown)
	m.CreatedAt, m.Expires = time.UnixMicro(created), time.UnixMicro(expires)
	return m, err
}

// List returns what waits or is answered and not taken, oldest first, without its content. Where there is no file, none is made.
func (d *Desk) List(ctx context.Context) ([]Message, error) {
	if !d.exists() {
		return nil, nil
	}
	var out []Message
	err := d.transact(ctx, "list", func(ctx context.Context, tx *sql.Tx, _ time.Time) error {
		rows, err := tx.QueryContext(ctx, selectMessage+" WHERE state IN ('waiting','answered') ORDER BY id LIMIT ?", maxPending)
		if err != nil {
			return databaseError(err)
		}
		defer rows.Close() // its error is rows.Err
		for rows.Next() {
			m, err := scan(rows)
			if err != nil {
				return databaseError(err)
			}
			out = append(out, m)
		}
		return databaseError(rows.Err())
	})
	return out, err
}

// Wait returns when the message has an answer or waits no longer, or ctx ends, with its status and without content. It does not
// take the answer. Errors: ErrNone, ctx's, or the file's.
func (d *Desk) Wait(ctx context.Context, id int64) (Message, error) {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		d.mu.Lock()
		turned := d.turned
		d.mu.Unlock()
		m, err := d.glance(ctx, id)
		if err != nil || m.Status != StatusWaiting {
			return m, err
		}
		select {
		case <-ctx.Done():
			return m, ctx.Err()
		case <-turned:
		case <-tick.C:
		}
	}
}

// glance reads the state of a message without a write lock.
func (d *Desk) glance(ctx context.Context, id int64) (Message, error) {
	if err := d.Ready(ctx); err != nil {
		return Message{}, err
	}
	m, err := scan(d.db.QueryRowContext(ctx, selectMessage+" WHERE id = ?", id))
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return m, ErrNone
	case ctx.Err() != nil:
		return m, ctx.Err()
	case err != nil:
		return m, databaseError(err)
	}
	if open := m.Status == StatusWaiting || m.Status == StatusAnswered; open && !d.opts.Clock().Before(m.Expires) {
		m.Status = StatusExpired
	}
	return m, nil
}
