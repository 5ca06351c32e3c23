package htmltext

import (
	"slices"
	"strings"

	"github.com/tdewolff/parse/v2/css"
)

// Limits on style sheets of one document.
const (
	maxSheetBytes  = 2 << 20 // Limit: 128 times what Gmail keeps of one style element (16 kB)
	maxCSSTokens   = 1 << 20
	maxRules       = 20000 // Limit: selectors kept; the largest template kits have about 1500
	maxAtDepth     = 16    // Limit: nested at-rules
	maxKeyframeSet = 256
)

// sheet collects the rules of all style elements of a document.
type sheet struct {
	quirks    bool
	rules     []rule
	layers    bool // a cascade layer was seen
	order     uint32
	cut       bool              // a limit was met
	imports   bool              // @import was seen
	resized   bool              // a font is declared with another size than its own
	dark      bool              // a meta element declares dark colours only
	keyframes map[string]*block // name to the declarations of its last frame
	generated []string          // values of content properties of ::before and ::after
	comments  []string          // comments that hold prose
	keeps     bool              // rules are kept as text too
	written   []rule
	texts     []authored // of written
}

// scope is what the at-rules around a rule say about it.
type scope struct {
	conditional bool   // applies in other views than the assumed one only, or it cannot be known
	layered     bool   // inside @layer: weaker than rules outside
	parent      string // selector text of the enclosing rule, for nested rules
	depth       int
}

// parse reads one style element.
func (s *sheet) parse(src string, media string) {
	if len(src) > maxSheetBytes {
		src, s.cut = src[:maxSheetBytes], true
	}
	toks, cut := lexCSS(src, maxCSSTokens)
	s.cut = s.cut || cut
	sc := scope{}
	if media != "" {
		mt, _ := lexCSS(media, 1000)
		switch evalMedia(mt) {
		case mediaNever:
			return
		case mediaOther, mediaUnknown:
			sc.conditional = true
		}
	}
	s.ruleList(toks, sc)
}

// ruleList reads the content of a style sheet or of a conditional at-rule.
func (s *sheet) ruleList(toks []cssToken, sc scope) {
	for i := 0; i < len(toks); {
		switch toks[i].typ {
		case css.WhitespaceToken, css.CDOToken, css.CDCToken:
			i++
		case css.AtKeywordToken:
			i = s.atRule(toks, i, sc)
		default:
			i = s.qualifiedRule(toks, i, sc)
		}
	}
}

// prelude returns the index of the "{" or (if semi) the ";" that ends a prelude, at level zero.
func prelude(toks []cssToken, i int, semi bool) int {
	for ; i < len(toks); i++ {
		switch t := toks[i]; {
		case t.typ == css.LeftBraceToken, semi && t.typ == css.SemicolonToken:
			return i
		case opens(t):
			i = blockEnd(toks, i)
		}
	}
	return len(toks)
}

func (s *sheet) qualifiedRule(toks []cssToken, i int, sc scope) int {
	open := prelude(toks, i, false)
	if open >= len(toks) {
		return len(toks)
	}
	end := blockEnd(toks, open)
	s.addRule(toks[i:open], toks[open+1:min(end, len(toks))], sc)
	return end + 1
}

func (s *sheet) atRule(toks []cssToken, i int, sc scope) int {
	name := strings.TrimPrefix(toks[i].ident(), "@")
	open := prelude(toks, i+1, true)
	if open >= len(toks) || toks[open].typ == css.SemicolonToken {
		s.imports = s.imports || name == "import"
		s.layers = s.layers || name == "layer"
		return open + 1
	}
	end := blockEnd(toks, open)
	if sc.depth >= maxAtDepth {
		s.cut = true
		return end + 1
	}
	sc.depth++
	s.atBlock(name, toks[i+1:open], toks[open+1:min(end, len(toks))], sc)
	return end + 1
}

