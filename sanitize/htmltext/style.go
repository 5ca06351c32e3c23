package htmltext

// box says how an element takes part in the layout.
type box uint8

const (
	boxInline   box = iota
	boxBlock        // block, list item, flex and grid containers
	boxAtom         // inline-block and the like
	boxCell         // table cell
	boxRow          // table row
	boxTable        // table and row groups
	boxContents     // no box of its own
	boxNone
)

// style is the computed style of an element as far as visibility and text shape need it. It is copied from parent to
// child; the fields under "own" are set anew for each element.
type style struct {
	// inherited
	font      float64 // CSS pixels
	line      float64 // line height in pixels, negative for normal
	lineTimes float64 // line height as a multiple of the font size, negative if it is not one
	indent    float64 // text-indent
	lineStart float64 // text-indent of the nearest block
	blockFlat bool    // lines of the nearest block have no height
	color     colour
	fill      colour
	hasFill   bool // fill counts instead of color
	stroke    bool // letters have an outline that can be seen
	shadow    colour
	invisible bool // visibility: hidden or collapse
	pre       bool // white space is kept
	nowrap    bool
	bare      bool // list-style: none
	squeezed  bool // letters stand on top of each other
	disguised bool // every letter is shown as a dot
	vars      *varScope

	// what ancestors do to everything inside
	opacity   float64
	back      backdrop
	ground    backdrop  // behind the nearest block; backgrounds of inline elements are not behind blocks in them
	page      backdrop  // behind everything, as far as the body says
	adrift    bool      // moved or overflowing, so that the page may be behind the letters instead of back
	loose     bool      // back was painted by a block that does not stretch to hold floats
	inverted  bool      // odd number of filter: invert
	hard      Technique // hides all descendants, whatever they say
	clip      Technique // hides descendants unless they are positioned out of it
	clipHeld  bool      // the clipping box is positioned, so absolute descendants stay inside
	thin      bool      // inside a box that clips and is as high as its lines
	room      *room     // the nearest box of fixed size that cuts off
	x, y      float64   // displacement from the normal place
	inlineX   float64   // displacement by margins of inline elements; blocks in them do not share it
	baseX     float64   // displacement of the containing block of absolute descendants
	baseY     float64
	baseSet   bool // there is such a block below the root
	placedX   bool // an offset from the left or right edge of the page is known
	placedY   bool // the same from the top or bottom
	pinned    bool // fixed: scrolling does not help
	width     float64
	cut       float64   // width of the nearest box that cuts off at its sides, 0 if there is none
	flexible  bool      // parent is a flex or grid container
	doubt     Technique // shown, but in other views (or for all that is known) hidden by this
	quirkFont bool      // the letters have a size only because the document has no doctype

	// own
	box      box
	position position
	clipText bool    // background-clip: text
	tall     float64 // height that is stated, 0 if none is
}

type position uint8

const (
	positionStatic position = iota
	positionRelative
	positionAbsolute
	positionFixed
)

// backdrop is what lies behind the letters: up to three colours (a gradient has several), or something unknown.
type backdrop struct {
	c        [3]colour
	n        uint8
	unknown  bool // an image that is not loaded
	declared bool // somebody said what the colour is
}

func solid(c colour) backdrop {
	return backdrop{c: [3]colour{c}, n: 1}
}

// paint lays a colour over b.
func (b backdrop) paint(c colour) backdrop {
	switch {
	case c.a <= 0:
		return b
	case c.a >= 1:
		s := solid(c)
		s.declared = true
		return s
	}
	for i := range b.n {
		b.c[i] = c.over(b.c[i])
	}
	return b
}

// varScope holds the custom properties that an element sets; lookups go outwards.
type varScope struct {
	parent *varScope
	props  map[string]customProp
	depth  int
}

func (v *varScope) get(name string) (string, bool) {
	for ; v != nil; v = v.parent {
		if p, ok := v.props[name]; ok {
			return p.value, true
		}
	}
	return "", false
}

// rootStyle is the style of the canvas.
func rootStyle() style {
	return style{
		font: rootFontPx, line: -1, lineTimes: -1, color: black(), opacity: 1, box: boxBlock,
		back: solid(white()), ground: solid(white()), page: solid(white()),
	}
}
