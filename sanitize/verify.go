package sanitize

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// This file and verifystyle.go share no function and no table with the cleaner: what one side got wrong, the other has
// to get wrong in the same way before it passes. They repair nothing.

const (
	verifyPrologue = "<!DOCTYPE html><html"
	verifyEpilogue = "</body></html>\n"
	verifyDepth    = 120 // Limit: a little above what the cleaner writes
)

var (
	errGrammar  = errors.New("not in the grammar")
	errReadings = errors.New("two readings differ")
	errPanic    = errors.New("the parser gave up")
)

// vnode is a node as the grammar reads it: an element, or a text if name is empty.
type vnode struct {
	name string
	attr [][2]string
	text string
	kids []*vnode
}

// verifyOutgoing reads text by an exact grammar of its own, then with the HTML parser as a document and as a fragment, with
// scripting on and off, then what the parser itself writes of each of these: all must be one tree.
func verifyOutgoing(text string, ids []string) error {
	return verifyReading(text, ids, func(*html.Node) {})
}

// verifyReading is verifyOutgoing; read gets the first of its readings, once, before it is compared.
func verifyReading(text string, ids []string, read func(*html.Node)) error {
	s := &vscanner{rest: text, ids: ids, styles: map[string]bool{}}
	body, err := s.document()
	if err != nil {
		return fmt.Errorf("%w at octet %d: %s", errGrammar, len(text)-len(s.rest), err)
	}
	// The line end after the document is read as the last text of the body.
	if k := len(body.kids); k > 0 && body.kids[k-1].name == "" {
		body.kids[k-1].text += "\n"
	} else {
		body.kids = append(body.kids, &vnode{text: "\n"})
	}
	written, err := verifyReadings(text, body, false, read)
	if err != nil {
		return err
	}
	other, err := verifyReadings(text, body, true, func(*html.Node) {})
	if err != nil {
		return err
	}
	if other != written {
		return fmt.Errorf("%w: written again, scripting off and on", errReadings)
	}
	// What the parser writes is not sent: one reading of each kind will do.
	return verifyWritten(written, body)
}

// verifyReadings compares body with text parsed as document and as fragment, and gives what the parser writes of the former.
func verifyReadings(text string, body *vnode, scripting bool, read func(*html.Node)) (string, error) {
	doc, err := html.ParseWithOptions(strings.NewReader(text), html.ParseOptionEnableScripting(scripting))
	if err != nil {
		return "", err
	}
	read(doc)
	if err := verifyDocument(doc, body); err != nil {
		return "", fmt.Errorf("%w: document, scripting %t: %s", errReadings, scripting, err)
	}
	if err := verifyFragment(text, body, scripting); err != nil {
		return "", err
	}
	var b strings.Builder
	b.Grow(len(text) + len(text)/4)
	if err := html.Render(&b, doc); err != nil {
		return "", err
	}
	return b.String(), nil
}

func verifyFragment(text string, body *vnode, scripting bool) error {
	context := &html.Node{Type: html.ElementNode, Data: "body", DataAtom: atom.Body}
	nodes, err := html.ParseFragmentWithOptions(strings.NewReader(text), context, html.ParseOptionEnableScripting(scripting))
	if err != nil {
		return err
	}
	if err := sameNodes(siblings(nodes), body.kids); err != nil {
		return fmt.Errorf("%w: fragment, scripting %t: %s", errReadings, scripting, err)
	}
	return nil
}

// verifyWritten compares body with what the parser wrote: as document with scripting on, as fragment with scripting off.
func verifyWritten(text string, body *vnode) error {
	doc, err := html.ParseWithOptions(strings.NewReader(text), html.ParseOptionEnableScripting(true))
	if err != nil {
		return err
	}
	if err := verifyDocument(doc, body); err != nil {
		return fmt.Errorf("%w: document, written again: %s", errReadings, err)
	}
	return verifyFragment(text, body, false)
}

