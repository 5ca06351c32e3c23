package htmltext

import (
	"math"
	"strconv"
	"strings"
)

// unit of a number in a declaration.
type unit uint8

const (
	unitNone unit = iota
	unitPx        // absolute units are converted to this
	unitEm
	unitRem
	unitPercent
	unitVW
	unitVH
	unitDeg // angles are converted to this
)

// valueKind says which fields of a value count.
type valueKind uint8

const (
	kindKeyword valueKind = iota // word
	kindNumber                   // n, u
	kindColour                   // c
	kindCurrent                  // currentcolor
	kindInherit                  // inherit, and unset of an inherited property
	kindInitial                  // initial, and unset of another property; revert
	kindVar                      // word holds text with var()
	kindRaw                      // word holds text that is understood when it is applied
)

// value is one parsed property value.
type value struct {
	kind valueKind
	u    unit
	n    float64
	c    colour
	word string
}

// The assumed view, CSS pixels.
const (
	viewWidth    = 800
	viewHeight   = 600
	rootFontPx   = 16
	maxCalcDepth = 8 // Limit: nobody writes deeper arithmetic by hand
)

// parseNumber reads a number with a unit, or a calculation that does not mix units which depend on the element.
func parseNumber(s string) (value, bool) {
	return parseNumberDepth(strings.TrimSpace(s), 0)
}

func parseNumberDepth(s string, depth int) (value, bool) {
	if s == "" || depth > maxCalcDepth {
		return value{}, false
	}
	if strings.HasSuffix(s, ")") {
		return parseMath(s, depth)
	}
	i := numberLen(s)
	n, err := strconv.ParseFloat(s[:i], 64)
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
		return value{}, false
	}
	return withUnit(min(max(n, -1e9), 1e9), s[i:])
}

// numberLen returns the length of the number at the start of s.
func numberLen(s string) int {
	i := 0
	if i < len(s) && (s[i] == '+' || s[i] == '-') {
		i++
	}
	for i < len(s) && (s[i] >= '0' && s[i] <= '9' || s[i] == '.') {
		i++
	}
	if i+1 < len(s) && s[i] == 'e' {
		j := i + 1
		if s[j] == '+' || s[j] == '-' {
			j++
		}
		k := j
		for k < len(s) && s[k] >= '0' && s[k] <= '9' {
			k++
		}
		if k > j {
			return k
		}
	}
	return i
}

func withUnit(n float64, name string) (value, bool) {
	num := func(f float64, u unit) (value, bool) { return value{kind: kindNumber, n: n * f, u: u}, true }
	switch name {
	case "":
		return num(1, unitNone)
	case "px":
		return num(1, unitPx)
	case "pt":
		return num(4.0/3, unitPx)
	case "pc":
		return num(16, unitPx)
	case "in":
		return num(96, unitPx)
	case "cm":
		return num(96/2.54, unitPx)
	case "mm":
		return num(96/25.4, unitPx)
	case "q":
		return num(96/101.6, unitPx)
	case "em", "lh":
		return num(1, unitEm)
	case "ex", "ch", "ic", "cap":
		return num(0.5, unitEm)
	case "rem", "rlh":
		return num(1, unitRem)
	case "%":
		return num(1, unitPercent)
	case "vw", "vi", "svw", "lvw", "dvw", "vmax", "cqw", "cqi", "cqmax":
		return num(1, unitVW)
	case "vh", "vb", "svh", "lvh", "dvh", "vmin", "cqh", "cqb", "cqmin":
		return num(1, unitVH)
	case "deg":
		return num(1, unitDeg)
	case "rad":
		return num(180/math.Pi, unitDeg)
	case "grad":
		return num(0.9, unitDeg)
	case "turn":
		return num(360, unitDeg)
	}
	return value{}, false
}

