package htmltext

// maxPreheaderChars is the longest hidden passage that is taken for the preview line of a newsletter.
const maxPreheaderChars = 200

// markPreheader gives the first hidden passage its own mark if it stands before all visible text and is short.
func (e *emitter) markPreheader() {
	for i := range e.d.Segments {
		s := &e.d.Segments[i]
		switch s.Kind {
		case HiddenMark:
			h := &e.d.Hidden[s.N]
			if previewTechnique(h.Technique) && letterCount(h.Text) <= maxPreheaderChars && h.Chars < 2000 {
				s.Kind, h.Preheader = PreheaderMark, true
			}
			return
		case Text, ImageMark, Control:
			return
		}
	}
}

// letterCount counts characters that have a shape: the padding of preview lines has none.
func letterCount(s string) int {
	n := 0
	for _, r := range s {
		if hasWord(string(r)) || r == ' ' {
			n++
		}
	}
	return n
}

func previewTechnique(t Technique) bool {
	switch t {
	case DisplayNone, VisibilityHidden, HiddenAttribute, Opacity, SmallFont, ColourContrast, Transparent, ZeroBox, MSOHide, Overflow, OffScreen:
		return true
	}
	return false
}
