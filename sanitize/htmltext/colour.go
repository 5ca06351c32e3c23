package htmltext

import (
	"math"
	"strconv"
	"strings"
)

// colour is an sRGB colour; r, g, b from 0 to 255, a from 0 to 1.
type colour struct{ r, g, b, a float32 }

func white() colour       { return colour{255, 255, 255, 1} }
func black() colour       { return colour{0, 0, 0, 1} }
func transparent() colour { return colour{} }

// over paints c on an opaque backdrop.
func (c colour) over(back colour) colour {
	mix := func(x, y float32) float32 { return x*c.a + y*(1-c.a) }
	return colour{mix(c.r, back.r), mix(c.g, back.g), mix(c.b, back.b), 1}
}

// luminance is the relative luminance of WCAG 2.2.
func (c colour) luminance() float64 {
	lin := func(v float32) float64 {
		x := float64(v) / 255
		if x <= 0.04045 {
			return x / 12.92
		}
		return math.Pow((x+0.055)/1.055, 2.4)
	}
	return 0.2126*lin(c.r) + 0.7152*lin(c.g) + 0.0722*lin(c.b)
}

// contrast is the contrast ratio of WCAG 2.2, from 1 to 21.
func contrast(a, b colour) float64 {
	x, y := a.luminance(), b.luminance()
	if x < y {
		x, y = y, x
	}
	return (x + 0.05) / (y + 0.05)
}

// distance is the largest difference of one channel, 0 to 255.
func distance(a, b colour) float32 {
	abs := func(x float32) float32 { return max(x, -x) }
	return max(abs(a.r-b.r), abs(a.g-b.g), abs(a.b-b.b))
}

// parseColour reads a CSS colour in lower case. isCurrent reports currentcolor.
func parseColour(s string) (c colour, isCurrent, ok bool) {
	s = strings.TrimSpace(s)
	switch {
	case s == "currentcolor":
		return c, true, true
	case s == "transparent":
		return transparent(), false, true
	case strings.HasPrefix(s, "#"):
		c, ok = parseHex(s[1:])
		return c, false, ok
	case strings.HasSuffix(s, ")"):
		c, ok = parseColourFunc(s)
		return c, false, ok
	}
	c, ok = namedColour(s)
	return c, false, ok
}

func parseHex(s string) (colour, bool) {
	if len(s) == 3 || len(s) == 4 {
		var b strings.Builder
		for i := range len(s) {
			b.WriteByte(s[i])
			b.WriteByte(s[i])
		}
		s = b.String()
	}
	n, err := strconv.ParseUint(s, 16, 32)
	switch {
	case err != nil:
		return colour{}, false
	case len(s) == 6:
		return rgb24(uint32(n)), true
	case len(s) == 8:
		c := rgb24(uint32(n >> 8))
		c.a = float32(n&255) / 255
		return c, true
	}
	return colour{}, false
}

func rgb24(n uint32) colour {
	return colour{float32(n >> 16 & 255), float32(n >> 8 & 255), float32(n & 255), 1}
}

// parseColourFunc reads the functional notations. Those beyond sRGB are mapped by their lightness only.
func parseColourFunc(s string) (colour, bool) {
	name, args, _ := strings.Cut(strings.TrimSuffix(s, ")"), "(")
	f := strings.FieldsFunc(args, func(r rune) bool { return r == ' ' || r == ',' || r == '/' })
	if name == "color" && len(f) > 3 { // color(srgb r g b / a)
		return colourFromUnits(f[1:])
	}
	if len(f) < 3 || len(f) > 4 || strings.Contains(args, "from ") {
		return colour{}, false
	}
	alpha := float32(1)
	if len(f) == 4 {
		v, ok := channel(f[3], 1)
		if !ok {
			return colour{}, false
		}
		alpha = min(max(v, 0), 1)
	}
	var c colour
	var ok bool
	switch name {
	case "rgb", "rgba":
		c, ok = colourFromRGB(f)
	case "hsl", "hsla":
		c, ok = colourFromHSL(f)
	case "hwb":
		c, ok = colourFromHWB(f)
	case "lab", "lch":
		c, ok = colourFromLightness(f[0], 100)
	case "oklab", "oklch":
		c, ok = colourFromLightness(f[0], 1)
	}
	c.a = alpha
	return c, ok
}

// channel reads a number or a percentage of full.
func channel(s string, full float32) (float32, bool) {
	if s == "none" {
		return 0, true
	}
	p, pct := strings.CutSuffix(s, "%")
	v, err := strconv.ParseFloat(p, 32)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, false
	}
	if pct {
		return float32(v) * full / 100, true
	}
	return float32(v), true
}

