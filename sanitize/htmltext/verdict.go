package htmltext

import "golang.org/x/net/html"

// Verdict says whether a person sees a node. The zero value means plainly visible.
type Verdict struct {
	Hidden    bool
	Uncertain bool // not hidden in the assumed view, but in another common one
	Elsewhere bool // hidden in the assumed view, shown in another common one
	Technique Technique
}

// Verdicts holds the verdict of each text node and image of one tree. It may be read concurrently.
type Verdicts struct {
	nodes map[*html.Node]Verdict
	notes []Note
}

// Of returns the verdict of a text node or an img element. Other nodes, and nodes of another tree, are plainly visible.
func (v *Verdicts) Of(n *html.Node) Verdict { return v.nodes[n] }

// Notes returns the limits that were met while judging.
func (v *Verdicts) Notes() []Note { return v.notes }

// Judge decides for each text node and image under root whether a person would see it, by the rules that Convert uses.
// root is a document node as html.Parse returns it, or any subtree. The tree is not changed.
func Judge(root *html.Node, o Options) *Verdicts {
	return judgeTree(root)
}
