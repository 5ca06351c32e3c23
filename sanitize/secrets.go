package sanitize

import (
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// One-time codes and sign-in links let whoever holds them act as the mailbox's owner, and they reach a mailbox because
// somebody asked for them, perhaps not its owner. They are masked unless a caller asks for them. A number is taken for
// a code by the words around it, in its own line and the lines before; numbers with a job of their own (prices, dates,
// telephone and order numbers) are left alone.

const (
	hiddenCode = "[one-time code hidden]"
	hiddenLink = "[sign-in link hidden]"

	// maxSecretOctets is how far into a text codes are looked for. Limit: mails with codes are short; beyond it, time.
	maxSecretOctets = 256 << 10
	// maxCandidates bounds the numbers whose surroundings are read, so a long table of numbers costs little.
	maxCandidates = 2000
)

// maskCodes replaces one-time codes in s. A mask changes what stands around the next number, so it looks again until
// nothing is found, a few times at most.
func maskCodes(s string, c *counts) string {
	for range 4 {
		masked := maskOnce(s, c)
		if masked == s {
			break
		}
		s = masked
	}
	return s
}

func maskOnce(s string, c *counts) string {
	m := masker{s: s[:min(len(s), maxSecretOctets)]}
	var b strings.Builder
	done, tried := 0, 0
	for i := 0; i < len(m.s) && tried < maxCandidates; {
		start, end := nextCandidate(m.s, i)
		if start < 0 || m.low == "" && !m.read() {
			break
		}
		i = end
		if !anyWord(m.near, start, end) && !(m.stands(start, end) && anyWord(m.cues, start, end)) {
			continue
		}
		if tried++; m.isCode(start, end) {
			b.WriteString(s[done:start])
			writeHidden(&b, s, start, end)
			c.add(KindSecret, 1)
			done, m.taken = end, end
		}
	}
	if done == 0 {
		return s
	}
	b.WriteString(s[done:])
	return b.String()
}

// read looks for words that go with codes; it reports whether there are any.
func (m *masker) read() bool {
	m.low = lowerSame(m.s)
	m.near, m.cues = hintIndex().find(m.low), cueIndex().find(m.low)
	return len(m.near)+len(m.cues) > 0
}

// maxReach is how far from a number the words that make it a code may stand, in octets.
const maxReach = 320

// masker is one search for codes.
type masker struct {
	s, low string // low is s in lower case, octet for octet
	near   []int  // where words for codes begin, in order
	cues   []int  // where cues begin, in order
	taken  int    // where the last code that was found ends
}

// anyWord reports that one of the places, in order, lies within reach of s[start:end].
func anyWord(places []int, start, end int) bool {
	k := sort.SearchInts(places, start-maxReach)
	return k < len(places) && places[k] < end+maxReach
}

// stands reports that s[start:end] stands where cues count: at an end of its line, or after a colon.
func (m *masker) stands(start, end int) bool {
	before := strings.TrimRight(clip(m.s, max(0, start-8), start), " \t*>|-_=.#`\"'«»")
	after := strings.TrimLeft(clip(m.s, end, min(len(m.s), end+8)), " \t*>|-_=.#`\"'«»")
	return before == "" || after == "" || after[0] == '\n' || strings.HasSuffix(before, "\n") || strings.HasSuffix(before, ":") || strings.HasSuffix(before, "：")
}

// writeHidden writes the mark for the code s[start:end]. The brackets must not start a construct with what stands beside them.
func writeHidden(b *strings.Builder, s string, start, end int) {
	if start > 0 && s[start-1] == '!' {
		b.WriteByte('\\')
	}
	b.WriteString(hiddenCode)
	if end < len(s) && (s[end] == '(' || s[end] == ':') {
		b.WriteByte('\\')
	}
}

func isDigit(b byte) bool { return b >= '0' && b <= '9' }

// isCode weighs the words around a candidate. Three things make a number a code: a phrase that means nothing else; a
// word like "code" that belongs to it and to the reader; or such a word, or a request to type it, in a message about
// signing in. A word for another kind of number beside it outweighs them all.
func (m *masker) isCode(start, end int) bool {
	s, shape := m.s, shapeOf(m.s[start:end])
	near := max(0, start-maxReach) // of a longer line no more is read
	lineStart := near + strings.LastIndexByte(s[near:start], '\n') + 1
	lineEnd := lineEnd(s[:min(len(s), end+maxReach)], end)
	before, after := pastMasks(m.words(max(lineStart, start-90), start)), m.words(end, min(lineEnd, end+60))
	if m.taken > lineStart && hasProse(m.low[m.taken:start]) {
		before = m.words(max(m.taken, start-90), start) // the words before a code that was found belong to that one
	}
	if other := otherIndex().last(before); other > max(len(before)-40, codeIndex().last(before)) || startsWithUnit(after) || hasWordFirst(sentence(after), otherIndex(), 14) {
		return false
	}
	alone := strings.Trim(s[lineStart:start]+s[end:lineEnd], " \t*>|-_=:.#`\"'«»") == ""
	if yearLike(s[start:end]) && !alone && !strings.ContainsAny(before[max(0, len(before)-3):], ":：=") {
		return false
	}
	if shape == weakShape && !alone {
		return false
	}
	if hasWord(before, codeIndex(), 60) || namesIt(after) || belongs(before, after) || handedOver(after) {
		return true
	}
	above, below := m.words(max(0, lineStart-220), lineStart), m.words(lineEnd, min(len(s), lineEnd+160))
	if named := strings.TrimRight(before, " :：="); len(s[start:end]) >= 6 && strings.TrimSpace(after) == "" && named != before && slices.Contains(codeNouns(), strings.TrimSpace(named)) {
		return true // a line of its own: "Code: 448812"
	}
	if alone {
		return !hasWord(lastLine(above), otherIndex(), 80) && m.announced(s[start:end], above, below)
	}
	if typedInline(s[start:end], before, after) || typedTAN(before, after) || before == "" && opensLine(after) || afterColon(before, after) {
		return true
	}
	if !hasWord(before, nounIndex(), 40) && !hasWordFirst(after, nounIndex(), 24) && !hasWord(before, verbIndex(), 24) {
		return false
	}
	return wantIndex().has(before) || wantIndex().has(after) || wantIndex().has(lastLine(above)) || wantIndex().has(firstLine(below))
}

// announced reports that the lines around a number that stands alone speak of a code: by its name, by two cues, or by
// one if the number is set in groups or mixed with letters, as hardly anything but a code is.
func (m *masker) announced(code, above, below string) bool {
	if hasWord(above, codeIndex(), 200) || hasWordFirst(below, codeIndex(), 120) {
		return true
	}
	if (nounIndex().has(above) || nounIndex().has(below)) && (wantIndex().has(above) || wantIndex().has(below)) {
		return true
	}
	before, after := cues(lastLines(above, 2)), cues(firstLine(below))
	if all := before | after; all.two() && (before != 0 || all&(cueThing|cueEntry) != 0) {
		return true
	}
	return len(code) >= 6 && strings.Trim(code, "0123456789") != "" && before&(cueEntry|cueSignIn) != 0
}

// belongs reports that before ends in "your code is", "PIN:" or "the code to log in is": a verb or a colon right before the
// number, a noun for a code not far from it, and a reader or a sign-in that it belongs to.
func belongs(before, after string) bool {
	head := strings.TrimRight(before, " :：=-—([*\"„“»>")
	linked := strings.ContainsAny(before[len(head):], ":：=-—")
	for _, verb := range linkingVerbs() {
		if h, ok := strings.CutSuffix(head, verb); ok {
			head, linked = strings.TrimRight(h, " "), true
			break
		}
	}
	if !linked || !hasWord(head, nounIndex(), 60) {
		return false
	}
	return strings.HasSuffix(head, "pin") || hasWord(head, ownIndex(), 60) || wantIndex().has(head) || wantIndex().has(after)
}

// namesIt reports a word for a code right after a number, unless that word announces the next number.
func namesIt(after string) bool {
	at := codeIndex().first(after[:min(len(after), 40)])
	if at < 0 {
		return false
	}
	name, next, colon := strings.Cut(sentence(after[at:]), ":")
	return !colon || strings.ContainsAny(name, "0123456789") || !strings.ContainsAny(next, "0123456789[")
}

// sentence is s up to the end of its first sentence.
func sentence(s string) string {
	if k := strings.Index(s, ". "); k >= 0 {
		return s[:k]
	}
	return s
}

// pastMasks is what stands after the last mask in s, if that is more than a conjunction in a list of codes.
func pastMasks(s string) string {
	if k := strings.LastIndex(s, "[]"); k >= 0 && hasProse(s[k:]) {
		return s[k:]
	}
	return s
}

// hasProse reports more than a short word.
func hasProse(s string) bool {
	n := 0
	for _, r := range s {
		if unicode.IsLetter(r) {
			if n++; n > 5 {
				return true
			}
		}
	}
	return false
}

// typedInline reports six digits beside a word for typing, in a line that speaks of confirming something or of keeping it
// to oneself: "enter 447109 in the app, it is valid for three minutes".
func typedInline(code, before, after string) bool {
	if digits := strings.NewReplacer(" ", "", "-", "").Replace(code); len(digits) != 6 || strings.Trim(digits, "0123456789") != "" {
		return false
	}
	beside := cues(clip(before, max(0, len(before)-30), len(before))) | cues(clip(after, 0, min(len(after), 40)))
	return beside&cueEntry != 0 && (cues(before)|cues(after))&(cueSignIn|cueCare) != 0 && !otherIndex().has(before) && !nounIndex().has(before)
}

// typedTAN reports "enter the TAN" right before a number, or "the PIN" before and "enter" after it. Other nouns need more:
// codes for a discount are typed as well.
func typedTAN(before, after string) bool {
	head := strings.TrimRight(before, " :\"„“(")
	named := strings.HasSuffix(head, " tan") || strings.HasSuffix(head, " pin") || strings.HasSuffix(head, " mtan")
	return named && (cues(before)|cues(firstLine(after)))&cueEntry != 0
}

// opensLine reports that a number at the start of a line is explained by the rest of it: "48 20 91 – your access to Foo".
func opensLine(after string) bool {
	rest := strings.TrimLeft(after, " *")
	if rest == after || strings.TrimLeft(rest, "–—-:=") == rest {
		return false
	}
	c := cues(rest)
	return c&cueSignIn != 0 && (c&(cueEntry|cueCare) != 0 || ownIndex().has(rest)) && !otherIndex().has(rest)
}

// afterColon reports "Confirm your login: 559 021. Tell nobody.": a colon, signing in before it, care after the number.
func afterColon(before, after string) bool {
	head := strings.TrimRight(before, " ")
	return strings.TrimRight(head, ":：") != head && cues(head)&cueSignIn != 0 && cues(after)&cueCare != 0 && !otherIndex().has(head)
}

// handedOver reports that after begins like "is your Foo code".
func handedOver(after string) bool {
	rest := strings.TrimLeft(after, " )]*—-")
	for _, start := range []string{"is your", "is the", "ist ihr", "ist dein", "ist der", "est votre", "est le", "es tu", "es su", "es el", "è il", "é o", "is je", "is uw", "is de", "to twój", "ваш", "твой", "är din"} {
		if strings.HasPrefix(rest, start) {
			return hasWordFirst(rest, nounIndex(), 48) || hasWordFirst(rest, codeIndex(), 48) || cues(rest)&(cueSignIn|cueCare) == cueSignIn|cueCare
		}
	}
	return false
}

// words is a part of the text in lower case, without the words of our own mark.
func (m *masker) words(from, to int) string {
	return strings.ReplaceAll(strings.ReplaceAll(clip(m.low, from, to), hiddenCode, "[]"), "in order to", "to")
}

// lowerSame is s in lower case, where that has the same length; positions in it are positions in s.
func lowerSame(s string) string {
	if firstOdd(s) == len(s) {
		return strings.ToLower(s)
	}
	return strings.Map(func(r rune) rune {
		if l := unicode.ToLower(r); utf8.RuneLen(l) == utf8.RuneLen(r) {
			return l
		}
		return r
	}, s)
}

// clip is s[from:to], moved inwards to whole characters.
func clip(s string, from, to int) string {
	for from < to && !utf8.RuneStart(s[from]) {
		from++
	}
	for to > from && to < len(s) && !utf8.RuneStart(s[to]) {
		to--
	}
	return s[from:to]
}

func lastLine(s string) string { return lastLines(s, 1) }

// lastLines is the last n lines of s with words in them.
func lastLines(s string, n int) string {
	s = strings.TrimRight(s, " \n\t")
	for i := len(s); ; {
		i = strings.LastIndexByte(s[:i], '\n')
		if n--; i < 0 || n == 0 {
			return s[i+1:]
		}
		i = len(strings.TrimRight(s[:i], " \n\t"))
	}
}

// firstLine is the first line of s with words in it.
func firstLine(s string) string {
	s = strings.TrimLeft(s, " \n\t")
	head, _, _ := strings.Cut(s, "\n")
	return head
}

func yearLike(s string) bool {
	return len(s) == 4 && (strings.HasPrefix(s, "19") || strings.HasPrefix(s, "20"))
}

// hasWord reports that one of the words begins within the last n octets of s.
func hasWord(s string, x *wordIndex, n int) bool { return x.has(clip(s, max(0, len(s)-n), len(s))) }

// hasWordFirst reports that one of the words stands within the first n octets of s.
func hasWordFirst(s string, x *wordIndex, n int) bool { return x.has(s[:min(len(s), n)]) }

// startsWithUnit reports that a number is counted in something: "2000 people", "1500 km", "4500 EUR".
func startsWithUnit(after string) bool {
	word := strings.TrimLeft(after, " \u00a0")
	if word == after || word == "" {
		return false
	}
	return unitIndex().has(word[:min(len(word), 12)]) && !strings.HasPrefix(word, "(")
}
