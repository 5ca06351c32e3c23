package wire

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"slices"
	"time"
)

// StartTLS reads the greeting on raw, sends EHLO with name and STARTTLS, and returns the TLS connection, for which a Conn
// needs Options.Greeting. Nothing of the greeting may be trusted; EHLO must be said again (RFC 3207 §4.2). ctx should
// have a deadline; when it ends, raw is closed. raw is closed on error. Errors: ErrNoStartTLS, ErrInjection, ErrLimit,
// ErrFraming, ErrLost, *ReplyError, TLS errors, the cause of ctx.
func StartTLS(ctx context.Context, raw net.Conn, name string, cfg *tls.Config) (*tls.Conn, Reply, error) {
	stop := context.AfterFunc(ctx, func() { _ = raw.Close() })
	defer stop()
	p := &plain{conn: raw, in: newReader(raw)}
	conn, err := p.upgrade(ctx, name, cfg)
	if err != nil {
		_ = raw.Close()
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return nil, p.greeting, err
	}
	return conn, p.greeting, nil
}

// plain is the exchange before TLS.
type plain struct {
	conn     net.Conn
	in       *reader
	greeting Reply
}

func (p *plain) upgrade(ctx context.Context, name string, cfg *tls.Config) (*tls.Conn, error) {
	if !ValidHELO(name) {
		return nil, refused("EHLO")
	}
	code, lines, err := p.in.next()
	if err != nil {
		return nil, err
	}
	if p.greeting = newReply(code, lines); code != 220 {
		return nil, &ReplyError{Command: "greeting", Reply: p.greeting}
	}
	code, lines, err = p.ask("EHLO " + name)
	switch {
	case err != nil:
		return nil, err
	case code != 250:
		return nil, &ReplyError{Command: "EHLO", Reply: newReply(code, lines)}
	case !slices.Contains(upperExtensions(lines)[1:], "STARTTLS"):
		return nil, ErrNoStartTLS
	}
	if code, _, err = p.ask("STARTTLS"); err != nil {
		return nil, err
	}
	if code != 220 {
		return nil, fmt.Errorf("%w: answered %d", ErrNoStartTLS, code)
	}
	// Security: octets behind the reply were sent by whoever could write into the plain connection. Given to the
	// parser after the handshake, they would count as the authenticated server's.
	if p.in.r.Buffered() > 0 {
		return nil, ErrInjection
	}
	conn := tls.Client(p.conn, cfg)
	if err := conn.HandshakeContext(ctx); err != nil {
		return nil, err
	}
	return conn, nil
}

// ask sends a command and reads its reply.
func (p *plain) ask(command string) (int, []string, error) {
	if p.in.r.Buffered() > 0 {
		return 0, nil, ErrInjection
	}
	if err := p.conn.SetWriteDeadline(time.Now().Add(Limits{}.withDefaults().WriteTimeout)); err != nil {
		return 0, nil, lost(err)
	}
	if _, err := p.conn.Write([]byte(command + "\r\n")); err != nil {
		return 0, nil, lost(err)
	}
	return p.in.next()
}
