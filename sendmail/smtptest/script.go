package smtptest

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/emersion/go-smtp"
)

// script is one connection of a Scripted server.
type script struct {
	srv  *Scripted
	raw  net.Conn // below TLS
	conn net.Conn
	in   *bufio.Reader
	user string
	m    Message
	rcpt int
}

// errOver ends a connection.
var errOver = errors.New("connection is over")

func newScript(s *Scripted, conn net.Conn) *script {
	return &script{srv: s, raw: conn, conn: conn, in: bufio.NewReader(conn)}
}

func (c *script) run() {
	steps := []func() error{c.connect, c.greet}
	for _, step := range steps {
		if step() != nil {
			return
		}
	}
	for {
		line, err := c.line()
		if err != nil {
			return
		}
		c.note(line)
		if c.command(line) != nil {
			return
		}
	}
}

func (c *script) note(line string) {
	c.srv.cmdMu.Lock()
	defer c.srv.cmdMu.Unlock()
	c.srv.commands = append(c.srv.commands, line)
}

func (c *script) connect() error {
	if c.at(StepConnect) {
		return c.play("220 ready")
	}
	if c.srv.opt.TLS == ImplicitTLS {
		return c.handshake()
	}
	return nil
}

func (c *script) handshake() error {
	if c.at(StepTLS) && c.srv.opt.TLS == ImplicitTLS {
		if err := c.play("220 no TLS here"); err != nil {
			return err
		}
	}
	t := tls.Server(c.raw, c.srv.opt.Cert.config)
	c.conn, c.in = t, bufio.NewReader(t)
	return t.Handshake()
}

func (c *script) greet() error {
	return c.reply(StepGreeting, "220 "+Hostname+" ready")
}

// at reports whether the fault is due at step.
func (c *script) at(step Step) bool { return c.srv.opt.Fault.Step == step }

// reply writes the right reply, or plays the fault.
func (c *script) reply(step Step, right string) error {
	if c.at(step) {
		return c.play(right)
	}
	return c.say(right)
}

func (c *script) say(text string) error {
	_, err := io.WriteString(c.conn, text+"\r\n")
	return err
}

func (c *script) line() (string, error) {
	l, err := c.in.ReadString('\n')
	return strings.TrimRight(l, "\r\n"), err
}

// play does what the fault says instead of sending right.
func (c *script) play(right string) error {
	f := c.srv.opt.Fault
	switch f.Action {
	case Transient, Permanent:
		return c.say(f.text())
	case Late:
		<-c.srv.release
		return c.say(right)
	case Surplus:
		return c.say(right + "\r\n" + right)
	case Closing:
		_ = c.say("421 4.3.2 shutting down")
	case Garbage:
		_ = c.say("what is this?")
	case Stall:
		<-c.srv.release
	case Partial:
		_, _ = io.WriteString(c.conn, right[:2])
	case Endless:
		for c.say("250-and another thing") == nil {
		}
	case LongLine:
		for {
			if _, err := io.WriteString(c.conn, strings.Repeat("250 ", 256)); err != nil {
				break
			}
		}
	case Cut:
		if tcp, ok := c.raw.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0)
		}
	}
	_ = c.raw.Close()
	return errOver
}

// text is the reply of a fault that is a refusal.
func (f Fault) text() string {
	switch {
	case f.Reply != "" || f.AnyReply:
		return f.Reply
	case f.Action == Transient:
		return "451 4.3.0 try again later"
	}
	return "554 5.7.1 not here"
}

// command answers one command.
func (c *script) command(line string) error {
	verb, args, _ := strings.Cut(line, " ")
	switch verb {
	case "EHLO":
		return c.hello()
	case "STARTTLS":
		return c.startTLS()
	case "AUTH":
		return c.auth(args)
	case "MAIL":
		return c.mail(args)
	case "RCPT":
		return c.recipient(args)
	case "DATA":
		return c.data()
	case "RSET":
		c.m = Message{}
		return c.reply(StepRset, "250 2.0.0 Ok")
	case "QUIT":
		if err := c.reply(StepQuit, "221 2.0.0 Bye"); err != nil {
			return err
		}
		return errOver
	}
	return c.say("500 5.5.2 unknown command")
}

func (c *script) hello() error {
	lines := c.srv.opt.Extensions
	if lines == nil {
		lines = []string{"8BITMIME", "SMTPUTF8", "SIZE 10000000", "AUTH PLAIN"}
	}
	_, secured := c.conn.(*tls.Conn)
	first := c.srv.opt.TLS == StartTLS && !secured
	if first {
		lines = []string{"STARTTLS"}
	}
	all := append([]string{Hostname}, lines...)
	var b bytes.Buffer
	for i, l := range all {
		sep := "-"
		if i == len(all)-1 {
			sep = " "
		}
		fmt.Fprintf(&b, "250%s%s\r\n", sep, l)
	}
	text := strings.TrimSuffix(b.String(), "\r\n")
	if first {
		return c.say(text)
	}
	return c.reply(StepEHLO, text)
}

