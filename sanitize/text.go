package sanitize

import (
	"strings"
	"unicode/utf8"

	"mailgap/shared/guardswitch"
)

// DefaultMaxChars is the length of a result's text, in characters, when Options.MaxChars is zero.
const DefaultMaxChars = 50_000

// maxInputOctets bounds what is read of one text at all. Limit: ten times the longest body a mail client shows unasked;
// the passes are linear, so this bounds time as well.
const maxInputOctets = 16 << 20

// Options says how much of a text is shown. The zero value is the safe one: secrets masked, hidden passages withheld.
type Options struct {
	// MaxChars bounds the text in characters; zero means DefaultMaxChars, a negative number no bound but the input's.
	// Beyond it the text is cut as Slice cuts and Result.Truncated is set.
	MaxChars int
	// FoldQuotes replaces quoted history by a note of its length.
	FoldQuotes bool
	// RevealSecrets shows one-time codes and sign-in links, which are masked otherwise.
	RevealSecrets bool
	// ShowHidden fills Hidden.Text of the passages that a person would not see. They never join the text.
	ShowHidden bool
	// Strict also writes plain mail addresses and host names so that no renderer links them: alice[at]shop[.]example.
	// Without it a renderer may turn an address into a mailto link, which shows what it does, or a bare name into a link.
	Strict bool
	// Where labels the findings and signals, for example Literal("body"); it may stay empty.
	Where Clean
}

// Result is what one text became.
type Result struct {
	// Text is the text as a person would see it, with nothing in it that acts when rendered.
	Text Clean `json:"text"`
	// Findings counts what was removed, replaced or noticed, sorted by kind.
	Findings []Finding `json:"findings,omitempty"`
	// Links are the targets behind the link marks in the whole text, in order, at most 500.
	Links []Link `json:"links,omitempty"`
	// Hidden are the passages a person would not see, in order (HTML only).
	Hidden []Hidden `json:"hidden,omitempty"`
	// Notes say which limits were met and what could not be judged (HTML only).
	Notes []Clean `json:"notes,omitempty"`
	// Signals are shapes of injected instructions; they annotate and never filter.
	Signals []Signal `json:"signals,omitempty"`
	// TotalChars is the length of the whole text before MaxChars cut it.
	TotalChars int `json:"total_chars"`
	// FoldedChars is how many characters of quoted history were folded.
	FoldedChars int `json:"folded_chars,omitempty"`
	// HiddenChars is how many characters were withheld because a person would not see them.
	HiddenChars int `json:"hidden_chars,omitempty"`
	// Secrets is how many one-time codes and sign-in links were masked.
	Secrets int `json:"secrets_masked,omitempty"`
	// Truncated reports that Text ends before the whole text does.
	Truncated bool `json:"truncated,omitempty"`
}

// Hidden is a passage that a person reading the message would not see, or may not.
type Hidden struct {
	// Technique says how it was hidden, in our words.
	Technique Clean `json:"technique"`
	// Chars is its length in characters.
	Chars int `json:"chars"`
	// Preheader reports the short hidden line that mail clients show in the list of messages: the one common honest case.
	Preheader bool `json:"preheader,omitempty"`
	// Uncertain reports that the passage stands in the text, because only some readers do not see it.
	Uncertain bool `json:"uncertain,omitempty"`
	// Elsewhere reports that another common view of the message (a telephone, dark colours) shows it.
	Elsewhere bool `json:"elsewhere,omitempty"`
	// Text is the passage on one line, empty unless Options.ShowHidden.
	Text Clean `json:"text,omitzero"`
}

// ForModel makes untrusted text of many lines fit for a model. The order of its passes is part of its safety:
//
//  1. normalise: valid UTF-8, one line end, no control, escape sequence or idle invisible character. First, because
//     everything later looks for neighbours, and an invisible character between two neighbours would hide them.
//  2. fold: quoted history is recognised by its lines, before anything is added to them.
//  3. blobs: encoded runs become their length.
//  4. weave: URLs become marks, and every place where markup could start is broken.
//  5. mask: one-time codes are masked in what is about to be shown, so no later pass can bring one back.
//  6. cut: to the length asked for. Signals are taken from the text after pass 1, where nothing is broken or masked.
//
// The caller's fence comes last. ForModel is linear in its input and safe for concurrent use; running it on its own
// text changes nothing.
func ForModel(text string, o Options) Result {
	if guardswitch.Off(guardswitch.Reading) {
		return unguarded(text)
	}
	c := &counts{}
	s := normalise(clip(text, 0, min(len(text), maxInputOctets)), c)
	r := Result{Truncated: len(text) > maxInputOctets, Signals: Signals(s, o.Where)}
	if o.FoldQuotes {
		s, r.FoldedChars = foldHistory(s)
	}
	return finish(s, nil, c, r, o)
}

// finish runs the passes that text and HTML share.
func finish(s string, anchors []anchor, c *counts, r Result, o Options) Result {
	w := weaver{src: foldBlobs(s, c), anchors: anchors, strict: o.Strict, reveal: o.RevealSecrets, c: c}
	if len(anchors) > 0 {
		w.links = make([]Link, 0, min(len(anchors), maxLinks))
	}
	w.run()
	s = string(w.out)
	if !o.RevealSecrets {
		s = maskCodes(s, c)
	}
	if o.Strict {
		s = strictNames(s)
	}
	c.add(KindConfusable, confusableWords(s))
	r.Links, r.Secrets = w.links, c.n[KindSecret]
	r.TotalChars = utf8.RuneCountInString(s)
	r.Text = Clean{s}
	limit := o.MaxChars
	if limit == 0 {
		limit = DefaultMaxChars
	}
	if limit > 0 && r.TotalChars > limit {
		r.Text, r.Truncated = Slice(r.Text, 0, limit), true
	}
	r.Findings = c.findings(o.Where)
	return r
}

