package confirm

import (
	"os"

	"golang.org/x/sys/unix"
)

// discardTyped drops what was typed before the question was shown: it cannot be an answer to it.
func discardTyped(tty any) {
	if f, ok := tty.(*os.File); ok {
		_ = unix.IoctlSetInt(int(f.Fd()), unix.TCFLSH, unix.TCIFLUSH) // not a terminal: nothing to drop
	}
}
