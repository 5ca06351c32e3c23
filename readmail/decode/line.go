package decode

import (
	"strings"
	"unicode/utf8"
)

// oneLine returns s as one line of valid UTF-8: control characters and every Unicode line break become a space, invalid octets
// become U+FFFD, white space at the ends goes.
//
// Security: a decoded value that keeps its line ends can forge header fields, server replies and log lines.
func oneLine(s string) string {
	if plainLine(s) {
		return strings.Trim(s, " ")
	}
	var b strings.Builder
	b.Grow(len(s))
	for _, r := range s { // an invalid octet is read as utf8.RuneError
		if breaksLine(r) {
			r = ' '
		}
		b.WriteRune(r)
	}
	return strings.TrimSpace(b.String())
}

func plainLine(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] >= 0x7f {
			return false
		}
	}
	return true
}

// breaksLine reports controls (C0, DEL, C1 with NEL) and LINE and PARAGRAPH SEPARATOR.
func breaksLine(r rune) bool {
	return r < ' ' || r >= 0x7f && r <= 0x9f || r == '\u2028' || r == '\u2029'
}

// cutOctets cuts s to at most n octets at a character border.
func cutOctets(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
