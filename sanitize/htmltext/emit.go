package htmltext

import (
	"strings"
	"unicode/utf8"
)

// Limits on the lists of a Doc.
const (
	maxLinks      = 5000
	maxImages     = 5000
	maxHiddenList = 1000
	maxLinkText   = 300  // characters
	maxHref       = 4096 // octets
)

// emitter builds the segments. Starts are held back until something visible follows, so that empty links, headings and
// rows leave no trace; breaks and spaces are held back too, so that there is never one at an end.
type emitter struct {
	d       Doc
	o       Options
	buf     []byte // all text; segments are cut out of it at the end
	segs    []span
	pending []span // starts not yet written
	open    []opened
	brk     int  // line breaks owed
	space   bool // a space is owed
	glued   bool // nothing was written on this line yet
	inCell  int  // rows of data tables that are open: breaks become spaces
	doubt   int  // hidden list index of the uncertain passage in hand, -1 for none
	doubtOn bool // its UncertainStart is written and its end is not
	last    int  // hidden list index that the next hidden text may join, -1 for none
	body    bool // something visible was written
	done    bool // the text is full
	base    string
	kept    []*folder // texts of Doc.Hidden
}

// span is a segment whose text is still in the buffer.
type span struct {
	kind     Kind
	n        int
	from, to int
	text     string
}

// opened is a start that waits for its end.
type opened struct {
	kind    Kind
	pending int // index in emitter.pending, -1 once written
	seg     int // index in emitter.segs once written
	link    Link
}

func newEmitter(o Options) *emitter {
	if o.MaxTextChars <= 0 {
		o.MaxTextChars = DefaultTextChars
	}
	if o.MaxHiddenChars == 0 {
		o.MaxHiddenChars = DefaultHiddenEach
	}
	return &emitter{o: o, doubt: -1, last: -1, glued: true}
}

// note adds a note once.
func (e *emitter) note(n Note) {
	for _, have := range e.d.Notes {
		if have == n {
			return
		}
	}
	e.d.Notes = append(e.d.Notes, n)
}

// lineBreak owes at least n line breaks.
func (e *emitter) lineBreak(n int) {
	if e.inCell > 0 {
		e.space = true
		return
	}
	e.brk = max(e.brk, n)
}

// br is the br element: a second one leaves a blank line.
func (e *emitter) br() { e.lineBreak(min(e.brk+1, 2)) }

// start opens a paired segment.
func (e *emitter) start(k Kind, n int, text string) {
	e.open = append(e.open, opened{kind: k, pending: len(e.pending)})
	e.pending = append(e.pending, span{kind: k, n: n, text: text})
}

// startLink opens a link. It gets its number when something visible stands in it.
func (e *emitter) startLink(l Link) {
	e.start(LinkStart, 0, "")
	e.open[len(e.open)-1].link = l
}

// end closes the innermost open segment, which is of kind k.
func (e *emitter) end(k Kind) {
	top := len(e.open) - 1
	if top < 0 || e.open[top].kind != k {
		return
	}
	o := e.open[top]
	e.open = e.open[:top]
	if o.pending >= 0 {
		e.pending = e.pending[:o.pending]
		return
	}
	e.pending = e.pending[:0]
	e.pauseDoubt()
	n := e.segs[o.seg].n
	switch k {
	case LinkStart:
		if n >= 0 {
			e.d.Links[n].Text = e.flatText(o.seg + 1)
			e.segs = append(e.segs, span{kind: LinkEnd, n: n})
		}
	case QuoteStart, HistoryStart, HeadingStart, RowStart, CodeStart:
		e.segs = append(e.segs, span{kind: endOf(k), n: n})
	}
}

// endOf returns the kind that closes k.
func endOf(k Kind) Kind {
	if k == RowStart {
		return RowEnd
	}
	return k + 1
}

// sep owes a cell separator.
func (e *emitter) sep() {
	e.space = false
	e.pending = append(e.pending, span{kind: CellSep})
}

// flush writes what is owed before something visible.
func (e *emitter) flush() {
	e.gap()
	if len(e.pending) == 0 {
		return
	}
	e.pauseDoubt()
	for i := range e.open {
		o := &e.open[i]
		if o.pending < 0 {
			continue
		}
		at := o.pending
		o.pending, o.seg = -1, len(e.segs)+at
		if o.kind == LinkStart {
			e.pending[at].n = e.addLink(o.link)
		}
	}
	e.segs = append(e.segs, e.pending...)
	e.pending = e.pending[:0]
}

// gap writes owed breaks or an owed space.
func (e *emitter) gap() {
	switch {
	case e.brk > 0:
		if e.body {
			e.segs = append(e.segs, span{kind: Break, n: e.brk})
		}
		e.glued = true
	case e.space && !e.glued && !e.sepPending():
		e.raw(" ")
	}
	e.brk, e.space = 0, false
}

