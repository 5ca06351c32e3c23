//go:build linux || darwin || freebsd

package confirm

import (
	"os"

	"golang.org/x/sys/unix"
)

// IsTerminal says whether f is a terminal.
func IsTerminal(f *os.File) bool {
	raw, err := f.SyscallConn()
	if err != nil {
		return false
	}
	is := false
	_ = raw.Control(func(fd uintptr) {
		_, err := unix.IoctlGetWinsize(int(fd), unix.TIOCGWINSZ)
		is = err == nil
	})
	return is
}

// terminalRows is the height of the window; 0 if it is not known.
func terminalRows(tty any) int {
	f, ok := tty.(*os.File)
	if !ok {
		return 0
	}
	raw, err := f.SyscallConn() // Fd would make reads that Close cannot end
	if err != nil {
		return 0
	}
	rows := 0
	_ = raw.Control(func(fd uintptr) {
		if size, err := unix.IoctlGetWinsize(int(fd), unix.TIOCGWINSZ); err == nil {
			rows = int(size.Row)
		}
	})
	return rows
}
