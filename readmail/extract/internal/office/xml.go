package office

import (
	"bytes"
	"encoding/binary"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf16"

	"mailgap/readmail/extract/internal/document"
)

const maxXMLDepth = 500 // Word itself stops at tables nested 60 deep

// handler gets the elements of one part. Names are "prefix:local" with the prefixes of namespaces below, whatever
// prefixes the document uses.
type handler interface {
	start(x *xmlPart, name string, attrs []xml.Attr)
	end(x *xmlPart, name string)
	text(x *xmlPart, s string)
}

// xmlPart is the place in the part that is being read.
type xmlPart struct {
	path []string // open elements, the innermost last
	skip int      // depth of the element whose content is left out; zero: nothing
	stop bool     // set by a handler that has enough
}

// parent returns the n-th element around the current one, counted from 1, or "".
func (x *xmlPart) parent(n int) string {
	if i := len(x.path) - 1 - n; i >= 0 {
		return x.path[i]
	}
	return ""
}

// leaveOut skips the rest of the element that has just started. Its end is not reported.
func (x *xmlPart) leaveOut() { x.skip = len(x.path) }

// walk reads b and calls h. A syntax error ends the walk with document.ErrDamaged after all before it was handled; too
// deep nesting with document.ErrTooLarge. DTD entities are never expanded: encoding/xml knows none.
func walk(b []byte, h handler) error {
	d := xml.NewDecoder(bytes.NewReader(b))
	d.Strict = false // unknown entities and stray ends pass as they are
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	x := &xmlPart{}
	for !x.stop {
		t, err := d.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%w: XML: %v", document.ErrDamaged, err)
		}
		if err := x.token(t, h); err != nil {
			return err
		}
	}
	return nil
}

func (x *xmlPart) token(t xml.Token, h handler) error {
	switch t := t.(type) {
	case xml.StartElement:
		if len(x.path) >= maxXMLDepth {
			return fmt.Errorf("%w: elements nested more than %d deep", document.ErrTooLarge, maxXMLDepth)
		}
		name := qualified(t.Name)
		x.path = append(x.path, name)
		if x.skip == 0 {
			h.start(x, name, t.Attr)
		}
	case xml.EndElement:
		x.closeElement(h)
	case xml.CharData:
		if x.skip == 0 {
			h.text(x, string(t))
		}
	}
	return nil
}

func (x *xmlPart) closeElement(h handler) {
	if len(x.path) == 0 {
		return
	}
	name := x.path[len(x.path)-1]
	switch {
	case x.skip == 0:
		h.end(x, name)
	case x.skip == len(x.path):
		x.skip = 0
	}
	x.path = x.path[:len(x.path)-1]
}

// qualified names an element by our own prefix, so that transitional and strict OOXML and any prefix read alike.
func qualified(n xml.Name) string {
	if n.Space == "" {
		return n.Local
	}
	return prefix(n.Space) + ":" + n.Local
}

// prefix shortens a namespace. What is not known keeps its full name and so matches nothing.
func prefix(space string) string {
	if rest, ok := strings.CutPrefix(space, "urn:oasis:names:tc:opendocument:xmlns:"); ok {
		short, _, _ := strings.Cut(rest, ":")
		switch short {
		case "drawing":
			return "draw"
		case "xsl-fo-compatible":
			return "fo"
		case "svg-compatible":
			return "svg"
		}
		return short
	}
	switch space {
	case "http://schemas.openxmlformats.org/wordprocessingml/2006/main", "http://purl.oclc.org/ooxml/wordprocessingml/main":
		return "w"
	case "http://schemas.openxmlformats.org/spreadsheetml/2006/main", "http://purl.oclc.org/ooxml/spreadsheetml/main":
		return "s"
	case "http://schemas.openxmlformats.org/presentationml/2006/main", "http://purl.oclc.org/ooxml/presentationml/main":
		return "p"
	case "http://schemas.openxmlformats.org/drawingml/2006/main", "http://purl.oclc.org/ooxml/drawingml/main":
		return "a"
	case "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing", "http://purl.oclc.org/ooxml/drawingml/wordprocessingDrawing":
		return "wp"
	case "http://schemas.openxmlformats.org/officeDocument/2006/relationships", "http://purl.oclc.org/ooxml/officeDocument/relationships":
		return "r"
	case "http://schemas.openxmlformats.org/package/2006/relationships":
		return "rel"
	case "http://schemas.openxmlformats.org/markup-compatibility/2006":
		return "mc"
	case "http://schemas.openxmlformats.org/officeDocument/2006/math", "http://purl.oclc.org/ooxml/officeDocument/math":
		return "m"
	case "http://purl.org/dc/elements/1.1/":
		return "dc"
	case "http://www.w3.org/1999/xlink":
		return "xlink"
	}
	return space
}

// attr returns the attribute of that name: "val" in any namespace or "r:id" in that one.
func attr(attrs []xml.Attr, name string) string {
	for _, a := range attrs {
		if (strings.Contains(name, ":") && qualified(a.Name) == name) || a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// toggled reads an OOXML on/off property: present without value means on (ECMA-376 part 1, §17.17.4).
func toggled(attrs []xml.Attr) bool {
	switch attr(attrs, "val") {
	case "0", "false", "off", "none":
		return false
	}
	return true
}

// toUTF8 turns UTF-16 with a byte order mark into UTF-8 and replaces octets that are no UTF-8.
func toUTF8(b []byte) []byte {
	var order binary.ByteOrder
	switch {
	case bytes.HasPrefix(b, []byte("\xff\xfe")):
		order = binary.LittleEndian
	case bytes.HasPrefix(b, []byte("\xfe\xff")):
		order = binary.BigEndian
	default:
		return bytes.ToValidUTF8(b, []byte("\uFFFD"))
	}
	units := make([]uint16, 0, len(b)/2)
	for b = b[2:]; len(b) >= 2; b = b[2:] {
		units = append(units, order.Uint16(b))
	}
	return []byte(string(utf16.Decode(units)))
}
