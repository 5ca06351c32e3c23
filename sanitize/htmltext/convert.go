package htmltext

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Convert turns src into readable text. It returns ErrNotText for binary data and no other error: broken, hostile or
// oversized HTML gives a shorter Doc with Notes. Safe for concurrent use; time and memory are linear in len(src).
func Convert(src string, o Options) (Doc, error) {
	e := newEmitter(o)
	if len(src) > MaxInputBytes {
		src = src[:MaxInputBytes]
		e.note(NoteInputCut)
	}
	if nuls := strings.Count(src, "\x00"); nuls > len(src)/2 && nuls > 16 {
		return Doc{}, ErrNotText
	}
	root, err := html.ParseWithOptions(strings.NewReader(src), html.ParseOptionEnableScripting(false))
	if err != nil {
		return convertFlat(src, e), nil
	}
	e.reserve(len(src))
	return convertTree(root, e, nil), nil
}

// ConvertTree is Convert for a document that html.ParseWithOptions made with scripting off, and gives what it found about the
// texts and images that it came to. Has tells which. The tree is not changed.
func ConvertTree(root *html.Node, o Options) (Doc, *Verdicts) {
	judged := &Verdicts{nodes: map[*html.Node]Verdict{}}
	return convertTree(root, newEmitter(o), judged), judged
}

func convertTree(root *html.Node, e *emitter, judged *Verdicts) Doc {
	p := survey(root, false)
	c := &converter{emitter: e, judge: newJudge(&p.sheet), tables: p.nested, judged: judged}
	c.index.siblings, c.index.nodes = p.siblings, p.nodes
	c.header(p)
	v := c.root()
	c.children(root, &v)
	c.sheetAsides(&p.sheet)
	return c.close()
}

// converter walks a tree and drives judge and emitter.
type converter struct {
	*emitter
	*judge
	tables   map[*html.Node]bool // tables that hold tables
	judged   *Verdicts           // what was found, nil if nobody wants it
	path     []string            // names of the open elements, outermost first
	lists    []list
	quotes   int
	code     int
	link     bool
	history  bool // inside an earlier message
	comments int
}

// list is an open ul or ol.
type list struct {
	ordered bool
	next    int
	step    int
	style   string
}

// header copies what the survey found into the Doc.
func (c *converter) header(p *surveyed) {
	c.d.Title, c.d.Lang, c.d.Dir = foldSpace(p.title, 300), cutRunes(p.lang, 35), cutRunes(p.dir, 35)
	c.base = p.base
	if p.sheet.imports || p.linked {
		c.note(NoteImportedStyle)
	}
}

func (c *converter) close() Doc {
	if c.index.sheet.cut {
		c.note(NoteRulesCut)
	}
	if c.index.exhausted() {
		c.note(NoteMatchingCut)
	}
	if c.overlay {
		c.note(NoteOverlay)
	}
	return c.finish()
}

func (c *converter) where() string {
	return strings.Join(c.path[max(0, len(c.path)-6):], ">")
}

func (c *converter) children(n *html.Node, v *view) {
	for ch := n.FirstChild; ch != nil; ch = ch.NextSibling {
		c.node(ch, v)
	}
}

func (c *converter) node(n *html.Node, parent *view) {
	switch n.Type {
	case html.TextNode:
		c.textNode(n, parent)
	case html.CommentNode:
		c.comment(n.Data)
	case html.ElementNode:
		c.element(n, parent)
	}
}

// textNode judges and writes one run of text.
func (c *converter) textNode(n *html.Node, v *view) {
	s := n.Data
	if spaceOnly(s) && c.code == 0 {
		if v.main.hard == "" {
			c.text(s, v.main.pre, false)
		}
		return
	}
	verdict := c.see(v, utf8.RuneCountInString(s))
	c.judged.note(n, verdict)
	switch {
	case verdict.Hidden:
		c.withheld(s, verdict, c.where)
	case verdict.Uncertain:
		c.uncertain(s, verdict, c.where, v.main.pre, c.code > 0)
	default:
		c.visible(s, v.main.pre, c.code > 0)
	}
}

func spaceOnly(s string) bool {
	n, _ := spaceRun(s)
	return n == len(s)
}

// element handles one element with its subtree.
func (c *converter) element(n *html.Node, parent *view) {
	v := c.enter(parent, n)
	start := parent.depth()
	c.path = append(c.path, n.Data)
	c.inside(n, &v)
	c.path = c.path[:len(c.path)-1]
	c.leave(parent, &v, start)
}

