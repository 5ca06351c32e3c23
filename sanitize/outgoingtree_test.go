package sanitize

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"golang.org/x/net/html"
)

// TestOutgoingSecondParser: parse5 builds of everything that was cleaned the trees that the parser used here builds: as document
// and as fragment, with scripting off and on.
func TestOutgoingSecondParser(t *testing.T) {
	modules := os.Getenv("MAILGAP_NODE_MODULES")
	if _, err := os.Stat(filepath.Join(modules, "parse5")); modules == "" || err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("parse5 is not installed in CI")
		}
		t.Skip("parse5 is not installed: install .ci/markdown-panel/package.json and name its node_modules in MAILGAP_NODE_MODULES")
	}
	var texts []string
	for _, src := range mutationInputs(t) {
		if out, err := OutgoingHTML(src, OutgoingOptions{ContentIDs: []string{"ok", "a"}}); err == nil {
			texts = append(texts, out.HTML)
		}
	}
	for _, m := range ordinaryMails(t) {
		out, err := OutgoingHTML(m.html, OutgoingOptions{})
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, out.HTML)
	}
	input, err := json.Marshal(texts)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "node", filepath.Join(repoRoot(t), ".ci", "markdown-panel", "trees.mjs"))
	cmd.Env, cmd.Stdin = append(os.Environ(), "MODULES="+modules), bytes.NewReader(input)
	answer, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var trees [][]json.RawMessage
	if err := json.Unmarshal(answer, &trees); err != nil || len(trees) != len(texts) {
		t.Fatalf("got %d trees for %d documents, %v", len(trees), len(texts), err)
	}
	for i, text := range texts {
		roots := readings(t, text)
		// readings holds document and fragment, and both again after writing, without and with scripting.
		for k, root := range []*html.Node{roots[0], roots[1], roots[4], roots[5]} {
			want, err := json.Marshal(treeOf(root)[2])
			if err != nil {
				t.Fatal(err)
			}
			var got bytes.Buffer
			if err := json.Compact(&got, trees[i][k]); err != nil {
				t.Fatal(err)
			}
			if !sameJSON(t, got.Bytes(), want) {
				t.Errorf("reading %d of\n%s\nparse5 %s\nours   %s", k, text, got.Bytes(), want)
			}
		}
	}
	t.Logf("%d documents, four readings each", len(texts))
}

// treeOf is a node as trees.mjs writes it.
func treeOf(n *html.Node) []any {
	attrs, kids := [][2]string{}, []any{}
	for _, a := range n.Attr {
		attrs = append(attrs, [2]string{attrName(a), a.Val})
	}
	for k := n.FirstChild; k != nil; k = k.NextSibling {
		switch {
		case k.Type == html.TextNode:
			kids = append(kids, k.Data)
		case k.Type == html.DoctypeNode:
			kids = append(kids, []any{"!doctype", []any{}, []any{}})
		case k.Type == html.ElementNode && k.Namespace == "":
			kids = append(kids, treeOf(k))
		default:
			kids = append(kids, nil)
		}
	}
	return []any{n.Data, attrs, kids}
}

// sameJSON compares values: the two sides escape different characters.
func sameJSON(t *testing.T, a, b []byte) bool {
	t.Helper()
	var texts [2][]byte
	for i, data := range [][]byte{a, b} {
		var v any
		if err := json.Unmarshal(data, &v); err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		texts[i] = text
	}
	return bytes.Equal(texts[0], texts[1])
}
