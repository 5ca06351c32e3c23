package office

import (
	"encoding/xml"
	"strconv"
	"strings"

	"mailgap/readmail/extract/internal/document"
)

const (
	maxRows          = 5_000 // of one sheet
	maxColumns       = 200   // of one sheet
	maxSharedStrings = 2_000_000
	maxSheetName     = 120 // octets; Excel allows 31 characters
	maxComments      = 500 // of one sheet
)

// xlsx writes every sheet as a table under its name, with the values that Excel stored.
func (r *reader) xlsx() error {
	main := r.mainPart("xl/workbook.xml")
	if !r.archive.has(main) {
		return document.ErrDamaged
	}
	r.coreTitle("docProps/core.xml")
	var book bookHandler
	if err := r.walkPart(main, &book); err != nil && len(book.sheets) == 0 {
		return err
	}
	rels := r.rels(main)
	wb := &workbook{date1904: book.date1904}
	for _, to := range rels {
		switch to.kind {
		case "sharedStrings":
			if err := r.walkPart(to.target, &stringsHandler{book: wb}); err != nil {
				r.doc.Note("the table of texts is damaged: some cells show a number sign instead of their text")
			}
		case "styles":
			_ = r.walkPart(to.target, &formatsHandler{book: wb, codes: map[int]string{}}) // dates show as numbers without it
		case "externalLink":
			r.doc.Note("the workbook refers to other workbooks; the values stored last are shown")
		}
	}
	return r.sheets(book.sheets, rels, wb)
}

func (r *reader) sheets(sheets []sheetInfo, rels map[string]rel, wb *workbook) error {
	r.doc.Pages, r.doc.FirstPage = len(sheets), 1
	for i, s := range sheets {
		if r.out.Full() || i >= r.limits.MaxPages {
			r.doc.Truncated = true
			r.doc.Note("sheets 1 to %d of %d are shown", i, len(sheets))
			break
		}
		r.doc.LastPage = i + 1
		r.out.WriteString("## Sheet " + strconv.Itoa(i+1) + ": " + document.OneLine(s.name, maxSheetName))
		if s.hidden {
			r.hide("sheets")
			r.out.WriteString(" " + document.HiddenMark)
		}
		r.out.WriteString("\n\n")
		if err := r.sheet(rels[s.rel].target, wb); err != nil {
			return err
		}
		r.out.WriteString("\n")
	}
	return nil
}

func (r *reader) sheet(part string, wb *workbook) error {
	rels := r.rels(part)
	h := &sheetHandler{reader: r, book: wb, rels: rels}
	if err := r.walkPart(part, h); err != nil {
		return err
	}
	if h.dropped {
		r.doc.Truncated = true
		r.doc.Note("of a sheet at most %d rows and %d columns are shown", maxRows, maxColumns)
	}
	for _, id := range sortedKeys(rels) {
		switch rels[id].kind {
		case "comments":
			_ = r.walkPart(rels[id].target, &commentsHandler{out: r.out}) // remarks beside the data
		case "drawing":
			d := &slideHandler{reader: r}
			_ = r.walkPart(rels[id].target, d) // text boxes beside the data
		}
	}
	return nil
}

// sheetInfo is one sheet as the workbook lists it.
type sheetInfo struct {
	name, rel string
	hidden    bool
}

type bookHandler struct {
	sheets   []sheetInfo
	date1904 bool
}

func (h *bookHandler) start(_ *xmlPart, name string, attrs []xml.Attr) {
	switch name {
	case "s:workbookPr":
		v := attr(attrs, "date1904")
		h.date1904 = v == "1" || v == "true"
	case "s:sheet":
		state := attr(attrs, "state")
		h.sheets = append(h.sheets, sheetInfo{attr(attrs, "name"), attr(attrs, "r:id"), state == "hidden" || state == "veryHidden"})
	}
}
func (h *bookHandler) end(*xmlPart, string)  {}
func (h *bookHandler) text(*xmlPart, string) {}

// workbook is what all sheets share.
type workbook struct {
	strings  []string
	formats  []numberFormat // by style index
	date1904 bool
}

// stringsHandler reads the shared strings; phonetic readings (rPh) are not part of the text.
type stringsHandler struct {
	book *workbook
	cur  strings.Builder
}

func (h *stringsHandler) start(x *xmlPart, name string, _ []xml.Attr) {
	if name == "s:rPh" {
		x.leaveOut()
	}
}

func (h *stringsHandler) text(x *xmlPart, s string) {
	if x.parent(0) == "s:t" && h.cur.Len() < maxCellOctets {
		h.cur.WriteString(s)
	}
}

func (h *stringsHandler) end(x *xmlPart, name string) {
	if name == "s:si" {
		h.book.strings = append(h.book.strings, h.cur.String())
		h.cur.Reset()
		x.stop = len(h.book.strings) >= maxSharedStrings
	}
}

// formatsHandler reads which style shows numbers in which way.
type formatsHandler struct {
	book  *workbook
	codes map[int]string
}

func (h *formatsHandler) start(x *xmlPart, name string, attrs []xml.Attr) {
	switch {
	case name == "s:numFmt":
		if id, err := strconv.Atoi(attr(attrs, "numFmtId")); err == nil {
			h.codes[id] = attr(attrs, "formatCode")
		}
	case name == "s:xf" && x.parent(1) == "s:cellXfs":
		id, err := strconv.Atoi(attr(attrs, "numFmtId"))
		if err != nil {
			id = 0
		}
		h.book.formats = append(h.book.formats, formatOf(id, h.codes[id]))
	}
}
func (h *formatsHandler) end(*xmlPart, string)  {}
func (h *formatsHandler) text(*xmlPart, string) {}

// commentsHandler writes the comments of a sheet, one line each.
type commentsHandler struct {
	out   *document.Builder
	ref   string
	cur   strings.Builder
	count int
}

func (h *commentsHandler) start(_ *xmlPart, name string, attrs []xml.Attr) {
	if name == "s:comment" {
		h.ref = document.OneLine(attr(attrs, "ref"), 12)
		h.cur.Reset()
	}
}

func (h *commentsHandler) text(x *xmlPart, s string) {
	if x.parent(0) == "s:t" && h.cur.Len() < maxCellOctets {
		h.cur.WriteString(s)
	}
}

func (h *commentsHandler) end(x *xmlPart, name string) {
	if name == "s:comment" {
		h.out.WriteString("[comment on cell " + h.ref + "] " + document.OneLine(h.cur.String(), maxCellOctets) + "\n")
		h.count++
		x.stop = h.out.Full() || h.count >= maxComments
	}
}

// columnIndex reads the letters of a cell reference: "B7" is 1. ok is false for what is none.
func columnIndex(ref string) (int, bool) {
	n := 0
	for i := range len(ref) {
		c := ref[i] &^ 0x20
		if c < 'A' || c > 'Z' {
			return n - 1, i > 0
		}
		if n = n*26 + int(c-'A') + 1; n > 1<<20 {
			return 0, false
		}
	}
	return n - 1, n > 0
}
