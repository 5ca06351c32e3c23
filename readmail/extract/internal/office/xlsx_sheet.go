package office

import (
	"encoding/xml"
	"strconv"
	"strings"

	"mailgap/readmail/extract/internal/document"
)

// sheetHandler writes the rows of one sheet as they come; it holds one row at a time.
type sheetHandler struct {
	*reader
	book       *workbook
	rels       map[string]rel
	hiddenCols [][2]int // first and last, counted from 0
	row        []string
	rowHidden  bool
	rows       int
	dropped    bool

	column         int // of the current cell
	kind           string
	style          int
	value, formula strings.Builder
}

func (h *sheetHandler) start(x *xmlPart, name string, attrs []xml.Attr) {
	switch name {
	case "s:col":
		h.hiddenColumn(attrs)
	case "s:row":
		h.row, h.column = h.row[:0], -1
		v := attr(attrs, "hidden")
		h.rowHidden = v == "1" || v == "true"
	case "s:c":
		h.startCell(attrs)
	case "s:rPh":
		x.leaveOut()
	case "s:hyperlink":
		if to := h.rels[attr(attrs, "r:id")]; to.external {
			h.out.WriteString("[link on cell " + document.OneLine(attr(attrs, "ref"), 24) + "] " + document.OneLine(to.target, maxLinkOctets) + "\n")
		}
	}
}

func (h *sheetHandler) hiddenColumn(attrs []xml.Attr) {
	v := attr(attrs, "hidden")
	first, err := strconv.Atoi(attr(attrs, "min"))
	last, err2 := strconv.Atoi(attr(attrs, "max"))
	if (v == "1" || v == "true") && err == nil && err2 == nil && len(h.hiddenCols) < maxColumns {
		h.hiddenCols = append(h.hiddenCols, [2]int{first - 1, last - 1})
	}
}

func (h *sheetHandler) startCell(attrs []xml.Attr) {
	h.column++
	if c, ok := columnIndex(attr(attrs, "r")); ok {
		h.column = c
	}
	h.kind = attr(attrs, "t")
	h.style = -1
	if n, err := strconv.Atoi(attr(attrs, "s")); err == nil {
		h.style = n
	}
	h.value.Reset()
	h.formula.Reset()
}

func (h *sheetHandler) text(x *xmlPart, s string) {
	switch x.parent(0) {
	case "s:v", "s:t":
		if h.value.Len() < maxCellOctets {
			h.value.WriteString(s)
		}
	case "s:f":
		if h.formula.Len() < maxCellOctets {
			h.formula.WriteString(s)
		}
	}
}

func (h *sheetHandler) end(x *xmlPart, name string) {
	switch name {
	case "s:c":
		h.endCell()
	case "s:row":
		h.endRow()
		if h.rows >= maxRows {
			h.dropped, x.stop = true, true
		}
	}
	x.stop = x.stop || h.out.Full()
}

func (h *sheetHandler) endCell() {
	text := h.cellText()
	if strings.TrimSpace(text) == "" {
		return
	}
	if h.column < 0 || h.column >= maxColumns {
		h.dropped = true
		return
	}
	if why := h.whyHidden(); why != "" {
		h.hide(why)
		text = hiddenText(text)
	}
	for len(h.row) <= h.column {
		h.row = append(h.row, "")
	}
	h.row[h.column] = text
}

func (h *sheetHandler) whyHidden() string {
	if f := h.format(); f == formatNothing {
		return "cells with a format that shows nothing"
	}
	for _, c := range h.hiddenCols {
		if c[0] <= h.column && h.column <= c[1] {
			return "cells in hidden columns"
		}
	}
	return ""
}

func (h *sheetHandler) format() numberFormat {
	if h.style >= 0 && h.style < len(h.book.formats) {
		return h.book.formats[h.style]
	}
	return formatGeneral
}

// cellText is what the cell shows: ECMA-376 part 1, §18.18.11 has the types.
func (h *sheetHandler) cellText() string {
	v := h.value.String()
	if v == "" && h.formula.Len() > 0 {
		return "=" + h.formula.String()
	}
	switch h.kind {
	case "s":
		n, err := strconv.Atoi(strings.TrimSpace(v))
		if err != nil || n < 0 || n >= len(h.book.strings) {
			return "#"
		}
		return h.book.strings[n]
	case "b":
		if v == "1" {
			return "TRUE"
		}
		return "FALSE"
	case "str", "inlineStr", "e", "d":
		return v
	}
	return formatNumber(v, h.format(), h.book.date1904)
}

func (h *sheetHandler) endRow() {
	if len(h.row) == 0 {
		return
	}
	h.rows++
	line := tableRow(h.row)
	if h.rowHidden {
		h.hide("table rows")
		line = hiddenText(line)
	}
	h.out.WriteString(line + "\n")
}
