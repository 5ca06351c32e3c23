package sanitize

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Verdict is what a comparison of a message's two texts says.
type Verdict string

// Verdicts of Compare.
const (
	VerdictSame          Verdict = "same"          // one says what the other says
	VerdictPlainStub     Verdict = "plain_stub"    // the plain text is a pointer to the HTML, or nearly empty beside it
	VerdictHTMLStub      Verdict = "html_stub"     // the HTML shows nearly nothing, the plain text does
	VerdictContradiction Verdict = "contradiction" // the two say different things
	VerdictDiffers       Verdict = "differs"       // they share most of their words, and each has a passage of its own
)

// Words lists the verdicts.
func (Verdict) Words() []string {
	return wordList(VerdictSame, VerdictPlainStub, VerdictHTMLStub, VerdictContradiction, VerdictDiffers)
}

// Comparison says how a message's plain text and HTML text relate.
type Comparison struct {
	Verdict Verdict `json:"verdict"`
	// ShowHTML reports that the HTML text is the one to show: it is what a person sees in an ordinary mail program.
	ShowHTML bool `json:"show_html"`
	// OnlyPlain and OnlyHTML are the parts of each text's words that the other lacks, in percent.
	OnlyPlain int `json:"only_plain_percent"`
	OnlyHTML  int `json:"only_html_percent"`
	// Note says why, in our words.
	Note Clean `json:"note,omitzero"`
}

const (
	stubWords    = 40 // Limit: a text with more words than this says something of its own
	stubRatio    = 5  // Limit: and a text that is not a fifth of the other is a stub beside it
	sameShare    = 75 // Limit: percent of words in common from which two texts are one message; footers and alt texts differ
	differShare  = 40 // Limit: percent below which two texts of any length are two messages
	minSaying    = 8  // Limit: words below which a share means nothing
	maxCompared  = 1 << 20
	maxWordRunes = 40
)

// Compare compares the two texts of one message, as they came from ForModel and HTML. It counts words, so order and
// layout do not matter. Where the texts disagree on a number or an address that looks like an account, an amount or a
// recipient, two texts that are otherwise the same contradict each other: that is where a difference is worth hiding.
func Compare(plain, html Clean) Comparison {
	p, h := wordBag(plain.s), wordBag(html.s)
	c := Comparison{OnlyPlain: missing(p, h), OnlyHTML: missing(h, p)}
	switch {
	case h.total == 0:
		c.Verdict, c.Note = VerdictHTMLStub, Literal("the HTML shows no words")
	case p.total == 0, p.total < stubWords && p.total*stubRatio < h.total, p.total < stubWords && pointsElsewhere(plain.s) && h.total > p.total:
		c.Verdict, c.ShowHTML, c.Note = VerdictPlainStub, true, Sprintf("the plain text has %d words, the HTML text has %d", p.total, h.total)
	case h.total < stubWords && h.total*stubRatio < p.total:
		c.Verdict, c.Note = VerdictHTMLStub, Sprintf("the HTML text has %d words, the plain text has %d", h.total, p.total)
	case p.total >= minSaying && 100-c.OnlyPlain < differShare:
		c.Verdict, c.ShowHTML = VerdictContradiction, true
		c.Note = Sprintf("%d percent of the plain text's words are not in the HTML text", c.OnlyPlain)
	case figuresDiffer(p, h):
		c.Verdict, c.ShowHTML = VerdictContradiction, true
		c.Note = Literal("the two texts name different numbers or addresses")
	case 100-c.OnlyPlain < sameShare:
		c.Verdict, c.ShowHTML = VerdictDiffers, true
		c.Note = Sprintf("%d percent of the plain text's words are not in the HTML text", c.OnlyPlain)
	case h.total > 2*p.total && h.total-p.total > stubWords:
		c.Verdict, c.ShowHTML = VerdictDiffers, true
		c.Note = Sprintf("%d percent of the HTML text's words are not in the plain text", c.OnlyHTML)
	default:
		c.Verdict = VerdictSame
	}
	return c
}

// bag counts words and keeps figures (long numbers, amounts, addresses) apart.
type bag struct {
	words   map[string]int
	figures map[string]bool
	total   int
}

