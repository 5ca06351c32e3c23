package book

import (
	"context"
	"crypto/hmac"
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
	"time"

	"modernc.org/sqlite"

	"mailgap/shared/audit/filelock"
	"mailgap/shared/ledger"
)

const busyTimeout = 5 * time.Second // Limit: a transaction takes milliseconds; longer means that something hangs

// Book is an open ledger.
type Book struct {
	DB   *sql.DB
	Keys *Keys
}

// Options says how a book is opened.
type Options struct {
	Keys     ledger.KeyStore
	Random   io.Reader
	MaxPages int // test hook: a small disk
}

// Exists reports whether there may be a database in dir; a doubt is a yes, so that opening it says what is wrong. An empty file
// is none: a crash can leave it.
func Exists(dir string) bool {
	info, err := os.Lstat(filepath.Join(dir, DatabaseName))
	return err == nil && info.Size() > 0 || err != nil && !errors.Is(err, fs.ErrNotExist)
}

// Create opens the book in dir for writing, and makes directory, key and database where they are missing. It runs under a lock
// file, because changing a new database to WAL cannot wait for another process by itself.
func Create(ctx context.Context, dir string, o Options) (*Book, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("%w: %v", ledger.ErrNoDirectory, errors.Unwrap(err))
	}
	if err := checkPrivate(dir, true); err != nil {
		return nil, err
	}
	turn, err := takeTurn(ctx, dir, os.O_CREATE)
	if err != nil {
		return nil, err
	}
	defer turn.Close() // releases the lock; nothing was written
	if err := createDatabaseFile(filepath.Join(dir, DatabaseName)); err != nil {
		return nil, err
	}
	db, err := connect(dir, writeOptions(o.MaxPages))
	if err != nil {
		return nil, err
	}
	k, err := prepare(ctx, db, dir, o)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return &Book{db, k}, nil
}

// takeTurn takes the lock that who makes or opens a book holds meanwhile. Closing the file releases it.
func takeTurn(ctx context.Context, dir string, create int) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, lockName), os.O_RDWR|create, 0o600)
	if err != nil {
		return nil, FileError(err)
	}
	lockCtx, cancel := context.WithTimeout(ctx, busyTimeout)
	defer cancel()
	if err := filelock.Lock(lockCtx, f); err != nil {
		return nil, errors.Join(fmt.Errorf("%w: %v", ledger.ErrBusy, err), f.Close())
	}
	return f, nil
}

// Await waits, for seconds at most, until nobody is in the middle of making or opening the book in dir.
func Await(ctx context.Context, dir string) {
	if f, err := takeTurn(ctx, dir, 0); err == nil {
		f.Close() // nothing was written
	}
}

// Read opens the book in dir for reading. Errors: ErrNoLedger if there is none.
func Read(ctx context.Context, dir string, keys ledger.KeyStore) (*Book, error) {
	if !Exists(dir) {
		return nil, ledger.ErrNoLedger
	}
	Await(ctx, dir)
	for _, p := range []struct {
		name string
		dir  bool
	}{{dir, true}, {filepath.Join(dir, DatabaseName), false}} {
		if err := checkPrivate(p.name, p.dir); err != nil {
			return nil, err
		}
	}
	q := url.Values{"mode": {"rw"}, "_query_only": {"1"}, "_defensive": {"1"}, "_dqs": {"0"}, "_pragma": {"trusted_schema(0)", "cell_size_check(1)"}}
	q.Set("_busy_timeout", strconv.FormatInt(busyTimeout.Milliseconds(), 10))
	db, err := connect(dir, q)
	if err != nil {
		return nil, err
	}
	fresh, err := checkSchema(ctx, db)
	if err == nil && fresh {
		err = ledger.ErrNoLedger
	}
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	k, err := openKeys(ctx, db, dir, keys)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return &Book{db, k}, nil
}

// checkPrivate refuses what other users can write or read, and links. Security: whoever can replace the book can say where a
// passage came from.
func checkPrivate(name string, dir bool) error {
	stat := os.Lstat
	if dir {
		stat = os.Stat
	}
	info, err := stat(name)
	if err != nil {
		return FileError(err)
	}
	if dir != info.IsDir() || !dir && !info.Mode().IsRegular() {
		return fmt.Errorf("%w: not a %s", ledger.ErrNotPrivate, map[bool]string{true: "directory", false: "regular file"}[dir])
	}
	if runtime.GOOS != "windows" && (info.Mode().Perm()&0o077 != 0 || !ownFile(info)) {
		return fmt.Errorf("%w: directory and files must belong to you with modes 0700 and 0600", ledger.ErrNotPrivate)
	}
	return nil
}

// createDatabaseFile makes an empty file with mode 0600, from which SQLite derives the mode of its side files.
func createDatabaseFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		return f.Close()
	}
	if !errors.Is(err, fs.ErrExist) {
		return FileError(err)
	}
	return checkPrivate(path, false)
}

