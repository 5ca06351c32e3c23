package smtptest

import (
	"context"
	"net"
	"slices"
	"sync"
	"testing"
)

// ScriptOptions of a Scripted server.
type ScriptOptions struct {
	TLS        TLSMode
	Cert       *Certificate // needed for TLS; one certificate may serve many servers
	Extensions []string     // lines of the EHLO reply; nil means 8BITMIME, SMTPUTF8, SIZE, AUTH PLAIN
	Fault      Fault
	DotReply   string // the reply to an accepted message, "" means "250 2.0.0 Ok: queued as Q1"
	Unknown    string // a mechanism that is not known, though Extensions may say so
	BodyOctets int    // how much content is read before StepBody plays; 0 means 1,000
}

// Scripted is a server that fails on purpose. It is safe for concurrent use.
type Scripted struct {
	store
	opt     ScriptOptions
	release chan struct{}
	once    sync.Once
	wg      sync.WaitGroup

	cmdMu    sync.Mutex
	commands []string
	addr     string
}

// NewScripted returns a server whose connections end with the test.
func NewScripted(t testing.TB, opt ScriptOptions) *Scripted {
	s := &Scripted{opt: opt, release: make(chan struct{})}
	t.Cleanup(func() {
		s.Release()
		s.Wait()
	})
	return s
}

// Release ends every stall.
func (s *Scripted) Release() { s.once.Do(func() { close(s.release) }) }

// Wait waits until every connection has ended; then what the server says is final.
func (s *Scripted) Wait() { s.wg.Wait() }

// Commands returns the command lines received so far, without the answers of AUTH.
func (s *Scripted) Commands() []string {
	s.cmdMu.Lock()
	defer s.cmdMu.Unlock()
	return slices.Clone(s.commands)
}

// Dialer connects by a pipe, for tests in a synctest bubble.
func (s *Scripted) Dialer() func(ctx context.Context, network, addr string) (net.Conn, error) {
	return func(ctx context.Context, _, _ string) (net.Conn, error) {
		switch f := s.opt.Fault; {
		case f.Step != StepConnect:
		case f.Action == Stall:
			<-ctx.Done()
			return nil, ctx.Err()
		case f.Action == Cut:
			return nil, errConnect
		}
		client, server := net.Pipe()
		s.start(server)
		return client, nil
	}
}

var errConnect = &net.OpError{Op: "dial", Net: "tcp", Err: net.UnknownNetworkError("refused by the test")}

// Listen makes the server listen on 127.0.0.1 too and returns a dialer for it.
func (s *Scripted) Listen(t testing.TB) func(ctx context.Context, network, addr string) (net.Conn, error) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("smtptest: %v", err)
	}
	t.Cleanup(func() { l.Close() })
	s.addr = l.Addr().String()
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			s.start(conn)
		}
	}()
	return func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "tcp", l.Addr().String())
	}
}

// Addr is the address that Listen listens on, "" without.
func (s *Scripted) Addr() string { return s.addr }

func (s *Scripted) start(conn net.Conn) {
	s.count(func(n *Counts) { n.Connections++ })
	s.wg.Go(func() {
		defer conn.Close()
		newScript(s, conn).run()
	})
}
