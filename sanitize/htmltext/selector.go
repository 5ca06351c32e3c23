package htmltext

import (
	"strings"

	"github.com/andybalholm/cascadia"
	"github.com/tdewolff/parse/v2/css"
	"golang.org/x/net/html"
)

// Limits on selectors.
const (
	maxCompounds   = 32   // Limit: compounds of one selector
	maxSelectorLen = 4096 // octets of one selector list
	maxSpecificity = 511  // Limit: per kind; higher counts as this
)

// combinator joins a compound to the one on its left.
type combinator byte

const (
	combDescendant combinator = ' '
	combChild      combinator = '>'
	combNext       combinator = '+'
	combLater      combinator = '~'
)

// compound is a sequence of simple selectors about one element.
type compound struct {
	tag     string // "" for any
	id      string
	classes []string
	rest    cascadia.Sel // attribute selectors and pseudo-classes, nil if none
	cost    costKind
	comb    combinator // to the compound before
}

// costKind says how the work of one match grows.
type costKind uint8

const (
	costOne      costKind = iota
	costSiblings          // grows with the number of siblings
	costTree              // grows with the document
)

// selector is one complex selector, compounds from left to right.
type selector struct {
	parts []compound
	spec  uint64
}

type rule struct {
	sel         selector
	block       *block
	need        bloom // what ancestors must have
	conditional bool  // counts in other views only
}

// selectorText writes a prelude as text that cascadia can read: pseudo-classes that it lacks are put in terms of those
// it has, namespaces are dropped.
func selectorText(toks []cssToken) string {
	var b strings.Builder
	var closers []string // what to write for each open bracket
	toks = trimTokens(toks)
	for i := 0; i < len(toks) && b.Len() < maxSelectorLen; i++ {
		t := toks[i]
		switch {
		case t.is('*') && i+1 < len(toks) && toks[i+1].is('|'):
			i++
		case t.is('|') && i+1 < len(toks) && toks[i+1].typ == css.IdentToken:
		case t.typ == css.ColonToken && i+1 < len(toks) && toks[i+1].typ == css.IdentToken:
			b.WriteString(":" + pseudoClass(toks[i+1].ident()))
			i++
		case t.typ == css.FunctionToken:
			open, end := pseudoFunction(t.ident())
			b.WriteString(open)
			closers = append(closers, end)
		case opens(t):
			b.WriteString(t.text)
			closers = append(closers, "")
		case closes(t) && len(closers) > 0:
			if end := closers[len(closers)-1]; end != "" {
				b.WriteString(end)
			} else {
				b.WriteString(t.text)
			}
			closers = closers[:len(closers)-1]
		case t.typ == css.WhitespaceToken:
			b.WriteByte(' ')
		default:
			b.WriteString(t.text)
		}
	}
	return b.String()
}

// pseudoClass maps pseudo-classes without argument to ones that cascadia knows.
func pseudoClass(name string) string {
	switch name {
	case "any-link", "-webkit-any-link":
		return "link"
	case "focus-within", "focus-visible", "fullscreen", "modal", "popover-open", "autofill", "-webkit-autofill", "playing",
		"user-invalid", "user-valid", "target-within", "picture-in-picture", "placeholder-shown", "indeterminate", "invalid", "out-of-range":
		return "hover" // cascadia: never true
	case "defined", "read-only", "optional", "valid", "scope", "in-range":
		return "not(:hover)" // always true for ordinary elements
	case "contains", "haschild", "containsown", "matches", "matchesown", "input":
		return "-not-css" // cascadia's own extensions; no browser has them
	}
	return name
}

// pseudoFunction gives what to write for the beginning and the end of a functional pseudo-class.
func pseudoFunction(name string) (open, end string) {
	switch name {
	case "is", "where", "-webkit-any":
		return "not(:not(", "))"
	case "contains", "haschild", "containsown", "matches", "matchesown":
		return "-not-css(", ""
	}
	return name + "(", ""
}

