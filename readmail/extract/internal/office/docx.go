package office

import (
	"encoding/xml"
	"path"
	"strconv"
	"strings"

	"mailgap/readmail/extract/internal/document"
)

const (
	maxHeading    = 6
	maxListLevel  = 9
	tinyHalfPoint = 4       // w:sz counts half points: up to 2 pt nobody can read
	maxAuthor     = 80      // octets
	maxField      = 4 << 10 // octets of a field instruction
)

// docx reads the main text, then notes and comments, then page headers and footers.
func (r *reader) docx() error {
	main := r.mainPart("word/document.xml")
	if !r.archive.has(main) {
		return document.ErrDamaged
	}
	dir := path.Dir(main)
	r.coreTitle("docProps/core.xml")
	styles := r.docxStyles(path.Join(dir, "styles.xml"))
	if err := r.docxPart(main, styles); err != nil {
		return err
	}
	for _, part := range []struct{ name, title string }{
		{"footnotes.xml", "Footnotes"}, {"endnotes.xml", "Endnotes"}, {"comments.xml", "Comments"},
	} {
		if err := r.docxSection(path.Join(dir, part.name), part.title, styles); err != nil {
			return err
		}
	}
	seen := map[string]bool{}
	for _, name := range r.archive.names {
		base := path.Base(name)
		if path.Dir(name) != strings.ToLower(dir) || (!strings.HasPrefix(base, "header") && !strings.HasPrefix(base, "footer")) {
			continue
		}
		if err := r.docxMargin(name, base[:len("header")], styles, seen); err != nil {
			return err
		}
	}
	return nil
}

// docxSection writes a part under a title if it has text.
func (r *reader) docxSection(name, title string, styles map[string]docxStyle) error {
	text, err := r.docxText(name, styles)
	if strings.TrimSpace(text) != "" {
		r.out.WriteString("## " + title + "\n\n" + text)
	}
	return err
}

// docxMargin writes one page header or footer unless the same text was written before.
func (r *reader) docxMargin(name, what string, styles map[string]docxStyle, seen map[string]bool) error {
	text, err := r.docxText(name, styles)
	text = strings.TrimSpace(text)
	if text != "" && !seen[text] {
		seen[text] = true
		r.out.WriteString("[page " + what + "] " + text + "\n\n")
	}
	return err
}

// docxText reads one part into a string of its own.
func (r *reader) docxText(name string, styles map[string]docxStyle) (string, error) {
	keep := r.out
	r.out = document.NewBuilder(keep.Room())
	err := r.docxPart(name, styles)
	text := r.out.String()
	r.out = keep
	return text, err
}

func (r *reader) docxPart(name string, styles map[string]docxStyle) error {
	return r.walkPart(name, &docxHandler{reader: r, rels: r.rels(name), styles: styles})
}

// docxStyle is what matters of a paragraph or character style.
type docxStyle struct {
	heading int // 1 to 6; zero: none
	hidden  bool
}

func (r *reader) docxStyles(name string) map[string]docxStyle {
	h := styleHandler{styles: map[string]docxStyle{}}
	_ = r.walkPart(name, &h) // without styles headings are plain paragraphs
	return h.styles
}

type styleHandler struct {
	styles map[string]docxStyle
	id     string
}

func (h *styleHandler) start(x *xmlPart, name string, attrs []xml.Attr) {
	s := h.styles[h.id]
	switch name {
	case "w:style":
		h.id = attr(attrs, "styleId")
		return
	case "w:name":
		s.heading = max(s.heading, headingOfName(attr(attrs, "val")))
	case "w:outlineLvl":
		if n, err := strconv.Atoi(attr(attrs, "val")); err == nil && n >= 0 && n < maxHeading {
			s.heading = n + 1
		}
	case "w:vanish":
		s.hidden = toggled(attrs)
	default:
		return
	}
	if h.id != "" {
		h.styles[h.id] = s
	}
}

func (h *styleHandler) end(_ *xmlPart, name string) {
	if name == "w:style" {
		h.id = ""
	}
}
func (h *styleHandler) text(*xmlPart, string) {}

// headingOfName reads the built-in style names, which are English in every language of Word.
func headingOfName(name string) int {
	name = strings.ToLower(name)
	if name == "title" {
		return 1
	}
	if n, err := strconv.Atoi(strings.TrimPrefix(name, "heading ")); err == nil && strings.HasPrefix(name, "heading ") && n > 0 {
		return min(n, maxHeading)
	}
	return 0
}
