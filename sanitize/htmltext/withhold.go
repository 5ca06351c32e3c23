package htmltext

import (
	"unicode"
	"unicode/utf8"
)

// certain ends an uncertain passage for good.
func (e *emitter) certain() {
	e.pauseDoubt()
	e.doubt = -1
}

// pauseDoubt writes the end of an uncertain passage; it may be taken up again.
func (e *emitter) pauseDoubt() {
	if e.doubtOn {
		e.segs = append(e.segs, span{kind: UncertainEnd, n: e.doubt})
		e.doubtOn = false
	}
}

// uncertain writes visible text that some do not see.
func (e *emitter) uncertain(s string, v Verdict, where func() string, pre, code bool) {
	if e.done {
		return
	}
	if e.doubt < 0 || e.d.Hidden[e.doubt].Technique != v.Technique {
		e.certain()
		i, ok := e.addHidden(Hidden{Technique: v.Technique, Uncertain: true, OtherView: v.OtherView}, where)
		if !ok {
			e.text(s, pre, code)
			return
		}
		e.doubt = i
	}
	e.count(e.doubt, s)
	e.flush()
	if !e.doubtOn {
		e.segs = append(e.segs, span{kind: UncertainStart, n: e.doubt})
		e.doubtOn = true
	}
	e.text(s, pre, code)
}

// visible writes text that everybody sees.
func (e *emitter) visible(s string, pre, code bool) {
	e.certain()
	e.text(s, pre, code)
}

// withheld counts hidden text and marks its place.
func (e *emitter) withheld(s string, v Verdict, where func() string) {
	if !hasWord(s) {
		return
	}
	if e.last >= 0 && e.d.Hidden[e.last].Technique == v.Technique {
		e.count(e.last, s)
		return
	}
	i, ok := e.addHidden(Hidden{Technique: v.Technique, Elsewhere: v.Elsewhere}, where)
	if !ok {
		e.d.HiddenChars += utf8.RuneCountInString(s)
		return
	}
	e.count(i, s)
	e.mark(i)
	e.last = i
}

// mark writes a HiddenMark. It does not count as visible: owed starts stay owed.
func (e *emitter) mark(i int) {
	if e.done {
		return
	}
	e.pauseDoubt()
	if e.brk > 0 && e.body {
		e.segs = append(e.segs, span{kind: Break, n: e.brk})
		e.glued = true
	} else if !e.glued {
		e.raw(" ")
	}
	e.brk = 0
	e.segs = append(e.segs, span{kind: HiddenMark, n: i})
	e.space, e.glued, e.body = true, false, true
}

// aside records hidden text that has no place in the page (comments, attributes).
func (e *emitter) aside(h Hidden, text string, where func() string) {
	if i, ok := e.addHidden(h, where); ok {
		e.count(i, text)
	}
}

func (e *emitter) addHidden(h Hidden, where func() string) (int, bool) {
	if len(e.d.Hidden) >= maxHiddenList {
		e.note(NoteListsCut)
		return 0, false
	}
	h.Where = where()
	e.d.Hidden = append(e.d.Hidden, h)
	e.kept = append(e.kept, &folder{max: e.o.MaxHiddenChars})
	return len(e.d.Hidden) - 1, true
}

// count adds text to a hidden passage.
func (e *emitter) count(i int, s string) {
	f := e.kept[i]
	before := f.chars
	f.add(s)
	if !e.d.Hidden[i].Uncertain {
		e.d.HiddenChars += f.chars - before
	}
}

// hasWord tells whether s holds a letter, digit or symbol, not only spaces, marks and padding.
func hasWord(s string) bool {
	for _, r := range s {
		if r > ' ' && r < 0x7F || r > 0x7F && (unicode.IsLetter(r) && !isFiller(r) || unicode.IsDigit(r) || unicode.IsSymbol(r) || unicode.IsPunct(r) || isTag(r)) {
			return true
		}
	}
	return false
}

// isFiller: letters without a shape, used as padding.
func isFiller(r rune) bool { return r == 0x115F || r == 0x1160 || r == 0x3164 || r == 0xFFA0 }

// isTag: tag characters spell text that no font shows.
func isTag(r rune) bool { return r >= 0xE0000 && r <= 0xE007F }