// Line makes an untrusted value of one line fit for a model: a subject, display name, file name, mailbox name or
// server reply. Line ends and tabs become spaces, URLs are written as Defang writes them, one-time codes are masked.
// Beyond maxChars characters the value is cut and ends in "…"; zero means 500.
func Line(s string, maxChars int) Clean { return line(s, Options{MaxChars: maxChars}, nil).Text }

// LineResult is Line with options and with what was found. Options.MaxChars of zero means 500.
func LineResult(s string, o Options) Result {
	c := &counts{}
	r := line(s, o, c)
	r.Signals = Signals(normalise(s[:min(len(s), maxSecretOctets)], nil), o.Where)
	r.Findings = c.findings(o.Where)
	return r
}

func line(s string, o Options, c *counts) Result {
	if guardswitch.Off(guardswitch.Reading) {
		return unguarded(s)
	}
	limit := o.MaxChars
	if limit <= 0 {
		limit = maxArgChars
	}
	if c == nil {
		c = &counts{}
	}
	if len(s) <= limit && isWords(s) {
		return Result{Text: Clean{strings.TrimSpace(s)}, TotalChars: len(strings.TrimSpace(s))}
	}
	s = normalise(clip(s, 0, min(len(s), limit*16)), c)
	w := weaver{src: oneLine(s), inline: true, strict: o.Strict, reveal: o.RevealSecrets, c: c}
	w.run()
	s = string(w.out)
	if !o.RevealSecrets {
		s = maskCodes(s, c)
	}
	if o.Strict {
		s = strictNames(s)
	}
	c.add(KindConfusable, confusableWords(s))
	r := Result{Text: Clean{s}, TotalChars: utf8.RuneCountInString(s), Secrets: c.n[KindSecret]}
	if r.TotalChars > limit {
		r.Text, r.Truncated = Clean{strings.TrimRight(Slice(r.Text, 0, limit-1).s, " ") + "…"}, true
	}
	return r
}

// isWords reports letters, spaces and commas of ASCII: nothing that any pass would look at.
func isWords(s string) bool {
	for k := 0; k < len(s); k++ {
		if b := s[k]; !isAlpha(b) && b != ' ' && b != ',' {
			return false
		}
	}
	return true
}

// lineText is s through Line without masks or a limit of its own, for words inside our own values.
func lineText(s string) string {
	w := weaver{src: oneLine(normalise(s, nil)), inline: true, reveal: true}
	w.run()
	return string(w.out)
}

func oneLine(s string) string {
	if strings.ContainsAny(s, "\n\t") {
		s = strings.Map(func(r rune) rune {
			if r == '\n' || r == '\t' {
				return ' '
			}
			return r
		}, s)
	}
	return strings.TrimSpace(s)
}

// Address makes an untrusted address fit for a model and keeps it usable: an address of ordinary letters, digits and
// punctuation comes back as it is, so that a model can name it when it replies. Everything else passes Line with a limit
// of 320 characters (RFC 5321 §4.5.3.1: 64 for the local part, 255 for the domain, the at sign).
func Address(addr string) Clean {
	if plainAddrSpec(addr) {
		return Clean{addr}
	}
	return Line(addr, maxAddressChars)
}

const maxAddressChars = 320

// Slice returns at most n characters of c from character offset on, to page through a long text: the next page
// starts at offset plus the length of this one. The end is moved back, by at most 200 characters, so that no mark, escape
// or character sequence is divided; the start is taken as given. Beyond the end it returns the empty text.
func Slice(c Clean, offset, n int) Clean {
	s := c.s
	from := charOffset(s, offset)
	if n <= 0 || from == len(s) {
		return Clean{}
	}
	s = s[from:]
	end := charOffset(s, n)
	if end == len(s) {
		return Clean{s}
	}
	if whole := wholeEnd(s, end); whole > 0 {
		end = whole
	}
	return Clean{s[:end]}
}

// charOffset is the offset in octets of character n, len(s) beyond the end.
func charOffset(s string, n int) int {
	if n <= 0 {
		return 0
	}
	if n >= len(s) {
		return len(s)
	}
	for i := range s {
		if n--; n < 0 {
			return i
		}
	}
	return len(s)
}

// wholeEnd moves end back to a place that divides nothing; 0 if there is none near.
func wholeEnd(s string, end int) int {
	floor := max(0, end-200)
	if open := strings.LastIndex(s[floor:end], markOpen); open >= 0 && !strings.Contains(s[floor+open:end], markClose) {
		end = floor + open
	}
	for _, mark := range []string{hiddenCode, hiddenLink} {
		if open := strings.LastIndexByte(s[max(0, end-len(mark)+1):end], '['); open >= 0 {
			if at := max(0, end-len(mark)+1) + open; strings.HasPrefix(s[at:], mark) {
				end = at
			}
		}
	}
	for end > floor && divides(s, end) {
		_, size := utf8.DecodeLastRuneInString(s[:end])
		end -= size
	}
	if end == floor && floor > 0 {
		return 0
	}
	return end
}

// divides reports that cutting s at end would part an escape or a character from what belongs to it.
func divides(s string, end int) bool {
	before, _ := utf8.DecodeLastRuneInString(s[:end])
	after, _ := utf8.DecodeRuneInString(s[end:])
	switch {
	case before == '\\', isJoinerOrSelector(after), before == 0x200D, isMark(after):
		return true
	case after >= 0x1F3FB && after <= 0x1F3FF:
		return true
	case isRegional(before) && isRegional(after):
		return true
	case isBidiControl(after) && !isDirectionMark(after):
		return false
	}
	return false
}
