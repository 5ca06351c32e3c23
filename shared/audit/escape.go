package audit

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

const hexDigits = "0123456789abcdef"

// appendQuoted appends s as a JSON string in which nothing is invisible: whatever a terminal would not show as itself
// (control and format characters, bidi marks, odd spaces, line separators, private and unassigned code points, blank
// letters, variation selectors) and whatever has a meaning in HTML is a \u escape. Octets that are no UTF-8 become
// \ufffd. At most n octets of s are taken, never half a character; what was cut is marked with "...".
func appendQuoted(dst []byte, s string, n int) []byte {
	short := cutText(s, n)
	dst = append(dst, '"')
	for _, r := range short {
		dst = appendRune(dst, r)
	}
	if len(short) < len(s) {
		dst = append(dst, "..."...)
	}
	return append(dst, '"')
}

func appendRune(dst []byte, r rune) []byte {
	switch {
	case r == '"' || r == '\\':
		return append(dst, '\\', byte(r))
	case r == utf8.RuneError || !visible(r):
		return appendEscape(dst, r)
	}
	return utf8.AppendRune(dst, r)
}

func appendEscape(dst []byte, r rune) []byte {
	if hi, lo := utf16.EncodeRune(r); hi != unicode.ReplacementChar {
		return appendEscape(appendEscape(dst, hi), lo)
	}
	return append(dst, '\\', 'u', hexDigits[r>>12&15], hexDigits[r>>8&15], hexDigits[r>>4&15], hexDigits[r&15])
}

// visible reports whether a person sees r as a character of its own.
func visible(r rune) bool {
	switch {
	case r == '<' || r == '>' || r == '&':
		return false
	case r == 0x034f, r == 0x115f, r == 0x1160, r == 0x17b4, r == 0x17b5, r == 0x3164, r == 0xffa0: // blank letters and marks
		return false
	case r >= 0x180b && r <= 0x180f, r >= 0xfe00 && r <= 0xfe0f, r >= 0xe0100 && r <= 0xe01ef: // variation selectors
		return false
	}
	return unicode.IsPrint(r)
}

// quoted is appendQuoted for text shown to a person, without the quotation marks.
func quoted(s string) string {
	var b []byte
	for _, r := range s {
		if r == '<' || r == '>' || r == '&' || r == '"' {
			b = append(b, byte(r))
			continue
		}
		b = appendRune(b, r)
	}
	return string(b)
}

func cutText(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// Format writes e as one line for a person: time, number, outcome, and what is known of the message. Everything that a
// terminal would not show is escaped, so a value cannot move the cursor, change colours or start a new line.
func Format(e Entry) string {
	var b strings.Builder
	b.WriteString(e.Time.UTC().Format("2006-01-02 15:04:05Z"))
	b.WriteString(" #" + strconv.FormatUint(e.Seq, 10) + " " + quoted(string(e.Outcome)))
	for _, f := range []struct{ name, value string }{
		{"tool", e.Tool}, {"code", e.Code}, {"approval", e.Approval}, {"to", recipientsText(e.Record)}, {"subject", e.Subject},
		{"message-id", e.MessageID}, {"detail", e.Detail},
	} {
		if f.value != "" {
			b.WriteString("  " + f.name + ": " + quoted(f.value))
		}
	}
	return b.String()
}

func recipientsText(r Record) string {
	text := strings.Join(r.Recipients, ", ")
	if more := r.RecipientsCount - len(r.Recipients); more > 0 {
		text += " and " + strconv.Itoa(more) + " more"
	}
	return text
}
