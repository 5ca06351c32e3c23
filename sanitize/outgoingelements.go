package sanitize

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"

	"mailgap/sanitize/htmltext"
)

type elementAction int

const (
	unwrapElement elementAction = iota // the element goes, its content is looked at
	keepElement
	renameElement
	dropElement // the element goes with all that is in it
)

// outgoingElement decides about an element by its name.
func outgoingElement(n *html.Node) (string, elementAction) {
	if n.Namespace != "" {
		return "", dropElement // svg and math: languages of their own
	}
	switch n.Data {
	case "p", "br", "hr", "div", "span", "a", "b", "strong", "i", "em", "u", "s", "sub", "sup", "small", "big", "h1", "h2", "h3", "h4", "h5", "h6",
		"ul", "ol", "li", "dl", "dt", "dd", "blockquote", "pre", "code", "q", "table", "caption", "colgroup", "col", "thead", "tbody", "tfoot", "tr", "td",
		"th", "img", "center", "font", "wbr":
		return n.Data, keepElement
	case "section", "article", "header", "footer", "main", "nav", "aside", "figure", "figcaption", "address", "hgroup", "details", "summary",
		"fieldset", "legend", "form", "search", "dialog":
		return "div", renameElement
	case "menu", "dir":
		return "ul", renameElement
	case "listing":
		return "pre", renameElement
	case "tt", "samp", "kbd":
		return "code", renameElement
	case "del", "strike":
		return "s", renameElement
	case "ins":
		return "u", renameElement
	case "cite", "var", "dfn":
		return "i", renameElement
	case "script", "style", "title", "meta", "link", "base", "basefont", "bgsound", "iframe", "frame", "frameset", "noframes", "noembed", "noscript",
		"object", "param", "embed", "applet", "video", "audio", "source", "track", "template", "xmp", "plaintext", "textarea", "select", "option",
		"optgroup", "datalist", "input", "keygen", "command", "menuitem", "area", "canvas", "portal", "fencedframe", "meter", "progress",
		"xml", "svg", "math", "selectedcontent", "layer", "ilayer":
		return "", dropElement
	}
	if prefix, _, ok := strings.Cut(n.Data, ":"); ok && (prefix == "v" || prefix == "svg" || prefix == "math") {
		return "", dropElement
	}
	if strings.HasPrefix(n.Data, "amp-") || strings.Contains(n.Data, "script") {
		return "", dropElement
	}
	return "", unwrapElement
}

// maxPreviewChars bounds a preview line. Limit: mail programs show fewer.
const maxOutgoingPreviewChars = 200

// findPreheader takes the hidden texts before the first visible one as the preview line, if they are short.
func (c *cleaner) findPreheader(root *html.Node) {
	var b strings.Builder
	nodes := map[*html.Node]bool{}
	var first *html.Node
	for n := range root.Descendants() {
		if !seen(n) {
			continue
		}
		v := c.verdicts.Of(n)
		if !v.Hidden {
			break
		}
		if n.Type != html.TextNode || !previewable(v.Technique) || goes(n) {
			continue
		}
		nodes[n] = true
		if first == nil {
			first = n
		}
		b.WriteString(n.Data + " ")
		if b.Len() > 16*maxOutgoingPreviewChars {
			return
		}
	}
	all := b.String()
	line := strings.Join(strings.FieldsFunc(all, blankRune), " ")
	if line == "" || utf8.RuneCountInString(line) > maxOutgoingPreviewChars {
		return
	}
	c.preheader, c.preview = c.letters(line, first), nodes
	for _, r := range all {
		if blankRune(r) && !unicode.IsSpace(r) {
			c.report.add(RemovedCharacters, codePoint(r), ReasonPreheader, at(first), "")
		}
	}
}

// goes reports that n stands in something that is taken out as a whole.
func goes(n *html.Node) bool {
	for p := n.Parent; p != nil && p.Type == html.ElementNode; p = p.Parent {
		if _, action := outgoingElement(p); action == dropElement {
			return true
		}
	}
	return false
}

func previewable(t htmltext.Technique) bool {
	switch t {
	case htmltext.DisplayNone, htmltext.VisibilityHidden, htmltext.HiddenAttribute, htmltext.Opacity, htmltext.SmallFont, htmltext.ColourContrast,
		htmltext.Transparent, htmltext.ZeroBox, htmltext.MSOHide, htmltext.Overflow, htmltext.OffScreen:
		return true
	}
	return false
}

// blankRune: white space, and the characters without a shape that pad preview lines.
func blankRune(r rune) bool {
	switch r {
	case 0x00AD, 0x034F, 0x200B, 0x200C, 0x200D, 0x200E, 0x200F, 0x2060, 0xFEFF, 0x2800, 0x180E:
		return true
	}
	return unicode.IsSpace(r)
}
