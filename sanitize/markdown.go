package sanitize

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	// maxAltChars bounds the text of an image, and how far its closing bracket is looked for.
	maxAltChars = 300
	// maxImageTargetOctets bounds how far the end of an image's target is looked for; a longer one is broken, not rewritten.
	maxImageTargetOctets = 1024
)

// weaver is the second pass. It copies text and breaks, by one backslash, every pair of neighbouring characters that
// starts a construct in some markup. A construct is a matter of neighbours: once "](" is `]\(`, no renderer sees a
// link, whether it takes the backslash for an escape or for a letter. URLs become marks that hold none.
//
// All rules look at the last octet written, not read, so text put together by the pass itself obeys them too.
type weaver struct {
	src      string
	out      []byte
	pos      int // offset in src of the octet being handled
	lit      int // from this offset of src on, out ends in a verbatim copy
	inline   bool
	strict   bool
	inLink   bool
	reveal   bool
	c        *counts
	links    []Link
	anchors  []anchor
	anchorAt int // length of out where the current link began
	number   int
	label    labelState
}

// labelState follows a bracket that could be the label of a reference definition.
type labelState int

const (
	labelNone   labelState = iota
	labelOpen              // "[" at the start of a block was written, no "]" since
	labelClosed            // the "]" was the last octet written
)

// The octets that some rule looks at, as bits: those below 64, and those from 64 to 127.
const (
	specialLow  = 1<<':' | 1<<'/' | 1<<'.' | 1<<'(' | 1<<'<' | 1<<'&'
	specialHigh = 1<<('['-64) | 1<<(']'-64) | 1<<('\\'-64) | 1<<('`'-64) | 1<<('~'-64)
)

// ordinary is the length of the run at the start of s that no rule looks at.
func ordinary(s string) int {
	for k := 0; k < len(s); k++ {
		switch b := s[k]; {
		case b < 64:
			if uint64(specialLow)>>b&1 != 0 {
				return k
			}
		case b < 128:
			if uint64(specialHigh)>>(b-64)&1 != 0 {
				return k
			}
		case b == 0xE2 || b == 0xEF:
			return k
		}
	}
	return len(s)
}

func (w *weaver) run() {
	w.out = make([]byte, 0, len(w.src)+len(w.src)/16+16)
	for i := 0; i < len(w.src); {
		if j := i + ordinary(w.src[i:]); j > i {
			w.out = append(w.out, w.src[i:j]...)
			i = j
			continue
		}
		i += w.step(i)
	}
}

// step handles the special octet at i and returns how many octets of src it used.
func (w *weaver) step(i int) int {
	w.pos = i
	switch w.src[i] {
	case ':':
		return w.colon(i)
	case '/':
		return w.slash(i)
	case '.':
		return w.dot(i)
	case '[':
		return w.open(i)
	case '<':
		return w.angle(i)
	case '&':
		return w.reference(i)
	case '\\':
		return w.command(i)
	case '`', '~':
		return w.codeFence(i)
	case 0xE2:
		return w.mark(i)
	case 0xEF:
		return w.anchor(i)
	}
	w.put(w.src[i])
	return 1
}

func (w *weaver) last() byte {
	if len(w.out) == 0 {
		return 0
	}
	return w.out[len(w.out)-1]
}

// put writes one octet and breaks it from its neighbour where the two could start a construct.
func (w *weaver) put(b byte) {
	last := w.last()
	switch {
	case b == '[' && last == '!', b == '(' && last == ']', b == ':' && last == ']' && w.label == labelClosed:
		w.escape(KindMarkup)
		w.lit = w.pos
	}
	switch {
	case b == '[' && w.blockStart():
		w.label = labelOpen
	case b == ']' && w.label == labelOpen:
		w.label = labelClosed
	case b != ']' && w.label == labelClosed:
		w.label = labelNone
	}
	w.out = append(w.out, b)
}

func (w *weaver) puts(s string) {
	for k := 0; k < len(s); k++ {
		w.put(s[k])
	}
}

// escape writes the backslash; from here on out is no verbatim copy.
func (w *weaver) escape(k Kind) {
	w.out = append(w.out, '\\')
	w.c.add(k, 1)
}