// atBlock handles an at-rule with a block.
func (s *sheet) atBlock(name string, pre, body []cssToken, sc scope) {
	switch name {
	case "media":
		switch evalMedia(pre) {
		case mediaNever:
			return
		case mediaOther, mediaUnknown:
			sc.conditional = true
		}
	case "supports":
		sc.conditional = sc.conditional || !supported(pre)
	case "layer":
		sc.layered, s.layers = true, true
	case "container", "scope", "starting-style", "document", "-moz-document":
		sc.conditional = true
	case "font-face":
		s.resized = s.resized || strings.Contains(joinTokens(body), "size-adjust")
		return
	case "keyframes", "-webkit-keyframes":
		s.addKeyframes(joinTokens(trimTokens(pre)), body)
		return
	default:
		return
	}
	if sc.parent != "" {
		s.nestedBody(body, sc)
		return
	}
	s.ruleList(body, sc)
}

// supported tells whether every client that reads style sheets at all surely supports what pre asks for.
func supported(pre []cssToken) bool {
	toks := trimTokens(pre)
	if len(toks) < 3 || toks[0].typ != css.LeftParenthesisToken || blockEnd(toks, 0) != len(toks)-1 {
		return false
	}
	name, val, _ := strings.Cut(joinTokens(toks[1:len(toks)-1]), ":")
	var b block
	parseProperty(&b, strings.TrimSpace(name), strings.TrimSpace(val), false, false)
	return len(b.decls) > 0 || strings.HasPrefix(name, "--")
}

// addRule parses the declarations of a rule and files them under each of its selectors.
func (s *sheet) addRule(pre, body []cssToken, sc scope) {
	sel := selectorText(pre)
	if sc.parent != "" {
		sel = nestSelector(sc.parent, sel)
	}
	s.file(sel, body, sc)
}

// nestedBody is the body of a conditional at-rule inside a rule.
func (s *sheet) nestedBody(body []cssToken, sc scope) { s.file(sc.parent, body, sc) }

func (s *sheet) file(sel string, body []cssToken, sc scope) {
	s.order++
	var b block
	s.bodyOf(&b, body, sel, sc)
	s.noteGenerated(sel, body)
	if b.empty() && !s.keeps {
		return
	}
	if len(s.rules) >= maxRules {
		s.cut = true
		return
	}
	stamp(&b, s.order, sc.layered)
	list, conditional := compileSelectors(sel, s.quirks)
	if s.keeps && !conditional && !sc.conditional && !sc.layered && sc.parent == "" {
		s.keep(list, body)
	}
	if b.empty() {
		return
	}
	for _, c := range list {
		if len(s.rules) < maxRules {
			s.rules = append(s.rules, rule{sel: c, block: &b, need: c.ancestorsOf(), conditional: sc.conditional || conditional || sc.parent != ""})
		}
	}
}

// bodyOf reads declarations into b and files nested rules.
func (s *sheet) bodyOf(b *block, body []cssToken, sel string, sc scope) {
	nested := sc
	nested.parent, nested.depth = sel, sc.depth+1
	for i := 0; i < len(body); {
		t := body[i]
		switch {
		case t.typ == css.WhitespaceToken || t.typ == css.SemicolonToken:
			i++
		case t.typ == css.AtKeywordToken:
			i = s.atRule(body, i, nested)
		default:
			i = s.declarationOrRule(b, body, i, nested)
		}
	}
}

func (s *sheet) declarationOrRule(b *block, body []cssToken, i int, nested scope) int {
	end := prelude(body, i, true)
	custom := body[i].typ == css.CustomPropertyNameToken
	if !custom && end < len(body) && body[end].typ == css.LeftBraceToken {
		stop := blockEnd(body, end)
		if nested.depth < maxAtDepth && len(nested.parent) < 2000 {
			s.addRule(body[i:end], body[end+1:min(stop, len(body))], nested)
		} else {
			s.cut = true
		}
		return stop + 1
	}
	for custom && end < len(body) && body[end].typ == css.LeftBraceToken {
		end = prelude(body, blockEnd(body, end)+1, true)
	}
	parseDeclaration(b, body[i:min(end, len(body))], s.quirks)
	return end + 1
}

