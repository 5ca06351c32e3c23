package wire

import (
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Options configures a Conn. The zero value is safe.
type Options struct {
	// Limits; zero fields mean the defaults.
	Limits Limits
	// Greeting is given to the client as if the server had sent it, for connections on which StartTLS has already
	// read the real one ("* OK ready", without CR LF). "" means that the server's greeting is still to come.
	Greeting string
	// Record is called for each command before it is sent, from the goroutine that writes. It must not block.
	Record func(Command)
	// RecordFull fills Command.Full. For tests: it holds search words and mailbox names.
	RecordFull bool
	// OnRepair is called for each repair, from the reading goroutine, before the client sees the response.
	// It must not block and must not call methods of the Conn.
	OnRepair func(Repair)
}

// Conn is the connection that go-imap's client gets. All methods are safe for concurrent use.
type Conn struct {
	raw  net.Conn
	opts Options
	lim  Limits

	gate  chan struct{} // held by whoever writes; guards ob, batch, w and tags
	ob    outbound
	batch []byte // whole commands to be sent
	w     io.Writer
	tags  int

	in   inbound // used by the reading goroutine only
	kids []int   // scratch of partWriter, reading goroutine only

	octetsIn, octetsOut atomic.Int64
	roundTrips          atomic.Int64
	wrote               atomic.Bool // the last thing on the socket was a write

	done chan struct{} // closed when the connection ends

	mu      sync.Mutex
	cond    sync.Cond // out changed, or the end
	out     []byte    // for the client, from outPos on
	outPos  int
	stage   []byte // repaired, not yet published; reading goroutine only
	err     error
	bye     *ByeError
	closed  bool
	pend    []*pending
	greeted bool
	started time.Time
	lastIn  time.Time
	stalled time.Duration // time the client did not read, since the oldest command began
	octets  int64         // received since the last completion
	untag   int           // untagged responses since the last completion

	alerts  []string
	caps    []string
	rev2    bool // IMAP4rev2 enabled
	aliases map[string]string
	repairs []Repair
	stats   Stats
}

// New puts the layer on raw and starts its reading goroutine, which ends when the connection does. raw is closed
// by Close. Hand the Conn to imapclient.New.
func New(raw net.Conn, opts Options) *Conn {
	c := &Conn{raw: raw, opts: opts, lim: opts.Limits.withDefaults(), gate: make(chan struct{}, 1),
		done: make(chan struct{}), started: time.Now(), aliases: map[string]string{}}
	c.cond.L = &c.mu
	c.w = &meter{c}
	c.in.c, c.in.src = c, &meter{c}
	if opts.Greeting != "" {
		c.greeted = true
		c.out = append(appendText(nil, []byte(opts.Greeting)), "\r\n"...)
	}
	go c.pump()
	return c
}

// pump reads, repairs and publishes responses until the connection ends.
func (c *Conn) pump() {
	for {
		r, err := c.in.next()
		if err == nil {
			err = c.handle(r)
		}
		if err != nil {
			_ = c.publish()
			c.fail(err)
			return
		}
	}
}

// publish gives the staged responses to the client and waits while it has too much unread.
func (c *Conn) publish() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.stage) > 0 {
		c.out = append(c.out, c.stage...)
		c.cond.Broadcast()
		if c.stage = c.stage[:0]; cap(c.stage) > keepBufferOctets {
			c.stage = nil
		}
	}
	if len(c.out)-c.outPos <= outHighWaterOctets {
		return c.err
	}
	since := time.Now()
	for len(c.out)-c.outPos > outHighWaterOctets && c.err == nil {
		c.cond.Wait()
	}
	c.stalled += time.Since(since)
	c.lastIn = time.Now()
	return c.err
}

// Read gives repaired responses to the client. It blocks until there is one or the connection ends; then it returns
// the reason (net.ErrClosed after Close).
func (c *Conn) Read(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.outPos == len(c.out) {
		if c.err != nil {
			return 0, c.readErr()
		}
		c.cond.Wait()
	}
	n := copy(p, c.out[c.outPos:])
	if c.outPos += n; c.outPos == len(c.out) {
		c.outPos = 0
		if c.out = c.out[:0]; cap(c.out) > keepBufferOctets {
			c.out = nil
		}
	}
	c.cond.Broadcast()
	return n, nil
}

func (c *Conn) readErr() error {
	switch {
	case errors.Is(c.err, ErrClosed):
		return net.ErrClosed
	case errors.Is(c.err, io.EOF):
		return io.EOF
	}
	return c.err
}

// fail ends the connection for the reason err. The first reason stays; a BYE explains a closed connection better.
func (c *Conn) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return
	}
	if errors.Is(err, io.EOF) || errors.Is(err, net.ErrClosed) || errors.Is(err, ErrFraming) {
		if c.bye != nil {
			err = c.bye
		}
	}
	c.err = c.explain(err)
	close(c.done)
	c.cond.Broadcast()
	if !errors.Is(err, ErrClosed) {
		c.cutSocket()
	}
}

