package authres

import (
	"errors"
	"strings"
	"unicode/utf8"
)

// ErrSyntax is returned by Parse for a field that does not follow the grammar.
var ErrSyntax = errors.New("authres: syntax")

// Property is one ptype.property=value (RFC 8601 §2.2). PType and Property are lower case; PType is empty for the bare
// properties that some servers add ("action=none").
type Property struct{ PType, Property, Value string }

// Result is one method's result. Method and Result are lower case.
type Result struct {
	Method     string
	Result     string
	Reason     string
	Properties []Property
}

// property returns the value of ptype.name. ok is false if there is none, or if there are several that differ.
func (r Result) property(ptype, name string) (value string, ok bool) {
	for _, p := range r.Properties {
		if p.PType != ptype || p.Property != name {
			continue
		}
		if ok && !strings.EqualFold(value, p.Value) {
			return "", false
		}
		value, ok = p.Value, true
	}
	return value, ok
}

// Field is one parsed Authentication-Results field.
type Field struct {
	AuthservID string // lower case; "" in Exchange Online's form
	Version    int    // 1 if absent (RFC 8601 §2.2)
	Results    []Result
}

const (
	maxFieldOctets = 64 << 10 // Limit: real fields stay below 2 kB
	maxResults     = 100      // Limit: one for each DKIM signature and method
	maxProperties  = 50       // Limit: the registry defines below ten a method
)

// Parse reads the body of an Authentication-Results field, folded or not. Errors: ErrSyntax, for anything that the grammar of
// RFC 8601 §2.2 does not produce, except what common servers write: values with "=" inside, bare properties, an empty last
// result, and Exchange Online's form without authserv-id.
func Parse(body string) (Field, error) {
	p := parser{s: body}
	if len(body) > maxFieldOctets || !utf8.ValidString(body) || !p.controlsValid() {
		return Field{}, ErrSyntax
	}
	f := p.field()
	if p.failed {
		return Field{}, ErrSyntax
	}
	return f, nil
}

// parser is a cursor over a field. Once failed is set everything else is void.
type parser struct {
	s      string
	i      int
	failed bool
}

// controlsValid refuses NUL and other controls, and line ends that do not fold.
//
// Security: software that stops at a NUL or at a bare line end reads another field than the server wrote.
func (p *parser) controlsValid() bool {
	for i := 0; i < len(p.s); i++ {
		switch c := p.s[i]; {
		case c == '\r':
			if i+1 >= len(p.s) || p.s[i+1] != '\n' {
				return false
			}
		case c == '\n':
			if i+1 < len(p.s) && p.s[i+1] != ' ' && p.s[i+1] != '\t' {
				return false
			}
		case c < ' ' && c != '\t', c == 0x7f:
			return false
		}
	}
	return true
}

// field reads
//
//	[CFWS] authserv-id [CFWS authres-version] (no-result / 1*resinfo) [CFWS]   RFC 8601 §2.2
func (p *parser) field() Field {
	f := Field{Version: 1}
	p.space()
	start := p.i
	id := strings.ToLower(p.word("="))
	p.space()
	if p.peek() == '=' { // Exchange Online's form: no authserv-id, the first result at once
		p.i = start
		f.Results = append(f.Results, p.result())
		p.space()
	} else {
		f.AuthservID = id
		f.Version = p.version()
	}
	none := false
	for !p.failed && p.peek() == ';' {
		p.i++
		p.space()
		if p.done() || p.peek() == ';' { // an empty result
			continue
		}
		if p.none() {
			none = true
			continue
		}
		f.Results = append(f.Results, p.result())
		p.space()
		p.failed = p.failed || len(f.Results) > maxResults
	}
	if !p.done() || id == "" || none && len(f.Results) > 0 {
		p.failed = true
	}
	return f
}

func (p *parser) version() int {
	if p.done() || p.peek() == ';' {
		return 1
	}
	n := 0
	digits := p.word("=")
	for _, c := range digits {
		if c < '0' || c > '9' || n > 99 {
			p.failed = true
			return 0
		}
		n = n*10 + int(c-'0')
	}
	p.space()
	return n
}