// blockStart reports whether only spaces, quote marks and list marks stand before the end of out in its line.
func (w *weaver) blockStart() bool {
	for k := len(w.out) - 1; k >= 0; k-- {
		switch b := w.out[k]; {
		case b == '\n':
			return true
		case b == ' ', b == '\t', b == '>', b == '*', b == '+', b == '-', b == '.', b == ')', b >= '0' && b <= '9', b == ':':
		default:
			return false
		}
	}
	return true
}

// open handles "[": an image, a mark of another markup language, or an ordinary bracket.
func (w *weaver) open(i int) int {
	if w.last() == '!' {
		if n, ok := w.image(i); ok {
			return n
		}
	}
	w.put('[')
	if bracketCommand(w.src[i+1:]) {
		w.escape(KindMarkup)
		w.lit = i + 1
	}
	return 1
}

// bracketCommand reports a BBCode element that loads something, or an instruction delimiter.
func bracketCommand(s string) bool {
	k, start := 0, 0
	if strings.HasPrefix(s, "/") {
		k, start = 1, 1
	}
	for k < len(s) && k < 12 && isAlnum(s[k]) {
		k++
	}
	if k == len(s) {
		return false
	}
	switch strings.ToLower(s[start:k]) {
	case "img", "url", "video", "audio", "media", "embed", "iframe", "youtube", "inst", "sys":
	default:
		return false
	}
	if s[k] == ' ' {
		tag, _, closed := strings.Cut(s[k:min(len(s), k+200)], "]")
		return closed && strings.Contains(tag, "=")
	}
	return s[k] == ']' || s[k] == '='
}

// image writes ![alt](target) and ![alt][label] as [image: alt]. The target goes to the links, without a number.
func (w *weaver) image(i int) (int, bool) {
	end := strings.IndexAny(w.src[i+1:min(len(w.src), i+1+maxAltChars)], "[]")
	if end < 0 || w.src[i+1+end] != ']' {
		return 0, false
	}
	alt, rest := w.src[i+1:i+1+end], w.src[i+end+2:]
	n, target := imageTarget(rest)
	if n == 0 {
		return 0, false
	}
	w.out = w.out[:len(w.out)-1] // the "!"
	w.c.add(KindImage, 1)
	if target != "" && len(w.links) < maxLinks {
		l := w.inspect(target, alt, "")
		l.Image = true
		w.links = append(w.links, l)
	}
	w.puts("[image")
	if alt = strings.TrimSpace(alt); alt != "" {
		w.puts(": ")
		w.nested(alt)
	}
	w.put(']')
	w.lit = i + end + 2 + n
	return end + 2 + n, true
}

// nested weaves s, which holds no bracket, into out.
func (w *weaver) nested(s string) {
	src, lit := w.src, w.lit
	w.src, w.lit = s, 0
	for k := 0; k < len(s); {
		k += w.step(k)
	}
	w.src, w.lit = src, lit
}

// imageTarget reads "(target …)" or "[label]" at the start of s: its length and the target, if it is spelled out.
func imageTarget(s string) (int, string) {
	if s == "" || s[0] != '(' && s[0] != '[' {
		return 0, ""
	}
	stop, depth := byte(')'), 0
	if s[0] == '[' {
		stop = ']'
	}
	for k := 1; k < len(s) && k < maxImageTargetOctets; k++ {
		switch b := s[k]; {
		case b == '\\':
			k++
		case b == stop && depth == 0:
			if stop == ']' {
				return k + 1, ""
			}
			return k + 1, firstField(s[1:k])
		case b == stop:
			depth--
		case b == s[0]:
			depth++
		case b == '\n' && s[k-1] == '\n':
			return 0, ""
		}
	}
	return 0, ""
}

func firstField(s string) string {
	f := strings.Fields(s)
	if len(f) == 0 {
		return ""
	}
	return strings.Trim(f[0], "<>")
}

// angle handles "<": whatever could open an element, a comment, an autolink or a turn delimiter is broken.
func (w *weaver) angle(i int) int {
	rest := w.src[i+1:]
	w.put('<')
	switch {
	case rest == "":
	case rest[0] == '|' || strings.HasPrefix(rest, "｜"):
		w.escape(KindTurnMark)
		w.lit = i + 1
	case isAlpha(rest[0]) || rest[0] == '/' || rest[0] == '!' || rest[0] == '?':
		if !w.strict && bareAddress(rest) {
			break
		}
		w.escape(KindMarkup)
		w.lit = i + 1
	}
	return 1
}

