package pdf

import (
	"strings"
	"unicode"
	"unicode/utf16"

	"github.com/klippa-app/go-pdfium/enums"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/structs"

	"mailgap/readmail/extract/internal/document"
)

const (
	maxObjects       = 5_000   // of one page that are looked at; a page with more is looked at character by character
	maxCheckedChars  = 200_000 // of one document that are looked at one by one, some 10 µs each
	tinyPoints       = 2.0     // height in points (1/72 inch) below which nobody reads
	nearlyWhite      = 0xF8    // per colour channel
	scanTextPercent  = 90      // of the characters of a page over a picture: the text layer that OCR makes
	hiddenInvisible  = "passages drawn invisibly"
	hiddenWhite      = "passages in white on white"
	hiddenTiny       = "passages in a font too small to read"
	hiddenOutside    = "passages outside of the page"
	hiddenTextEnding = " [end of hidden text] "
)

// box is a rectangle in the page's own units (points, y upwards).
type box struct{ left, bottom, right, top float64 }

// holds reports whether the middle of b lies in a.
func (a box) holds(b box) bool {
	x, y := (b.left+b.right)/2, (b.bottom+b.top)/2
	return a.left <= x && x <= a.right && a.bottom <= y && y <= a.top
}

// outside reports whether b lies wholly beside a.
func (a box) outside(b box) bool {
	return b.right < a.left || b.left > a.right || b.top < a.bottom || b.bottom > a.top
}

// pageLook is what a glance at the objects of a page gave.
type pageLook struct {
	area     box
	filled   []box // painted areas that are not white: white text on them can be read
	pictures bool
	suspect  bool // some text may be hidden: look at each character
}

// look goes over the objects of a page once. It is cheap where nothing is hidden, which is nearly always.
func (r *reader) look(ref requests.Page) pageLook {
	l := pageLook{area: r.area(ref)}
	count, err := r.engine.pdf.FPDFPage_CountObjects(&requests.FPDFPage_CountObjects{Page: ref})
	if err != nil {
		return l
	}
	l.suspect = count.Count > maxObjects
	for i := range min(count.Count, maxObjects) {
		obj, err := r.engine.pdf.FPDFPage_GetObject(&requests.FPDFPage_GetObject{Page: ref, Index: i})
		if err == nil {
			r.lookAt(obj.PageObject, &l)
		}
	}
	return l
}

// area is the part of the page that is shown; without one everything is inside.
func (r *reader) area(ref requests.Page) box {
	if c, err := r.engine.pdf.FPDFPage_GetCropBox(&requests.FPDFPage_GetCropBox{Page: ref}); err == nil {
		return box{float64(c.Left), float64(c.Bottom), float64(c.Right), float64(c.Top)}
	}
	if m, err := r.engine.pdf.FPDFPage_GetMediaBox(&requests.FPDFPage_GetMediaBox{Page: ref}); err == nil {
		return box{float64(m.Left), float64(m.Bottom), float64(m.Right), float64(m.Top)}
	}
	return box{-1e9, -1e9, 1e9, 1e9}
}

func (r *reader) lookAt(obj references.FPDF_PAGEOBJECT, l *pageLook) {
	kind, err := r.engine.pdf.FPDFPageObj_GetType(&requests.FPDFPageObj_GetType{PageObject: obj})
	if err != nil {
		return
	}
	b, err := r.engine.pdf.FPDFPageObj_GetBounds(&requests.FPDFPageObj_GetBounds{PageObject: obj})
	if err != nil {
		return
	}
	bounds := box{float64(b.Left), float64(b.Bottom), float64(b.Right), float64(b.Top)}
	switch kind.Type {
	case enums.FPDF_PAGEOBJ_TEXT:
		l.suspect = l.suspect || r.mode(obj) || r.white(obj) || l.area.outside(bounds) || bounds.top-bounds.bottom < tinyPoints
	case enums.FPDF_PAGEOBJ_FORM: // a group of objects: look at its characters, and take it for no background
		l.suspect = true
	case enums.FPDF_PAGEOBJ_IMAGE:
		l.pictures = true
		l.filled = append(l.filled, bounds)
	case enums.FPDF_PAGEOBJ_SHADING:
		l.filled = append(l.filled, bounds)
	case enums.FPDF_PAGEOBJ_PATH:
		if !r.white(obj) {
			l.filled = append(l.filled, bounds)
		}
	}
}

