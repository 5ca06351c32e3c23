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

// locate sets the offsets of the report's entries. Most nodes are found by looking at tags of their own names alone; where
// one is not, the tags around it are looked at too.
func (r *removalReport) locate(in source) {
	if len(r.list) == 0 {
		return
	}
	l := newLocator(in.text)
	for _, s := range r.spots {
		l.want(s.node)
	}
	if !l.run(in) {
		l = newLocator(in.text)
		for _, s := range r.spots {
			for n := s.node; n != nil && l.want(n); n = n.Parent {
			}
		}
		l.run(in)
	}
	for i, s := range r.spots {
		r.list[i].Offset = l.offset(s)
	}
}

func newLocator(src string) *locator {
	return &locator{src: src, seed: maphash.MakeSeed(), names: map[string]bool{}, wanted: map[uint64][]int{}, places: map[*html.Node]int{}}
}

// want asks for n; it reports false if that was done before.
func (l *locator) want(n *html.Node) bool {
	if _, ok := l.places[n]; ok || n == nil {
		return false
	}
	l.places[n] = -1
	l.names[nodeName(n)] = true
	l.wanted[l.node(n)] = nil
	return true
}

// run reports whether all that was asked for has tokens.
func (l *locator) run(in source) bool {
	l.scan(in.toks)
	l.match(in.root)
	for _, list := range l.wanted {
		if list == nil {
			return false
		}
	}
	return true
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
	h := l.hash(name)
	switch {
	case one(name):
	case n.Type != html.ElementNode:
		h = l.mix(h, strings.TrimSpace(n.Data))
	default:
		for _, a := range n.Attr {
			h += l.mix(l.hash(strings.ToLower(attrName(a))), a.Val) // a sum: the parser sorts some
		}
	}
	return h
}

func (l *locator) hash(s string) uint64 { return maphash.String(l.seed, s) }

func (l *locator) mix(h uint64, s string) uint64 {
	return (h^maphash.String(l.seed, s))*0x9E3779B97F4A7C15 + 1
}

// scan notes where the tokens with a wanted signature stand.
func (l *locator) scan(toks []sourceToken) {
	for _, t := range toks {
		raw := l.src[t.start:t.end]
		switch t.kind {
		case html.TextToken:
			if l.names["#text"] {
				l.note(l.mix(l.hash("#text"), strings.TrimSpace(decoded(raw))), t.start+len(raw)-len(strings.TrimLeft(raw, tagBlanks)))
			}
		case html.CommentToken:
			if l.names["#comment"] {
				l.note(l.mix(l.hash("#comment"), strings.TrimSpace(commentData(raw))), t.start)
			}
		case html.DoctypeToken:
			l.note(l.hash("#doctype"), t.start)
		default:
			l.tag(raw, t)
		}
	}
}

func (l *locator) tag(raw string, t sourceToken) {
	end := len(raw)
	if k := strings.IndexAny(raw, tagBlanks+"/>"); k > 0 {
		end = k
	}
	name := strings.ToLower(raw[1:end])
	if name == "image" && t.kind != foreignTag {
		name = "img" // HTML Standard §13.2.6.4.7
	}
	if !l.names[name] {
		return
	}
	h := l.hash(name)
	for rest := tagAttributes(raw); !one(name); {
		key, value, after := nextInTag(rest)
		if key == "" {
			break
		}
		h += l.mix(l.hash(strings.ToLower(key)), decoded(written(value, after)))
		rest = after
	}
	l.note(h, t.start)
}

// written is the value at the beginning of value, without its quotes; after is what follows it.
func written(value, after string) string {
	value = strings.TrimSuffix(value, after)
	if len(value) > 1 && (value[0] == '"' || value[0] == '\'') && value[len(value)-1] == value[0] {
		return value[1 : len(value)-1]
	}
	return value
}

// decoded reads references and line ends as the tokenizer does.
func decoded(raw string) string {
	if strings.Contains(raw, "\r") {
		raw = strings.ReplaceAll(strings.ReplaceAll(raw, "\r\n", "\n"), "\r", "\n")
	}
	return html.UnescapeString(raw)
}

// commentData is what a comment says.
func commentData(raw string) string {
	z := html.NewTokenizer(strings.NewReader(raw))
	z.Next()
	return string(z.Text())
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
	if !tagIs(tag, s.node.Data) && !(s.node.Data == "img" && tagIs(tag, "image")) {
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

func tagIs(tag, name string) bool {
	return len(tag) > len(name)+1 && tag[0] == '<' && strings.EqualFold(tag[1:len(name)+1], name)
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
