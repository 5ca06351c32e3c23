// Package filelock takes advisory locks on open files, so that processes of one user take turns.
//
// A lock belongs to the open file, not to the process: the operating system releases it when the file is closed or the
// process ends, however it ends. That makes a held lock a proof of life that needs no process numbers and no clock.
// The lock is advisory: it orders processes that ask for it and protects nothing from one that does not. Files on
// network file systems may not carry locks between machines; keep them on a local disk.
package filelock

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"
)

// ErrTimeout means that another holder kept the lock until the context ended.
var ErrTimeout = errors.New("filelock: lock is held by another process")

const maxPause = 10 * time.Millisecond // between two tries of Lock

// Lock takes the exclusive lock on f and waits for it until ctx ends; then the error is ErrTimeout. Closing f or
// calling Unlock releases it. Safe for concurrent use on different files.
func Lock(ctx context.Context, f *os.File) error {
	for pause := time.Millisecond; ; pause = min(2*pause, maxPause) {
		held, err := TryLock(f)
		if err != nil || held {
			return err
		}
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
			timer.Stop()
			return fmt.Errorf("%w: %v", ErrTimeout, context.Cause(ctx))
		case <-timer.C:
		}
	}
}

// TryLock takes the exclusive lock on f if nobody holds it and reports whether it did. It does not wait.
func TryLock(f *os.File) (bool, error) { return tryLock(f) }

// Unlock releases the lock on f.
func Unlock(f *os.File) error { return unlock(f) }
