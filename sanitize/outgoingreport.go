package sanitize

import (
	"strings"

	"golang.org/x/net/html"
)

// removalReport collects removals in order and counts repetitions.
type removalReport struct {
	list  []Removal
	spots []spot             // of the first of each
	raw   map[rawRemoval]int // what was given to add, to its entry: most of a mail repeats itself
	same  map[Removal]int    // entry with Count 0 to its index
	node  *html.Node         // the node that was asked about last
	path  string             // its path
	full  bool
}

// rawRemoval is an entry before its words are made visible.
type rawRemoval struct {
	kind              RemovalKind
	reason            RemovalReason
	name, path, value string
}

// add reports something at s. An element is named with the path of its parent, what belongs to it with its own.
func (r *removalReport) add(kind RemovalKind, name string, reason RemovalReason, s spot, value string) {
	n := s.node
	if kind == RemovedElement && n != nil {
		n = n.Parent
	}
	if n == nil || n != r.node {
		r.node, r.path = n, elementPath(n)
	}
	if len(value) > 8*maxRemovedValueChars {
		value, _ = cutRunes(value, 2*maxRemovedValueChars)
	}
	raw := rawRemoval{kind, reason, name, r.path, value}
	if i, ok := r.raw[raw]; ok {
		r.list[i].Count++
		return
	}
	e := Removal{Kind: kind, Name: Line(name, 60), Reason: reason, Where: Clean{r.path}, Value: Line(value, maxRemovedValueChars)}
	i, ok := r.same[e]
	switch {
	case ok:
		r.list[i].Count++
	case len(r.list) >= maxOutgoingRemovals:
		r.full = true
		return
	default:
		if r.same == nil {
			r.same, r.raw = map[Removal]int{}, map[rawRemoval]int{}
		}
		i = len(r.list)
		r.same[e] = i
		e.Count = 1
		r.list, r.spots = append(r.list, e), append(r.spots, s)
	}
	r.raw[raw] = i
}

// elementPath names the elements around n, outermost first, at most the last six; names that are not plain are "?".
func elementPath(n *html.Node) string {
	var parts [6]string
	k := len(parts)
	for ; n != nil && k > 0; n = n.Parent {
		if n.Type != html.ElementNode {
			continue
		}
		k--
		parts[k] = pathName(n.Data)
	}
	return strings.Join(parts[k:], ">")
}

func pathName(name string) string {
	if len(name) > 20 || strings.ContainsFunc(name, func(r rune) bool { return r > 127 || !isAlnum(byte(r)) && r != '-' && r != ':' }) {
		return "?"
	}
	return name
}

// dropped reports n and everything in it: n with its own reason, the rest as standing inside, or as hidden with it.
func (c *cleaner) dropped(n *html.Node, reason RemovalReason) {
	r := &c.report
	switch n.Type {
	case html.ElementNode:
		r.add(RemovedElement, n.Data, reason, at(n), "")
		for _, a := range n.Attr {
			r.add(RemovedAttribute, attrName(a), ReasonInside, attrAt(n, attrName(a)), a.Val)
		}
	case html.TextNode:
		if !c.preview[n] && strings.TrimSpace(n.Data) != "" {
			r.add(RemovedText, "", reason, at(n), strings.TrimSpace(n.Data))
		}
	case html.CommentNode:
		r.add(RemovedComment, "", reason, at(n), strings.TrimSpace(n.Data))
	}
	if reason != ReasonHidden { // hidden text is told as that, however deep it stands
		reason = ReasonInside
	}
	for k := n.FirstChild; k != nil; k = k.NextSibling {
		c.dropped(k, reason)
	}
}

func attrName(a html.Attribute) string {
	if a.Namespace != "" {
		return a.Namespace + ":" + a.Key
	}
	return a.Key
}

// Words lists the kinds.
func (RemovalKind) Words() []string {
	return wordList(RemovedElement, RemovedAttribute, RemovedDeclaration, RemovedText, RemovedCharacters, RemovedComment, RemovedDoctype)
}

// Words lists the reasons.
func (RemovalReason) Words() []string {
	return wordList(ReasonNotAllowed, ReasonRenamed, ReasonActive, ReasonInside, ReasonHidden, ReasonRemote, ReasonScheme, ReasonValue, ReasonRewritten,
		ReasonColours, ReasonPlain, ReasonInvisible, ReasonPreheader)
}