// nestSelector writes a nested rule's selector with the enclosing one (CSS Nesting Level 1).
func nestSelector(parent, sel string) string {
	if strings.Contains(parent, ",") {
		parent = ":not(:not(" + parent + "))"
	}
	parts := splitArgs(sel)
	for i, p := range parts {
		if strings.Contains(p, "&") {
			parts[i] = strings.ReplaceAll(p, "&", parent)
		} else {
			parts[i] = parent + " " + strings.TrimSpace(p)
		}
	}
	return strings.Join(parts, ",")
}

// compileSelectors reads a selector list. One invalid selector voids the list, as in browsers. conditional is set if a
// part is valid CSS that cannot be evaluated here, so that the rule may match too much.
func compileSelectors(text string, quirks bool) (list []selector, conditional bool) {
	if len(text) >= maxSelectorLen {
		return nil, false
	}
	toks, _ := lexCSS(text, maxSelectorLen)
	for _, part := range splitTokens(toks, isComma) {
		s, cond, res := compileSelector(trimTokens(part), quirks)
		switch res {
		case selInvalid:
			return nil, false
		case selOK:
			list = append(list, s)
			conditional = conditional || cond
		}
	}
	return list, conditional
}

type selResult uint8

const (
	selOK      selResult = iota
	selInvalid           // browsers drop the rule
	selNoText            // a pseudo-element: valid, but not about the text of the document
)

func compileSelector(toks []cssToken, quirks bool) (s selector, conditional bool, res selResult) {
	if len(toks) == 0 {
		return s, false, selInvalid
	}
	comb := combDescendant
	for i := 0; i < len(toks); {
		j := compoundEnd(toks, i)
		if j > i {
			c, spec, cond, r := compileCompound(toks[i:j], quirks)
			if r != selOK || len(s.parts) >= maxCompounds {
				return s, false, max(r, selInvalid)
			}
			c.comb = comb
			s.parts = append(s.parts, c)
			s.spec, conditional = s.spec+spec, conditional || cond
		} else if len(s.parts) == 0 {
			return s, false, selInvalid
		}
		comb, i, res = readCombinator(toks, j)
		if res != selOK {
			return s, false, res
		}
	}
	return s, conditional, selOK
}

// readCombinator reads what stands between two compounds.
func readCombinator(toks []cssToken, i int) (combinator, int, selResult) {
	comb := combDescendant
	explicit := false
	for ; i < len(toks); i++ {
		switch {
		case isWhite(toks[i]):
		case !explicit && (toks[i].is('>') || toks[i].is('+') || toks[i].is('~')):
			comb, explicit = combinator(toks[i].text[0]), true
		case toks[i].is('>') || toks[i].is('+') || toks[i].is('~') || toks[i].typ == css.ColumnToken:
			return comb, i, selInvalid
		default:
			return comb, i, selOK
		}
	}
	if explicit {
		return comb, i, selInvalid
	}
	return comb, i, selOK
}

func compoundEnd(toks []cssToken, i int) int {
	for ; i < len(toks); i++ {
		t := toks[i]
		if isWhite(t) || t.is('>') || t.is('+') || t.is('~') || t.typ == css.ColumnToken {
			return i
		}
		if opens(t) {
			i = blockEnd(toks, i)
		}
	}
	return min(i, len(toks))
}

// compileCompound splits a compound into what is matched here (element name, id, classes) and what cascadia matches.
func compileCompound(toks []cssToken, quirks bool) (c compound, spec uint64, conditional bool, res selResult) {
	var rest strings.Builder
	for i := 0; i < len(toks); i++ {
		t := toks[i]
		switch {
		case t.typ == css.HashToken:
			c.id = foldIf(unescapeCSS(t.text[1:]), quirks)
			spec += 1 << 18
		case t.is('.') && i+1 < len(toks) && toks[i+1].typ == css.IdentToken:
			c.classes = append(c.classes, foldIf(unescapeCSS(toks[i+1].text), quirks))
			spec += 1 << 9
			i++
		case t.is('*') && i == 0:
		case t.typ == css.IdentToken && i == 0:
			c.tag = t.ident()
			spec++
		case t.typ == css.LeftBracketToken:
			end := blockEnd(toks, i)
			rest.WriteString(joinRaw(toks[i:min(end+1, len(toks))]))
			i = end
		case t.typ == css.ColonToken:
			end := pseudoEnd(toks, i)
			rest.WriteString(joinRaw(toks[i:end]))
			i = end - 1
		default:
			return c, 0, false, selInvalid
		}
	}
	if rest.Len() > 0 {
		return compileRest(c, rest.String(), spec)
	}
	return c, spec, false, selOK
}

