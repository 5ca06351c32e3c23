package htmltext

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// maxFlatDepth bounds the elements that are open at one time in the flat reading. Limit: 40 times the parser's limit; the
// text of what is nested deeper is withheld.
const maxFlatDepth = 20000

// flatElement is an open element of the flat reading.
type flatElement struct {
	n     *html.Node
	v     view
	after int
	start float64
	kind  Kind // what it opened in the emitter
	opens bool
	code  bool
	quote bool
}

// flat reads a document as a stream of tags, for documents that are nested too deeply for the tree parser. Tables are
// read as layout, lists without numbers; style sheets apply as far as they look at an element and its ancestors.
type flat struct {
	*converter
	stack []flatElement
	over  int // elements beyond maxFlatDepth
}

func convertFlat(src string, e *emitter) Doc {
	p := &surveyed{nested: map[*html.Node]bool{}}
	p.sheet.quirks = !strings.Contains(lowerASCII(src[:min(len(src), 512)]), "<!doctype html")
	surveyFlat(src, p)
	f := &flat{converter: &converter{emitter: e, judge: newJudge(&p.sheet), tables: p.nested}}
	f.index.nodes, f.index.siblings = len(src), len(src)
	f.note(NoteTooDeep)
	f.header(p)
	f.stack = []flatElement{{n: &html.Node{Type: html.DocumentNode}, v: f.root()}}
	z := html.NewTokenizer(strings.NewReader(src))
	for tt := z.Next(); tt != html.ErrorToken && !f.done; tt = z.Next() {
		f.token(tt, z)
	}
	for len(f.stack) > 1 {
		f.pop()
	}
	return f.close()
}

// surveyFlat collects style elements and the title.
func surveyFlat(src string, p *surveyed) {
	z := html.NewTokenizer(strings.NewReader(src))
	var in *html.Node
	for {
		switch z.Next() {
		case html.ErrorToken:
			return
		case html.StartTagToken, html.SelfClosingTagToken:
			t := z.Token()
			in = &html.Node{Type: html.ElementNode, Data: t.Data, DataAtom: t.DataAtom, Attr: t.Attr}
			if in.DataAtom != atom.Style && in.DataAtom != atom.Title {
				p.element(in, nil)
			}
		case html.TextToken:
			if in != nil && (in.DataAtom == atom.Style || in.DataAtom == atom.Title) && in.FirstChild == nil {
				in.AppendChild(&html.Node{Type: html.TextNode, Data: string(z.Text())})
				p.element(in, nil)
			}
		case html.EndTagToken:
			in = nil
		}
	}
}

func (f *flat) top() *flatElement { return &f.stack[len(f.stack)-1] }

func (f *flat) token(tt html.TokenType, z *html.Tokenizer) {
	switch tt {
	case html.TextToken:
		v := &f.top().v
		s := string(z.Text())
		if f.over > 0 {
			f.withheld(s, Verdict{Technique: StyleDependent}, f.where)
			return
		}
		f.textNode(&html.Node{Type: html.TextNode, Data: s}, v)
	case html.CommentToken:
		f.comment(string(z.Text()))
	case html.StartTagToken, html.SelfClosingTagToken:
		f.startTag(z.Token())
	case html.EndTagToken:
		name, _ := z.TagName()
		f.endTag(string(name))
	}
}

func (f *flat) startTag(t html.Token) {
	if f.over > 0 || len(f.stack) >= maxFlatDepth {
		if !isVoid(t.DataAtom) {
			f.over++
		}
		return
	}
	f.implied(t.DataAtom)
	parent := f.top()
	n := &html.Node{Type: html.ElementNode, Data: t.Data, DataAtom: t.DataAtom, Attr: t.Attr, Parent: parent.n}
	v := f.enter(&parent.v, n)
	if isVoid(t.DataAtom) {
		f.inside(n, &v)
		return
	}
	f.attributes(n)
	el := flatElement{n: n, v: v, start: parent.v.depth()}
	if v.main.hard == "" {
		f.begin(&el)
	}
	f.path = append(f.path, n.Data)
	f.stack = append(f.stack, el)
}

// begin writes what an element begins with.
func (f *flat) begin(el *flatElement) {
	var before int
	before, el.after = f.margins(el.n, &el.v)
	f.lineBreak(before)
	start := func(k Kind, n int, text string) {
		f.start(k, n, text)
		el.kind, el.opens = k, true
	}
	switch el.n.DataAtom {
	case atom.A:
		if hasAttr(el.n, "href") && !f.link {
			href := attr(el.n, "href")
			f.startLink(Link{Href: href[:min(len(href), maxHref)], Label: foldSpace(label(el.n), maxLinkText)})
			el.kind, el.opens, f.link = LinkStart, true, true
		}
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		start(HeadingStart, int(el.n.Data[1]-'0'), "")
	case atom.Li:
		start(ListItem, 1, "-")
	case atom.Blockquote:
		f.quotes++
		el.quote = true
		start(QuoteStart, f.quotes, "")
	case atom.Pre:
		f.code++
		el.code = true
		start(CodeStart, 0, "")
	case atom.Td, atom.Th:
		f.lineBreak(1)
	}
}

// implied closes elements whose end tag may be left out.
func (f *flat) implied(a atom.Atom) {
	switch top := f.top().n.DataAtom; {
	case a == atom.Li && top == atom.Li, a == atom.P && top == atom.P, a == atom.Tr && top == atom.Tr,
		(a == atom.Td || a == atom.Th) && (top == atom.Td || top == atom.Th), a == atom.Option && top == atom.Option,
		(a == atom.Dt || a == atom.Dd) && (top == atom.Dt || top == atom.Dd):
		f.pop()
	}
}

// endTag closes the nearest open element of that name. Others that are open inside it close too.
func (f *flat) endTag(name string) {
	if f.over > 0 {
		f.over--
		return
	}
	const look = 64 // Limit: keeps the search linear; further out, an end tag is taken for a mistake
	for i := len(f.stack) - 1; i > 0 && i > len(f.stack)-look; i-- {
		if f.stack[i].n.Data == name {
			for len(f.stack) > i {
				f.pop()
			}
			return
		}
	}
}

func (f *flat) pop() {
	el := *f.top()
	f.stack = f.stack[:len(f.stack)-1]
	f.path = f.path[:len(f.path)-1]
	if el.opens {
		f.end(el.kind)
	}
	if el.kind == LinkStart && el.opens {
		f.link = false
	}
	if el.quote {
		f.quotes--
	}
	if el.code {
		f.code--
	}
	if el.v.main.hard == "" {
		f.lineBreak(el.after)
	}
	f.leave(&f.top().v, &el.v, el.start)
}

func isVoid(a atom.Atom) bool {
	switch a {
	case atom.Area, atom.Base, atom.Br, atom.Col, atom.Embed, atom.Hr, atom.Img, atom.Input, atom.Link, atom.Meta, atom.Param,
		atom.Source, atom.Track, atom.Wbr, atom.Frame, atom.Keygen:
		return true
	}
	return false
}
