package decode

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Params holds decoded parameters by lower-case name. Values are one line of valid UTF-8.
type Params map[string]string

const (
	maxParams      = 100  // Limit: real fields have below ten, plus segments
	maxParamOctets = 4096 // Limit: a file name of 255 characters, percent-encoded, takes 2,295
	maxSegments    = 100  // Limit: RFC 2231 §3; 100 segments of 60 octets
)

// MediaType reads the body of Content-Type: the lower-case type ("text/plain"; "" if none can be read) and its decoded parameters.
// A type without subtype is completed where its meaning is plain: "text" is text/plain, "multipart" is multipart/mixed.
func MediaType(body string) (string, Params, Notes) {
	value, raw, notes := splitParams(body)
	params, more := joinParams(raw)
	notes.add(more...)
	typ, sub, ok := strings.Cut(strings.ToLower(value), "/")
	typ, sub = strings.TrimSpace(typ), strings.TrimSpace(sub)
	if isToken(typ) && ok && isToken(sub) {
		return typ + "/" + sub, params, notes
	}
	if value != "" {
		notes.add(NoteMediaTypeRepaired)
	}
	sub, _, _ = strings.Cut(sub, " ")
	sub, _, _ = strings.Cut(sub, "/")
	switch {
	case isToken(typ) && isToken(sub):
		return typ + "/" + sub, params, notes
	case typ == "text" || typ == "text/":
		return "text/plain", params, notes
	case typ == "multipart":
		return "multipart/mixed", params, notes
	case typ == "message":
		return "message/rfc822", params, notes
	case typ == "html" || typ == "plain":
		return "text/" + typ, params, notes
	}
	return "", params, notes
}

// Disposition reads the body of Content-Disposition: the lower-case disposition type and its decoded parameters. A type that is
// neither inline nor attachment is returned as it is: RFC 2183 §2.8 has it treated as an attachment.
func Disposition(body string) (string, Params, Notes) {
	value, raw, notes := splitParams(body)
	params, more := joinParams(raw)
	notes.add(more...)
	value = strings.ToLower(oneLine(value))
	if value != "" && !isToken(value) {
		notes.add(NoteParamRepaired)
		value = strings.Map(func(r rune) rune {
			if r > ' ' && r < 0x7f {
				return r
			}
			return -1
		}, value)
	}
	return cutOctets(value, maxCharsetLabelOctets), params, notes
}

// ParamsFrom decodes parameters that come as a map, such as those of an IMAP BODYSTRUCTURE: RFC 2231 segments are joined
// ("filename*0*"), charsets and encoded words decoded, names lower-cased.
func ParamsFrom(m map[string]string) (Params, Notes) {
	raw := make([]rawParam, 0, len(m))
	for _, name := range slices.Sorted(maps.Keys(m)) {
		raw = append(raw, rawParam{name: name, value: m[name]})
	}
	return joinParams(raw)
}

// isToken reports a token of RFC 2045 §5.1; "*" alone is a token, and is seen as a subtype.
func isToken(s string) bool {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] >= 0x7f || strings.IndexByte(`()<>@,;:\"/[]?=`, s[i]) >= 0 {
			return false
		}
	}
	return s != "" && len(s) <= 127 // RFC 6838 §4.2
}

// rawParam is a parameter as written, quotes undone.
type rawParam struct {
	name, value string
}

// rawValue returns the first parameter called name as octets: a boundary is compared with octets.
func rawValue(raw []rawParam, name string) string {
	for _, p := range raw {
		if strings.EqualFold(p.name, name) {
			return p.value
		}
	}
	return ""
}

// splitParams divides a field body into its value and parameters.
//
//	content := "Content-Type" ":" type "/" subtype *(";" parameter)   RFC 2045 §5.1
func splitParams(body string) (value string, raw []rawParam, notes Notes) {
	value, rest := cutValue(body)
	for rest != "" {
		if len(raw) >= maxParams {
			notes.add(NoteParamLimit)
			break
		}
		var p rawParam
		var clean bool
		p, rest, clean = cutParam(rest)
		if !clean {
			notes.add(NoteParamRepaired)
		}
		if p.name != "" {
			raw = append(raw, p)
		}
	}
	return value, raw, notes
}

