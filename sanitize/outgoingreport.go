package sanitize

import (
	"strings"

	"golang.org/x/net/html"
)

// removalReport collects removals in order and counts repetitions.
type removalReport struct {
	list []Removal
	at   map[Removal]int // entry with Count 0 to its index
	full bool
}

func (r *removalReport) add(kind RemovalKind, name string, reason RemovalReason, n *html.Node, value string) {
	if len(value) > 8*maxRemovedValueChars {
		value, _ = cutRunes(value, 2*maxRemovedValueChars)
	}
	e := Removal{Kind: kind, Name: Line(name, 60), Reason: reason, Where: Clean{elementPath(n)}, Value: Line(value, maxRemovedValueChars)}
	if i, ok := r.at[e]; ok {
		r.list[i].Count++
		return
	}
	if len(r.list) >= maxOutgoingRemovals {
		r.full = true
		return
	}
	if r.at == nil {
		r.at = map[Removal]int{}
	}
	r.at[e] = len(r.list)
	e.Count = 1
	r.list = append(r.list, e)
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
		r.add(RemovedElement, n.Data, reason, n.Parent, "")
		for _, a := range n.Attr {
			r.add(RemovedAttribute, attrName(a), ReasonInside, n, a.Val)
		}
	case html.TextNode:
		if !c.preview[n] && strings.TrimSpace(n.Data) != "" {
			r.add(RemovedText, "", reason, n.Parent, strings.TrimSpace(n.Data))
		}
	case html.CommentNode:
		r.add(RemovedComment, "", reason, n.Parent, strings.TrimSpace(n.Data))
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
