package htmltext

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// nativelyHidden names why a browser's own style does not show an element, "" if it does.
func nativelyHidden(n *html.Node) Technique {
	switch n.DataAtom {
	case atom.Template:
		return Template
	case atom.Noscript:
		return NoScript
	case atom.Noframes, atom.Noembed, atom.Object, atom.Audio, atom.Video, atom.Canvas, atom.Iframe, atom.Embed,
		atom.Progress, atom.Meter, atom.Frame, atom.Frameset, atom.Applet:
		return Fallback
	case atom.Script, atom.Style:
		return RawText
	case atom.Svg:
		return SVG
	case atom.Textarea, atom.Input, atom.Option, atom.Optgroup, atom.Datalist, atom.Select:
		return FormValue
	case atom.Dialog, atom.Title, atom.Meta, atom.Link, atom.Base, atom.Area, atom.Param, atom.Rp, atom.Col,
		atom.Colgroup, atom.Source, atom.Track:
		return DisplayNone
	}
	if hasAttr(n, "hidden") {
		return HiddenAttribute
	}
	return DisplayNone
}

// neverShown tells whether the content of n is never text of the document, whatever a style sheet says.
func neverShown(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Template, atom.Noscript, atom.Noframes, atom.Noembed, atom.Object, atom.Audio, atom.Video, atom.Canvas,
		atom.Iframe, atom.Embed, atom.Progress, atom.Meter, atom.Applet, atom.Frameset, atom.Script, atom.Style, atom.Svg,
		atom.Textarea, atom.Select, atom.Datalist, atom.Title:
		return true
	}
	return n.Namespace == "svg"
}

// nativeHints adds what a browser's own style sheet and presentational attributes say about n.
func (j *judge) nativeHints(n *html.Node, w *winners) {
	w.nativeDisplay(n)
	if hasAttr(n, "hidden") || hasAttr(n, "popover") {
		w.hint(propDisplay, value{word: "none"})
	}
	switch n.DataAtom {
	case atom.Body, atom.Table, atom.Tr, atom.Td, atom.Th, atom.Tbody, atom.Thead, atom.Tfoot, atom.Font, atom.Marquee:
		j.attributeHints(n, w)
	case atom.P:
		w.hint(propMarginTop, value{kind: kindNumber, n: 1, u: unitEm})
	case atom.A:
		if hasAttr(n, "href") {
			w.hint(propColor, value{kind: kindColour, c: j.linkColour})
		}
	case atom.Mark:
		w.hint(propBackColor, value{kind: kindColour, c: colour{255, 255, 0, 1}})
		w.hint(propColor, value{kind: kindColour, c: black()})
	case atom.Button, atom.Input:
		w.hint(propColor, value{kind: kindColour, c: black()})
		w.hint(propBackColor, value{kind: kindColour, c: rgb24(0xefefef)})
		w.hint(propFontSize, value{kind: kindNumber, n: 40.0 / 3, u: unitPx})
		w.hint(propTextIndent, value{kind: kindNumber, u: unitPx})
		w.hint(propLetterSpacing, value{kind: kindNumber, u: unitPx})
		w.hint(propLineHeight, value{word: "normal"})
		w.hint(propBoxSizing, value{kind: kindRaw, word: "border-box"})
	case atom.Pre, atom.Xmp, atom.Listing, atom.Plaintext:
		w.hint(propWhiteSpace, value{kind: kindRaw, word: "pre"})
	}
	if f := nativeFontSize(n.DataAtom); f != 0 {
		w.hint(propFontSize, value{kind: kindNumber, n: f, u: unitEm})
	}
}

func nativeFontSize(a atom.Atom) float64 {
	switch a {
	case atom.H1:
		return 2
	case atom.H2:
		return 1.5
	case atom.H3:
		return 1.17
	case atom.H5, atom.Small, atom.Sub, atom.Sup:
		return 0.83
	case atom.H6:
		return 0.67
	case atom.Big:
		return 1.2
	case atom.Rt:
		return 0.5
	}
	return 0
}

