package sanitize

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tdewolff/parse/v2/css"
)

const (
	maxStyleDeclarations = 80   // Limit: declarations of one style attribute
	maxStyleComponents   = 24   // Limit: components of one value; font lists are the longest
	maxStyleNumber       = 5000 // Limit: pixels of the widest page
)

// valueKinds are the kinds of components that a property takes.
type valueKinds uint8

const (
	takesLength valueKinds = 1 << iota
	takesNegative
	takesIndent // of a hanging first line
	takesColour
	takesName // font families: names and quoted names
	takesCommas
	takesSlash
)

// propertyRule is the value grammar of one property.
type propertyRule struct {
	kinds valueKinds
	max   int      // components
	words []string // keywords
}

var lineStyles = []string{"none", "solid", "dashed", "dotted", "double", "groove", "ridge", "inset", "outset", "thin", "medium", "thick", "hidden"}

// propertyRules: what a property takes. Security: nothing that positions, layers, generates, transforms, animates or
// refers; no negative margin.
func propertyRules(name string) (propertyRule, bool) {
	length := func(max int, words ...string) (propertyRule, bool) {
		return propertyRule{takesLength, max, words}, true
	}
	words := func(words ...string) (propertyRule, bool) { return propertyRule{0, 1, words}, true }
	switch name {
	case "color", "background-color", "border-color", "border-top-color", "border-right-color", "border-bottom-color", "border-left-color":
		return propertyRule{takesColour, 4, nil}, true
	case "border", "border-top", "border-right", "border-bottom", "border-left":
		return propertyRule{takesLength | takesColour, 3, lineStyles}, true
	case "border-style", "border-top-style", "border-right-style", "border-bottom-style", "border-left-style":
		return propertyRule{0, 4, lineStyles}, true
	case "border-width", "border-top-width", "border-right-width", "border-bottom-width", "border-left-width":
		return length(4, "thin", "medium", "thick")
	case "padding", "border-radius":
		return length(4)
	case "margin":
		return length(4, "auto")
	case "margin-top", "margin-right", "margin-bottom", "margin-left":
		return length(1, "auto")
	case "padding-top", "padding-right", "padding-bottom", "padding-left":
		return length(1)
	case "text-indent":
		return propertyRule{takesLength | takesIndent, 1, nil}, true
	case "border-top-left-radius", "border-top-right-radius", "border-bottom-left-radius", "border-bottom-right-radius", "border-spacing":
		return length(2)
	case "width", "height", "min-width", "min-height", "max-width", "max-height":
		return length(1, "auto", "none")
	case "line-height":
		return length(1, "normal")
	case "letter-spacing", "word-spacing":
		return propertyRule{takesLength | takesNegative, 1, []string{"normal"}}, true
	case "font-size":
		return length(1, "xx-small", "x-small", "small", "medium", "large", "x-large", "xx-large", "smaller", "larger")
	case "font-family":
		return propertyRule{takesName | takesCommas, maxStyleComponents, nil}, true
	case "font":
		return propertyRule{takesLength | takesName | takesCommas | takesSlash, maxStyleComponents, nil}, true
	case "vertical-align":
		return length(1, "baseline", "top", "middle", "bottom", "text-top", "text-bottom", "sub", "super")
	}
	return keywordRules(name, words)
}

