package htmltext

// The cascade ranks declarations by one number: importance, then where they stand, then specificity, then order
// (CSS Cascading and Inheritance Level 5 §6.1).
const (
	orderImportant = uint64(1) << 63
	orderInline    = uint64(1) << 62
	orderUnlayered = uint64(1) << 61 // outside layers, or important inside
	orderSheet     = uint64(1) << 60 // above presentational attributes and the browser's own style
	specShift      = 32              // specificity in bits 32 to 58, order below
)

func cascadeOrder(imp bool, place uint64, order uint32) uint64 {
	o := place | uint64(order)
	if imp {
		o |= orderImportant
	}
	return o
}

// stamp ranks the declarations of a rule by all but its specificity, which differs between its selectors. Rules outside
// layers win over those inside; with importance it is the other way round. Of several layers the last one is taken to win.
func stamp(b *block, order uint32, layered bool) {
	rank := func(imp bool) uint64 {
		place := orderSheet
		if layered == imp {
			place |= orderUnlayered
		}
		return cascadeOrder(imp, place, order)
	}
	for i := range b.decls {
		b.decls[i].order = rank(b.decls[i].imp)
	}
	for i := range b.vars {
		b.vars[i].order = rank(b.vars[i].imp)
	}
}

// winners holds for each property the declaration that wins for one element.
type winners struct {
	d     [propCount]decl
	set   uint64 // bit p is set if d[p] counts
	props map[string]customProp
}

func (w *winners) has(p prop) bool { return w.set&(1<<p) != 0 }

func (w *winners) reset() {
	w.set = 0
	w.props = nil
}

// add lets the declarations of b compete, with the specificity of the selector that matched.
func (w *winners) add(b *block, spec uint64) {
	for i := range b.decls {
		d := &b.decls[i]
		order := d.order + spec<<specShift
		if !w.has(d.p) || order >= w.d[d.p].order {
			w.d[d.p] = *d
			w.d[d.p].order = order
			w.set |= 1 << d.p
		}
	}
	for _, c := range b.vars {
		c.order += spec << specShift
		if old, ok := w.props[c.name]; !ok || c.order >= old.order {
			if w.props == nil {
				w.props = map[string]customProp{}
			}
			w.props[c.name] = c
		}
	}
}

// hint adds a presentational attribute or a rule of the browser's own style, weaker than any author rule.
func (w *winners) hint(p prop, v value) {
	if !w.has(p) || w.d[p].order < orderSheet {
		w.d[p] = decl{p: p, v: v}
		w.set |= 1 << p
	}
}
