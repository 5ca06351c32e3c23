package wire

import (
	"strings"
)

// argRule says which arguments a verb may have.
type argRule byte

const (
	argNone    argRule = iota + 1 // no argument
	argAny                        // any well-formed values
	argSecret                     // any, never logged
	argMailbox                    // mailbox name first, then any
	argExamine                    // mailbox name, optionally (CONDSTORE)
	argEnable                     // extensions from enableable
	argFetch                      // set, items in PEEK form, optionally (CHANGEDSINCE n)
	argDeflate                    // DEFLATE
)

// ruleOf is the whole list of verbs that may leave. SELECT is missing because it clears \Recent and allows \Seen to
// be set; CLOSE because it expunges after SELECT; everything else because it changes something.
func ruleOf(verb string) argRule {
	switch verb {
	case "CAPABILITY", "NOOP", "LOGOUT", "NAMESPACE", "UNSELECT", "IDLE":
		return argNone
	case "LOGIN", "AUTHENTICATE":
		return argSecret
	case "ENABLE":
		return argEnable
	case "EXAMINE":
		return argExamine
	case "STATUS":
		return argMailbox
	case "ID", "LIST", "SEARCH", "SORT", "THREAD", "UID SEARCH", "UID SORT", "UID THREAD":
		return argAny
	case "FETCH", "UID FETCH":
		return argFetch
	case "COMPRESS":
		return argDeflate
	}
	return 0
}

// command is one parsed command of the client.
type command struct {
	raw       []byte // with CR LF
	toks      []token
	lits      []litRef
	tag, verb string
	args      []token // after the verb
	rule      argRule
	fetch     *fetchAsk // FETCH and UID FETCH
}

// parseCommand checks raw, which must be one whole command, against the read-only list.
func parseCommand(raw []byte, toks []token, lits []litRef, own bool) (*command, error) {
	c := &command{raw: raw, toks: toks, lits: lits}
	if err := c.readVerb(); err != nil {
		return c, err
	}
	c.rule = ruleOf(c.verb)
	if c.rule == 0 || c.rule == argDeflate && !own {
		return c, forbidden("verb %.20q", c.verb)
	}
	if c.rule != argFetch {
		if err := c.checkShape(); err != nil {
			return c, err
		}
	}
	return c, c.checkArgs()
}

func (c *command) readVerb() error {
	if len(c.toks) < 2 || c.toks[0].kind != tokAtom || c.toks[0].from != 0 || c.toks[1].kind != tokAtom {
		return forbidden("line without tag and verb")
	}
	if c.tag = c.text(c.toks[0]); !isTag(c.tag) {
		return forbidden("tag")
	}
	c.verb = strings.ToUpper(c.text(c.toks[1]))
	c.args = c.toks[2:]
	if c.verb == "UID" {
		if len(c.args) == 0 || c.args[0].kind != tokAtom {
			return forbidden("UID without verb")
		}
		c.verb += " " + strings.ToUpper(c.text(c.args[0]))
		c.args = c.args[1:]
	}
	// Exactly one SP on each side of the words read so far.
	n := len(c.toks) - len(c.args)
	if want := strings.Count(c.verb, " ") + 2; n != want ||
		!strings.EqualFold(string(c.raw[:c.toks[n-1].to]), c.tag+" "+c.verb) {
		return forbidden("spacing")
	}
	return nil
}

func isTag(s string) bool {
	for i := range len(s) {
		b := s[i]
		if (b < '0' || b > '9') && (b|0x20 < 'a' || b|0x20 > 'z') {
			return false
		}
	}
	return s != ""
}

// checkShape holds the values to the grammar: one SP between values, none inside parentheses, all closed.
func (c *command) checkShape() error {
	depth, end := 0, len(c.raw)-2
	prev := token{kind: tokAtom, to: c.toks[len(c.toks)-len(c.args)-1].to}
	for _, t := range c.args {
		gap := t.from - prev.to
		want := 1
		if prev.kind == tokOpen || t.kind == tokClose {
			want = 0
		}
		if gap != want {
			return forbidden("spacing of the arguments")
		}
		switch t.kind {
		case tokOpen:
			depth++
		case tokClose:
			depth--
		}
		if depth < 0 {
			return forbidden("parentheses")
		}
		prev = t
	}
	if depth != 0 || prev.to != end {
		return forbidden("parentheses or spacing")
	}
	return nil
}

