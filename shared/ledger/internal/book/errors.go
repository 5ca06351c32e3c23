package book

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"mailgap/shared/ledger"
)

// DatabaseError gives a failure of SQLite its sentinel. SQLite's text names neither values nor paths.
func DatabaseError(err error) error {
	var e *sqlite.Error
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &e):
		if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
			return err
		}
		return fmt.Errorf("%w: %v", ledger.ErrFailed, err)
	}
	switch e.Code() & 0xff {
	case sqlite3.SQLITE_FULL:
		return fmt.Errorf("%w: %v", ledger.ErrFull, err)
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return fmt.Errorf("%w: %v", ledger.ErrCorrupt, err)
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM:
		return fmt.Errorf("%w: %v", ledger.ErrReadOnly, err)
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return fmt.Errorf("%w: %v", ledger.ErrBusy, err)
	}
	return fmt.Errorf("%w: %v", ledger.ErrFailed, err)
}

// FileError gives a failure of the file system its sentinel, without the path.
func FileError(err error) error {
	if err == nil {
		return nil
	}
	var pe *fs.PathError
	bare := err
	if errors.As(err, &pe) {
		bare = pe.Err
	}
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EFBIG), errors.Is(err, syscall.EDQUOT):
		return fmt.Errorf("%w: %v", ledger.ErrFull, bare)
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return fmt.Errorf("%w: %v", ledger.ErrReadOnly, bare)
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w: %v", ledger.ErrNoDirectory, bare)
	}
	return fmt.Errorf("%w: %v", ledger.ErrFailed, bare)
}
