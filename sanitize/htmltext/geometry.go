package htmltext

import (
	"math"
	"strings"
)

// Thresholds of geometry, CSS pixels unless said otherwise.
const (
	minOpacity = 0.1
	minBoxPx   = 2.0  // a box of this size or less shows nothing of a letter
	minShownPx = 8.0  // padding of this size shows letters of a box without height
	minScale   = 0.05 // scaled to this or less, letters are below one pixel
	maxRoomPx  = 2000 // boxes higher than this are not taken for a means of cutting text off
	charAspect = 0.55 // mean width of a letter as a share of the font size
)

// size returns a length of the box in pixels. known is false for auto, percentages of unknown boxes and the like.
func (s *style) size(w *winners, p prop, percentKnown bool) (px float64, known bool) {
	v, ok := w.get(p)
	if !ok || v.kind != kindNumber || v.u == unitPercent && !percentKnown {
		return 0, false
	}
	return v.px(s.font, viewWidth), true
}

// computeShape handles transforms and clipping of the element itself.
func (s *style) computeShape(w *winners) {
	if c := w.word(propClipPath); c != "" && c != "none" {
		if clipsAll(c) {
			s.hide(Clipped)
		} else if !clipsNothing(c) {
			s.doubtIf(Clipped)
		}
	}
	if c := w.word(propClip); s.position >= positionAbsolute && strings.HasPrefix(c, "rect(") && emptyRect(c) {
		s.hide(Clipped)
	}
	if s.box == boxInline {
		return // transforms do not apply
	}
	s.applyTransform(w.word(propTransform), w.word(propBackface) == "hidden")
	if v := w.word(propScale); v != "" && v != "none" {
		s.applyTransform("scale("+strings.Join(strings.Fields(v), ",")+")", false)
	}
	if v := w.word(propTranslate); v != "" && v != "none" {
		s.applyTransform("translate("+strings.Join(fieldsOutside(v), ",")+")", false)
	}
	if v := w.word(propRotate); v != "" && v != "none" {
		f := fieldsOutside(v)
		switch {
		case len(f) == 2 && (f[0] == "x" || f[0] == "y"):
			s.applyTransform("rotate"+f[0]+"("+f[1]+")", w.word(propBackface) == "hidden")
		case len(f) == 4 && (f[0] != "0" || f[1] != "0"):
			s.applyTransform("rotatex("+f[3]+")", false)
		}
	}
}

// applyTransform reads a list of transform functions.
func (s *style) applyTransform(list string, backHidden bool) {
	if list == "" || list == "none" {
		return
	}
	for _, f := range fieldsOutside(list) {
		name, args, ok := strings.Cut(strings.TrimSuffix(f, ")"), "(")
		if !ok {
			continue
		}
		var a []value
		for _, t := range splitArgs(args) {
			v, ok := parseNumber(t)
			if !ok {
				return
			}
			a = append(a, v)
		}
		s.transform(name, a, backHidden)
	}
}

func (s *style) transform(name string, a []value, backHidden bool) {
	small := func(v value) bool {
		if v.u == unitPercent {
			v.n /= 100
		}
		return math.Abs(v.n) <= minScale
	}
	switch name {
	case "scale", "scalex", "scaley", "scale3d":
		if small(a[0]) || len(a) > 1 && small(a[1]) {
			s.hide(Transformed)
		}
	case "matrix":
		if len(a) == 6 {
			if math.Abs(a[0].n*a[3].n-a[1].n*a[2].n) <= minScale*minScale {
				s.hide(Transformed)
			}
			s.move(a[4].n, a[5].n)
		}
	case "matrix3d":
		if len(a) == 16 {
			if math.Abs(a[0].n*a[5].n-a[1].n*a[4].n) <= minScale*minScale {
				s.hide(Transformed)
			}
			s.move(a[12].n, a[13].n)
		}
	case "translate", "translate3d":
		s.move(s.shift(a[0]), 0)
		if len(a) > 1 {
			s.move(0, a[1].px(s.font, s.font*1.2))
		}
	case "translatex":
		s.move(s.shift(a[0]), 0)
	case "translatey":
		s.move(0, a[0].px(s.font, s.font*1.2))
	case "rotate", "rotatez", "skew", "skewx", "skewy":
		if turn := math.Abs(math.Mod(a[0].n, 360)); turn > 20 && turn < 340 {
			s.doubtIf(Transformed) // where the letters land depends on the size of the box
		}
	case "rotatex", "rotatey":
		if edge := math.Abs(math.Mod(a[0].n, 180)); math.Abs(edge-90) < 1 {
			s.hide(Transformed)
		}
		if turn := math.Abs(math.Mod(a[0].n, 360)); backHidden && turn > 90 && turn < 270 {
			s.hide(Transformed)
		}
	}
}