// keywordRules are the properties that take keywords alone.
func keywordRules(name string, words func(...string) (propertyRule, bool)) (propertyRule, bool) {
	switch name {
	case "border-collapse":
		return words("collapse", "separate")
	case "font-weight":
		return propertyRule{takesLength, 1, []string{"normal", "bold", "bolder", "lighter"}}, true
	case "font-style":
		return words("normal", "italic", "oblique")
	case "font-variant":
		return words("normal", "small-caps")
	case "text-align":
		return words("left", "right", "center", "justify", "start", "end")
	case "text-decoration", "text-decoration-line":
		return propertyRule{0, 2, []string{"none", "underline", "line-through", "overline"}}, true
	case "text-transform":
		return words("none", "uppercase", "lowercase", "capitalize")
	case "white-space":
		return words("normal", "nowrap", "pre", "pre-wrap", "pre-line")
	case "word-break":
		return words("normal", "break-all", "break-word", "keep-all")
	case "word-wrap", "overflow-wrap":
		return words("normal", "break-word", "anywhere")
	case "direction":
		return words("ltr", "rtl")
	case "list-style-type", "list-style":
		return words("none", "disc", "circle", "square", "decimal", "lower-alpha", "upper-alpha", "lower-roman", "upper-roman", "lower-latin", "upper-latin")
	case "display":
		return words("block", "inline", "inline-block", "table", "table-row", "table-cell", "list-item")
	case "float":
		return words("left", "right", "none")
	case "clear":
		return words("left", "right", "both", "none")
	case "table-layout":
		return words("auto", "fixed")
	case "caption-side":
		return words("top", "bottom")
	case "box-sizing":
		return words("border-box", "content-box")
	}
	return propertyRule{}, false
}

// spellsColour reports a colour that cannot be taken for anything else, as a word could.
func spellsColour(toks []styleToken) bool {
	return len(toks) > 0 && toks[0].kind != css.IdentToken && propertyRule{takesColour, 1, nil}.value(toks) != ""
}

func trimSpaces(toks []styleToken) []styleToken {
	for len(toks) > 0 && toks[0].kind == css.WhitespaceToken {
		toks = toks[1:]
	}
	for len(toks) > 0 && toks[len(toks)-1].kind == css.WhitespaceToken {
		toks = toks[:len(toks)-1]
	}
	return toks
}

// colourOf is the colour in a background shorthand, if it is written as one token or function at an end of it: what is
// beside it is a picture, its place, or nothing. whole reports that there is nothing else.
func colourOf(toks []styleToken) (colour []styleToken, whole bool) {
	if len(toks) == 0 {
		return nil, true
	}
	if toks[0].kind == css.FunctionToken {
		end := slices.IndexFunc(toks, func(t styleToken) bool { return t.kind == css.RightParenthesisToken })
		return toks[:end+1], end == len(toks)-1
	}
	if last := toks[len(toks)-1]; toks[0].kind != css.HashToken && last.kind == css.HashToken {
		return toks[len(toks)-1:], false
	}
	return toks[:1], len(toks) == 1
}

// value gives the canonical spelling of a value, or "" if it is outside the grammar.
func (r propertyRule) value(toks []styleToken) string {
	var b strings.Builder
	components, glue := 0, ""
	for len(toks) > 0 {
		t := toks[0]
		switch {
		case t.kind == css.WhitespaceToken:
			toks = toks[1:]
			continue
		case t.kind == css.CommaToken && r.kinds&takesCommas != 0 && b.Len() > 0 && glue == " ":
			glue, toks = ",", toks[1:]
			continue
		case t.text == "/" && r.kinds&takesSlash != 0 && b.Len() > 0 && glue == " ":
			glue, toks = "/", toks[1:]
			continue
		}
		s, used := r.component(toks)
		if components++; s == "" || components > r.max {
			return ""
		}
		b.WriteString(glue)
		b.WriteString(s)
		glue, toks = " ", toks[used:]
	}
	if glue == "," || glue == "/" {
		return ""
	}
	return b.String()
}

