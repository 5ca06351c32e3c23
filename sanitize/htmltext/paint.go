package htmltext

import "strings"

// computePaint handles what changes colours of the element as a whole.
func (s *style) computePaint(w *winners) {
	if s.box != boxContents {
		if v, ok := w.get(propOpacity); ok {
			o := v.n
			if v.u == unitPercent {
				o /= 100
			}
			s.opacity *= min(max(o, 0), 1)
		}
		s.applyFilter(w.word(propFilter))
	}
	if s.opacity <= minOpacity {
		s.hide(Opacity)
	}
	if s.box != boxContents {
		s.paintBack(w)
	}
	switch w.word(propMSOHide) {
	case "all":
		s.hide(MSOHide)
	}
	if w.word(propContentVisibility) == "hidden" && s.box != boxInline {
		s.hide(ContentHidden)
	}
	if m := w.word(propMask); m != "" && m != "none" {
		s.applyMask(m)
	}
}

// paintBack lays the element's background over what is behind it.
func (s *style) paintBack(w *winners) {
	base, declared := transparent(), false
	if v, ok := w.get(propBackColor); ok {
		declared = true
		base = v.c
		if v.kind == kindCurrent {
			base = s.color
		}
	}
	image := w.word(propBackImage)
	if strings.Contains(w.word(propBackClip), "text") {
		s.clipText = true
		s.fillFromBackground(base, image)
		return
	}
	if declared {
		s.back = s.back.paint(s.filtered(base))
	}
	if base.a > 0 || image != "" && image != "none" {
		s.painted(w, base.a >= 1)
	}
	switch {
	case image == "" || image == "none":
	case strings.Contains(image, "gradient("):
		s.paintGradient(image)
	case base.a < 1:
		s.back.unknown = true
	}
}

// painted notes that the element has a background of its own. It is behind the letters only as far as the box reaches.
func (s *style) painted(w *winners, opaque bool) {
	if s.box == boxInline {
		return
	}
	s.adrift = s.adrift && !opaque
	s.loose = s.box == boxBlock && s.position < positionAbsolute && !s.flexible && !clips(w.word(propOverflowY)) && w.word(propFloat) == ""
	if s.box == boxCell || s.box == boxRow || s.box == boxTable || clips(w.word(propOverflowY)) {
		return
	}
	height, fixed := s.height(w)
	width, narrow := s.size(w, propWidth, false)
	if v, ok := s.size(w, propMaxWidth, false); ok && (!narrow || v < width) {
		width, narrow = v, true
	}
	if narrow && width <= 20 || s.flat() {
		s.adrift = true
	}
	if fixed && height <= maxRoomPx {
		s.room = &room{height: height, width: max(width, viewWidth), x: s.x, y: s.y, outer: s.room, plate: true}
	}
}

// fillFromBackground handles letters that are holes in a wall through which the background shows.
func (s *style) fillFromBackground(base colour, image string) {
	letters := s.letterColour()
	if letters.a >= 1 {
		return
	}
	stops := gradientColours(image)
	if len(stops) > 0 {
		base = stops[0]
	}
	s.hasFill, s.fill = true, letters.over(base.over(s.back.c[0]))
	if base.a == 0 {
		s.fill = transparent()
	}
}

func (s *style) paintGradient(image string) {
	stops := gradientColours(image)
	if len(stops) == 0 {
		s.back.unknown = true
		return
	}
	under := s.back.c[0]
	b := backdrop{declared: true}
	for _, c := range []colour{stops[0], stops[len(stops)/2], stops[len(stops)-1]} {
		b.c[b.n] = c.over(under)
		b.n++
	}
	s.back = b
}

// gradientColours reads the colour stops of a gradient.
func gradientColours(image string) []colour {
	_, args, ok := strings.Cut(strings.TrimSuffix(image, ")"), "gradient(")
	if !ok || len(args) > 2000 {
		return nil
	}
	var stops []colour
	for _, a := range splitArgs(args) {
		for _, f := range fieldsOutside(strings.TrimSpace(a)) {
			if c, cur, ok := parseColour(f); ok && !cur {
				stops = append(stops, c)
			}
		}
	}
	return stops
}

// letterColour is the colour the letters are painted with.
func (s *style) letterColour() colour {
	if s.hasFill {
		return s.fill
	}
	return s.color
}
