package htmltext

import (
	"fmt"
	"strings"
)

// Render prints d as plain text for tests and for people. It does no cleaning.
func Render(d Doc) string {
	r := renderer{d: &d, start: true}
	for _, s := range d.Segments {
		r.segment(s)
	}
	return strings.TrimRight(r.b.String(), "\n ")
}

type renderer struct {
	d     *Doc
	b     strings.Builder
	quote int
	start bool // at the start of a line
}

func (r *renderer) write(s string) {
	if r.start {
		r.b.WriteString(strings.Repeat("> ", r.quote))
		r.start = false
	}
	r.b.WriteString(s)
}

func (r *renderer) newline(n int) {
	for range n {
		r.b.WriteByte('\n')
	}
	r.start = true
}

func (r *renderer) segment(s Segment) {
	switch s.Kind {
	case Text:
		for i, line := range strings.Split(s.Text, "\n") {
			if i > 0 {
				r.newline(1)
			}
			if line != "" {
				r.write(line)
			}
		}
	case Break:
		r.newline(s.N)
	case LinkEnd:
		r.write(fmt.Sprintf(" [link %d]", s.N+1))
	case ImageMark:
		r.write("[image: " + r.d.Images[s.N].Alt + "]")
	case HiddenMark:
		h := r.d.Hidden[s.N]
		r.write(fmt.Sprintf("[hidden text withheld: %d characters, %s]", h.Chars, h.Technique))
	case PreheaderMark:
		r.write(fmt.Sprintf("[preview line withheld: %d characters]", r.d.Hidden[s.N].Chars))
	case UncertainStart:
		r.write("[perhaps hidden (" + string(r.d.Hidden[s.N].Technique) + "): ")
	case UncertainEnd:
		r.write("]")
	case QuoteStart:
		r.quote++
	case QuoteEnd:
		r.quote--
	case HistoryStart:
		r.write("[earlier messages, " + s.Text + "]")
		r.newline(1)
	case HeadingStart:
		r.write(strings.Repeat("#", s.N) + " ")
	case ListItem:
		r.write(strings.Repeat("  ", s.N-1) + strings.TrimSpace(s.Text+" "))
		if s.Text != "" {
			r.write(" ")
		}
	case CellSep:
		r.write(" | ")
	case CodeStart:
		r.fence()
		r.newline(1)
	case CodeEnd:
		r.fence()
	case Rule:
		r.write("---")
	case Control:
		r.write("[" + s.Text + "]")
	}
}

func (r *renderer) fence() {
	if !r.start {
		r.newline(1)
	}
	r.write("```")
}