func wordBag(s string) bag {
	b := bag{words: map[string]int{}, figures: map[string]bool{}}
	s = strings.ToLower(unmarked(clip(s, 0, min(len(s), maxCompared))))
	for f := range strings.FieldsSeq(s) {
		b.figure(strings.Trim(f, ".,;:!?()[]<>\"'*_|“”„"))
		for w := range strings.FieldsFuncSeq(f, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.M, r) }) {
			b.word(w)
		}
	}
	return b
}

// word adds a word; scripts without spaces are cut into single characters.
func (b *bag) word(w string) {
	if first, _ := utf8.DecodeRuneInString(w); first >= 0xE00 && first < 0xEFF || first >= 0x2E80 && first < 0xA000 || first >= 0xAC00 && first < 0xD7B0 {
		for _, r := range w {
			b.words[string(r)]++
			b.total++
		}
		return
	}
	if utf8.RuneCountInString(w) <= maxWordRunes {
		b.words[w]++
		b.total++
	}
}

// figure keeps what money or mail is sent to: an address, a number of six or more digits, an amount with a decimal.
func (b *bag) figure(f string) {
	f = strings.NewReplacer(`\`, "", "[at]", "@", "[.]", ".").Replace(f)
	if strings.Contains(f, "@") && strings.Contains(f, ".") {
		b.figures[f] = true
		return
	}
	digits := strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, f)
	if len(digits) >= 6 || len(digits) >= 3 && strings.ContainsAny(f, ".,$€£") {
		b.figures[digits] = true
	}
}

// unmarked takes our own marks and notes out of a text.
func unmarked(s string) string {
	var b strings.Builder
	for {
		open := strings.Index(s, markOpen)
		if open < 0 {
			break
		}
		end := strings.Index(s[open:], markClose)
		if end < 0 {
			break
		}
		b.WriteString(s[:open] + " ")
		s = s[open+end+len(markClose):]
	}
	b.WriteString(s)
	return dropNotes(b.String())
}

// dropNotes takes out the bracketed notes that this package writes.
func dropNotes(s string) string {
	var b strings.Builder
	for {
		k := strings.IndexByte(s, '[')
		if k < 0 {
			break
		}
		b.WriteString(s[:k])
		s = s[k:]
		closing := byte(']')
		if strings.HasPrefix(s, otherViewNote[:len(otherViewNote)-1]) || strings.HasPrefix(s, uncertainNote) {
			closing = ':' // what follows is shown
		}
		end := strings.IndexByte(s[:min(len(s), maxAltChars*4)], closing)
		if end < 0 || closing == ']' && !ourNote(s) {
			end = 0
		}
		b.WriteByte(' ')
		s = s[end+1:]
	}
	b.WriteString(s)
	return b.String()
}

func ourNote(s string) bool {
	for _, note := range []string{"[image", "[hidden text withheld", "[preheader withheld", foldNote, "[encoded data", "[data URI", hiddenCode} {
		if strings.HasPrefix(s, note) {
			return true
		}
	}
	return false
}

// missing is the share of a's words, in percent, that b does not have as often.
func missing(a, b bag) int {
	if a.total == 0 {
		return 0
	}
	n := 0
	for w, count := range a.words {
		n += max(0, count-b.words[w])
	}
	return 100 * n / a.total
}

// figuresDiffer reports that each text has a figure which the other lacks.
func figuresDiffer(a, b bag) bool { return lacks(a.figures, b.figures) && lacks(b.figures, a.figures) }

func lacks(a, b map[string]bool) bool {
	for f := range a {
		if !b[f] {
			return true
		}
	}
	return false
}

// pointsElsewhere reports a plain part that only says to read the other one.
func pointsElsewhere(s string) bool {
	return containsAnyText(strings.ToLower(s), []string{"html", "view this email in", "view in browser", "view online", "cannot be displayed", "im browser", "kann nicht angezeigt", "im webbrowser", "votre navigateur", "en ligne",
		"en tu navegador", "en su navegador", "no navegador", "nel browser", "in je browser", "in uw browser", "w przeglądarce", "в браузере", "tarayıcı", "ブラウザ", "浏览器", "브라우저", "المتصفح", "ब्राउज़र"})
}
