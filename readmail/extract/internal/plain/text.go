package plain

import (
	"strings"

	"mailgap/readmail/extract/internal/document"
)

// Text cuts text to the limit and brings line ends to "\n".
func Text(text string, l document.Limits) document.Document {
	var d document.Document
	b := document.NewBuilder(l.MaxTextOctets)
	b.WriteString(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text))
	d.Text, d.Truncated = b.String(), b.Full()
	if b.Full() {
		d.Note("text was cut: it is over the limit of %d octets", l.MaxTextOctets)
	}
	return d
}