// writeOptions: synchronous=FULL makes a commit in WAL mode reach the disk before it returns; secure_delete overwrites what is
// forgotten.
func writeOptions(maxPages int) url.Values {
	q := url.Values{"mode": {"rw"}, "_txlock": {"immediate"}, "_synchronous": {"FULL"}, "_dqs": {"0"}, "_defensive": {"1"},
		"_pragma": {"secure_delete(1)", "trusted_schema(0)", "cell_size_check(1)", "fullfsync(1)", "checkpoint_fullfsync(1)"}}
	q.Set("_busy_timeout", strconv.FormatInt(busyTimeout.Milliseconds(), 10))
	if maxPages > 0 {
		q.Add("_pragma", fmt.Sprintf("max_page_count(%d)", maxPages))
	}
	return q
}

func connect(dir string, q url.Values) (*sql.DB, error) {
	abs, err := filepath.Abs(filepath.Join(dir, DatabaseName))
	if err != nil {
		return nil, fmt.Errorf("%w: %v", ledger.ErrFailed, err)
	}
	path := filepath.ToSlash(abs)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // C:/... in a file URI
	}
	u := url.URL{Scheme: "file", Path: path, RawQuery: q.Encode()}
	c, err := sqlite.NewConnector(u.String())
	if err != nil {
		return nil, fmt.Errorf("%w: %v", ledger.ErrFailed, err)
	}
	db := sql.OpenDB(c)
	db.SetMaxOpenConns(1)
	return db, nil
}

// prepare checks before it changes anything: a file that is not ours is left as it is.
func prepare(ctx context.Context, db *sql.DB, dir string, o Options) (*Keys, error) {
	fresh, err := checkSchema(ctx, db)
	if err != nil {
		return nil, err
	}
	var mode string
	if err := db.QueryRowContext(ctx, "PRAGMA journal_mode=WAL").Scan(&mode); err != nil {
		return nil, DatabaseError(err)
	}
	if mode != "wal" {
		return nil, fmt.Errorf("%w: journal mode is %s, want wal", ledger.ErrFailed, mode)
	}
	if fresh {
		return createBook(ctx, db, dir, o)
	}
	k, err := openKeys(ctx, db, dir, o.Keys)
	if err != nil {
		return nil, err
	}
	var entries int
	if err := db.QueryRowContext(ctx, "SELECT count(*) FROM (SELECT 1 FROM log LIMIT 1)").Scan(&entries); err != nil {
		return nil, DatabaseError(err)
	}
	if entries == 0 { // whoever made the book may have ended before its key and head were in place
		return k, errors.Join(settleKey(dir, o.Keys), startHead(dir, k))
	}
	return k, nil
}

func checkSchema(ctx context.Context, db *sql.DB) (fresh bool, err error) {
	var app, version, objects int
	const q = "SELECT (SELECT application_id FROM pragma_application_id), (SELECT user_version FROM pragma_user_version), (SELECT count(*) FROM sqlite_schema)"
	if err := db.QueryRowContext(ctx, q).Scan(&app, &version, &objects); err != nil {
		return false, DatabaseError(err)
	}
	switch {
	case app == 0 && version == 0 && objects == 0:
		return true, nil
	case app != applicationID:
		return false, fmt.Errorf("%w: database of another program", ledger.ErrCorrupt)
	case version > schemaVersion:
		return false, fmt.Errorf("%w: schema %d, this version knows %d", ledger.ErrNewerSchema, version, schemaVersion)
	case version != schemaVersion:
		return false, fmt.Errorf("%w: schema %d", ledger.ErrCorrupt, version)
	}
	return false, nil
}

// createBook makes the schema, a name for the book, and the master key unless there is one.
func createBook(ctx context.Context, db *sql.DB, dir string, o Options) (*Keys, error) {
	master, err := loadMaster(dir, o.Keys)
	if err == nil && master == nil {
		master, err = createMaster(dir, o)
	}
	if err != nil {
		return nil, err
	}
	id := make([]byte, IDOctets)
	if _, err := io.ReadFull(o.Random, id); err != nil {
		return nil, fmt.Errorf("%w: random source: %v", ledger.ErrFailed, err)
	}
	k, err := NewKeys(master, id)
	if err != nil {
		return nil, err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return nil, DatabaseError(err)
	}
	defer tx.Rollback() // after Commit it does nothing
	if _, err := tx.ExecContext(ctx, schema+fmt.Sprintf("PRAGMA application_id=%d; PRAGMA user_version=%d;", applicationID, schemaVersion)); err != nil {
		return nil, DatabaseError(err)
	}
	if _, err := tx.ExecContext(ctx, "INSERT INTO book VALUES (?, ?)", id, k.Check()); err != nil {
		return nil, DatabaseError(err)
	}
	if err := tx.Commit(); err != nil {
		return nil, DatabaseError(err)
	}
	if err := settleKey(dir, o.Keys); err != nil {
		return nil, err
	}
	return k, startHead(dir, k)
}

