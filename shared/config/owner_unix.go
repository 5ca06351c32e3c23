//go:build unix

package config

import (
	"os"
	"syscall"
)

// ownedByUs says whether a file belongs to this user or to root.
func ownedByUs(info os.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && (stat.Uid == 0 || int(stat.Uid) == os.Geteuid())
}
