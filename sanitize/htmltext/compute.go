package htmltext

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// compute derives the style of element n from that of its parent and the declarations that won.
func (j *judge) compute(parent *style, n *html.Node, w *winners) style {
	s := *parent
	s.box, s.position, s.clipText, s.flexible, s.tall = boxInline, positionStatic, false, false, 0
	if len(w.props) > 0 {
		s.vars = newVarScope(parent.vars, w.props)
	}
	if w.set == 0 {
		return s
	}
	j.resolveVars(&s, w)
	s.computeFont(parent, w)
	if n.DataAtom == atom.Html {
		s.computeScheme(w.word(propColorScheme))
	}
	s.computeColours(w)
	s.computeText(w)
	s.computeBox(parent, n, w)
	if s.box == boxBlock || s.box == boxTable {
		s.back, s.inlineX = s.ground, 0
	}
	if s.box != boxInline && s.box != boxContents {
		s.lineStart, s.blockFlat = s.indent, s.flat()
	}
	if s.box != boxContents {
		s.computeShape(w)
		s.computePlace(parent, w)
		s.computeDrift(parent, w)
	}
	s.computePaint(w)
	if s.box != boxContents {
		s.computeClip(w)
	}
	if s.box != boxInline {
		s.ground = s.back
	}
	if n.DataAtom == atom.Body || n.DataAtom == atom.Html {
		s.page = s.back
	}
	return s
}

// computeDrift finds out whether the element may lie on something else than the background of its ancestors.
func (s *style) computeDrift(parent *style, w *winners) {
	const far = 10 // CSS pixels
	float := w.word(propFloat)
	dx, dy := s.x-parent.x, s.y-parent.y
	switch {
	case parent.loose && (float == "left" || float == "right"), s.position >= positionAbsolute:
		s.adrift = true
	case s.box == boxInline && s.position == positionStatic:
	case dy <= -far, s.position == positionRelative && (dy >= far || dx >= far || dx <= -far):
		s.adrift = true
	case w.has(propTransform) || w.has(propTranslate):
		s.adrift = s.adrift || dy >= far || dx >= far || dx <= -far
	}
	if s.box == boxInline || s.box == boxContents {
		return
	}
	if s.box != boxBlock || float != "" && float != "none" || s.position >= positionAbsolute || s.flexible || clips(w.word(propOverflowY)) {
		s.loose = false
	}
}

// get returns the winning value of p, with inherit and initial told apart from real values by ok.
func (w *winners) get(p prop) (value, bool) {
	if !w.has(p) {
		return value{}, false
	}
	v := w.d[p].v
	return v, v.kind != kindInherit && v.kind != kindInitial
}

func (w *winners) word(p prop) string {
	v, ok := w.get(p)
	if !ok || v.kind != kindKeyword && v.kind != kindRaw {
		return ""
	}
	return v.word
}

// isInitial tells whether p is reset; unset and revert of an inherited property inherit.
func (w *winners) isInitial(p prop) bool {
	return w.has(p) && w.d[p].v.kind == kindInitial && w.d[p].v.word == "initial"
}

func (s *style) computeFont(parent *style, w *winners) {
	if v, ok := w.get(propFontSize); ok {
		s.font = min(v.px(parent.font, parent.font), 10000)
		s.quirkFont = false
	} else if w.isInitial(propFontSize) {
		s.font = rootFontPx
	}
	if v, ok := w.get(propZoom); ok && v.kind == kindNumber && v.n > 0 {
		f := v.n
		if v.u == unitPercent {
			f /= 100
		}
		s.font = min(s.font*f, 10000)
	}
	if v, ok := w.get(propLineHeight); ok {
		s.line, s.lineTimes = -1, -1
		switch {
		case v.kind != kindNumber:
		case v.u == unitNone:
			s.lineTimes = v.n
		default:
			s.line = v.px(s.font, s.font)
		}
	}
}

// squeezedEm is the negative letter spacing from which letters cover each other, in em.
const squeezedEm = 0.45

// computeScheme: a document that declares dark colours only has a dark canvas and light letters everywhere.
func (s *style) computeScheme(val string) {
	if words := strings.Fields(val); slices.Contains(words, "dark") && !slices.Contains(words, "light") {
		s.back, s.color = solid(darkCanvas()), white()
		s.ground, s.page = s.back, s.back
	}
}

