package outbox

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// databaseError gives a failure of SQLite its sentinel. SQLite's text names neither values nor paths.
func databaseError(err error) error {
	var e *sqlite.Error
	if err == nil || !errors.As(err, &e) {
		return wrap(ErrJournal, err)
	}
	switch e.Code() & 0xff {
	case sqlite3.SQLITE_FULL:
		return wrap(ErrFull, err)
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return wrap(ErrCorrupt, err)
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM:
		return wrap(ErrReadOnly, err)
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return wrap(ErrBusy, err)
	}
	return wrap(ErrJournal, err)
}

func fileError(err error) error {
	err = pathless(err)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EFBIG), errors.Is(err, syscall.EDQUOT):
		return wrap(ErrFull, err)
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return wrap(ErrReadOnly, err)
	case errors.Is(err, fs.ErrNotExist):
		return wrap(ErrNoDirectory, err)
	}
	return wrap(ErrJournal, err)
}

func wrap(sentinel, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %v", sentinel, err)
}

// pathless drops the path from a file error: where the state lies is nobody's business in a tool result.
func pathless(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
