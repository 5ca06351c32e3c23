package htmltext

import (
	"strings"
	"unicode/utf8"
)

// folder joins text on one line with single spaces and keeps at most max characters, counting all.
type folder struct {
	b     strings.Builder
	kept  int
	chars int
	max   int
}

// add appends s as a word of its own.
func (f *folder) add(s string) {
	for word := range strings.FieldsSeq(s) {
		if f.chars > 0 {
			f.put(" ")
		}
		f.put(word)
	}
}

// write appends s as it is.
func (f *folder) write(s string) { f.put(s) }

func (f *folder) put(s string) {
	n := utf8.RuneCountInString(s)
	f.chars += n
	if f.kept < f.max {
		s = cutRunes(s, f.max-f.kept)
		f.b.WriteString(s)
		f.kept += min(n, f.max-f.kept)
	}
}

func (f *folder) String() string { return f.b.String() }

// cutRunes returns at most n characters of s.
func cutRunes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// foldSpace joins s on one line, at most max characters.
func foldSpace(s string, max int) string {
	f := folder{max: max}
	f.add(s[:min(len(s), 8*max)])
	return f.String()
}
