package outbox

import (
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
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

	"mailgap/shared/audit/filelock"
)

const (
	busyTimeout   = 5 * time.Second  // Limit: a transaction takes milliseconds; longer means that something hangs
	resultTimeout = 30 * time.Second // for a transaction that a cancelled call must not cut short
	ownerOctets   = 16
)

// core is the part of an Outbox that exists once the journal is open.
type core struct {
	mu     sync.Mutex
	db     *sql.DB
	owner  string
	life   *os.File // locked as long as this Outbox is open: the proof of life
	closed bool
}

// Ready opens the journal if it is not open yet: it creates the directory (mode 0700; its parent must exist) and the
// database (0600), checks both for privacy, the schema and the integrity of the file. A failure is not remembered, so
// the next call tries again. Errors: ErrNoDirectory, ErrNotPrivate, ErrReadOnly, ErrFull, ErrCorrupt, ErrNewerSchema,
// ErrBusy, ErrJournal, ErrClosed.
func (o *Outbox) Ready(ctx context.Context) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return ErrClosed
	}
	if o.db != nil {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := o.prepareDir(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), resultTimeout)
	defer cancel()
	return o.openOnce(ctx)
}

// openOnce runs under a lock file, because changing a new database to WAL cannot wait for another process by itself.
func (o *Outbox) openOnce(ctx context.Context) error {
	turn, err := os.OpenFile(filepath.Join(o.dir, openLockName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return fileError(err)
	}
	defer turn.Close() // releases the lock; nothing was written
	lockCtx, cancel := context.WithTimeout(ctx, busyTimeout)
	defer cancel()
	if err := filelock.Lock(lockCtx, turn); err != nil {
		return fmt.Errorf("%w: %v", ErrBusy, err)
	}
	if err := o.createDatabaseFile(); err != nil {
		return err
	}
	db, err := openDatabase(o.dir, o.opts.maxPages)
	if err != nil {
		return err
	}
	if err := o.prepareDatabase(ctx, db); err != nil {
		return errors.Join(err, db.Close())
	}
	if err := o.startLife(); err != nil {
		return errors.Join(err, db.Close())
	}
	o.db = db
	return nil
}

func (o *Outbox) prepareDir() error {
	info, err := os.Stat(o.dir)
	if errors.Is(err, fs.ErrNotExist) {
		if err := os.Mkdir(o.dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("%w: %v", ErrNoDirectory, pathless(err))
		}
		info, err = os.Stat(o.dir)
	}
	if err != nil {
		return fmt.Errorf("%w: %v", ErrNoDirectory, pathless(err))
	}
	if !info.IsDir() {
		return fmt.Errorf("%w: not a directory", ErrNoDirectory)
	}
	// Security: the journal decides whether a message may leave again; another user must not be able to replace it.
	if runtime.GOOS != "windows" && (info.Mode().Perm()&0o077 != 0 || !ownFile(info)) {
		return fmt.Errorf("%w: directory must belong to you with mode 0700", ErrNotPrivate)
	}
	return nil
}

// createDatabaseFile makes an empty file with mode 0600, from which SQLite derives the mode of its side files. An
// existing file is only looked at: opening and closing it would drop the locks that SQLite holds on it here.
func (o *Outbox) createDatabaseFile() error {
	path := filepath.Join(o.dir, databaseName)
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
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%w: journal is not a regular file", ErrNotPrivate)
	}
	if runtime.GOOS != "windows" && (info.Mode().Perm()&0o077 != 0 || !ownFile(info)) {
		return fmt.Errorf("%w: journal must belong to you with mode 0600", ErrNotPrivate)
	}
	return nil
}

// openDatabase gives a handle with one connection. synchronous=FULL makes a commit in WAL mode reach the disk before it
// returns; secure_delete overwrites forgotten octets and addresses.
func openDatabase(dir string, maxPages int) (*sql.DB, error) {
	q := url.Values{}
	q.Set("mode", "rw")
	q.Set("_txlock", "immediate")
	q.Set("_busy_timeout", strconv.FormatInt(busyTimeout.Milliseconds(), 10))
	q.Set("_synchronous", "FULL")
	q.Set("_dqs", "0")
	q.Set("_defensive", "1")
	for _, p := range []string{"secure_delete(1)", "trusted_schema(0)", "cell_size_check(1)", "fullfsync(1)", "checkpoint_fullfsync(1)"} {
		q.Add("_pragma", p)
	}
	if maxPages > 0 {
		q.Add("_pragma", fmt.Sprintf("max_page_count(%d)", maxPages))
	}
	return connect(dir, q)
}

