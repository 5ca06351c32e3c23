package htmltext

import (
	"math"
	"strings"
)

// clipsAll tells whether a clip-path leaves nothing.
func clipsAll(path string) bool {
	name, args, ok := strings.Cut(strings.TrimSuffix(path, ")"), "(")
	if !ok {
		return false
	}
	switch name {
	case "inset":
		return emptyInset(args)
	case "circle", "ellipse":
		v, ok := parseNumber(fieldsOutside(strings.TrimSpace(args))[0])
		return ok && v.n <= 1
	case "polygon":
		return emptyPolygon(args)
	case "rect":
		return emptyRect("rect(" + args + ")")
	case "xywh":
		f := fieldsOutside(strings.TrimSpace(args))
		w, ok := parseNumber(f[min(2, len(f)-1)])
		h, ok2 := parseNumber(f[min(3, len(f)-1)])
		return ok && ok2 && (w.n <= minBoxPx || h.n <= minBoxPx)
	case "path":
		return len(args) < 10
	}
	return false
}

// clipsNothing knows the shapes that leave all or nearly all of a box.
func clipsNothing(path string) bool {
	name, args, ok := strings.Cut(strings.TrimSuffix(path, ")"), "(")
	if !ok {
		return true // a keyword, or a url that is not loaded
	}
	switch name {
	case "inset":
		for _, f := range fieldsOutside(strings.TrimSpace(args)) {
			if v, ok := parseNumber(f); ok && (v.u == unitPercent && v.n > 2 || v.u != unitPercent && v.px(rootFontPx, 0) > 8) {
				return false
			}
		}
		return true
	case "circle", "ellipse":
		v, ok := parseNumber(fieldsOutside(strings.TrimSpace(args))[0])
		return ok && (v.u == unitPercent && v.n >= 100 || v.u != unitPercent && v.px(rootFontPx, 0) >= viewWidth)
	case "polygon":
		for _, corner := range []string{"0 0", "100% 0", "100% 100%", "0 100%"} {
			if !strings.Contains(strings.ReplaceAll(strings.ReplaceAll(args, "0px", "0"), "0%,", "0%, "), corner) {
				return false
			}
		}
		return true
	}
	return false
}

func emptyInset(args string) bool {
	args, _, _ = strings.Cut(args, " round")
	f := fieldsOutside(strings.TrimSpace(args))
	var pct [4]float64
	for i := range pct {
		from := [4][4]int{{0, 0, 0, 0}, {0, 1, 0, 1}, {0, 1, 2, 1}, {0, 1, 2, 3}}[min(len(f), 4)-1][i]
		v, ok := parseNumber(f[from])
		if !ok {
			return false
		}
		pct[i] = v.n
		if v.u != unitPercent {
			pct[i] = v.px(rootFontPx, viewWidth) / 10 // 1000 px are more than any box of text has
		}
	}
	return pct[0]+pct[2] >= 99 || pct[1]+pct[3] >= 99
}

// emptyPolygon tells whether all corners have one x or one y.
func emptyPolygon(args string) bool {
	sameX, sameY := true, true
	var firstX, firstY string
	for i, p := range splitArgs(args) {
		f := fieldsOutside(strings.TrimSpace(p))
		if len(f) != 2 {
			return false
		}
		if i == 0 {
			firstX, firstY = f[0], f[1]
		}
		sameX, sameY = sameX && f[0] == firstX, sameY && f[1] == firstY
	}
	return sameX || sameY
}

// emptyRect reads rect(top, right, bottom, left).
func emptyRect(s string) bool {
	args := strings.TrimSuffix(strings.TrimPrefix(s, "rect("), ")")
	f := strings.FieldsFunc(args, func(r rune) bool { return r == ',' || r == ' ' })
	if len(f) != 4 {
		return false
	}
	var e [4]float64
	for i, t := range f {
		v, ok := parseNumber(t)
		if !ok {
			if i == 0 || i == 3 {
				continue // auto: zero
			}
			e[i] = math.Inf(1)
			continue
		}
		e[i] = v.px(rootFontPx, viewWidth)
	}
	return e[1]-e[3] <= minBoxPx || e[2]-e[0] <= minBoxPx
}