// cutValue reads up to the first semicolon outside comments, which it drops.
func cutValue(s string) (value, rest string) {
	var b strings.Builder
	for i := 0; i < len(s); {
		switch s[i] {
		case '(':
			_, n := comment(s[i:])
			i += n
		case ';':
			return strings.TrimSpace(b.String()), s[i+1:]
		default:
			b.WriteByte(s[i])
			i++
		}
	}
	return strings.Trim(b.String(), " \t\r\n\""), ""
}

// cutParam reads one parameter. clean is false if it needed repair.
func cutParam(s string) (p rawParam, rest string, clean bool) {
	s = strings.TrimLeft(s, "; \t\r\n")
	if strings.HasPrefix(s, "(") {
		_, n := comment(s)
		return rawParam{}, s[n:], true
	}
	end := strings.IndexAny(s, "=;")
	if end < 0 || s[end] == ';' { // words without "="
		if end < 0 {
			end = len(s)
		}
		return rawParam{}, s[end:], s == ""
	}
	p.name = strings.TrimSpace(s[:end])
	s = strings.TrimLeft(s[end+1:], " \t\r\n")
	if strings.HasPrefix(s, `"`) {
		p.value, rest, clean = cutQuoted(s)
	} else {
		p.value, rest, clean = cutUnquoted(s)
	}
	if !isToken(p.name) {
		if i := strings.LastIndexAny(p.name, " \t"); i >= 0 && isToken(p.name[i+1:]) {
			return rawParam{p.name[i+1:], p.value}, rest, false
		}
		return rawParam{}, rest, false
	}
	return p, rest, clean
}

// cutQuoted reads a quoted value. A backslash is an escape only before a quote or a backslash: senders write Windows paths.
func cutQuoted(s string) (value, rest string, clean bool) {
	var b strings.Builder
	i := 1
	for ; i < len(s) && s[i] != '"'; i++ {
		if s[i] == '\\' && i+1 < len(s) && (s[i+1] == '"' || s[i+1] == '\\') {
			i++
		}
		b.WriteByte(s[i])
	}
	if i >= len(s) { // never closed: the next parameter is not swallowed
		value, rest, _ = strings.Cut(b.String(), ";")
		return strings.TrimSpace(value), rest, false
	}
	rest = strings.TrimLeft(s[i+1:], " \t\r\n")
	if rest == "" || rest[0] == ';' || rest[0] == '(' || startsParam(rest) {
		return b.String(), rest, true
	}
	tail, rest, _ := strings.Cut(rest, ";") // filename="a"b.txt
	return b.String() + unquote(tail), rest, false
}

// cutUnquoted reads a value without quotes, which may hold blanks and octets that ought to be quoted.
func cutUnquoted(s string) (value, rest string, clean bool) {
	end := strings.IndexByte(s, ';')
	if end < 0 {
		end = len(s)
	}
	value, rest = s[:end], s[end:]
	for i := 0; i < len(value); i++ { // charset=utf-8 format=flowed
		if isSpace(value[i]) && i+1 < len(value) && !isSpace(value[i+1]) && startsParam(value[i+1:]) {
			return strings.TrimSpace(value[:i]), s[i:], false
		}
	}
	value = strings.TrimSpace(value)
	if i := strings.Index(value, " ("); i > 0 && strings.HasSuffix(value, ")") && isToken(value[:i]) {
		return value[:i], rest, true // charset=us-ascii (Plain text)
	}
	return value, rest, isToken(value)
}

// startsParam reports whether s starts with a parameter that mail uses.
func startsParam(s string) bool {
	name, _, ok := strings.Cut(s[:min(len(s), 32)], "=")
	if !ok {
		return false
	}
	name, _, _ = strings.Cut(strings.ToLower(strings.TrimSpace(name)), "*")
	switch name {
	case "charset", "boundary", "name", "filename", "format", "delsp", "type", "start", "size", "protocol", "micalg", "report-type", "method", "reply-type", "x-mac-type", "x-mac-creator", "x-unix-mode":
		return true
	}
	return false
}

