package decode

import (
	"bytes"
	"encoding/base64"
	"strings"
)

const maxDecodedOctets = 64 << 20 // Limit: the same as the message itself

// TransferDecode undoes a Content-Transfer-Encoding. limit bounds the decoded octets (0: 64 MiB); beyond it they are cut with
// NoteOutputLimit. The result may share memory with octets.
//
// Encodings: base64, quoted-printable, 7bit, 8bit, binary, and the uuencode family. Anything else comes back as it is with NoteEncodingUnknown.
// Text that is called base64 and is not comes back as it is with NoteEncodingFalse.
func TransferDecode(encoding string, octets []byte, limit int) ([]byte, Notes) {
	if limit <= 0 {
		limit = maxDecodedOctets
	}
	var notes Notes
	switch normalEncoding(encoding) {
	case "", "7bit", "8bit", "binary":
	case "base64":
		octets = decodeBase64(octets, limit, &notes)
	case "quoted-printable":
		octets = decodeQuotedPrintable(octets, limit, &notes)
	case "uuencode":
		octets = decodeUU(octets, limit, &notes)
	case "yenc":
		notes.add(NoteYEnc)
	default:
		notes.add(NoteEncodingUnknown)
	}
	if len(octets) > limit {
		octets = octets[:limit]
		notes.add(NoteOutputLimit)
	}
	return octets, notes
}

// normalEncoding returns the encoding that a label means, lower case.
func normalEncoding(label string) string {
	text, _ := withoutComments(oneLine(cutOctets(label, maxDateOctets)))
	text = strings.ToLower(strings.Trim(text, " ;\"'.,"))
	text, _, _ = strings.Cut(text, ";")
	switch text = strings.TrimSpace(text); text {
	case "base64", "base-64", "b64", "b":
		return "base64"
	case "quoted-printable", "quoted_printable", "quotedprintable", "quoted printable", "quote-printable", "qp", "q":
		return "quoted-printable"
	case "7bit", "7-bit", "7 bit", "8bit", "8-bit", "8 bit", "8bits", "7bits", "none", "us-ascii", "utf-8":
		return "8bit"
	case "x-uuencode", "uuencode", "x-uue", "uue", "x-uu":
		return "uuencode"
	case "x-yenc", "yenc":
		return "yenc"
	}
	return text
}

// decodeBase64 decodes line by line. Signs outside the alphabet are skipped; padding ends a group and another may follow. A line that is
// plainly words ends the data: a list footer, or the whole text when nothing came before it.
func decodeBase64(octets []byte, limit int, notes *Notes) []byte {
	if looksPlain(octets) {
		notes.add(NoteEncodingFalse)
		return octets
	}
	d := base64Decoder{notes: notes}
	for rest := octets; len(rest) > 0 && len(d.out) < limit; {
		var line []byte
		line, rest = cutLine(rest)
		if !d.line(line) {
			break
		}
	}
	d.flush()
	if len(d.out) > limit {
		notes.add(NoteOutputLimit)
		d.out = d.out[:limit]
	}
	return d.out
}

type base64Decoder struct {
	notes  *Notes
	group  []byte // signs not yet decoded
	out    []byte
	padded bool
}

func (d *base64Decoder) line(line []byte) bool {
	line = bytes.TrimSpace(line)
	if len(line) == 0 {
		return true
	}
	if isWords(line) || d.padded && !isBase64Line(line) {
		d.notes.add(NoteEncodingDamaged)
		return false
	}
	for _, c := range line {
		switch s := base64Sign(c); {
		case s != 0:
			d.group = append(d.group, s)
		case c == '=':
			d.flush()
			d.padded = true
		case !isSpace(c):
			d.notes.add(NoteEncodingDamaged)
		}
	}
	if len(d.group) >= 1<<12 {
		d.flushWhole()
	}
	return true
}

// flushWhole decodes the whole groups of four.
func (d *base64Decoder) flushWhole() {
	n := len(d.group) / 4 * 4
	d.decode(d.group[:n])
	d.group = append(d.group[:0], d.group[n:]...)
}

// flush decodes all there is; a single sign left over holds no octet.
func (d *base64Decoder) flush() {
	if len(d.group)%4 == 1 {
		d.notes.add(NoteEncodingDamaged)
		d.group = d.group[:len(d.group)-1]
	}
	d.decode(d.group)
	d.group = d.group[:0]
}

func (d *base64Decoder) decode(signs []byte) {
	start := len(d.out)
	d.out = append(d.out, make([]byte, base64.RawStdEncoding.DecodedLen(len(signs)))...)
	n, err := base64.RawStdEncoding.Decode(d.out[start:], signs)
	if err != nil {
		d.notes.add(NoteEncodingDamaged)
	}
	d.out = d.out[:start+n]
}

