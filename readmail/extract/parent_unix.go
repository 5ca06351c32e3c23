//go:build unix

package extract

import (
	"io/fs"
	"os"
	"syscall"
)

// privateDir reports whether only this user may write to the directory.
func privateDir(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid() && info.Mode().Perm()&0o022 == 0
}
