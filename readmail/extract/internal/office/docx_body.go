package office

import (
	"encoding/xml"
	"strconv"
	"strings"

	"mailgap/readmail/extract/internal/document"
)

// docxHandler writes the paragraphs and tables of one part. Paragraphs can hold text boxes, which hold paragraphs, and
// cells hold tables, so paragraphs, tables and fields are stacks; the depth limit of walk bounds them.
type docxHandler struct {
	*reader
	rels   map[string]rel
	styles map[string]docxStyle
	paras  []*docxPara
	tables []*docxTable
	fields []string // instructions of open fields
	links  []string // targets of open hyperlinks
	run    docxRun
	prefix string // goes before the next paragraph: "[footnote 3] "
}

type docxPara struct {
	text    strings.Builder
	heading int
	list    int // level counted from 1; zero: no list
	hidden  bool
	open    string // why the passage being written is hidden; "" if it is not
	shaded  bool
}

type docxTable struct {
	cells  []string
	cell   strings.Builder
	hidden bool // this row
	shaded bool // this cell
}

type docxRun struct {
	hidden bool
	white  bool
	tiny   bool
	shaded bool
}

// why says in our words why the run is not seen, or "".
func (t docxRun) why(p *docxPara, table *docxTable) string {
	shaded := t.shaded || p.shaded || (table != nil && table.shaded)
	switch {
	case t.hidden || p.hidden:
		return "passages formatted as hidden"
	case t.tiny:
		return "passages in a font too small to read"
	case t.white && !shaded:
		return "passages in white on white"
	}
	return ""
}

func (h *docxHandler) start(x *xmlPart, name string, attrs []xml.Attr) {
	switch name {
	case "w:p":
		h.paras = append(h.paras, &docxPara{})
		h.run = docxRun{}
	case "w:r":
		h.run = docxRun{}
	case "w:tbl":
		h.tables = append(h.tables, &docxTable{})
	case "w:moveFrom", "mc:Fallback", "w:delText", "w:sdtPr", "w:rPrChange", "w:pPrChange":
		x.leaveOut()
	case "w:del":
		if p := x.parent(1); p != "w:rPr" && p != "w:trPr" {
			h.doc.Note("the document has tracked changes: deletions are left out, insertions are in the text")
		}
	case "w:ins":
		h.doc.Note("the document has tracked changes: deletions are left out, insertions are in the text")
	case "w:altChunk":
		h.doc.Note("the document includes another file as content; it is not read")
	case "w:footnote", "w:endnote", "w:comment":
		h.startNote(x, name, attrs)
	default:
		h.startInline(x, name, attrs)
		h.property(x, name, attrs)
	}
}

// startNote begins a footnote, endnote or comment.
func (h *docxHandler) startNote(x *xmlPart, name string, attrs []xml.Attr) {
	if t := attr(attrs, "type"); t != "" && t != "normal" { // separators
		x.leaveOut()
		return
	}
	h.prefix = "[" + strings.TrimPrefix(name, "w:") + " " + document.OneLine(attr(attrs, "id"), 12)
	if who := document.OneLine(attr(attrs, "author"), maxAuthor); who != "" {
		h.prefix += " by " + who
	}
	h.prefix += "] "
}

// startInline handles what stands in the line.
func (h *docxHandler) startInline(x *xmlPart, name string, attrs []xml.Attr) {
	switch name {
	case "w:tab":
		if x.parent(1) == "w:r" {
			h.write("\t")
		}
	case "w:br", "w:cr":
		h.write("\n")
	case "w:noBreakHyphen":
		h.write("-")
	case "w:footnoteReference", "w:endnoteReference", "w:commentReference":
		h.write("[" + strings.TrimSuffix(strings.TrimPrefix(name, "w:"), "Reference") + " " + document.OneLine(attr(attrs, "id"), 12) + "]")
	case "w:hyperlink":
		to := h.rels[attr(attrs, "r:id")]
		h.links = append(h.links, to.target)
	case "w:fldSimple":
		h.fields = append(h.fields, document.Cut(attr(attrs, "instr"), maxField))
	case "w:fldChar":
		h.fieldChar(attr(attrs, "fldCharType"))
	case "wp:docPr":
		if d := document.OneLine(attr(attrs, "descr"), maxTitleOctets); d != "" {
			h.write("[image, described as: " + d + "]")
		} else {
			h.write("[image]")
		}
	}
}

// property notes formatting of paragraphs, runs, rows and cells.
func (h *docxHandler) property(x *xmlPart, name string, attrs []xml.Attr) {
	p, table := h.para(), h.table()
	inRun := x.parent(1) == "w:rPr" && x.parent(2) == "w:r"
	switch name {
	case "w:pStyle":
		s := h.styles[attr(attrs, "val")]
		p.heading, p.hidden = s.heading, s.hidden
	case "w:outlineLvl":
		if n, err := strconv.Atoi(attr(attrs, "val")); err == nil && n >= 0 && n < maxHeading {
			p.heading = n + 1
		}
	case "w:numPr":
		p.list = max(p.list, 1)
	case "w:ilvl":
		if n, err := strconv.Atoi(attr(attrs, "val")); err == nil {
			p.list = min(max(n, 0), maxListLevel) + 1
		}
	case "w:rStyle":
		h.run.hidden = h.run.hidden || (inRun && h.styles[attr(attrs, "val")].hidden)
	case "w:vanish":
		if inRun {
			h.run.hidden = toggled(attrs)
		}
	case "w:color":
		h.run.white = inRun && strings.EqualFold(attr(attrs, "val"), "FFFFFF")
	case "w:sz":
		if n, err := strconv.Atoi(attr(attrs, "val")); err == nil && inRun {
			h.run.tiny = n <= tinyHalfPoint
		}
	case "w:highlight":
		h.run.shaded = h.run.shaded || inRun
	case "w:shd":
		h.shade(x, attrs, p, table)
	case "w:hidden":
		if table != nil && x.parent(1) == "w:trPr" {
			table.hidden = toggled(attrs)
		}
	}
}

