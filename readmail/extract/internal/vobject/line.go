// Package vobject reads calendars (iCalendar, vCalendar 1.0) and address cards (vCard 2.1, 3.0, 4.0) line by line and writes
// them for a person to read. It is tolerant: a line that makes no sense is skipped and counted, never a reason to drop
// the rest. It executes nothing, fetches nothing, and expands no recurrence.
//
// Divergences: RFC 5545 §3.1 and RFC 6350 §3.2 want CRLF and folds of one space or tab; any line end is taken, and a soft
// line break of quoted-printable as vCalendar 1.0 and vCard 2.1 have it.
package vobject

import (
	"bytes"
	"encoding/base64"
	"io"
	"mime/quotedprintable"
	"strings"

	"mailgap/readmail/extract/internal/document"
)

// Limits of one file.
const (
	maxLineOctets = 64 << 10 // of one unfolded line; more is cut
	maxLines      = 200_000  // unfolded lines
	maxParams     = 50       // of one line
	maxNameOctets = 60       // of a property name; longer ones are junk
)

// Decode turns octets into text by charset label.
type Decode func(label string, b []byte) string

// property is one content line: group.NAME;PARAM=value:value.
type property struct {
	group, name string
	params      []param
	value       string // as it stands, still escaped, quoted-printable and base64 undone
	binary      bool   // the value was base64: it is left out
}

type param struct{ name, value string }

// param returns the first value of the named parameter, or "".
func (p property) param(name string) string {
	for _, q := range p.params {
		if q.name == name {
			return q.value
		}
	}
	return ""
}

// scanner yields the properties of a file.
type scanner struct {
	rest   string
	decode Decode
	lines  int
	junk   int  // lines that are no content line
	cut    bool // a line or the file was over its limit
}

func newScanner(text string, decode Decode) *scanner {
	return &scanner{rest: strings.TrimPrefix(text, "\uFEFF"), decode: decode}
}

// next returns the next property; ok is false at the end.
func (s *scanner) next() (property, bool) {
	for s.rest != "" {
		if s.lines++; s.lines > maxLines {
			s.cut = true
			return property{}, false
		}
		line := s.unfolded()
		if strings.TrimSpace(line) == "" {
			continue
		}
		p, ok := parseLine(line)
		if !ok {
			s.junk++
			continue
		}
		s.undoEncoding(&p)
		return p, true
	}
	return property{}, false
}

// physical takes one line without its end.
func (s *scanner) physical() string {
	i := strings.IndexAny(s.rest, "\r\n")
	if i < 0 {
		line := s.rest
		s.rest = ""
		return line
	}
	line, end := s.rest[:i], 1
	if strings.HasPrefix(s.rest[i:], "\r\n") {
		end = 2
	}
	s.rest = s.rest[i+end:]
	return line
}

// unfolded takes one line with its folds.
func (s *scanner) unfolded() string {
	line := s.physical()
	soft := isQuotedPrintable(line)
	folded := strings.HasPrefix(s.rest, " ") || strings.HasPrefix(s.rest, "\t")
	if !folded && !(soft && strings.HasSuffix(line, "=")) {
		return s.limited(line)
	}
	var b strings.Builder
	b.WriteString(s.limited(line))
	for s.rest != "" {
		last := line
		switch {
		case soft && strings.HasSuffix(last, "="):
			line = s.physical()
			s.add(&b, "\n"+line)
		case strings.HasPrefix(s.rest, " ") || strings.HasPrefix(s.rest, "\t"):
			line = s.physical()
			s.add(&b, line[1:])
		default:
			return b.String()
		}
	}
	return b.String()
}

func (s *scanner) limited(line string) string {
	if len(line) > maxLineOctets {
		s.cut = true
	}
	return document.Cut(line, maxLineOctets)
}

func (s *scanner) add(b *strings.Builder, more string) {
	room := maxLineOctets - b.Len()
	if len(more) > room {
		s.cut = true
	}
	b.WriteString(document.Cut(more, max(room, 0)))
}

func isQuotedPrintable(line string) bool {
	head, _, _ := strings.Cut(line, ":")
	return strings.Contains(strings.ToUpper(head), "QUOTED-PRINTABLE")
}

