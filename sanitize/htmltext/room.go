package htmltext

// room follows how far the text has come in a box of fixed height that cuts off what is too much. Two measures are kept:
// one that is surely not too large (explicit line breaks only), one that estimates where lines wrap.
type room struct {
	height, width float64 // CSS pixels
	x, y          float64 // displacement of the box itself
	least, guess  float64 // how far down the current line begins
	col           float64 // estimated width of the current line
	line          float64 // height of the current line, 0 if it is empty
	outer         *room
	plate         bool // the box does not cut off: text that leaves it leaves its background
}

// roomSlack is how much further the estimate must be than the box is high before text is surely cut off.
const roomSlack = 1.6

// fits tells whether text of style s that is wide pixels wide is seen (1), may be seen (0), or surely is not (-1). It sets
// s.adrift for text that leaves the background of a box.
func (r *room) fits(s *style, wide float64) int {
	worst := 1
	for ; r != nil; r = r.outer {
		line := s.lineHeight()
		if r.plate {
			s.adrift = s.adrift || r.least+s.y-r.y+0.4*line >= r.height
			continue
		}
		dy, dx := s.y-r.y, s.x-r.x
		top := r.least + dy
		switch {
		case top+0.4*line >= r.height, top+max(line, s.font) <= 0, dx >= r.width, dx+wide <= 0 && dx < 0:
			return -1
		case r.guess+dy >= r.height*roomSlack+line:
			return -1
		case r.guess+dy >= r.height:
			worst = 0
		}
	}
	return worst
}

// use lets text take its place.
func (r *room) use(s *style, wide float64) {
	for ; r != nil; r = r.outer {
		r.line = max(r.line, s.lineHeight())
		r.col += wide
		if r.width > 0 && r.col > r.width {
			lines := float64(int(r.col / r.width))
			r.guess += lines * r.line
			r.col -= lines * r.width
		}
	}
}

// newline ends the current line; force counts a line that is empty.
func (r *room) newline(force bool, s *style) {
	for ; r != nil; r = r.outer {
		line := r.line
		if line == 0 && force {
			line = s.lineHeight()
		}
		r.least += line
		r.guess += line
		r.line, r.col = 0, 0
	}
}

// down moves the current line to at least y.
func (r *room) down(y float64) {
	r.least = max(r.least, y)
	r.guess = max(r.guess, y)
}

// lineHeight is the height of a line of s, not too large where it is normal.
func (s *style) lineHeight() float64 {
	switch {
	case s.line >= 0:
		return s.line
	case s.lineTimes >= 0:
		return s.lineTimes * s.font
	}
	return s.font * 1.1
}
