//go:build unix

package attach_test

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"

	"mailgap/sendmail/attach"
)

// TestPipeIsRefused: and at once, though nobody writes to it.
func TestPipeIsRefused(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe.txt"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := attach.Open(t.Context(), dir, "pipe.txt", attach.Limits{}); !errors.Is(err, attach.ErrNotRegular) {
		t.Errorf("got %v, want %v", err, attach.ErrNotRegular)
	}
}
