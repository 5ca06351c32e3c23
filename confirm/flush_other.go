//go:build !linux

package confirm

// discardTyped does nothing here.
func discardTyped(any) {}
