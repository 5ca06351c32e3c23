package decode

import "strings"

// Flowed joins the lines of format=flowed text (RFC 3676), keeping quote levels and the signature line. Lines come out ended by "\n";
// a last line without a line end stays without one. delsp is the DelSp parameter: the space that marks a flowed line is removed.
func Flowed(text string, delsp bool) string {
	var f flower
	f.out.Grow(len(text))
	for text != "" {
		line, rest, ended := strings.Cut(text, "\n")
		text = rest
		f.line(strings.TrimSuffix(line, "\r"), delsp, ended)
	}
	if f.open {
		f.out.WriteByte('\n')
	}
	return f.out.String()
}

type flower struct {
	out   strings.Builder
	open  bool // the last line flows on
	depth int  // its quote depth
}

const maxQuoteDepth = 100 // Limit: each level is written once a paragraph; real mail stays below 20

// line takes one line in: count the quote marks, remove one stuffed space, then see whether it flows (RFC 3676 §4.4, §4.5).
func (f *flower) line(line string, delsp, ended bool) {
	content := strings.TrimLeft(line, ">")
	depth := min(len(line)-len(content), maxQuoteDepth)
	content = strings.TrimPrefix(content, " ")
	signature := content == "-- "
	if f.open && (depth != f.depth || signature) {
		f.out.WriteByte('\n') // the paragraph ends where the depth changes
		f.open = false
	}
	if !f.open && depth > 0 {
		f.out.WriteString(strings.Repeat(">", depth))
		f.out.WriteByte(' ')
	}
	flows := strings.HasSuffix(content, " ") && !signature && ended
	if flows && delsp {
		content = strings.TrimSuffix(content, " ")
	}
	f.out.WriteString(content)
	if !flows && ended {
		f.out.WriteByte('\n')
	}
	f.open, f.depth = flows, depth
}
