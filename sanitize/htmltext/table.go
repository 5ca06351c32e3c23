package htmltext

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Limits that tell tables of data from tables that arrange a page.
const (
	maxDataCellChars = 200 // a cell with more text arranges a page
	maxDataColumns   = 40
	maxShapeNodes    = 20000 // nodes looked at for one table
)

// table decides once whether a table holds data, and walks it accordingly.
func (c *converter) table(n *html.Node, v *view) {
	shape := c.shape(n)
	c.rows(n, v, shape)
}

// shape is how a table is read.
type shape uint8

const (
	shapeLayout shape = iota // cells one below the other
	shapeLines               // layout, but cells of a row stand side by side on a line
	shapeData                // rows and columns
)

// shape looks at roles, headings, borders and the regularity of the rows.
func (c *converter) shape(n *html.Node) shape {
	role := lowerASCII(attr(n, "role"))
	if c.tables[n] || c.inCell > 0 {
		return shapeLayout
	}
	t := measure(n)
	switch {
	case t.blocks || t.rows == 0:
		return shapeLayout
	case t.widest < 2:
		return shapeLayout
	case role == "presentation" || role == "none":
		return shapeLines
	case t.heads > 0 || role == "table" || role == "grid" || t.caption:
		return shapeData
	case t.rows >= 2 && t.regular && (bordered(n) || t.filled):
		return shapeData
	}
	return shapeLines
}

func bordered(n *html.Node) bool {
	b := strings.TrimSpace(attr(n, "border"))
	return b != "" && b != "0" || hasAttr(n, "rules")
}

// measured is what measure finds out about a table without nested tables.
type measured struct {
	rows, widest, heads int
	regular             bool // all rows with more than one cell have the same number of cells
	filled              bool // every cell of those rows holds text
	blocks              bool // a cell holds more than a short text
	caption             bool
	nodes               int
}

func measure(n *html.Node) measured {
	m := measured{regular: true, filled: true}
	m.visit(n)
	return m
}

func (m *measured) visit(n *html.Node) {
	for ch := n.FirstChild; ch != nil; ch = ch.NextSibling {
		switch ch.DataAtom {
		case atom.Tr:
			m.row(ch)
		case atom.Tbody, atom.Thead, atom.Tfoot:
			m.visit(ch)
		case atom.Caption:
			m.caption = true
		}
	}
}

func (m *measured) row(tr *html.Node) {
	cells := 0
	for ch := tr.FirstChild; ch != nil; ch = ch.NextSibling {
		if ch.DataAtom != atom.Td && ch.DataAtom != atom.Th {
			continue
		}
		cells++
		if ch.DataAtom == atom.Th {
			m.heads++
		}
		chars, breaks := m.content(ch)
		m.blocks = m.blocks || chars > maxDataCellChars || breaks > 3
		m.filled = m.filled && chars > 0
	}
	m.rows++
	if cells < 2 {
		return
	}
	if m.widest > 0 && cells != m.widest {
		m.regular = false
	}
	m.widest = min(max(m.widest, cells), maxDataColumns)
}

// content measures the text below n and counts the blocks in it.
func (m *measured) content(n *html.Node) (chars, breaks int) {
	for ch := n.FirstChild; ch != nil; ch = ch.NextSibling {
		if m.nodes++; m.nodes > maxShapeNodes {
			return maxDataCellChars + 1, breaks
		}
		switch {
		case ch.Type == html.TextNode:
			chars += len(strings.TrimSpace(ch.Data))
		case ch.Type == html.ElementNode:
			switch ch.DataAtom {
			case atom.P, atom.Div, atom.Br:
				breaks++
			case atom.Ul, atom.Ol, atom.H1, atom.H2, atom.H3, atom.Blockquote, atom.Hr, atom.Pre:
				breaks += 4
			case atom.Img:
				chars += len(attr(ch, "alt"))
			}
			x, y := m.content(ch)
			chars, breaks = chars+x, breaks+y
		}
	}
	return chars, breaks
}

// rows walks the parts of a table.
func (c *converter) rows(n *html.Node, v *view, s shape) {
	for ch := n.FirstChild; ch != nil; ch = ch.NextSibling {
		switch ch.DataAtom {
		case atom.Tbody, atom.Thead, atom.Tfoot, atom.Tr:
			c.part(ch, v, s)
		default:
			c.node(ch, v)
		}
	}
}

// part enters a row, a group of rows or a cell.
func (c *converter) part(n *html.Node, parent *view, s shape) {
	v := c.enter(parent, n)
	start := parent.depth()
	c.path = append(c.path, n.Data)
	c.attributes(n)
	switch {
	case v.main.hard != "":
		c.children(n, &v)
	case n.DataAtom == atom.Tr:
		c.row(n, &v, s)
	case n.DataAtom == atom.Td || n.DataAtom == atom.Th:
		c.withRestHistory(n, &v)
	default:
		c.rows(n, &v, s)
	}
	c.path = c.path[:len(c.path)-1]
	c.leave(parent, &v, start)
}

func (c *converter) row(tr *html.Node, v *view, s shape) {
	c.lineBreak(1)
	if s == shapeData {
		c.start(RowStart, headingRow(tr), "")
		c.inCell++
	}
	cells := 0
	for ch := tr.FirstChild; ch != nil; ch = ch.NextSibling {
		if ch.DataAtom != atom.Td && ch.DataAtom != atom.Th {
			c.node(ch, v)
			continue
		}
		c.between(cells, s)
		cells++
		c.part(ch, v, s)
	}
	if s == shapeData {
		c.inCell--
		c.end(RowStart)
	}
	c.lineBreak(1)
}

// between stands before cell i of a row.
func (c *converter) between(i int, s shape) {
	switch {
	case i == 0:
	case s == shapeData:
		c.sep()
	case s == shapeLines:
		c.space = true
	default:
		c.lineBreak(1)
	}
}

func headingRow(tr *html.Node) int {
	for ch := range tr.ChildNodes() {
		if ch.DataAtom == atom.Td {
			return 0
		}
	}
	return 1
}
