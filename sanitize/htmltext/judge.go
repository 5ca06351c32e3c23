package htmltext

import (
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// minContrast is the contrast ratio (WCAG 2.2) below which letters count as invisible.
const minContrast = 1.3

// smallFontPx is the largest letter size that nobody can read, CSS pixels.
const smallFontPx = 2

// judge decides what a person sees. It holds the style sheets of one document and is used by one goroutine.
type judge struct {
	quirks     bool
	index      *ruleIndex
	inline     map[string]*block // parsed style attributes
	w          winners
	linkColour colour
	bodyColour colour
	overlay    bool
}

// maxInlineCache bounds the octets of style attributes that are remembered.
const maxInlineCache = 1 << 16

// view is the style of an element in the assumed view and, if that differs, in the others taken together.
type view struct {
	main  style
	alt   *style
	above bloom // the element and its ancestors
}

func newJudge(s *sheet) *judge {
	return &judge{
		quirks: s.quirks, index: newRuleIndex(s), inline: map[string]*block{}, linkColour: rgb24(0x0000ee), bodyColour: black(),
	}
}

func (j *judge) root() view {
	v := view{main: rootStyle()}
	if j.index.sheet.dark {
		v.main.computeScheme("dark")
	}
	if j.index.sheet.cut || j.index.sheet.resized {
		v.main.doubtIf(StyleDependent)
	}
	return v
}

// enter computes the view of element n inside parent.
func (j *judge) enter(parent *view, n *html.Node) view {
	j.index.above = parent.above
	skipped := j.index.match(n)
	conditional := false
	for _, h := range j.index.hits {
		conditional = conditional || h.conditional
	}
	v := view{main: j.resolve(&parent.main, n, false), above: parent.above}
	if len(j.index.complex) > 0 {
		v.above.addElement(n, j.quirks)
	}
	conditional = conditional || j.w.has(propAnimation) && len(j.index.sheet.keyframes) > 0
	if conditional || parent.alt != nil {
		from := &parent.main
		if parent.alt != nil {
			from = parent.alt
		}
		alt := j.resolve(from, n, true)
		v.alt = &alt
	}
	if skipped {
		v.main.doubtIf(StyleDependent)
	}
	j.doubtDetails(n, &v)
	j.flow(&parent.main, &v.main, n)
	if n.DataAtom == atom.Body {
		j.bodyColour = v.main.color
	}
	return v
}

// flow tells rooms about line breaks, and the caller about boxes that may lie on top of others.
func (j *judge) flow(parent, s *style, n *html.Node) {
	if parent.room != nil && s.hard == "" && s.position < positionAbsolute {
		switch {
		case n.DataAtom == atom.Br:
			parent.room.newline(true, s)
		case s.box == boxBlock || s.box == boxRow || s.box == boxTable:
			parent.room.newline(false, s)
		}
	}
	if s.position >= positionAbsolute && s.hard == "" && s.width > 100 && j.w.has(propBackColor) {
		j.overlay = true
	}
}

// leave tells rooms that element n with view v ends inside parent.
func (j *judge) leave(parent, v *view, start float64) {
	r := parent.main.room
	if r == nil || v.main.hard != "" || v.main.position >= positionAbsolute {
		return
	}
	if b := v.main.box; b == boxBlock || b == boxRow || b == boxTable {
		r.newline(false, &v.main)
	}
	if v.main.tall > 0 {
		r.down(start + v.main.tall)
	}
}

// depth is how far down the text in the nearest room has come.
func (v *view) depth() float64 {
	if v.main.room == nil {
		return 0
	}
	return v.main.room.least
}

// doubtDetails labels what stands in closed details elements: many clients show them open, others closed.
func (j *judge) doubtDetails(n *html.Node, v *view) {
	switch n.DataAtom {
	case atom.Details:
		if !hasAttr(n, "open") {
			v.main.doubtIf(ClosedDetails)
		}
	case atom.Summary:
		if p := n.Parent; p != nil && p.DataAtom == atom.Details && firstSummary(p) == n && !insideDetails(p) && v.main.doubt == ClosedDetails {
			v.main.doubt = ""
		}
	}
}

func insideDetails(n *html.Node) bool {
	for p := n.Parent; p != nil; p = p.Parent {
		if p.DataAtom == atom.Details && !hasAttr(p, "open") {
			return true
		}
	}
	return false
}

func firstSummary(details *html.Node) *html.Node {
	for ch := range details.ChildNodes() {
		if ch.DataAtom == atom.Summary {
			return ch
		}
	}
	return nil
}

// resolve runs the cascade for one element in one view.
func (j *judge) resolve(parent *style, n *html.Node, others bool) style {
	w := &j.w
	w.reset()
	j.nativeHints(n, w)
	for _, h := range j.index.hits {
		if others || !h.conditional {
			w.add(h.block, h.spec)
		}
	}
	if css := attr(n, "style"); css != "" {
		w.add(j.inlineBlock(css), 0)
	}
	j.animate(w, others)
	s := j.compute(parent, n, w)
	if neverShown(n) {
		s.hide(nativelyHidden(n))
	}
	return s
}

// inlineBlock parses a style attribute; equal ones are parsed once.
func (j *judge) inlineBlock(css string) *block {
	if b, ok := j.inline[css]; ok {
		return b
	}
	b := parseInline(css, j.quirks)
	if len(j.inline) < maxInlineCache/16 && len(css) < 1024 {
		j.inline[css] = b
	}
	return b
}

// animate applies the last frame of an animation that holds it. One that does not is left to the other views.
func (j *judge) animate(w *winners, others bool) {
	if !w.has(propAnimation) || len(j.index.sheet.keyframes) == 0 {
		return
	}
	var frame *block
	holds := others
	for _, f := range fieldsOutside(w.word(propAnimation)) {
		if b := j.index.sheet.keyframes[f]; b != nil {
			frame = b
		}
		holds = holds || f == "forwards" || f == "both" || f == "infinite"
	}
	if frame == nil || !holds {
		return
	}
	for _, d := range frame.decls {
		w.d[d.p] = d
		w.d[d.p].order = orderImportant - 1
		w.set |= 1 << d.p
	}
}

// see judges a run of text of chars characters directly inside an element with view v.
func (j *judge) see(v *view, chars int) Verdict {
	t := v.main.hidden(chars, true)
	if v.alt == nil {
		return v.main.verdict(t)
	}
	other := v.alt.hidden(chars, false)
	res := v.main.verdict(t)
	switch {
	case t != "" && other == "":
		res.Elsewhere = true
	case t == "" && other != "":
		res.Uncertain, res.OtherView, res.Technique = true, true, other
	}
	return res
}

func (s *style) verdict(t Technique) Verdict {
	switch {
	case t != "":
		return Verdict{Hidden: true, Technique: t}
	case s.doubt != "":
		return Verdict{Uncertain: true, Technique: s.doubt}
	}
	return Verdict{}
}

// hidden names what hides text with style s, "" if a person sees it. count uses up room in boxes that cut off.
func (s *style) hidden(chars int, count bool) Technique {
	switch {
	case s.hard != "":
		return s.hard
	case s.clip != "":
		return s.clip
	case s.invisible:
		return VisibilityHidden
	case s.font <= smallFontPx:
		return SmallFont
	case s.squeezed:
		return Squeezed
	case s.disguised:
		return Masked
	case s.thin && s.flat() && s.blockFlat:
		return ZeroBox
	}
	if t := s.hiddenByPlace(chars); t != "" {
		return t
	}
	if s.room != nil {
		wide := s.textWidth(chars)
		fit := s.room.fits(s, wide)
		if count {
			s.room.use(s, wide)
		}
		switch fit {
		case -1:
			return Overflow
		case 0:
			s.doubtIf(Overflow)
		}
	}
	if t := s.hiddenByColour(); t != "" {
		return t
	}
	s.doubtful(chars)
	return ""
}

// Degrees at which text is shown with a label, because not everybody can read it.
const (
	doubtFontPx   = 4.0
	narrowCut     = 60 // words are wider than this, CSS pixels
	doubtOpacity  = 0.2
	doubtContrast = 1.35
)

func (s *style) doubtful(chars int) {
	wide := float64(chars) * s.font * charAspect
	switch {
	case s.cut > 0 && wide > s.cut*1.3 && (s.nowrap || s.cut < narrowCut):
		s.doubtIf(Overflow)
	case s.font <= doubtFontPx:
		s.doubtIf(SmallFont)
	case s.opacity <= doubtOpacity:
		s.doubtIf(Opacity)
	}
}

// textWidth estimates how wide a run of text is on one line, or at most in its box.
func (s *style) textWidth(chars int) float64 {
	wide := float64(chars) * s.font * charAspect
	if s.width > 0 && !s.nowrap {
		wide = min(wide, s.width)
	}
	return wide
}

// flat tells whether lines have no height.
func (s *style) flat() bool {
	return s.line >= 0 && s.line <= smallFontPx || s.lineTimes >= 0 && s.lineTimes*s.font <= smallFontPx
}

// hiddenByColour compares the letters with what is behind them.
func (s *style) hiddenByColour() Technique {
	letters := s.filtered(s.letterColour())
	letters.a *= float32(s.opacity)
	seenShadow := s.shadow.a > minOpacity && s.back.shows(s.shadow, minContrast)
	switch {
	case s.stroke || seenShadow:
		return ""
	case letters.a <= minOpacity:
		return Transparent
	case s.back.unknown && !s.back.declared:
		return ""
	case !s.back.shows(letters, minContrast):
		return ColourContrast
	case !s.back.shows(letters, doubtContrast), s.adrift && !s.page.shows(letters, minContrast):
		s.doubtIf(ColourContrast)
	}
	return ""
}

// shows tells whether letters of colour c stand out from the backdrop, or from a part of it.
func (b *backdrop) shows(c colour, ratio float64) bool {
	for i := range b.n {
		under := b.c[i]
		if over := c.over(under); distance(over, under) > 90 || contrast(over, under) >= ratio { // contrast is the dearer one
			return true
		}
	}
	return false
}

// Places, CSS pixels.
const (
	farLeft    = -300  // text in the flow that begins further left than this is out of sight if it is short enough
	farRight   = 2000  // nobody scrolls so far to the side
	farUp      = -2000 // text in the flow may stand this far down before it is moved up
	nearLeft   = -100  // between this and farLeft it depends on where the line begins
	nearUp     = -50
	nearIndent = 40  // hanging indents are made up for by padding or a margin
	indentMin  = 250 // hanging indents are smaller
)

// lineWidth is the width of the box that holds the line.
func (s *style) lineWidth() float64 {
	if s.width > 0 {
		return s.width
	}
	return viewWidth
}

// hiddenByPlace tells whether text is moved out of sight.
func (s *style) hiddenByPlace(chars int) Technique {
	wide := s.textWidth(chars)
	x := s.x + s.inlineX
	switch {
	case x >= farRight, x <= farLeft && x+wide <= 0:
		return OffScreen
	case s.placedX && x < 0 && x+wide*1.3 <= 0, s.pinned && x >= viewWidth:
		return OffScreen
	case x <= nearLeft && x+wide <= 0, s.y <= nearUp && s.y > farUp:
		s.doubtIf(OffScreen)
	}
	if i := s.lineStart; i <= -indentMin && i+wide <= 0 || i >= farRight || s.thin && i >= 0.95*s.lineWidth() {
		return TextIndent
	} else if i <= -nearIndent && x+i+wide <= 0 {
		s.doubtIf(TextIndent)
	}
	lines := wide/max(s.width, viewWidth) + 1
	tall := lines * s.font * 1.5
	switch {
	case s.y <= farUp && s.y+tall <= 0, s.placedY && s.y < 0 && s.y+tall <= 0, s.pinned && s.y >= viewHeight:
		return OffScreen
	}
	return ""
}