// nativeDisplay is the display of HTML Standard §15.
func (w *winners) nativeDisplay(n *html.Node) {
	word := ""
	switch n.DataAtom {
	case atom.Html, atom.Body, atom.Div, atom.P, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Ul, atom.Ol, atom.Dl,
		atom.Dt, atom.Dd, atom.Blockquote, atom.Pre, atom.Hr, atom.Form, atom.Fieldset, atom.Legend, atom.Address, atom.Article,
		atom.Aside, atom.Section, atom.Nav, atom.Header, atom.Footer, atom.Main, atom.Figure, atom.Figcaption, atom.Center,
		atom.Details, atom.Summary, atom.Dir, atom.Menu, atom.Xmp, atom.Listing, atom.Plaintext, atom.Hgroup, atom.Search, atom.Optgroup:
		word = "block"
	case atom.Li:
		word = "list-item"
	case atom.Table:
		word = "table"
	case atom.Tbody, atom.Thead, atom.Tfoot:
		word = "table-row-group"
	case atom.Tr:
		word = "table-row"
	case atom.Td, atom.Th:
		word = "table-cell"
	case atom.Caption:
		word = "table-caption"
	case atom.Img, atom.Input, atom.Button, atom.Marquee, atom.Ruby:
		word = "inline-block"
	case atom.Dialog:
		if word = "none"; hasAttr(n, "open") {
			word = "block"
		}
	case atom.Meta, atom.Link, atom.Base, atom.Area, atom.Param, atom.Rp, atom.Col, atom.Colgroup, atom.Source, atom.Track,
		atom.Script, atom.Style, atom.Title, atom.Template, atom.Noframes, atom.Noembed, atom.Noscript:
		word = "none"
	}
	if word != "" {
		w.hint(propDisplay, value{word: word})
	}
}

// attributeHints maps presentational attributes (HTML Standard §15.3 and §15.4).
func (j *judge) attributeHints(n *html.Node, w *winners) {
	for i := range n.Attr {
		a := &n.Attr[i]
		if a.Namespace != "" {
			continue
		}
		switch {
		case a.Key == "bgcolor" && n.DataAtom != atom.Font:
			if c, ok := legacyColour(a.Val); ok {
				w.hint(propBackColor, value{kind: kindColour, c: c})
			}
		case a.Key == "background" && strings.TrimSpace(a.Val) != "" && n.DataAtom != atom.Font:
			w.hint(propBackImage, value{kind: kindRaw, word: "url()"})
		case a.Key == "text" && n.DataAtom == atom.Body, a.Key == "color" && n.DataAtom == atom.Font:
			if c, ok := legacyColour(a.Val); ok {
				w.hint(propColor, value{kind: kindColour, c: c})
			}
		case a.Key == "link" && n.DataAtom == atom.Body:
			if c, ok := legacyColour(a.Val); ok {
				j.linkColour = c
			}
		case a.Key == "size" && n.DataAtom == atom.Font:
			if px := fontSizeAttr(a.Val); px > 0 {
				w.hint(propFontSize, value{kind: kindNumber, n: px, u: unitPx})
			}
		case a.Key == "width" && n.DataAtom == atom.Table:
			if v, ok := parseNumber(strings.TrimSpace(a.Val)); ok && v.n > 0 {
				if v.u == unitNone {
					v.u = unitPx
				}
				w.hint(propWidth, v)
			}
		}
	}
	if n.DataAtom == atom.Table && j.quirks {
		// Quirk: without a doctype tables take neither letter size nor colour from what is around them.
		w.hint(propFontSize, value{kind: kindNumber, n: rootFontPx, u: unitPx})
		w.hint(propColor, value{kind: kindColour, c: j.bodyColour})
	}
}

// fontSizeAttr maps the sizes 1 to 7 of the font element, relative ones from 3.
func fontSizeAttr(val string) float64 {
	val = strings.TrimSpace(val)
	end := 0
	for end < len(val) && (val[end] >= '0' && val[end] <= '9' || end == 0 && (val[0] == '+' || val[0] == '-')) {
		end++
	}
	n, err := strconv.Atoi(val[:end])
	if err != nil {
		return 0
	}
	if val[0] == '+' || val[0] == '-' {
		n += 3
	}
	return [...]float64{10, 13, 16, 18, 24, 32, 48}[min(max(n, 1), 7)-1]
}