// darkCanvas is the canvas of browsers in dark colours.
func darkCanvas() colour { return rgb24(0x121212) }

func (s *style) computeColours(w *winners) {
	if v, ok := w.get(propColor); ok && v.kind == kindColour {
		s.color = v.c
	} else if w.isInitial(propColor) {
		s.color = black()
	}
	if v, ok := w.get(propFillColor); ok {
		s.hasFill, s.fill = v.kind == kindColour, v.c
	} else if w.isInitial(propFillColor) {
		s.hasFill = false
	}
	if v, ok := w.get(propStroke); ok {
		s.stroke = strings.ContainsAny(v.word, "123456789")
	}
	if v, ok := w.get(propTextShadow); ok {
		s.shadow = shadowColour(v.word, s.color)
	}
}

// shadowColour reads the colour of the first text shadow; one without colour has that of the letters.
func shadowColour(val string, current colour) colour {
	if val == "none" {
		return transparent()
	}
	for _, f := range fieldsOutside(splitArgs(val)[0]) {
		if c, cur, ok := parseColour(f); ok && !cur && !strings.HasSuffix(f, "px") {
			return c
		}
	}
	return current
}

func (s *style) computeText(w *winners) {
	switch w.word(propVisibility) {
	case "hidden", "collapse":
		s.invisible = true
	case "visible":
		s.invisible = false
	}
	if w.isInitial(propVisibility) {
		s.invisible = false
	}
	if v, ok := w.get(propTextIndent); ok {
		s.indent = v.px(s.font, viewWidth)
	}
	switch v := w.word(propWhiteSpace); {
	case v == "":
	case strings.HasPrefix(v, "pre") || v == "break-spaces":
		s.pre, s.nowrap = v != "pre-line", v == "pre"
	default:
		s.pre, s.nowrap = false, v == "nowrap"
	}
	if v, ok := w.get(propLetterSpacing); ok {
		s.squeezed = v.kind == kindNumber && v.px(s.font, 0) <= -squeezedEm*s.font
	}
	if v := w.word(propTextSecurity); v != "" {
		s.disguised = v != "none"
	}
	if v := w.word(propListStyle); v != "" {
		s.bare = strings.Contains(v, "none")
	}
}

// computeBox finds out what kind of box the element has.
func (s *style) computeBox(parent *style, n *html.Node, w *winners) {
	switch w.word(propPosition) {
	case "relative", "sticky":
		s.position = positionRelative
	case "absolute":
		s.position = positionAbsolute
	case "fixed":
		s.position = positionFixed
	}
	word := w.word(propDisplay)
	s.box = boxOf(word)
	switch word {
	case "none":
		s.hide(techniqueOfDisplay(n, w))
	case "flex", "grid", "inline-flex", "inline-grid", "-webkit-box", "-webkit-flex", "-webkit-inline-box", "-webkit-inline-flex":
		s.flexible = true
	}
	float := w.word(propFloat)
	if s.box == boxInline && (parent.flexible || s.position >= positionAbsolute || float != "" && float != "none") {
		s.box = boxAtom
		if parent.flexible {
			s.box = boxBlock
		}
	}
	if out := s.position >= positionAbsolute || float != "" && float != "none"; out && (s.box == boxCell || s.box == boxRow) {
		s.box = boxBlock
	}
}

func boxOf(display string) box {
	switch display {
	case "none":
		return boxNone
	case "block", "flex", "grid", "list-item", "flow-root", "-webkit-box", "-webkit-flex", "table-caption", "block flow", "block flow-root", "block flex", "block grid":
		return boxBlock
	case "inline-block", "inline-flex", "inline-grid", "-webkit-inline-box", "-webkit-inline-flex", "inline-table", "inline flow-root":
		return boxAtom
	case "table-cell":
		return boxCell
	case "table-row":
		return boxRow
	case "table", "table-row-group", "table-header-group", "table-footer-group", "table-column", "table-column-group":
		return boxTable
	case "contents":
		return boxContents
	}
	return boxInline
}

func techniqueOfDisplay(n *html.Node, w *winners) Technique {
	if w.d[propDisplay].order >= orderSheet {
		return DisplayNone
	}
	return nativelyHidden(n)
}

// hide hides the element with all descendants; the first technique met is the one that is reported.
func (s *style) hide(t Technique) {
	if s.hard == "" {
		s.hard = t
	}
}
