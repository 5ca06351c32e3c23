package htmltext

import (
	"strings"
	"unicode"

	"golang.org/x/net/html"
)

// Limits on text that is never part of the page.
const (
	minProseLetters = 40      // fewer letters than this are not worth a report
	maxAsideScan    = 1 << 16 // octets of one comment that are looked at
	maxAsides       = 64      // comments and attributes that are reported
)

// comment reports a comment that holds prose. Conditional comments are shown by old Outlook versions only.
func (c *converter) comment(data string) {
	if len(data) < minProseLetters || c.comments >= maxAsides {
		return
	}
	t, elsewhere := Comment, false
	if s := strings.TrimSpace(data); strings.HasPrefix(lowerASCII(s[:min(4, len(s))]), "[if ") {
		t, elsewhere = MSOConditional, true
	}
	text := stripTags(data[:min(len(data), maxAsideScan)])
	if !isProse(text) {
		return
	}
	c.comments++
	c.aside(Hidden{Technique: t, Elsewhere: elsewhere}, text, c.where)
}

// attributes reports data attributes that hold prose.
func (c *converter) attributes(n *html.Node) {
	for i := range n.Attr {
		a := &n.Attr[i]
		if len(a.Val) >= minProseLetters && strings.HasPrefix(a.Key, "data-") && c.comments < maxAsides && isProse(a.Val[:min(len(a.Val), maxAsideScan)]) {
			c.comments++
			c.aside(Hidden{Technique: Attribute}, a.Val, c.where)
		}
	}
}

// sheetAsides reports prose in comments of style sheets and in generated content.
func (c *converter) sheetAsides(s *sheet) {
	for _, t := range s.comments {
		c.aside(Hidden{Technique: RawText}, t, func() string { return "style" })
	}
	for _, t := range s.generated {
		if isProse(t) {
			c.aside(Hidden{Technique: Generated, Elsewhere: true}, t, func() string { return "style" })
		}
	}
}

// noteComments keeps comments of a style sheet that hold prose.
func (s *sheet) noteComments(src string) {
	for len(s.comments) < 16 {
		_, rest, ok := strings.Cut(src, "/*")
		if !ok {
			return
		}
		text, after, _ := strings.Cut(rest, "*/")
		if isProse(text[:min(len(text), maxAsideScan)]) {
			s.comments = append(s.comments, text[:min(len(text), maxAsideScan)])
		}
		src = after
	}
}

// isProse tells whether s holds more than minProseLetters letters in words, and is not code.
func isProse(s string) bool {
	count, code, words := 0, 0, 0
	space := true
	for _, r := range s {
		switch {
		case unicode.IsLetter(r):
			count++
			if space {
				words++
			}
		case strings.ContainsRune("{};=<>", r):
			code++
		}
		space = r == ' ' || r == '\n'
	}
	return count > minProseLetters && (words >= 6 || count > 200) && code*20 < count
}

// stripTags removes tags, and the content of style, script and xml islands, from the text of a comment. It is a counting
// aid: what it returns is reported as hidden, never shown.
func stripTags(s string) string {
	var b strings.Builder
	for s != "" {
		text, rest, ok := strings.Cut(s, "<")
		b.WriteString(text)
		if !ok {
			break
		}
		b.WriteByte(' ')
		tag, after, _ := strings.Cut(rest, ">")
		s = after
		for _, island := range [...]string{"style", "script", "xml"} {
			if len(tag) >= len(island) && strings.EqualFold(tag[:len(island)], island) {
				_, s, _ = strings.Cut(after, "</"+island)
				_, s, _ = strings.Cut(s, ">")
			}
		}
	}
	return html.UnescapeString(b.String())
}