// none reads the word that stands for "no method was tried".
func (p *parser) none() bool {
	rest := p.s[p.i:]
	if len(rest) < 4 || !strings.EqualFold(rest[:4], "none") {
		return false
	}
	save := p.i
	p.i += 4
	p.space()
	if p.done() || p.peek() == ';' {
		return true
	}
	p.i = save
	return false
}

// result reads
//
//	method [CFWS] "=" [CFWS] result [CFWS reasonspec] [CFWS 1*propspec]
//	method = Keyword [[CFWS] "/" [CFWS] method-version]
func (p *parser) result() Result {
	r := Result{Method: strings.ToLower(p.keyword())}
	p.space()
	if p.peek() == '/' {
		p.i++
		p.space()
		if v := p.keyword(); v != "1" { // RFC 8601 §2.2: another version is another method
			r.Method += "/" + v
		}
		p.space()
	}
	p.expect('=')
	p.space()
	r.Result = strings.ToLower(p.keyword())
	for !p.failed {
		p.space()
		if p.done() || p.peek() == ';' {
			return r
		}
		p.property(&r)
		p.failed = p.failed || len(r.Properties) > maxProperties
	}
	return r
}

// property reads reason=value, ptype.property=value, or a bare property=value.
func (p *parser) property(r *Result) {
	first := strings.ToLower(p.keyword())
	p.space()
	ptype := ""
	if p.peek() == '.' {
		p.i++
		p.space()
		ptype, first = first, strings.ToLower(p.keyword())
		p.space()
	}
	p.expect('=')
	p.space()
	value := p.value()
	if ptype == "" && first == "reason" {
		r.Reason = value
		return
	}
	r.Properties = append(r.Properties, Property{ptype, first, value})
}

// keyword reads letters, digits, "-" and "_"; an empty one fails.
func (p *parser) keyword() string {
	start := p.i
	for p.i < len(p.s) && isKeyword(p.s[p.i]) {
		p.i++
	}
	if p.i == start {
		p.failed = true
	}
	return p.s[start:p.i]
}

func isKeyword(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_'
}

// value reads a token, quoted string or address; an empty unquoted one is allowed, since servers write "smtp.mailfrom=;".
func (p *parser) value() string {
	if p.done() || p.peek() == ';' {
		return ""
	}
	return p.word("")
}

// word reads quoted strings and other signs up to white space, a comment, ";" or one of stop. Quoted strings may stand beside signs:
// "local part"@example.com.
func (p *parser) word(stop string) string {
	var b strings.Builder
	start := p.i
	for p.i < len(p.s) && !p.failed {
		c := p.s[p.i]
		if c == '"' {
			b.WriteString(p.quoted())
			continue
		}
		if c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '(' || c == ')' || c == ';' || strings.IndexByte(stop, c) >= 0 {
			break
		}
		b.WriteByte(c)
		p.i++
	}
	if p.i == start || p.peek() == ')' {
		p.failed = true
	}
	return b.String()
}

func (p *parser) quoted() string {
	var b strings.Builder
	for p.i++; p.i < len(p.s); p.i++ {
		switch c := p.s[p.i]; c {
		case '"':
			p.i++
			return b.String()
		case '\\':
			if p.i++; p.i < len(p.s) {
				b.WriteByte(p.s[p.i])
			}
		default:
			b.WriteByte(c)
		}
	}
	p.failed = true // never closed
	return ""
}

// space skips CFWS: white space and nested comments (RFC 5322 §3.2.2). A comment that is never closed fails.
func (p *parser) space() {
	depth := 0
	for p.i < len(p.s) {
		switch c := p.s[p.i]; {
		case c == '(':
			depth++
		case c == ')' && depth > 0:
			depth--
		case c == '\\' && depth > 0:
			p.i++
		case depth == 0 && c != ' ' && c != '\t' && c != '\r' && c != '\n':
			return
		}
		p.i++
	}
	if depth > 0 || p.i > len(p.s) {
		p.failed = true
		p.i = len(p.s)
	}
}

func (p *parser) done() bool { return p.i >= len(p.s) }

func (p *parser) peek() byte {
	if p.done() {
		return 0
	}
	return p.s[p.i]
}

func (p *parser) expect(c byte) {
	if p.peek() != c {
		p.failed = true
		return
	}
	p.i++
}
