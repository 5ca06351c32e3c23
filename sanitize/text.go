package sanitize

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// DefaultMaxChars is the length of a result's text, in characters, when Options.MaxChars is zero.
const DefaultMaxChars = 50_000

// Options says how much of a text is shown. The zero value is the safe one: secrets masked, hidden passages withheld.
type Options struct {
	// MaxChars bounds the text in characters; zero means DefaultMaxChars, a negative number no bound but the input's.
	// Beyond it the text is cut between two characters and Result.Truncated is set.
	MaxChars int
	// FoldQuotes replaces quoted history by a note of its length.
	FoldQuotes bool
	// RevealSecrets shows one-time codes and sign-in links, which are masked otherwise.
	RevealSecrets bool
	// ShowHidden fills Result.Hidden with the text of passages that a person would not see.
	ShowHidden bool
	// Where labels the findings, for example Literal("body"); empty means "text".
	Where Clean
}

// Result is what one text became.
type Result struct {
	// Text is the text as a person would see it, with nothing in it that acts when rendered.
	Text Clean `json:"text"`
	// Findings counts what was removed, replaced or noticed, sorted by kind.
	Findings []Finding `json:"findings,omitempty"`
	// Links are the targets behind the link marks in Text, numbered from 1.
	Links []Link `json:"links,omitempty"`
	// Hidden are the passages a person would not see.
	Hidden []Hidden `json:"hidden,omitempty"`
	// Signals are shapes of injected instructions; they annotate and never filter.
	Signals []Signal `json:"signals,omitempty"`
	// TotalChars is the length of the whole text before MaxChars cut it.
	TotalChars int `json:"total_chars"`
	// FoldedChars is how many characters of quoted history were folded.
	FoldedChars int `json:"folded_chars,omitempty"`
	// Secrets is how many one-time codes and sign-in links were masked.
	Secrets int `json:"secrets_masked,omitempty"`
	// Truncated reports that Text ends at MaxChars.
	Truncated bool `json:"truncated,omitempty"`
}

// Kind names what a Finding counted.
type Kind string

// Finding says what was removed, replaced or noticed in a text, and how often.
type Finding struct {
	Kind  Kind  `json:"kind"`
	Count int   `json:"count"`
	Where Clean `json:"where,omitzero"`
}

// Hidden is a passage that a person reading the message would not see.
type Hidden struct {
	// Technique says how it was hidden, in our words.
	Technique Clean `json:"technique"`
	// Chars is its length in characters.
	Chars int `json:"chars"`
	// Text is the passage, empty unless Options.ShowHidden.
	Text Clean `json:"text,omitzero"`
}

// ForModel makes untrusted text of many lines fit for a model.
func ForModel(text string, o Options) Result {
	max := o.MaxChars
	if max == 0 {
		max = DefaultMaxChars
	}
	s := plain(text, true)
	r := Result{TotalChars: utf8.RuneCountInString(s)}
	c := Clean{s}
	if max > 0 && r.TotalChars > max {
		c, r.Truncated = Slice(c, 0, max), true
	}
	r.Text = c
	return r
}

// Line makes an untrusted value of one line fit for a model: a subject, display name, file name, mailbox name or
// server reply. Line ends become spaces. Beyond maxChars characters it is cut and ends in "…"; zero means 500.
func Line(s string, maxChars int) Clean {
	if maxChars <= 0 {
		maxChars = maxArgChars
	}
	c := Clean{strings.TrimSpace(plain(s, false))}
	if c.Len() > maxChars {
		c = Clean{Slice(c, 0, maxChars-1).s + "…"}
	}
	return c
}

// Address makes an untrusted address fit for a model and keeps it usable: a model has to be able to name it.
func Address(addr string) Clean { return Line(addr, 320) }

// Slice returns n characters of c starting at character offset. Beyond the end it returns the empty text.
func Slice(c Clean, offset, n int) Clean {
	r := []rune(c.s)
	offset = min(max(offset, 0), len(r))
	return Clean{string(r[offset:min(offset+max(n, 0), len(r))])}
}

func plain(s string, lines bool) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	s = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u2028", "\n", "\u2029", "\n", "\u0085", "\n", "\v", "\n", "\f", "\n").Replace(s)
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' && lines:
			return r
		case r == '\n' || r == '\t':
			return ' '
		case unicode.IsControl(r), r >= 0xE0000 && r <= 0xE0FFF, r >= 0x200B && r <= 0x200F, r >= 0x202A && r <= 0x202E, r >= 0x2060 && r <= 0x206F:
			return -1
		}
		return r
	}, strings.NewReplacer("://", "[:]//", "![", "!\\[", "](", "]\\(", "<", "‹").Replace(s))
}
