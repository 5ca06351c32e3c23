package wire

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Write takes octets of the client: command lines, or content after DATA was accepted. What is not allowed closes the
// connection and is not sent, not even in part.
func (c *Conn) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		i := bytes.IndexByte(rest, '\n')
		if i < 0 {
			c.line = append(c.line, rest...)
			rest = nil
		} else {
			c.line, rest = append(c.line, rest[:i+1]...), rest[i+1:]
		}
		inBody, err := c.progress(i >= 0)
		if err == nil && i >= 0 {
			err = c.lineDone(inBody, len(rest) > 0)
		}
		if err != nil {
			c.fail(err)
			return 0, c.Err()
		}
	}
	return len(p), nil
}

// progress looks at the length of the line so far, and whether the connection lives.
func (c *Conn) progress(complete bool) (inBody bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	limit := maxCommandOctets
	switch {
	case c.err != nil:
		return false, c.err
	case c.state == stateBody:
		inBody, limit = true, maxDataLineOctets
	case c.authOpen || bytes.HasPrefix(c.line, []byte("AUTH ")):
		limit = maxAuthOctets
	}
	if len(c.line) > limit || !complete && len(c.line) == limit {
		return inBody, refused("line too long")
	}
	return inBody, nil
}

// lineDone sends one complete line. more says that the client wrote further octets behind it.
func (c *Conn) lineDone(inBody, more bool) error {
	line := c.line
	c.line = c.line[:0]
	if inBody {
		return c.content(line, more)
	}
	if more {
		return refused("more than one command at a time")
	}
	text, ok := strings.CutSuffix(string(line), "\r\n")
	if !ok || strings.ContainsAny(text, "\r\n\x00") {
		return refused("malformed line")
	}
	verb, timeout, err := c.admit(text)
	if err != nil || verb == "" {
		return err
	}
	return c.send(verb, timeout, line)
}

// admit decides about a command and notes it. The verb is "" if the line was answered here.
func (c *Conn) admit(text string) (verb string, timeout time.Duration, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return "", 0, c.err
	}
	if c.pending != "" {
		return "", 0, refused("the last command has no reply yet")
	}
	if c.authEnd && text == "*" {
		// Quirk: go-smtp cancels an exchange that the server has ended already.
		c.authEnd = false
		c.out = append(c.out, "501 no exchange\r\n"...)
		return "", 0, nil
	}
	if c.authOpen {
		return "AUTH", c.lim.ReplyTimeout, checkAnswer(text)
	}
	verb, args, _ := strings.Cut(text, " ")
	timeout = c.lim.ReplyTimeout
	if verb == "QUIT" || verb == "RSET" {
		timeout = c.lim.QuitTimeout // nothing depends on their replies
	}
	return verb, timeout, c.check(verb, args)
}

// check decides about everything but the answers within AUTH. mu is held.
func (c *Conn) check(verb, args string) error {
	switch verb {
	case "EHLO", "HELO":
		return c.checkHello(args)
	case "AUTH":
		return c.checkAuth(args)
	case "MAIL":
		return c.checkMail(args)
	case "RCPT":
		return c.checkRcpt(args)
	case "DATA":
		return c.checkData(args)
	case "RSET":
		c.state = stateDone
		return noArgs(args)
	case "NOOP", "QUIT":
		return noArgs(args)
	}
	return refused("verb is not on the list")
}

func noArgs(args string) error {
	if args != "" {
		return refused("unexpected argument")
	}
	return nil
}

func (c *Conn) checkHello(name string) error {
	if c.state != stateReady || !ValidHELO(name) {
		return refused("EHLO")
	}
	return nil
}

// ValidHELO reports whether name can stand in EHLO: a domain or an address literal (RFC 5321 §4.1.1.1).
func ValidHELO(name string) bool {
	return regexp.MustCompile(`^([A-Za-z0-9.-]{1,255}|\[[A-Za-z0-9.:]{1,60}\])$`).MatchString(name)
}

func (c *Conn) checkAuth(args string) error {
	mech, initial, _ := strings.Cut(args, " ")
	switch {
	case !c.opt.Private:
		return refused("AUTH over a connection that others can read") // Security: credentials
	case c.state != stateReady || !slices.Contains(strings.Fields("PLAIN LOGIN SCRAM-SHA-256 XOAUTH2 OAUTHBEARER"), mech):
		return refused("AUTH")
	}
	return checkAnswer(initial)
}

// checkAnswer checks an answer within AUTH: base64, "=" for an empty one, or "*" to give up (RFC 4954 §4).
func checkAnswer(s string) error {
	if s == "*" || strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=") == "" {
		return nil
	}
	return refused("AUTH answer")
}

// checkMail compares with
//
//	mail = "MAIL FROM:" Reverse-path [SP Mail-parameters] CRLF
//
// of RFC 5321 §4.1.1.2. BODY, SIZE and SMTPUTF8 are the parameters that are known.
func (c *Conn) checkMail(args string) error {
	if c.state != stateReady || c.tx == nil || c.rec.ReversePath != "" {
		return refused("MAIL")
	}
	params, ok := strings.CutPrefix(args, "FROM:<"+c.tx.ReversePath+">")
	if !ok {
		return refused("MAIL with another reverse path")
	}
	for p := range strings.FieldsSeq(params) {
		switch p {
		case "BODY=8BITMIME", "BODY=7BIT", "SMTPUTF8", "SIZE=" + strconv.FormatInt(c.tx.Octets, 10):
		default:
			return refused("MAIL parameter")
		}
	}
	c.rec.ReversePath = c.tx.ReversePath
	return nil
}

func (c *Conn) checkRcpt(args string) error {
	path, ok := strings.CutPrefix(args, "TO:<")
	path, closed := strings.CutSuffix(path, ">")
	if c.state != stateMail || !ok || !closed || !slices.Contains(c.tx.ForwardPaths, path) || slices.Contains(c.rec.ForwardPaths, path) {
		return refused("RCPT for somebody else")
	}
	c.rec.ForwardPaths = append(c.rec.ForwardPaths, path)
	return nil
}

// checkData lets DATA pass once every recipient was accepted.
func (c *Conn) checkData(args string) error {
	if c.state != stateMail || c.accepted != len(c.tx.ForwardPaths) {
		return refused("DATA without all recipients")
	}
	c.state = stateDone // until the server says 354: a second DATA is refused
	return noArgs(args)
}

// send writes a command whose reply is awaited from now on.
func (c *Conn) send(verb string, timeout time.Duration, line []byte) error {
	c.mu.Lock()
	if c.err != nil {
		c.mu.Unlock()
		return c.err
	}
	c.await(verb, timeout)
	c.mu.Unlock()
	return c.write(line)
}

// write sends octets within the deadline for one write.
func (c *Conn) write(p []byte) error {
	if err := c.raw.SetWriteDeadline(time.Now().Add(c.lim.WriteTimeout)); err != nil {
		return lost(err)
	}
	if _, err := c.raw.Write(p); err != nil {
		return fmt.Errorf("write: %w", lost(err))
	}
	return nil
}
