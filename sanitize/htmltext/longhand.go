package htmltext

import "strings"

// lookupProp finds a property or shorthand by its name. Logical names are read as left to right, top to bottom.
func lookupProp(name string) (prop, shorthand) {
	if g := lookupShorthand(name); g != groupNone {
		return propCount, g
	}
	switch name {
	case "display":
		return propDisplay, groupNone
	case "visibility":
		return propVisibility, groupNone
	case "opacity":
		return propOpacity, groupNone
	case "font-size":
		return propFontSize, groupNone
	case "color":
		return propColor, groupNone
	case "-webkit-text-fill-color":
		return propFillColor, groupNone
	case "-webkit-text-stroke", "-webkit-text-stroke-width", "-webkit-text-stroke-color":
		return propStroke, groupNone
	case "text-shadow":
		return propTextShadow, groupNone
	case "background-color":
		return propBackColor, groupNone
	case "background-image":
		return propBackImage, groupNone
	case "background-clip", "-webkit-background-clip":
		return propBackClip, groupNone
	case "overflow-x", "overflow-inline":
		return propOverflowX, groupNone
	case "overflow-y", "overflow-block":
		return propOverflowY, groupNone
	case "line-height":
		return propLineHeight, groupNone
	case "text-indent":
		return propTextIndent, groupNone
	case "position":
		return propPosition, groupNone
	case "float":
		return propFloat, groupNone
	case "clip":
		return propClip, groupNone
	case "clip-path", "-webkit-clip-path":
		return propClipPath, groupNone
	case "transform", "-webkit-transform":
		return propTransform, groupNone
	case "scale":
		return propScale, groupNone
	case "translate":
		return propTranslate, groupNone
	case "rotate":
		return propRotate, groupNone
	case "zoom":
		return propZoom, groupNone
	case "filter", "-webkit-filter":
		return propFilter, groupNone
	case "mask", "mask-image", "-webkit-mask", "-webkit-mask-image":
		return propMask, groupNone
	case "content-visibility":
		return propContentVisibility, groupNone
	case "backface-visibility", "-webkit-backface-visibility":
		return propBackface, groupNone
	case "mso-hide":
		return propMSOHide, groupNone
	case "white-space", "white-space-collapse", "text-wrap-mode":
		return propWhiteSpace, groupNone
	case "list-style", "list-style-type":
		return propListStyle, groupNone
	case "box-sizing":
		return propBoxSizing, groupNone
	case "animation", "animation-name", "-webkit-animation", "-webkit-animation-name":
		return propAnimation, groupNone
	case "letter-spacing":
		return propLetterSpacing, groupNone
	case "-webkit-text-security":
		return propTextSecurity, groupNone
	case "color-scheme":
		return propColorScheme, groupNone
	}
	return lookupBoxProp(name), groupNone
}

func lookupShorthand(name string) shorthand {
	switch name {
	case "background":
		return groupBackground
	case "font":
		return groupFont
	case "overflow":
		return groupOverflow
	case "margin":
		return groupMargin
	case "margin-inline":
		return groupMarginInline
	case "margin-block":
		return groupMarginBlock
	case "padding":
		return groupPadding
	case "padding-inline":
		return groupPaddingInline
	case "padding-block":
		return groupPaddingBlock
	case "inset":
		return groupInset
	case "inset-inline":
		return groupInsetInline
	case "inset-block":
		return groupInsetBlock
	case "all":
		return groupAll
	}
	return groupNone
}

func lookupBoxProp(name string) prop {
	switch name {
	case "height", "block-size":
		return propHeight
	case "max-height", "max-block-size":
		return propMaxHeight
	case "min-height", "min-block-size":
		return propMinHeight
	case "width", "inline-size":
		return propWidth
	case "max-width", "max-inline-size":
		return propMaxWidth
	case "min-width", "min-inline-size":
		return propMinWidth
	case "padding-right", "padding-inline-end":
		return propPaddingRight
	case "padding-bottom", "padding-block-end":
		return propPaddingBottom
	case "left", "inset-inline-start":
		return propLeft
	case "right", "inset-inline-end":
		return propRight
	case "top", "inset-block-start":
		return propTop
	case "bottom", "inset-block-end":
		return propBottom
	case "margin-left", "margin-inline-start":
		return propMarginLeft
	case "margin-right", "margin-inline-end":
		return propMarginRight
	case "padding-left", "padding-inline-start":
		return propPaddingLeft
	case "padding-top", "padding-block-start":
		return propPaddingTop
	case "margin-top", "margin-block-start":
		return propMarginTop
	}
	return propCount
}

