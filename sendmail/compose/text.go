package compose

import "strings"

// BodyText is the whole text of a draft as it will be sent: the caller's words, the quoted original, the signature. Line
// ends are LF, and the last line is ended.
func BodyText(d Draft) string {
	var b strings.Builder
	b.WriteString(canonicalText(d.Text))
	if d.Quote != nil {
		blankLine(&b)
		b.WriteString(canonicalText(d.Quote.Attribution))
		quoted := canonicalText(d.Quote.Text)
		if !d.Quote.Plain {
			quoted = QuoteText(quoted)
		}
		b.WriteString(quoted)
	}
	if sig := canonicalText(d.Signature); sig != "" {
		blankLine(&b)
		if !strings.HasPrefix(sig, "-- \n") {
			b.WriteString("-- \n") // RFC 3676 §4.3, with its space
		}
		b.WriteString(sig)
	}
	return b.String()
}

func blankLine(b *strings.Builder) {
	if b.Len() > 0 {
		b.WriteByte('\n')
	}
}

// canonicalText has LF for CRLF and CR, and an end to its last line. Nothing else is changed.
func canonicalText(s string) string {
	if strings.Contains(s, "\r") {
		s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	}
	if s != "" && !strings.HasSuffix(s, "\n") {
		s += "\n"
	}
	return s
}

// QuoteText prefixes every line with "> ", or ">" where the line is empty or quoted already. Its result ends with LF
// unless it is empty.
func QuoteText(text string) string {
	var b strings.Builder
	for line := range strings.Lines(canonicalText(text)) {
		b.WriteByte('>')
		if line != "\n" && line[0] != '>' {
			b.WriteByte(' ')
		}
		b.WriteString(line)
	}
	return b.String()
}
