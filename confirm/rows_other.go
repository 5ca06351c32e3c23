//go:build !linux && !darwin && !freebsd

package confirm

import "os"

// IsTerminal says whether f is a terminal, or a device that looks like one here.
func IsTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// terminalRows is not known here: the question is shown in one piece.
func terminalRows(any) int { return 0 }
