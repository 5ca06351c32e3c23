package confirm

import (
	"fmt"
	"strings"
	"unicode"

	"mailgap/shared/mcpserve"
)

const (
	maxTitleAddress   = 64  // columns of the first recipient in the title
	maxEssenceSubject = 120 // columns of the subject in the description
	cutMark           = " [cut]"
)

// title is the essence for clients that show the field alone: how many recipients, and the first.
func (q Question) title() mcpserve.SafeText {
	all := q.recipients()
	return shown(fmt.Sprintf("%s %s, first: %s", q.Purpose.words(), count(len(all), "recipient"), inline(all[0].Address)))
}

// description is the rest of the essence. The subject comes last, so that nothing of ours can seem to follow it.
func (q Question) description() mcpserve.SafeText {
	var b strings.Builder
	warnings := 0
	for _, n := range q.Notes {
		if n.Level > LevelNormal {
			warnings++
		}
	}
	if warnings > 0 {
		fmt.Fprintf(&b, "CAUTION: %s in the full question. ", count(warnings, "warning"))
	}
	fmt.Fprintf(&b, "It cannot be taken back. Hidden copies: %d. Attachments: %d. ", len(q.Bcc), len(q.files(false)))
	if n := len(q.files(true)); n > 0 {
		fmt.Fprintf(&b, "Inline images: %d. ", n)
	}
	fmt.Fprintf(&b, "From here to the end is the subject, written by the AI assistant: %s", cutColumns(visible(q.Subject), maxEssenceSubject))
	return shown(b.String())
}

// inline makes an address fit into a sentence of ours: only letters, digits and what dot-atoms have stay as they are, so no
// word can seem to follow it.
func inline(address string) string {
	var b strings.Builder
	for _, r := range visible(address) {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.M, r) || strings.ContainsRune("@.!#$%&'*+-/=?^_`{|}~[]", r) {
			b.WriteRune(r)
			continue
		}
		fmt.Fprintf(&b, "[U+%04X]", r)
	}
	return cutColumns(b.String(), maxTitleAddress)
}

// cutColumns cuts s, which went through visible, to columns.
func cutColumns(s string, columns int) string {
	col := 0
	for i := 0; i < len(s); {
		n, w := unit(s[i:])
		if col += w; col > columns {
			return s[:i] + cutMark
		}
		i += n
	}
	return s
}