// bareAddress reports "local@domain>" at the start of s: the usual way to write an address beside a name.
func bareAddress(s string) bool {
	end := strings.IndexByte(s[:min(len(s), 320)], '>')
	return end > 0 && plainAddrSpec(s[:end])
}

// plainAddrSpec reports an address of letters, digits and ".+-_" that no markup can read as anything else.
func plainAddrSpec(s string) bool {
	at := strings.IndexByte(s, '@')
	if at < 1 || at == len(s)-1 || len(s) > 320 || hasFoldPrefix(s, "www.") {
		return false
	}
	for k := 0; k < len(s); k++ {
		if b := s[k]; k != at && !isAlnum(b) && b != '.' && b != '-' && (k > at || b != '_' && b != '+') {
			return false
		}
	}
	return strings.Contains(s[at:], ".")
}

// reference breaks character references that stand for markup: a renderer decodes them before or after it looks for links.
func (w *weaver) reference(i int) int {
	w.put('&')
	if hidesMarkup(w.src[i+1:]) {
		w.escape(KindReference)
		w.lit = i + 1
	}
	return 1
}

func hidesMarkup(s string) bool {
	end := strings.IndexByte(s[:min(len(s), 34)], ';')
	if end < 1 {
		return false
	}
	if name := s[:end]; name[0] != '#' {
		switch name {
		case "lt", "LT":
			return end+1 < len(s) && (isAlpha(s[end+1]) || strings.IndexByte("/!?|", s[end+1]) >= 0)
		case "colon", "sol", "period", "commat", "lpar", "rpar", "lsqb", "lbrack", "rsqb", "rbrack", "excl", "bsol", "quest",
			"equals", "num", "percnt", "lowbar", "UnderBar", "grave", "DiacriticalGrave", "vert", "verbar", "VerticalLine", "ast",
			"midast", "Tab", "NewLine", "comma", "semi", "plus", "lcub", "lbrace", "rcub", "rbrace", "dollar", "fjlig",
			"ZeroWidthSpace", "zwj", "zwnj", "lrm", "rlm", "shy", "NoBreak", "af", "ApplyFunction", "it", "InvisibleTimes",
			"ic", "InvisibleComma":
			return true
		}
		return false
	}
	digits, base := s[1:end], 10
	if strings.HasPrefix(digits, "x") || strings.HasPrefix(digits, "X") {
		digits, base = digits[1:], 16
	}
	if digits == "" || strings.Trim(digits, "0123456789abcdefABCDEF") != "" {
		return false
	}
	n, err := strconv.ParseUint(digits, base, 32)
	return err != nil || n < 0xA0 || n > utf8.MaxRune || isInvisible(rune(n))
}

// command breaks LaTeX commands that load or link.
func (w *weaver) command(i int) int {
	w.put('\\')
	rest := w.src[i+1:]
	k := 0
	for k < len(rest) && k < 20 && isAlpha(rest[k]) {
		k++
	}
	if k == 0 || k == len(rest) || rest[k] != '{' && rest[k] != '[' {
		return 1
	}
	switch rest[:k] {
	case "href", "url", "includegraphics", "include", "input", "htmlStyle", "htmlClass", "htmlId", "htmlData", "require", "unicode",
		"def", "csname", "write", "openout", "hyperref", "nolinkurl", "path":
		w.out = append(w.out, rest[:k]...)
		w.escape(KindMarkup)
		w.lit = i + 1 + k
		return 1 + k
	}
	return 1
}

// codeFence breaks a run of three or more backticks or tildes that starts a line; diagrams and code blocks begin so.
func (w *weaver) codeFence(i int) int {
	k := i
	for k < len(w.src) && w.src[k] == w.src[i] {
		k++
	}
	if k-i >= 3 && w.blockStart() {
		w.escape(KindFenceRun)
		w.lit = i
	}
	w.out = append(w.out, w.src[i:k]...)
	return k - i
}

func isAlpha(b byte) bool { return b|0x20 >= 'a' && b|0x20 <= 'z' }

func isAlnum(b byte) bool { return isAlpha(b) || b >= '0' && b <= '9' }

func hasFoldPrefix(s, lower string) bool {
	return len(s) >= len(lower) && strings.EqualFold(s[:len(lower)], lower)
}
