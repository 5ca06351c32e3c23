package extract

import (
	"io/fs"
	"os"
	"path/filepath"
)

const cacheMode fs.FileMode = 0o700

// DefaultCacheDir returns mailgap/wasm in the user's cache directory, or "" if the user has none. Nothing is created.
func DefaultCacheDir() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "mailgap", "wasm")
}

// cacheDir makes the cache directory and returns it, or "" if it cannot be used.
//
// Security: what lies there is machine code that the child runs, so a directory that others may write is refused.
func (x *Extractor) cacheDir() string {
	dir := x.o.CacheDir
	if dir == "" {
		return ""
	}
	dir, err := filepath.Abs(dir) // the child runs in a directory of its own
	if err != nil || os.MkdirAll(dir, cacheMode) != nil {
		return ""
	}
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() || !privateDir(info) {
		return ""
	}
	return dir
}