// parseDeclaration reads one "name: value !important".
func parseDeclaration(b *block, toks []cssToken, quirks bool) {
	toks = trimTokens(toks)
	if len(toks) < 2 || toks[0].typ != css.IdentToken && toks[0].typ != css.CustomPropertyNameToken {
		return
	}
	colon := 1
	if toks[1].typ == css.WhitespaceToken && len(toks) > 2 {
		colon = 2
	}
	if toks[colon].typ != css.ColonToken {
		return
	}
	val, imp := cutImportant(trimTokens(toks[colon+1:]))
	if toks[0].typ == css.CustomPropertyNameToken {
		b.vars = append(b.vars, customProp{name: unescapeCSS(toks[0].text), value: joinTokens(val), imp: imp})
		return
	}
	if text := joinTokens(val); text != "" {
		parseProperty(b, toks[0].ident(), text, imp, quirks)
	}
}

func cutImportant(val []cssToken) ([]cssToken, bool) {
	n := len(val)
	if n < 2 || val[n-1].typ != css.IdentToken || val[n-1].ident() != "important" {
		return val, false
	}
	n--
	for n > 0 && val[n-1].typ == css.WhitespaceToken {
		n--
	}
	if n == 0 || !val[n-1].is('!') {
		return val, false
	}
	return trimTokens(val[:n-1]), true
}

// parseInline reads a style attribute.
func parseInline(src string, quirks bool) *block {
	if len(src) > maxSheetBytes {
		src = src[:maxSheetBytes]
	}
	toks, _ := lexCSS(src, maxCSSTokens)
	b := &block{}
	for i := 0; i < len(toks); {
		end := i
		for end < len(toks) && toks[end].typ != css.SemicolonToken {
			if opens(toks[end]) {
				end = blockEnd(toks, end)
			}
			end++
		}
		parseDeclaration(b, toks[i:min(end, len(toks))], quirks)
		i = end + 1
	}
	for i := range b.decls {
		b.decls[i].order = cascadeOrder(b.decls[i].imp, orderInline, 0)
	}
	for i := range b.vars {
		b.vars[i].order = cascadeOrder(b.vars[i].imp, orderInline, 0)
	}
	return b
}

// addKeyframes keeps the declarations of the last frame: they are what stays when the animation is over.
func (s *sheet) addKeyframes(name string, body []cssToken) {
	var b block
	for i := 0; i < len(body); {
		open := prelude(body, i, false)
		if open >= len(body) {
			break
		}
		end := blockEnd(body, open)
		steps := strings.FieldsFunc(joinTokens(body[i:open]), func(r rune) bool { return r == ' ' || r == ',' })
		if slices.Contains(steps, "to") || slices.Contains(steps, "100%") {
			for _, d := range splitTokens(body[open+1:min(end, len(body))], func(t cssToken) bool { return t.typ == css.SemicolonToken }) {
				parseDeclaration(&b, d, s.quirks)
			}
		}
		i = end + 1
	}
	if s.keyframes == nil {
		s.keyframes = map[string]*block{}
	}
	if len(s.keyframes) < maxKeyframeSet {
		s.keyframes[name] = &b
	}
}

// noteGenerated remembers text that ::before and ::after would add.
func (s *sheet) noteGenerated(sel string, body []cssToken) {
	if len(s.generated) < 32 && (strings.Contains(sel, ":before") || strings.Contains(sel, ":after")) {
		for _, t := range body {
			if t.typ == css.StringToken && len(t.text) > 2 {
				s.generated = append(s.generated, unescapeCSS(t.text[1:len(t.text)-1]))
			}
		}
	}
}
