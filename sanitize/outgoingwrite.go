package sanitize

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// outNode is a node of the tree that is written: an element, or a text if name is empty.
type outNode struct {
	name  string
	attrs []outAttr
	text  string
	kids  []*outNode
}

type outAttr struct{ key, value string }

// outDoc is the whole document; kids of body are its content.
type outDoc struct {
	root, body outNode
}

// Security: the six characters that could end a value or begin markup in any reader, the backtick for old Internet
// Explorer, are never written as they are.
var (
	writeText  = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")
	writeValue = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;", "`", "&#96;")
)

func (d *outDoc) write(size int) string {
	trimEnd(&d.body)
	var b strings.Builder
	b.Grow(size)
	b.WriteString("<!DOCTYPE html><html")
	writeAttrs(&b, d.root.attrs)
	b.WriteString("><body")
	writeAttrs(&b, d.body.attrs)
	b.WriteByte('>')
	for _, k := range d.body.kids {
		k.write(&b)
	}
	b.WriteString("</body></html>\n")
	return b.String()
}

// trimEnd drops blanks at the very end of the body: the line end after the document is read as part of it.
func trimEnd(body *outNode) {
	for len(body.kids) > 0 {
		last := body.kids[len(body.kids)-1]
		if last.name != "" {
			return
		}
		if last.text = strings.TrimRight(last.text, " \t\n\f"); last.text != "" {
			return
		}
		body.kids = body.kids[:len(body.kids)-1]
	}
}

func (n *outNode) write(b *strings.Builder) {
	if n.name == "" {
		_, _ = writeText.WriteString(b, n.text)
		return
	}
	b.WriteByte('<')
	b.WriteString(n.name)
	writeAttrs(b, n.attrs)
	b.WriteByte('>')
	if voidElement(n.name) {
		return
	}
	for i, k := range n.kids {
		if i == 0 && n.name == "pre" && k.name == "" {
			k.text = strings.TrimLeft(k.text, "\n") // a reader drops the first line end anyway
		}
		k.write(b)
	}
	b.WriteString("</")
	b.WriteString(n.name)
	b.WriteByte('>')
}

func writeAttrs(b *strings.Builder, attrs []outAttr) {
	for _, a := range attrs {
		b.WriteByte(' ')
		b.WriteString(a.key)
		b.WriteString(`="`)
		_, _ = writeValue.WriteString(b, a.value)
		b.WriteByte('"')
	}
}

func voidElement(name string) bool {
	switch name {
	case "br", "hr", "img", "col", "wbr":
		return true
	}
	return false
}

// words is all text without blanks: what must stay the same while the nesting settles.
func (d *outDoc) words() string {
	var b strings.Builder
	var walk func(*outNode)
	walk = func(n *outNode) {
		for f := range strings.FieldsSeq(n.text) {
			b.WriteString(f)
		}
		if n.name == "img" {
			b.WriteByte('\x00')
		}
		for _, k := range n.kids {
			walk(k)
		}
	}
	walk(&d.body)
	return b.String()
}

// is reports whether root, parsed from what was written of d, is the same tree.
func (d *outDoc) is(root *html.Node) bool {
	n := root.FirstChild
	if n == nil || n.NextSibling == nil || n.NextSibling.Data != "html" || !sameAttrs(d.root.attrs, n.NextSibling.Attr) {
		return false
	}
	body := n.NextSibling.LastChild
	if body == nil || body.Data != "body" || !sameAttrs(d.body.attrs, body.Attr) {
		return false
	}
	rest, ok := sameKids(d.body.kids, body.FirstChild)
	return ok && rest == "\n" // the line end after the document is read as part of it
}

func sameAttrs(attrs []outAttr, got []html.Attribute) bool {
	return slices.EqualFunc(attrs, got, func(a outAttr, g html.Attribute) bool { return g.Namespace == "" && g.Key == a.key && g.Val == a.value })
}

// sameKids compares kids with n and its siblings. Texts beside each other are read as one; what is left of the last is given.
func sameKids(kids []*outNode, n *html.Node) (rest string, ok bool) {
	open := false // n is a text of which rest is left
	for _, k := range kids {
		switch {
		case k.name == "" && k.text == "":
			continue
		case k.name == "" && !open:
			if n == nil || n.Type != html.TextNode {
				return "", false
			}
			open, rest = true, n.Data
			fallthrough
		case k.name == "":
			if rest, ok = strings.CutPrefix(rest, k.text); !ok {
				return "", false
			}
			continue
		case open && rest != "":
			return "", false
		case open:
			open, n = false, n.NextSibling
		}
		if n == nil || n.Type != html.ElementNode || n.Data != k.name || !sameAttrs(k.attrs, n.Attr) {
			return "", false
		}
		if left, ok := sameKids(k.kids, n.FirstChild); !ok || left != "" {
			return "", false
		}
		n = n.NextSibling
	}
	switch {
	case open:
		return rest, n.NextSibling == nil
	case n == nil:
		return "", true
	}
	return n.Data, n.Type == html.TextNode && n.NextSibling == nil
}

// reread takes a parsed document of ours back into the tree that is written. It cleans nothing.
func reread(root *html.Node) *outDoc {
	d := &outDoc{root: outNode{name: "html"}, body: outNode{name: "body"}}
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && n.Data == "html" {
			d.root.attrs = rereadAttrs(n)
		}
		if n.Type == html.ElementNode && n.Data == "body" {
			d.body.attrs = rereadAttrs(n)
			d.body.kids = rereadKids(n)
			break
		}
	}
	return d
}

func rereadKids(parent *html.Node) (kids []*outNode) {
	for n := parent.FirstChild; n != nil; n = n.NextSibling {
		switch n.Type {
		case html.TextNode:
			kids = append(kids, &outNode{text: n.Data})
		case html.ElementNode:
			kids = append(kids, &outNode{name: n.Data, attrs: rereadAttrs(n), kids: rereadKids(n)})
		}
	}
	return kids
}

func rereadAttrs(n *html.Node) (attrs []outAttr) {
	for _, a := range n.Attr {
		attrs = append(attrs, outAttr{a.Key, a.Val})
	}
	return attrs
}
