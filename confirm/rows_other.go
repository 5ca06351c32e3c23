//go:build !linux && !darwin && !freebsd

package confirm

// terminalRows is not known here: the question is shown in one piece.
func terminalRows(any) int { return 0 }
