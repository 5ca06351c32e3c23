package sanitize

import (
	"strings"
	"unicode"

	"golang.org/x/net/html"

	"mailgap/sanitize/htmltext"
)

// cleaner builds the tree that is written from the tree that was parsed.
type cleaner struct {
	verdicts     *htmltext.Verdicts
	attached     map[string]bool
	plainness    plainness
	report       removalReport
	preheader    string
	preview      map[*html.Node]bool // the hidden texts that make up the preview line
	sights       map[*html.Node]sight
	styles       map[string]*cleanStyle
	linkColour   string // a declaration for links without a colour of their own
	inlinedBytes int
	shown        []string
	depth        int
	links        int
	bare         bool // the nearest background was lost, so a text colour may be unreadable
	err          error
}

func newCleaner(v *htmltext.Verdicts, o OutgoingOptions, p plainness) *cleaner {
	c := &cleaner{verdicts: v, attached: map[string]bool{}, plainness: p, sights: map[*html.Node]sight{}, styles: map[string]*cleanStyle{}}
	for _, id := range o.ContentIDs {
		c.attached[id] = true
	}
	return c
}

func (c *cleaner) document(root *html.Node) *outDoc {
	d := &outDoc{root: outNode{name: "html"}, body: outNode{name: "body"}}
	c.findPreheader(root)
	c.survey(root)
	if c.preheader != "" {
		d.body.kids = append(d.body.kids, &outNode{name: "div", attrs: []outAttr{{"style", "display:none"}}, kids: []*outNode{{text: c.preheader}}})
	}
	c.top(root, d)
	if c.err == nil && c.report.full {
		c.err = ErrOutgoingRemovals
	}
	return d
}

// top walks what stands around the body.
func (c *cleaner) top(parent *html.Node, d *outDoc) {
	for n := parent.FirstChild; n != nil; n = n.NextSibling {
		switch {
		case n.Type == html.DoctypeNode:
			if n.Data != "html" || len(n.Attr) > 0 {
				c.report.add(RemovedDoctype, n.Data, ReasonRewritten, at(n), doctypeValue(n))
			}
		case n.Type == html.ElementNode && n.Data == "html":
			d.root.attrs = c.attributes(n, "html")
			c.top(n, d)
		case n.Type == html.ElementNode && n.Data == "head":
			for _, a := range n.Attr {
				c.report.add(RemovedAttribute, attrName(a), ReasonNotAllowed, attrAt(n, attrName(a)), a.Val)
			}
			c.top(n, d)
		case n.Type == html.ElementNode && n.Data == "body":
			d.body.attrs = c.attributes(n, "body")
			d.body.kids = append(d.body.kids, c.kids(n)...)
		case n.Type == html.TextNode && strings.TrimSpace(n.Data) == "":
		case n.Type == html.CommentNode:
			c.dropped(n, ReasonNotAllowed)
		default:
			c.dropped(n, ReasonActive)
		}
	}
}

func doctypeValue(n *html.Node) string {
	var b strings.Builder
	for _, a := range n.Attr {
		b.WriteString(a.Key + " " + a.Val + " ")
	}
	return b.String()
}

func (c *cleaner) kids(parent *html.Node) (out []*outNode) {
	if c.depth++; c.depth > maxOutgoingDepth {
		c.err = ErrOutgoingDepth
	}
	for n := parent.FirstChild; n != nil && c.err == nil; n = n.NextSibling {
		out = append(out, c.node(n)...)
	}
	c.depth--
	return out
}

func (c *cleaner) node(n *html.Node) []*outNode {
	switch n.Type {
	case html.TextNode:
		return c.text(n)
	case html.ElementNode:
		return c.element(n)
	case html.CommentNode:
		c.dropped(n, ReasonNotAllowed)
	}
	return nil
}

func (c *cleaner) text(n *html.Node) []*outNode {
	switch {
	case c.preview[n]:
		return nil
	case c.verdicts.Of(n).Hidden && seen(n):
		c.report.add(RemovedText, "", ReasonHidden, at(n), strings.TrimSpace(n.Data))
		return nil
	}
	if s := c.letters(n.Data, n); s != "" {
		return []*outNode{{text: s}}
	}
	return nil
}

