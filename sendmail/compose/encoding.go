package compose

import (
	"bytes"
	"strings"
)

// Limit: octets that quoted-printable may cost more than base64, because a person can read it in the raw message.
const qpBonus = 64

// Transfer encodings (RFC 2045 §6.1).
const (
	enc7Bit   = "7bit"
	enc8Bit   = "8bit"
	encQP     = "quoted-printable"
	encBase64 = "base64"
)

// textEncoding chooses the transfer encoding of a text with LF line ends: 7bit if nothing on the way has a reason to touch it, 8bit
// if that is allowed, otherwise the shorter of the two that protect everything.
func textEncoding(text string, allow8Bit bool) string {
	fragile, has8, fromLine := false, false, false
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		has8 = has8 || !isASCII(line)
		fromLine = fromLine || strings.HasPrefix(line, "From ")
		fragile = fragile || fragileLine(line)
	}
	switch {
	case fromLine:
		return encBase64 // Quirk: mbox stores write ">From "; quoted-printable of the library leaves the F alone
	case !fragile && !has8:
		return enc7Bit
	case !fragile && allow8Bit:
		return enc8Bit
	case qpLen(text) <= (len(text)+2)/3*4+qpBonus:
		return encQP
	}
	return encBase64
}

// fragileLine reports a line that servers cut, trim or reject: too long, with a control character, or with white space at its end
// (but for the line above a signature, which every mailer writes so).
func fragileLine(line string) bool {
	if len(line) > maxLineOctets {
		return true
	}
	if n := len(line); n > 0 && (line[n-1] == ' ' || line[n-1] == '\t') && line != "-- " {
		return true
	}
	return strings.ContainsFunc(line, func(r rune) bool { return r < 0x20 && r != '\t' || r == 0x7F })
}

func qpLen(text string) int {
	n := 0
	for k := range len(text) {
		if c := text[k]; c == '\n' || c == '\t' || c >= ' ' && c <= '~' && c != '=' {
			n++
		} else {
			n += 3
		}
	}
	return n
}

// fitsUnencoded reports whether octets can stand in a message without encoding, and whether any is above 127.
func fitsUnencoded(octets []byte) (fits, has8 bool) {
	for line := range bytes.Lines(octets) {
		line = bytes.TrimSuffix(line, []byte("\n"))
		if n := len(line); n == 0 || line[n-1] != '\r' {
			return false, false
		}
		line = line[:len(line)-1]
		if len(line) > maxLineOctets || bytes.ContainsAny(line, "\r\x00") {
			return false, false
		}
		has8 = has8 || has8Bit(line)
	}
	return true, has8
}

func toCRLF(b []byte) []byte {
	b = bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n"))
	b = bytes.ReplaceAll(b, []byte("\n"), []byte("\r\n"))
	if len(b) > 0 && !bytes.HasSuffix(b, []byte("\n")) {
		b = append(b, "\r\n"...)
	}
	return b
}
