package session

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"strconv"
	"strings"
	"time"

	"mailgap/readmail/wire"
	"mailgap/shared/tlsdial"
)

// Limits of what is read before the wire layer takes over.
const (
	maxFirstLineOctets = 4096 // Limit: a greeting with capabilities is some hundred octets
	maxServerText      = 500  // Limit: octets kept of a server's text in errors and results
)

// opening is a protected connection whose greeting has been read.
type opening struct {
	conn        net.Conn // reads the greeting again, then what follows
	greetingRaw string   // the server's first line, or the one before STARTTLS
	loopback    bool
	tls         *tls.ConnectionState // nil for plain text
	fingerprint string
}

// open dials, protects the connection and reads the greeting. If ctx ends everything is closed and its error returned.
func open(ctx context.Context, cfg *Config) (*opening, error) {
	conn, err := dialTCP(ctx, cfg)
	if err != nil {
		return nil, err
	}
	o, err := protect(ctx, cfg, conn)
	if err != nil {
		conn.Close()
		return nil, err
	}
	return o, nil
}

func dialTCP(ctx context.Context, cfg *Config) (net.Conn, error) {
	dial := cfg.Dial
	if dial == nil {
		dial = (&net.Dialer{KeepAlive: 30 * time.Second}).DialContext
	}
	conn, err := dial(ctx, "tcp", net.JoinHostPort(cfg.Host, strconv.Itoa(cfg.Port)))
	if err != nil {
		step := "tcp"
		var dns *net.DNSError
		if errors.As(err, &dns) {
			step = "dns"
		}
		return nil, &DialError{Step: step, Host: cfg.Host, Port: cfg.Port, Err: err}
	}
	// Security: a name such as localhost may be made to point elsewhere.
	if cfg.TLS == TLSNone && !cfg.AllowPlaintext && !tlsdial.IsLoopbackConn(conn) {
		conn.Close()
		return nil, ErrPlaintext
	}
	return conn, nil
}

// protect brings up TLS as configured and reads the greeting.
func protect(ctx context.Context, cfg *Config, conn net.Conn) (*opening, error) {
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	o := &opening{conn: conn, loopback: tlsdial.IsLoopbackConn(conn)}
	var err error
	switch cfg.TLS {
	case TLSImplicit:
		err = o.handshake(ctx, cfg, conn)
		if err == nil {
			err = o.readGreeting(cfg)
		}
	case TLSStartTLS:
		err = o.startTLS(ctx, cfg, conn)
	default:
		err = o.readGreeting(cfg)
	}
	if ctx.Err() != nil && err != nil {
		return nil, timeoutOr(ctx.Err(), err)
	}
	return o, err
}

// timeoutOr names the end of a context: ErrTimeout for a deadline, else the context's error; cause says what was going on.
func timeoutOr(ctxErr, cause error) error {
	if errors.Is(ctxErr, context.DeadlineExceeded) {
		return errors.Join(ErrTimeout, context.DeadlineExceeded, cause)
	}
	return ctxErr
}

// readGreeting reads the first line and puts it back for the wire layer.
func (o *opening) readGreeting(cfg *Config) error {
	line, err := readLine(o.conn)
	if err != nil {
		return greetingFault(cfg, line, err)
	}
	o.greetingRaw = cutString(line, maxServerText)
	if err := checkGreeting(cfg, line); err != nil {
		return err
	}
	o.conn = &replayConn{Conn: o.conn, head: []byte(line + "\r\n")}
	return nil
}

// greetingFault explains a first line that did not come.
func greetingFault(cfg *Config, line string, err error) error {
	if strings.HasPrefix(line, "\x15\x03") || strings.HasPrefix(line, "\x16\x03") {
		return &TLSError{Reason: TLSOnPlainPort, Host: cfg.Host, Err: err}
	}
	if cfg.TLS != TLSImplicit && cfg.Port == portIMAPS {
		return &TLSError{Reason: TLSOnPlainPort, Host: cfg.Host, Err: err}
	}
	return errors.Join(ErrConnLost, errNoGreeting, err)
}

var errNoGreeting = errors.New("session: server sent no greeting")

// errNotIMAP says that something answered that is no IMAP server.
var errNotIMAP = errors.New("session: the server does not speak IMAP")

func checkGreeting(cfg *Config, line string) error {
	status, text := splitGreeting(line)
	switch status {
	case "OK":
		return nil
	case "PREAUTH":
		return nil // with STARTTLS the wire layer refuses it (RFC 9051 §7.1.4)
	case "BYE":
		code, words := splitCode(text)
		return &ServerError{Command: "greeting", Status: "BYE", CodeRaw: code, TextRaw: words}
	}
	if strings.HasPrefix(line, "\x15\x03") || strings.HasPrefix(line, "\x16\x03") {
		return &TLSError{Reason: TLSOnPlainPort, Host: cfg.Host}
	}
	return errNotIMAP
}

