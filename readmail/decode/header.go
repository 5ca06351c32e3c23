package decode

import (
	"bytes"
	"strings"
)

// HeaderField is one header field. Name is as written; Body is the raw, unfolded text after the colon without the white space
// around it. Body may hold any octet: hand it to Unstructured, Addresses, Date, MediaType or MessageIDs, never to a reader.
type HeaderField struct {
	Name string
	Body string
}

// Header is a header: its fields in order, topmost first.
type Header struct {
	Fields []HeaderField
	Notes  Notes
}

// Get returns the body of the topmost field called name (in any case) and whether there is one.
func (h Header) Get(name string) (string, bool) {
	for _, f := range h.Fields {
		if strings.EqualFold(f.Name, name) {
			return f.Body, true
		}
	}
	return "", false
}

// All returns the bodies of the fields called name (in any case), topmost first.
func (h Header) All(name string) []string {
	var out []string
	for _, f := range h.Fields {
		if strings.EqualFold(f.Name, name) {
			out = append(out, f.Body)
		}
	}
	return out
}

const maxFieldNameOctets = 200 // Limit: RFC 5322 §2.1.1 lets a line hold 998; real names stay below 60

// ParseHeader reads a header up to the empty line that ends it, and returns it with the rest, the octets after that line.
// Lines may end in CR LF or LF. Lines that are no field are skipped with a note; mbox "From " lines, a byte-order mark and NUL
// octets too. Octets that do not start with anything like a header are all rest.
func ParseHeader(octets []byte, l Limits) (h Header, rest []byte) {
	octets = bytes.TrimPrefix(octets, []byte("\xef\xbb\xbf"))
	if noHeader(octets) {
		return h, octets
	}
	r := fieldReader{limits: l.withDefaults()}
	for len(octets) > 0 {
		line, next := cutLine(octets)
		if len(line) == 0 || endsHeader(line, next) {
			octets = next
			break
		}
		octets = next
		r.line(line)
	}
	r.flush()
	return r.header, octets
}

// noHeader reports whether octets has no field before its first empty line, and does not start with that line.
// Quirk: parts that start with their text, and messages that a gateway has stripped.
func noHeader(octets []byte) bool {
	first := true
	for len(octets) > 0 {
		line, next := cutLine(octets)
		if fieldColon(line) > 0 || isMboxLine(line) || first && len(line) == 0 {
			return false
		}
		if len(line) == 0 {
			return true
		}
		first, octets = false, next
	}
	return !first
}

// cutLine returns the first line without its end, and what follows it.
func cutLine(b []byte) (line, rest []byte) {
	i := bytes.IndexByte(b, '\n')
	if i < 0 {
		return bytes.TrimSuffix(b, []byte("\r")), nil
	}
	return bytes.TrimSuffix(b[:i], []byte("\r")), b[i+1:]
}

// endsHeader reports whether a line of nothing but white space stands for the empty line: what follows is no header line.
func endsHeader(line, next []byte) bool {
	if len(bytes.TrimSpace(line)) > 0 {
		return false
	}
	after, _ := cutLine(next)
	return len(after) > 0 && !isSpace(after[0]) && fieldColon(after) <= 0
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' }

func isMboxLine(line []byte) bool {
	return bytes.HasPrefix(line, []byte("From ")) || bytes.HasPrefix(line, []byte(">From "))
}

// fieldColon returns the index of the colon that ends a field name, or -1.
//
//	field-name = 1*%d33-57 / %d59-126   RFC 5322 §3.6.8; white space before the colon is §4.5's obsolete form
func fieldColon(line []byte) int {
	for i, c := range line {
		switch {
		case i > maxFieldNameOctets:
			return -1
		case c == ':':
			if i == 0 || isSpace(line[0]) {
				return -1
			}
			return i
		case c > ' ' && c < 0x7f:
			if i > 0 && isSpace(line[i-1]) {
				return -1
			}
		case isSpace(c):
		default:
			return -1
		}
	}
	return -1
}

// fieldReader gathers lines into fields.
type fieldReader struct {
	limits Limits
	header Header
	name   string
	body   []byte
	open   bool // a field is being gathered
	skip   bool // continuation lines belong to a skipped line
}

func (r *fieldReader) line(line []byte) {
	if bytes.IndexByte(line, 0) >= 0 {
		r.header.Notes.add(NoteNUL)
		line = bytes.ReplaceAll(line, []byte{0}, nil)
		if len(line) == 0 {
			return
		}
	}
	if isSpace(line[0]) {
		r.continuation(line)
		return
	}
	colon := fieldColon(line)
	if colon < 0 {
		r.ignore(line)
		return
	}
	r.flush()
	if len(r.header.Fields) >= r.limits.HeaderFields {
		r.header.Notes.add(NoteHeaderTruncated)
		r.skip = true
		return
	}
	r.name, r.open, r.skip = string(bytes.TrimRight(line[:colon], " \t")), true, false
	r.append(line[colon+1:])
}

func (r *fieldReader) continuation(line []byte) {
	switch {
	case r.open:
		r.append(line)
	case !r.skip:
		r.header.Notes.add(NoteHeaderLineIgnored)
	}
}

func (r *fieldReader) ignore(line []byte) {
	r.flush()
	r.skip = true
	if isMboxLine(line) && len(r.header.Fields) == 0 {
		r.header.Notes.add(NoteMboxLine)
		return
	}
	r.header.Notes.add(NoteHeaderLineIgnored)
}

func (r *fieldReader) append(b []byte) {
	if room := r.limits.FieldOctets - len(r.body); len(b) > room {
		r.header.Notes.add(NoteHeaderTruncated)
		b = b[:max(room, 0)]
	}
	r.body = append(r.body, b...)
}

func (r *fieldReader) flush() {
	if r.open {
		r.header.Fields = append(r.header.Fields, HeaderField{r.name, string(bytes.Trim(r.body, " \t\r"))})
	}
	r.open, r.body = false, r.body[:0]
}