// shift resolves a translation; a percentage is of the element itself, whose size is not known unless it fills the line.
func (s *style) shift(v value) float64 {
	base := float64(viewWidth)
	if s.position >= positionAbsolute || s.box == boxAtom || s.box == boxCell {
		base = 100
	}
	return v.px(s.font, base)
}

func (s *style) move(dx, dy float64) {
	s.x += dx
	s.y += dy
}

// computePlace follows how the element is moved away from its normal place.
func (s *style) computePlace(parent *style, w *winners) {
	if v, ok := w.get(propMarginLeft); ok && v.kind == kindNumber && s.box != boxCell && s.box != boxRow {
		if s.box == boxInline {
			s.inlineX += v.px(s.font, viewWidth)
		} else {
			s.x += v.px(s.font, viewWidth)
		}
	}
	if v, ok := w.get(propPaddingLeft); ok && v.kind == kindNumber {
		s.x += v.px(s.font, viewWidth)
	}
	if v, ok := w.get(propMarginRight); ok && v.kind == kindNumber && v.px(s.font, viewWidth) <= -farRight {
		s.doubtIf(OffScreen)
	}
	if v, ok := w.get(propMarginTop); ok && v.kind == kindNumber && s.box != boxInline && s.box != boxCell && s.box != boxRow {
		s.y += v.px(s.font, viewWidth)
	}
	if s.position == positionStatic {
		return
	}
	left, hasLeft := s.offset(w, propLeft, viewWidth)
	right, hasRight := s.offset(w, propRight, viewWidth)
	top, hasTop := s.offset(w, propTop, viewHeight)
	bottom, hasBottom := s.offset(w, propBottom, viewHeight)
	if s.position >= positionAbsolute {
		s.leave(parent, hasLeft || hasRight, hasTop || hasBottom)
	}
	free := s.position >= positionAbsolute && (!parent.baseSet || s.position == positionFixed)
	switch {
	case hasLeft:
		s.x += left
	case hasRight:
		s.x += s.fromFarSide(right, viewWidth-assumedWidth, free)
	}
	switch {
	case hasTop:
		s.y += top
	case hasBottom:
		s.y += s.fromFarSide(bottom, viewHeight-s.font*1.2, free)
	}
	s.baseX, s.baseY, s.baseSet = s.x, s.y, true
}

// assumedWidth is the width that a box placed by its right edge is taken to have, CSS pixels.
const assumedWidth = 100

// fromFarSide gives the displacement that a distance from the right or the bottom makes. A free element is placed in the
// view, which is size large; one in a box of unknown size moves only if it is moved out of any box.
func (s *style) fromFarSide(distance, size float64, free bool) float64 {
	switch {
	case s.position < positionAbsolute:
		return -distance
	case free:
		return size - distance
	case distance >= farRight || distance <= -farRight:
		return -distance
	case distance >= 60 || distance <= -60:
		s.doubtIf(OffScreen)
	}
	return 0
}

