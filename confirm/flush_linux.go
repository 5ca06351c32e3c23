package confirm

import (
	"os"

	"golang.org/x/sys/unix"
)

// discardTyped drops what was typed before the question was shown: it cannot be an answer to it.
func discardTyped(tty any) {
	f, ok := tty.(*os.File)
	if !ok {
		return
	}
	raw, err := f.SyscallConn() // Fd would make reads that Close cannot end
	if err != nil {
		return
	}
	_ = raw.Control(func(fd uintptr) {
		_ = unix.IoctlSetInt(int(fd), unix.TCFLSH, unix.TCIFLUSH) // if it is no terminal, nothing was typed
	})
}
