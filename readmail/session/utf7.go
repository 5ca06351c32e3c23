package session

import (
	"encoding/base64"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// encodeUTF7 returns name in modified UTF-7, as mailbox names travel (RFC 3501 §5.1.3).
func encodeUTF7(name string) string {
	var out strings.Builder
	var pending []rune
	flush := func() {
		if len(pending) == 0 {
			return
		}
		var octets []byte
		for _, u := range utf16.Encode(pending) {
			octets = append(octets, byte(u>>8), byte(u))
		}
		out.WriteString("&" + utf7Base64().EncodeToString(octets) + "-")
		pending = pending[:0]
	}
	for _, r := range name {
		switch {
		case r == '&':
			flush()
			out.WriteString("&-")
		case r >= 0x20 && r <= 0x7e:
			flush()
			out.WriteRune(r)
		default:
			pending = append(pending, r)
		}
	}
	flush()
	return out.String()
}

// decodeUTF7 reverses encodeUTF7. It reports false for text that is not modified UTF-7.
func decodeUTF7(raw string) (string, bool) {
	var out strings.Builder
	for len(raw) > 0 {
		plain, rest, found := strings.Cut(raw, "&")
		if !printableASCII(plain) {
			return "", false
		}
		out.WriteString(plain)
		if !found {
			break
		}
		word, after, closed := strings.Cut(rest, "-")
		if !closed {
			return "", false
		}
		text, ok := decodeUTF7Word(word)
		if !ok {
			return "", false
		}
		out.WriteString(text)
		raw = after
	}
	return out.String(), true
}

func decodeUTF7Word(word string) (string, bool) {
	if word == "" {
		return "&", true
	}
	octets, err := utf7Base64().DecodeString(word)
	if err != nil || len(octets)%2 != 0 || strings.ContainsAny(word, "\r\n") {
		return "", false
	}
	units := make([]uint16, 0, len(octets)/2)
	for i := 0; i < len(octets); i += 2 {
		units = append(units, uint16(octets[i])<<8|uint16(octets[i+1]))
	}
	text := string(utf16.Decode(units))
	return text, !strings.ContainsRune(text, utf8.RuneError)
}

// utf7Base64 is base64 with a comma for the slash and without padding.
func utf7Base64() *base64.Encoding {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+,"
	return base64.NewEncoding(alphabet).WithPadding(base64.NoPadding)
}

func printableASCII(s string) bool {
	for i := range len(s) {
		if s[i] < 0x20 || s[i] > 0x7e {
			return false
		}
	}
	return true
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
