package wire

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
)

// Greeting is what the server said in plain text before STARTTLS. Nothing of it may be trusted.
type Greeting struct {
	Text         string
	Capabilities []string // upper case; must be asked for again after TLS (RFC 9051 §6.2.1)
}

// maxPlainLines bounds the lines of one plaintext reply.
const maxPlainLines = 32

// StartTLS reads the greeting on raw, sends CAPABILITY (if the greeting did not say) and STARTTLS, and returns the
// TLS connection, on which a Conn needs Options.Greeting ("* OK ready"). cfg needs ServerName or its own check.
// ctx should have a deadline; when it ends, raw is closed. Errors: ErrNoStartTLS, ErrPreauth, ErrInjection, ErrLimit,
// ErrFraming, *ByeError, TLS errors. raw is closed on error.
func StartTLS(ctx context.Context, raw net.Conn, cfg *tls.Config) (*tls.Conn, Greeting, error) {
	stop := context.AfterFunc(ctx, func() { _ = raw.Close() })
	defer stop()
	p := &plain{conn: raw}
	conn, err := p.upgrade(ctx, cfg)
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
	buf      []byte
	greeting Greeting
}

func (p *plain) upgrade(ctx context.Context, cfg *tls.Config) (*tls.Conn, error) {
	if err := p.greet(); err != nil {
		return nil, err
	}
	if p.greeting.Capabilities == nil {
		if _, err := p.ask("S1", "CAPABILITY"); err != nil {
			return nil, err
		}
	}
	if !slices.Contains(p.greeting.Capabilities, "STARTTLS") {
		return nil, ErrNoStartTLS
	}
	status, err := p.ask("S2", "STARTTLS")
	if err != nil {
		return nil, err
	}
	if status != "OK" {
		return nil, fmt.Errorf("%w: answered %s", ErrNoStartTLS, status)
	}
	// Security: octets behind the reply were sent by whoever could write into the plain connection. Given to the
	// parser after the handshake, they would count as the authenticated server's.
	if len(p.buf) > 0 {
		return nil, ErrInjection
	}
	conn := tls.Client(p.conn, cfg)
	if err := conn.HandshakeContext(ctx); err != nil {
		return nil, err
	}
	return conn, nil
}

func (p *plain) greet() error {
	line, err := p.line()
	if err != nil {
		return err
	}
	word, rest := cutWord(bytes.TrimPrefix(line, []byte("* ")))
	code, args, text := splitCode(rest)
	switch {
	case !bytes.HasPrefix(line, []byte("* ")):
		return badFraming("greeting is not IMAP")
	case bytes.EqualFold(word, []byte("PREAUTH")):
		return ErrPreauth
	case bytes.EqualFold(word, []byte("BYE")):
		return &ByeError{Code: code, Text: string(text[:min(len(text), maxTextOctets)])}
	case !bytes.EqualFold(word, []byte("OK")):
		return badFraming("greeting is not IMAP")
	}
	p.greeting.Text = string(text[:min(len(text), maxTextOctets)])
	if code == "CAPABILITY" {
		p.capabilities(args)
	}
	return nil
}

func (p *plain) capabilities(b []byte) {
	p.greeting.Capabilities = []string{}
	for _, w := range bytes.Fields(b) {
		p.greeting.Capabilities = append(p.greeting.Capabilities, strings.ToUpper(string(w)))
	}
}

// ask sends a command and returns the status of its tagged response.
func (p *plain) ask(tag, verb string) (status string, err error) {
	if _, err := p.conn.Write([]byte(tag + " " + verb + "\r\n")); err != nil {
		return "", err
	}
	for range maxPlainLines {
		line, err := p.line()
		if err != nil {
			return "", err
		}
		first, rest := cutWord(line)
		word, rest := cutWord(rest)
		switch {
		case string(first) == tag:
			return strings.ToUpper(string(word[:min(len(word), 8)])), nil
		case bytes.EqualFold(word, []byte("CAPABILITY")):
			p.capabilities(rest)
		case bytes.EqualFold(word, []byte("BYE")):
			code, _, text := splitCode(rest)
			return "", &ByeError{Code: code, Text: string(text[:min(len(text), maxTextOctets)])}
		}
	}
	return "", overLimit("plaintext lines")
}

// line reads one line. Nothing after it is consumed, so that it can be judged.
func (p *plain) line() ([]byte, error) {
	for {
		if i := bytes.IndexByte(p.buf, '\n'); i >= 0 {
			line := bytes.Clone(trimCR(p.buf[:i]))
			p.buf = p.buf[i+1:]
			return line, nil
		}
		if len(p.buf) > maxGreetingOctets {
			return nil, overLimit("plaintext line")
		}
		var chunk [1 << 10]byte
		n, err := p.conn.Read(chunk[:])
		p.buf = append(p.buf, chunk[:n]...)
		if n == 0 && err != nil {
			if errors.Is(err, io.EOF) {
				err = badFraming("connection closed before TLS")
			}
			return nil, err
		}
	}
}
