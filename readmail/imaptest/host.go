package imaptest

import (
	"context"
	"crypto/tls"
	"net"
	"strconv"
	"sync"
	"testing"

	"mailgap/readmail/demo/memserver"
)

// host accepts connections, by port and by pipe, for both kinds of server. handle serves one connection and returns
// when it is over; the connection is closed then.
type host struct {
	*recorder

	// Cert is the server's certificate; nil for PlainText.
	Cert *Certificate

	tb     testing.TB
	mode   TLSMode
	handle func(conn net.Conn, id int)

	mu    sync.Mutex
	tcp   net.Listener // nil until Addr
	pipe  *memserver.Listener
	conns map[net.Conn]struct{}
	ended bool
	wg    sync.WaitGroup
	done  chan struct{} // closed when the server stops
}

func newHost(t testing.TB, mode TLSMode) *host {
	h := &host{recorder: newRecorder(), tb: t, mode: mode, pipe: memserver.NewListener(),
		conns: map[net.Conn]struct{}{}, done: make(chan struct{})}
	if mode != PlainText {
		h.Cert = NewCertificate(t)
	}
	return h
}

// start begins to accept on the pipe and closes everything when the test ends.
func (h *host) start(t testing.TB) {
	h.wg.Go(func() { h.accept(h.pipe) })
	t.Cleanup(h.Close)
}

func (h *host) accept(ln net.Listener) {
	for {
		conn, err := ln.Accept()
		if err != nil {
			return
		}
		if !h.track(conn) {
			conn.Close()
			return
		}
		id := h.connect()
		h.wg.Go(func() {
			defer h.untrack(conn)
			h.serve(conn, id)
		})
	}
}

func (h *host) serve(conn net.Conn, id int) {
	if h.mode == ImplicitTLS {
		conn = tls.Server(conn, h.Cert.serverConfig())
	}
	h.handle(conn, id)
}

func (h *host) track(conn net.Conn) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.ended {
		h.conns[conn] = struct{}{}
	}
	return !h.ended
}

func (h *host) untrack(conn net.Conn) {
	conn.Close()
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.conns, conn)
}

// Addr returns the address "127.0.0.1:port". The port is opened at the first call; a server that is only reached
// through Dial opens none. It fails the test if the system gives no port.
func (h *host) Addr() string {
	h.tb.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.tcp == nil {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			h.tb.Fatalf("imaptest: %v", err)
		}
		h.tcp = ln
		h.wg.Go(func() { h.accept(ln) })
	}
	return h.tcp.Addr().String()
}

// HostPort returns the two halves of Addr.
func (h *host) HostPort() (host string, port int) {
	h.tb.Helper()
	host, text, err := net.SplitHostPort(h.Addr())
	if err != nil {
		h.tb.Fatalf("imaptest: %v", err)
	}
	port, err = strconv.Atoi(text)
	if err != nil {
		h.tb.Fatalf("imaptest: %v", err)
	}
	return host, port
}

// Dial connects through a net.Pipe and ignores network and address, so it fits where a dial function is wanted. TLS,
// if the server has any, is still to be spoken on it.
func (h *host) Dial(ctx context.Context, _, _ string) (net.Conn, error) {
	return h.pipe.Dial(ctx)
}

// DropConnections closes every connection at once, as a server does that restarts. New ones are accepted.
func (h *host) DropConnections() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for c := range h.conns {
		c.Close()
	}
}

// WaitCommand returns the first command with this verb, recorded already or later; ok is false if t's context ends or
// the server stops before.
func (h *host) WaitCommand(t testing.TB, verb string) (c Command, ok bool) {
	stop := make(chan struct{})
	cancel := context.AfterFunc(t.Context(), func() { close(stop) })
	defer cancel()
	return h.waitCommand(stop, func(c Command) bool { return c.Verb == verb })
}

// Close stops the server and closes its connections. It waits until nothing of it runs and may be called twice.
func (h *host) Close() {
	h.mu.Lock()
	if !h.ended {
		h.ended = true
		close(h.done)
		h.pipe.Close()
		if h.tcp != nil {
			h.tcp.Close()
		}
		for c := range h.conns {
			c.Close()
		}
	}
	h.mu.Unlock()
	h.wg.Wait()
}
