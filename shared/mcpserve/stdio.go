package mcpserve

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

const (
	defaultMaxCalls = 32
	maxOther        = 64                     // requests other than calls that run at once; all are quick
	maxRefusals     = 512                    // answers that wait for a client that does not read, before input waits too
	eofGrace        = 400 * time.Millisecond // for calls that run when the input ends, so that a script gets its answers
	hardDeadline    = 800 * time.Millisecond // from the end of input to return; one second with the exit of the process
)

// Options of Serve. The zero value is safe.
type Options struct {
	// MaxLineOctets bounds one line of input; 0 means 1 MiB. A longer line is dropped, and answered with an error if its id
	// is found near its start or end.
	MaxLineOctets int
	// MaxCalls bounds the tool calls that run at once; 0 means 32. A call beyond is refused at once with a sentence.
	MaxCalls int
	// Drain is called after the input ended or a signal came, beside the cancellation of handlers; ctx ends with
	// DrainTimeout. For work that must not be torn, such as a message on its way.
	Drain func(ctx context.Context)
	// DrainTimeout is how long Drain may take; 0 means that the one-second rule holds for it too.
	DrainTimeout time.Duration
}

func (o Options) withDefaults() Options {
	if o.MaxLineOctets <= 0 {
		o.MaxLineOctets = defaultMaxLineOctets
	}
	if o.MaxCalls <= 0 {
		o.MaxCalls = defaultMaxCalls
	}
	if o.DrainTimeout <= 0 {
		o.DrainTimeout = hardDeadline
	}
	return o
}

// ErrEnding is the cause (context.Cause) with which the context of a call ends when the server does. A call that the client
// cancelled has context.Canceled for a cause.
var ErrEnding = errors.New("mcpserve: the server is ending")

// Serve answers requests from in on out until in ends, ctx is done or SIGINT or SIGTERM arrives. It then cancels what runs
// and returns within a second, even if handlers do not return; the process should then exit. While it runs, os.Stdout
// is replaced, so that stray prints go to standard error, and a client that closed its end is an error of a write and
// not the end of the process. The error is nil for each of those ends; otherwise it is the error of reading in. Serve at
// most one server per process at a time.
func Serve(ctx context.Context, s *Server, in io.Reader, out io.Writer, o Options) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	signal.Ignore(syscall.SIGPIPE)
	stdout := os.Stdout
	os.Stdout = os.Stderr
	defer func() { os.Stdout = stdout }()
	return s.serve(ctx, in, out, o.withDefaults())
}

// serve is Serve without what belongs to the process.
func (s *Server) serve(ctx context.Context, in io.Reader, out io.Writer, o Options) error {
	input, endInput := context.WithCancel(ctx)
	defer endInput()
	calls, cancelCause := context.WithCancelCause(context.WithoutCancel(ctx))
	cancelCalls := func() { cancelCause(ErrEnding) }
	defer cancelCalls()
	w := &lineWriter{w: out, failed: endInput}
	c := newConn(calls, s, w, newLimits(o))
	read := make(chan error, 1)
	go func() { read <- c.readAll(newLineReader(in, o.MaxLineOctets)) }()
	select {
	case err := <-read:
		c.shutdown(cancelCalls, o, eofGrace)
		if errors.Is(err, io.EOF) {
			return nil
		}
		return err
	case <-input.Done():
		c.shutdown(cancelCalls, o, 0)
		return nil
	}
}

// shutdown waits for running calls: grace as they are, then cancelled, in all no longer than hardDeadline. Drain runs
// beside it and may have longer.
func (c *conn) shutdown(cancel context.CancelFunc, o Options, grace time.Duration) {
	c.close()
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		if o.Drain != nil {
			ctx, stop := context.WithTimeout(context.WithoutCancel(c.ctx), o.DrainTimeout)
			defer stop()
			o.Drain(ctx)
		}
	}()
	idle := make(chan struct{})
	go func() { c.wg.Wait(); close(idle) }()
	hard := time.NewTimer(hardDeadline)
	defer hard.Stop()
	limit := time.NewTimer(o.DrainTimeout)
	defer limit.Stop()
	soft := time.NewTimer(grace)
	defer soft.Stop()
	select {
	case <-idle:
	case <-soft.C:
	}
	cancel()
	select {
	case <-idle:
	case <-hard.C:
		c.log.Warn("calls did not end in time", "left", c.runningCalls())
	}
	select {
	case <-drained:
	case <-limit.C:
	}
}

// readAll reads requests until the input ends.
func (c *conn) readAll(r *lineReader) error {
	for {
		line, err := r.next()
		var over *oversized
		switch {
		case errors.As(err, &over):
			c.log.Warn("line dropped", "reason", "too long", "limit_octets", r.max, "answered", over.id != nil)
			if over.id != nil {
				c.refuse(&fault{id: over.id, code: codeInvalidRequest, text: "the message is too long; at most " + count(r.max, "octet") + " are read"})
			}
		case err != nil:
			return err
		case len(line) > 0:
			c.receive(line)
		}
	}
}
