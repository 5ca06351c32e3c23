package decode

import "strings"

// addressItem is one element of an address list, not yet decoded.
type addressItem struct {
	raw      string // all of it
	phrase   string // words before the angle brackets, unquoted, without comments
	angle    string // what the angle brackets hold
	comment  string // text of the last comment
	group    string
	hasAngle bool
	damaged  bool
	quoted   int // quoted strings in it
	endAngle int // where the angle brackets ended, in the list
	named    int // octets of phrase before them
}

// addressSplitter walks an address list once.
type addressSplitter struct {
	s       string
	i       int
	start   int // of the current item
	item    addressItem
	phrase  strings.Builder
	group   string
	inGroup bool
	items   []addressItem
}

func splitAddresses(s string) []addressItem {
	p := addressSplitter{s: s}
	for p.i < len(p.s) && len(p.items) <= maxAddresses {
		p.step()
	}
	p.end()
	return joinCommaNames(p.items)
}

func (p *addressSplitter) step() {
	switch c := p.s[p.i]; c {
	case '"':
		text, n, closed := quotedString(p.s[p.i:])
		if !closed {
			p.item.damaged = true
		}
		p.item.quoted++
		p.phrase.WriteString(text)
		p.i += n
	case '(':
		text, n := comment(p.s[p.i:])
		p.item.comment = text
		p.phrase.WriteByte(' ')
		p.i += n
	case '<':
		p.angle()
	case ',':
		p.end()
		p.i++
		p.start = p.i
	case ';':
		p.end()
		p.i++
		p.start = p.i
		p.group, p.inGroup = "", false
	case ':':
		p.colon()
	case '=':
		p.word()
	case '\\':
		p.i++
		if p.i < len(p.s) {
			p.phrase.WriteByte(p.s[p.i])
			p.i++
		}
	default:
		p.phrase.WriteByte(c)
		p.i++
	}
}

// angle reads "<...>". A missing ">" ends at the next comma or semicolon.
//
// Security: of "<a@example.com> <b@example.org>" one program reads the first and another the second. Both are listed, so that neither is
// taken for the only author.
func (p *addressSplitter) angle() {
	if p.item.hasAngle {
		p.splitAtAngle()
	}
	rest := p.s[p.i+1:]
	end, quotes := -1, true
	for j := 0; j < len(rest) && end < 0; j++ {
		switch rest[j] {
		case '"':
			if !quotes {
				continue
			}
			_, n, closed := quotedString(rest[j:])
			if quotes = closed; closed { // an unclosed quote is a letter, and is not searched for twice
				j += n - 1
			}
		case '>':
			end = j
		case ',', ';':
			if !strings.HasPrefix(strings.TrimLeft(rest, " \t"), "@") || strings.IndexByte(rest[j:], '>') < 0 { // no route
				end = j
				p.item.damaged = true
				p.item.angle, p.item.hasAngle = rest[:end], true
				p.i += 1 + end
				p.item.endAngle, p.item.named = p.i, p.phrase.Len()
				return
			}
		}
	}
	if end < 0 {
		p.item.damaged = true
		end = len(rest)
	}
	p.item.angle, p.item.hasAngle = rest[:end], true
	p.i += min(1+end+1, len(p.s)-p.i)
	for p.i < len(p.s) && p.s[p.i] == '>' { // <<a@b>>
		p.i, p.item.damaged = p.i+1, true
	}
	p.item.endAngle, p.item.named = p.i, p.phrase.Len()
}

// splitAtAngle ends the item where its angle brackets ended; what follows them belongs to the next one.
func (p *addressSplitter) splitAtAngle() {
	phrase, start := p.phrase.String(), p.item.endAngle
	tail := phrase[p.item.named:]
	p.item.raw, p.item.phrase, p.item.group = p.s[p.start:start], phrase[:p.item.named], p.group
	p.item.damaged = true
	p.items = append(p.items, p.item)
	p.reset()
	p.start, p.item.damaged = start, true
	p.phrase.WriteString(tail)
}

