//go:build !unix

package extract

import "io/fs"

// privateDir is true: directories below the user's profile are private by default there.
func privateDir(fs.FileInfo) bool { return true }
