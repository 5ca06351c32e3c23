package decode

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
)

// CharsetNote says how text was decoded.
type CharsetNote struct {
	Label   string // as declared, lower case, one line; "" if none
	Used    string // canonical name of the charset used
	Invalid int    // sequences that became U+FFFD
	Notes   Notes
}

// Text decodes octets labelled with a charset as clients do. The output is valid UTF-8 without NUL; line ends are left alone.
//
// A byte-order mark and the escape sequences of ISO-2022-JP and -KR overrule any label. Text labelled us-ascii, or with no known label,
// that holds octets outside ASCII is UTF-8 if valid, else a guess. Text labelled utf-8 without a single valid
// sequence is a guess too. Everything else is what the label says.
func Text(label string, octets []byte) (string, CharsetNote) {
	return decodeText(normalLabel(label), octets, "")
}

// HTMLText is Text for an HTML part: without a usable label, the charset of a meta element in the first 1,024 octets counts.
func HTMLText(label string, octets []byte) (string, CharsetNote) {
	return decodeText(normalLabel(label), octets, metaCharset(octets))
}

// decodeText decodes octets; hint is a label to try before guessing.
func decodeText(label string, octets []byte, hint string) (string, CharsetNote) {
	n := CharsetNote{Label: label}
	cs, known := findCharset(label)
	if real, ok := bomCharset(octets, cs, known); ok {
		if label != "" && cs.family != real.family {
			n.Notes.add(NoteCharsetFalse)
		}
		return n.decode(real, octets), n
	}
	if esc := escapeCharset(octets); esc.name != "" && !cs.wide() && cs.family != esc.family {
		if label != "" {
			n.Notes.add(NoteCharsetFalse)
		} else {
			n.Notes.add(NoteCharsetMissing)
		}
		return n.decode(esc, octets), n
	}
	if !known && label != "" {
		n.Notes.add(NoteCharsetUnknown)
	}
	if !known || cs.family == familyASCII {
		return n.unlabelled(octets, hint), n
	}
	return n.labelled(cs, octets), n
}

// unlabelled decodes text whose charset nobody names, or that is called ASCII.
func (n *CharsetNote) unlabelled(octets []byte, hint string) string {
	if isASCII(octets) {
		return n.decode(charset{name: "us-ascii", family: familyUTF8}, octets)
	}
	if n.Label == "" {
		n.Notes.add(NoteCharsetMissing)
	} else {
		n.Notes.add(NoteCharsetFalse)
	}
	if cs, ok := findCharset(normalLabel(hint)); ok && cs.family != familyASCII && !cs.wide() { // the hint was read as ASCII
		return n.labelled(cs, octets)
	}
	if !utf8.Valid(octets) {
		n.Notes.add(NoteCharsetGuessed)
	}
	return n.decode(guessCharset(octets), octets)
}

func (n *CharsetNote) labelled(cs charset, octets []byte) string {
	text := n.decode(cs, octets)
	if n.Invalid == 0 || cs.wide() {
		return text
	}
	other := CharsetNote{Label: n.Label, Notes: n.Notes}
	switch {
	case cs.family == familyUTF8 && !hasUTF8Sequence(octets):
		other.Notes = nil
		other.Notes.add(NoteCharsetFalse, NoteCharsetGuessed)
		text = other.decode(guessCharset(octets), octets)
	case cs.family != familyUTF8 && utf8.Valid(octets):
		other.Notes = nil
		other.Notes.add(NoteCharsetFalse)
		text = other.decode(charset{name: "utf-8", family: familyUTF8}, octets)
	default:
		return text
	}
	*n = other
	return text
}

// decode decodes octets as cs, whatever comes out.
func (n *CharsetNote) decode(cs charset, octets []byte) string {
	n.Used = cs.name
	var text string
	switch cs.family {
	case familyUTF8, familyASCII:
		text = string(bytes.TrimPrefix(octets, []byte("\xef\xbb\xbf")))
	case familyUTF7:
		text = decodeUTF7(octets)
	case familyJP:
		text = decodeISO2022JP(octets)
	case familyKR:
		text = decodeISO2022KR(octets)
	case familyCN:
		text = decodeISO2022CN(octets)
	case familyTW:
		text = decodeEUCTW(octets)
	case familyVISCII:
		text = decodeVISCII(octets)
	case familyUTF16:
		text = decodeWith(utf16For(cs, octets), octets)
	default:
		text = decodeWith(cs.encoding, octets)
	}
	return n.finish(text)
}

func decodeWith(e encoding.Encoding, octets []byte) string {
	out, err := e.NewDecoder().Bytes(octets)
	if err != nil { // x/text replaces, it does not fail; keep what there is
		return string(octets)
	}
	return string(out)
}

// finish replaces what is no UTF-8, removes NUL and a leading byte-order mark, and counts.
func (n *CharsetNote) finish(text string) string {
	text = strings.TrimPrefix(text, "\ufeff")
	if !utf8.ValidString(text) {
		text = replaceInvalid(text)
	}
	if n.Invalid = strings.Count(text, "\ufffd"); n.Invalid > 0 {
		n.Notes.add(NoteInvalidSequence)
	}
	if strings.IndexByte(text, 0) >= 0 {
		n.Notes.add(NoteNUL)
		text = strings.ReplaceAll(text, "\x00", "")
	}
	return text
}

// replaceInvalid writes one U+FFFD for each octet that belongs to no sequence.
func replaceInvalid(s string) string {
	var b strings.Builder
	b.Grow(len(s) + len(s)/4)
	for _, r := range s {
		b.WriteRune(r)
	}
	return b.String()
}

func isASCII(b []byte) bool {
	for _, c := range b {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// hasUTF8Sequence reports whether b holds at least one valid sequence of two octets or more.
func hasUTF8Sequence(b []byte) bool {
	for len(b) > 0 {
		r, size := utf8.DecodeRune(b)
		if size > 1 && r != 0 {
			return true
		}
		b = b[size:]
	}
	return false
}

const metaOctets = 1024 // WHATWG Encoding, "prescan a byte stream": the first 1,024 octets

// metaCharset returns the charset that a meta element names near the start of an HTML document, or "".
func metaCharset(html []byte) string {
	head := bytes.ToLower(html[:min(len(html), metaOctets)])
	for {
		i := bytes.Index(head, []byte("<meta"))
		if i < 0 {
			return ""
		}
		head = head[i+len("<meta"):]
		tag, _, _ := bytes.Cut(head, []byte(">"))
		_, value, ok := bytes.Cut(tag, []byte("charset"))
		if !ok {
			continue
		}
		value = bytes.TrimLeft(value, " \t\r\n")
		if value, ok = bytes.CutPrefix(value, []byte("=")); ok {
			value = bytes.TrimLeft(value, " \t\r\n\"'")
			if end := bytes.IndexAny(value, " \t\r\n\"';/>"); end >= 0 {
				value = value[:end]
			}
			return string(value)
		}
	}
}
