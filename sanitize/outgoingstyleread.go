package sanitize

import (
	"slices"
	"strings"

	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/css"
	"golang.org/x/net/html"
)

type styleToken struct {
	kind css.TokenType
	text string
	at   int // octets into the attribute
}

// maxStyleMemo bounds the style attributes that are remembered during one call. Limit: a mail repeats some dozens.
const maxStyleMemo = 2000

// cleanStyle is a style attribute in canonical spelling, and what was left out of it.
type cleanStyle struct {
	text  string
	decls []cleanDeclaration
	gone  []goneDeclaration
}

type cleanDeclaration struct {
	name, text string
	important  bool
}

type goneDeclaration struct {
	name   string
	reason RemovalReason
	value  string // the whole declaration as it stood
	at     int    // octets into the attribute
}

// style gives the canonical declarations of a style attribute; the others are reported.
func (c *cleaner) style(n *html.Node, src string) string {
	if c.plainness >= noStyles {
		return ""
	}
	s := c.readStyle(src)
	for _, g := range s.gone {
		c.report.add(RemovedDeclaration, g.name, g.reason, spot{n, "style", g.at}, g.value)
	}
	return s.text
}

// readStyle reads a style attribute or the declarations of a rule; equal ones are read once.
func (c *cleaner) readStyle(src string) *cleanStyle {
	s, ok := c.styles[src]
	if !ok {
		s = readStyle(src, c.plainness >= noColours)
		if len(c.styles) < maxStyleMemo {
			c.styles[src] = s
		}
	}
	return s
}

// styleReader reads one style attribute.
type styleReader struct {
	src        string
	colourless bool
	out        []cleanDeclaration
	gone       []goneDeclaration
}

func readStyle(src string, colourless bool) *cleanStyle {
	r := styleReader{src: src, colourless: colourless}
	lexer := css.NewLexer(parse.NewInputString(src))
	var few [16]styleToken
	decl := few[:0]
	at, depth := 0, 0
	for {
		kind, data := lexer.Next()
		end := kind == css.ErrorToken
		switch {
		case end || kind == css.SemicolonToken && depth == 0:
			r.declaration(decl)
			if end {
				return &cleanStyle{joinDeclarations(r.out), r.out, r.gone}
			}
			decl = decl[:0]
		default:
			decl = append(decl, styleToken{kind, src[at : at+len(data)], at})
		}
		switch kind {
		case css.FunctionToken, css.LeftParenthesisToken, css.LeftBracketToken, css.LeftBraceToken:
			depth++
		case css.RightParenthesisToken, css.RightBracketToken, css.RightBraceToken:
			depth--
		}
		at += len(data)
	}
}

// lose notes a declaration, or a part of it, that is left out.
func (r *styleReader) lose(name string, reason RemovalReason, whole []styleToken) {
	first, last := whole[0], whole[len(whole)-1]
	r.gone = append(r.gone, goneDeclaration{name, reason, r.src[first.at : last.at+len(last.text)], first.at})
}

// declaration writes one declaration in canonical spelling, or notes that it is left out.
func (r *styleReader) declaration(toks []styleToken) {
	whole := trimSpaces(toks)
	if len(whole) == 0 {
		return
	}
	written, toks := splitDeclaration(whole)
	name := written
	important := false
	if k := len(toks); k >= 2 && strings.EqualFold(toks[k-1].text, "important") && toks[k-2].text == "!" {
		toks, important = trimSpaces(toks[:k-2]), true
		r.lose(name+" !important", ReasonRewritten, whole)
	}
	if name == "background" {
		colour, all := colourOf(toks)
		if name = "background-color"; !all && !spellsColour(colour) {
			name, colour = written, nil
		} else if !all {
			r.lose(written, ReasonRemote, whole)
		}
		toks = colour
	}
	rule, known := propertyRules(name)
	reason := ReasonValue
	switch {
	case !known || len(r.out) >= maxStyleDeclarations:
		reason = ReasonNotAllowed
	case r.colourless && strings.HasSuffix(name, "color"):
		reason = ReasonPlain
	default:
		if v := rule.value(toks); v != "" {
			r.out = append(r.out, cleanDeclaration{name, name + ":" + v, important})
			return
		}
	}
	r.lose(written, reason, whole)
}

// splitDeclaration gives the name of a property and the tokens of its value; nothing of the latter if this is no declaration.
func splitDeclaration(toks []styleToken) (string, []styleToken) {
	name := strings.ToLower(toks[0].text)
	i := slices.IndexFunc(toks, func(t styleToken) bool { return t.kind == css.ColonToken })
	if toks[0].kind != css.IdentToken || i <= 0 || len(trimSpaces(toks[1:i])) > 0 {
		return name, nil
	}
	return name, trimSpaces(toks[i+1:])
}
