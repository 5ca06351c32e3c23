package plain

import (
	"strings"

	"mailgap/readmail/extract/internal/document"
)

const (
	maxReportBlocks = 500 // recipients of one report
	maxFieldOctets  = 2 << 10
)

// Report writes a machine-readable report: delivery status (RFC 3464), disposition notification (RFC 8098), or abuse
// feedback (RFC 5965). Its blocks of header fields stay blocks; folded fields become one line; each status gets its meaning.
func Report(text string, l document.Limits) document.Document {
	var d document.Document
	out := document.NewBuilder(l.MaxTextOctets)
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	text = strings.NewReplacer("\n ", " ", "\n\t", " ").Replace(text)
	blocks := 0
	for block := range strings.SplitSeq(text, "\n\n") {
		if strings.TrimSpace(block) == "" {
			continue
		}
		if blocks++; blocks > maxReportBlocks || out.Full() {
			d.Truncated = true
			d.Note("%d blocks of the report are shown, there are more", blocks-1)
			break
		}
		if blocks > 1 {
			out.WriteString("\n")
		}
		for line := range strings.SplitSeq(strings.Trim(block, "\n"), "\n") {
			out.WriteString(reportField(line) + "\n")
		}
	}
	d.Text = out.String()
	return d
}

// reportField tidies one field and explains action and status.
func reportField(line string) string {
	name, value, ok := strings.Cut(line, ":")
	if !ok {
		return document.OneLine(line, maxFieldOctets)
	}
	value = document.OneLine(value, maxFieldOctets)
	switch strings.ToLower(strings.TrimSpace(name)) {
	case "status":
		value += statusMeaning(value)
	case "original-recipient", "final-recipient", "reporting-mta", "remote-mta", "received-from-mta", "reporting-ua":
		value = strings.TrimPrefix(strings.TrimPrefix(value, "rfc822;"), "dns;")
		value = strings.TrimSpace(value)
	}
	return strings.TrimSpace(name) + ": " + value
}

// statusMeaning explains the class of an enhanced status code and the subjects that matter most (RFC 3463 §2, §3).
func statusMeaning(code string) string {
	class := map[byte]string{'2': "delivered", '4': "temporary failure, may still be delivered", '5': "permanent failure"}
	if len(code) < 5 || class[code[0]] == "" {
		return ""
	}
	s := " (" + class[code[0]]
	known := map[string]string{"1.1": "no such mailbox", "1.2": "no such domain", "1.10": "domain takes no mail", "2.1": "mailbox is off",
		"2.2": "mailbox is full", "2.3": "message is too long for the mailbox", "3.4": "message is too large", "4.1": "no answer from the host",
		"4.4": "no route", "4.7": "time is up", "7.1": "refused by policy", "7.23": "SPF check failed", "7.26": "authentication checks failed"}
	detail, _, _ := strings.Cut(code[2:], " ")
	if why := known[detail]; why != "" {
		s += ": " + why
	}
	return s + ")"
}
