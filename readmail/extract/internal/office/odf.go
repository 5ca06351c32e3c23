package office

import (
	"encoding/xml"
	"fmt"
	"strings"

	"mailgap/readmail/extract/internal/document"
)

// odf writes the one content part of an OpenDocument file (OpenDocument 1.3 part 3).
func (r *reader) odf(kind string) error {
	if r.odfEncrypted() {
		return document.ErrEncrypted
	}
	if !r.archive.has("content.xml") {
		return document.ErrDamaged
	}
	r.coreTitle("meta.xml")
	h := &odfHandler{reader: r, kind: kind, styles: map[string]odfStyle{}}
	_ = r.walkPart("styles.xml", &odfStyleHandler{styles: h.styles}) // hidden styles are mostly in content.xml
	err := r.walkPart("content.xml", h)
	if kind != "odt" {
		r.doc.Pages, r.doc.FirstPage, r.doc.LastPage = h.pages, min(1, h.pages), h.pages
	}
	if h.dropped {
		r.doc.Truncated = true
		r.doc.Note("of a sheet at most %d rows and %d columns are shown", maxRows, maxColumns)
	}
	return err
}

// odfEncrypted reports whether the manifest names an encrypted part (OpenDocument 1.3 part 2, §3.4).
func (r *reader) odfEncrypted() bool {
	var h manifestHandler
	_ = r.walkPart("META-INF/manifest.xml", &h) // a missing manifest hides nothing
	return h.encrypted
}

type manifestHandler struct{ encrypted bool }

func (h *manifestHandler) start(_ *xmlPart, name string, _ []xml.Attr) {
	h.encrypted = h.encrypted || name == "manifest:encryption-data"
}
func (h *manifestHandler) end(*xmlPart, string)  {}
func (h *manifestHandler) text(*xmlPart, string) {}

// odfStyle is why a style hides what has it; "" if it does not.
type odfStyle string

// odfStyleHandler reads styles; odfHandler uses it for the automatic ones in the content part.
type odfStyleHandler struct {
	styles map[string]odfStyle
	name   string
}

func (h *odfStyleHandler) start(_ *xmlPart, name string, attrs []xml.Attr) {
	switch name {
	case "style:style":
		h.name = attr(attrs, "family") + "/" + attr(attrs, "name")
	case "style:text-properties":
		switch size := attr(attrs, "fo:font-size"); {
		case attr(attrs, "display") == "none":
			h.set("passages formatted as hidden")
		case size == "0pt" || size == "1pt" || size == "2pt" || size == "0.1pt" || size == "0.5pt":
			h.set("passages in a font too small to read")
		case strings.EqualFold(attr(attrs, "fo:color"), "#ffffff") && !odfFilled(attr(attrs, "fo:background-color")):
			h.set("passages in white on white")
		}
	case "style:paragraph-properties", "style:table-cell-properties":
		if odfFilled(attr(attrs, "fo:background-color")) {
			delete(h.styles, h.name)
			h.name = ""
		}
	case "style:table-properties":
		if attr(attrs, "table:display") == "false" {
			h.set("sheets")
		}
	case "style:drawing-page-properties":
		if attr(attrs, "visibility") == "hidden" {
			h.set("slides")
		}
	}
}

func odfFilled(color string) bool {
	return color != "" && color != "transparent" && !strings.EqualFold(color, "#ffffff")
}

func (h *odfStyleHandler) set(why odfStyle) {
	if h.name != "" {
		h.styles[h.name] = why
	}
}
func (h *odfStyleHandler) end(*xmlPart, string)  {}
func (h *odfStyleHandler) text(*xmlPart, string) {}

// note is a footnote, annotation or other passage that is written in brackets where it stands.
func (h *odfHandler) openNote(label string) {
	h.paras = append(h.paras, &odfPara{note: label})
}

// closeNote writes the note into the paragraph around it.
func (h *odfHandler) closeNote() {
	n := len(h.paras)
	if n == 0 || h.paras[n-1].note == "" {
		return
	}
	note := h.paras[n-1]
	h.paras = h.paras[:n-1]
	text := document.OneLine(note.text.String(), maxCellOctets)
	if text == "" {
		return
	}
	h.write(fmt.Sprintf("[%s: %s]", note.note, text))
	if len(h.paras) == 0 {
		h.block(fmt.Sprintf("[%s: %s]", note.note, text), true)
	}
}