func (c *converter) inside(n *html.Node, v *view) {
	c.attributes(n)
	if v.main.hard != "" && n.DataAtom == atom.Style {
		return // its comments are counted by sheetAsides
	}
	if v.main.hard != "" {
		c.hiddenElement(n, v)
		return
	}
	switch n.DataAtom {
	case atom.Br:
		c.br()
		return
	case atom.Wbr:
		return
	case atom.Hr:
		c.rule(v)
		return
	case atom.Img:
		c.image(n, v)
		return
	case atom.Input:
		c.input(n, v)
		return
	}
	before, after := c.margins(n, v)
	c.lineBreak(before)
	c.shaped(n, v)
	c.lineBreak(after)
}

// margins returns the line breaks that an element makes before and after itself.
func (c *converter) margins(n *html.Node, v *view) (before, after int) {
	if v.main.box == boxInline || v.main.box == boxAtom || v.main.box == boxContents || v.main.box == boxCell {
		return 0, 0
	}
	switch n.DataAtom {
	case atom.P, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Blockquote, atom.Pre, atom.Dl, atom.Table, atom.Fieldset, atom.Figure:
		return 2, 2
	case atom.Ul, atom.Ol, atom.Menu, atom.Dir:
		if len(c.lists) > 0 {
			return 1, 1
		}
		return 2, 2
	}
	return 1, 1
}

// hiddenElement walks a subtree that is hidden as a whole: its text is counted, its images are pixels.
func (c *converter) hiddenElement(n *html.Node, v *view) {
	switch n.DataAtom {
	case atom.Img:
		c.image(n, v)
	case atom.Input:
		c.input(n, v)
	case atom.Select:
		c.choice(n)
		return
	case atom.Textarea:
		c.object(Control, 0, strings.TrimSpace("text area: "+foldSpace(attr(n, "name"), 60)))
	case atom.Title, atom.Rp:
		return
	}
	c.children(n, v)
}

func (c *converter) rule(v *view) {
	c.lineBreak(1)
	if v.main.clip == "" && !v.main.invisible {
		c.object(Rule, 0, "")
	}
	c.lineBreak(1)
}

// shaped opens and closes what gives the text its shape.
func (c *converter) shaped(n *html.Node, v *view) {
	if history := c.newHistory(historyMarker(n)); history != "" {
		c.start(HistoryStart, 0, history)
		defer c.endHistory()
	}
	switch n.DataAtom {
	case atom.A:
		c.anchor(n, v)
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		c.start(HeadingStart, int(n.Data[1]-'0'), "")
		c.children(n, v)
		c.end(HeadingStart)
	case atom.Ul, atom.Ol, atom.Menu, atom.Dir:
		c.listElement(n, v)
	case atom.Li:
		c.listItem(n, v)
	case atom.Blockquote:
		c.quotes++
		c.start(QuoteStart, c.quotes, "")
		c.children(n, v)
		c.end(QuoteStart)
		c.quotes--
	case atom.Pre, atom.Xmp, atom.Listing, atom.Plaintext:
		c.preformatted(n, v)
	case atom.Table:
		c.table(n, v)
	default:
		c.withRestHistory(n, v)
	}
}

// newHistory lets a marker count unless the text is history already: one reply often carries several marks.
func (c *converter) newHistory(marker string) string {
	if marker == "" || c.history {
		return ""
	}
	c.history = true
	return marker
}

func (c *converter) endHistory() {
	c.end(HistoryStart)
	c.history = false
}

// withRestHistory walks children; where one of them says that the rest of the element is an earlier message, that rest
// becomes history.
func (c *converter) withRestHistory(n *html.Node, v *view) {
	in := false
	for ch := n.FirstChild; ch != nil; ch = ch.NextSibling {
		if !in && ch.Type == html.ElementNode {
			if m := c.newHistory(restMarker(ch)); m != "" {
				c.lineBreak(1)
				c.start(HistoryStart, 0, m)
				in = true
			}
		}
		c.node(ch, v)
	}
	if in {
		c.endHistory()
	}
}

func (c *converter) anchor(n *html.Node, v *view) {
	if c.link || !hasAttr(n, "href") {
		c.children(n, v)
		return
	}
	href := attr(n, "href")
	c.link = true
	c.startLink(Link{Href: href[:min(len(href), maxHref)], Label: foldSpace(label(n), maxLinkText)})
	c.children(n, v)
	c.end(LinkStart)
	c.link = false
}

// label is a text that tools read out but that a person does not see.
func label(n *html.Node) string {
	if l := attr(n, "aria-label"); l != "" {
		return l
	}
	return attr(n, "title")
}

func (c *converter) preformatted(n *html.Node, v *view) {
	if !v.main.pre || c.inCell > 0 || c.code > 0 {
		c.children(n, v)
		return
	}
	c.start(CodeStart, 0, "")
	c.code++
	c.children(n, v)
	c.code--
	c.end(CodeStart)
}
