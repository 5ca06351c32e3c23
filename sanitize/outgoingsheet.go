package sanitize

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// maxInlinedBytes bounds what rules of style elements add to the HTML. Limit: some five times what large newsletters need.
const maxInlinedBytes = 256 << 10

// Style elements do not travel, so what their rules say about an element is written into its style attribute, by the same
// value grammar. Rules for some screens only are not: which one a reader has is not known.

// inlined adds the declarations that rules of style elements make for n to its attributes.
func (c *cleaner) inlined(n *html.Node, name string, attrs []outAttr) []outAttr {
	if c.plainness >= noRules || !attributeOf(name, "style") {
		return attrs
	}
	rules := c.verdicts.Rules(n)
	if name == "body" {
		rules = append(c.bodyColour(n), rules...)
	}
	if name == "a" && c.linkColour != "" && nodeAttr(n, "href") != "" {
		rules = append([]string{c.linkColour}, rules...)
	}
	if len(rules) == 0 {
		return attrs
	}
	var own []cleanDeclaration
	k := slices.IndexFunc(attrs, func(a outAttr) bool { return a.key == "style" })
	if k >= 0 {
		own = c.readStyle(nodeAttr(n, "style")).decls
	}
	text := joinDeclarations(c.cascade(rules, own))
	if text == "" {
		return attrs
	}
	if k < 0 {
		c.inlinedBytes += len(text)
		return append(attrs, outAttr{"style", text})
	}
	c.inlinedBytes += len(text) - len(attrs[k].value)
	attrs[k].value = text
	return attrs
}

// cascade puts the declarations of rules around those of the style attribute (CSS Cascading §6.1): what counts less first.
// Of those that rules make for one property the last stays.
func (c *cleaner) cascade(rules []string, own []cleanDeclaration) []cleanDeclaration {
	var weak, strong []cleanDeclaration
	for _, text := range rules {
		for _, d := range c.readStyle(text).decls {
			list := &weak
			if d.important {
				list = &strong
			}
			same := func(o cleanDeclaration) bool { return o.name == d.name }
			*list = append(slices.DeleteFunc(*list, same), d)
			if d.important {
				weak = slices.DeleteFunc(weak, same)
			}
		}
	}
	weak = slices.DeleteFunc(weak, func(d cleanDeclaration) bool {
		return slices.ContainsFunc(own, func(o cleanDeclaration) bool { return o.name == d.name })
	})
	if len(weak)+len(own)+len(strong) > maxStyleDeclarations {
		return own
	}
	for _, d := range own {
		if !d.important {
			weak = append(weak, d)
		}
	}
	weak = append(weak, strong...)
	for _, d := range own {
		if d.important {
			weak = append(weak, d)
		}
	}
	return weak
}

func joinDeclarations(list []cleanDeclaration) string {
	switch len(list) {
	case 0:
		return ""
	case 1:
		return list[0].text
	}
	var b strings.Builder
	for i, d := range list {
		if i > 0 {
			b.WriteByte(';')
		}
		b.WriteString(d.text)
	}
	return b.String()
}

// bodyColour gives the old attribute for the colour of all text as a declaration, and remembers that for links.
func (c *cleaner) bodyColour(n *html.Node) (rules []string) {
	for _, a := range n.Attr {
		v, ok := attributeColour(strings.ToLower(strings.TrimSpace(a.Val)))
		switch {
		case !ok || a.Namespace != "":
		case a.Key == "text":
			rules = []string{"color:" + v}
		case a.Key == "link":
			c.linkColour = "color:" + v
		}
	}
	return rules
}
