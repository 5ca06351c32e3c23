package wire

import (
	"bytes"
	"encoding/base64"
	"net"
	"strings"
)

// Write takes commands from the client. Whole commands are checked and sent; the rest waits for more. A command that
// is not read-only ends the connection: ErrForbidden, and nothing of it was sent.
func (c *Conn) Write(p []byte) (int, error) {
	select {
	case c.gate <- struct{}{}:
	case <-c.done:
		return 0, net.ErrClosed
	}
	defer func() { <-c.gate }()
	if err := c.Err(); err != nil {
		return 0, err
	}
	err := c.ob.feed(p)
	if err == nil {
		err = c.drain()
	}
	if err != nil {
		c.fail(err)
		return 0, c.Err()
	}
	return len(p), nil
}

// drain sends every complete command in the buffer, in one write where possible.
func (c *Conn) drain() error {
	for more := true; more; {
		var err error
		if more, err = c.take(); err != nil {
			return err
		}
	}
	return c.flush()
}

// flush sends the batch.
func (c *Conn) flush() error {
	err := c.send(c.batch)
	if c.batch = c.batch[:0]; cap(c.batch) > keepBufferOctets {
		c.batch = nil
	}
	return err
}

// take moves the next unit of the client's octets to the batch.
func (c *Conn) take() (more bool, err error) {
	if c.ob.pos == 0 {
		if p := c.exchange(); p != nil {
			return c.takeLine(p)
		}
		if line, ok := bytes.CutPrefix(c.ob.buf, []byte("DONE\r\n")); ok && len(line) == 0 {
			c.ob.buf = c.ob.buf[:0] // IDLE has already ended: nobody waits for it
			return false, nil
		}
	}
	state, err := c.ob.next()
	switch {
	case err != nil || state == outMore:
		return false, err
	case state == outContinue:
		c.inject("+ go on\r\n")
		return true, nil
	}
	defer c.ob.shift()
	cmd, err := parseCommand(c.ob.buf[:c.ob.pos], c.ob.toks, c.ob.lits, false)
	c.record(cmd, err != nil, false)
	if err != nil {
		return false, err
	}
	cmd = c.restoreNames(cmd)
	p := c.pendingFor(cmd)
	if !needsSync(cmd.lits) {
		c.begin(p)
		c.batch = append(c.batch, cmd.raw...)
		return true, nil
	}
	if err := c.flush(); err != nil {
		return false, err
	}
	return true, c.sendLiterals(cmd, p)
}

func (c *Conn) record(cmd *command, refused, vendor bool) {
	if c.opts.Record == nil {
		return
	}
	l := cmd.log(c.opts.RecordFull)
	l.Refused, l.Vendor = refused, vendor
	c.opts.Record(l)
}

func (c *Conn) pendingFor(cmd *command) *pending {
	return &pending{tag: cmd.tag, verb: cmd.verb, fetch: cmd.fetch,
		idling: cmd.verb == "IDLE", auth: cmd.verb == "AUTHENTICATE"}
}

func (c *Conn) begin(p *pending) {
	c.mu.Lock()
	c.expect(p)
	c.mu.Unlock()
}

// exchange returns the command in whose course the client may only send single lines: AUTHENTICATE or IDLE.
func (c *Conn) exchange() *pending {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range c.pend {
		if p.auth || p.idling {
			return p
		}
	}
	return nil
}

// takeLine takes one SASL response, or DONE. Security: base64 has no SP, so a SASL response can never be read as a
// command even if the server has ended the exchange meanwhile.
func (c *Conn) takeLine(p *pending) (more bool, err error) {
	line, ok, err := c.ob.line()
	if err != nil || !ok {
		return false, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if p.idling {
		if !strings.EqualFold(line, "DONE") {
			return false, forbidden("command during IDLE")
		}
		p.idling = false
		c.restart(p)
		c.batch = append(c.batch, "DONE\r\n"...)
		return true, nil
	}
	if p.credit == 0 {
		return false, forbidden("SASL response nobody asked for")
	}
	if _, err := base64.StdEncoding.DecodeString(line); err != nil && line != "*" && line != "=" {
		return false, forbidden("SASL response is not base64")
	}
	p.credit--
	c.restart(p)
	// Quirk: go-imap writes an empty response as "=", which is its form in an initial response only (RFC 4959 §3); here
	// it is an empty line (RFC 9051 §6.2.2). Dovecot refuses the last step of SCRAM-SHA-256 over it.
	c.batch = append(c.batch, strings.TrimPrefix(line, "=")+"\r\n"...)
	return true, nil
}

// send writes whole commands. Compression flushes here.
func (c *Conn) send(b []byte) error {
	if len(b) == 0 {
		return nil
	}
	if _, err := c.w.Write(b); err != nil {
		return err
	}
	if f, ok := c.w.(interface{ Flush() error }); ok {
		return f.Flush()
	}
	return nil
}

func needsSync(lits []litRef) bool {
	for _, l := range lits {
		if l.sync {
			return true
		}
	}
	return false
}

// sendLiterals sends a command with synchronising literals: up to each literal, then wait for the server. If it
// refuses, the rest is not sent and the refusal reaches the client as the command's result.
func (c *Conn) sendLiterals(cmd *command, p *pending) error {
	p.cont = make(chan bool, 1)
	c.begin(p)
	from := 0
	for _, l := range cmd.lits {
		if !l.sync {
			continue
		}
		if err := c.send(cmd.raw[from:l.data]); err != nil {
			return err
		}
		from = l.data
		select {
		case ok := <-p.cont:
			if !ok {
				return nil
			}
		case <-c.done:
			return c.Err()
		}
	}
	c.mu.Lock()
	p.cont = nil
	c.mu.Unlock()
	return c.send(cmd.raw[from:])
}

// inject gives the client a response of the layer's own.
func (c *Conn) inject(line string) {
	c.mu.Lock()
	c.out = append(c.out, line...)
	c.cond.Broadcast()
	c.mu.Unlock()
}