func clamp255(v float32) float32 { return min(max(v, 0), 255) }

func colourFromRGB(f []string) (colour, bool) {
	r, ok1 := channel(f[0], 255)
	g, ok2 := channel(f[1], 255)
	b, ok3 := channel(f[2], 255)
	return colour{clamp255(r), clamp255(g), clamp255(b), 1}, ok1 && ok2 && ok3
}

func colourFromUnits(f []string) (colour, bool) {
	r, ok1 := channel(f[0], 1)
	g, ok2 := channel(f[1], 1)
	b, ok3 := channel(f[2], 1)
	c := colour{clamp255(r * 255), clamp255(g * 255), clamp255(b * 255), 1}
	if len(f) > 3 {
		a, ok := channel(f[3], 1)
		c.a = min(max(a, 0), 1)
		return c, ok && ok1 && ok2 && ok3
	}
	return c, ok1 && ok2 && ok3
}

func hue(s string) (float64, bool) {
	unit := 1.0
	if t, ok := strings.CutSuffix(s, "deg"); ok {
		s = t
	} else if t, ok := strings.CutSuffix(s, "grad"); ok {
		s, unit = t, 0.9
	} else if t, ok := strings.CutSuffix(s, "rad"); ok {
		s, unit = t, 180/math.Pi
	} else if t, ok := strings.CutSuffix(s, "turn"); ok {
		s, unit = t, 360
	}
	v, ok := channel(s, 360)
	h := math.Mod(float64(v)*unit, 360)
	if h < 0 {
		h += 360
	}
	return h, ok
}

func colourFromHSL(f []string) (colour, bool) {
	h, ok1 := hue(f[0])
	s, ok2 := channel(f[1], 100)
	l, ok3 := channel(f[2], 100)
	return hsl(h, min(max(float64(s)/100, 0), 1), min(max(float64(l)/100, 0), 1)), ok1 && ok2 && ok3
}

// hsl converts as CSS Color Module Level 4 §7.1 does.
func hsl(h, s, l float64) colour {
	f := func(n float64) float32 {
		k := math.Mod(n+h/30, 12)
		a := s * min(l, 1-l)
		return float32((l - a*max(-1, min(k-3, 9-k, 1))) * 255)
	}
	return colour{f(0), f(8), f(4), 1}
}

func colourFromHWB(f []string) (colour, bool) {
	h, ok1 := hue(f[0])
	w, ok2 := channel(f[1], 100)
	b, ok3 := channel(f[2], 100)
	w, b = w/100, b/100
	if w+b >= 1 {
		g := clamp255(255 * w / (w + b))
		return colour{g, g, g, 1}, ok1 && ok2 && ok3
	}
	c := hsl(h, 1, 0.5)
	mix := func(v float32) float32 { return v*(1-w-b) + 255*w }
	return colour{mix(c.r), mix(c.g), mix(c.b), 1}, ok1 && ok2 && ok3
}

// colourFromLightness is an approximation: the grey of the same lightness.
func colourFromLightness(s string, full float32) (colour, bool) {
	l, ok := channel(s, full)
	g := clamp255(l / full * 255)
	return colour{g, g, g, 1}, ok
}

// legacyColour reads the value of a bgcolor, color or text attribute (HTML Standard, "rules for parsing a legacy colour value").
func legacyColour(s string) (colour, bool) {
	s = lowerASCII(strings.Trim(s, " \t\n\f\r"))
	if s == "" || s == "transparent" {
		return colour{}, false
	}
	if c, ok := namedColour(s); ok {
		return c, true
	}
	if len(s) == 4 && s[0] == '#' {
		if c, ok := parseHex(s[1:]); ok {
			return c, true
		}
	}
	s = strings.TrimPrefix(s[:min(len(s), 128)], "#")
	b := []byte{}
	for _, r := range s {
		if r < 128 && isHex(byte(r)) {
			b = append(b, byte(r))
		} else {
			b = append(b, '0')
		}
	}
	for len(b) == 0 || len(b)%3 != 0 {
		b = append(b, '0')
	}
	n := len(b) / 3
	parts := [3][]byte{b[:n], b[n : 2*n], b[2*n:]}
	for n > 8 || n > 2 && parts[0][0] == '0' && parts[1][0] == '0' && parts[2][0] == '0' {
		for i := range parts {
			parts[i] = parts[i][1:]
		}
		n--
	}
	var v [3]float32
	for i, p := range parts {
		u, _ := strconv.ParseUint(string(p[:min(2, n)]), 16, 16) // hexadecimal by construction
		v[i] = float32(u)
	}
	return colour{v[0], v[1], v[2], 1}, true
}
