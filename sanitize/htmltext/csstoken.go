package htmltext

import (
	"strconv"
	"strings"

	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/css"
)

// cssToken is one token of a style sheet or style attribute. text is as written, comments are left out before.
type cssToken struct {
	typ  css.TokenType
	text string
}

// lexCSS splits src into tokens without comments. At most max tokens are returned; cut tells that there were more.
func lexCSS(src string, max int) (toks []cssToken, cut bool) {
	l := css.NewLexer(parse.NewInputString(src))
	toks = make([]cssToken, 0, min(len(src)/3+4, max))
	for {
		typ, data := l.Next()
		switch {
		case typ == css.ErrorToken:
			return toks, false
		case len(toks) >= max:
			return toks, true
		case typ != css.CommentToken:
			toks = append(toks, cssToken{typ, string(data)})
		}
	}
}

// ident returns the name that t spells: escapes resolved, lower case (ASCII only). For a function the name without "(".
func (t cssToken) ident() string {
	s := strings.TrimSuffix(t.text, "(")
	return lowerASCII(unescapeCSS(s))
}

// is tells whether t is the single character c.
func (t cssToken) is(c byte) bool { return len(t.text) == 1 && t.text[0] == c }

// unescapeCSS resolves the escapes of CSS Syntax Level 3 §4.3.7.
func unescapeCSS(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			i++
			continue
		}
		j := i + 1
		for j < len(s) && j < i+7 && isHex(s[j]) {
			j++
		}
		if j == i+1 {
			b.WriteByte(s[j])
			i = j + 1
			continue
		}
		n, _ := strconv.ParseUint(s[i+1:j], 16, 32) // at most six hexadecimal digits: cannot fail
		if n == 0 || n > 0x10FFFF || n >= 0xD800 && n < 0xE000 {
			n = 0xFFFD
		}
		b.WriteRune(rune(n))
		if j < len(s) && isSpace(s[j]) {
			j++
		}
		i = j
	}
	return b.String()
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f'
}

func isSpace(c byte) bool {
	return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f'
}

// lowerASCII lowers A to Z and nothing else.
//
// Security: Unicode lowering would turn U+212A into "k" and thereby accept names that no browser accepts.
func lowerASCII(s string) string {
	for i := 0; i < len(s); i++ {
		if s[i] >= 'A' && s[i] <= 'Z' {
			b := []byte(s)
			for ; i < len(b); i++ {
				if b[i] >= 'A' && b[i] <= 'Z' {
					b[i] += 'a' - 'A'
				}
			}
			return string(b)
		}
	}
	return s
}

// trimTokens removes white space at both ends.
func trimTokens(t []cssToken) []cssToken {
	for len(t) > 0 && t[0].typ == css.WhitespaceToken {
		t = t[1:]
	}
	for len(t) > 0 && t[len(t)-1].typ == css.WhitespaceToken {
		t = t[:len(t)-1]
	}
	return t
}

// joinTokens writes tokens back as text, idents unescaped, everything but strings in lower case.
func joinTokens(toks []cssToken) string {
	if len(toks) == 1 && toks[0].typ == css.IdentToken {
		return toks[0].ident()
	}
	var b strings.Builder
	for _, t := range toks {
		switch t.typ {
		case css.IdentToken:
			b.WriteString(t.ident())
		case css.FunctionToken:
			b.WriteString(t.ident())
			b.WriteByte('(')
		case css.StringToken, css.URLToken, css.CustomPropertyNameToken:
			b.WriteString(t.text)
		case css.WhitespaceToken:
			b.WriteByte(' ')
		default:
			b.WriteString(lowerASCII(t.text))
		}
	}
	return b.String()
}

// splitTokens cuts toks at each level-zero token for which sep is true. Separators are dropped.
func splitTokens(toks []cssToken, sep func(cssToken) bool) [][]cssToken {
	var parts [][]cssToken
	level, from := 0, 0
	for i, t := range toks {
		switch {
		case opens(t):
			level++
		case closes(t) && level > 0:
			level--
		case level == 0 && sep(t):
			parts = append(parts, toks[from:i])
			from = i + 1
		}
	}
	return append(parts, toks[from:])
}

func isComma(t cssToken) bool { return t.typ == css.CommaToken }
func isWhite(t cssToken) bool { return t.typ == css.WhitespaceToken }

func opens(t cssToken) bool {
	return t.typ == css.FunctionToken || t.typ == css.LeftParenthesisToken ||
		t.typ == css.LeftBracketToken || t.typ == css.LeftBraceToken
}

func closes(t cssToken) bool {
	return t.typ == css.RightParenthesisToken || t.typ == css.RightBracketToken || t.typ == css.RightBraceToken
}

// blockEnd returns the index of the token that closes the bracket at toks[i], or len(toks).
func blockEnd(toks []cssToken, i int) int {
	var stack []css.TokenType
	for ; i < len(toks); i++ {
		t := toks[i]
		switch {
		case t.typ == css.FunctionToken || t.typ == css.LeftParenthesisToken:
			stack = append(stack, css.RightParenthesisToken)
		case t.typ == css.LeftBracketToken:
			stack = append(stack, css.RightBracketToken)
		case t.typ == css.LeftBraceToken:
			stack = append(stack, css.RightBraceToken)
		case len(stack) > 0 && t.typ == stack[len(stack)-1]:
			stack = stack[:len(stack)-1]
			if len(stack) == 0 {
				return i
			}
		}
	}
	return i
}
