package office

import (
	"encoding/xml"
	"strconv"
	"strings"

	"mailgap/readmail/extract/internal/document"
)

const maxSpaces = 100 // of one text:s, which can claim any number

// odfHandler writes headings, paragraphs, lists, tables, sheets and slides of content.xml.
type odfHandler struct {
	*reader
	kind    string
	styles  map[string]odfStyle
	auto    odfStyleHandler
	paras   []*odfPara
	spans   []string // why each open span is hidden; "": it is not
	links   []string
	lists   int
	tables  []*odfTable
	pages   int
	notes   int // depth of presentation:notes
	dropped bool
}

type odfPara struct {
	text    strings.Builder
	heading int
	hidden  string
	open    string
	note    string // label of a note; its paragraphs are gathered in text
}

type odfTable struct {
	cells     []string
	cell      strings.Builder
	value     string // of a cell without text
	repeat    int    // columns the cell stands for
	rowHidden bool
	rows      int
}

func (h *odfHandler) start(x *xmlPart, name string, attrs []xml.Attr) {
	switch name {
	case "text:tracked-changes":
		h.doc.Note("the document has tracked changes: deletions are left out, insertions are in the text")
		x.leaveOut()
	case "svg:title", "svg:desc", "text:note-citation", "office:forms", "office:scripts":
		x.leaveOut()
	case "text:h", "text:p":
		h.startPara(name, attrs)
	case "text:note":
		h.openNote("footnote")
	case "office:annotation":
		h.openNote("comment")
	case "text:list":
		h.lists++
	case "presentation:notes":
		h.notes++
	case "draw:page":
		h.startSlide(attrs)
	case "table:table", "table:table-row", "table:table-cell", "table:covered-table-cell":
		h.startTable(name, attrs)
	default:
		h.auto.styles = h.styles
		h.auto.start(x, name, attrs)
		h.startInline(x, name, attrs)
	}
}

func (h *odfHandler) startPara(name string, attrs []xml.Attr) {
	p := &odfPara{hidden: string(h.styles["paragraph/"+attr(attrs, "style-name")])}
	if name == "text:h" {
		p.heading = 1
		if n, err := strconv.Atoi(attr(attrs, "outline-level")); err == nil && n > 0 {
			p.heading = min(n, maxHeading)
		}
	}
	h.paras = append(h.paras, p)
}

func (h *odfHandler) startInline(x *xmlPart, name string, attrs []xml.Attr) {
	switch name {
	case "text:span":
		h.spans = append(h.spans, string(h.styles["text/"+attr(attrs, "style-name")]))
	case "text:hidden-text", "text:hidden-paragraph":
		h.spans = append(h.spans, "passages formatted as hidden")
		h.write(attr(attrs, "string-value"))
	case "text:s":
		n, err := strconv.Atoi(attr(attrs, "c"))
		if err != nil {
			n = 1
		}
		h.write(strings.Repeat(" ", min(max(n, 1), maxSpaces)))
	case "text:tab":
		h.write("\t")
	case "text:line-break":
		h.write("\n")
	case "text:a":
		h.links = append(h.links, attr(attrs, "xlink:href"))
	case "draw:image":
		h.write("[image]")
	}
}

func (h *odfHandler) startSlide(attrs []xml.Attr) {
	h.pages++
	h.out.Printf("--- slide %d ---\n", h.pages)
	if h.styles["drawing-page/"+attr(attrs, "style-name")] != "" {
		h.hide("slides")
		h.out.WriteString(document.HiddenMark + " this slide is not part of the show\n")
	}
}

func (h *odfHandler) startTable(name string, attrs []xml.Attr) {
	t := h.table()
	switch {
	case name == "table:table":
		h.tables = append(h.tables, &odfTable{})
		h.startSheet(attrs)
	case t == nil:
	case name == "table:table-row":
		v := attr(attrs, "visibility")
		t.rowHidden = v == "collapse" || v == "filter"
		t.cells = nil
	default:
		t.cell.Reset()
		t.repeat = 1
		if n, err := strconv.Atoi(attr(attrs, "number-columns-repeated")); err == nil {
			t.repeat = min(max(n, 1), maxColumns)
		}
		t.value = firstOf(attr(attrs, "office:string-value"), attr(attrs, "date-value"), attr(attrs, "office:value"))
	}
}

// startSheet writes the name of a sheet; tables in texts have none that is shown.
func (h *odfHandler) startSheet(attrs []xml.Attr) {
	if h.kind != "ods" || len(h.tables) != 1 {
		return
	}
	h.pages++
	h.out.Printf("## Sheet %d: %s", h.pages, document.OneLine(attr(attrs, "table:name"), maxSheetName))
	if h.styles["table/"+attr(attrs, "table:style-name")] != "" {
		h.hide("sheets")
		h.out.WriteString(" " + document.HiddenMark)
	}
	h.out.WriteString("\n\n")
}

func firstOf(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}