// verifyDocument: doctype, html, an empty head, body, and nothing else.
func verifyDocument(doc *html.Node, body *vnode) error {
	top := children(doc)
	if len(top) != 2 || top[0].Type != html.DoctypeNode || len(top[0].Attr) > 0 || top[1].Data != "html" {
		return errors.New("not a doctype and a root")
	}
	parts := children(top[1])
	if len(parts) != 2 || parts[0].Data != "head" || parts[0].FirstChild != nil || len(parts[0].Attr) > 0 || parts[1].Data != "body" {
		return errors.New("not an empty head and a body")
	}
	if !sameAttributes(parts[1].Attr, body.attr) {
		return errors.New("the body has other attributes")
	}
	return sameNodes(parts[1].FirstChild, body.kids)
}

// siblings puts the nodes of a fragment, which come without a parent, under one.
func siblings(nodes []*html.Node) *html.Node {
	var parent html.Node
	for _, n := range nodes {
		parent.AppendChild(n)
	}
	return parent.FirstChild
}

func children(n *html.Node) (list []*html.Node) {
	for k := n.FirstChild; k != nil; k = k.NextSibling {
		list = append(list, k)
	}
	return list
}

// sameNodes compares first and its siblings with want.
func sameNodes(first *html.Node, want []*vnode) error {
	g := first
	for _, w := range want {
		switch {
		case g == nil:
			return errors.New("fewer nodes than the grammar has")
		case g.Namespace != "":
			return errors.New("a foreign element")
		case w.name == "" && (g.Type != html.TextNode || g.Data != w.text):
			return errors.New("another text")
		case w.name != "" && (g.Type != html.ElementNode || g.Data != w.name || !sameAttributes(g.Attr, w.attr)):
			return errors.New("another element for " + w.name)
		}
		if err := sameNodes(g.FirstChild, w.kids); err != nil {
			return err
		}
		g = g.NextSibling
	}
	if g != nil {
		return errors.New("more nodes than the grammar has")
	}
	return nil
}

func sameAttributes(got []html.Attribute, want [][2]string) bool {
	return slices.EqualFunc(got, want, func(g html.Attribute, w [2]string) bool {
		return g.Namespace == "" && g.Key == w[0] && g.Val == w[1]
	})
}

// vscanner reads the exact grammar; anything it does not expect ends the reading.
type vscanner struct {
	rest   string
	ids    []string
	depth  int
	styles map[string]bool // style attributes that are in the grammar: most are repeated
}

func (s *vscanner) document() (*vnode, error) {
	if !s.take(verifyPrologue) {
		return nil, errors.New("prologue")
	}
	if _, err := s.attributes("html"); err != nil {
		return nil, err
	}
	if !s.take("<body") {
		return nil, errors.New("body")
	}
	attrs, err := s.attributes("body")
	if err != nil {
		return nil, err
	}
	body := &vnode{name: "body", attr: attrs}
	if s.take(`<div style="display:none">`) {
		text, err := s.text()
		if err != nil || text == "" || len([]rune(text)) > 200 || !s.take("</div>") {
			return nil, errors.New("preview line")
		}
		body.kids = append(body.kids, &vnode{name: "div", attr: [][2]string{{"style", "display:none"}}, kids: []*vnode{{text: text}}})
	}
	if err := s.content(body); err != nil {
		return nil, err
	}
	if s.rest != verifyEpilogue {
		return nil, errors.New("epilogue")
	}
	return body, nil
}

func (s *vscanner) take(word string) bool {
	rest, ok := strings.CutPrefix(s.rest, word)
	if ok {
		s.rest = rest
	}
	return ok
}

// content reads texts and elements up to an end tag.
func (s *vscanner) content(parent *vnode) error {
	if s.depth++; s.depth > verifyDepth {
		return errors.New("depth")
	}
	for !strings.HasPrefix(s.rest, "</") {
		if s.rest == "" {
			return errors.New("end of input")
		}
		if s.rest[0] != '<' {
			text, err := s.text()
			if err != nil {
				return err
			}
			parent.kids = append(parent.kids, &vnode{text: text})
			continue
		}
		n, err := s.element()
		if err != nil {
			return err
		}
		parent.kids = append(parent.kids, n)
	}
	s.depth--
	return nil
}