// colon ends a group name, unless it stands in something else such as "mailto:".
func (p *addressSplitter) colon() {
	name := strings.TrimSpace(p.phrase.String())
	if name == "" || p.inGroup || p.item.hasAngle || strings.Contains(name, "@") || strings.HasSuffix(strings.ToLower(name), "mailto") {
		p.phrase.WriteByte(':')
		p.i++
		return
	}
	p.group, p.inGroup = cutOctets(Unstructured(name), maxDisplayOctets), true
	p.i++
	p.start = p.i
	p.reset()
}

// word takes an encoded word as a whole: commas and brackets inside it divide nothing.
func (p *addressSplitter) word() {
	n := 1
	if strings.HasPrefix(p.s[p.i:], "=?") {
		if _, m := readWord(p.s[p.i:]); m > 0 {
			n = m
		}
	}
	p.phrase.WriteString(p.s[p.i : p.i+n])
	p.i += n
}

func (p *addressSplitter) end() {
	p.item.raw = p.s[min(p.start, p.i):p.i]
	p.item.phrase, p.item.group = p.phrase.String(), p.group
	if strings.TrimSpace(p.item.raw) != "" {
		p.items = append(p.items, p.item)
	}
	p.reset()
}

func (p *addressSplitter) reset() {
	p.item = addressItem{}
	p.phrase.Reset()
}

// joinCommaNames puts "Doe, Jan <jan@example.org>" together again: an item without any address before one in angle brackets.
func joinCommaNames(items []addressItem) []addressItem {
	out := items[:0:0]
	for _, it := range items {
		if n := len(out); n > 0 && it.hasAngle && out[n-1].bareName() && out[n-1].group == it.group {
			prev := out[n-1]
			it.raw, it.phrase = prev.raw+","+it.raw, strings.TrimSpace(prev.phrase)+", "+strings.TrimSpace(it.phrase)
			it.damaged = true
			out[n-1] = it
			continue
		}
		out = append(out, it)
	}
	return out
}

func (e *addressItem) bareName() bool {
	return !e.hasAngle && e.quoted == 0 && !strings.Contains(e.raw, "@") && len(e.phrase) < maxDisplayOctets
}

// quotedString reads the quoted string that s starts with: its text, its length, and whether it was closed.
//
//	quoted-string = DQUOTE *([FWS] qcontent) [FWS] DQUOTE   RFC 5322 §3.2.4
func quotedString(s string) (text string, n int, closed bool) {
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			if i++; i < len(s) {
				b.WriteByte(s[i])
			}
		case '"':
			return b.String(), i + 1, true
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String(), len(s), false
}

// comment reads the comment that s starts with: its text without the outer brackets, and its length. Comments nest
// (RFC 5322 §3.2.2). An unclosed one ends with s.
func comment(s string) (text string, n int) {
	var b strings.Builder
	depth := 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '\\':
			if i++; i < len(s) {
				b.WriteByte(s[i])
			}
			continue
		case '(':
			if depth++; depth == 1 {
				continue
			}
		case ')':
			if depth--; depth == 0 {
				return b.String(), i + 1
			}
		}
		b.WriteByte(s[i])
	}
	return b.String(), len(s)
}

// splitWords divides s at white space outside quotes and comments; quoted strings stay quoted, comments are words of their own.
func splitWords(s string) []string {
	var out []string
	start := -1
	flush := func(end int) {
		if start >= 0 {
			out = append(out, s[start:end])
		}
		start = -1
	}
	for i := 0; i < len(s); {
		switch s[i] {
		case ' ', '\t', '\r', '\n':
			flush(i)
			i++
		case '(':
			flush(i)
			_, n := comment(s[i:])
			out = append(out, s[i:i+n])
			i += n
		case '"':
			if start < 0 {
				start = i
			}
			_, n, _ := quotedString(s[i:])
			i += n
		default:
			if start < 0 {
				start = i
			}
			i++
		}
	}
	flush(len(s))
	return out
}

// unquote removes quotes and backslashes.
func unquote(s string) string {
	if !strings.ContainsAny(s, `"\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '"':
		case '\\':
			if i++; i < len(s) {
				b.WriteByte(s[i])
			}
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String()
}
