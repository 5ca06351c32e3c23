package confirm

import (
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// TestQuestionAsMarkdown draws questions as clients do that take the message for Markdown: every word of a value stands inside a
// quotation, none of ours does, and no line of ours is a link.
func TestQuestionAsMarkdown(t *testing.T) {
	const canary = "canary"
	for _, v := range []string{
		canary, "# " + canary, canary + "\n===", canary + "\n\n" + canary, "```\n" + canary, "<script>\n" + canary, "<!-- " + canary, "* " + canary + "\n\n  " + canary,
		"    " + canary, "[U+...]: https://" + canary + ".example", "[x]: https://" + canary + ".example\n[x]", "</blockquote>" + canary, "\\\n" + canary,
		canary + "\n" + strings.Repeat("x ", 90) + canary, "| a | b |\n|---|---|\n| " + canary, "1. x\n2. " + canary, "> " + canary, "\t" + canary, "***\n" + canary,
	} {
		source := []byte(render(t, put(v)))
		drawn := drawMarkdown(t, source)
		if strings.Contains(drawn.outside, canary) || drawn.links > 0 {
			t.Errorf("%q: a value is drawn outside of quotations, or as %d links: %s", v, drawn.links, drawn.outside)
		}
		if strings.Contains(drawn.inside, "written by the AI") || strings.Contains(drawn.inside, "End of the message") {
			t.Errorf("%q: a line of ours is drawn inside a quotation: %s", v, drawn.inside)
		}
		if !strings.Contains(drawn.inside, canary) || !strings.Contains(drawn.outside, "Subject, written by the AI assistant") {
			t.Errorf("%q: got %+v, want both kinds of text", v, drawn)
		}
	}
}

// drawing is the text of a document by where it stands, and the links outside of quotations.
type drawing struct {
	inside, outside string
	links           int
}

func drawMarkdown(t *testing.T, source []byte) (d drawing) {
	t.Helper()
	depth := 0
	err := ast.Walk(goldmark.DefaultParser().Parse(text.NewReader(source)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if n.Kind() == ast.KindBlockquote {
			depth++
			if !entering {
				depth -= 2
			}
		}
		if !entering {
			return ast.WalkContinue, nil
		}
		if depth == 0 && (n.Kind() == ast.KindLink || n.Kind() == ast.KindImage) {
			d.links++
		}
		words := ""
		if leaf, ok := n.(*ast.Text); ok {
			words = string(leaf.Segment.Value(source))
		} else if n.Type() == ast.TypeBlock && n.FirstChild() == nil {
			words = string(n.Lines().Value(source))
		}
		if depth > 0 {
			d.inside += words + "\n"
		} else {
			d.outside += words + "\n"
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return d
}
