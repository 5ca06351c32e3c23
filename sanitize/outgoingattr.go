package sanitize

import (
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
)

// attributes gives the attributes of n that may stay on an element that is written as name, in the order of the input.
func (c *cleaner) attributes(n *html.Node, name string) (out []outAttr) {
	lost := false
	for _, a := range n.Attr {
		if a.Namespace != "" || !attributeOf(name, a.Key) {
			reason := ReasonNotAllowed
			if name == "body" && (a.Key == "text" || a.Key == "link") && c.plainness < noRules {
				reason = ReasonRenamed // written as styles
			}
			c.report.add(RemovedAttribute, attrName(a), reason, attrAt(n, attrName(a)), a.Val)
			lost = lost || a.Key == "background"
			continue
		}
		value, reason := c.attribute(n, a)
		switch {
		case reason != "" && value == "":
			c.report.add(RemovedAttribute, a.Key, reason, attrAt(n, a.Key), a.Val)
			continue
		case value != a.Val && a.Key != "style":
			c.report.add(RemovedAttribute, a.Key, ReasonRewritten, attrAt(n, a.Key), a.Val)
		}
		out = append(out, outAttr{a.Key, value})
	}
	return c.balance(n, c.inlined(n, name, out), lost)
}

// balance keeps text colour and background together: where a background was lost, colours chosen for it go too.
func (c *cleaner) balance(n *html.Node, attrs []outAttr, lost bool) []outAttr {
	hasBackground, hasColour := false, false
	for _, a := range attrs {
		hasBackground = hasBackground || a.key == "bgcolor" || a.key == "style" && strings.Contains(";"+a.value, ";background-color:")
		hasColour = hasColour || a.key == "color" || a.key == "style" && strings.Contains(";"+a.value, ";color:")
	}
	switch {
	case hasBackground:
		c.bare = false
	case lost || c.lostBackground(n):
		c.bare = true
	}
	if !c.bare || !hasColour || hasBackground {
		return attrs
	}
	return c.withoutColour(n, attrs)
}

func (c *cleaner) lostBackground(n *html.Node) bool {
	for _, a := range n.Attr {
		if a.Key == "style" && strings.Contains(strings.ToLower(a.Val), "background") {
			return true
		}
	}
	return false
}

func (c *cleaner) withoutColour(n *html.Node, attrs []outAttr) (out []outAttr) {
	for _, a := range attrs {
		if a.key == "color" {
			c.report.add(RemovedAttribute, "color", ReasonColours, attrAt(n, "color"), a.value)
			continue
		}
		if a.key == "style" {
			kept := slices.DeleteFunc(strings.Split(a.value, ";"), func(d string) bool {
				if strings.HasPrefix(d, "color:") {
					c.report.add(RemovedDeclaration, "color", ReasonColours, spot{n, "style", colourIn(nodeAttr(n, "style"))}, d)
					return true
				}
				return false
			})
			if a.value = strings.Join(kept, ";"); a.value == "" {
				c.report.add(RemovedAttribute, "style", ReasonColours, attrAt(n, "style"), "")
				continue
			}
		}
		out = append(out, a)
	}
	return out
}

// colourIn says where the text colour stands in a style attribute.
func colourIn(style string) int {
	lower := strings.ToLower(style)
	for k := 0; k < len(lower); {
		i := strings.Index(lower[k:], "color")
		if i < 0 {
			return 0
		}
		if k += i; k == 0 || lower[k-1] != '-' && !isAlnum(lower[k-1]) {
			return k
		}
		k += len("color")
	}
	return 0
}

// attributeOf: the closed list of attributes.
func attributeOf(element, key string) bool {
	switch key {
	case "dir", "lang":
		return element != "br" && element != "wbr"
	case "style":
		return element != "html" && element != "wbr"
	}
	switch element {
	case "a":
		return key == "href"
	case "img":
		return key == "src" || key == "alt" || key == "width" || key == "height" || key == "border" || key == "align"
	case "font":
		return key == "color" || key == "face" || key == "size"
	case "table":
		return slices.Contains([]string{"width", "height", "align", "bgcolor", "border", "cellpadding", "cellspacing", "role"}, key)
	case "td", "th":
		return slices.Contains([]string{"width", "height", "align", "valign", "bgcolor", "colspan", "rowspan", "nowrap"}, key)
	case "tr", "thead", "tbody", "tfoot":
		return key == "align" || key == "valign" || key == "bgcolor" || key == "height" && element == "tr"
	case "col", "colgroup":
		return key == "span" || key == "width" || key == "align" || key == "valign"
	case "ol":
		return key == "start" || key == "type"
	case "ul":
		return key == "type"
	case "li":
		return key == "value" || key == "type"
	case "hr":
		return key == "width" || key == "size" || key == "align" || key == "color"
	case "body":
		return key == "bgcolor"
	case "p", "div", "h1", "h2", "h3", "h4", "h5", "h6", "caption":
		return key == "align"
	}
	return false
}

