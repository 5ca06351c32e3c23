package htmltext

import "strings"

// prop is a CSS property that bears on visibility or on the shape of the text. All others are dropped when parsed.
type prop uint8

const (
	propDisplay prop = iota
	propVisibility
	propOpacity
	propFontSize
	propColor
	propFillColor
	propStroke
	propTextShadow
	propBackColor
	propBackImage
	propBackClip
	propOverflowX
	propOverflowY
	propHeight
	propMaxHeight
	propMinHeight
	propWidth
	propMaxWidth
	propMinWidth
	propPaddingRight
	propPaddingBottom
	propLineHeight
	propTextIndent
	propPosition
	propFloat
	propLeft
	propRight
	propTop
	propBottom
	propMarginLeft
	propMarginTop
	propMarginRight
	propPaddingLeft
	propPaddingTop
	propClip
	propClipPath
	propTransform
	propScale
	propTranslate
	propRotate
	propZoom
	propFilter
	propMask
	propContentVisibility
	propBackface
	propMSOHide
	propWhiteSpace
	propListStyle
	propBoxSizing
	propAnimation
	propLetterSpacing
	propTextSecurity
	propColorScheme
	propCount
)

// decl is one longhand declaration. order ranks it among all declarations of the document, see cascadeOrder.
type decl struct {
	p     prop
	imp   bool
	v     value
	order uint64
}

// block is a parsed list of declarations; vars are its custom properties.
type block struct {
	decls []decl
	vars  []customProp
}

type customProp struct {
	name, value string
	imp         bool
	order       uint64
}

func (b *block) empty() bool { return len(b.decls) == 0 && len(b.vars) == 0 }

// parseProperty appends the declarations that name: val stands for. Invalid values are dropped, as CSS demands, so that
// an earlier valid one keeps its effect. quirks allows lengths without unit.
func parseProperty(b *block, name, val string, imp, quirks bool) {
	p, group := lookupProp(name)
	add := func(p prop, v value) { b.decls = append(b.decls, decl{p: p, imp: imp, v: v}) }
	if p == propCount && group == groupNone {
		return
	}
	if v, ok := wideKeyword(val); ok {
		for _, p := range groupProps(p, group) {
			add(p, v)
		}
		return
	}
	if hasVar(val) {
		for _, p := range groupProps(p, group) {
			add(p, value{kind: kindVar, word: name + ":" + val})
		}
		return
	}
	if group != groupNone {
		parseShorthand(group, val, quirks, add)
		return
	}
	if v, ok := parseLonghand(p, val, quirks); ok {
		add(p, v)
	}
}

// hasVar finds the functions whose value is only known when the declaration is applied.
func hasVar(val string) bool {
	return strings.Contains(val, "var(") || strings.Contains(val, "env(") || strings.Contains(val, "attr(")
}

func wideKeyword(val string) (value, bool) {
	switch val {
	case "inherit":
		return value{kind: kindInherit}, true
	case "initial", "unset", "revert", "revert-layer":
		return value{kind: kindInitial, word: val}, true
	}
	return value{}, false
}

// shorthand groups.
type shorthand uint8

const (
	groupNone shorthand = iota
	groupBackground
	groupFont
	groupOverflow
	groupMargin
	groupPadding
	groupInset
	groupMarginInline
	groupMarginBlock
	groupPaddingInline
	groupPaddingBlock
	groupInsetInline
	groupInsetBlock
	groupAll
)

// groupProps lists what a shorthand sets, or p alone.
func groupProps(p prop, g shorthand) []prop {
	switch g {
	case groupBackground:
		return []prop{propBackColor, propBackImage, propBackClip}
	case groupFont:
		return []prop{propFontSize, propLineHeight}
	case groupOverflow:
		return []prop{propOverflowX, propOverflowY}
	case groupMargin:
		return []prop{propMarginLeft, propMarginTop, propMarginRight}
	case groupMarginInline:
		return []prop{propMarginLeft, propMarginRight}
	case groupMarginBlock:
		return []prop{propMarginTop}
	case groupPadding:
		return []prop{propPaddingRight, propPaddingBottom, propPaddingLeft, propPaddingTop}
	case groupPaddingInline:
		return []prop{propPaddingLeft, propPaddingRight}
	case groupPaddingBlock:
		return []prop{propPaddingTop, propPaddingBottom}
	case groupInset:
		return []prop{propTop, propRight, propBottom, propLeft}
	case groupInsetInline:
		return []prop{propLeft, propRight}
	case groupInsetBlock:
		return []prop{propTop, propBottom}
	case groupAll:
		all := make([]prop, propCount)
		for i := range all {
			all[i] = prop(i)
		}
		return all
	}
	return []prop{p}
}

