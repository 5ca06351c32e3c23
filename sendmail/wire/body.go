package wire

import (
	"bytes"
	"fmt"
)

// content takes one line after DATA, stuffed by the client (RFC 5321 §4.5.2).
//
// Security: lines end in CRLF and hold no other CR or LF. Servers disagree about a lone one, and some would take
// LF "." LF for the end of the message and what follows for commands.
func (c *Conn) content(line []byte, more bool) error {
	if n := len(line); n < 2 || line[n-2] != '\r' || bytes.IndexByte(line, '\r') != n-2 {
		return fmt.Errorf("%w: line end is not CRLF", ErrContent)
	}
	if len(line) == 3 && line[0] == '.' {
		if more {
			return refused("octets behind the final dot")
		}
		return c.finish()
	}
	plain := line
	if line[0] == '.' {
		plain = line[1:]
	}
	c.hash.Write(plain)
	c.octets += int64(len(plain))
	if c.octets > c.tx.Octets {
		return fmt.Errorf("%w: too long", ErrContent)
	}
	c.wait = append(c.wait, line...)
	if len(c.wait) < flushOctets {
		return nil
	}
	return c.flush()
}

// flush writes the content that waits.
func (c *Conn) flush() error {
	for p := c.wait; len(p) > 0; {
		n := min(len(p), flushOctets)
		if err := c.Err(); err != nil {
			return err
		}
		if err := c.write(p[:n]); err != nil {
			return err
		}
		p = p[n:]
	}
	c.wait = c.wait[:0]
	return nil
}

// finish sends the final dot if everything before it is right.
func (c *Conn) finish() error {
	if c.octets != c.tx.Octets || [32]byte(c.hash.Sum(nil)) != c.tx.SHA256 {
		// Security: this dot would complete a truncated or changed message.
		return ErrContent
	}
	if err := c.flush(); err != nil {
		return err
	}
	if c.tx.BeforeDot != nil {
		if err := c.Err(); err != nil {
			return err
		}
		if err := c.tx.BeforeDot(); err != nil {
			return fmt.Errorf("%w: %w", ErrBeforeDot, err)
		}
	}
	if err := c.commit(); err != nil {
		return err
	}
	return c.write([]byte(".\r\n"))
}

// commit sets the flag, unless the connection has ended or a reply came out of turn. From here on nothing but a reply tells
// what became of the message.
func (c *Conn) commit() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return c.err
	}
	c.rec.DotSent, c.rec.Octets, c.rec.SHA256 = true, c.octets, [32]byte(c.hash.Sum(nil))
	c.state = stateDone
	c.await("dot", c.lim.FinalTimeout)
	return nil
}
