package sanitize

import (
	"unicode"
	"unicode/utf8"
)

const (
	// maxMarks is how many combining marks may follow one base character.
	// Limit: Hebrew with vowel and cantillation marks needs five, Tibetan stacks six; UAX #15 allows 30 as "stream safe".
	maxMarks = 8
	// maxEscapeOctets bounds the payload of one terminal string sequence; an unterminated one loses its introducer only.
	maxEscapeOctets = 4096
	// maxIdeographVariants is how many ideographic variation selectors a text keeps; beyond it they carry data, not shapes.
	maxIdeographVariants = 32
)

// normalise is the first pass: valid UTF-8, one kind of line end, no control, escape sequence or invisible character
// that has no work to do in its script. Real content is not rewritten: there is no Unicode normal form here.
func normalise(s string, c *counts) string {
	i := firstOdd(s)
	if i == len(s) {
		return s
	}
	n := &normaliser{src: s, out: make([]byte, 0, len(s)+16), c: c}
	n.out = append(n.out, s[:i]...)
	n.prev, _ = utf8.DecodeLastRuneInString(s[:i])
	if i == 0 {
		n.prev = 0
	}
	n.run(i)
	return string(n.out)
}

// firstOdd is the offset of the first octet that is neither printable ASCII nor tab nor line feed.
func firstOdd(s string) int {
	for i := 0; i < len(s); i++ {
		if b := s[i]; b >= 0x7F || b < ' ' && b != '\n' && b != '\t' {
			return i
		}
	}
	return len(s)
}

type normaliser struct {
	src      string
	out      []byte
	c        *counts
	prev     rune // last rune written, 0 at the start
	base     rune // last rune written that is no mark, selector or joiner
	marks    int  // combining marks since base
	variants int
	openTo   int // no terminator of a control string stands before this offset of src, from where one was last looked for
	line     int // offset in out where the current line starts
	isolates int // isolate and embedding controls in the current line
	rtl      bool
}

func (n *normaliser) run(i int) {
	for i < len(n.src) {
		if j := i + firstOdd(n.src[i:]); j > i {
			n.ascii(n.src[i:j])
			i = j
			continue
		}
		r, size := utf8.DecodeRuneInString(n.src[i:])
		i += size
		if r == utf8.RuneError && size == 1 {
			n.c.add(KindInvalidUTF8, 1)
			n.put(utf8.RuneError)
			continue
		}
		i += n.rune(r, n.src[i:])
	}
	n.endLine()
}

// ascii copies a run of ordinary octets; the state needs its last rune and the line ends in it only.
func (n *normaliser) ascii(run string) {
	for k := len(run) - 1; k >= 0; k-- {
		if run[k] == '\n' {
			n.endLine()
			n.line = len(n.out) + k + 1
			break
		}
	}
	n.out = append(n.out, run...)
	n.prev, n.base, n.marks = rune(run[len(run)-1]), rune(run[len(run)-1]), 0
}

func (n *normaliser) put(r rune) {
	n.out = utf8.AppendRune(n.out, r)
	n.prev = r
	if !isJoinerOrSelector(r) {
		n.base, n.marks = r, 0
	}
}

// rune handles one character that is not plain ASCII; it returns how many further octets of rest it used.
func (n *normaliser) rune(r rune, rest string) int {
	switch {
	case r == '\r':
		if len(rest) > 0 && rest[0] == '\n' {
			return 0
		}
		n.newline()
	case r == '\v', r == '\f', r == 0x85, r == 0x2028, r == 0x2029:
		n.newline()
	case r == 0x1B:
		n.c.add(KindTerminalEscape, 1)
		return n.escapeLen(rest)
	case r == 0x9B:
		n.c.add(KindTerminalEscape, 1)
		return csiLen(rest)
	case r == 0x90, r == 0x98, r >= 0x9D && r <= 0x9F:
		n.c.add(KindTerminalEscape, 1)
		return n.stringLen(rest)
	case r < 0xA0:
		n.c.add(KindControl, 1)
	case r < 0x300 && r != 0xAD:
		n.put(r)
	default:
		n.wide(r, rest)
	}
	return 0
}

func (n *normaliser) newline() {
	n.c.add(KindLineBreak, 1)
	n.endLine()
	n.put('\n')
	n.line = len(n.out)
}

