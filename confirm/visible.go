package confirm

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxBlanks = 8  // spaces in a row; more could push what follows to where a new line seems to begin
	maxMarks  = 4  // combining marks on one character; more paint over neighbouring lines
	lineWidth = 72 // columns of a value on one line, so that clients need not wrap it
)

// visible writes one line of a value so that nothing in it acts: every character that does not print as itself becomes
// [U+XXXX], an octet that is not UTF-8 becomes [0xXX], a run of more than maxBlanks spaces becomes [U+0020 xN]. What already
// looks like such a mark gets its bracket written as one, so the result can be read back without loss (see unseen in the
// tests). Letters of all scripts stay as they are.
func visible(s string) string {
	var b strings.Builder
	marks := 0
	for i := 0; i < len(s); {
		if c := s[i]; c > ' ' && c < 0x7f && c != '[' {
			b.WriteByte(c)
			i, marks = i+1, 0
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if unicode.Is(unicode.M, r) {
			marks++
		} else {
			marks = 0
		}
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, "[0x%02X]", s[i])
		case r == ' ':
			n = len(s[i:]) - len(strings.TrimLeft(s[i:], " "))
			if n > maxBlanks {
				fmt.Fprintf(&b, "[U+0020 x%d]", n)
			} else {
				b.WriteString(s[i : i+n])
			}
		case !shows(r) || marks > maxMarks || r == '[' && looksLikeMark(s[i+1:]):
			fmt.Fprintf(&b, "[U+%04X]", r)
		default:
			b.WriteRune(r)
		}
		i += n
	}
	return b.String()
}

// looksLikeMark says whether what follows a bracket could be taken for a mark of ours.
func looksLikeMark(s string) bool { return strings.HasPrefix(s, "U+") || strings.HasPrefix(s, "0x") }

// shows says whether r is seen as itself: it prints (so no control, format, bidirectional, private or unassigned character,
// no blank but the space, no line or paragraph separator), and it is not one of those that print as nothing.
func shows(r rune) bool { return unicode.IsPrint(r) && !unicode.Is(blank, r) }

// blank are characters of printing classes that usually show as nothing: Unicode's Default_Ignorable_Code_Point outside
// the format class, and characters whose glyph is empty by design.
var blank = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0x034F, 0x034F, 1}, // combining grapheme joiner
		{0x115F, 0x1160, 1}, // Hangul fillers
		{0x17B4, 0x17B5, 1}, // Khmer inherent vowels
		{0x180B, 0x180F, 1}, // Mongolian selectors and vowel separator
		{0x2800, 0x2800, 1}, // braille pattern blank
		{0x3164, 0x3164, 1}, // Hangul filler
		{0xFE00, 0xFE0F, 1}, // variation selectors
		{0xFFA0, 0xFFA0, 1}, // halfwidth Hangul filler
		{0xFFFC, 0xFFFC, 1}, // object replacement
	},
	R32: []unicode.Range32{
		{0x13441, 0x13442, 1}, // Egyptian blanks
		{0x16FE4, 0x16FE4, 1}, // Khitan filler
		{0x1D159, 0x1D159, 1}, // musical null notehead
		{0xE0100, 0xE01EF, 1}, // variation selectors supplement
	},
}

// wrap cuts a visible line into pieces of at most lineWidth columns, wide characters counted twice. A mark is never cut.
func wrap(s string) []string {
	var pieces []string
	start, col := 0, 0
	for i := 0; i < len(s); {
		n, w := unit(s[i:])
		if col+w > lineWidth && i > start {
			pieces = append(pieces, s[start:i])
			start, col = i, 0
		}
		i, col = i+n, col+w
	}
	return append(pieces, s[start:])
}

// unit returns the octets and columns of the first character or mark of s.
func unit(s string) (octets, columns int) {
	if s[0] == '[' && looksLikeMark(s[1:]) {
		n := strings.IndexByte(s, ']') + 1
		return n, n
	}
	r, n := utf8.DecodeRuneInString(s)
	switch {
	case r < 0x80:
		return n, 1
	case unicode.Is(unicode.M, r):
		return n, 0
	case r >= 0x1100:
		return n, 2
	}
	return n, 1
}
