package wire

import (
	"bytes"
	"slices"
	"strings"
)

// untaggedStatus handles "* OK ..." after the greeting.
func (c *Conn) untaggedStatus(typ string, rest []byte) {
	if typ == "PREAUTH" {
		c.report(Repair{Kind: RepairBadResponse})
		return
	}
	c.status("*", typ, rest)
}

// status stages a status response in strict form. Response codes that go-imap reads are checked; others lose their
// arguments, which it would drop.
func (c *Conn) status(tag, typ string, rest []byte) {
	code, args, text := splitCode(rest)
	c.noteStatus(typ, code, text)
	c.stage = append(append(append(c.stage, tag...), ' '), typ...)
	if code != "" {
		mark := len(c.stage)
		c.stage = append(append(c.stage, " ["...), code...)
		if c.codeArgs(code, args) {
			c.stage = append(c.stage, ']')
		} else {
			c.stage = c.stage[:mark]
			c.report(Repair{Kind: RepairBadResponse})
		}
	}
	if len(text) > 0 {
		c.stage = append(c.stage, ' ')
		if text[0] == '[' { // would be read as a response code
			c.stage, text = append(c.stage, '('), text[1:]
		}
		c.stage = appendText(c.stage, text)
	}
	c.crlf()
}

// splitCode cuts "[CODE args] text".
func splitCode(rest []byte) (code string, args, text []byte) {
	rest = bytes.Trim(rest, " ")
	if len(rest) == 0 || rest[0] != '[' {
		return "", nil, rest
	}
	end := bytes.IndexByte(rest, ']')
	if i := bytes.Index(rest, []byte(")]")); i >= 0 && bytes.HasPrefix(bytes.ToUpper(rest[:min(16, len(rest))]), []byte("[PERMANENTFLAGS")) {
		end = i + 1
	}
	if end < 0 {
		return "", nil, rest
	}
	word, args := cutWord(bytes.Trim(rest[1:end], " "))
	if !isAtom(word) {
		return "", nil, bytes.TrimLeft(rest[end+1:], " ")
	}
	return strings.ToUpper(string(word)), args, bytes.TrimLeft(rest[end+1:], " ")
}

// codeArgs stages the arguments of a response code; false if they make no sense.
func (c *Conn) codeArgs(code string, args []byte) bool {
	switch code {
	case "CAPABILITY":
		c.capabilities(args)
	case "PERMANENTFLAGS":
		c.stage = append(c.stage, ' ')
		c.flagWords(args)
	case "UIDNEXT", "UIDVALIDITY":
		n, ok := parseNumber(args)
		if !ok || n > 1<<32-1 {
			return false
		}
		c.stage = append(append(c.stage, ' '), args...)
	case "HIGHESTMODSEQ":
		if _, ok := parseNumber(args); !ok {
			return false
		}
		c.stage = append(append(c.stage, ' '), args...)
	case "APPENDUID", "COPYUID": // for commands that are never sent
		return false
	}
	return true
}

// noteStatus keeps ALERT and BYE for the caller: go-imap drops them.
func (c *Conn) noteStatus(typ, code string, text []byte) {
	if typ != "BYE" && code != "ALERT" {
		return
	}
	kept := string(text[:min(len(text), maxTextOctets)])
	c.mu.Lock()
	defer c.mu.Unlock()
	if code == "ALERT" && len(c.alerts) < maxAlerts {
		c.alerts = append(c.alerts, kept)
	}
	if typ == "BYE" && c.bye == nil {
		c.bye = &ByeError{Code: code, Text: kept}
	}
}

// capabilities stages and keeps a capability list.
// Quirk: go-imap takes IMAP4rev2 in the list for an enabled one and then sends raw UTF-8. Beside IMAP4rev1 it must be
// enabled first (RFC 9051 §6.3.1), so it is hidden until then.
func (c *Conn) capabilities(b []byte) {
	var all []string
	for _, w := range bytes.Fields(b) {
		if len(all) < 1000 && isAtom(w) {
			all = append(all, strings.ToUpper(string(w)))
		} else {
			c.report(Repair{Kind: RepairFlag})
		}
	}
	c.mu.Lock()
	c.caps = all
	hide := !c.rev2 && slices.Contains(all, "IMAP4REV1") && slices.Contains(all, "IMAP4REV2")
	c.mu.Unlock()
	for _, w := range all {
		if hide && w == "IMAP4REV2" {
			c.report(Repair{Kind: RepairCapabilityHidden})
			continue
		}
		c.stage = append(append(c.stage, ' '), w...)
	}
}

func (c *Conn) enabled(b []byte) {
	c.line("ENABLED")
	for _, w := range bytes.Fields(b) {
		if !isAtom(w) {
			c.report(Repair{Kind: RepairFlag})
			continue
		}
		if strings.EqualFold(string(w), "IMAP4REV2") {
			c.mu.Lock()
			c.rev2 = true
			c.mu.Unlock()
		}
		c.stage = append(append(c.stage, ' '), w...)
	}
	c.crlf()
}

// flagWords stages a flag list given as "(flag flag)".
func (c *Conn) flagWords(b []byte) {
	c.stage = append(c.stage, '(')
	first := true
	for _, w := range bytes.Fields(bytes.Trim(b, " ()")) {
		if !isFlag(w) {
			c.report(Repair{Kind: RepairFlag})
			continue
		}
		if !first {
			c.stage = append(c.stage, ' ')
		}
		first = false
		c.stage = append(c.stage, w...)
	}
	c.stage = append(c.stage, ')')
}