// component reads one component and says how many tokens it took.
func (r propertyRule) component(toks []styleToken) (string, int) {
	t := toks[0]
	switch t.kind {
	case css.IdentToken:
		word := strings.ToLower(t.text)
		switch {
		case slices.Contains(r.words, word), word == "inherit" && r.max <= 4:
			return word, 1
		case r.kinds&takesColour != 0 && colourWord(word):
			return word, 1
		case r.kinds&takesName != 0 && fontWord(t.text):
			return t.text, 1
		}
	case css.NumberToken, css.PercentageToken, css.DimensionToken:
		if r.kinds&takesLength != 0 {
			return styleNumber(t.text, r.kinds), 1
		}
	case css.HashToken:
		if hex := strings.ToLower(t.text[1:]); r.kinds&takesColour != 0 && slices.Contains([]int{3, 4, 6, 8}, len(hex)) && strings.Trim(hex, "0123456789abcdef") == "" {
			return "#" + hex, 1
		}
	case css.StringToken:
		if name := t.text[1 : len(t.text)-1]; r.kinds&takesName != 0 && fontName(name) {
			return "'" + name + "'", 1
		}
	case css.FunctionToken:
		if r.kinds&takesColour != 0 {
			return colourFunction(toks)
		}
	}
	return "", 0
}

// colourFunction reads rgb(…) and its relatives and writes them with commas.
func colourFunction(toks []styleToken) (string, int) {
	name := strings.ToLower(toks[0].text)
	if name != "rgb(" && name != "rgba(" && name != "hsl(" && name != "hsla(" {
		return "", 0
	}
	var args []string
	for i, t := range toks[1:] {
		switch {
		case t.kind == css.WhitespaceToken, t.kind == css.CommaToken, t.text == "/":
		case t.kind == css.NumberToken, t.kind == css.PercentageToken:
			s := styleNumber(t.text, takesLength)
			if args = append(args, s); s == "" || len(args) > 4 {
				return "", 0
			}
		case t.kind == css.RightParenthesisToken && len(args) >= 3:
			return name + strings.Join(args, ",") + ")", i + 2
		default:
			return "", 0
		}
	}
	return "", 0
}

// styleNumber writes a number with its unit canonically.
func styleNumber(s string, kinds valueKinds) string {
	k := strings.LastIndexAny(s, "0123456789.") + 1
	f, err := strconv.ParseFloat(s[:k], 64)
	unit := strings.ToLower(s[k:])
	if err != nil || f > maxStyleNumber || f < leastNumber(kinds, unit) {
		return ""
	}
	if !slices.Contains([]string{"", "%", "px", "pt", "em", "rem", "ex", "ch", "pc", "cm", "mm", "in"}, unit) {
		return ""
	}
	n := strings.TrimRight(strings.TrimRight(strconv.FormatFloat(f, 'f', 3, 64), "0"), ".")
	if n == "-0" {
		n = "0"
	}
	return n + unit
}

// leastNumber is how far below zero a number may be. Security: a hanging first line reaches half an inch to the left, as word
// processors write it, and letters a little closer together; further would lay text over another.
func leastNumber(kinds valueKinds, unit string) float64 {
	switch {
	case kinds&takesNegative != 0:
		return -3
	case kinds&takesIndent == 0:
		return 0
	}
	switch unit {
	case "px":
		return -48
	case "pt":
		return -36
	case "em", "rem":
		return -3
	case "cm":
		return -1.27
	case "in":
		return -0.5
	}
	return 0
}

// colourWord: a name is inert whatever it is, and an unknown one is ignored by readers.
func colourWord(w string) bool {
	return len(w) >= 3 && len(w) <= 22 && strings.Trim(w, "abcdefghijklmnopqrstuvwxyz") == ""
}

func fontWord(w string) bool {
	return len(w) <= 40 && strings.Trim(w, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-") == ""
}

func fontName(s string) bool {
	return s != "" && strings.TrimSpace(s) == s && fontWord(strings.ReplaceAll(s, " ", ""))
}

// fontNames reads the face attribute.
func fontNames(v string) (string, bool) {
	var names []string
	for f := range strings.SplitSeq(v, ",") {
		f = strings.Trim(f, " \t\n'\"")
		if !fontName(f) {
			return "", false
		}
		names = append(names, f)
	}
	return strings.Join(names, ","), len(names) <= 10
}