// cutSocket closes below TLS, whose own close may wait for a peer that does not read.
func (c *Conn) cutSocket() {
	if tls, ok := c.raw.(interface{ NetConn() net.Conn }); ok {
		_ = tls.NetConn().Close()
		return
	}
	_ = c.raw.Close()
}

func (c *Conn) explain(err error) error {
	var timeout net.Error
	switch {
	case errors.As(err, &timeout) && timeout.Timeout():
		return fmt.Errorf("%w: %w", ErrTimeout, err)
	case errors.Is(err, io.EOF):
		return fmt.Errorf("wire: connection closed by the server: %w", err)
	}
	return err
}

// Close closes the socket. Reads and writes in progress return. The error is that of the connection below.
func (c *Conn) Close() error {
	c.fail(ErrClosed)
	c.mu.Lock()
	again := c.closed
	c.closed = true
	c.mu.Unlock()
	if again {
		return net.ErrClosed
	}
	return c.raw.Close()
}

// Abort closes the socket and keeps err (for instance context.Cause) as the reason for Err, unless there already is
// one. Every command that waits ends with an error. It does not block.
func (c *Conn) Abort(err error) {
	if err == nil {
		err = ErrClosed
	}
	c.fail(err)
	c.cutSocket()
}

// Err returns why the connection ended, nil while it works.
func (c *Conn) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// Done is closed when the connection has ended.
func (c *Conn) Done() <-chan struct{} { return c.done }

// Alerts returns the ALERT texts received so far (RFC 9051 §7.1), raw and untrusted, at most 16.
func (c *Conn) Alerts() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.alerts)
}

// Bye returns the server's BYE, nil if there was none.
func (c *Conn) Bye() *ByeError {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.bye
}

// Capabilities returns the server's last capability list in upper case, as sent; nil if none was seen.
func (c *Conn) Capabilities() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.caps)
}

// Stats returns the counters.
func (c *Conn) Stats() Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.stats
	s.OctetsIn, s.OctetsOut, s.RoundTrips = c.octetsIn.Load(), c.octetsOut.Load(), c.roundTrips.Load()
	return s
}

// TakeRepairs returns the repairs since the last call and forgets them. A repair is recorded before the client
// sees the response concerned. At most 10,000 are kept between calls.
func (c *Conn) TakeRepairs() []Repair {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.repairs
	c.repairs = nil
	return r
}

// Idle reports whether no command is running, so that Do would not return ErrBusy.
func (c *Conn) Idle() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.pend) == 0 && c.err == nil && c.greeted
}

// LocalAddr returns the address of the connection below.
func (c *Conn) LocalAddr() net.Addr { return c.raw.LocalAddr() }

// RemoteAddr returns the address of the connection below.
func (c *Conn) RemoteAddr() net.Addr { return c.raw.RemoteAddr() }

// SetDeadline does nothing: deadlines are this layer's work (Limits). Returning nil satisfies the client, whose own
// timeouts start too late and cut large literals.
func (c *Conn) SetDeadline(time.Time) error { return nil }

// SetReadDeadline does nothing, see SetDeadline.
func (c *Conn) SetReadDeadline(time.Time) error { return nil }

// SetWriteDeadline does nothing, see SetDeadline.
func (c *Conn) SetWriteDeadline(time.Time) error { return nil }

// report counts and keeps a repair.
func (c *Conn) report(r Repair) {
	c.mu.Lock()
	c.stats.Repairs[r.Kind]++
	if len(c.repairs) < maxKeptRepairs {
		c.repairs = append(c.repairs, r)
	}
	c.mu.Unlock()
	if c.opts.OnRepair != nil {
		c.opts.OnRepair(r)
	}
}

// meter is the socket with deadlines and counters.
type meter struct{ c *Conn }

// Read sets the deadline for what is awaited, then reads.
func (m *meter) Read(p []byte) (int, error) {
	c := m.c
	c.mu.Lock()
	c.arm()
	c.mu.Unlock()
	n, err := c.raw.Read(p)
	if n > 0 {
		c.octetsIn.Add(int64(n))
		c.wrote.Store(false)
		c.mu.Lock()
		c.progress()
		c.mu.Unlock()
	}
	return n, err
}

// Write sends p within WriteTimeout.
func (m *meter) Write(p []byte) (int, error) {
	c := m.c
	_ = c.raw.SetWriteDeadline(time.Now().Add(c.lim.WriteTimeout))
	if !c.wrote.Swap(true) {
		c.roundTrips.Add(1)
	}
	n, err := c.raw.Write(p)
	c.octetsOut.Add(int64(n))
	return n, err
}

// countIn holds what one command may bring (after decompression).
func (c *Conn) countIn(n int) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.octets += int64(n); c.octets > c.lim.CommandOctets {
		return overLimit("octets for one command")
	}
	return nil
}
