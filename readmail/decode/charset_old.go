package decode

import (
	"bytes"
	"encoding/base64"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
)

const esc = 0x1b

// hasEscape reports whether octets hold an escape sequence of ISO-2022-JP or ISO-2022-KR.
func hasEscape(octets []byte) bool { return escapeCharset(octets).name != "" }

// escapeCharset returns the 7-bit charset whose escape sequences are in octets, or the zero value.
func escapeCharset(octets []byte) charset {
	for {
		i := bytes.Index(octets, []byte("\x1b$"))
		if i < 0 || i+2 >= len(octets) {
			return charset{}
		}
		octets = octets[i+2:]
		switch {
		case octets[0] == 'B', octets[0] == '@', bytes.HasPrefix(octets, []byte("(B")), bytes.HasPrefix(octets, []byte("(D")):
			return charset{name: "iso-2022-jp", family: familyJP}
		case bytes.HasPrefix(octets, []byte(")C")):
			return charset{name: "iso-2022-kr", family: familyKR}
		case bytes.HasPrefix(octets, []byte(")A")):
			return charset{name: "iso-2022-cn", family: familyCN}
		}
	}
}

// The seven-bit charsets are rewritten as the eight-bit charset with the same tables, which x/text decodes. That admits what its
// own ISO-2022-JP decoder rejects: 8-bit kana, shifts, and the designations of the later variants (JIS X 0213 plane 1).

// g0 is what the seven-bit codes mean at the moment.
type g0 int

const (
	g0ASCII  g0 = iota
	g0Kana      // JIS X 0201 katakana, one octet
	g0Kanji     // JIS X 0208 or 0213 plane 1, two octets
	g0Kanji2    // JIS X 0212, two octets
	g0Other     // a set that is not read: one U+FFFD a pair
)

// decodeISO2022JP reads ISO-2022-JP (RFC 1468), -1, -2, -3, CP50220 to CP50222 and plain JIS.
func decodeISO2022JP(octets []byte) string {
	out := make([]byte, 0, len(octets)+len(octets)/2)
	state, shifted := g0ASCII, false
	for i := 0; i < len(octets); {
		c := octets[i]
		switch {
		case c == esc:
			n, next, ok := designation(octets[i+1:])
			if ok {
				state = next
			}
			i += 1 + n
		case c == 0x0e, c == 0x0f:
			shifted = c == 0x0e
			i++
		case c == '\n' || c == '\r':
			state, shifted = g0ASCII, false // every line starts in ASCII; writers forget to go back
			out = append(out, c)
			i++
		case c >= 0xa1 && c <= 0xdf: // 8-bit kana
			out = append(out, 0x8e, c)
			i++
		case c <= ' ' || c >= 0x7f:
			out = append(out, c)
			i++
		case shifted || state == g0Kana:
			out = append(out, 0x8e, c|0x80)
			i++
		case state == g0ASCII:
			out = append(out, c)
			i++
		case i+1 >= len(octets) || octets[i+1] <= ' ' || octets[i+1] >= 0x7f:
			out = append(out, 0xff) // half a character
			i++
		default:
			out = appendPair(out, state, c, octets[i+1])
			i += 2
		}
	}
	return decodeWith(japanese.EUCJP, out)
}

func appendPair(out []byte, state g0, a, b byte) []byte {
	switch state {
	case g0Kanji2:
		return append(out, 0x8f, a|0x80, b|0x80)
	case g0Other:
		return append(out, 0xff)
	}
	return append(out, a|0x80, b|0x80)
}

// designation reads what follows ESC: the length of the sequence and the set it calls in. Unknown sequences lose only the ESC.
func designation(s []byte) (n int, set g0, ok bool) {
	if len(s) < 2 {
		return 0, 0, false
	}
	switch {
	case s[0] == '(' && (s[1] == 'B' || s[1] == 'J' || s[1] == 'H'):
		return 2, g0ASCII, true
	case s[0] == '(' && s[1] == 'I':
		return 2, g0Kana, true
	case s[0] == '$' && (s[1] == 'B' || s[1] == '@'):
		return 2, g0Kanji, true
	case s[0] == '$' && s[1] == 'A':
		return 2, g0Other, true
	case s[0] == '$' && s[1] == '(' && len(s) > 2:
		switch s[2] {
		case '@', 'B', 'O', 'Q':
			return 3, g0Kanji, true
		case 'D':
			return 3, g0Kanji2, true
		}
		return 3, g0Other, true
	case s[0] == '&' && s[1] == '@':
		return 2, g0Kanji, false
	}
	return 0, 0, false
}