// splitGreeting reads "* OK text".
func splitGreeting(line string) (status, text string) {
	rest, ok := strings.CutPrefix(line, "* ")
	if !ok {
		return "", ""
	}
	status, text, _ = strings.Cut(rest, " ")
	return strings.ToUpper(status), text
}

// splitCode reads "[CODE args] text".
func splitCode(text string) (code, words string) {
	if rest, ok := strings.CutPrefix(text, "["); ok {
		if inside, after, ok := strings.Cut(rest, "]"); ok {
			code, _, _ = strings.Cut(inside, " ")
			return cutString(strings.ToUpper(code), maxServerText), cutString(strings.TrimSpace(after), maxServerText)
		}
	}
	return "", cutString(text, maxServerText)
}

// startTLS lets the wire layer read the plain greeting and ask for TLS. The client above gets a greeting of our own, so that
// nothing said in plain text is believed: capabilities are asked for again (RFC 9051 §6.2.1).
func (o *opening) startTLS(ctx context.Context, cfg *Config, conn net.Conn) error {
	conf, err := cfg.tls().Client()
	if err != nil {
		return err
	}
	secured, greeting, err := wire.StartTLS(ctx, conn, conf)
	if err != nil {
		return startTLSFault(cfg, err)
	}
	o.greetingRaw = cutString(greeting.Text, maxServerText)
	o.secure(secured)
	o.conn = &replayConn{Conn: o.conn, head: []byte("* OK ready\r\n")}
	return nil
}

// startTLSFault explains what went wrong before or during TLS.
func startTLSFault(cfg *Config, err error) error {
	var bye *wire.ByeError
	reason := TLSReason("")
	switch {
	case errors.Is(err, wire.ErrNoStartTLS):
		reason = TLSNotOffered
	case errors.Is(err, wire.ErrPreauth), errors.Is(err, wire.ErrInjection):
		reason = TLSInjected
	case errors.As(err, &bye):
		return &ServerError{Command: "greeting", Status: "BYE", CodeRaw: bye.Code, TextRaw: bye.Text}
	case (errors.Is(err, wire.ErrFraming) || errors.Is(err, wire.ErrLimit)) && cfg.Port == portIMAPS:
		reason = TLSOnPlainPort
	case errors.Is(err, wire.ErrFraming), errors.Is(err, wire.ErrLimit):
		return errors.Join(errNotIMAP, err)
	default:
		return tlsFault(cfg, err)
	}
	return &TLSError{Reason: reason, Host: cfg.Host, Err: err}
}

// handshake puts TLS over conn.
func (o *opening) handshake(ctx context.Context, cfg *Config, conn net.Conn) error {
	conf, err := cfg.tls().Client()
	if err != nil {
		return err
	}
	tc := tls.Client(conn, conf)
	if err := tc.HandshakeContext(ctx); err != nil {
		return tlsFault(cfg, err)
	}
	o.secure(tc)
	return nil
}

// secure takes over a connection on which TLS is up.
func (o *opening) secure(tc *tls.Conn) {
	state := tc.ConnectionState()
	o.conn, o.tls = tc, &state
	if len(state.PeerCertificates) > 0 {
		o.fingerprint = tlsdial.Fingerprint(state.PeerCertificates[0])
	}
}

// tlsFault finds the word for a failed handshake.
func tlsFault(cfg *Config, err error) error { return tlsdial.Fault(cfg.TLS, cfg.Host, err) }

// readLine reads up to CR LF or LF, octet by octet, and returns the line without it. What was read comes back with an error.
func readLine(r io.Reader) (string, error) {
	var line []byte
	var b [1]byte
	for len(line) < maxFirstLineOctets {
		if _, err := io.ReadFull(r, b[:]); err != nil {
			return string(line), err
		}
		if b[0] == '\n' {
			return strings.TrimSuffix(string(line), "\r"), nil
		}
		line = append(line, b[0])
	}
	return string(line), errNotIMAP
}

// replayConn is a connection with some octets put back in front.
type replayConn struct {
	net.Conn
	head []byte
}

func (c *replayConn) Read(p []byte) (int, error) {
	if len(c.head) > 0 {
		n := copy(p, c.head)
		c.head = c.head[n:]
		return n, nil
	}
	return c.Conn.Read(p)
}

// NetConn returns the connection below TLS, which is closed to cut everything off at once.
func (c *replayConn) NetConn() net.Conn {
	if t, ok := c.Conn.(*tls.Conn); ok {
		return t.NetConn()
	}
	return c.Conn
}

// cutString cuts s to at most n octets.
func cutString(s string, n int) string {
	if len(s) > n {
		return s[:n]
	}
	return s
}
