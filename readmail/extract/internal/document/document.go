// Package document holds what the readers of single formats share: the result, the limits, the errors, and a
// builder that never grows beyond its limit. It imports nothing of ours.
package document

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Why a document gave no text. The messages are part of package extract, which hands these on.
var (
	ErrUnsupported = errors.New("extract: kind of file is not supported")
	ErrEncrypted   = errors.New("extract: document is encrypted")
	ErrDamaged     = errors.New("extract: document is damaged")
	ErrTooLarge    = errors.New("extract: document is too large")
	ErrTimeout     = errors.New("extract: reading the document took too long")
	ErrMemory      = errors.New("extract: reading the document took too much memory")
	ErrChild       = errors.New("extract: child process failed")
)

// HiddenMark stands before every passage that a person opening the document would not see.
const HiddenMark = "[hidden in the document]"

// maxNotes bounds the remarks of one document; they are ours, so a hostile document can only repeat them.
const maxNotes = 20

// Limits bound one document. Zero means nothing is allowed; the caller fills every field.
type Limits struct {
	MaxTextOctets int // UTF-8 octets of text
	MaxPages      int // pages, slides or sheets
	FirstPage     int // counted from 1
}

// Document is the text of one document and what is to be said about it. All text is raw.
type Document struct {
	Title                      string
	Text                       string
	Pages, FirstPage, LastPage int
	Truncated                  bool
	Hidden                     int
	Notes                      []string
}

// Note adds a remark once. It must hold nothing from the document except numbers.
func (d *Document) Note(format string, args ...any) {
	note := fmt.Sprintf(format, args...)
	if len(d.Notes) < maxNotes && !slices.Contains(d.Notes, note) {
		d.Notes = append(d.Notes, note)
	}
}

// Builder gathers text up to a limit. Its zero value takes nothing; use NewBuilder. Not safe for concurrent use.
type Builder struct {
	b    strings.Builder
	max  int
	full bool
}

// NewBuilder returns a Builder for at most maxOctets octets of UTF-8.
func NewBuilder(maxOctets int) *Builder { return &Builder{max: maxOctets} }

// WriteString adds s, cut at a character boundary if the limit is met. It reports whether all of s fitted.
func (b *Builder) WriteString(s string) bool {
	if b.full {
		return false
	}
	if room := b.max - b.b.Len(); len(s) > room {
		s, b.full = Cut(s, room), true
	}
	b.b.WriteString(s)
	return !b.full
}

// Printf adds formatted text; see WriteString.
func (b *Builder) Printf(format string, args ...any) bool {
	return b.WriteString(fmt.Sprintf(format, args...))
}

// Len returns the octets written.
func (b *Builder) Len() int { return b.b.Len() }

// Full reports whether the limit was met and something was left out.
func (b *Builder) Full() bool { return b.full }

// String returns the text.
func (b *Builder) String() string { return b.b.String() }

// Cut returns the longest prefix of s with at most n octets that does not split a character.
func Cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:max(n, 0)]
}

// OneLine turns line breaks and tabs into spaces, runs of spaces into one, and cuts to maxOctets.
func OneLine(s string, maxOctets int) string {
	return Cut(strings.Join(strings.Fields(Cut(s, 4*maxOctets)), " "), maxOctets)
}

// Room returns how many octets still fit.
func (b *Builder) Room() int {
	if b.full {
		return 0
	}
	return b.max - b.b.Len()
}