// decodeISO2022KR reads ISO-2022-KR (RFC 1557): ESC $ ) C once, then SO and SI.
func decodeISO2022KR(octets []byte) string {
	octets = bytes.ReplaceAll(octets, []byte("\x1b$)C"), nil)
	return decodeWith(korean.EUCKR, liftShifted(octets))
}

// decodeISO2022CN reads the GB 2312 part of ISO-2022-CN (RFC 1922). CNS planes stay unread and come out as U+FFFD.
func decodeISO2022CN(octets []byte) string {
	for _, seq := range []string{"\x1b$)A", "\x1b$)E"} {
		octets = bytes.ReplaceAll(octets, []byte(seq), nil)
	}
	octets = bytes.ReplaceAll(octets, []byte("\x1b$)G"), []byte{0xff})
	return decodeWith(simplifiedchinese.GB18030, liftShifted(octets))
}

// liftShifted sets the high bit of what stands between SO and SI; a line end shifts in.
func liftShifted(octets []byte) []byte {
	out := make([]byte, 0, len(octets))
	shifted := false
	for _, c := range octets {
		switch {
		case c == 0x0e, c == 0x0f:
			shifted = c == 0x0e
			continue
		case c == '\n':
			shifted = false
		case shifted && c > ' ' && c < 0x7f:
			c |= 0x80
		}
		out = append(out, c)
	}
	return out
}

// decodeUTF7 reads UTF-7 (RFC 2152). Broken runs stay readable as they are.
func decodeUTF7(octets []byte) string {
	var b strings.Builder
	for len(octets) > 0 {
		i := bytes.IndexByte(octets, '+')
		if i < 0 {
			break
		}
		b.Write(octets[:i])
		octets = octets[i+1:]
		n := 0
		for n < len(octets) && octets[n] != '-' && base64Sign(octets[n]) != 0 {
			n++
		}
		run := octets[:n]
		octets = octets[n:]
		closed := len(octets) > 0 && octets[0] == '-'
		if closed {
			octets = octets[1:]
		}
		writeUTF7Run(&b, run, closed)
	}
	b.Write(octets)
	return b.String()
}

func writeUTF7Run(b *strings.Builder, run []byte, closed bool) {
	raw := make([]byte, base64.RawStdEncoding.DecodedLen(len(run)))
	n, _ := base64.RawStdEncoding.Decode(raw, run) // a stray last sign holds padding bits only
	if n < 2 {
		b.WriteByte('+')
		b.Write(run)
		if closed && len(run) > 0 {
			b.WriteByte('-')
		}
		return
	}
	units := make([]uint16, 0, n/2)
	for i := 0; i+1 < n; i += 2 {
		units = append(units, uint16(raw[i])<<8|uint16(raw[i+1]))
	}
	b.WriteString(string(utf16.Decode(units)))
}

// VISCII (RFC 1456): the upper half, and six letters in place of controls.
const visciiUpper = "ẠẮẰẶẤẦẨẬẼẸẾỀỂỄỆỐỒỔỖỘỢỚỜỞỊỎỌỈỦŨỤỲ" +
	"ÕắằặấầẩậẽẹếềểễệốồổỗỠƠộờởịỰỨỪỬơớƯ" +
	"ÀÁÂÃẢĂẳẵÈÉÊẺÌÍĨỳĐứÒÓÔạỷừửÙÚỹỵÝỡư" +
	"àáâãảăữẫèéêẻìíĩỉđựòóôõỏọụùúũủýợỮ"

func decodeVISCII(octets []byte) string {
	upper := []rune(visciiUpper)
	var b strings.Builder
	for _, c := range octets {
		switch {
		case c >= utf8.RuneSelf:
			b.WriteRune(upper[c-utf8.RuneSelf])
		case c == 0x02:
			b.WriteRune('Ẳ')
		case c == 0x05:
			b.WriteRune('Ẵ')
		case c == 0x06:
			b.WriteRune('Ẫ')
		case c == 0x14:
			b.WriteRune('Ỷ')
		case c == 0x19:
			b.WriteRune('Ỹ')
		case c == 0x1e:
			b.WriteRune('Ỵ')
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}
