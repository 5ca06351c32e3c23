package sanitize

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// maxTagAttributes bounds the attributes of one tag. Limit: more is no HTML that anybody writes.
const maxTagAttributes = 200

// sourceToken is where a token of the source stands.
type sourceToken struct {
	kind       html.TokenType
	start, end int
}

// sourceTokens splits src. repeats reports a tag with two attributes of one name: the parser keeps the first, some readers
// the last. The tokenizer hides the second, so the names are read from the tag as it stands.
func sourceTokens(src string) (toks []sourceToken, repeats bool) {
	toks = make([]sourceToken, 0, len(src)/32)
	z := html.NewTokenizer(strings.NewReader(src))
	foreign, at := 0, 0
	for {
		kind := z.Next()
		start := at
		at += len(z.Raw())
		switch kind {
		case html.ErrorToken:
			return toks, false
		case html.StartTagToken, html.SelfClosingTagToken:
			if repeatsInTag(src[start:at]) {
				return nil, true
			}
			foreign = foreignDepth(z, kind, foreign)
		case html.EndTagToken:
			foreign = foreignDepth(z, kind, foreign)
			continue
		}
		if foreign > 0 && (kind == html.StartTagToken || kind == html.SelfClosingTagToken) {
			kind = foreignTag
		}
		toks = append(toks, sourceToken{kind, start, at})
	}
}

// foreignTag is a tag inside of svg or math.
const foreignTag = html.DoctypeToken + 1

// foreignDepth counts the open elements of other languages, in which nothing is raw text, and tells the tokenizer.
func foreignDepth(z *html.Tokenizer, kind html.TokenType, foreign int) int {
	name, _ := z.TagName()
	other := string(name) == "svg" || string(name) == "math"
	switch {
	case kind == html.EndTagToken:
		if other && foreign > 0 {
			foreign--
		}
	case other && kind == html.StartTagToken:
		foreign++
	case foreign > 0 && breaksOut(string(name)):
		foreign = 0
	}
	if kind != html.EndTagToken && (foreign > 0 || string(name) == "noscript") {
		z.NextIsNotRawText()
	}
	z.AllowCDATA(foreign > 0)
	return foreign
}

// breaksOut reports the commonest elements that end an open svg or math (HTML Standard §13.2.6.5).
func breaksOut(name string) bool {
	switch name {
	case "b", "blockquote", "body", "br", "center", "div", "em", "h1", "h2", "h3", "hr", "i", "img", "li", "ol", "p", "pre", "span", "strong", "table", "u", "ul":
		return true
	}
	return false
}

func repeatsInTag(tag string) bool {
	var few [12]string
	names := few[:0]
	rest := tagAttributes(tag)
	for {
		var name string
		if name, _, rest = nextInTag(rest); name == "" {
			return false
		}
		name = strings.ToLower(name)
		if len(names) >= maxTagAttributes || slices.Contains(names, name) {
			return true
		}
		names = append(names, name)
	}
}

// findInTag says at which octet of tag the attribute and its value begin; value is negative if there is none.
func findInTag(tag, attr string) (name, value int, ok bool) {
	for rest := tagAttributes(tag); ; {
		found, v, after := nextInTag(rest)
		switch {
		case found == "":
			return 0, 0, false
		case strings.EqualFold(found, attr):
			value = -1
			if v != "" {
				value = len(tag) - len(v)
				if v[0] == '"' || v[0] == '\'' {
					value++
				}
			}
			return len(tag) - len(strings.TrimLeft(rest, tagBlanks+"/")), value, true
		}
		rest = after
	}
}

const tagBlanks = " \t\n\f\r"

// tagAttributes is what follows the name of a tag.
func tagAttributes(tag string) string {
	k := strings.IndexAny(tag, tagBlanks+"/>")
	if k < 0 {
		return ""
	}
	return tag[k:]
}

// nextInTag reads one attribute as HTML Standard §13.2.5.32 to §13.2.5.40: its name, what begins with its value ("" if it
// has none), and what follows. At the end of the tag the name is empty.
func nextInTag(rest string) (name, value, after string) {
	rest = strings.TrimLeft(rest, tagBlanks+"/")
	if rest == "" || rest[0] == '>' {
		return "", "", ""
	}
	end := len(rest)
	if i := strings.IndexAny(rest[1:], tagBlanks+"/=>"); i >= 0 { // a name may begin with =
		end = i + 1
	}
	name, rest = rest[:end], strings.TrimLeft(rest[end:], tagBlanks)
	value, ok := strings.CutPrefix(rest, "=")
	if !ok {
		return name, "", rest
	}
	value = strings.TrimLeft(value, tagBlanks)
	end = strings.IndexAny(value, tagBlanks+">")
	if value != "" && (value[0] == '"' || value[0] == '\'') {
		end = strings.IndexByte(value[1:], value[0])
		if end >= 0 {
			end += 2
		}
	}
	if end < 0 {
		return name, value, ""
	}
	return name, value, value[end:]
}
