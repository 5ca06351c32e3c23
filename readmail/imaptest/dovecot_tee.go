package imaptest

import (
	"bufio"
	"bytes"
	"compress/flate"
	"context"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// tee passes connections on to a server and keeps what the clients sent.
type tee struct {
	ln     net.Listener
	target string
	wg     sync.WaitGroup

	mu       sync.Mutex
	sent     []*bytes.Buffer // one per connection
	received int64           // octets from the server, all connections
	conns    map[net.Conn]struct{}
	ended    bool
}

func newTee(target string) (*tee, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	t := &tee{ln: ln, target: target, conns: map[net.Conn]struct{}{}}
	t.wg.Go(t.accept)
	return t, nil
}

func (t *tee) addr() string { return t.ln.Addr().String() }

func (t *tee) accept() {
	for {
		client, err := t.ln.Accept()
		if err != nil {
			return
		}
		t.wg.Go(func() { t.serve(client) })
	}
}

func (t *tee) serve(client net.Conn) {
	defer client.Close()
	server, err := net.Dial("tcp", t.target)
	if err != nil {
		return
	}
	defer server.Close()
	buffer, ok := t.track(client, server)
	if !ok {
		return
	}
	defer t.untrack(client, server)
	t.wg.Go(func() {
		defer client.Close()
		t.copy(client, server, func(b []byte) { t.received += int64(len(b)) })
	})
	t.copy(server, client, func(b []byte) { buffer.Write(b) })
}

// copy moves octets until one side ends; keep sees them, under mu, before they are passed on.
func (t *tee) copy(to io.Writer, from io.Reader, keep func([]byte)) {
	chunk := make([]byte, 32<<10)
	for {
		n, err := from.Read(chunk)
		if n > 0 {
			t.mu.Lock()
			keep(chunk[:n])
			t.mu.Unlock()
			if _, err := to.Write(chunk[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

func (t *tee) track(conns ...net.Conn) (*bytes.Buffer, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ended {
		return nil, false
	}
	for _, c := range conns {
		t.conns[c] = struct{}{}
	}
	b := &bytes.Buffer{}
	t.sent = append(t.sent, b)
	return b, true
}

func (t *tee) untrack(conns ...net.Conn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, c := range conns {
		delete(t.conns, c)
	}
}

func (t *tee) close() {
	t.ln.Close()
	t.dropConnections(true)
	t.wg.Wait()
}

func (t *tee) dropConnections(end bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ended = t.ended || end
	for c := range t.conns {
		c.Close()
	}
}

// commands are the commands of all connections, up to where one turns to TLS.
func (t *tee) commands() []Command {
	t.mu.Lock()
	defer t.mu.Unlock()
	var out []Command
	for i, b := range t.sent {
		out = append(out, commandsOf(i+1, bytes.NewReader(b.Bytes()))...)
	}
	return out
}

// commandsOf parses what one client sent. A command that is not whole yet is left out. What follows COMPRESS is inflated,
// what follows STARTTLS cannot be read.
func commandsOf(conn int, sent io.Reader) []Command {
	var out []Command
	br := bufio.NewReader(sent)
	for {
		raw, err := readCommand(br, func([]byte, bool) error { return nil })
		if err != nil {
			return out
		}
		if !bytes.Contains(raw, []byte(" ")) && !strings.EqualFold(strings.TrimSpace(string(raw)), "DONE") {
			out = append(out, Command{Conn: conn, Verb: "AUTHENTICATE", Args: redacted})
			continue
		}
		c := parseCommand(raw)
		c.Conn = conn
		out = append(out, c)
		switch c.Verb {
		case "STARTTLS":
			return out
		case "COMPRESS":
			br = bufio.NewReader(flate.NewReader(br))
		}
	}
}

// Commands returns every command that clients sent to Addr so far, connection by connection. What passed under TLS is
// not among them. Safe for concurrent use.
func (d *Dovecot) Commands() []Command { return d.plain.commands() }

// WaitCommand returns once a client sent a command with this verb to Addr, or fails the test after a while.
func (d *Dovecot) WaitCommand(t testing.TB, verb string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), dovecotStart)
	defer cancel()
	tick := time.NewTicker(dovecotPoll)
	defer tick.Stop()
	for !slices.ContainsFunc(d.Commands(), func(c Command) bool { return c.Verb == verb }) {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("imaptest: no command %s", verb)
		}
	}
}

// Connections is how many connections were made to Addr and TLSAddr. Safe for concurrent use.
func (d *Dovecot) Connections() int { return d.plain.connections() + d.secured.connections() }

func (t *tee) connections() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.sent)
}

// OctetsSent is what the server sent on all connections to Addr, as it went over the socket. Safe for concurrent use.
func (d *Dovecot) OctetsSent() int64 {
	d.plain.mu.Lock()
	defer d.plain.mu.Unlock()
	return d.plain.received
}

// DropConnections closes every connection at once, as a server does that restarts. New ones are accepted.
func (d *Dovecot) DropConnections() {
	d.plain.dropConnections(false)
	d.secured.dropConnections(false)
}