func (c *command) checkArgs() (err error) {
	switch c.rule {
	case argNone:
		if len(c.args) > 0 {
			return forbidden("arguments of %s", c.verb)
		}
	case argFetch:
		if len(c.lits) > 0 {
			return forbidden("literal in %s", c.verb)
		}
		c.fetch, err = parseFetchArgs(string(c.raw[c.toks[len(c.toks)-len(c.args)-1].to:len(c.raw)-2]), c.verb == "UID FETCH")
		return err
	case argEnable:
		return c.checkWords("CONDSTORE", "UTF8=ACCEPT", "IMAP4REV2")
	case argDeflate:
		return c.checkWords("DEFLATE")
	case argExamine:
		return c.checkExamine()
	default:
		if len(c.args) == 0 {
			return forbidden("%s without arguments", c.verb)
		}
	}
	return nil
}

// checkWords allows only atoms from words, at least one.
func (c *command) checkWords(words ...string) error {
	if len(c.args) == 0 {
		return forbidden("%s without arguments", c.verb)
	}
	for _, a := range c.args {
		ok := false
		for _, w := range words {
			ok = ok || a.kind == tokAtom && strings.EqualFold(c.text(a), w)
		}
		if !ok {
			return forbidden("argument of %s", c.verb)
		}
	}
	return nil
}

// checkExamine allows "mailbox" and "mailbox (CONDSTORE)". QRESYNC would bring responses nobody reads.
func (c *command) checkExamine() error {
	switch len(c.args) {
	case 1:
		if c.args[0].kind == tokOpen || c.args[0].kind == tokClose {
			return forbidden("EXAMINE without mailbox")
		}
		return nil
	case 4:
		if strings.EqualFold(string(c.raw[c.args[1].from:c.args[3].to]), "(CONDSTORE)") {
			return nil
		}
	}
	return forbidden("arguments of EXAMINE")
}

// text returns an atom, or the raw octets of another token.
func (c *command) text(t token) string { return string(c.raw[t.from:t.to]) }

// value returns the string that a token stands for.
func (c *command) value(t token) string {
	switch t.kind {
	case tokQuoted:
		return unescape(c.raw[t.from+1 : t.to-1])
	case tokLiteral:
		return string(c.raw[t.data:t.to])
	}
	return c.text(t)
}

// log describes the command for Options.Record.
func (c *command) log(full bool) Command {
	l := Command{Tag: c.tag, Verb: c.verb, Args: c.redacted()}
	if !full {
		return l
	}
	if c.rule == argSecret || c.rule == 0 {
		l.Full = c.tag + " " + c.verb + " " + l.Args
	} else {
		l.Full = strings.TrimSuffix(string(c.raw), "\r\n")
	}
	return l
}

// redacted prints the arguments without strings and mailbox names.
func (c *command) redacted() string {
	if len(c.args) == 0 {
		return ""
	}
	if c.rule == argSecret || c.rule == 0 {
		return "?"
	}
	if c.rule == argFetch {
		return strings.TrimSpace(string(c.raw[c.toks[len(c.toks)-len(c.args)-1].to : len(c.raw)-2]))
	}
	var b strings.Builder
	for i, t := range c.args {
		if t.space && i > 0 {
			b.WriteByte(' ')
		}
		name := i == 0 && (c.rule == argMailbox || c.rule == argExamine)
		switch {
		case t.kind == tokQuoted, t.kind == tokLiteral, name && !strings.EqualFold(c.text(t), "INBOX"):
			b.WriteByte('?')
		default:
			b.WriteString(c.text(t))
		}
	}
	return b.String()
}