func (h *odfHandler) text(x *xmlPart, s string) {
	switch x.parent(0) {
	case "text:p", "text:h", "text:span", "text:a", "text:hidden-text", "text:hidden-paragraph":
		h.write(s)
	default:
		if strings.HasPrefix(x.parent(0), "text:") && len(h.paras) > 0 && strings.TrimSpace(s) != "" {
			h.write(s) // fields show their last value as text
		}
	}
}

// write adds text to the open paragraph, between marks if it is hidden.
func (h *odfHandler) write(s string) {
	if len(h.paras) == 0 || s == "" {
		return
	}
	p := h.paras[len(h.paras)-1]
	why := p.hidden
	for _, span := range h.spans {
		why = firstOf(why, span)
	}
	if strings.TrimSpace(s) == "" {
		why = p.open
	}
	if why != p.open {
		p.closeHidden()
		if why != "" {
			h.hide(why)
			p.text.WriteString(document.HiddenMark + " ")
		}
		p.open = why
	}
	p.text.WriteString(s)
}

func (p *odfPara) closeHidden() {
	if p.open != "" {
		p.text.WriteString(" " + hiddenEnd + " ")
		p.open = ""
	}
}

func (h *odfHandler) table() *odfTable {
	if len(h.tables) == 0 {
		return nil
	}
	return h.tables[len(h.tables)-1]
}

func (h *odfHandler) end(x *xmlPart, name string) {
	switch name {
	case "text:p", "text:h":
		h.endPara()
	case "text:note", "office:annotation":
		h.closeNote()
	case "text:list":
		h.lists = max(h.lists-1, 0)
	case "presentation:notes":
		h.notes = max(h.notes-1, 0)
	case "text:span", "text:hidden-text", "text:hidden-paragraph":
		if n := len(h.spans); n > 0 {
			h.spans = h.spans[:n-1]
		}
	case "text:a":
		if n := len(h.links); n > 0 && len(h.paras) > 0 {
			h.write(externalLink(h.paras[len(h.paras)-1].text.String(), h.links[n-1]))
			h.links = h.links[:n-1]
		}
	case "table:table-cell", "table:covered-table-cell":
		h.endCell()
	case "table:table-row":
		h.endRow()
	case "table:table":
		h.tables = h.tables[:max(len(h.tables)-1, 0)]
		h.block("", true)
	}
	x.stop = h.out.Full()
}

func (h *odfHandler) endPara() {
	n := len(h.paras)
	if n == 0 || h.paras[n-1].note != "" {
		return
	}
	p := h.paras[n-1]
	p.closeHidden()
	h.paras = h.paras[:n-1]
	text := strings.Trim(p.text.String(), " \n")
	if text == "" {
		return
	}
	switch {
	case len(h.paras) > 0 && h.paras[n-2].note != "": // a paragraph of a note
		h.paras[n-2].text.WriteString(text + " ")
	case p.heading > 0:
		h.block(strings.Repeat("#", p.heading)+" "+text, true)
	case h.notes > 0:
		h.block("[speaker notes] "+text, false)
	case h.lists > 0:
		h.block(strings.Repeat("  ", min(h.lists, maxListLevel)-1)+"- "+text, false)
	default:
		h.block(text, h.kind == "odt")
	}
}

// block writes one paragraph or row to where it belongs: the cell around it, or the text.
func (h *odfHandler) block(text string, apart bool) {
	if t := h.table(); t != nil {
		if text != "" && t.cell.Len() < maxCellOctets {
			if t.cell.Len() > 0 {
				t.cell.WriteString(" / ")
			}
			t.cell.WriteString(text)
		}
		return
	}
	h.out.WriteString(text + "\n")
	if apart && text != "" {
		h.out.WriteString("\n")
	}
}

// endCell adds the cell as often as it says it repeats; empty ones at the end of a row are dropped with it.
func (h *odfHandler) endCell() {
	t := h.table()
	if t == nil {
		return
	}
	text := t.cell.String()
	if text == "" {
		text = t.value
	}
	for range t.repeat {
		if len(t.cells) >= maxColumns {
			h.dropped = h.dropped || text != ""
			break
		}
		t.cells = append(t.cells, text)
	}
	t.cell.Reset()
	t.value = ""
}

// endRow writes the row once: repeats are nearly always empty rows that fill the sheet.
func (h *odfHandler) endRow() {
	t := h.table()
	if t == nil {
		return
	}
	for len(t.cells) > 0 && t.cells[len(t.cells)-1] == "" {
		t.cells = t.cells[:len(t.cells)-1]
	}
	if len(t.cells) == 0 {
		return
	}
	if t.rows++; t.rows > maxRows {
		h.dropped = true
		return
	}
	row := tableRow(t.cells)
	t.cells = nil
	if t.rowHidden {
		h.hide("table rows")
		row = hiddenText(row)
	}
	if n := len(h.tables); n > 1 {
		inner := h.tables
		h.tables = inner[:n-1]
		h.block(row, false)
		h.tables = inner
		return
	}
	h.out.WriteString(row + "\n")
}