func parseShorthand(g shorthand, val string, quirks bool, add func(prop, value)) {
	f := fieldsOutside(val)
	switch g {
	case groupBackground:
		parseBackground(val, add)
	case groupFont:
		parseFont(f, quirks, add)
	case groupOverflow:
		if len(f) == 1 {
			f = append(f, f[0])
		}
		if len(f) == 2 {
			add(propOverflowX, value{word: f[0]})
			add(propOverflowY, value{word: f[1]})
		}
	case groupMargin, groupPadding, groupInset:
		parseBox(g, f, quirks, add)
	case groupMarginInline, groupMarginBlock, groupPaddingInline, groupPaddingBlock, groupInsetInline, groupInsetBlock:
		for i, p := range groupProps(0, g) {
			if v, ok := parseLonghand(p, f[min(i, len(f)-1)], quirks); ok && len(f) <= 2 {
				add(p, v)
			}
		}
	}
}

// parseBox expands the four-sided shorthands; f is not empty.
func parseBox(g shorthand, f []string, quirks bool, add func(prop, value)) {
	var side [4]value // top, right, bottom, left
	for i := range side {
		from := [4][4]int{{0, 0, 0, 0}, {0, 1, 0, 1}, {0, 1, 2, 1}, {0, 1, 2, 3}}[min(len(f), 4)-1][i]
		v, ok := parseLonghand(propLeft, f[from], quirks)
		if !ok || len(f) > 4 {
			return
		}
		side[i] = v
	}
	switch g {
	case groupMargin:
		add(propMarginTop, side[0])
		add(propMarginLeft, side[3])
		add(propMarginRight, side[1])
	case groupPadding:
		add(propPaddingRight, side[1])
		add(propPaddingBottom, side[2])
		add(propPaddingLeft, side[3])
		add(propPaddingTop, side[0])
	default:
		add(propTop, side[0])
		add(propRight, side[1])
		add(propBottom, side[2])
		add(propLeft, side[3])
	}
}

// parseBackground reads the last layer's colour and whether there is an image.
func parseBackground(val string, add func(prop, value)) {
	colourVal := value{kind: kindColour, c: transparent()}
	image, clip := value{word: "none"}, value{word: "border-box"}
	for _, layer := range splitArgs(val) {
		for _, f := range fieldsOutside(layer) {
			switch c, cur, ok := parseColour(f); {
			case cur:
				colourVal = value{kind: kindCurrent}
			case ok:
				colourVal = value{kind: kindColour, c: c}
			case strings.Contains(f, "("):
				if image.word == "none" {
					image = value{kind: kindRaw, word: f}
				}
			case f == "text":
				clip = value{word: "text"}
			}
		}
	}
	add(propBackColor, colourVal)
	add(propBackImage, image)
	add(propBackClip, clip)
}

// parseFont reads size and line height out of the font shorthand.
func parseFont(f []string, quirks bool, add func(prop, value)) {
	for i, word := range f {
		size, line, cut := strings.Cut(word, "/")
		v, ok := parseLonghand(propFontSize, size, quirks)
		if !ok || v.kind == kindNumber && v.u == unitNone && v.n != 0 || i == len(f)-1 {
			continue // a weight such as 700, or no family follows
		}
		add(propFontSize, v)
		if !cut && i+2 < len(f) && strings.HasPrefix(f[i+1], "/") {
			line = strings.TrimPrefix(f[i+1], "/")
			if line == "" {
				line = f[i+2]
			}
		} else if cut && line == "" {
			line = f[i+1]
		}
		if lv, ok := parseLonghand(propLineHeight, line, quirks); ok {
			add(propLineHeight, lv)
		} else {
			add(propLineHeight, value{word: "normal"})
		}
		return
	}
}

// fieldsOutside splits at spaces outside brackets. The result has at least one element.
func fieldsOutside(s string) []string {
	var out []string
	level, from := 0, 0
	for i := range len(s) {
		switch {
		case s[i] == '(':
			level++
		case s[i] == ')':
			level--
		case s[i] == ' ' && level == 0:
			if i > from {
				out = append(out, s[from:i])
			}
			from = i + 1
		}
	}
	if from < len(s) || len(out) == 0 {
		out = append(out, s[from:])
	}
	return out
}
