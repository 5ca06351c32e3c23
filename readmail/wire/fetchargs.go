package wire

import (
	"strconv"
	"strings"
)

// fetchAsk is what a FETCH asked for, to judge the answer by.
type fetchAsk struct {
	uid      bool
	more     bool // anything beyond FLAGS, UID and MODSEQ
	sections []askedSection
}

// askedSection is one BODY.PEEK[...] or BINARY.PEEK[...] item.
type askedSection struct {
	binary  bool
	section string // canonical, see section.key
	loose   string // the same without the order of header fields
	partial bool
	offset  uint64
	size    uint64
}

// fetchParser reads the arguments of FETCH: SP set SP items [SP modifiers].
type fetchParser struct {
	s   string
	ask *fetchAsk
}

// parseFetchArgs checks the arguments of FETCH; s starts with the SP after the verb.
// Security: only items that cannot set \Seen pass. RFC822 and RFC822.TEXT do set it, BODY[...] too (RFC 3501 §6.4.5).
func parseFetchArgs(s string, uid bool) (*fetchAsk, error) {
	p := &fetchParser{s: s, ask: &fetchAsk{uid: uid}}
	if !p.skip(" ") || p.takeAny("0123456789:,*$") == "" || !p.skip(" ") {
		return nil, forbidden("message set of FETCH")
	}
	if err := p.items(); err != nil {
		return nil, err
	}
	if p.skip(" (") {
		if !p.skipFold("CHANGEDSINCE ") || p.takeAny("0123456789") == "" || !p.skip(")") {
			return nil, forbidden("modifier of FETCH")
		}
	}
	if p.s != "" {
		return nil, forbidden("arguments of FETCH")
	}
	return p.ask, nil
}

func (p *fetchParser) items() error {
	if !p.skip("(") {
		return p.item()
	}
	for {
		if err := p.item(); err != nil {
			return err
		}
		if p.skip(")") {
			return nil
		}
		if !p.skip(" ") {
			return forbidden("items of FETCH")
		}
	}
}

func (p *fetchParser) item() error {
	name := strings.ToUpper(p.takeAny("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-"))
	if p.skip("[") {
		switch name {
		case "BODY.PEEK", "BINARY.PEEK", "BINARY.SIZE":
			p.ask.more = true
			return p.section(name)
		}
		return forbidden("FETCH item %.20q[] would set \\Seen", name)
	}
	switch name {
	case "FLAGS", "UID", "MODSEQ":
	case "ALL", "FAST", "FULL", "ENVELOPE", "INTERNALDATE", "RFC822.SIZE", "RFC822.HEADER", "BODY", "BODYSTRUCTURE",
		"EMAILID", "THREADID", "SAVEDATE", "X-GM-MSGID", "X-GM-THRID", "X-GM-LABELS":
		p.ask.more = true
	case "PREVIEW":
		p.ask.more = true
		p.skipFold(" (LAZY)")
	default:
		return forbidden("FETCH item %.20q", name)
	}
	return nil
}

// section reads after "[" up to "]" and an optional partial.
func (p *fetchParser) section(name string) error {
	text, rest, err := cutSection(p.s)
	if err != nil {
		return err
	}
	p.s = rest
	sec, ok := parseSection(text)
	if !ok || name != "BODY.PEEK" && (sec.spec != "" || len(sec.part) == 0 && name == "BINARY.SIZE") {
		return forbidden("section of FETCH")
	}
	a := askedSection{binary: name != "BODY.PEEK", section: sec.key(), loose: sec.loose()}
	if p.skip("<") {
		a.partial = true
		var err1, err2 error
		a.offset, err1 = strconv.ParseUint(p.takeAny("0123456789"), 10, 32)
		dot := p.skip(".")
		a.size, err2 = strconv.ParseUint(p.takeAny("0123456789"), 10, 32)
		if err1 != nil || err2 != nil || !dot || !p.skip(">") {
			return forbidden("partial range of FETCH")
		}
	}
	if name != "BINARY.SIZE" {
		p.ask.sections = append(p.ask.sections, a)
	}
	return nil
}

// cutSection splits "...]rest" at the bracket that is not inside a quoted string.
func cutSection(s string) (section, rest string, err error) {
	quoted := false
	for i := 0; i < len(s); i++ {
		switch {
		case quoted && s[i] == '\\':
			i++
		case s[i] == '"':
			quoted = !quoted
		case s[i] == ']' && !quoted:
			return s[:i], s[i+1:], nil
		}
	}
	return "", "", forbidden("section of FETCH without end")
}

func (p *fetchParser) skip(prefix string) bool {
	var ok bool
	p.s, ok = strings.CutPrefix(p.s, prefix)
	return ok
}

func (p *fetchParser) skipFold(prefix string) bool {
	if len(p.s) < len(prefix) || !strings.EqualFold(p.s[:len(prefix)], prefix) {
		return false
	}
	p.s = p.s[len(prefix):]
	return true
}

func (p *fetchParser) takeAny(chars string) string {
	rest := strings.TrimLeft(p.s, chars)
	taken := p.s[:len(p.s)-len(rest)]
	p.s = rest
	return taken
}