// attribute gives the canonical value, or a reason why there is none.
func (c *cleaner) attribute(n *html.Node, a html.Attribute) (string, RemovalReason) {
	v := strings.ToLower(strings.Trim(a.Val, " \t\n\f\r"))
	ok := false
	switch a.Key {
	case "href":
		c.links++
		if v = outgoingTarget(a.Val); v == "" {
			return "", ReasonScheme
		}
		return v, ""
	case "style":
		if v = c.style(n, a.Val); v == "" {
			return "", ReasonValue
		}
		return v, ""
	case "src":
		return strings.TrimSpace(a.Val), "" // only of an image that is attached
	case "alt":
		return c.letters(strings.Join(strings.Fields(a.Val), " "), n), ""
	case "color", "bgcolor":
		if c.plainness >= noColours {
			return "", ReasonPlain
		}
		v, ok = attributeColour(v)
	case "face":
		v, ok = fontNames(a.Val)
	default:
		if a.Key == "type" && n.Data == "ol" {
			v = strings.TrimSpace(a.Val) // I is not i
		}
		v, ok = plainAttribute(n.Data, a.Key, v)
	}
	if !ok {
		return "", ReasonValue
	}
	return v, ""
}

// plainAttribute reads the attributes whose values are a word or a number.
func plainAttribute(element, key, v string) (string, bool) {
	switch key {
	case "dir":
		return v, v == "ltr" || v == "rtl" || v == "auto"
	case "lang":
		return v, v != "" && len(v) <= 35 && strings.Trim(v, "abcdefghijklmnopqrstuvwxyz0123456789-") == "" // RFC 5646 §4.4.1
	case "align":
		return v, slices.Contains([]string{"left", "right", "center", "justify", "top", "middle", "bottom"}, v)
	case "valign":
		return v, slices.Contains([]string{"top", "middle", "bottom", "baseline"}, v)
	case "role":
		return v, v == "presentation" || v == "none"
	case "nowrap":
		return "nowrap", true
	case "type":
		return v, element == "ol" && (v == "1" || v == "a" || v == "i" || v == "A" || v == "I") || element != "ol" && (v == "disc" || v == "circle" || v == "square")
	case "width", "height":
		return attributeLength(v)
	case "size":
		return attributeNumber(v, -6, 100)
	case "start", "value":
		return attributeNumber(v, 0, 100000)
	case "colspan", "rowspan", "span":
		return attributeNumber(v, 1, 100)
	case "border", "cellpadding", "cellspacing":
		return attributeNumber(strings.TrimSuffix(v, "px"), 0, 100)
	}
	return "", false
}

func attributeNumber(v string, from, to int) (string, bool) {
	n, err := strconv.Atoi(v)
	s := strconv.Itoa(n)
	if err == nil && v[0] == '+' {
		s = "+" + s
	}
	return s, err == nil && n >= from && n <= to
}

func attributeLength(v string) (string, bool) {
	number, percent := strings.CutSuffix(v, "%")
	if !percent {
		number = strings.TrimSuffix(v, "px")
	}
	f, err := strconv.ParseFloat(number, 64)
	if err != nil || f < 0 || f > 5000 || number[0] == '+' {
		return "", false
	}
	s := strconv.Itoa(int(f))
	if percent {
		s += "%"
	}
	return s, true
}

// attributeColour: HTML reads any word as some colour, so only the unmistakable spellings stay.
func attributeColour(v string) (string, bool) {
	if hex, ok := strings.CutPrefix(v, "#"); ok {
		return v, (len(hex) == 3 || len(hex) == 6) && strings.Trim(hex, "0123456789abcdef") == ""
	}
	return v, colourWord(v) && v != "transparent" && v != "inherit" && v != "currentcolor"
}

// image keeps the picture of an attached part; of any other its alternative text stays.
func (c *cleaner) image(n *html.Node) []*outNode {
	if c.verdicts.Of(n).Hidden {
		c.dropped(n, ReasonHidden)
		return nil
	}
	src := strings.TrimSpace(nodeAttr(n, "src"))
	id, ok := strings.CutPrefix(src, "cid:")
	if ok && c.attached[id] && plainContentID(id) {
		if !slices.Contains(c.shown, id) {
			c.shown = append(c.shown, id)
		}
		return []*outNode{{name: "img", attrs: c.attributes(n, "img")}}
	}
	alt := c.letters(strings.Join(strings.Fields(nodeAttr(n, "alt")), " "), n)
	c.report.add(RemovedElement, "img", ReasonRemote, at(n), src)
	for _, a := range n.Attr {
		reason := ReasonInside
		if a.Key == "alt" && alt != "" {
			reason = ReasonRenamed // written as text
		}
		c.report.add(RemovedAttribute, attrName(a), reason, attrAt(n, attrName(a)), a.Val)
	}
	if alt == "" {
		return nil
	}
	return []*outNode{{text: " " + alt + " "}}
}

// nodeAttr is the value of an attribute, "" if there is none.
func nodeAttr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key && a.Namespace == "" {
			return a.Val
		}
	}
	return ""
}

// plainContentID: no character that one reader may take for something else (RFC 2392 allows percent-encoding).
func plainContentID(id string) bool {
	return id != "" && len(id) <= 255 && strings.Trim(id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_+@=$") == ""
}