// parseLine splits a content line. Parameters of vCard 2.1 without a name get the name TYPE or ENCODING.
func parseLine(line string) (property, bool) {
	head, value, ok := cutUnquoted(line, ':')
	if !ok {
		return property{}, false
	}
	name, rest, more := cutUnquoted(head, ';')
	var p property
	p.value = value
	if group, n, dotted := strings.Cut(name, "."); dotted {
		p.group, name = group, n
	}
	p.name = strings.ToUpper(strings.TrimSpace(name))
	if !isName(p.name) {
		return property{}, false
	}
	for more && len(p.params) < maxParams {
		var one string
		one, rest, more = cutUnquoted(rest, ';')
		p.params = append(p.params, parseParam(one))
	}
	return p, true
}

func parseParam(s string) param {
	name, value, ok := strings.Cut(s, "=")
	if !ok {
		name, value = "TYPE", s
		switch strings.ToUpper(strings.TrimSpace(s)) {
		case "QUOTED-PRINTABLE", "BASE64", "8BIT", "7BIT":
			name = "ENCODING"
		}
	}
	value = strings.ReplaceAll(strings.TrimSpace(value), "\"", "")
	return param{strings.ToUpper(strings.TrimSpace(name)), unescapeParam(value)}
}

// unescapeParam undoes RFC 6868.
func unescapeParam(s string) string {
	return strings.NewReplacer("^n", "\n", "^'", "\"", "^^", "^").Replace(s)
}

// cutUnquoted cuts at the first sep that is not between quotes. If the quotes never end, they do not count.
func cutUnquoted(s string, sep byte) (string, string, bool) {
	quoted := false
	for i := range len(s) {
		switch {
		case s[i] == '"':
			quoted = !quoted
		case s[i] == sep && !quoted:
			return s[:i], s[i+1:], true
		}
	}
	if quoted {
		return strings.Cut(s, string(sep))
	}
	return s, "", false
}

func isName(s string) bool {
	if s == "" || len(s) > maxNameOctets {
		return false
	}
	for i := range len(s) {
		if c := s[i]; !(c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_') {
			return false
		}
	}
	return true
}

// undoEncoding undoes quoted-printable with the line's own charset; base64 values are pictures and keys: they are
// dropped, except where the value is declared to be text.
func (s *scanner) undoEncoding(p *property) {
	switch strings.ToUpper(p.param("ENCODING")) {
	case "QUOTED-PRINTABLE":
		b, err := io.ReadAll(quotedprintable.NewReader(strings.NewReader(p.value)))
		if err != nil && len(b) == 0 {
			return // shown as it is
		}
		if !bytes.Contains(b, []byte("\n")) {
			b = bytes.TrimRight(b, "\r")
		}
		p.value = s.decode(p.param("CHARSET"), b)
	case "BASE64", "B":
		b, err := base64.StdEncoding.DecodeString(strings.Map(dropSpace, p.value))
		text := err == nil && (p.name == "NOTE" || p.name == "DESCRIPTION" || p.name == "SUMMARY" || p.name == "FN")
		if p.value, p.binary = "", !text; text {
			p.value = s.decode(p.param("CHARSET"), b)
		}
	}
}

func dropSpace(r rune) rune {
	if r == ' ' || r == '\t' || r == '\r' || r == '\n' {
		return -1
	}
	return r
}

// unescape undoes the escapes of RFC 5545 §3.3.11 and RFC 6350 §3.4.
func unescape(s string) string {
	if !strings.Contains(s, "\\") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		switch i++; s[i] {
		case 'n', 'N':
			b.WriteByte('\n')
		case '\\', ',', ';', ':', '"':
			b.WriteByte(s[i])
		default:
			b.WriteString(s[i-1 : i+1])
		}
	}
	return b.String()
}

// split splits a structured value at sep that is not escaped; the pieces are unescaped.
func split(s string, sep byte) []string {
	var out []string
	start := 0
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' {
			i++
		} else if s[i] == sep {
			out = append(out, unescape(s[start:i]))
			start = i + 1
		}
	}
	return append(out, unescape(s[start:]))
}