// parseLonghand validates and parses one value.
func parseLonghand(p prop, val string, quirks bool) (value, bool) {
	switch p {
	case propColor, propFillColor, propBackColor:
		c, current, ok := parseColour(val)
		if current {
			return value{kind: kindCurrent}, true
		}
		return value{kind: kindColour, c: c}, ok
	case propDisplay:
		return keyword(val, isDisplay(val))
	case propVisibility:
		return keyword(val, val == "visible" || val == "hidden" || val == "collapse")
	case propOpacity:
		v, ok := parseNumber(val)
		return v, ok && (v.u == unitNone || v.u == unitPercent)
	case propPosition:
		return keyword(val, val == "static" || val == "relative" || val == "absolute" || val == "fixed" || val == "sticky")
	case propFloat:
		return keyword(val, val == "left" || val == "right" || val == "none" || val == "inline-start" || val == "inline-end")
	case propOverflowX, propOverflowY:
		return keyword(val, val == "visible" || val == "hidden" || val == "clip" || val == "auto" || val == "scroll" || val == "overlay")
	case propFontSize:
		return parseFontSize(val, quirks)
	case propLineHeight, propZoom:
		if v, ok := parseNumber(val); ok && v.n >= 0 && v.u != unitDeg {
			return v, true
		}
		return keyword(val, val == "normal")
	case propTextIndent:
		return lengthValue(fieldsOutside(val)[0], quirks)
	case propHeight, propMaxHeight, propMinHeight, propWidth, propMaxWidth, propMinWidth, propPaddingRight, propPaddingBottom, propPaddingLeft, propPaddingTop:
		v, ok := lengthValue(val, quirks)
		return v, ok && (v.kind == kindKeyword || v.n >= 0)
	case propLeft, propRight, propTop, propBottom, propMarginLeft, propMarginTop, propMarginRight, propLetterSpacing:
		return lengthValue(val, quirks)
	case propContentVisibility:
		return keyword(val, val == "hidden" || val == "visible" || val == "auto")
	case propBackface:
		return keyword(val, val == "hidden" || val == "visible")
	}
	return value{kind: kindRaw, word: val}, val != ""
}

func keyword(val string, ok bool) (value, bool) { return value{word: val}, ok }

// lengthValue reads a length or one of the sizing keywords.
func lengthValue(val string, quirks bool) (value, bool) {
	if v, ok := parseNumber(val); ok {
		return v, v.u != unitDeg && (v.u != unitNone || v.n == 0 || quirks)
	}
	switch val {
	case "auto", "none", "normal", "min-content", "max-content", "fit-content", "stretch", "-webkit-fill-available":
		return value{word: val}, true
	}
	return value{}, strings.HasPrefix(val, "fit-content(")
}

func isDisplay(val string) bool {
	switch val {
	case "none", "block", "inline", "inline-block", "list-item", "table", "inline-table", "table-row", "table-cell",
		"table-row-group", "table-header-group", "table-footer-group", "table-column", "table-column-group", "table-caption",
		"flex", "inline-flex", "-webkit-flex", "-webkit-inline-flex", "-webkit-box", "-webkit-inline-box", "grid", "inline-grid",
		"contents", "flow-root", "ruby", "ruby-text", "run-in", "math", "flow", "block flow", "block flow-root", "inline flow-root", "block flex", "block grid":
		return true
	}
	return false
}

func parseFontSize(val string, quirks bool) (value, bool) {
	px := func(n float64) (value, bool) { return value{kind: kindNumber, n: n, u: unitPx}, true }
	switch val {
	case "xx-small":
		return px(9)
	case "x-small":
		return px(10)
	case "small":
		return px(13)
	case "medium":
		return px(16)
	case "large":
		return px(18)
	case "x-large":
		return px(24)
	case "xx-large":
		return px(32)
	case "xxx-large":
		return px(48)
	case "smaller":
		return value{kind: kindNumber, n: 1 / 1.2, u: unitEm}, true
	case "larger":
		return value{kind: kindNumber, n: 1.2, u: unitEm}, true
	}
	v, ok := parseNumber(val)
	return v, ok && v.n >= 0 && v.u != unitDeg && (v.u != unitNone || v.n == 0 || quirks)
}