// shade notes a background other than white, on which white text can be read.
func (h *docxHandler) shade(x *xmlPart, attrs []xml.Attr, p *docxPara, table *docxTable) {
	fill := strings.ToLower(attr(attrs, "fill"))
	if (fill == "" || fill == "auto" || fill == "ffffff") && attr(attrs, "themeFill") == "" {
		return
	}
	switch x.parent(1) {
	case "w:rPr":
		h.run.shaded = true
	case "w:pPr":
		p.shaded = true
	case "w:tcPr":
		if table != nil {
			table.shaded = true
		}
	}
}

func (h *docxHandler) fieldChar(kind string) {
	switch kind {
	case "begin":
		h.fields = append(h.fields, "")
	case "end":
		h.endField()
	}
}

// endField writes the address of a HYPERLINK field after its text.
func (h *docxHandler) endField() {
	if len(h.fields) == 0 {
		return
	}
	instr := strings.TrimSpace(h.fields[len(h.fields)-1])
	h.fields = h.fields[:len(h.fields)-1]
	rest, ok := strings.CutPrefix(instr, "HYPERLINK")
	if !ok {
		return
	}
	if parts := strings.SplitN(rest, "\"", 3); len(parts) == 3 && !strings.Contains(parts[0], "\\l") {
		h.write(externalLink(h.para().text.String(), parts[1]))
	}
}

func (h *docxHandler) text(x *xmlPart, s string) {
	switch x.parent(0) {
	case "w:t", "m:t":
		h.write(s)
	case "w:instrText":
		if n := len(h.fields); n > 0 && len(h.fields[n-1]) < maxField {
			h.fields[n-1] += document.Cut(s, maxField)
		}
	}
}

// write adds text of the current run to the current paragraph, between marks if it is hidden.
func (h *docxHandler) write(s string) {
	if s == "" {
		return
	}
	p := h.para()
	why := h.run.why(p, h.table())
	if strings.TrimSpace(s) == "" {
		why = p.open // space alone neither starts nor ends a passage
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

func (p *docxPara) closeHidden() {
	if p.open != "" {
		p.text.WriteString(" " + hiddenEnd + " ")
		p.open = ""
	}
}

// para returns the open paragraph; text outside of any goes to one that is never written.
func (h *docxHandler) para() *docxPara {
	if len(h.paras) == 0 {
		return &docxPara{}
	}
	return h.paras[len(h.paras)-1]
}

func (h *docxHandler) table() *docxTable {
	if len(h.tables) == 0 {
		return nil
	}
	return h.tables[len(h.tables)-1]
}

func (h *docxHandler) end(x *xmlPart, name string) {
	switch name {
	case "w:p":
		h.endPara(x)
	case "w:hyperlink":
		if n := len(h.links); n > 0 {
			h.write(externalLink(h.para().text.String(), h.links[n-1]))
			h.links = h.links[:n-1]
		}
	case "w:fldSimple":
		h.endField()
	case "w:tc":
		if t := h.table(); t != nil {
			t.cells = append(t.cells, t.cell.String())
			t.cell.Reset()
			t.shaded = false
		}
	case "w:tr":
		h.endRow()
	case "w:tbl":
		if n := len(h.tables); n > 0 {
			h.tables = h.tables[:n-1]
		}
		h.block("", true)
	}
	x.stop = h.out.Full()
}

func (h *docxHandler) endPara(x *xmlPart) {
	if len(h.paras) == 0 {
		return
	}
	p := h.para()
	p.closeHidden()
	h.paras = h.paras[:len(h.paras)-1]
	h.run = docxRun{}
	text := strings.Trim(p.text.String(), " \n")
	if text == "" {
		return
	}
	if h.prefix != "" {
		text, h.prefix = h.prefix+text, ""
	}
	switch {
	case p.heading > 0:
		h.block(strings.Repeat("#", p.heading)+" "+text, true)
	case p.list > 0:
		h.block(strings.Repeat("  ", p.list-1)+"- "+text, false)
	default:
		h.block(text, true)
	}
}

// block writes one paragraph or row to where it belongs: the cell around it, or the text. apart asks for an empty line.
func (h *docxHandler) block(text string, apart bool) {
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

func (h *docxHandler) endRow() {
	t := h.table()
	if t == nil {
		return
	}
	row, hidden := tableRow(t.cells), t.hidden
	t.cells, t.hidden = nil, false
	if hidden {
		h.hide("table rows")
		row = hiddenText(row)
	}
	if n := len(h.tables); n > 1 { // a table in a cell: its rows belong to that cell
		outer := h.tables[:n-1]
		inner := h.tables
		h.tables = outer
		h.block(row, false)
		h.tables = inner
		return
	}
	h.out.WriteString(row + "\n")
}
