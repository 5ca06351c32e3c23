package htmltext

import (
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Verdict says whether a person sees a node. The zero value means plainly visible.
type Verdict struct {
	Hidden    bool
	Uncertain bool // not hidden in the assumed view, but in another common one
	OtherView bool // uncertain because of another view (telephone, dark colours), not because it cannot be judged
	Elsewhere bool // hidden in the assumed view, shown in another common one
	Technique Technique
}

// Verdicts holds the verdict of each text node and image of one tree. It may be read concurrently.
type Verdicts struct {
	nodes   map[*html.Node]Verdict
	notes   []Note
	applied *applied
}

// Of returns the verdict of a text node or an img element. Other nodes, and nodes of another tree, are plainly visible.
func (v *Verdicts) Of(n *html.Node) Verdict { return v.nodes[n] }

// Has reports whether n was judged.
func (v *Verdicts) Has(n *html.Node) bool {
	_, ok := v.nodes[n]
	return ok
}

func (v *Verdicts) note(n *html.Node, verdict Verdict) {
	if v != nil {
		v.nodes[n] = verdict
	}
}

// Notes returns the limits that were met while judging.
func (v *Verdicts) Notes() []Note { return v.notes }

// maxJudgeDepth bounds the recursion on trees that were not made by the parser.
const maxJudgeDepth = 4096

// Judge decides for each text node and image under root whether a person would see it, by the rules that Convert uses.
// root is a document node as html.Parse returns it, or any subtree; style elements count only if they stand under root.
// What is nested deeper than 4096 elements counts as hidden. The tree is not changed.
func Judge(root *html.Node) *Verdicts {
	p := survey(root, true)
	j := newJudge(&p.sheet)
	j.index.siblings, j.index.nodes = p.siblings, p.nodes
	vs := &Verdicts{nodes: make(map[*html.Node]Verdict, p.nodes/2), applied: newApplied(p)}
	v := j.root()
	for p := root.Parent; p != nil; p = p.Parent {
		v.above.addElement(p, j.quirks)
	}
	if root.Type == html.ElementNode {
		v = j.enter(&v, root)
	}
	j.tree(root, &v, vs, 0)
	if p.sheet.cut {
		vs.notes = append(vs.notes, NoteRulesCut)
	}
	if j.index.exhausted() {
		vs.notes = append(vs.notes, NoteMatchingCut)
	}
	return vs
}

func (j *judge) tree(n *html.Node, v *view, vs *Verdicts, depth int) {
	for ch := n.FirstChild; ch != nil; ch = ch.NextSibling {
		switch {
		case ch.Type == html.TextNode:
			vs.nodes[ch] = j.see(v, utf8.RuneCountInString(ch.Data))
		case ch.Type != html.ElementNode:
		case depth >= maxJudgeDepth:
			vs.hideAll(ch)
		default:
			inner := j.enter(v, ch)
			start := v.depth()
			if ch.DataAtom == atom.Img {
				vs.nodes[ch] = j.see(&inner, 1)
			}
			j.tree(ch, &inner, vs, depth+1)
			j.leave(v, &inner, start)
		}
	}
}

func (vs *Verdicts) hideAll(n *html.Node) {
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			vs.nodes[d] = Verdict{Hidden: true, Technique: StyleDependent}
		}
	}
}