func (s *style) offset(w *winners, p prop, base float64) (float64, bool) {
	v, ok := w.get(p)
	if !ok || v.kind != kindNumber {
		return 0, false
	}
	if v.u == unitPercent && s.position < positionAbsolute && v.n < 100 && v.n > -100 {
		return 0, true // of a box that may be small
	}
	return v.px(s.font, base), true
}

// leave takes an absolute or fixed element out of the boxes of its ancestors that cannot hold it.
func (s *style) leave(parent *style, movedX, movedY bool) {
	own := parent.x
	if movedX {
		s.x += parent.baseX - own
	}
	if movedY {
		s.y += parent.baseY - parent.y
	}
	if s.position == positionFixed && movedX {
		s.x -= parent.baseX
	}
	if s.position == positionFixed && movedY {
		s.y -= parent.baseY
	}
	s.placedX = s.placedX || movedX && !parent.baseSet
	s.placedY = s.placedY || movedY && !parent.baseSet
	s.pinned = s.pinned || s.position == positionFixed
	s.width = 0
	if !s.clipHeld || s.position == positionFixed {
		s.clip, s.thin, s.room, s.cut = "", false, nil, 0
	}
}

// computeClip finds boxes too small to show what is in them.
func (s *style) computeClip(w *winners) {
	if s.box == boxInline || s.box == boxRow || s.box == boxTable {
		return
	}
	width, hasWidth := s.size(w, propWidth, true)
	if v, ok := s.size(w, propMaxWidth, true); ok && (!hasWidth || v < width) {
		width, hasWidth = v, true
	}
	if v, ok := s.size(w, propMinWidth, true); ok && hasWidth && v > width {
		width = v
	}
	if hasWidth && s.box != boxCell {
		s.width = width
	}
	height, hasHeight := s.height(w)
	s.tall = height
	clipX, clipY := clips(w.word(propOverflowX)), clips(w.word(propOverflowY))
	if !clipX && !clipY {
		return
	}
	if s.box == boxCell {
		return // cells grow with their content; max-height and overflow do not make them smaller
	}
	if hasWidth && clipX && width < viewWidth && s.box != boxCell {
		s.cut = max(width, 1)
	}
	held := s.position != positionStatic || s.clipHeld
	padR, _ := s.size(w, propPaddingRight, true)
	padB, _ := s.size(w, propPaddingBottom, true)
	padT, _ := s.size(w, propPaddingTop, true)
	seen := padT + height + padB
	if w.word(propBoxSizing) == "border-box" {
		padR, padB, seen = padR-width, padB-height, max(height, padT+padB)
	}
	switch {
	case hasHeight && clipY && height <= minBoxPx && padB < minShownPx,
		hasWidth && clipX && width <= minBoxPx && padR < minShownPx:
		s.clip, s.clipHeld = ZeroBox, held
	case hasHeight && clipY:
		s.limitRoom(w, seen, padT, held)
	case padB < minShownPx && (w.word(propOverflowY) == "hidden" || w.word(propOverflowY) == "clip"):
		s.thin, s.clipHeld = true, held
	}
}

func (s *style) height(w *winners) (float64, bool) {
	height, ok := s.size(w, propHeight, false)
	if v, has := s.size(w, propMaxHeight, false); has && (!ok || v < height) {
		height, ok = v, true
	}
	if v, has := s.size(w, propMinHeight, false); has && ok && v > height {
		height = v
	}
	return height, ok
}

// clips tells whether an overflow value cuts. A box with scroll bars and without size shows nothing either.
func clips(overflow string) bool {
	return overflow != "" && overflow != "visible"
}

// limitRoom opens a room for a box that shows height pixels, of which text begins at from. Scrolling boxes show everything in the end.
func (s *style) limitRoom(w *winners, height, from float64, held bool) {
	if o := w.word(propOverflowY); o != "hidden" && o != "clip" || height > maxRoomPx {
		return
	}
	width := s.width
	if width <= 0 {
		width = viewWidth
	}
	s.room = &room{height: height, width: width, x: s.x, y: s.y, least: from, guess: from, outer: s.room}
	s.clipHeld = held
}
