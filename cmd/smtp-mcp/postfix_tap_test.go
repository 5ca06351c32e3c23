//go:build unix

package main

import (
	"bufio"
	"net"
	"strings"
	"sync"
	"testing"
)

// tapLine is one line of a plain SMTP connection, with its line end.
type tapLine struct {
	Text       string
	FromServer bool
	Content    bool // of the message, the final dot included
	Final      bool // the reply to the final dot
}

// dot says whether the line ends the content.
func (l tapLine) dot() bool { return l.Content && l.Text == ".\r\n" }

// tap stands between smtp-mcp and a server and shows each line to watch before it passes on; if watch says no, the line is
// swallowed and the connection ends. It carries one connection at a time; watch is not called twice at once.
type tap struct {
	addr  string
	to    string
	watch func(tapLine) (pass bool)

	mu        sync.Mutex
	quiet     *sync.Cond // no connection is open
	open      int
	content   bool // the server said 354 and the dot has not passed
	completed bool // the dot has passed and the reply has not
}

// newTap listens until the test ends.
func newTap(t testing.TB, to string, watch func(tapLine) bool) *tap {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &tap{addr: l.Addr().String(), to: to, watch: watch}
	p.quiet = sync.NewCond(&p.mu)
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			p.count(1)
			go p.serve(client)
		}
	}()
	return p
}

// wait waits until no connection is open; then the server has heard all that it will ever hear.
func (p *tap) wait() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.open > 0 {
		p.quiet.Wait()
	}
}

func (p *tap) count(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open += n; p.open == 0 {
		p.quiet.Broadcast()
	}
}

func (p *tap) serve(client net.Conn) {
	defer p.count(-1)
	defer client.Close()
	server, err := net.Dial("tcp", p.to)
	if err != nil {
		return
	}
	defer server.Close()
	p.mu.Lock()
	p.content, p.completed = false, false
	p.mu.Unlock()
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.carry(client, server, true)
		client.Close()
	}()
	p.carry(server, client, false)
	if half, ok := server.(*net.TCPConn); ok {
		_ = half.CloseWrite() // what the server still does with what it has can be waited for
	}
	<-done
}

// carry passes lines from one side to the other until one of them ends or a line is swallowed.
func (p *tap) carry(to, from net.Conn, fromServer bool) {
	in := bufio.NewReader(from)
	for {
		text, err := in.ReadString('\n')
		if err != nil {
			return
		}
		if !p.show(text, fromServer) {
			return
		}
		if _, err := to.Write([]byte(text)); err != nil {
			return
		}
	}
}

// show keeps track of where the transaction is, and asks watch.
func (p *tap) show(text string, fromServer bool) (pass bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	l := tapLine{Text: text, FromServer: fromServer, Content: p.content && !fromServer, Final: p.completed && fromServer}
	pass = p.watch(l)
	switch {
	case fromServer && strings.HasPrefix(text, "354"):
		p.content = true
	case l.dot():
		p.content, p.completed = false, true
	case fromServer:
		p.completed = false
	}
	return pass
}