// wide handles the characters from U+0300 and the soft hyphen.
func (n *normaliser) wide(r rune, rest string) {
	if isPlainLetter(r) {
		n.put(r)
		return
	}
	if kind := suspect(r); kind != "" && !n.legitimate(r, rest) {
		n.c.add(kind, 1)
		if r == 0x2800 && n.prev != ' ' {
			n.put(' ')
		}
		return
	}
	if unicode.In(r, unicode.Mn, unicode.Me) && !isJoinerOrSelector(r) {
		if n.marks++; n.marks > maxMarks {
			n.c.add(KindCombiningRun, 1)
			return
		}
		n.out = utf8.AppendRune(n.out, r)
		n.prev = r
		return
	}
	if isBidiControl(r) && !isDirectionMark(r) {
		n.isolates++
	}
	n.rtl = n.rtl || isRTL(r)
	n.put(r)
}

// suspect names the family of an invisible or frame-changing character; empty for ordinary ones.
func suspect(r rune) Kind {
	switch {
	case r >= 0xE0000 && r <= 0xE007F:
		return KindTag
	case r >= 0xFE00 && r <= 0xFE0F, r >= 0xE0100 && r <= 0xE01EF, r >= 0x180B && r <= 0x180D, r == 0x180F:
		return KindVariationSelector
	case isBidiControl(r):
		return KindBidi
	case r >= 0x200B && r <= 0x200D, r >= 0x2060 && r <= 0x2065, r == 0xFEFF, r == 0xAD, r == 0x34F, r == 0x180E:
		return KindZeroWidth
	case r == 0x3164, r == 0xFFA0, r == 0x115F, r == 0x1160, r == 0x17B4, r == 0x17B5, r == 0x2800:
		return KindFiller
	case r >= 0xFFF9 && r <= 0xFFFB:
		return KindAnnotation
	case r >= 0x206A && r <= 0x206F, r >= 0x1D173 && r <= 0x1D17A, r >= 0x1BCA0 && r <= 0x1BCA3,
		r >= 0x13430 && r <= 0x1343F, r >= 0xFFF0 && r <= 0xFFF8, r >= 0xE0080 && r <= 0xE0FFF:
		return KindFormat
	case r >= 0xFDD0 && r <= 0xFDEF, r&0xFFFE == 0xFFFE:
		return KindNoncharacter
	}
	return ""
}

// legitimate reports whether a suspect character does its proper work where it stands.
func (n *normaliser) legitimate(r rune, rest string) bool {
	next, _ := utf8.DecodeRuneInString(rest)
	switch {
	case r == 0x200D:
		return isEmoji(n.base) && !isJoiner(n.prev) && isEmoji(next) || joins(n.prev) && !isInvisible(next)
	case r == 0x200C:
		return joins(n.prev) && joins(next)
	case r == 0x200B:
		return spaceless(n.prev) && spaceless(next)
	case r == 0x34F:
		return unicode.Is(unicode.Mn, n.prev) && unicode.Is(unicode.Mn, next) && !isInvisible(n.prev) && !isInvisible(next)
	case r == 0xFE0E || r == 0xFE0F:
		return emojiPresentation(n.prev, next)
	case r >= 0xFE00 && r <= 0xFE02:
		return unicode.In(n.prev, unicode.Han, unicode.Myanmar, unicode.Phags_Pa, unicode.Sm) && n.variant()
	case r >= 0xE0100 && r <= 0xE01EF:
		return unicode.Is(unicode.Han, n.prev) && n.variant()
	case r >= 0x180B && r <= 0x180F:
		return unicode.Is(unicode.Mongolian, n.prev) && unicode.IsLetter(n.prev)
	case r >= 0xE0000 && r <= 0xE007F:
		return n.flagTag(r, rest)
	case r == 0x2800:
		return n.prev > 0x2800 && n.prev <= 0x28FF && next > 0x2800 && next <= 0x28FF
	case r == 0x1160:
		return n.prev >= 0x1100 && n.prev < 0x115F
	case r == 0x115F:
		return next > 0x1160 && next <= 0x11A7
	case r == 0x200E, r == 0x200F, r == 0x61C:
		return !isBidiControl(n.prev) && (n.rtl || startsRTL(rest))
	case isBidiControl(r):
		return r != 0x202D && r != 0x202E // decided at the end of the line, when its script and balance are known
	}
	return false
}

func (n *normaliser) variant() bool {
	n.variants++
	return n.variants <= maxIdeographVariants
}

