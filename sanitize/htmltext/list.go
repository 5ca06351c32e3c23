package htmltext

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

func (c *converter) listElement(n *html.Node, v *view) {
	l := list{ordered: n.DataAtom == atom.Ol, next: 1, step: 1, style: attr(n, "type")}
	if hasAttr(n, "reversed") {
		l.step = -1
		l.next = countItems(n)
	}
	if i, err := strconv.Atoi(strings.TrimSpace(attr(n, "start"))); err == nil && l.ordered {
		l.next = i
	}
	c.lists = append(c.lists, l)
	c.children(n, v)
	c.lists = c.lists[:len(c.lists)-1]
}

func countItems(n *html.Node) int {
	items := 0
	for ch := range n.ChildNodes() {
		if ch.DataAtom == atom.Li {
			items++
		}
	}
	return items
}

func (c *converter) listItem(n *html.Node, v *view) {
	marker := "-"
	if k := len(c.lists) - 1; k >= 0 {
		l := &c.lists[k]
		if i, err := strconv.Atoi(strings.TrimSpace(attr(n, "value"))); err == nil && l.ordered {
			l.next = i
		}
		if l.ordered {
			marker = ordinal(l.next, l.style) + "."
		}
		l.next += l.step
	}
	if v.main.bare {
		marker = ""
	}
	c.start(ListItem, max(len(c.lists), 1), marker)
	c.children(n, v)
	c.end(ListItem)
}

// ordinal writes n as a list of the given type numbers it.
func ordinal(n int, style string) string {
	switch style {
	case "a", "A":
		if n >= 1 && n <= 26*26 {
			return letters(n, style[0])
		}
	case "i", "I":
		if n >= 1 && n < 4000 {
			r := roman(n)
			if style == "i" {
				return strings.ToLower(r)
			}
			return r
		}
	}
	return strconv.Itoa(n)
}

func letters(n int, first byte) string {
	s := ""
	for ; n > 0; n = (n - 1) / 26 {
		s = string(first+byte((n-1)%26)) + s
	}
	return s
}

func roman(n int) string {
	var b strings.Builder
	for _, d := range []struct {
		n int
		s string
	}{{1000, "M"}, {900, "CM"}, {500, "D"}, {400, "CD"}, {100, "C"}, {90, "XC"}, {50, "L"}, {40, "XL"}, {10, "X"}, {9, "IX"}, {5, "V"}, {4, "IV"}, {1, "I"}} {
		for ; n >= d.n; n -= d.n {
			b.WriteString(d.s)
		}
	}
	return b.String()
}