func (e *emitter) sepPending() bool {
	for i := range e.pending {
		if e.pending[i].kind == CellSep || e.pending[i].kind == RowStart {
			return true
		}
	}
	return false
}

func (e *emitter) addLink(l Link) int {
	if len(e.d.Links) >= maxLinks {
		e.note(NoteListsCut)
		return -1
	}
	l.Base = e.base
	e.d.Links = append(e.d.Links, l)
	return len(e.d.Links) - 1
}

// reserve makes room for what a newsletter of so many octets usually gives.
func (e *emitter) reserve(octets int) {
	octets = min(octets, 1<<18)
	e.buf = make([]byte, 0, octets/8)
	e.segs = make([]span, 0, octets/64)
}

// raw appends text to the last segment or a new one.
func (e *emitter) raw(s string) {
	from := len(e.buf)
	e.buf = append(e.buf, s...)
	if k := len(e.segs) - 1; k >= 0 && e.segs[k].kind == Text && e.segs[k].to == from {
		e.segs[k].to = len(e.buf)
		return
	}
	e.segs = append(e.segs, span{kind: Text, from: from, to: len(e.buf)})
}

// text writes visible text. White space is folded unless pre is set; in a line box that keeps breaks they become breaks.
func (e *emitter) text(s string, pre, code bool) {
	if e.done {
		return
	}
	if code {
		e.written(s)
		return
	}
	for s != "" {
		i := spaceIndex(s)
		if i > 0 {
			e.written(s[:i])
			s = s[i:]
			continue
		}
		i, lines := spaceRun(s)
		if pre && lines > 0 {
			e.lineBreak(min(e.brk+lines, 2))
		} else {
			e.space = true
		}
		s = s[i:]
	}
}

// written writes a word, and stops at the limit.
func (e *emitter) written(word string) {
	n := utf8.RuneCountInString(word)
	if left := e.o.MaxTextChars - e.d.VisibleChars; n > left {
		word = cutRunes(word, max(left, 0))
		n = max(left, 0)
		e.d.Truncated, e.done = true, true
		e.note(NoteTextCut)
		if word == "" {
			return
		}
	}
	e.flush()
	e.raw(word)
	e.d.VisibleChars += n
	e.body, e.glued = true, false
	e.last = -1
}

// spaceIndex returns the index of the first white space character (U+00A0 included), or len(s).
func spaceIndex(s string) int {
	for i := 0; i < len(s); i++ {
		if isSpace(s[i]) || s[i] == 0xC2 && i+1 < len(s) && s[i+1] == 0xA0 {
			return i
		}
	}
	return len(s)
}

// spaceRun measures the white space at the start of s: octets and line feeds.
func spaceRun(s string) (n, lines int) {
	for n < len(s) {
		switch {
		case s[n] == '\n':
			lines++
			n++
		case isSpace(s[n]):
			n++
		case s[n] == 0xC2 && n+1 < len(s) && s[n+1] == 0xA0:
			n += 2
		default:
			return n, lines
		}
	}
	return n, lines
}

// object writes a segment that stands for something visible other than text.
func (e *emitter) object(k Kind, n int, text string) {
	if e.done {
		return
	}
	e.certain()
	e.flush()
	e.segs = append(e.segs, span{kind: k, n: n, text: text})
	e.body, e.glued, e.last = true, false, -1
}

// flatText is the text and alternative texts of the segments from i on, on one line.
func (e *emitter) flatText(i int) string {
	f := folder{max: maxLinkText}
	for ; i < len(e.segs) && f.chars < maxLinkText; i++ {
		switch s := &e.segs[i]; s.kind {
		case Text:
			f.write(string(e.buf[s.from:s.to]))
		case ImageMark:
			f.add(e.d.Images[s.n].Alt)
		case Break, CellSep:
			f.write(" ")
		}
	}
	return strings.Join(strings.Fields(f.String()), " ")
}

// finish closes everything and cuts the segments out of the buffer.
func (e *emitter) finish() Doc {
	for len(e.open) > 0 {
		e.end(e.open[len(e.open)-1].kind)
	}
	e.pauseDoubt()
	for i, f := range e.kept {
		e.d.Hidden[i].Text, e.d.Hidden[i].Chars = f.String(), f.chars
	}
	all := string(e.buf)
	e.d.Segments = make([]Segment, 0, len(e.segs))
	for _, s := range e.segs {
		if s.kind == Text {
			s.text = all[s.from:s.to]
		}
		if s.kind != LinkStart || s.n >= 0 {
			e.d.Segments = append(e.d.Segments, Segment{Kind: s.kind, N: s.n, Text: s.text})
		}
	}
	e.markPreheader()
	return e.d
}