func foldIf(s string, quirks bool) string {
	if quirks {
		return lowerASCII(s)
	}
	return s
}

// pseudoEnd returns the end of the pseudo-class or pseudo-element that begins at i.
func pseudoEnd(toks []cssToken, i int) int {
	for i < len(toks) && toks[i].typ == css.ColonToken {
		i++
	}
	if i < len(toks) && toks[i].typ == css.FunctionToken {
		return min(blockEnd(toks, i)+1, len(toks))
	}
	return min(i+1, len(toks))
}

// compileRest gives attribute selectors and pseudo-classes to cascadia.
func compileRest(c compound, text string, spec uint64) (compound, uint64, bool, selResult) {
	switch {
	case strings.Contains(text, ":has("):
		c.cost = costTree
	case strings.Contains(text, "-child") || strings.Contains(text, "-of-type") || strings.Contains(text, ":empty"):
		c.cost = costSiblings
	case strings.ContainsAny(text, "( ") && strings.Contains(text, ":"):
		c.cost = costSiblings // an argument may hold combinators
	}
	text, firstLine := cutFirstLine(text)
	if text == "" {
		return c, spec + 1, true, selOK
	}
	sel, err := cascadia.ParseWithPseudoElement("*" + text)
	switch {
	case err == nil && sel.PseudoElement() != "":
		return c, 0, false, selNoText
	case err == nil:
		s := sel.Specificity()
		c.rest = sel
		spec += uint64(min(s[0], maxSpecificity))<<18 + uint64(min(s[1], maxSpecificity))<<9 + uint64(min(s[2], maxSpecificity))
		return c, spec, firstLine, selOK
	case strings.Contains(text, "-not-css"):
		return c, 0, false, selInvalid
	case isOtherPseudoElement(text):
		return c, 0, false, selNoText
	case strings.Contains(text, " of ") || strings.Contains(text, ":dir(") || strings.Contains(text, ":has(") || strings.Contains(text, ":lang("):
		return c, spec + 1<<9, true, selOK // valid CSS: matches at most what is left of the compound
	}
	return c, 0, false, selInvalid
}

// cutFirstLine takes ::first-line off: its declarations may cover the whole text of a short element, or not.
func cutFirstLine(text string) (string, bool) {
	for _, suffix := range []string{"::first-line", ":first-line"} {
		if t, ok := strings.CutSuffix(text, suffix); ok {
			return t, true
		}
	}
	return text, false
}

// isOtherPseudoElement knows pseudo-elements that browsers accept and cascadia does not.
func isOtherPseudoElement(text string) bool {
	for _, p := range []string{"::-webkit-", "::part(", "::slotted(", "::highlight(", "::view-transition", "::file-selector-button", "::target-text", "::details-content"} {
		if strings.Contains(text, p) {
			return true
		}
	}
	return false
}

func joinRaw(toks []cssToken) string {
	var b strings.Builder
	for _, t := range toks {
		b.WriteString(t.text)
	}
	return b.String()
}

// hasClass tells whether the class attribute of n holds name. fold compares without case, as quirks mode does.
func hasClass(n *html.Node, name string, fold bool) bool {
	val := attr(n, "class")
	for len(val) >= len(name) {
		i := 0
		for i < len(val) && !isSpace(val[i]) {
			i++
		}
		if i == len(name) && (val[:i] == name || fold && lowerASCII(val[:i]) == name) {
			return true
		}
		if i == len(val) {
			return false
		}
		val = val[i+1:]
	}
	return false
}

func attr(n *html.Node, key string) string {
	for i := range n.Attr {
		if n.Attr[i].Key == key && n.Attr[i].Namespace == "" {
			return n.Attr[i].Val
		}
	}
	return ""
}

func hasAttr(n *html.Node, key string) bool {
	for i := range n.Attr {
		if n.Attr[i].Key == key && n.Attr[i].Namespace == "" {
			return true
		}
	}
	return false
}