// mode reports whether the text object is drawn invisibly (ISO 32000-1 §9.3.6: modes 3 and 7).
func (r *reader) mode(obj references.FPDF_PAGEOBJECT) bool {
	m, err := r.engine.pdf.FPDFTextObj_GetTextRenderMode(&requests.FPDFTextObj_GetTextRenderMode{PageObject: obj})
	return err == nil && (m.TextRenderMode == enums.FPDF_TEXTRENDERMODE_INVISIBLE || m.TextRenderMode == enums.FPDF_TEXTRENDERMODE_CLIP)
}

func (r *reader) white(obj references.FPDF_PAGEOBJECT) bool {
	c, err := r.engine.pdf.FPDFPageObj_GetFillColor(&requests.FPDFPageObj_GetFillColor{PageObject: obj})
	return err == nil && isWhite(c.FillColor)
}

// isWhite is true for white and for what is fully transparent.
func isWhite(c structs.FPDF_COLOR) bool {
	return c.A == 0 || c.R >= nearlyWhite && c.G >= nearlyWhite && c.B >= nearlyWhite
}

// checkedText returns the text of a page with hidden passages marked. count is the number of its characters.
func (r *reader) checkedText(tp references.FPDF_TEXTPAGE, count int, l pageLook, d *document.Document) string {
	units := make([]uint16, 0, count)
	why := make([]string, 0, count)
	invisible, seen, last := 0, 0, ""
	for i := range count {
		u, err := r.engine.pdf.FPDFText_GetUnicode(&requests.FPDFText_GetUnicode{TextPage: tp, Index: i})
		if err != nil || u.Unicode == 0 || u.Unicode > 0xFFFF {
			continue
		}
		if !unicode.IsSpace(rune(u.Unicode)) {
			seen++
			if last = r.whyHidden(tp, i, l); last == hiddenInvisible {
				invisible++
			}
		}
		units, why = append(units, uint16(u.Unicode)), append(why, last)
	}
	if l.pictures && invisible*100 >= seen*scanTextPercent && seen > 0 {
		d.Note("some pages are pictures with an invisible layer of text, as scanners make it: the text may say something else than the picture")
		return string(utf16.Decode(units))
	}
	return r.marked(units, why)
}

// whyHidden says why one character is not seen, "" if it is.
func (r *reader) whyHidden(tp references.FPDF_TEXTPAGE, i int, l pageLook) string {
	if obj, err := r.engine.pdf.FPDFText_GetTextObject(&requests.FPDFText_GetTextObject{TextPage: tp, Index: i}); err == nil && r.mode(obj.TextObject) {
		return hiddenInvisible
	}
	b, err := r.engine.pdf.FPDFText_GetLooseCharBox(&requests.FPDFText_GetLooseCharBox{TextPage: tp, Index: i})
	if err != nil {
		return ""
	}
	at := box{float64(b.Rect.Left), float64(b.Rect.Bottom), float64(b.Rect.Right), float64(b.Rect.Top)}
	switch {
	case l.area.outside(at):
		return hiddenOutside
	case at.top-at.bottom < tinyPoints && at.right-at.left < tinyPoints:
		return hiddenTiny
	}
	c, err := r.engine.pdf.FPDFText_GetFillColor(&requests.FPDFText_GetFillColor{TextPage: tp, Index: i})
	if err != nil || !isWhite(structs.FPDF_COLOR{R: c.R, G: c.G, B: c.B, A: c.A}) {
		return ""
	}
	for _, f := range l.filled {
		if f.holds(at) {
			return ""
		}
	}
	return hiddenWhite
}

// marked puts marks around runs of characters that are hidden for the same reason.
func (r *reader) marked(units []uint16, why []string) string {
	var b strings.Builder
	for start := 0; start < len(units); {
		end := start
		for end < len(units) && why[end] == why[start] {
			end++
		}
		text := string(utf16.Decode(units[start:end]))
		if why[start] != "" {
			r.hidden[why[start]]++
			text = document.HiddenMark + " " + strings.TrimSpace(text) + hiddenTextEnding
		}
		b.WriteString(text)
		start = end
	}
	return b.String()
}
