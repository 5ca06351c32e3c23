package htmltext

import (
	"cmp"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// maxAppliedOctets bounds the declarations of one rule that are kept as text. Limit: rules of template kits have some hundred.
const maxAppliedOctets = 4096

// authored is a rule of a style element as it was written.
type authored struct {
	order uint32
	text  string
}

// applied finds the written rules for an element. They are not merged as those that the judge uses.
type applied struct {
	index ruleIndex
	rules []authored
}

// keep files a rule that applies in the assumed view under its selectors, as text.
func (s *sheet) keep(list []selector, body []cssToken) {
	var b strings.Builder
	for _, t := range body {
		b.WriteString(t.text)
	}
	if b.Len() > maxAppliedOctets {
		return
	}
	for _, c := range list {
		if len(s.written) < maxRules {
			s.written = append(s.written, rule{sel: c})
			s.texts = append(s.texts, authored{s.order, b.String()})
		}
	}
}

func newApplied(p *surveyed) *applied {
	if len(p.sheet.written) == 0 {
		return nil
	}
	a := &applied{rules: p.sheet.texts}
	only := &sheet{quirks: p.sheet.quirks, rules: p.sheet.written}
	a.index = ruleIndex{sheet: only, complex: map[string][]uint32{}, siblings: p.siblings, nodes: p.nodes}
	for i := range only.rules {
		parts := only.rules[i].sel.parts
		key, _ := parts[len(parts)-1].key()
		a.index.complex[key] = append(a.index.complex[key], uint32(i))
	}
	return a
}

// Rules returns the declarations of the rules in style elements that apply to n in the assumed view, as they are written and
// the weakest first (CSS Cascading §6: specificity, then order). Rules in conditions, in layers and inside of other rules are
// left out. It is not safe for concurrent use, unlike the other methods.
func (v *Verdicts) Rules(n *html.Node) []string {
	if v.applied == nil {
		return nil
	}
	return v.applied.of(n)
}

func (a *applied) of(n *html.Node) (texts []string) {
	x := &a.index
	keys := []string{"*", n.Data}
	for _, at := range n.Attr {
		switch {
		case at.Namespace != "":
		case at.Key == "id":
			keys = append(keys, "#"+foldIf(at.Val, x.sheet.quirks))
		case at.Key == "class":
			for c := range strings.FieldsSeq(at.Val) {
				keys = append(keys, "."+foldIf(c, x.sheet.quirks))
			}
		}
	}
	var found []uint32
	for _, key := range keys {
		for _, i := range x.complex[key] {
			if parts := x.sheet.rules[i].sel.parts; !x.exhausted() && x.matchAt(n, parts, len(parts)-1) {
				found = append(found, i)
			}
		}
	}
	slices.SortStableFunc(found, func(i, j uint32) int {
		return cmp.Or(cmp.Compare(x.sheet.rules[i].sel.spec, x.sheet.rules[j].sel.spec), cmp.Compare(a.rules[i].order, a.rules[j].order))
	})
	for _, i := range slices.Compact(found) {
		texts = append(texts, a.rules[i].text)
	}
	return texts
}
