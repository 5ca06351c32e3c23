package filelock

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func open(t *testing.T, path string) *os.File {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() }) // some tests close it themselves
	return f
}

func try(t *testing.T, f *os.File, want bool) {
	t.Helper()
	if got, err := TryLock(f); err != nil || got != want {
		t.Errorf("TryLock = %v, %v; want %v", got, err, want)
	}
}

func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	a, b := open(t, path), open(t, path)
	try(t, a, true)
	try(t, b, false)
	if err := Unlock(a); err != nil {
		t.Fatal(err)
	}
	try(t, b, true)
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	try(t, a, true)
}

func TestLockWaits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	a, b := open(t, path), open(t, path)
	try(t, a, true)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Lock(ctx, b); !errors.Is(err, ErrTimeout) {
		t.Errorf("Lock = %v, want ErrTimeout", err)
	}
	done := make(chan error)
	go func() { done <- Lock(t.Context(), b) }()
	if err := Unlock(a); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Errorf("Lock = %v", err)
	}
	try(t, a, false)
}

func TestClosedFile(t *testing.T) {
	f := open(t, filepath.Join(t.TempDir(), "lock"))
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := TryLock(f); err == nil {
		t.Error("TryLock of a closed file succeeds")
	}
}
