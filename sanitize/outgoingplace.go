package sanitize

import (
	"hash/maphash"
	"strings"

	"golang.org/x/net/html"
)

// spot is what an entry of the report is about: a node, an attribute of it, or what begins at an octet of its value.
type spot struct {
	node *html.Node
	attr string // as attrName gives it; "" for the node itself
	at   int    // octets into the value, -1 for the attribute itself
}

func at(n *html.Node) spot { return spot{node: n} }

func attrAt(n *html.Node, name string) spot { return spot{n, name, -1} }

// The parser does not say where a node stood. It is found again by what it says: nodes of one tree and tokens of its source
// with the same name and the same attributes (or the same text) are counted in order, and the third one here is the third
// one there. Two that are equal may change places where the parser moves one of them, which points at an equal tag; nodes
// without a tag of their own (elements that the parser implies, texts that it joins) take the place of the last tag before them.

// locator matches nodes that are asked for with tokens of the source.
type locator struct {
	src    string
	seed   maphash.Seed
	names  map[string]bool  // of the elements that are asked for; "#text" and the like for the others
	wanted map[uint64][]int // signature to the places of its tokens
	places map[*html.Node]int
}

// locate sets the offsets of the report's entries.
func (r *removalReport) locate(src string, root *html.Node) {
	if len(r.list) == 0 {
		return
	}
	l := &locator{src: src, seed: maphash.MakeSeed(), names: map[string]bool{}, wanted: map[uint64][]int{}, places: map[*html.Node]int{}}
	for _, s := range r.spots {
		for n := s.node; n != nil; n = n.Parent {
			if _, ok := l.places[n]; ok {
				break
			}
			l.places[n] = -1
			l.names[nodeName(n)] = true
			l.wanted[l.node(n)] = nil
		}
	}
	l.scan()
	l.match(root)
	for i, s := range r.spots {
		r.list[i].Offset = l.offset(s)
	}
}

// nodeName is the name that a token of the node has.
func nodeName(n *html.Node) string {
	switch n.Type {
	case html.ElementNode:
		return strings.ToLower(n.Data)
	case html.TextNode:
		return "#text"
	case html.CommentNode:
		return "#comment"
	case html.DoctypeNode:
		return "#doctype"
	}
	return "#other"
}

// one reports a name whose tags are all read into one element.
func one(name string) bool {
	return name == "html" || name == "head" || name == "body" || name == "#doctype"
}

// node is the signature of a node: name and attributes, or the text.
func (l *locator) node(n *html.Node) uint64 {
	name := nodeName(n)
	h := maphash.String(l.seed, name)
	switch {
	case one(name):
	case n.Type != html.ElementNode:
		h = l.mix(h, strings.TrimSpace(n.Data))
	default:
		for _, a := range n.Attr {
			h += l.mix(maphash.String(l.seed, strings.ToLower(attrName(a))), a.Val) // a sum: the parser sorts some
		}
	}
	return h
}

func (l *locator) mix(h uint64, s string) uint64 {
	return (h^maphash.String(l.seed, s))*0x9E3779B97F4A7C15 + 1
}

// scan notes where the tokens with a wanted signature stand.
func (l *locator) scan() {
	z := html.NewTokenizer(strings.NewReader(l.src))
	foreign, at := 0, 0
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			return
		}
		start := at
		at += len(z.Raw())
		switch kind {
		case html.TextToken, html.CommentToken:
			name := map[bool]string{true: "#text", false: "#comment"}[kind == html.TextToken]
			if l.names[name] {
				raw := l.src[start:at]
				if kind == html.TextToken {
					start += len(raw) - len(strings.TrimLeft(raw, " \t\n\r\f"))
				}
				l.note(l.mix(maphash.String(l.seed, name), strings.TrimSpace(string(z.Text()))), start)
			}
		case html.DoctypeToken:
			l.note(maphash.String(l.seed, "#doctype"), start)
		case html.StartTagToken, html.SelfClosingTagToken, html.EndTagToken:
			foreign = l.tag(z, kind, start, foreign)
			z.AllowCDATA(foreign > 0)
		}
	}
}

