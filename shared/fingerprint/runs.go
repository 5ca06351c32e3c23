package fingerprint

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// base64Text decodes what may be base64 (RFC 4648 §4 and §5), wrapped, quoted or not, from each of the four places where a
// group of four can begin, and keeps what reads as text. It needs no padding and no begin.
func base64Text(s string) string { return runsText(s, base64Class, base64Decode) }

// hexText decodes what may be hexadecimal, with or without separators and prefixes, from both places where a pair can begin.
func hexText(s string) string { return runsText(s, hexClass, hexDecode) }

// class says of an octet what it is to an encoding.
type class int

const (
	other   class = iota // ends a run
	between              // may stand in a run and means nothing
	digit                // means something
)

// base64Class: line ends, blanks and quote marks stand between the lines of a wrapped text.
func base64Class(s string, i int) (class, int) {
	switch c := s[i]; {
	case c >= 'A' && c <= 'Z', c >= 'a' && c <= 'z', c >= '0' && c <= '9', c == '+', c == '/', c == '-', c == '_':
		return digit, 1
	case c == '\r', c == '\n', c == '>', c == ' ', c == '\t':
		return between, 1
	}
	return other, 1
}

// hexClass: "0x", "\x" and the separators of dumps stand between pairs.
func hexClass(s string, i int) (class, int) {
	switch c := s[i]; {
	case c == '0' && i+1 < len(s) && s[i+1] == 'x', c == '\\' && i+1 < len(s) && s[i+1] == 'x':
		return between, 2
	case nibble(c) >= 0:
		return digit, 1
	case c == '\r', c == '\n', c == '>', c == ' ', c == '\t', c == ':', c == ',', c == '-', c == ';':
		return between, 1
	}
	return other, 1
}

// runsText decodes each run of digits that is long enough. decode appends to its first argument what a run of digits decodes to.
func runsText(s string, classify func(string, int) (class, int), decode func(*strings.Builder, []byte)) string {
	var b strings.Builder
	var run []byte
	for i := 0; i < len(s); {
		c, n := classify(s, i)
		if c == digit {
			run = append(run, s[i])
		}
		if i += n; c == other || i >= len(s) {
			if len(run) >= minRunOctets {
				decode(&b, run)
			}
			run = run[:0]
		}
	}
	return b.String()
}

// base64Decode decodes run at each of the four alignments.
func base64Decode(b *strings.Builder, run []byte) {
	decoded := make([]byte, 0, len(run))
	for start := range 4 {
		decoded = decoded[:0]
		word, n := uint32(0), 0
		for _, c := range run[min(start, len(run)):] {
			word = word<<6 | sextet(c)
			if n++; n == 4 {
				decoded = append(decoded, byte(word>>16), byte(word>>8), byte(word))
				word, n = 0, 0
			}
		}
		switch n { // RFC 4648 §4: a last group of two or three stands for one or two octets
		case 3:
			decoded = append(decoded, byte(word>>10), byte(word>>2))
		case 2:
			decoded = append(decoded, byte(word>>4))
		}
		readable(b, decoded)
	}
}

func sextet(c byte) uint32 {
	switch {
	case c >= 'A' && c <= 'Z':
		return uint32(c - 'A')
	case c >= 'a' && c <= 'z':
		return uint32(c-'a') + 26
	case c >= '0' && c <= '9':
		return uint32(c-'0') + 52
	case c == '+', c == '-':
		return 62
	}
	return 63
}

// hexDecode decodes run at both alignments.
func hexDecode(b *strings.Builder, run []byte) {
	decoded := make([]byte, 0, len(run)/2)
	for start := range 2 {
		decoded = decoded[:0]
		for i := start; i+1 < len(run); i += 2 {
			decoded = append(decoded, byte(nibble(run[i])<<4|nibble(run[i+1])))
		}
		readable(b, decoded)
	}
}

// readable appends the pieces of decoded that read as text, each on a line.
func readable(b *strings.Builder, decoded []byte) {
	start := 0
	flush := func(end int) {
		if end-start >= minTextOctets {
			b.Write(decoded[start:end])
			b.WriteByte('\n')
		}
	}
	for i := 0; i < len(decoded); {
		r, n := utf8.DecodeRune(decoded[i:])
		if r == utf8.RuneError && n <= 1 || !isText(r) {
			flush(i)
			start = i + n
		}
		i += n
	}
	flush(len(decoded))
}

// isText: NUL is let through for text of two octets a character.
func isText(r rune) bool {
	return r == 0 || r == '\n' || r == '\r' || r == '\t' || unicode.IsPrint(r)
}
