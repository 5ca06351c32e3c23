package htmltext

import (
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// TestJudgeAgrees: the verdicts for the nodes of a parsed tree are those of Convert.
func TestJudgeAgrees(t *testing.T) {
	for _, c := range readCases(t, "hidden", 80) {
		t.Run(c.name, func(t *testing.T) {
			word := c.lines("hidden")[0]
			if shown, seen := judgeWord(t, c.input(), word); seen && shown {
				t.Errorf("Judge shows %q", word)
			}
			shown, seen := judgeWord(t, twin(t, c), word)
			if !seen || !shown {
				t.Errorf("Judge hides %q in the twin", word)
			}
			if shown, seen := judgeWord(t, c.input(), c.lines("visible")[0]); !seen || !shown {
				t.Errorf("Judge hides %q", c.lines("visible")[0])
			}
		})
	}
}

// judgeWord tells whether a text node (or the alternative text of an image) with word is in the tree, and whether one is
// shown.
func judgeWord(t *testing.T, src, word string) (shown, seen bool) {
	t.Helper()
	root, err := html.ParseWithOptions(strings.NewReader(src), html.ParseOptionEnableScripting(false))
	if err != nil {
		t.Fatal(err)
	}
	vs := Judge(root)
	for n := range root.Descendants() {
		if n.Type == html.TextNode && strings.Contains(n.Data, word) || n.Data == "img" && strings.Contains(attr(n, "alt"), word) {
			seen = true
			if n.Data == "img" && attr(n, "width") == "1" {
				continue // the size of images is judged by whoever shows them
			}
			shown = shown || !vs.Of(n).Hidden
		}
	}
	return shown, seen
}

// TestJudgeDeep: a tree that no parser made is judged without exhausting the stack.
func TestJudgeDeep(t *testing.T) {
	root := &html.Node{Type: html.DocumentNode}
	at := root
	for range maxJudgeDepth + 10 {
		n := &html.Node{Type: html.ElementNode, Data: "div"}
		at.AppendChild(n)
		at = n
	}
	text := &html.Node{Type: html.TextNode, Data: "deep"}
	at.AppendChild(text)
	if !Judge(root).Of(text).Hidden {
		t.Error("text below the depth limit counts as visible")
	}
}

// TestJudgeSubtree: selectors see the ancestors of the node that is judged from, styles below it count.
func TestJudgeSubtree(t *testing.T) {
	root, err := html.Parse(strings.NewReader(`<!doctype html><div class=o><section><style>.o p{display:none}</style><p>word</p></section></div>`))
	if err != nil {
		t.Fatal(err)
	}
	for n := range root.Descendants() {
		if n.Data != "section" {
			continue
		}
		vs := Judge(n)
		for p := range n.Descendants() {
			if p.Data == "word" && !vs.Of(p).Hidden {
				t.Error("a rule that looks at an ancestor outside is not applied")
			}
		}
	}
}
