package wire

// params writes a parameter list: pairs of strings or NIL. Pairs without a name are left out (go-imap would shift the
// rest), values that are NIL become "".
func (w *partWriter) params(id int) {
	if w.t.isNil(id) {
		w.puts("NIL")
		return
	}
	if w.t.childOf(id) == 0 {
		w.note(RepairParameterList)
		w.puts("NIL")
		return
	}
	open := false
	for k := w.t.child(id); k != 0; k = w.t.next(w.t.next(k)) {
		v := w.t.next(k)
		if v == 0 || w.t.isNil(k) || w.t.isList(k) || w.isDeep(k) || len(w.t.value(k)) == 0 {
			w.note(RepairParameterList)
			continue
		}
		if !open {
			w.puts("(")
			open = true
		} else {
			w.puts(" ")
		}
		w.str(k, "")
		w.puts(" ")
		w.str(v, "")
	}
	if open {
		w.puts(")")
	} else {
		w.puts("NIL")
	}
}

// str writes a string; NIL and lists become def.
func (w *partWriter) str(id int, def string) {
	switch {
	case w.t.isNil(id):
		w.note(RepairNilString)
		w.out = appendQuoted(w.out, []byte(def))
	case w.t.isList(id) || w.isDeep(id):
		w.note(RepairBodyField)
		w.out = appendQuoted(w.out, []byte(def))
	default:
		w.text(id)
	}
}

// nstr writes a string or NIL.
func (w *partWriter) nstr(id int) {
	switch {
	case w.t.isNil(id):
		w.puts("NIL")
	case w.t.isList(id) || w.isDeep(id):
		w.note(RepairBodyField)
		w.puts("NIL")
	default:
		w.text(id)
	}
}

func (w *partWriter) text(id int) {
	switch n := w.t.nodes[id]; {
	case n.kind == nodeAtom:
		w.note(RepairBodyField)
	case n.sloppy:
		w.note(RepairQuoting)
	}
	v := w.t.value(id)
	if len(v) > maxStringOctets {
		w.note(RepairLiteralCut)
		v = v[:maxStringOctets]
	}
	w.out = appendString(w.out, v)
}