// tag notes a tag and keeps count of the open elements of other languages, in which nothing is raw text.
func (l *locator) tag(z *html.Tokenizer, kind html.TokenType, start, foreign int) int {
	raw, more := z.TagName()
	name := string(raw)
	other := name == "svg" || name == "math"
	if kind == html.EndTagToken {
		if other && foreign > 0 {
			foreign--
		}
		return foreign
	}
	switch {
	case other && kind == html.StartTagToken:
		foreign++
	case breaksOut(name):
		foreign = 0
	}
	if foreign > 0 || name == "noscript" {
		z.NextIsNotRawText()
	}
	if name == "image" && foreign == 0 {
		name = "img" // HTML Standard §13.2.6.4.7
	}
	if !l.names[name] {
		return foreign
	}
	h := maphash.String(l.seed, name)
	for more && !one(name) {
		var key, value []byte
		key, value, more = z.TagAttr()
		h += l.mix(maphash.Bytes(l.seed, key), string(value))
	}
	l.note(h, start)
	return foreign
}

// breaksOut reports the commonest elements that end an open svg or math (HTML Standard §13.2.6.5).
func breaksOut(name string) bool {
	switch name {
	case "b", "blockquote", "body", "br", "center", "div", "em", "h1", "h2", "h3", "hr", "i", "img", "li", "ol", "p", "pre", "span", "strong", "table", "u", "ul":
		return true
	}
	return false
}

func (l *locator) note(h uint64, start int) {
	if list, ok := l.wanted[h]; ok {
		l.wanted[h] = append(list, start)
	}
}

// match gives each wanted node the next token of its signature.
func (l *locator) match(root *html.Node) {
	next, last := map[uint64]int{}, 0
	for n := range root.Descendants() {
		if !l.names[nodeName(n)] {
			continue
		}
		h := l.node(n)
		list, ok := l.wanted[h]
		if !ok {
			continue
		}
		place := last
		if len(list) > 0 {
			k := next[h]
			next[h], place = k+1, list[min(k, len(list)-1)] // one that is too many repeats another
			if n.Type == html.ElementNode {
				last = place
			}
		}
		if _, ok := l.places[n]; ok {
			l.places[n] = place
		}
	}
}

// offset is where s stands: exact for a node with a token of its own, for its attributes, and for a part of a value unless
// that is spelled in a way that only the tokenizer could follow; then it is where the value begins.
func (l *locator) offset(s spot) int {
	start := max(l.places[s.node], 0)
	if s.attr == "" || s.node == nil || s.node.Type != html.ElementNode {
		return start
	}
	tag := l.src[start:]
	if k := len(s.node.Data) + 1; len(tag) <= k || tag[0] != '<' || !strings.EqualFold(tag[1:k], s.node.Data) {
		return start
	}
	name, value, ok := findInTag(tag, s.attr)
	switch {
	case !ok:
		return start
	case s.at < 0 || value < 0:
		return start + name
	}
	for _, a := range s.node.Attr {
		if attrName(a) == s.attr && s.at <= len(a.Val) {
			return start + value + writtenLength(tag[value:], a.Val[:s.at])
		}
	}
	return start + value
}

// writtenLength is how many octets of raw spell text, 0 if that cannot be told.
func writtenLength(raw, text string) int {
	k, left := 0, text
	for left != "" {
		switch {
		case k >= len(raw):
			return 0
		case raw[k] == left[0] && raw[k] != '&':
			k, left = k+1, left[1:]
			continue
		case raw[k] != '&':
			return 0
		}
		end := k + 1
		for end < len(raw) && (isAlnum(raw[end]) || raw[end] == '#') {
			end++
		}
		if end < len(raw) && raw[end] == ';' {
			end++
		}
		rest, ok := strings.CutPrefix(left, html.UnescapeString(raw[k:end]))
		if !ok {
			return 0
		}
		k, left = end, rest
	}
	return k
}