// letters takes out controls and what turns the order of letters around. CR and FF, which only a reference can
// spell here, are blanks.
func (c *cleaner) letters(s string, n *html.Node) string {
	if !strings.ContainsFunc(s, oddLetter) {
		return s
	}
	var odd []rune
	s = strings.Map(func(r rune) rune {
		switch {
		case !oddLetter(r):
			return r
		case r == '\r' || r == '\f':
			return ' '
		}
		odd = append(odd, r)
		return -1
	}, s)
	for _, r := range odd {
		c.report.add(RemovedCharacters, strings.ToUpper(codePoint(r)), ReasonInvisible, at(n), "")
	}
	return s
}

func codePoint(r rune) string {
	const hex = "0123456789ABCDEF"
	s := ""
	for i := 0; i < 4 || r > 0; i++ {
		s, r = string(hex[r&15])+s, r>>4
	}
	return "U+" + s
}

// oddLetter: controls, direction overrides and isolates, tags, interlinear annotation, noncharacters. Joiners, marks and
// variation selectors have work to do in many scripts and in emoji.
func oddLetter(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case unicode.IsControl(r), r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x2069, r >= 0xE0000 && r <= 0xE01EF:
		return true
	case r == 0x2028, r == 0x2029, r >= 0xFFF9 && r <= 0xFFFB, r&0xFFFE == 0xFFFE, r >= 0xFDD0 && r <= 0xFDEF, r >= 0xE000 && r <= 0xF8FF:
		return true
	}
	return false
}

func (c *cleaner) element(n *html.Node) []*outNode {
	name, action := outgoingElement(n)
	if n.Data == "img" && n.Namespace == "" {
		return c.image(n)
	}
	if action == dropElement {
		c.dropped(n, ReasonActive)
		return nil
	}
	if c.invisible(n) {
		if !c.ownPreview(n) {
			c.dropped(n, ReasonHidden)
		}
		return nil
	}
	wasBare := c.bare
	defer func() { c.bare = wasBare }()
	switch action {
	case unwrapElement:
		c.report.add(RemovedElement, n.Data, ReasonNotAllowed, at(n), "")
		for _, a := range n.Attr {
			c.report.add(RemovedAttribute, attrName(a), ReasonNotAllowed, attrAt(n, attrName(a)), a.Val)
		}
		return c.kids(n)
	case renameElement:
		c.report.add(RemovedElement, n.Data, ReasonRenamed, at(n), "")
	}
	out := &outNode{name: name, attrs: c.attributes(n, name)}
	out.kids = c.kids(n)
	if name == "a" && c.links > maxOutgoingLinks {
		c.err = ErrOutgoingLinks
	}
	if (name == "a" || name == "font") && len(out.attrs) == 0 {
		c.report.add(RemovedElement, n.Data, ReasonNotAllowed, at(n), "")
		return out.kids
	}
	return []*outNode{out}
}

// sight is what an element holds, apart from what is taken out anyway.
type sight uint8

const (
	sightVisible sight = 1 << iota
	sightHidden
	sightPreview
)

// survey notes for each element what it holds.
func (c *cleaner) survey(n *html.Node) (s sight) {
	if n.Type == html.ElementNode {
		if _, action := outgoingElement(n); action == dropElement {
			return 0
		}
	}
	if seen(n) {
		switch {
		case c.preview[n]:
			s = sightPreview
		case c.verdicts.Of(n).Hidden:
			s = sightHidden
		default:
			s = sightVisible
		}
	}
	for k := n.FirstChild; k != nil; k = k.NextSibling {
		s |= c.survey(k)
	}
	if n.Type == html.ElementNode {
		c.sights[n] = s
	}
	return s
}

// invisible reports an element all of whose texts and images are hidden, or which is empty and says so itself: its
// frame must not appear either.
func (c *cleaner) invisible(n *html.Node) bool {
	s := c.sights[n]
	return s&sightVisible == 0 && (s != 0 || saysDisplayNone(n))
}

// ownPreview reports the element that this package writes around a preview line.
func (c *cleaner) ownPreview(n *html.Node) bool {
	k := n.FirstChild
	return n.Data == "div" && len(n.Attr) == 1 && n.Attr[0].Key == "style" && n.Attr[0].Val == "display:none" &&
		k != nil && k.NextSibling == nil && c.preview[k] && k.Data == c.preheader
}

func saysDisplayNone(n *html.Node) bool {
	for _, a := range n.Attr {
		if a.Key == "hidden" || a.Key == "style" && strings.Contains(strings.ToLower(strings.ReplaceAll(a.Val, " ", "")), "display:none") {
			return true
		}
	}
	return false
}
