package htmltext

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// pixelSize is the side of an image that is too small to show anything, CSS pixels.
const pixelSize = 2

// image lists an image and marks its place if a person would miss it.
func (c *converter) image(n *html.Node, v *view) {
	alt := attr(n, "alt")
	src := attr(n, "src")
	img := Image{Alt: foldSpace(alt, maxLinkText), Src: src[:min(len(src), maxHref)], Width: c.side(n, "width", propWidth), Height: c.side(n, "height", propHeight)}
	verdict := c.see(v, utf8.RuneCountInString(img.Alt))
	tiny := img.Width >= 0 && img.Width <= pixelSize || img.Height >= 0 && img.Height <= pixelSize
	unseen := v.main.hard != "" || v.main.clip != "" || v.main.invisible
	img.Pixel = tiny || unseen
	if len(c.d.Images) >= maxImages {
		c.note(NoteListsCut)
		return
	}
	c.d.Images = append(c.d.Images, img)
	switch {
	case unseen:
		c.withheld(alt, verdict, c.where)
	case tiny || verdict.Hidden && img.Alt != "":
		if !verdict.Hidden {
			verdict.Technique = ZeroBox
		}
		c.withheld(alt, verdict, c.where)
	case img.Alt != "" || c.link:
		c.object(ImageMark, len(c.d.Images)-1, "")
		c.space = true
	}
}

// side returns a stated side of an image in pixels, -1 if it is not stated.
func (c *converter) side(n *html.Node, name string, p prop) int {
	if css := attr(n, "style"); css != "" {
		for _, d := range c.inlineBlock(css).decls {
			if d.p == p && d.v.kind == kindNumber && d.v.u == unitPx || d.p == p && d.v.kind == kindNumber && d.v.n == 0 {
				return int(min(d.v.n, 1e6))
			}
		}
	}
	val := strings.TrimSuffix(strings.TrimSpace(attr(n, name)), "px")
	if i, err := strconv.ParseFloat(val, 64); err == nil && i >= 0 && i < 1e6 {
		return int(i)
	}
	return -1
}

// input describes a form control. What it would send is withheld.
func (c *converter) input(n *html.Node, v *view) {
	kind := lowerASCII(attr(n, "type"))
	val := attr(n, "value")
	desc := ""
	switch kind {
	case "hidden":
	case "submit", "button", "reset":
		desc, val = "button: "+foldSpace(val, 100), ""
	case "image":
		desc = "button: " + foldSpace(attr(n, "alt"), 100)
	case "checkbox", "radio":
		desc = kind
		if hasAttr(n, "checked") {
			desc += " (checked)"
		}
		val = ""
	default:
		name := attr(n, "placeholder")
		if name == "" {
			name = attr(n, "name")
		}
		desc = "field: " + foldSpace(name, 60)
	}
	if desc != "" && v.main.hard == "" && v.main.clip == "" && !v.main.invisible {
		c.object(Control, 0, strings.TrimSuffix(strings.TrimSpace(desc), ":"))
		c.space = true
	}
	c.withheld(val, Verdict{Technique: FormValue}, c.where)
}

// choice describes a select element by the option that is chosen. The others are withheld.
func (c *converter) choice(n *html.Node) {
	var options []*html.Node
	chosen := 0
	for o := range n.Descendants() {
		if o.DataAtom == atom.Option {
			if hasAttr(o, "selected") {
				chosen = len(options)
			}
			options = append(options, o)
		}
	}
	text := ""
	others := folder{max: maxAsideScan}
	for i, o := range options {
		for t := range o.Descendants() {
			switch {
			case t.Type != html.TextNode:
			case i == chosen:
				text = foldSpace(text+" "+t.Data, maxChoiceChars)
			default:
				others.add(t.Data)
			}
		}
	}
	c.object(Control, 0, strings.TrimSpace("choice: "+text))
	c.space = true
	if hasWord(others.String()) && c.comments < maxAsides {
		c.comments++
		c.aside(Hidden{Technique: FormValue}, others.String(), c.where)
	}
}

// maxChoiceChars is the longest text of an option that describes a control, characters.
const maxChoiceChars = 60