// isWords reports a line that is text, not data: several blanks, or much that is no base64 sign.
func isWords(line []byte) bool {
	odd, blanks := 0, 0
	for _, c := range line {
		switch {
		case isSpace(c):
			blanks++
		case base64Sign(c) == 0 && c != '=':
			odd++
		}
	}
	dashes := bytes.HasPrefix(line, []byte("--")) || bytes.HasPrefix(line, []byte("__"))
	return blanks > 0 && (odd+blanks)*12 > len(line) || odd*3 > len(line) || dashes
}

// isBase64Line reports a line of whole groups: what may follow padding.
func isBase64Line(line []byte) bool {
	for _, c := range bytes.TrimRight(line, "=") {
		if base64Sign(c) == 0 {
			return false
		}
	}
	return len(line)%4 == 0
}

const plainSampleOctets = 4 << 10 // Limit: the first lines tell what a body is

// looksPlain reports whether octets are text that somebody called base64: the first line and most of the others are words, or all of it
// is one word that cannot be base64.
func looksPlain(octets []byte) bool {
	sample := bytes.TrimSpace(octets[:min(len(octets), plainSampleOctets)])
	if first, _ := cutLine(sample); !isWords(first) {
		oneWord := len(first) == len(sample) && len(sample) < 76 && bytes.IndexByte(sample, '=') < 0
		return oneWord && len(sample)%4 == 1
	}
	words, total := 0, 0
	for rest := sample; len(rest) > 0; {
		var line []byte
		line, rest = cutLine(rest)
		total += len(line)
		if isWords(line) {
			words += len(line)
		}
	}
	return words*2 > total
}

// decodeQuotedPrintable decodes RFC 2045 §6.7 and what is written in its place: lower-case digits, a stray "=" (kept), blanks after
// a soft line break. Blanks at the end of a line are kept, because format=flowed text from some writers needs them.
func decodeQuotedPrintable(octets []byte, limit int, notes *Notes) []byte {
	out := make([]byte, 0, min(len(octets), limit))
	for i := 0; i < len(octets) && len(out) <= limit; {
		c := octets[i]
		if c != '=' {
			out = append(out, c)
			i++
			continue
		}
		if n := softBreak(octets[i+1:]); n >= 0 {
			i += 1 + n
			continue
		}
		if i+2 < len(octets) {
			if v, ok := hexOctet(octets[i+1], octets[i+2]); ok {
				out = append(out, v)
				i += 3
				continue
			}
		}
		notes.add(NoteEncodingDamaged)
		out = append(out, c)
		i++
	}
	return out
}

// softBreak returns the length of the blanks and line end that follow "=", or -1.
func softBreak(s []byte) int {
	n := 0
	for n < len(s) && isSpace(s[n]) {
		n++
	}
	switch {
	case n == len(s):
		return n
	case s[n] == '\n':
		return n + 1
	case s[n] == '\r' && n+1 < len(s) && s[n+1] == '\n':
		return n + 2
	case s[n] == '\r' && n+1 == len(s):
		return n + 1
	}
	return -1
}

// decodeUU decodes the first uuencoded file. Without a "begin" line the octets come back as they are.
func decodeUU(octets []byte, limit int, notes *Notes) []byte {
	rest, found := octets, false
	for len(rest) > 0 && !found {
		var line []byte
		line, rest = cutLine(rest)
		found = bytes.HasPrefix(line, []byte("begin "))
	}
	if !found {
		notes.add(NoteEncodingFalse)
		return octets
	}
	var out []byte
	for len(rest) > 0 && len(out) <= limit {
		var line []byte
		line, rest = cutLine(rest)
		if bytes.Equal(bytes.TrimSpace(line), []byte("end")) {
			return out
		}
		out = append(out, uuLine(line)...)
	}
	notes.add(NoteEncodingDamaged)
	return out
}

// uuLine decodes one line: a length sign, then groups of four signs for three octets. Missing signs count as blanks.
func uuLine(line []byte) []byte {
	if len(line) == 0 {
		return nil
	}
	n := int((line[0] - ' ') & 0x3f)
	at := func(i int) byte {
		if i < len(line) {
			return (line[i] - ' ') & 0x3f
		}
		return 0
	}
	out := make([]byte, 0, n+2)
	for i := 1; len(out) < n; i += 4 {
		a, b, c, d := at(i), at(i+1), at(i+2), at(i+3)
		out = append(out, a<<2|b>>4, b<<4|c>>2, c<<6|d)
	}
	return out[:n]
}
