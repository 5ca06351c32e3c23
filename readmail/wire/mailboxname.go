package wire

import (
	"bytes"
	"encoding/base64"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// utf7 is the base64 of modified UTF-7 (RFC 3501 §5.1.3). Never written to.
var utf7 = base64.NewEncoding("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+,").WithPadding(base64.NoPadding)

// decodeName reads modified UTF-7, in which raw UTF-8 may stand as well (UTF8=ACCEPT); false if it is neither.
func decodeName(raw []byte) (string, bool) {
	if !utf8.Valid(raw) {
		return "", false
	}
	var b strings.Builder
	shifted := false // the last thing was a shift sequence: a second one right after is not canonical
	for i := 0; i < len(raw); i++ {
		ch := raw[i]
		if ch < 0x20 || ch == 0x7f {
			return "", false
		}
		if ch != '&' {
			b.WriteByte(ch)
			shifted = false
			continue
		}
		end := bytes.IndexByte(raw[i:], '-')
		switch {
		case end < 0:
			return "", false
		case end == 1:
			b.WriteByte('&')
			shifted = false
		default:
			text, ok := decodeShift(raw[i+1 : i+end])
			if !ok || shifted {
				return "", false
			}
			b.WriteString(text)
			shifted = true
		}
		i += end
	}
	return b.String(), true
}

// decodeShift reads the base64 of one shift sequence. Printable ASCII has no place in it.
func decodeShift(b64 []byte) (string, bool) {
	b, err := utf7.DecodeString(string(b64))
	if err != nil || len(b) == 0 || len(b)%2 != 0 || bytes.ContainsAny(b64, "\r\n") {
		return "", false
	}
	units := make([]uint16, len(b)/2)
	for i := range units {
		units[i] = uint16(b[2*i])<<8 | uint16(b[2*i+1])
	}
	runes := utf16.Decode(units)
	for i, r := range runes {
		if r >= 0x20 && r <= 0x7e || r == utf8.RuneError && (i >= len(units) || len(runes) != len(units) || units[i] != 0xfffd) {
			return "", false
		}
	}
	return string(runes), true
}

// encodeName writes modified UTF-7.
func encodeName(name string) []byte {
	var out []byte
	var run []rune
	flush := func() {
		if len(run) == 0 {
			return
		}
		var b []byte
		for _, u := range utf16.Encode(run) {
			b = append(b, byte(u>>8), byte(u))
		}
		out = append(utf7.AppendEncode(append(out, '&'), b), '-')
		run = run[:0]
	}
	for _, r := range name {
		switch {
		case r < 0x20 || r > 0x7e:
			run = append(run, r)
		case r == '&':
			flush()
			out = append(out, '&', '-')
		default:
			flush()
			out = append(out, byte(r))
		}
	}
	flush()
	return out
}

// shownName is the name that the client is to see for raw: the octets as they are when they are no modified UTF-7,
// Latin-1 when they are not UTF-8 either.
func shownName(raw []byte) (name string, valid bool) {
	if name, ok := decodeName(raw); ok {
		return name, true
	}
	if utf8.Valid(raw) {
		return string(raw), false
	}
	var b strings.Builder
	for _, c := range raw {
		b.WriteRune(rune(c))
	}
	return b.String(), false
}

// mailbox stages a mailbox name so that the client decodes it to the name to be shown. When the client would send
// other octets for it than the server did, those are remembered for restoreNames.
func (c *Conn) mailbox(raw []byte) {
	if strings.EqualFold(string(raw), "INBOX") {
		c.stage = append(c.stage, "INBOX"...)
		return
	}
	name, valid := shownName(raw)
	enc := encodeName(name)
	same := bytes.Equal(enc, raw)
	c.mu.Lock()
	old, known := c.aliases[name]
	clash := known && old != string(raw)
	if !known && len(c.aliases) < maxMailboxAliases && (!same || valid && bytes.IndexByte(raw, '&') >= 0) {
		c.aliases[name] = string(raw)
	}
	c.mu.Unlock()
	switch {
	case clash:
		c.report(Repair{Kind: RepairMailboxAmbiguous, Mailbox: string(raw)})
	case !valid:
		c.report(Repair{Kind: RepairMailboxName, Mailbox: string(raw)})
	}
	c.stage = appendString(c.stage, enc)
}

// restoreNames puts the server's own octets back in place of a name that was rewritten in a LIST or STATUS response.
func (c *Conn) restoreNames(cmd *command) *command {
	if cmd.verb != "EXAMINE" && cmd.verb != "STATUS" && cmd.verb != "LIST" {
		return cmd
	}
	for i := len(cmd.args) - 1; i >= 0; i-- {
		t := cmd.args[i]
		if i > 0 && cmd.verb != "LIST" || t.kind == tokOpen || t.kind == tokClose {
			continue
		}
		name, ok := decodeName([]byte(cmd.value(t)))
		if !ok {
			continue
		}
		c.mu.Lock()
		raw, known := c.aliases[name]
		c.mu.Unlock()
		if !known || raw == cmd.value(t) {
			continue
		}
		return c.replace(cmd, t, []byte(raw))
	}
	return cmd
}

// replace writes cmd with another value for token t. Octets that may not stand in a quoted string go as a literal,
// for which the server is asked.
func (c *Conn) replace(cmd *command, t token, value []byte) *command {
	out := *cmd
	if bytes.IndexByte(value, 0) >= 0 {
		return cmd
	}
	raw := append([]byte(nil), cmd.raw[:t.from]...)
	var own litRef
	if quotable(value) {
		raw = appendQuoted(raw, value)
	} else {
		own.from, own.sync = len(raw), true
		raw = appendLiteral(raw, value)
		own.end = len(raw)
		own.data = own.end - len(value)
	}
	shift := len(raw) - t.to
	out.raw = append(raw, cmd.raw[t.to:]...)
	out.lits = nil
	for _, l := range cmd.lits {
		if l.from == t.from {
			continue
		}
		if l.from > t.from {
			if own.end > 0 {
				out.lits = append(out.lits, own)
				own.end = 0
			}
			l.from, l.data, l.end = l.from+shift, l.data+shift, l.end+shift
		}
		out.lits = append(out.lits, l)
	}
	if own.end > 0 {
		out.lits = append(out.lits, own)
	}
	return &out
}
