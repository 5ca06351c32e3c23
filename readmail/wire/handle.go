package wire

import (
	"bytes"
	"strconv"
	"strings"
)

// handle repairs one response and stages it for the client. An error ends the connection.
func (c *Conn) handle(r response) error {
	if err := c.countUntagged(); err != nil {
		return err
	}
	b := bytes.TrimLeft(r.b, " \t")
	if !c.isGreeted() {
		return c.greeting(b)
	}
	switch {
	case len(b) == 0:
		c.report(Repair{Kind: RepairBlankLine})
	case b[0] == '+':
		c.continuation(b[1:])
	case b[0] == '*' && len(b) > 1:
		return c.untagged(r, len(r.b)-len(b)+1)
	default:
		return c.tagged(b)
	}
	return nil
}

func (c *Conn) isGreeted() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.greeted
}

func (c *Conn) countUntagged() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stats.Untagged++
	if c.untag++; c.untag > c.lim.Untagged {
		return overLimit("responses for one command")
	}
	return nil
}

// greeting takes the first line. Anything but OK, PREAUTH or BYE is not IMAP.
func (c *Conn) greeting(b []byte) error {
	word, rest := cutWord(bytes.TrimLeft(bytes.TrimPrefix(b, []byte("*")), " "))
	typ := strings.ToUpper(string(word))
	if len(b) == 0 || b[0] != '*' || typ != "OK" && typ != "PREAUTH" && typ != "BYE" {
		return badFraming("greeting is not IMAP")
	}
	c.mu.Lock()
	c.greeted, c.untag, c.octets = true, 0, 0
	c.cond.Broadcast()
	c.mu.Unlock()
	c.status("*", typ, rest)
	return nil
}

// continuation passes "+" on to whoever waits for one. go-imap gives up on one that it does not expect.
func (c *Conn) continuation(text []byte) {
	c.mu.Lock()
	pass := false
	for _, p := range c.pend {
		switch {
		case p.auth:
			pass = true
			p.credit++
		case p.cont != nil:
			select {
			case p.cont <- true:
			default:
			}
		case p.idling && !p.idleAcked:
			pass, p.idleAcked = true, true
		default:
			continue
		}
		if c.mu.Unlock(); pass {
			c.stage = append(c.stage, "+ "...)
			c.stage = appendText(c.stage, bytes.Trim(text, " "))
			c.crlf()
		}
		return
	}
	c.mu.Unlock()
	c.report(Repair{Kind: RepairUnexpectedContinue})
}

// tagged completes a command.
func (c *Conn) tagged(b []byte) error {
	tag, rest := cutWord(b)
	c.mu.Lock()
	i, p := c.find(tag)
	if p == nil {
		c.mu.Unlock()
		if isTag(string(tag)) {
			c.report(Repair{Kind: RepairUnexpectedTag})
		} else {
			c.report(Repair{Kind: RepairBlankLine})
		}
		return nil
	}
	c.pend = append(c.pend[:i], c.pend[i+1:]...)
	c.untag, c.octets, c.stalled = 0, 0, 0
	refused := p.cont
	c.cond.Broadcast()
	c.mu.Unlock()
	word, rest := cutWord(rest)
	typ := strings.ToUpper(string(word))
	if typ != "OK" && typ != "NO" && typ != "BAD" {
		c.report(Repair{Kind: RepairStatusLine})
		typ, rest = "BAD", nil
	}
	if refused != nil {
		select {
		case refused <- false:
		default:
		}
	}
	if p.vendor != nil {
		return c.completeCall(p, typ, rest)
	}
	if typ == "OK" && p.fail != "" {
		typ, rest = "NO", []byte(p.fail)
	}
	c.status(p.tag, typ, rest)
	return nil
}

// crlf ends a staged response.
func (c *Conn) crlf() { c.stage = append(c.stage, "\r\n"...) }

// line starts a staged untagged response.
func (c *Conn) line(words ...string) {
	c.stage = append(c.stage, '*')
	for _, w := range words {
		c.stage = append(c.stage, ' ')
		c.stage = append(c.stage, w...)
	}
}

