//go:build windows

package book

import "io/fs"

// Quirk: on Windows the access list of the directory decides; it is not looked at here.
func ownFile(fs.FileInfo) bool { return true }
