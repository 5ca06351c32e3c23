package imaptest

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"net"
	"strings"
	"sync/atomic"
	"time"

	"mailgap/readmail/demo/memserver"
)

// proxy stands between a client and the memory server: it records commands, answers those that the memory server does
// not know, and rewrites responses. One goroutine reads the client, another the server.
type proxy struct {
	server  *Server
	id      int
	client  *stream
	backend net.Conn
	over    chan struct{}          // closed when the memory server says no more
	sasl    atomic.Pointer[string] // tag of the AUTHENTICATE under way
}

// serveClient handles one client until either side ends.
func (s *Server) serveClient(conn net.Conn, id int, policy memserver.Policy) {
	client := newStream(conn, s.recorder)
	if s.mode == StartTLS {
		secured, err := s.startTLS(client, id)
		if err != nil {
			return
		}
		client = secured
	}
	ln := memserver.NewListener()
	srv := s.store.NewServer(policy, backendCaps()...)
	served := make(chan error, 1)
	go func() { served <- srv.Serve(ln) }()
	defer func() {
		srv.Close()
		<-served
	}()
	backend, err := ln.Dial(context.Background())
	if err != nil {
		return
	}
	p := &proxy{server: s, id: id, client: client, backend: backend, over: make(chan struct{})}
	p.run(s.mode == StartTLS)
}

// run copies in both directions. skipGreeting drops the server's first response: it was given before TLS.
func (p *proxy) run(skipGreeting bool) {
	go func() {
		defer close(p.over)
		defer p.client.conn.Close()
		p.copyReplies(skipGreeting)
	}()
	p.copyCommands()
	p.backend.Close()
	<-p.over
}

func (p *proxy) copyCommands() {
	for {
		if p.sasl.Load() != nil {
			line, err := readLine(p.client.br, maxCommandOctets)
			if err != nil {
				return
			}
			p.server.command(Command{Conn: p.id, Verb: "AUTHENTICATE", Args: redacted})
			if !p.forward(line) {
				return
			}
			continue
		}
		if !p.copyCommand() {
			return
		}
	}
}

// copyCommand takes one command. It is recorded before the server sees its end, so it is on record before the reply.
func (p *proxy) copyCommand() bool {
	sent := 0
	raw, err := readCommand(p.client.br, func(chunk []byte, _ bool) error {
		sent += len(chunk)
		_, err := p.backend.Write(chunk)
		return err
	})
	if err != nil {
		return false
	}
	c := parseCommand(raw)
	c.Conn = p.id
	p.server.command(c)
	if sent == 0 {
		if handled, ok := p.intercept(c); handled {
			return ok
		}
	}
	if c.Verb == "AUTHENTICATE" {
		p.sasl.Store(&c.Tag)
	}
	return p.forward(raw[sent:])
}

func (p *proxy) forward(b []byte) bool {
	_, err := p.backend.Write(b)
	return err == nil
}

// intercept answers what the memory server cannot, after it has answered what came before. ok tells whether the
// connection goes on.
func (p *proxy) intercept(c Command) (handled, ok bool) {
	reply := ""
	switch handle := p.server.options.Handle[c.Verb]; {
	case handle != nil:
		reply = handle(c)
	case c.Verb == "ID":
		reply = "* ID (\"name\" \"imaptest\")\r\n{tag} OK ID completed\r\n"
	case c.Verb == "COMPRESS" && p.server.options.Compress && strings.EqualFold(c.Args, "DEFLATE"):
		p.server.waitTurn(p.id, c.Tag, p.over)
		defer p.server.answered(p.id, c.Tag)
		return true, p.client.compress([]byte(c.Tag+" OK DEFLATE active\r\n")) == nil
	}
	if reply == "" {
		return false, true
	}
	p.server.waitTurn(p.id, c.Tag, p.over)
	return true, p.reply([]byte(strings.ReplaceAll(reply, "{tag}", c.Tag)), c.Tag) == nil
}

// copyReplies passes the server's responses on, one at a time.
func (p *proxy) copyReplies(skipGreeting bool) {
	br := bufio.NewReader(p.backend)
	for {
		response, err := readResponse(br)
		if err != nil {
			return
		}
		if skipGreeting {
			skipGreeting = false
			continue
		}
		tag, _, _ := bytes.Cut(response, []byte(" "))
		if err := p.reply(response, string(tag)); err != nil {
			return
		}
	}
}

// reply sends one response; if it is the tagged one, not before the round trip has lasted Options.Latency.
func (p *proxy) reply(response []byte, tag string) error {
	since, tagged := p.server.pending(p.id, tag)
	if tagged {
		p.delay(since)
		if sasl := p.sasl.Load(); sasl != nil && *sasl == tag {
			p.sasl.Store(nil)
		}
		p.server.answered(p.id, tag)
	}
	out := p.server.announce(response)
	if rewrite := p.server.options.Rewrite; rewrite != nil {
		out = rewrite(out)
	}
	if len(out) == 0 {
		return nil
	}
	return p.client.write(out)
}

func (p *proxy) delay(since time.Time) {
	wait := p.server.options.Latency - time.Since(since)
	if wait <= 0 {
		return
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-p.server.done:
	}
}

// readResponse reads one response with its literals.
func readResponse(br *bufio.Reader) ([]byte, error) {
	return readCommand(br, func([]byte, bool) error { return nil })
}

// startTLS answers in the clear until STARTTLS and returns the stream within TLS.
func (s *Server) startTLS(client *stream, id int) (*stream, error) {
	caps := "IMAP4rev1 STARTTLS LOGINDISABLED"
	if err := client.write([]byte("* OK [CAPABILITY " + caps + "] ready for TLS\r\n")); err != nil {
		return nil, err
	}
	for {
		raw, err := readCommand(client.br, func(_ []byte, waits bool) error { return continueLiteral(client, waits) })
		if err != nil {
			return nil, err
		}
		c := parseCommand(raw)
		c.Conn = id
		s.command(c)
		s.answered(id, c.Tag)
		if err := client.write([]byte(strings.ReplaceAll(beforeTLS(c.Verb, caps), "{tag}", c.Tag))); err != nil {
			return nil, err
		}
		switch c.Verb {
		case "LOGOUT":
			return nil, net.ErrClosed
		case "STARTTLS":
			return newStream(tls.Server(client.conn, s.Cert.serverConfig()), s.recorder), nil
		}
	}
}

func beforeTLS(verb, caps string) string {
	switch verb {
	case "CAPABILITY":
		return "* CAPABILITY " + caps + "\r\n{tag} OK done\r\n"
	case "NOOP":
		return "{tag} OK done\r\n"
	case "ID":
		return "* ID NIL\r\n{tag} OK done\r\n"
	case "LOGOUT":
		return "* BYE good bye\r\n{tag} OK done\r\n"
	case "STARTTLS":
		return "{tag} OK begin TLS\r\n"
	}
	return "{tag} NO [PRIVACYREQUIRED] TLS first\r\n"
}

// continueLiteral asks for a literal that waits (RFC 9051 §4.3).
func continueLiteral(client *stream, waits bool) error {
	if !waits {
		return nil
	}
	return client.write([]byte("+ go ahead\r\n"))
}
