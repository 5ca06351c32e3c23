package mcpserve

import (
	"context"
	"errors"
	"io"
	"time"
)

// Options of Serve. The zero value is safe.
type Options struct {
	// MaxLineOctets bounds one line of input; 0 means 1 MiB. A longer line is dropped, and answered with an error if its id
	// is found near its start.
	MaxLineOctets int
	// MaxCalls bounds the tool calls that run at once; 0 means 16. A call beyond is refused at once with a sentence.
	MaxCalls int
	// Drain is called after the input ended or a signal came, before handlers are abandoned; ctx ends with the hard
	// deadline. For work that must not be torn, such as a message on its way.
	Drain func(ctx context.Context)
	// DrainTimeout is how long Drain may take; 0 means that the one-second rule holds for it too.
	DrainTimeout time.Duration
}

// Serve answers requests from in on out until in ends, ctx is done or SIGINT or SIGTERM arrives. It then cancels what runs
// and returns within a second, even if handlers do not return; the process should then exit. While it runs, os.Stdout
// is replaced, so that stray prints go to standard error. Serve at most one server per process at a time.
func Serve(ctx context.Context, s *Server, in io.Reader, out io.Writer, o Options) error {
	return errors.New("mcpserve: not implemented")
}
