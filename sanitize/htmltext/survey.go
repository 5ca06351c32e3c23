package htmltext

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// surveyed is what one pass over the tree finds before the text is written.
type surveyed struct {
	sheet            sheet
	nested           map[*html.Node]bool // tables that hold tables
	nodes, siblings  int
	title, lang, dir string
	base             string
	linked           bool // a style sheet is loaded from elsewhere
	sheetBytes       int
}

func survey(root *html.Node, keeps bool) *surveyed {
	p := &surveyed{nested: map[*html.Node]bool{}}
	p.sheet.keeps = keeps
	p.sheet.quirks = quirksMode(root)
	p.visit(root, nil)
	return p
}

// quirksMode follows HTML Standard §13.2.6.4.1 for the doctypes seen in mail.
func quirksMode(root *html.Node) bool {
	for n := range root.ChildNodes() {
		if n.Type != html.DoctypeNode {
			continue
		}
		public, system := lowerASCII(attr(n, "public")), hasAttr(n, "system")
		switch {
		case n.Data != "html", public == "html":
			return true
		case strings.HasPrefix(public, "-//w3c//dtd html 4.01 transitional//"), strings.HasPrefix(public, "-//w3c//dtd html 4.01 frameset//"):
			return !system
		case strings.HasPrefix(public, "-//w3c//dtd html 4.0 "), strings.HasPrefix(public, "-//w3c//dtd html 3"), strings.HasPrefix(public, "-//ietf//"), strings.HasPrefix(public, "-//microsoft//"):
			return true
		}
		return false
	}
	return root.Type == html.DocumentNode
}

func (p *surveyed) visit(n, table *html.Node) {
	children := 0
	for ch := n.FirstChild; ch != nil; ch = ch.NextSibling {
		children++
		inner := table
		if ch.Type == html.ElementNode {
			p.element(ch, table)
			switch ch.DataAtom {
			case atom.Table:
				inner = ch
			case atom.Template:
				continue
			}
		}
		if ch.FirstChild != nil {
			p.visit(ch, inner)
		}
	}
	p.nodes += children
	p.siblings = max(p.siblings, children)
}

func (p *surveyed) element(n, table *html.Node) {
	switch n.DataAtom {
	case atom.Table:
		if table != nil {
			p.nested[table] = true
		}
	case atom.Style:
		p.style(n)
	case atom.Link:
		p.linked = p.linked || strings.Contains(lowerASCII(attr(n, "rel")), "stylesheet")
	case atom.Meta:
		if strings.EqualFold(attr(n, "name"), "color-scheme") {
			scheme := strings.Fields(lowerASCII(attr(n, "content")))
			p.sheet.dark = slices.Contains(scheme, "dark") && !slices.Contains(scheme, "light")
		}
	case atom.Base:
		if h := attr(n, "href"); p.base == "" {
			p.base = h[:min(len(h), maxHref)]
		}
	case atom.Title:
		if p.title == "" && n.FirstChild != nil && n.Namespace == "" {
			p.title = n.FirstChild.Data
		}
	case atom.Html, atom.Body:
		if l := attr(n, "lang"); l != "" {
			p.lang = l
		}
		if d := attr(n, "dir"); d != "" {
			p.dir = d
		}
	}
}

// style reads one style element. Together they may have maxSheetBytes octets.
func (p *surveyed) style(n *html.Node) {
	if t := lowerASCII(strings.TrimSpace(attr(n, "type"))); t != "" && t != "text/css" {
		return
	}
	for ch := range n.ChildNodes() {
		if ch.Type != html.TextNode {
			continue
		}
		p.sheetBytes += len(ch.Data)
		if p.sheetBytes > maxSheetBytes {
			p.sheet.cut = true
			return
		}
		p.sheet.noteComments(ch.Data)
		p.sheet.parse(ch.Data, attr(n, "media"))
	}
}
