package imaptest

import (
	"bytes"
	"crypto/tls"
	"net"
	"strings"
	"testing"
)

// defaultScriptCaps are announced when Script.Caps is empty.
const defaultScriptCaps = "IMAP4rev1 AUTH=PLAIN ID UNSELECT ENABLE"

// endlessChunkOctets is how much Step.Endless sends at a time.
const endlessChunkOctets = 32 << 10

// Scripted is a server that follows scripts. Safe for concurrent use.
type Scripted struct {
	*host
	scripts []Script
}

// NewScripted starts a plain-text server. The first connection follows the first script, the second the second, and
// so on; the last one is used for all that follow. When the test ends it checks that only reading commands were sent.
func NewScripted(t testing.TB, scripts ...Script) *Scripted {
	t.Helper()
	return NewScriptedTLS(t, PlainText, scripts...)
}

// NewScriptedTLS is NewScripted with a TLS mode.
func NewScriptedTLS(t testing.TB, mode TLSMode, scripts ...Script) *Scripted {
	t.Helper()
	if len(scripts) == 0 {
		scripts = []Script{{}}
	}
	s := &Scripted{host: newHost(t, mode), scripts: scripts}
	s.handle = s.serveClient
	s.start(t)
	t.Cleanup(func() { s.CheckVerbs(t) })
	return s
}

// CheckVerbs fails t if a command was received that does not belong to reading. NewScripted calls it when the test ends.
func (s *Scripted) CheckVerbs(t testing.TB) {
	t.Helper()
	for _, v := range s.Violations() {
		t.Errorf("imaptest: %s", v)
	}
}

// actor plays one script on one connection.
type actor struct {
	server *Scripted
	script Script
	id     int
	client *stream
	used   []int
	idle   string // tag of the IDLE under way
}

func (s *Scripted) serveClient(conn net.Conn, id int) {
	script := s.scripts[min(id, len(s.scripts))-1]
	if script.Caps == "" {
		script.Caps = defaultScriptCaps
	}
	a := &actor{server: s, script: script, id: id, client: newStream(conn, s.recorder), used: make([]int, len(script.Steps))}
	a.run()
}

func (a *actor) run() {
	greeting := a.script.Greeting
	if greeting == "" {
		greeting = "* OK [CAPABILITY " + a.script.Caps + "] ready"
	}
	if a.client.write([]byte(greeting+"\r\n")) != nil {
		return
	}
	if a.script.AfterGreeting != nil && !a.play(*a.script.AfterGreeting, Command{}) {
		return
	}
	for {
		raw, err := readCommand(a.client.br, func(_ []byte, waits bool) error { return continueLiteral(a.client, waits) })
		if err != nil {
			return
		}
		c := parseCommand(raw)
		c.Conn = a.id
		a.server.command(c)
		if !a.answer(c) {
			return
		}
		a.server.answered(a.id, c.Tag)
	}
}

// answer reports whether the connection goes on.
func (a *actor) answer(c Command) bool {
	if c.Verb == "DONE" && c.Tag == "" {
		c.Tag, a.idle = a.idle, ""
	}
	if c.Verb == "IDLE" {
		a.idle = c.Tag
	}
	for i, step := range a.script.Steps {
		if step.matches(c) && (step.times == 0 || a.used[i] < step.times) {
			a.used[i]++
			return a.play(step, c)
		}
	}
	return a.answerDefault(c)
}

// play runs the actions of step and reports whether the connection goes on.
func (a *actor) play(step Step, c Command) bool {
	for _, act := range step.actions {
		switch act.kind {
		case actSend, actCompute:
			data := act.data
			if act.compute != nil {
				data = act.compute(c)
			}
			if a.send(data, c) != nil {
				return false
			}
		case actClose:
			return false
		case actReset:
			a.reset()
			return false
		case actStall:
			if !a.stall(act.release) {
				return false
			}
		case actEndless:
			a.endless(strings.ReplaceAll(act.data, "{tag}", c.Tag))
			return false
		}
	}
	return true
}

func (a *actor) send(data string, c Command) error {
	return a.client.write([]byte(strings.ReplaceAll(data, "{tag}", c.Tag)))
}

func (a *actor) reset() {
	conn := a.client.conn
	if secured, ok := conn.(*tls.Conn); ok {
		conn = secured.NetConn()
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		// Linger zero turns the close that follows into a reset; if it fails the client sees FIN instead.
		_ = tcp.SetLinger(0)
		_ = tcp.Close()
	}
}

// stall waits for release; a client that leaves meanwhile is noticed at the next write.
func (a *actor) stall(release <-chan struct{}) bool {
	select {
	case <-release:
		return true
	case <-a.server.done:
		return false
	}
}

func (a *actor) endless(octets string) {
	chunk := bytes.Repeat([]byte(octets), max(1, endlessChunkOctets/max(1, len(octets))))
	for a.client.write(chunk) == nil {
	}
}
