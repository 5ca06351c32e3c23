package office

import (
	"encoding/xml"
	"slices"
	"strconv"
	"strings"

	"mailgap/readmail/extract/internal/document"
)

// pptx writes the slides in the order of the show, each with its speaker notes.
func (r *reader) pptx() error {
	main := r.mainPart("ppt/presentation.xml")
	if !r.archive.has(main) {
		return document.ErrDamaged
	}
	r.coreTitle("docProps/core.xml")
	var show showHandler
	if err := r.walkPart(main, &show); err != nil && len(show.slides) == 0 {
		return err
	}
	rels := r.rels(main)
	r.doc.Pages, r.doc.FirstPage = len(show.slides), 1
	for i, id := range show.slides {
		if r.out.Full() || i >= r.limits.MaxPages {
			r.doc.Truncated = true
			r.doc.Note("slides 1 to %d of %d are shown", i, len(show.slides))
			break
		}
		r.doc.LastPage = i + 1
		if err := r.slide(rels[id].target, i+1, show); err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) slide(part string, n int, show showHandler) error {
	r.out.Printf("--- slide %d of %d ---\n", n, len(show.slides))
	rels := r.rels(part)
	if err := r.walkPart(part, &slideHandler{reader: r, rels: rels, width: show.width, height: show.height}); err != nil {
		return err
	}
	for _, id := range sortedKeys(rels) {
		switch rels[id].kind {
		case "notesSlide":
			if err := r.walkPart(rels[id].target, &slideHandler{reader: r, notes: true}); err != nil {
				return err
			}
		case "comments":
			_ = r.walkPart(rels[id].target, &slideCommentHandler{out: r.out}) // remarks beside the slide
		}
	}
	r.out.WriteString("\n")
	return nil
}

// showHandler reads the order of the slides and their size.
type showHandler struct {
	slides        []string // relationship ids
	width, height int64    // EMU; zero: unknown
}

func (h *showHandler) start(_ *xmlPart, name string, attrs []xml.Attr) {
	switch name {
	case "p:sldId":
		h.slides = append(h.slides, attr(attrs, "r:id"))
	case "p:sldSz":
		h.width, h.height = attrInt(attrs, "cx"), attrInt(attrs, "cy")
	}
}
func (h *showHandler) end(*xmlPart, string)  {}
func (h *showHandler) text(*xmlPart, string) {}

func attrInt(attrs []xml.Attr, name string) int64 {
	n, err := strconv.ParseInt(attr(attrs, name), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// slideCommentHandler writes the comments of a slide, one line each.
type slideCommentHandler struct{ out *document.Builder }

func (h *slideCommentHandler) start(*xmlPart, string, []xml.Attr) {}
func (h *slideCommentHandler) end(*xmlPart, string)               {}
func (h *slideCommentHandler) text(x *xmlPart, s string) {
	if x.parent(0) == "p:text" || x.parent(0) == "a:t" {
		h.out.WriteString("[comment] " + document.OneLine(s, maxCellOctets) + "\n")
		x.stop = h.out.Full()
	}
}

// slideShape is one shape that is open.
type slideShape struct {
	text    strings.Builder
	hidden  string // why it is not seen; "": it is
	kind    string // of the placeholder
	x, y    int64
	placed  bool
	grouped bool
}

// slideHandler writes the text of one slide, notes page or drawing.
type slideHandler struct {
	*reader
	rels          map[string]rel
	width, height int64
	notes         bool
	shapes        []*slideShape
	para          strings.Builder
	level         int
	tiny          bool
	link          string
	cells         []string
	inCell        bool
	cell          strings.Builder
}

func isShape(name string) bool {
	return slices.Contains([]string{"p:sp", "p:graphicFrame", "p:pic", "p:cxnSp"}, name)
}

func (h *slideHandler) start(x *xmlPart, name string, attrs []xml.Attr) {
	if isShape(name) {
		h.shapes = append(h.shapes, &slideShape{grouped: slices.Contains(x.path, "p:grpSp")})
		return
	}
	s := h.shape()
	switch name {
	case "p:sld":
		if v := attr(attrs, "show"); v == "0" || v == "false" {
			h.hide("slides")
			h.out.WriteString(document.HiddenMark + " this slide is not part of the show\n")
		}
	case "p:cNvPr":
		if v := attr(attrs, "hidden"); (v == "1" || v == "true") && s != nil {
			s.hidden = "shapes set to hidden"
		}
	case "p:ph":
		if s != nil {
			s.kind = attr(attrs, "type")
		}
	case "a:off":
		if s != nil && !s.grouped {
			s.x, s.y, s.placed = attrInt(attrs, "x"), attrInt(attrs, "y"), true
		}
	case "a:ext":
		h.extent(s, attrInt(attrs, "cx"), attrInt(attrs, "cy"))
	case "mc:Fallback":
		x.leaveOut()
	default:
		h.startText(name, attrs)
	}
}

// extent finds shapes that lie beside the slide, where only the editor shows them.
func (h *slideHandler) extent(s *slideShape, cx, cy int64) {
	if s == nil || !s.placed || h.width == 0 || h.height == 0 || cx == 0 && cy == 0 {
		return
	}
	s.placed = false
	if s.x >= h.width || s.y >= h.height || s.x+cx <= 0 || s.y+cy <= 0 {
		s.hidden = "shapes outside of the slide"
	}
}

func (h *slideHandler) startText(name string, attrs []xml.Attr) {
	switch name {
	case "a:p":
		h.para.Reset()
		h.level = 0
	case "a:pPr":
		h.level = int(min(max(attrInt(attrs, "lvl"), 0), maxListLevel))
	case "a:r", "a:fld":
		h.tiny, h.link = false, ""
	case "a:rPr":
		sz := attrInt(attrs, "sz") // hundredths of a point
		h.tiny = sz > 0 && sz <= tinyHalfPoint*50
	case "a:hlinkClick":
		if to := h.rels[attr(attrs, "r:id")]; to.external {
			h.link = to.target
		}
	case "a:br":
		h.para.WriteString("\n")
	case "a:tr":
		h.cells = nil
	case "a:tc":
		h.inCell = true
		h.cell.Reset()
	}
}

func (h *slideHandler) text(x *xmlPart, s string) {
	if x.parent(0) != "a:t" || s == "" {
		return
	}
	if h.tiny {
		h.hide("passages in a font too small to read")
		s = hiddenText(s)
	}
	h.para.WriteString(s + externalLink(s, h.link))
}

func (h *slideHandler) end(x *xmlPart, name string) {
	if isShape(name) {
		h.endShape()
	}
	switch name {
	case "a:p":
		h.endPara()
	case "a:tc":
		h.cells = append(h.cells, h.cell.String())
		h.inCell = false
	case "a:tr":
		h.write(tableRow(h.cells) + "\n")
	}
	x.stop = h.out.Full()
}

func (h *slideHandler) endPara() {
	text := strings.TrimSpace(h.para.String())
	h.para.Reset()
	switch {
	case text == "":
	case h.inCell:
		if h.cell.Len() > 0 {
			h.cell.WriteString(" / ")
		}
		h.cell.WriteString(text)
	case h.level > 0:
		h.write(strings.Repeat("  ", h.level-1) + "- " + text + "\n")
	default:
		h.write(text + "\n")
	}
}

// write adds to the open shape, or straight to the text where there is none (drawings of a workbook).
func (h *slideHandler) write(s string) {
	if shape := h.shape(); shape != nil {
		shape.text.WriteString(s)
		return
	}
	h.out.WriteString(s)
}

func (h *slideHandler) shape() *slideShape {
	if len(h.shapes) == 0 {
		return nil
	}
	return h.shapes[len(h.shapes)-1]
}

// endShape writes what a shape holds. Dates, numbers and footers repeated on every slide are left out.
func (h *slideHandler) endShape() {
	s := h.shape()
	if s == nil {
		return
	}
	h.shapes = h.shapes[:len(h.shapes)-1]
	text := strings.TrimSpace(s.text.String())
	switch s.kind {
	case "sldNum", "dt", "hdr", "ftr", "sldImg":
		return
	case "title", "ctrTitle":
		text = "# " + strings.ReplaceAll(text, "\n", " ")
	}
	if text == "" || text == "# " {
		return
	}
	if s.hidden != "" {
		h.hide(s.hidden)
		text = hiddenText(text)
	}
	if h.notes {
		text = "[speaker notes] " + text
	}
	h.write(text + "\n")
}