// parseMath evaluates calc(), min(), max() and clamp() over absolute values. Values that depend on the element are
// resolved against the assumed view.
func parseMath(s string, depth int) (value, bool) {
	name, args, ok := strings.Cut(s[:len(s)-1], "(")
	if !ok {
		return value{}, false
	}
	switch name {
	case "calc", "-webkit-calc", "":
		c := calculator{s: args, depth: depth + 1}
		v, ok := c.sum()
		c.space()
		return v, ok && c.s == ""
	case "min", "max", "clamp":
	default:
		return value{}, false
	}
	var vals []value
	for _, a := range splitArgs(args) {
		c := calculator{s: a, depth: depth + 1}
		v, ok := c.sum()
		if !ok {
			return value{}, false
		}
		vals = append(vals, v)
	}
	return pickValue(name, vals)
}

func pickValue(name string, vals []value) (value, bool) {
	if len(vals) == 0 || name == "clamp" && len(vals) != 3 {
		return value{}, false
	}
	if name == "clamp" {
		v, _ := pickValue("min", vals[1:])
		return pickValue("max", []value{vals[0], v})
	}
	best := vals[0]
	for _, v := range vals[1:] {
		if (toViewPx(v) < toViewPx(best)) == (name == "min") {
			best = v
		}
	}
	return best, true
}

// toViewPx gives a value in pixels of the assumed view where the element is not known.
func toViewPx(v value) float64 {
	return v.px(rootFontPx, viewWidth)
}

// px resolves a length: em against fontPx, percentages against base.
func (v value) px(fontPx, base float64) float64 {
	switch v.u {
	case unitEm:
		return v.n * fontPx
	case unitRem:
		return v.n * rootFontPx
	case unitPercent:
		return v.n * base / 100
	case unitVW:
		return v.n * viewWidth / 100
	case unitVH:
		return v.n * viewHeight / 100
	}
	return v.n
}

// calculator reads sums and products by recursive descent.
type calculator struct {
	s     string
	depth int
}

func (c *calculator) space() { c.s = strings.TrimLeft(c.s, " ") }

func (c *calculator) sum() (value, bool) {
	v, ok := c.product()
	for ok {
		c.space()
		if c.s == "" || c.s[0] != '+' && c.s[0] != '-' {
			return v, true
		}
		sign := 1.0
		if c.s[0] == '-' {
			sign = -1
		}
		c.s = c.s[1:]
		var w value
		if w, ok = c.product(); ok {
			v = addValues(v, w, sign)
		}
	}
	return v, false
}

func addValues(v, w value, sign float64) value {
	if v.u == w.u {
		v.n += sign * w.n
		return v
	}
	return value{kind: kindNumber, u: unitPx, n: toViewPx(v) + sign*toViewPx(w)}
}

func (c *calculator) product() (value, bool) {
	v, ok := c.operand()
	for ok {
		c.space()
		if c.s == "" || c.s[0] != '*' && c.s[0] != '/' {
			return v, true
		}
		op := c.s[0]
		c.s = c.s[1:]
		var w value
		if w, ok = c.operand(); !ok {
			break
		}
		switch {
		case op == '*' && v.u == unitNone:
			v, w = w, v
			fallthrough
		case op == '*':
			v.n *= w.n
		case w.n == 0:
			return v, false
		default:
			v.n /= w.n
		}
	}
	return v, false
}

func (c *calculator) operand() (value, bool) {
	c.space()
	i := 0
	for level := 0; i < len(c.s); i++ {
		ch := c.s[i]
		if ch == '(' {
			level++
		} else if ch == ')' {
			level--
			if level == 0 {
				i++
				break
			}
		}
		if level <= 0 && i > 0 && (ch == ' ' || ch == '*' || ch == '/' || (ch == '+' || ch == '-') && c.s[i-1] != 'e') {
			break
		}
	}
	part := c.s[:i]
	c.s = c.s[i:]
	return parseNumberDepth(part, c.depth)
}

// splitArgs cuts at commas outside brackets.
func splitArgs(s string) []string {
	var out []string
	level, from := 0, 0
	for i := range len(s) {
		switch s[i] {
		case '(':
			level++
		case ')':
			level--
		case ',':
			if level == 0 {
				out = append(out, s[from:i])
				from = i + 1
			}
		}
	}
	return append(out, s[from:])
}
