package wire

import (
	"bytes"
	"time"
)

// pending is a command that has been sent and not been completed.
type pending struct {
	tag, verb string
	start     time.Time
	answered  bool // something came back since
	fetch     *fetchAsk
	fail      string // why its OK becomes NO, "" if it does not
	vendor    *call
	cont      chan bool // a literal waits for "+": true go on, false refused. nil if none
	idling    bool      // IDLE before DONE
	idleAcked bool
	auth      bool
	credit    int // continuations passed on and not yet answered (AUTHENTICATE)
}

// expect registers a command before it is sent. c.mu is held.
func (c *Conn) expect(p *pending) {
	p.start = time.Now()
	c.pend = append(c.pend, p)
	c.stats.Commands++
	c.arm()
}

// restart gives a command that goes on its full time again. c.mu is held.
func (c *Conn) restart(p *pending) {
	p.start, p.answered = time.Now(), false
	c.arm()
}

// find returns the pending command with this tag. c.mu is held.
func (c *Conn) find(tag []byte) (int, *pending) {
	for i, p := range c.pend {
		if string(tag) == p.tag {
			return i, p
		}
	}
	return 0, nil
}

// arm sets the read deadline for what is now awaited. c.mu is held, so that a write that starts a command and the
// reader that ends one do not overtake each other.
func (c *Conn) arm() { _ = c.raw.SetReadDeadline(c.deadline()) }

// deadline: none while nothing is awaited. The socket's own deadline is the only timer, so a cancelled or expired
// command needs no goroutine.
func (c *Conn) deadline() time.Time {
	if !c.greeted {
		return c.started.Add(c.lim.GreetingTimeout)
	}
	if len(c.pend) == 0 {
		return time.Time{}
	}
	var at time.Time
	for i, p := range c.pend {
		d := c.deadlineOf(p)
		if i == 0 || d.Before(at) {
			at = d
		}
	}
	return at
}

func (c *Conn) deadlineOf(p *pending) time.Time {
	if p.idling {
		return later(p.start, c.lastIn).Add(c.lim.IdleTimeout)
	}
	at := p.start.Add(c.lim.FirstTimeout)
	if p.answered {
		at = c.lastIn.Add(c.lim.NextTimeout)
	}
	if end := p.start.Add(c.lim.CommandTimeout + c.stalled); end.Before(at) {
		at = end
	}
	return at
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// progress notes that octets came in. Commands behind the first one wait for it and get its time.
func (c *Conn) progress() {
	c.lastIn = time.Now()
	for i, p := range c.pend {
		if i == 0 {
			p.answered = true
		} else if !p.answered && !p.idling {
			p.start = c.lastIn
		}
	}
}

// isCompletion reports whether line is the tagged response of a pending command.
func (c *Conn) isCompletion(line []byte) bool {
	tag, rest := cutWord(line)
	word, _ := cutWord(rest)
	c.mu.Lock()
	defer c.mu.Unlock()
	_, p := c.find(tag)
	return p != nil && isStatus(word)
}

// lineLimit is how long the response that starts with b may be: results of searches are one long line.
func (c *Conn) lineLimit(b []byte) int {
	word, _ := cutWord(bytes.TrimLeft(b[1:min(len(b), 32)], " "))
	for _, s := range []string{"SEARCH", "ESEARCH", "SORT", "THREAD"} {
		if b[0] == '*' && bytes.EqualFold(word, []byte(s)) {
			return max(c.lim.LineOctets, c.lim.Numbers*numberOctets)
		}
	}
	return c.lim.LineOctets
}

// literalLimit is how much of a literal is kept; before is the line up to it. The value of a body section may be as
// large as a partial fetch asked for, anything else LiteralOctets.
func (c *Conn) literalLimit(before []byte) int {
	before = bytes.TrimRight(before, " ~")
	limit := c.lim.LiteralOctets
	if n := len(before); n == 0 || before[n-1] != ']' && before[n-1] != '>' {
		return limit
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	whole, most, any := false, uint64(0), false
	for _, p := range c.pend {
		if p.fetch == nil {
			continue
		}
		for _, a := range p.fetch.sections {
			any = true
			whole = whole || !a.partial
			if a.partial {
				most = max(most, a.offset+a.size)
			}
		}
	}
	if !any {
		return limit
	}
	asked := int(min(most, uint64(c.lim.PartialOctets))) + literalSlackOctets
	if whole {
		asked = max(asked, limit)
	}
	return asked
}
