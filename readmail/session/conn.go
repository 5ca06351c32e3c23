package session

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"

	"mailgap/readmail/wire"
)

// maxFlight is a net under the wire layer's deadlines, which do not count time spent waiting for us.
const maxFlight = 15 * time.Minute

// Conn is a logged-in connection. It is lent by Pool.Do and not safe for concurrent use.
type Conn struct {
	shared *shared // what the connections of a pool know together
	link   *wire.Conn
	client *imapclient.Client
	info   Info
	caps   map[string]bool
	news   news
	open   string // mailbox that is examined, as in State.Name; "" for none
	state  State
	listed bool // a LIST of everything has passed, so the wire layer knows odd mailbox names
	idWait func()

	answers answers // of FETCH commands under way

	proven  bool      // a command has succeeded since the connection was lent
	touched time.Time // last time it was given back
	cause   error     // why flight closed the connection
}

// news collects what the server says without being asked. The reading goroutine writes, the lending one reads.
type news struct {
	exists  atomic.Uint32
	hasNews atomic.Bool
	expunge atomic.Bool
	flags   atomic.Bool
	poke    chan struct{} // capacity 1: something changed
	kept    chan struct{} // capacity 1: a stray response was kept

	mu    sync.Mutex
	want  bool // FETCH data that belongs to no command is kept
	stray []*reply
}

func (n *news) notify() {
	n.hasNews.Store(true)
	select {
	case n.poke <- struct{}{}:
	default:
	}
}

// handler returns the callbacks for the IMAP library. They do not block.
func (n *news) handler() *imapclient.UnilateralDataHandler {
	return &imapclient.UnilateralDataHandler{
		Expunge: func(uint32) {
			if v := n.exists.Load(); v > 0 {
				n.exists.Store(v - 1)
			}
			n.expunge.Store(true)
			n.notify()
		},
		Mailbox: func(d *imapclient.UnilateralDataMailbox) {
			if d.NumMessages != nil {
				n.exists.Store(*d.NumMessages)
				n.notify()
			}
		},
		Fetch: func(m *imapclient.FetchMessageData) {
			n.flags.Store(true)
			n.keep(m)
			n.notify()
		},
	}
}

// lost reports whether the connection is of no use any more.
func (c *Conn) lost() bool {
	if c.cause != nil || c.link.Err() != nil {
		return true
	}
	select {
	case <-c.client.Closed():
		return true
	default:
		return false
	}
}

// retryable reports whether another connection may fare better.
func (c *Conn) retryable() bool {
	if !c.lost() {
		return false
	}
	err := errors.Join(c.cause, c.link.Err())
	switch {
	case errors.Is(err, wire.ErrLimit), errors.Is(err, wire.ErrForbidden):
		return false
	case errors.Is(err, wire.ErrTimeout):
		return !c.proven // silence right after a long rest means a dead connection, later a slow server
	}
	return true
}

// abort closes the socket and reads what nobody waits for any more: together they make every waiting command return.
func (c *Conn) abort(why error) {
	c.link.Abort(why)
	c.answers.drain()
}

// flight runs fn, which writes commands and waits for their answers. If ctx ends the socket is closed, so fn returns. The
// error is typed; command is our word for it.
func (c *Conn) flight(ctx context.Context, command string, fn func() error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if c.lost() {
		return c.fault(ctx, command, nil)
	}
	stop := context.AfterFunc(ctx, func() { c.abort(context.Cause(ctx)) })
	fallback := time.AfterFunc(maxFlight, func() { c.abort(wire.ErrTimeout) })
	defer fallback.Stop()
	err := fn()
	if !stop() {
		c.cause = context.Cause(ctx)
		return ctx.Err()
	}
	if err != nil {
		return c.fault(ctx, command, err)
	}
	c.proven = true
	return nil
}

// fault turns an error of the IMAP library or the wire layer into one of ours.
func (c *Conn) fault(ctx context.Context, command string, err error) error {
	if refused := serverError(command, err); refused != nil {
		c.proven = true
		return refused
	}
	if !c.lost() && err != nil && ownError(err) {
		return err
	}
	if c.cause == nil {
		c.cause = ErrConnLost
	}
	c.link.Abort(ErrConnLost)
	return c.lossError(c.link.Err(), err)
}

// ownError reports whether err was made by this package about our own request, so that the connection is fine.
func ownError(err error) bool {
	for _, e := range []error{ErrBadString, ErrBadCriteria, ErrNotExamined, ErrUnsupported, wire.ErrUnsupported, wire.ErrBusy} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// lossError explains a lost connection.
func (c *Conn) lossError(why, err error) error {
	var bye *wire.ByeError
	switch {
	case errors.As(why, &bye):
		return errors.Join(ErrConnLost, &ServerError{Command: "connection", Status: "BYE", CodeRaw: bye.Code, TextRaw: bye.Text})
	case errors.Is(why, wire.ErrTimeout):
		return errors.Join(ErrConnLost, ErrTimeout)
	case errors.Is(why, wire.ErrLimit):
		return errors.Join(ErrConnLost, ErrLimited)
	case errors.Is(why, wire.ErrForbidden):
		return why
	}
	return ErrConnLost
}

// serverError returns the tagged NO or BAD in err, nil if there is none.
func serverError(command string, err error) *ServerError {
	var ie *imap.Error
	if errors.As(err, &ie) {
		return &ServerError{
			Command: command, Status: string(ie.Type),
			CodeRaw: cutString(string(ie.Code), maxServerText), TextRaw: cutString(ie.Text, maxServerText),
		}
	}
	var we *wire.ServerError
	if errors.As(err, &we) {
		return &ServerError{Command: command, Status: we.Status, CodeRaw: we.Code, TextRaw: we.Text}
	}
	return nil
}

// HasCap reports whether the server offers a capability such as "ESEARCH", in any case.
func (c *Conn) HasCap(name string) bool { return c.shared.hasCap(c.caps, name) }

// Info returns what is known about the server. It waits for the answer to ID, which was sent with the first command, so
// after another command it does not block.
func (c *Conn) Info(ctx context.Context) Info {
	c.identified(ctx)
	return c.info
}

// identified waits for the answer to ID at most until ctx ends, which ends the connection too.
func (c *Conn) identified(ctx context.Context) {
	if c.idWait != nil {
		c.flight(ctx, "ID", func() error { c.settleID(); return nil }) // the next command reports a lost connection
	}
}

// settleID waits for the answer to ID.
func (c *Conn) settleID() {
	if c.idWait != nil {
		c.idWait()
		c.idWait = nil
	}
}

// Stats returns the counts of this connection.
func (c *Conn) Stats() Stats {
	s := c.link.Stats()
	return Stats{OctetsIn: s.OctetsIn, OctetsOut: s.OctetsOut, RoundTrips: s.RoundTrips, Commands: s.Commands, Connects: 1}
}

// Noop asks the server for news and shows whether the connection lives.
func (c *Conn) Noop(ctx context.Context) error {
	return c.flight(ctx, "NOOP", func() error { return c.client.Noop().Wait() })
}

// close logs out if that takes no waiting and closes the socket.
func (c *Conn) close() {
	if !c.lost() {
		c.client.Logout() // the answer is not waited for
	}
	c.link.Abort(ErrClosed)
}
