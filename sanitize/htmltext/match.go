package htmltext

import (
	"strings"

	"golang.org/x/net/html"
)

// maxMatchSteps bounds the whole work of selector matching in one document. Limit: some 60 ms; a newsletter of 250 kB
// with 1500 rules needs about 150 000.
const maxMatchSteps = 3_000_000

// maxVarsPerBlock bounds the custom properties that rules of one simple selector set together.
const maxVarsPerBlock = 64

// ruleIndex finds the rules that may match an element by its id, classes and name. Rules whose selector is nothing but
// one id, class or name are merged beforehand, so that their number does not matter.
type ruleIndex struct {
	sheet    *sheet
	simple   map[string]*block   // key is "#id", ".class", "name" or "*"
	complex  map[string][]uint32 // same keys, indexes into sheet.rules
	siblings int                 // the longest list of children in the document
	nodes    int                 // number of nodes of the document
	steps    int                 // work done
	hits     []hit
	above    bloom // ancestors of the element in hand
}

// hit is a rule that matches the element in hand.
type hit struct {
	block       *block
	spec        uint64
	conditional bool
}

func newRuleIndex(s *sheet) *ruleIndex {
	x := &ruleIndex{sheet: s, simple: map[string]*block{}, complex: map[string][]uint32{}}
	for i := range s.rules {
		r := &s.rules[i]
		last := &r.sel.parts[len(r.sel.parts)-1]
		key, exact := last.key()
		if exact && len(r.sel.parts) == 1 && !r.conditional {
			mergeBlock(x.simple, key, r)
			continue
		}
		x.complex[key] = append(x.complex[key], uint32(i))
	}
	return x
}

// key returns the index key of a compound. exact tells that the key says all there is to match.
func (c *compound) key() (key string, exact bool) {
	switch {
	case c.id != "":
		return "#" + c.id, c.tag == "" && len(c.classes) == 0 && c.rest == nil
	case len(c.classes) > 0:
		return "." + c.classes[0], c.tag == "" && len(c.classes) == 1 && c.rest == nil
	case c.tag != "":
		return c.tag, c.rest == nil
	}
	return "*", c.rest == nil
}

// mergeBlock adds the declarations of r to those of the same key, the stronger one staying.
func mergeBlock(m map[string]*block, key string, r *rule) {
	b := m[key]
	if b == nil {
		b = &block{}
		m[key] = b
	}
	for _, d := range r.block.decls {
		d.order += r.sel.spec << specShift
		b.put(d)
	}
	for _, v := range r.block.vars {
		v.order += r.sel.spec << specShift
		if len(b.vars) < maxVarsPerBlock {
			b.vars = append(b.vars, v)
		}
	}
}

func (b *block) put(d decl) {
	for i := range b.decls {
		if b.decls[i].p == d.p {
			if d.order >= b.decls[i].order {
				b.decls[i] = d
			}
			return
		}
	}
	b.decls = append(b.decls, d)
}

// exhausted tells that no more matching is done.
func (x *ruleIndex) exhausted() bool { return x.steps > maxMatchSteps }

// match fills x.hits with the rules for n. skipped tells that some rules could not be tried.
func (x *ruleIndex) match(n *html.Node) (skipped bool) {
	x.hits = x.hits[:0]
	if len(x.simple) == 0 && len(x.complex) == 0 {
		return false
	}
	fold := x.sheet.quirks
	skipped = x.lookup("*", n) || skipped
	skipped = x.lookup(n.Data, n) || skipped
	for i := range n.Attr {
		a := &n.Attr[i]
		switch {
		case a.Key == "id" && a.Val != "" && a.Namespace == "":
			skipped = x.lookup("#"+foldIf(a.Val, fold), n) || skipped
		case a.Key == "class" && a.Namespace == "":
			skipped = x.matchClasses(n, a.Val, fold) || skipped
		}
	}
	return skipped
}

func (x *ruleIndex) matchClasses(n *html.Node, val string, fold bool) (skipped bool) {
	for len(val) > 0 {
		i := strings.IndexAny(val, " \t\r\n\f")
		if i < 0 {
			i = len(val)
		}
		if i > 0 {
			skipped = x.lookup("."+foldIf(val[:i], fold), n) || skipped
		}
		val = val[min(i+1, len(val)):]
	}
	return skipped
}

// lookup tries the rules of one key.
func (x *ruleIndex) lookup(key string, n *html.Node) (skipped bool) {
	if b := x.simple[key]; b != nil {
		x.hits = append(x.hits, hit{block: b}) // specificity is in the orders already
	}
	for _, i := range x.complex[key] {
		if x.exhausted() {
			return true
		}
		r := &x.sheet.rules[i]
		if x.above.lacks(&r.need) {
			x.steps++
			continue
		}
		if x.matchAt(n, r.sel.parts, len(r.sel.parts)-1) {
			x.steps += len(r.block.decls)
			x.hits = append(x.hits, hit{r.block, r.sel.spec, r.conditional})
		}
	}
	return false
}

// matchAt tells whether n matches parts[i] and what stands to its left.
func (x *ruleIndex) matchAt(n *html.Node, parts []compound, i int) bool {
	return x.compound(n, &parts[i]) && x.matchLeft(n, parts, i)
}

// matchLeft tells whether what stands left of parts[i] matches, given that n matches parts[i].
func (x *ruleIndex) matchLeft(n *html.Node, parts []compound, i int) bool {
	if i == 0 {
		return true
	}
	switch parts[i].comb {
	case combChild:
		return n.Parent != nil && x.matchAt(n.Parent, parts, i-1)
	case combNext:
		p := prevElement(n)
		return p != nil && x.matchAt(p, parts, i-1)
	case combLater:
		for p := prevElement(n); p != nil && !x.exhausted(); p = prevElement(p) {
			if x.matchAt(p, parts, i-1) {
				return true
			}
		}
		return false
	}
	for p := n.Parent; p != nil && !x.exhausted(); p = p.Parent {
		if !x.compound(p, &parts[i-1]) {
			continue
		}
		if x.matchLeft(p, parts, i-1) {
			return true
		}
		if parts[i-1].comb == combDescendant {
			return false // what fails above the nearest match fails above the others too
		}
	}
	return false
}

func prevElement(n *html.Node) *html.Node {
	for n = n.PrevSibling; n != nil; n = n.PrevSibling {
		if n.Type == html.ElementNode {
			return n
		}
	}
	return nil
}

// attrCost estimates the work of comparing attributes.
func attrCost(n *html.Node) int {
	cost := 2
	for i := range n.Attr {
		cost += 1 + len(n.Attr[i].Val)/16
	}
	return cost
}

// compound tells whether n matches c, and counts the work.
func (x *ruleIndex) compound(n *html.Node, c *compound) bool {
	x.steps++
	if n.Type != html.ElementNode || c.tag != "" && c.tag != n.Data {
		return false
	}
	fold := x.sheet.quirks
	if c.id != "" && foldIf(attr(n, "id"), fold) != c.id {
		return false
	}
	for _, class := range c.classes {
		x.steps += len(attr(n, "class")) / 16
		if !hasClass(n, class, fold) {
			return false
		}
	}
	if c.rest == nil {
		return true
	}
	x.steps += attrCost(n)
	switch c.cost {
	case costOne:
	case costSiblings:
		x.steps += x.siblings
	case costTree:
		x.steps += x.nodes
	}
	return !x.exhausted() && c.rest.Match(n)
}