// flagTag keeps the three sub-region flags of Unicode's RGI set (England, Scotland, Wales): a black flag, five tag
// letters, a cancel tag. Anything else written in tag characters is smuggled text.
func (n *normaliser) flagTag(r rune, rest string) bool {
	seq := make([]byte, 0, 8)
	for k := len(n.out); k >= 4 && len(seq) < 6; k -= 4 {
		p, size := utf8.DecodeLastRune(n.out[:k])
		if size != 4 || p == 0x1F3F4 || p < 0xE0020 || p > 0xE007F {
			break
		}
		seq = append([]byte{byte(p - 0xE0000)}, seq...)
	}
	start := len(n.out) - 4*len(seq)
	if p, _ := utf8.DecodeLastRune(n.out[:start]); p != 0x1F3F4 {
		return false
	}
	seq = append(seq, byte(r-0xE0000))
	for _, p := range rest[:min(len(rest), 24)] {
		if r == 0xE007F || p < 0xE0020 || p > 0xE007F || len(seq) > 6 {
			break
		}
		if seq = append(seq, byte(p-0xE0000)); p == 0xE007F {
			break
		}
	}
	s := string(seq)
	return s == "gbeng\x7f" || s == "gbsct\x7f" || s == "gbwls\x7f"
}

// endLine settles the isolates and embeddings of the line just written: they stay in right-to-left prose when they
// are balanced, because there they keep numbers and names in place; everywhere else they are removed.
// Security: overrides and unbalanced isolates show a person other text than the one that is there (CVE-2021-42574).
func (n *normaliser) endLine() {
	if n.isolates > 0 && !(n.rtl && balanced(n.out[n.line:])) {
		n.out = append(n.out[:n.line], n.dropBidi(string(n.out[n.line:]))...)
	}
	n.isolates, n.rtl = 0, false
}

func (n *normaliser) dropBidi(line string) string {
	kept := make([]byte, 0, len(line))
	for _, r := range line {
		if isBidiControl(r) && !isDirectionMark(r) {
			n.c.add(KindBidi, 1)
			continue
		}
		kept = utf8.AppendRune(kept, r)
	}
	return string(kept)
}

// balanced reports whether every isolate and embedding of a line is closed by its own kind, at most eight deep.
func balanced(line []byte) bool {
	var open []rune
	for _, r := range string(line) {
		switch {
		case r >= 0x2066 && r <= 0x2068:
			open = append(open, 0x2069)
		case r == 0x202A || r == 0x202B:
			open = append(open, 0x202C)
		case r == 0x2069 || r == 0x202C:
			if len(open) == 0 || open[len(open)-1] != r {
				return false
			}
			open = open[:len(open)-1]
		}
		if len(open) > 8 {
			return false
		}
	}
	return len(open) == 0
}

// escapeLen is how many octets after ESC belong to its sequence (ECMA-48).
func (n *normaliser) escapeLen(rest string) int {
	if rest == "" {
		return 0
	}
	switch rest[0] {
	case '[':
		return 1 + csiLen(rest[1:])
	case ']', 'P', 'X', '^', '_':
		return 1 + n.stringLen(rest[1:])
	}
	k := 0
	for k < len(rest) && k < 4 && rest[k] >= 0x20 && rest[k] <= 0x2F {
		k++
	}
	if k < len(rest) && rest[k] >= 0x30 && rest[k] <= 0x7E {
		k++
	}
	return k
}

// csiLen is the length of parameters, intermediates and the final octet.
func csiLen(rest string) int {
	k := 0
	for k < len(rest) && k < 64 && rest[k] >= 0x20 && rest[k] <= 0x3F {
		k++
	}
	if k < len(rest) && rest[k] >= 0x40 && rest[k] <= 0x7E {
		k++
	}
	return k
}

// stringLen is the length of a control string up to and with BEL or ST; 0 when it is not terminated within bounds.
// What one look found free of terminators is not looked at again, so a text full of introducers costs no more.
func (n *normaliser) stringLen(rest string) int {
	at := len(n.src) - len(rest)
	for k := max(0, n.openTo-at); k < len(rest) && k < maxEscapeOctets; k++ {
		switch {
		case rest[k] == 0x07:
			return k + 1
		case rest[k] == 0x1B && k+1 < len(rest) && rest[k+1] == '\\':
			return k + 2
		case rest[k] == 0xC2 && k+1 < len(rest) && rest[k+1] == 0x9C:
			return k + 2
		}
	}
	n.openTo = max(n.openTo, at+min(len(rest), maxEscapeOctets))
	return 0
}
