package htmltext

import (
	"strings"

	"github.com/tdewolff/parse/v2/css"
)

// mediaResult says in which views a media query holds.
type mediaResult uint8

const (
	mediaNever   mediaResult = iota // on no screen
	mediaUnknown                    // nobody knows
	mediaOther                      // on other screens than the assumed one
	mediaHere                       // in the assumed view
)

// narrowestView is the smallest width that somebody may read mail on; a query for less is never true.
const narrowestView = 200 // Limit: CSS pixels, watches included

// evalMedia evaluates a media query list (Media Queries Level 4).
func evalMedia(toks []cssToken) mediaResult {
	if len(trimTokens(toks)) == 0 {
		return mediaHere
	}
	best := mediaNever
	for _, q := range splitTokens(toks, isComma) {
		best = max(best, evalQuery(trimTokens(q), 0))
	}
	return best
}

// evalQuery evaluates one query or one condition in brackets.
func evalQuery(toks []cssToken, depth int) mediaResult {
	if len(toks) == 0 || depth > 8 {
		return mediaUnknown
	}
	res, or := mediaHere, false
	negate := false
	for i := 0; i < len(toks); i++ {
		t := toks[i]
		var term mediaResult
		switch {
		case t.typ == css.WhitespaceToken:
			continue
		case t.typ == css.IdentToken:
			switch word := t.ident(); word {
			case "and", "only":
				continue
			case "or":
				or = true
				continue
			case "not":
				negate = true
				continue
			default:
				term = mediaType(word)
			}
		case t.typ == css.LeftParenthesisToken:
			end := blockEnd(toks, i)
			term = evalFeature(trimTokens(toks[i+1:min(end, len(toks))]), depth)
			i = end
		default:
			term = mediaUnknown
		}
		if or {
			res = max(res, term)
		} else {
			res = min(res, term)
		}
	}
	if negate {
		return negateMedia(res)
	}
	return res
}

func mediaType(word string) mediaResult {
	if word == "all" || word == "screen" {
		return mediaHere
	}
	return mediaNever // print, speech, tty, "yahoo" and whatever else is not a screen
}

func negateMedia(r mediaResult) mediaResult {
	switch r {
	case mediaHere:
		return mediaNever
	case mediaUnknown:
		return mediaUnknown
	}
	return mediaHere // true on other screens only, so its negation holds here
}

// evalFeature evaluates what stands between brackets.
func evalFeature(toks []cssToken, depth int) mediaResult {
	for _, t := range toks {
		if t.typ == css.LeftParenthesisToken || t.typ == css.IdentToken && t.ident() == "not" {
			return evalQuery(toks, depth+1)
		}
	}
	name, val, ok := strings.Cut(joinTokens(toks), ":")
	name, val = strings.TrimSpace(name), strings.TrimSpace(val)
	if !ok {
		return evalRange(name)
	}
	switch strings.TrimPrefix(name, "-webkit-") {
	case "min-width", "min-device-width":
		return atLeast(val)
	case "max-width", "max-device-width":
		return atMost(val)
	case "orientation":
		return hereIf(val == "landscape")
	case "prefers-color-scheme":
		return hereIf(val == "light")
	case "prefers-reduced-motion", "prefers-contrast", "prefers-reduced-transparency", "forced-colors", "inverted-colors":
		return hereIf(val == "no-preference" || val == "none")
	case "hover", "any-hover":
		return hereIf(val == "hover")
	case "pointer", "any-pointer":
		return hereIf(val == "fine")
	case "min-device-pixel-ratio", "min-resolution":
		return hereIf(strings.TrimRight(val, "dpix") == "0" || val == "1" || val == "1dppx" || val == "96dpi")
	case "min-height", "min-color", "max-height":
		return heightOrOther(name, val)
	case "scripting":
		return hereIf(val == "none")
	}
	return mediaUnknown
}

func hereIf(here bool) mediaResult {
	if here {
		return mediaHere
	}
	return mediaOther
}

func atLeast(val string) mediaResult {
	v, ok := parseNumber(val)
	if !ok {
		return mediaNever
	}
	if px := toViewPx(v); px > 20000 {
		return mediaNever
	} else {
		return hereIf(px <= viewWidth)
	}
}

func atMost(val string) mediaResult {
	v, ok := parseNumber(val)
	if !ok {
		return mediaNever
	}
	switch px := toViewPx(v); {
	case px < narrowestView:
		return mediaNever
	default:
		return hereIf(px >= viewWidth)
	}
}

func heightOrOther(name, val string) mediaResult {
	v, ok := parseNumber(val)
	switch px := toViewPx(v); {
	case !ok:
		return mediaNever
	case name == "max-height":
		return hereIf(px >= viewHeight)
	default:
		return hereIf(px <= viewHeight)
	}
}

// evalRange evaluates features without a colon: a bare name, or "width >= 600px", or "100px < width < 900px".
func evalRange(s string) mediaResult {
	switch s {
	case "color", "hover", "any-hover", "pointer", "any-pointer", "width", "height", "min-resolution", "prefers-color-scheme":
		return mediaHere
	}
	f := strings.FieldsFunc(strings.NewReplacer("<", " < ", ">", " > ").Replace(s), func(r rune) bool { return r == ' ' || r == '=' })
	at := -1
	for i, w := range f {
		if w == "width" {
			at = i
		}
	}
	if at < 0 {
		return mediaUnknown
	}
	res := mediaHere
	bound := func(op, val string, flipped bool) {
		if (op == ">") != flipped {
			res = min(res, atLeast(val))
		} else {
			res = min(res, atMost(val))
		}
	}
	if at >= 2 {
		bound(f[at-1], f[at-2], true)
	}
	if at+2 < len(f) {
		bound(f[at+1], f[at+2], false)
	}
	return res
}
