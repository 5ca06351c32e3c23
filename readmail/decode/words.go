package decode

import (
	"bytes"
	"encoding/base64"
	"strings"
	"unicode/utf8"
)

const (
	maxCharsetLabelOctets = 64      // Limit: the longest registered name has 45
	maxWordOctets         = 4 << 10 // Limit: RFC 2047 §2 allows 75; some writers put a whole subject into one
)

// Unstructured decodes the body of an unstructured field (Subject, Comments, Content-Description) to one line of text.
// Encoded words (RFC 2047) are decoded as clients do, broken ones stay readable, raw 8-bit text is taken for UTF-8 or a legacy
// charset. Control characters and Unicode line breaks become spaces. The output is valid UTF-8.
func Unstructured(body string) string {
	if plainLine(body) && !strings.Contains(body, "=?") {
		return strings.Trim(body, " ")
	}
	var w wordDecoder
	for body != "" {
		i := strings.Index(body, "=?")
		if i < 0 {
			break
		}
		word, n := readWord(body[i:])
		if n == 0 {
			i += 2
			w.raw(body[:i])
			body = body[i:]
			continue
		}
		w.raw(body[:i])
		w.word(word)
		body = body[i+n:]
	}
	w.raw(body)
	w.flushWord()
	w.flushRaw()
	return oneLine(w.out.String())
}

// encodedWord is one word with its encoding undone and its charset not.
type encodedWord struct {
	charset string
	octets  []byte
}

// readWord reads the encoded word that s starts with, and its length; 0 if there is none.
//
//	encoded-word = "=?" charset "?" encoding "?" encoded-text "?="   RFC 2047 §2
//
// Quirk: spaces inside the encoded text are accepted, as seen from mailers that fold in the wrong place.
func readWord(s string) (encodedWord, int) {
	charset, _, ok := strings.Cut(s[2:min(len(s), 2+maxCharsetLabelOctets)], "?")
	if !ok || charset == "" || strings.ContainsAny(charset, " \t\"<>@=") {
		return encodedWord{}, 0
	}
	start := 2 + len(charset) + 1
	if len(s) < start+2 || s[start+1] != '?' {
		return encodedWord{}, 0
	}
	encoding := s[start] | 0x20
	start += 2
	rest := s[start:min(len(s), start+maxWordOctets)]
	end := wordEnd(rest)
	if end < 0 {
		return encodedWord{}, 0
	}
	charset, _, _ = strings.Cut(charset, "*") // RFC 2231 §5: language
	octets, ok := decodeWordText(encoding, rest[:end])
	if !ok {
		return encodedWord{}, 0
	}
	return encodedWord{normalLabel(charset), octets}, start + end + 2
}

// wordEnd returns the index of the "?=" that ends an encoded text, or -1. It gives up where another word starts, which keeps the
// search linear over a field of broken words.
func wordEnd(s string) int {
	for i := range len(s) {
		if s[i] != '?' {
			continue
		}
		if i+1 < len(s) && s[i+1] == '=' {
			return i
		}
		if i > 0 && s[i-1] == '=' {
			return -1
		}
	}
	return -1
}

func decodeWordText(encoding byte, text string) ([]byte, bool) {
	switch encoding {
	case 'b':
		return decodeWordBase64(text)
	case 'q':
		return decodeWordQ(text), true
	}
	return nil, false
}

// decodeWordBase64 decodes what is base64 and drops the rest; text with nothing to decode is refused so that it stays readable.
func decodeWordBase64(text string) ([]byte, bool) {
	clean := make([]byte, 0, len(text))
	var out []byte
	flush := func() {
		b := make([]byte, base64.RawStdEncoding.DecodedLen(len(clean)))
		n, _ := base64.RawStdEncoding.Decode(b, clean) // the octets before a stray last sign are good
		out, clean = append(out, b[:n]...), clean[:0]
	}
	for i := range len(text) {
		switch c := base64Sign(text[i]); {
		case c != 0:
			clean = append(clean, c)
		case text[i] == '=': // padding ends a group: writers join padded words
			flush()
		}
	}
	flush()
	return out, len(out) > 0 || text == ""
}

// base64Sign returns c as a sign of the standard alphabet, or 0. The URL alphabet (RFC 4648 §5) is accepted.
func base64Sign(c byte) byte {
	switch {
	case c >= 'A' && c <= 'Z', c >= 'a' && c <= 'z', c >= '0' && c <= '9', c == '+', c == '/':
		return c
	case c == '-':
		return '+'
	case c == '_':
		return '/'
	}
	return 0
}

func decodeWordQ(text string) []byte {
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c == '_' {
			c = ' '
		} else if c == '=' && i+2 < len(text) {
			if v, ok := hexOctet(text[i+1], text[i+2]); ok {
				c = v
				i += 2
			}
		}
		out = append(out, c)
	}
	return out
}

func hexOctet(a, b byte) (byte, bool) {
	hi, ok1 := hexDigit(a)
	lo, ok2 := hexDigit(b)
	return hi<<4 | lo, ok1 && ok2
}

func hexDigit(c byte) (byte, bool) {
	switch {
	case c >= '0' && c <= '9':
		return c - '0', true
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10, true
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10, true
	}
	return 0, false
}

// wordDecoder joins neighbouring words of one charset before decoding them, because writers split characters between words.
type wordDecoder struct {
	out     strings.Builder
	plain   []byte // raw octets not yet written
	pending encodedWord
	have    bool
}

func (w *wordDecoder) word(e encodedWord) {
	if w.have && strings.Trim(string(w.plain), " \t\r\n") == "" {
		w.plain = w.plain[:0] // RFC 2047 §6.2: white space between words is not shown
		if w.pending.charset == e.charset {
			w.pending.octets = append(w.pending.octets, e.octets...)
			return
		}
	}
	w.flushWord()
	w.flushRaw()
	w.pending, w.have = e, true
}

func (w *wordDecoder) raw(s string) {
	w.plain = append(w.plain, s...)
}

func (w *wordDecoder) flushWord() {
	if !w.have {
		return
	}
	octets := w.pending.octets
	if cs, _ := findCharset(w.pending.charset); !cs.wide() {
		octets = bytes.ReplaceAll(octets, []byte{0}, []byte{' '}) // parts on both sides of a NUL stay apart
	}
	text, _ := Text(w.pending.charset, octets)
	w.out.WriteString(text)
	w.have = false
}

func (w *wordDecoder) flushRaw() {
	if len(w.plain) == 0 {
		return
	}
	if utf8.Valid(w.plain) && !hasEscape(w.plain) {
		w.out.Write(w.plain)
	} else {
		text, _ := Text("", w.plain)
		w.out.WriteString(text)
	}
	w.plain = w.plain[:0]
}
