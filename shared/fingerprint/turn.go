package fingerprint

import "strings"

// turn is a way in which a view is read.
type turn int

const (
	asIs turn = iota
	rot13
	backwards
	wordsReversed
)

// name is the word for t in Passage.View.
func (t turn) name() string {
	switch t {
	case rot13:
		return "rot13"
	case backwards:
		return "reversed"
	case wordsReversed:
		return "words reversed"
	}
	return ""
}

// of reads s in the way of t.
func (t turn) of(s string) string {
	switch t {
	case rot13:
		return turnLetters(s)
	case backwards:
		return reversed(s)
	case wordsReversed:
		return eachReversed(s)
	}
	return s
}

// turnLetters turns each ASCII letter by thirteen places.
func turnLetters(s string) string {
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

// eachReversed turns the order of characters within each word.
func eachReversed(s string) string {
	var b strings.Builder
	b.Grow(len(s) + 1)
	for word := range strings.FieldsSeq(s) {
		b.WriteString(reversed(word))
		b.WriteByte(' ')
	}
	return b.String()
}
