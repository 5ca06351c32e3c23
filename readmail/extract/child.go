package extract

import (
	"context"
	"io"
)

// Child is the whole of the hidden subcommand ChildCommand: it reads one request from stdin, takes away its own
// rights and memory, reads the document, writes one reply to stdout and returns the exit status. It is meant to be
// the only thing that the process does, before any configuration is read.
func Child(ctx context.Context, stdin io.Reader, stdout io.Writer) int {
	return 1
}