// startHead makes the file for the head, unless one is there: one of another book shows that this one took its place.
func startHead(dir string, k *Keys) error {
	if _, err := os.Lstat(HeadPath(dir)); err == nil {
		return nil
	}
	return WriteFile(HeadPath(dir), HeadText(k, Position{Mac: k.Genesis()}))
}

// openKeys reads the name of the book and checks that the master key is the one it was made with.
func openKeys(ctx context.Context, db *sql.DB, dir string, ks ledger.KeyStore) (*Keys, error) {
	var id, proof []byte
	if err := db.QueryRowContext(ctx, "SELECT id, proof FROM book").Scan(&id, &proof); err != nil {
		if errors.Is(err, sql.ErrNoRows) {
			return nil, fmt.Errorf("%w: it has no name", ledger.ErrCorrupt)
		}
		return nil, DatabaseError(err)
	}
	master, err := loadMaster(dir, ks)
	if err == nil && master == nil && ks == nil {
		master, err = keyFile(filepath.Join(dir, newKeyName)) // whoever made the book ended just then
	}
	if err != nil {
		return nil, err
	}
	if master == nil {
		return nil, fmt.Errorf("%w: there is none", ledger.ErrKey)
	}
	k, err := NewKeys(master, id)
	if err != nil {
		return nil, err
	}
	if !hmac.Equal(k.Check(), proof) {
		return nil, fmt.Errorf("%w: it is not the key of this book", ledger.ErrKey)
	}
	return k, nil
}

const (
	keyService   = "mailgap"
	keyTitle     = "mailgap ledger key 1"
	maxKeyOctets = 200
)

// loadMaster returns the master key, or nil if there is none.
func loadMaster(dir string, ks ledger.KeyStore) ([]byte, error) {
	if ks != nil {
		user, err := keyUser(dir)
		if err != nil {
			return nil, err
		}
		key, err := ks.Get(keyService, user)
		switch {
		case err != nil:
			return nil, fmt.Errorf("%w: the key store does not answer: %v", ledger.ErrKey, err)
		case key != nil && len(key) != MasterOctets:
			return nil, fmt.Errorf("%w: what the key store holds is none", ledger.ErrKey)
		}
		return key, nil
	}
	return keyFile(filepath.Join(dir, KeyName))
}

// keyFile reads a master key; nil if there is no file.
func keyFile(path string) ([]byte, error) {
	if err := checkPrivate(path, false); errors.Is(err, ledger.ErrNoDirectory) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, FileError(err)
	}
	defer f.Close() // only read
	text, err := io.ReadAll(io.LimitReader(f, maxKeyOctets))
	if err != nil {
		return nil, FileError(err)
	}
	title, rest, _ := strings.Cut(string(text), "\n")
	key, err := hex.DecodeString(strings.TrimSpace(rest))
	if title != keyTitle || err != nil || len(key) != MasterOctets {
		return nil, fmt.Errorf("%w: the key file is damaged", ledger.ErrKey)
	}
	return key, nil
}

// keyUser names the book in a key store, so that several can live beside each other.
func keyUser(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("%w: %v", ledger.ErrFailed, err)
	}
	return "ledger in " + abs, nil
}

// createMaster draws a master key and puts it where it is kept. A file has a name of its own until the book is there: a key without
// a book means that a book was taken away.
func createMaster(dir string, o Options) ([]byte, error) {
	key := make([]byte, MasterOctets)
	if _, err := io.ReadFull(o.Random, key); err != nil {
		return nil, fmt.Errorf("%w: random source: %v", ledger.ErrFailed, err)
	}
	if o.Keys != nil {
		user, err := keyUser(dir)
		if err != nil {
			return nil, err
		}
		if err := o.Keys.Set(keyService, user, key); err != nil {
			return nil, fmt.Errorf("%w: the key store does not take it: %v", ledger.ErrKey, err)
		}
		return key, nil
	}
	return key, WriteFile(filepath.Join(dir, newKeyName), fmt.Appendf(nil, "%s\n%x\n", keyTitle, key))
}

// settleKey gives a new key file its name.
func settleKey(dir string, ks ledger.KeyStore) error {
	err := os.Rename(filepath.Join(dir, newKeyName), filepath.Join(dir, KeyName))
	if ks != nil || errors.Is(err, fs.ErrNotExist) {
		return nil // it was there before
	}
	return errors.Join(FileError(err), syncDir(dir))
}

// WriteFile puts a private file in the place of another in one step, on the disk.
func WriteFile(path string, text []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*") // mode 0600
	if err != nil {
		return FileError(err)
	}
	_, err = f.Write(text)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(FileError(err), os.Remove(f.Name()))
	}
	return syncDir(filepath.Dir(path))
}

// syncDir puts a new name on the disk.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return FileError(err)
	}
	return FileError(errors.Join(d.Sync(), d.Close()))
}
