//go:build windows

package filelock

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/windows"
)

// Windows locks are mandatory for the range they cover, so the range lies far behind any content.
const rangeHigh = 0x3fffffff

func tryLock(f *os.File) (bool, error) {
	at := &windows.Overlapped{OffsetHigh: rangeHigh}
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	err := windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, at)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("filelock: %w", err)
	}
	return true, nil
}

func unlock(f *os.File) error {
	at := &windows.Overlapped{OffsetHigh: rangeHigh}
	if err := windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, at); err != nil {
		return fmt.Errorf("filelock: %w", err)
	}
	return nil
}