func (c *script) startTLS() error {
	if err := c.reply(StepTLS, "220 2.0.0 go ahead"); err != nil {
		return err
	}
	if c.at(StepTLS) && c.srv.opt.Fault.Action != Surplus {
		return nil
	}
	return c.handshake()
}

// auth runs one exchange.
func (c *script) auth(args string) error {
	c.srv.count(func(n *Counts) { n.Logins++ })
	if c.at(StepAuth) {
		return c.play("235 2.7.0 welcome")
	}
	name, initial, _ := strings.Cut(args, " ")
	server := mechanism(name)
	if server == nil || name == c.srv.opt.Unknown {
		return c.say("504 5.5.4 unknown mechanism")
	}
	var response []byte
	if initial != "" {
		response = decode(initial)
	}
	for {
		challenge, done, err := server.Next(response)
		var refused *smtp.SMTPError
		switch {
		case errors.As(err, &refused):
			return c.say("535 5.7.8 credentials invalid")
		case err != nil:
			return c.say("501 5.5.2 malformed")
		case done:
			c.user = User
			return c.say("235 2.7.0 welcome")
		}
		if err := c.say("334 " + base64.StdEncoding.EncodeToString(challenge)); err != nil {
			return err
		}
		line, err := c.line()
		if err != nil {
			return err
		}
		if line == "*" {
			return c.say("501 5.7.0 given up")
		}
		response = decode(line)
	}
}

func decode(s string) []byte {
	b, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(s, "="))
	if err != nil || b == nil {
		return []byte{}
	}
	return b
}

func (c *script) mail(args string) error {
	c.srv.count(func(n *Counts) { n.Transactions++ })
	path, params, _ := strings.Cut(strings.TrimPrefix(args, "FROM:<"), ">")
	c.m = Message{ReversePath: path, User: c.user, SMTPUTF8: strings.Contains(params, "SMTPUTF8")}
	if _, body, ok := strings.Cut(params, "BODY="); ok {
		c.m.Body, _, _ = strings.Cut(body, " ")
	}
	return c.reply(StepMail, "250 2.1.0 Ok")
}

func (c *script) recipient(args string) error {
	c.srv.count(func(n *Counts) { n.Recipients++ })
	c.rcpt++
	path, _, _ := strings.Cut(strings.TrimPrefix(args, "TO:<"), ">")
	if c.at(StepRcpt) && max(c.srv.opt.Fault.Nth, 1) == c.rcpt {
		return c.play("250 2.1.5 Ok")
	}
	c.m.ForwardPaths = append(c.m.ForwardPaths, path)
	return c.say("250 2.1.5 Ok")
}

// data takes a message. The server accepts it only after the final dot, and never one that was cut.
func (c *script) data() error {
	c.srv.count(func(n *Counts) { n.Data++ })
	if err := c.reply(StepData, "354 go ahead"); err != nil {
		return err
	}
	if a := c.srv.opt.Fault.Action; c.at(StepData) && a != Surplus {
		return nil
	}
	spoilt, err := c.content()
	if err != nil {
		return err
	}
	right := c.srv.opt.DotReply
	if right == "" {
		right = "250 2.0.0 Ok: queued as Q1"
	}
	switch {
	case spoilt:
		return c.say("554 5.6.0 not accepted")
	case !c.at(StepDot):
		c.srv.add(c.m)
		return c.say(right)
	}
	if f := c.srv.opt.Fault; f.Accept || f.Action == Surplus {
		c.srv.add(c.m)
	}
	return c.play(right)
}

// content reads up to the final dot. spoilt means that a fault was played in between.
func (c *script) content() (spoilt bool, err error) {
	limit := c.srv.opt.BodyOctets
	if limit == 0 {
		limit = 1000
	}
	for {
		line, err := c.in.ReadBytes('\n')
		if err != nil {
			return spoilt, err
		}
		if bytes.Equal(line, []byte(".\r\n")) {
			return spoilt, nil
		}
		c.m.Octets = append(c.m.Octets, bytes.TrimPrefix(line, []byte("."))...)
		if !spoilt && c.at(StepBody) && len(c.m.Octets) >= limit {
			spoilt = true
			if err := c.play("250 2.0.0 Ok"); err != nil {
				return true, err
			}
		}
	}
}
