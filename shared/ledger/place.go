package ledger

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// DefaultDir is where both programs keep the ledger unless they are told otherwise: mailgap/ledger in $XDG_STATE_HOME, or in the
// user's state or configuration directory. Nothing is created.
func DefaultDir() (string, error) {
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "mailgap", "ledger"), nil
	}
	if home, err := os.UserHomeDir(); err == nil && os.PathSeparator == '/' {
		return filepath.Join(home, ".local", "state", "mailgap", "ledger"), nil
	}
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", errors.New("ledger: no home directory is known")
	}
	return filepath.Join(dir, "mailgap", "ledger"), nil
}

// DemoDir is where the demos of both programs keep theirs, beside the journal of the sender's demo.
func DemoDir() string {
	return filepath.Join(os.TempDir(), fmt.Sprintf("mailgap-demo-%d", os.Getuid()), "ledger")
}