// joinParams decodes parameters: RFC 2231 segments and charsets, encoded words, raw 8-bit text.
func joinParams(raw []rawParam) (Params, Notes) {
	var notes Notes
	out := Params{}
	segments := map[string]map[int]segment{}
	for _, p := range raw {
		if len(out)+len(segments) >= maxParams {
			notes.add(NoteParamLimit)
			break
		}
		if len(p.value) > maxParamOctets {
			notes.add(NoteParamLimit)
			p.value = p.value[:maxParamOctets]
		}
		base, s, ok := readSegment(p)
		if !ok {
			notes.put(out, strings.ToLower(oneLine(replaceInvalid(p.name))), Unstructured(p.value))
			continue
		}
		if segments[base] == nil {
			segments[base] = map[int]segment{}
		}
		if _, dup := segments[base][s.index]; dup {
			notes.add(NoteParamRepeated)
			continue
		}
		segments[base][s.index] = s
	}
	for _, base := range slices.Sorted(maps.Keys(segments)) {
		out[base] = joinSegments(segments[base], &notes) // the extended form says more than the plain one
	}
	return out, notes
}

// put sets a parameter unless it is set.
func (ns *Notes) put(p Params, name, value string) {
	if old, dup := p[name]; dup {
		if old != value {
			ns.add(NoteParamRepeated)
		}
		return
	}
	p[name] = value
}

// segment is one piece of an RFC 2231 value. index is -1 for "name*=", which is whole.
type segment struct {
	index    int
	extended bool
	value    string
}

// readSegment reads the name of an extended parameter.
//
//	name*  name*0  name*0*   RFC 2231 §3, §4
func readSegment(p rawParam) (base string, s segment, ok bool) {
	name, star, ok := strings.Cut(strings.ToLower(p.name), "*")
	if !ok || name == "" || !isToken(name) {
		return "", segment{}, false
	}
	s = segment{index: -1, value: p.value}
	star, s.extended = strings.CutSuffix(star, "*")
	if star == "" {
		s.extended = true
		return name, s, true
	}
	n, err := strconv.Atoi(star)
	if err != nil || n < 0 || n >= maxSegments || !isDigits(star) {
		return "", segment{}, false
	}
	s.index = n
	return name, s, true
}

func joinSegments(list map[int]segment, notes *Notes) string {
	if whole, ok := list[-1]; ok {
		charset, value := cutCharset(whole.value)
		return decodeExtended(charset, unpercent(value), notes)
	}
	var octets []byte
	charset, extended := "", false
	for i, seen := 0, 0; seen < len(list); i++ {
		s, ok := list[i]
		if !ok {
			if i == 0 { // some writers count from 1
				notes.add(NoteParamRepaired)
				continue
			}
			notes.add(NoteParamRepaired)
			break
		}
		if seen++; seen == 1 && s.extended {
			charset, s.value = cutCharset(s.value)
		}
		if s.extended {
			extended = true
			octets = append(octets, unpercent(s.value)...)
		} else {
			octets = append(octets, s.value...)
		}
	}
	if !extended {
		return Unstructured(string(octets))
	}
	return decodeExtended(charset, octets, notes)
}

// cutCharset reads charset'language'value. Quirk: quotes around it, and missing apostrophes, are seen in practice.
func cutCharset(s string) (charset, value string) {
	s = strings.Trim(s, `"`)
	charset, rest, ok := strings.Cut(s, "'")
	if !ok || len(charset) > maxCharsetLabelOctets {
		return "", s
	}
	_, value, ok = strings.Cut(rest, "'")
	if !ok {
		return "", s
	}
	return charset, value
}

func decodeExtended(charset string, octets []byte, notes *Notes) string {
	text, n := Text(charset, octets)
	if n.Invalid > 0 {
		notes.add(NoteInvalidSequence)
	}
	if strings.Contains(text, "=?") {
		return Unstructured(text) // both encodings at once, as seen from some webmailers
	}
	return oneLine(text)
}

func unpercent(s string) []byte {
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			if v, ok := hexOctet(s[i+1], s[i+2]); ok {
				out = append(out, v)
				i += 2
				continue
			}
		}
		out = append(out, s[i])
	}
	return out
}