func connect(dir string, q url.Values) (*sql.DB, error) {
	abs, err := filepath.Abs(filepath.Join(dir, databaseName))
	if err != nil {
		return nil, fmt.Errorf("%w: %v", ErrJournal, err)
	}
	path := filepath.ToSlash(abs)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // C:/... in a file URI
	}
	u := url.URL{Scheme: "file", Path: path, RawQuery: q.Encode()}
	c, err := sqlite.NewConnector(u.String())
	if err != nil {
		return nil, fmt.Errorf("%w: %v", ErrJournal, err)
	}
	db := sql.OpenDB(c)
	db.SetMaxOpenConns(1) // one writer
	return db, nil
}

// prepareDatabase checks before it changes anything: a file that is not ours is left as it is.
func (o *Outbox) prepareDatabase(ctx context.Context, db *sql.DB) error {
	fresh, err := checkSchema(ctx, db)
	if err != nil {
		return err
	}
	var mode string
	if err := db.QueryRowContext(ctx, "PRAGMA journal_mode=WAL").Scan(&mode); err != nil {
		return databaseError(err)
	}
	if mode != "wal" {
		return fmt.Errorf("%w: journal mode is %s, want wal", ErrJournal, mode)
	}
	if fresh {
		return o.createSchema(ctx, db)
	}
	return checkIntegrity(ctx, db)
}

func checkSchema(ctx context.Context, db *sql.DB) (fresh bool, err error) {
	var app, version, objects int
	const q = "SELECT (SELECT application_id FROM pragma_application_id), (SELECT user_version FROM pragma_user_version), (SELECT count(*) FROM sqlite_schema)"
	if err := db.QueryRowContext(ctx, q).Scan(&app, &version, &objects); err != nil {
		return false, databaseError(err)
	}
	switch {
	case app == 0 && version == 0 && objects == 0:
		return true, nil
	case app != applicationID:
		return false, fmt.Errorf("%w: database of another program", ErrCorrupt)
	case version > schemaVersion:
		return false, fmt.Errorf("%w: schema %d, this version knows %d", ErrNewerSchema, version, schemaVersion)
	case version != schemaVersion:
		return false, fmt.Errorf("%w: schema %d", ErrCorrupt, version)
	}
	return false, nil
}

func (o *Outbox) createSchema(ctx context.Context, db *sql.DB) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return databaseError(err)
	}
	defer tx.Rollback() // after Commit it does nothing
	stmts := schema + fmt.Sprintf("PRAGMA application_id=%d; PRAGMA user_version=%d;", applicationID, schemaVersion)
	if _, err := tx.ExecContext(ctx, stmts); err != nil {
		return databaseError(err)
	}
	o.opts.step("create:before")
	if err := tx.Commit(); err != nil {
		return databaseError(err)
	}
	o.opts.step("create:after")
	return nil
}

func checkIntegrity(ctx context.Context, db *sql.DB) error {
	var verdict string
	if err := db.QueryRowContext(ctx, "PRAGMA integrity_check(1)").Scan(&verdict); err != nil {
		return databaseError(err)
	}
	if verdict != "ok" {
		return fmt.Errorf("%w: integrity check failed", ErrCorrupt)
	}
	return nil
}

// startLife creates the file whose lock proves that this process lives.
func (o *Outbox) startLife() error {
	var id [ownerOctets]byte
	if _, err := io.ReadFull(o.opts.Random, id[:]); err != nil {
		return fmt.Errorf("%w: random source: %v", ErrJournal, err)
	}
	owner := hex.EncodeToString(id[:])
	f, err := os.OpenFile(o.lifePath(owner), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fileError(err)
	}
	held, err := filelock.TryLock(f)
	if err != nil || !held {
		return errors.Join(fmt.Errorf("%w: life file cannot be locked: %v", ErrJournal, err), f.Close(), os.Remove(f.Name()))
	}
	o.owner, o.life = owner, f
	return nil
}

// Close closes the journal. An open reservation is released and an attempt still being sent becomes unknown when the
// journal is next used, by any process. Calling it again does nothing.
func (o *Outbox) Close() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return nil
	}
	o.closed = true
	if o.db == nil {
		return nil
	}
	err := o.db.Close()
	removed := os.Remove(o.life.Name())
	if runtime.GOOS == "windows" || errors.Is(removed, fs.ErrNotExist) {
		removed = nil // an open file cannot be removed there; the next process does it
	}
	return errors.Join(err, removed, o.life.Close())
}
