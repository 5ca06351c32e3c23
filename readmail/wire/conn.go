package wire

import (
	"context"
	"errors"
	"net"
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

var errTODO = errors.New("wire: not there yet")

// Conn is the connection that go-imap's client gets. All methods are safe for concurrent use.
type Conn struct {
	raw net.Conn
}

// New puts the layer on raw and starts its reading goroutine, which ends when the connection does. raw is closed
// by Close. Hand the Conn to imapclient.New.
func New(raw net.Conn, opts Options) *Conn { return &Conn{raw: raw} }

// Read gives repaired responses to the client.
func (c *Conn) Read(p []byte) (int, error) { return 0, errTODO }

// Write takes commands from the client.
func (c *Conn) Write(p []byte) (int, error) { return 0, errTODO }

// Close closes the socket. Reads and writes in progress return.
func (c *Conn) Close() error { return c.raw.Close() }

// Abort closes the socket and keeps err (for instance context.Cause) as the reason for Err, unless there already is
// one. Every command that waits ends with an error. It does not block.
func (c *Conn) Abort(err error) {}

// Err returns why the connection ended, nil while it works.
func (c *Conn) Err() error { return nil }

// Alerts returns the ALERT texts received so far (RFC 9051 §7.1), raw and untrusted, at most 16.
func (c *Conn) Alerts() []string { return nil }

// Capabilities returns the server's last capability list in upper case, as sent; nil if none was seen.
func (c *Conn) Capabilities() []string { return nil }

// Stats returns the counters.
func (c *Conn) Stats() Stats { return Stats{} }

// TakeRepairs returns the repairs since the last call and forgets them. A repair is recorded before the client
// sees the response concerned. At most 10,000 are kept between calls.
func (c *Conn) TakeRepairs() []Repair { return nil }

// Idle reports whether no command is running, so that Do would not return ErrBusy.
func (c *Conn) Idle() bool { return false }

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

// Compress switches both directions to DEFLATE (RFC 4978). The connection must be idle (ErrBusy). ErrUnsupported if
// COMPRESS=DEFLATE is not offered; *ServerError if refused: then the connection goes on uncompressed.
func (c *Conn) Compress(ctx context.Context) error { return errTODO }