func (s *vscanner) element() (*vnode, error) {
	s.rest = s.rest[1:]
	k := 0
	for k < len(s.rest) && (s.rest[k] >= 'a' && s.rest[k] <= 'z' || k > 0 && s.rest[k] >= '1' && s.rest[k] <= '6') {
		k++
	}
	n := &vnode{name: s.rest[:k]}
	s.rest = s.rest[k:]
	if !strings.Contains(verifyElements, " "+n.name+" ") || n.name == "" {
		return nil, errors.New("element")
	}
	var err error
	if n.attr, err = s.attributes(n.name); err != nil {
		return nil, err
	}
	if strings.Contains(" br hr img col wbr ", " "+n.name+" ") {
		return n, nil
	}
	if err := s.content(n); err != nil {
		return nil, err
	}
	if !s.take("</" + n.name + ">") {
		return nil, errors.New("end tag of " + n.name)
	}
	return n, nil
}

// text reads up to the next tag. Raw line ends, tabs, and what is neither a control nor turns letters around.
func (s *vscanner) text() (string, error) {
	raw := s.rest
	if k := strings.IndexByte(raw, '<'); k >= 0 {
		raw = raw[:k]
	}
	s.rest = s.rest[len(raw):]
	return unreference(raw, "&amp; &lt; &gt; ")
}

// unreference resolves the few references that the grammar has; any other & and any odd character is an error.
func unreference(raw, allowed string) (string, error) {
	var b strings.Builder
	for i, r := range raw {
		switch {
		case r == '<' || r == '>' || r == 0xFFFE || r == 0xFFFF:
			return "", errors.New("character")
		case r < 0x20 && r != '\n' && r != '\t' || r >= 0x7F && r < 0xA0 || r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069 || r >= 0xE0000 && r < 0xF0000:
			return "", errors.New("control")
		case r == '&':
			if end := strings.IndexByte(raw[i:], ';'); end < 0 || end > 5 || !strings.Contains(allowed, raw[i:i+end+1]+" ") {
				return "", errors.New("reference")
			}
		}
	}
	if !strings.Contains(raw, "&") {
		return raw, nil
	}
	for len(raw) > 0 {
		k := strings.IndexByte(raw, '&')
		if k < 0 {
			b.WriteString(raw)
			break
		}
		b.WriteString(raw[:k])
		end := strings.IndexByte(raw[k:], ';')
		b.WriteString(map[string]string{"&amp;": "&", "&lt;": "<", "&gt;": ">", "&#34;": `"`, "&#39;": "'", "&#96;": "`"}[raw[k:k+end+1]])
		raw = raw[k+end+1:]
	}
	return b.String(), nil
}

// attributes reads a tag's attributes up to and with its ">".
func (s *vscanner) attributes(element string) (list [][2]string, err error) {
	for s.take(" ") {
		k := strings.IndexByte(s.rest, '=')
		if k <= 0 || k > 20 || !strings.HasPrefix(s.rest[k:], `="`) {
			return nil, errors.New("attribute")
		}
		name := s.rest[:k]
		s.rest = s.rest[k+2:]
		end := strings.IndexByte(s.rest, '"')
		if end < 0 {
			return nil, errors.New("value")
		}
		raw := s.rest[:end]
		s.rest = s.rest[end+1:]
		if strings.ContainsAny(raw, "'`\n\t") {
			return nil, errors.New("value")
		}
		value, err := unreference(raw, "&amp; &lt; &gt; &#34; &#39; &#96; ")
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(list, func(a [2]string) bool { return a[0] == name }) {
			return nil, errors.New("attribute twice")
		}
		if err := s.attribute(element, name, value); err != nil {
			return nil, err
		}
		list = append(list, [2]string{name, value})
	}
	if !s.take(">") {
		return nil, errors.New("tag end")
	}
	return list, nil
}
