package desk

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"mailgap/shared/audit/filelock"
)

const (
	databaseName  = "desk.db"
	openLockName  = "desk.lock"
	applicationID = 0x6d676473 // "mgds", so that another program's database is never written to
	schemaVersion = 1
	busyTimeout   = 5 * time.Second  // Limit: a transaction takes milliseconds; longer means that something hangs
	stepTimeout   = 30 * time.Second // for a transaction that a cancelled call must not cut short
)

// Times are microseconds since 1970 by the wall clock. The unique index keeps two questions about one message apart even if
// the code above it were wrong.
const schema = `
CREATE TABLE message (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	principal TEXT NOT NULL,
	tool TEXT NOT NULL,
	binding BLOB NOT NULL CHECK (length(binding) = 32),
	identity BLOB NOT NULL CHECK (length(identity) = 32),
	shown BLOB NOT NULL CHECK (length(shown) = 32),
	message_id TEXT NOT NULL,
	level INTEGER NOT NULL,
	attempt INTEGER NOT NULL,
	state TEXT NOT NULL CHECK (state IN ('waiting','answered','taken','ended','expired')),
	reason TEXT NOT NULL DEFAULT '',
	path TEXT NOT NULL DEFAULT '',
	created_at INTEGER NOT NULL,
	expires_at INTEGER NOT NULL,
	updated_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX message_one_open ON message (principal, tool, binding) WHERE state IN ('waiting','answered');
CREATE INDEX message_open ON message (state) WHERE state IN ('waiting','answered');
CREATE TABLE content (
	id INTEGER PRIMARY KEY REFERENCES message (id),
	reverse_path TEXT NOT NULL,
	forward_paths TEXT NOT NULL,
	typed TEXT NOT NULL,
	text TEXT NOT NULL,
	octets BLOB NOT NULL
) STRICT;
`

// core is the part of a Desk that exists once the file is open.
type core struct {
	mu     sync.Mutex
	db     *sql.DB
	closed bool
	turned chan struct{} // closed and made anew when this process changed something, so that waiters look at once
}

// Ready opens the file if it is not open yet: it creates the directory (mode 0700; its parent must exist) and the database
// (0600), and checks both for privacy, and the schema. A failure is not remembered. Errors: ErrClosed, ErrNotPrivate, ErrDamaged,
// ErrFull, ErrState.
func (d *Desk) Ready(ctx context.Context) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case d.closed:
		return ErrClosed
	case d.db != nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	}
	if err := prepareDir(d.dir); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), busyTimeout)
	defer cancel()
	turn, err := os.OpenFile(filepath.Join(d.dir, openLockName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return fileError(err)
	}
	defer turn.Close() // releases the lock; nothing was written
	if err := filelock.Lock(ctx, turn); err != nil {
		return fmt.Errorf("%w: %v", ErrState, err)
	}
	if err := prepareFile(filepath.Join(d.dir, databaseName)); err != nil {
		return err
	}
	db, err := openDatabase(d.dir)
	if err != nil {
		return err
	}
	if err := prepareDatabase(ctx, db); err != nil {
		return errors.Join(err, db.Close())
	}
	d.db = db
	return nil
}

func prepareDir(dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return fileError(err)
	}
	info, err := os.Stat(dir)
	if err != nil {
		return fileError(err)
	}
	// Security: whoever can write here can answer; nobody else may.
	if !info.IsDir() || !private(info) {
		return fmt.Errorf("%w: directory must belong to you with mode 0700", ErrNotPrivate)
	}
	return nil
}

// prepareFile makes an empty file with mode 0600. An existing one is only looked at.
func prepareFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		return f.Close()
	}
	if !errors.Is(err, fs.ErrExist) {
		return fileError(err)
	}
	info, err := os.Lstat(path)
	if err != nil {
		return fileError(err)
	}
	if !info.Mode().IsRegular() || !private(info) {
		return fmt.Errorf("%w: file must belong to you with mode 0600", ErrNotPrivate)
	}
	return nil
}

func private(info fs.FileInfo) bool {
	return runtime.GOOS == "windows" || info.Mode().Perm()&0o077 == 0 && ownFile(info)
}

// openDatabase gives a handle with one connection. With synchronous=EXTRA a commit is on the disk before it returns, the end of
// its journal file too; secure_delete overwrites what is forgotten.
func openDatabase(dir string) (*sql.DB, error) {
	abs, err := filepath.Abs(filepath.Join(dir, databaseName))
	if err != nil {
		return nil, fmt.Errorf("%w: no absolute path", ErrState)
	}
	path := filepath.ToSlash(abs)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // C:/... in a file URI
	}
	q := url.Values{"mode": {"rw"}, "_txlock": {"immediate"}, "_busy_timeout": {strconv.FormatInt(busyTimeout.Milliseconds(), 10)},
		"_synchronous": {"EXTRA"}, "_dqs": {"0"}, "_defensive": {"1"},
		"_pragma": {"secure_delete(1)", "trusted_schema(0)", "cell_size_check(1)", "fullfsync(1)"}}
	u := url.URL{Scheme: "file", Path: path, RawQuery: q.Encode()}
	c, err := sqlite.NewConnector(u.String())
	if err != nil {
		return nil, fmt.Errorf("%w: %v", ErrState, err)
	}
	db := sql.OpenDB(c)
	db.SetMaxOpenConns(1) // one writer
	return db, nil
}

// prepareDatabase checks before it changes anything: a file that is not ours is left as it is.
func prepareDatabase(ctx context.Context, db *sql.DB) error {
	var app, version, objects int
	const q = "SELECT (SELECT application_id FROM pragma_application_id), (SELECT user_version FROM pragma_user_version), (SELECT count(*) FROM sqlite_schema)"
	if err := db.QueryRowContext(ctx, q).Scan(&app, &version, &objects); err != nil {
		return databaseError(err)
	}
	switch {
	case app == applicationID && version == schemaVersion:
		return nil
	case app != 0 || version != 0 || objects != 0:
		return fmt.Errorf("%w: of another program or version", ErrDamaged)
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return databaseError(err)
	}
	defer tx.Rollback() // after Commit it does nothing
	if _, err := tx.ExecContext(ctx, schema+fmt.Sprintf("PRAGMA application_id=%d; PRAGMA user_version=%d;", applicationID, schemaVersion)); err != nil {
		return databaseError(err)
	}
	return databaseError(tx.Commit())
}

// databaseError gives a failure of SQLite its sentinel. SQLite's text names neither values nor paths.
func databaseError(err error) error {
	if err == nil {
		return nil
	}
	sentinel := ErrState
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		switch e.Code() & 0xff {
		case sqlite3.SQLITE_FULL:
			sentinel = ErrFull
		case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
			sentinel = ErrDamaged
		}
	}
	return fmt.Errorf("%w: %v", sentinel, err)
}

// fileError drops the path: where the state lies is nobody's business in a tool result.
func fileError(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		err = p.Err
	}
	return fmt.Errorf("%w: %v", ErrState, err)
}
