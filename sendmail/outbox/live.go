package outbox

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"mailgap/shared/audit/filelock"
)

func (o *Outbox) lifePath(owner string) string { return filepath.Join(o.dir, "life-"+owner+".lock") }

// alive reports whether the process that wrote owner still lives: it holds the lock on its life file until the
// operating system takes it away. A missing file counts as dead, which is safe: a released reservation cannot be used
// any more, and an attempt being sent becomes unknown, never failed.
func (o *Outbox) alive(owner string) (bool, error) {
	if owner == o.owner {
		return true, nil
	}
	if !validOwner(owner) {
		return false, nil
	}
	f, err := os.OpenFile(o.lifePath(owner), os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fileError(err)
	}
	defer f.Close() // nothing was written
	held, err := filelock.TryLock(f)
	if err != nil {
		return false, wrap(ErrJournal, err)
	}
	return !held, nil
}

func validOwner(s string) bool {
	for _, c := range []byte(s) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return len(s) == 2*ownerOctets
}

type openAttempt struct {
	id      int64
	state   State
	detail  string
	owner   string
	expires time.Time
}

// recoverAttempts settles what dead processes and unanswered questions left open. A reservation expires; an attempt
// being sent by a process that is gone becomes unknown, because its message may have been accepted; it failed if it had
// announced its final dot and that had not left.
func (o *Outbox) recoverAttempts(ctx context.Context, tx *sql.Tx, now time.Time) error {
	open, err := openAttempts(ctx, tx)
	if err != nil {
		return err
	}
	for _, a := range open {
		to, why, err := o.fate(a, now)
		if err != nil {
			return err
		}
		if to == a.state {
			continue
		}
		if err := closeAttempt(ctx, tx, a.id, to, why, now); err != nil {
			return err
		}
	}
	return nil
}

// fate says what an open attempt is now. A reservation whose end lies further ahead than a reservation can last was
// written before the clock went back; it is left alone until its process is gone or the clock has caught up.
func (o *Outbox) fate(a openAttempt, now time.Time) (State, string, error) {
	live, err := o.alive(a.owner)
	switch {
	case err != nil:
		return a.state, "", err
	case a.state == StateSending && !live && a.detail == detailNoDot:
		return StateFailed, detailProcessEnded, nil
	case a.state == StateSending && !live:
		return StateUnknown, detailProcessEnded, nil
	case a.state == StateReserved && !live:
		return StateExpired, detailProcessEnded, nil
	case a.state == StateReserved && !now.Before(a.expires):
		return StateExpired, detailNoAnswer, nil
	}
	return a.state, "", nil
}

func openAttempts(ctx context.Context, q querier) ([]openAttempt, error) {
	rows, err := q.QueryContext(ctx, "SELECT id, state, detail, owner, expires_at FROM attempt WHERE state IN ('reserved','sending')")
	if err != nil {
		return nil, databaseError(err)
	}
	defer rows.Close() // its error is rows.Err
	var out []openAttempt
	for rows.Next() {
		var a openAttempt
		var expires int64
		if err := rows.Scan(&a.id, &a.state, &a.detail, &a.owner, &expires); err != nil {
			return nil, databaseError(err)
		}
		a.expires = time.UnixMicro(expires)
		out = append(out, a)
	}
	return out, wrapRows(rows.Err())
}

func wrapRows(err error) error {
	if err == nil {
		return nil
	}
	return databaseError(err)
}

// removeDeadLives deletes the life files of processes that are gone, unless somebody is just opening the journal: a
// life file that exists and is not locked yet would be taken for dead.
func (o *Outbox) removeDeadLives() error {
	turn, err := os.OpenFile(filepath.Join(o.dir, openLockName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return fileError(err)
	}
	defer turn.Close() // releases the lock; nothing was written
	if held, err := filelock.TryLock(turn); err != nil || !held {
		return wrap(ErrJournal, err)
	}
	names, err := filepath.Glob(o.lifePath("*"))
	if err != nil {
		return wrap(ErrJournal, err)
	}
	for _, name := range names {
		base := filepath.Base(name)
		owner := base[len("life-") : len(base)-len(".lock")]
		live, err := o.alive(owner)
		if err != nil {
			return err
		}
		if live || !validOwner(owner) {
			continue
		}
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fileError(err)
		}
	}
	return nil
}
