package htmltext

import "golang.org/x/net/html"

// bloom is a small Bloom filter over the names, ids and classes of an element's ancestors. It lets most selectors with
// several compounds fail without a walk up the tree. A false "perhaps" costs a walk, a "no" is certain.
type bloom [4]uint64

func (b *bloom) add(kind byte, s string) {
	h := bloomHash(kind, s)
	b[h>>6&3] |= 1 << (h & 63)
}

// lacks tells whether b surely misses something that need holds.
func (b *bloom) lacks(need *bloom) bool {
	return need[0]&^b[0]|need[1]&^b[1]|need[2]&^b[2]|need[3]&^b[3] != 0
}

// bloomHash is FNV-1a.
func bloomHash(kind byte, s string) uint32 {
	h := uint32(2166136261)
	h = (h ^ uint32(kind)) * 16777619
	for i := range len(s) {
		h = (h ^ uint32(s[i])) * 16777619
	}
	return h ^ h>>16
}

// addElement adds the name, id and classes of n.
func (b *bloom) addElement(n *html.Node, fold bool) {
	b.add('t', n.Data)
	for i := range n.Attr {
		a := &n.Attr[i]
		switch {
		case a.Namespace != "" || a.Val == "":
		case a.Key == "id":
			b.add('#', foldIf(a.Val, fold))
		case a.Key == "class":
			val := a.Val
			for len(val) > 0 {
				j := 0
				for j < len(val) && !isSpace(val[j]) {
					j++
				}
				if j > 0 {
					b.add('.', foldIf(val[:j], fold))
				}
				val = val[min(j+1, len(val)):]
			}
		}
	}
}

// ancestorsOf collects what the ancestors of an element must have for s to match it.
func (s *selector) ancestorsOf() (need bloom) {
	for i := 1; i < len(s.parts); i++ {
		if c := s.parts[i].comb; c != combDescendant && c != combChild {
			continue // siblings are no ancestors
		}
		up := &s.parts[i-1]
		if up.tag != "" {
			need.add('t', up.tag)
		}
		if up.id != "" {
			need.add('#', up.id)
		}
		for _, class := range up.classes {
			need.add('.', class)
		}
	}
	return need
}
