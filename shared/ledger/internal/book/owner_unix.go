//go:build unix

package book

import (
	"io/fs"
	"os"
	"syscall"
)

func ownFile(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid()
}
