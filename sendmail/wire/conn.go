package wire

import (
	"crypto/sha256"
	"fmt"
	"hash"
	"net"
	"slices"
	"sync"
	"time"
)

// state is how far a connection is.
type state int

const (
	stateReady state = iota // greeting, EHLO, AUTH; also after a refused MAIL
	stateMail               // MAIL was accepted
	stateBody               // DATA was accepted
	stateDone               // the dot has left, or the transaction was reset: only NOOP, RSET, QUIT
)

// Conn is a net.Conn for go-smtp's client. Reads and writes are for one goroutine; Abort, Close and the methods that
// tell something may be called from any.
type Conn struct {
	raw net.Conn
	lim Limits
	in  *reader
	opt Options

	line   []byte // unfinished line of the client
	wait   []byte // content not yet flushed
	hash   hash.Hash
	octets int64

	mu       sync.Mutex
	cond     *sync.Cond
	err      error
	out      []byte // replies for the client
	pending  string // verb whose reply is awaited, "" for none
	timer    *time.Timer
	alarms   int // how often the timer was set or stopped
	state    state
	tx       *Transaction
	authOpen bool // the server asked for the next answer of an AUTH exchange
	authEnd  bool // AUTH was just refused
	accepted int
	last     Reply
	rec      Record
}

// Options say how a Conn begins.
type Options struct {
	Limits Limits
	// Greeting is given to the client instead of waiting for the server's, after StartTLS. "" waits.
	Greeting string
	// Private allows AUTH: the connection is encrypted, or does not leave this machine.
	Private bool
}

// New takes over raw. Close or Abort ends it, and the goroutine that reads.
func New(raw net.Conn, opt Options) *Conn {
	c := &Conn{raw: raw, lim: opt.Limits.withDefaults(), in: newReader(raw), opt: opt, hash: sha256.New()}
	c.cond = sync.NewCond(&c.mu)
	if opt.Greeting != "" {
		c.out = []byte(opt.Greeting + "\r\n")
	} else {
		c.await("greeting", c.lim.GreetingTimeout)
	}
	go c.pump()
	return c
}

// Expect announces the one transaction of this connection. Errors: ErrEnvelope, ErrCommand for a second one.
func (c *Conn) Expect(tx Transaction) error {
	if err := tx.Check(); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.tx != nil {
		return refused("second transaction")
	}
	tx.ForwardPaths = slices.Clone(tx.ForwardPaths)
	c.tx = &tx
	return nil
}

// await says that a reply to verb is due within d. mu is held, or nobody else knows c yet.
func (c *Conn) await(verb string, d time.Duration) {
	c.pending = verb
	c.alarm(d)
}

// alarm closes the connection after d unless it is set again or stopped. mu is held.
func (c *Conn) alarm(d time.Duration) {
	c.still()
	due := c.alarms
	c.timer = time.AfterFunc(d, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.alarms == due { // not stopped while waiting for the lock
			c.failLocked(ErrTimeout)
		}
	})
}

func (c *Conn) still() {
	c.alarms++
	if c.timer != nil {
		c.timer.Stop()
		c.timer = nil
	}
}

// pump reads replies until the connection ends. It reads even when none is due, so that a reply out of turn is noticed
// before it can be taken for another's.
func (c *Conn) pump() {
	for {
		code, lines, err := c.in.next()
		if err != nil {
			c.fail(err)
			return
		}
		if !c.take(code, lines) {
			return
		}
	}
}

// take hands one reply to the client and draws the conclusions. It returns false for one that nobody asked for.
func (c *Conn) take(code int, lines []string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := newReply(code, lines)
	verb := c.pending
	if verb == "" {
		c.failLocked(&EarlyError{Reply: r})
		return false
	}
	c.pending, c.last, c.authOpen, c.authEnd = "", r, false, false
	c.still()
	switch verb {
	case "EHLO":
		if r.class() == 2 {
			lines = upperExtensions(lines)
		}
	case "AUTH":
		c.authOpen, c.authEnd = code == 334, code != 334 && code != 235
	case "MAIL":
		if r.class() == 2 {
			c.state = stateMail
		}
	case "RCPT":
		if code/10 == 25 {
			c.accepted++
		}
	case "DATA":
		if code == 354 {
			c.state = stateBody
			c.alarm(c.lim.BodyTimeout)
		}
	case "dot":
		c.rec.Final = r
	}
	c.out = append(c.out, format(code, lines)...)
	c.cond.Broadcast()
	return true
}

// Read gives replies to the client. It blocks until there is one or the connection ends, then it returns the reason.
func (c *Conn) Read(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.out) == 0 {
		if c.err != nil {
			return 0, c.err
		}
		c.cond.Wait()
	}
	n := copy(p, c.out)
	c.out = c.out[n:]
	return n, nil
}

// fail ends the connection for the reason err. The first reason stays.
func (c *Conn) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.failLocked(err)
}

func (c *Conn) failLocked(err error) {
	if c.err != nil {
		return
	}
	c.err = err
	c.still()
	c.cond.Broadcast()
	c.cut()
}

// cut closes below TLS, whose own close may wait for a peer that does not read.
func (c *Conn) cut() {
	if t, ok := c.raw.(interface{ NetConn() net.Conn }); ok {
		_ = t.NetConn().Close()
		return
	}
	_ = c.raw.Close()
}

// Abort closes the connection for the reason err, unless the final dot may have left: then it does nothing and returns
// false, because closing would only keep the reply from being heard.
func (c *Conn) Abort(err error) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.rec.DotSent {
		return false
	}
	c.failLocked(fmt.Errorf("%w: %w", ErrAborted, err))
	return true
}

// Close ends the connection at once.
func (c *Conn) Close() error {
	c.fail(net.ErrClosed)
	return nil
}

// Err returns why the connection ended, nil while it works.
func (c *Conn) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// Last returns the last reply that was asked for.
func (c *Conn) Last() Reply {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.last
}

// Record returns what has left so far.
func (c *Conn) Record() Record {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.rec
	r.ForwardPaths = slices.Clone(r.ForwardPaths)
	return r
}

// LocalAddr returns the address of the connection below.
func (c *Conn) LocalAddr() net.Addr { return c.raw.LocalAddr() }

// RemoteAddr returns the address of the connection below.
func (c *Conn) RemoteAddr() net.Addr { return c.raw.RemoteAddr() }

// SetDeadline does nothing: deadlines are this layer's work (Limits). The client clears its own after each command.
func (c *Conn) SetDeadline(time.Time) error { return nil }

// SetReadDeadline does nothing, see SetDeadline.
func (c *Conn) SetReadDeadline(time.Time) error { return nil }

// SetWriteDeadline does nothing, see SetDeadline.
func (c *Conn) SetWriteDeadline(time.Time) error { return nil }

// Greeting waits for the greeting without taking it from the client. Errors: why the connection ended.
func (c *Conn) Greeting() (Reply, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.pending == "greeting" && c.err == nil {
		c.cond.Wait()
	}
	if c.pending == "greeting" || c.last.Code == 0 && c.err != nil {
		return Reply{}, c.err
	}
	return c.last, nil
}