// untagged handles "* ..."; at is the position after the star.
func (c *Conn) untagged(r response, at int) error {
	for at < len(r.b) && r.b[at] == ' ' {
		at++
	}
	word, rest := cutWord(r.b[at:])
	typ := strings.ToUpper(string(word))
	if isStatus(word) {
		c.untaggedStatus(typ, rest)
		return nil
	}
	if n, ok := parseNumber(word); ok {
		return c.numbered(r, n, rest)
	}
	at = len(r.b) - len(rest)
	if r.over {
		return c.oversized(typ)
	}
	switch typ {
	case "CAPABILITY":
		c.line(typ)
		c.capabilities(rest)
		c.crlf()
	case "ENABLED":
		c.enabled(rest)
	case "FLAGS":
		c.line(typ)
		c.stage = append(c.stage, ' ')
		c.flagWords(rest)
		c.crlf()
	case "SEARCH", "SORT":
		c.searched(typ, rest)
	case "ESEARCH":
		return c.esearched(r, at)
	case "THREAD":
		c.threaded(rest)
	case "LIST":
		return c.listed(r, at)
	case "STATUS":
		return c.mailboxStatus(r, at)
	case "NAMESPACE":
		return c.namespaces(r, at)
	case "ID":
		return c.identity(r, at)
	default:
		// RECENT, VANISHED, QUOTA, METADATA and what else nobody asked for: go-imap gives up on unknown ones.
		c.report(Repair{Kind: RepairUnknownResponse})
	}
	return nil
}

func (c *Conn) oversized(typ string) error {
	switch typ {
	case "SEARCH", "ESEARCH", "SORT", "THREAD":
		c.failSearch("too many numbers")
	}
	c.report(Repair{Kind: RepairOversized})
	return nil
}

// numbered handles "* n WORD".
func (c *Conn) numbered(r response, n uint64, rest []byte) error {
	word, data := cutWord(rest)
	typ := strings.ToUpper(string(word))
	if i := bytes.IndexByte(word, '('); i > 0 { // "FETCH(UID 1)"
		typ, data = strings.ToUpper(string(word[:i])), rest[i:]
	}
	if n > 1<<32-1 {
		c.report(Repair{Kind: RepairBadResponse})
		return nil
	}
	switch typ {
	case "EXISTS":
		c.line(strconv.FormatUint(n, 10), typ)
		c.crlf()
	case "EXPUNGE":
		if n == 0 {
			c.report(Repair{Kind: RepairBadResponse})
			return nil
		}
		c.line(strconv.FormatUint(n, 10), typ)
		c.crlf()
	case "RECENT": // of no use to anybody
	case "FETCH":
		return c.fetched(r, uint32(n), len(r.b)-len(data))
	default:
		c.report(Repair{Kind: RepairUnknownResponse})
	}
	return nil
}

// tree reads the values of a response from at on, trying the quote rules in turn. A string with a raw line break
// pulls in the next lines: a server that decodes names before it sends them would otherwise let the sender of a
// mail write responses.
func (c *Conn) tree(r *response, at int, fetch bool) (*tree, error) {
	t, err := c.parse(r, at, fetch)
	if err == nil && !fetch && t.fixed != RepairNone {
		c.report(Repair{Kind: t.fixed})
	}
	return t, err
}

func (c *Conn) parse(r *response, at int, fetch bool) (*tree, error) {
	t := &c.in.tree
	*t = tree{b: r.b, lits: r.lits, nodes: t.nodes, maxDepth: c.lim.Depth, maxItems: c.lim.Items, fetch: fetch}
	if cap(t.nodes) > keepBufferOctets/16 {
		t.nodes = nil
	}
	t.parse(at, quoteStrict)
	if t.balanced() || t.tooMany || r.over {
		return t, nil
	}
	for rule := quoteDelim; rule < quoteRules; rule++ {
		if t.parse(at, rule); t.balanced() {
			t.fixed = RepairQuoting
			return t, nil
		}
	}
	t.parse(at, quoteStrict)
	if !t.inQuote || !c.waiting() {
		return t, nil
	}
	return t, c.join(t, r, at)
}

// join adds the next lines to a response that broke off inside a string, as long as that makes it whole in the end;
// if not, they are left to be responses of their own.
func (c *Conn) join(t *tree, r *response, at int) error {
	whole, next := *r, c.in.r
	for range maxJoinedLines {
		joined, err := c.in.joinLine(&whole)
		if err != nil {
			return err
		}
		if !joined {
			break
		}
		t.b = whole.b
		if t.parse(at, quoteStrict); t.balanced() {
			*r = whole
			t.fixed = RepairBareNewline
			return nil
		}
	}
	c.in.r, t.b = next, r.b
	t.parse(at, quoteStrict)
	return nil
}

// waiting reports whether a tagged response must still come, so that another line will.
func (c *Conn) waiting() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.pend) > 0
}
