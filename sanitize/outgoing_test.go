package sanitize

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"mailgap/sanitize/htmltext"
)

type htmlVector struct {
	ID    string   `json:"id"`
	HTML  string   `json:"html"`
	Class string   `json:"class"`
	Must  []string `json:"must_not_survive"`
}

func htmlVectors(t testing.TB) (list []htmlVector) {
	t.Helper()
	readJSON(t, sharedPath(t, "vectors/html.json"), &list)
	if len(list) < 100 {
		t.Fatalf("got %d vectors", len(list))
	}
	return list
}

// TestOutgoingVectors: nothing that a vector names survives in any reading of the result, and at most two in a hundred
// are refused.
func TestOutgoingVectors(t *testing.T) {
	vectors, refused := htmlVectors(t), 0
	for _, v := range vectors {
		out, err := OutgoingHTML(v.HTML, OutgoingOptions{ContentIDs: []string{"ok", "a", "x"}})
		if err != nil {
			refused++
			t.Logf("%s refused: %v", v.ID, err)
			continue
		}
		for _, bad := range survivors(t, out.HTML, v.Must) {
			t.Errorf("%s: %s survives in %s", v.ID, bad, out.HTML)
		}
		if again, err := OutgoingHTML(out.HTML, OutgoingOptions{ContentIDs: []string{"ok", "a", "x"}}); err != nil || again.HTML != out.HTML || len(again.Removals) > 0 {
			t.Errorf("%s: cleaned again: %v\n%s\n%s\n%+v", v.ID, err, out.HTML, again.HTML, again.Removals)
		}
		checkExplained(t, v.HTML, out)
	}
	t.Logf("%d vectors, %d refused", len(vectors), refused)
	if refused*100 > 2*len(vectors) {
		t.Errorf("got %d refusals of %d, want at most 2 in 100", refused, len(vectors))
	}
}

// readings parses text in four ways, and what was written of each again.
func readings(t testing.TB, text string) (roots []*html.Node) {
	t.Helper()
	for _, scripting := range []bool{false, true} {
		source := text
		for range 2 {
			doc, err := html.ParseWithOptions(strings.NewReader(source), html.ParseOptionEnableScripting(scripting))
			if err != nil {
				t.Fatal(err)
			}
			frag := &html.Node{Type: html.DocumentNode}
			nodes, err := html.ParseFragmentWithOptions(strings.NewReader(source), &html.Node{Type: html.ElementNode, Data: "body", DataAtom: atom.Body},
				html.ParseOptionEnableScripting(scripting))
			if err != nil {
				t.Fatal(err)
			}
			for _, n := range nodes {
				frag.AppendChild(n)
			}
			roots = append(roots, doc, frag)
			var b strings.Builder
			if err := html.Render(&b, doc); err != nil {
				t.Fatal(err)
			}
			source = b.String()
		}
	}
	return roots
}

// survivors are the tokens of the vectors' legend that hold for text.
func survivors(t testing.TB, text string, tokens []string) (bad []string) {
	for _, root := range readings(t, text) {
		for _, token := range tokens {
			kind, value, _ := strings.Cut(token, ":")
			if !slices.Contains(bad, token) && tokenHolds(root, text, kind, value) {
				bad = append(bad, token)
			}
		}
	}
	return bad
}

func tokenHolds(root *html.Node, text, kind, value string) bool {
	if kind == "raw" {
		return strings.Contains(text, value)
	}
	for n := range root.Descendants() {
		if n.Type == html.CommentNode && kind == "host" && strings.Contains(n.Data, value) {
			return true
		}
		if n.Type != html.ElementNode {
			continue
		}
		if kind == "el" && n.Data == value || kind == "meta" && n.Data == "meta" || (kind == "css" || kind == "host") && n.Data == "style" {
			return true
		}
		for _, a := range n.Attr {
			v := strings.ToLower(strings.Map(func(r rune) rune {
				if r <= ' ' || r == '\\' {
					return -1
				}
				return r
			}, a.Val))
			switch {
			case kind == "attr" && attrName(a) == value,
				kind == "scheme" && (strings.HasPrefix(v, value+":") || a.Key == "style" && strings.Contains(v, value+":")),
				kind == "host" && strings.Contains(v, value) && (n.Data != "a" || a.Key != "href"),
				kind == "css" && a.Key == "style" && strings.Contains(v, value):
				return true
			}
		}
	}
	return false
}

type ordinaryMail struct{ name, html, visible string }

// ordinaryMails are the templates of the common kits.
func ordinaryMails(t testing.TB) (list []ordinaryMail) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(repoRoot(t), "testdata", "html", "ordinary", "*.txtar"))
	if err != nil || len(files) < 40 {
		t.Fatalf("got %d files, %v", len(files), err)
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(data), "-- input.html --\n")
		source, rest, _ := strings.Cut(rest, "\n-- ")
		visible := ""
		if _, after, ok := strings.Cut("\n-- "+rest, "\n-- visible --\n"); ok {
			visible, _, _ = strings.Cut(after, "\n-- ")
		}
		list = append(list, ordinaryMail{strings.TrimSuffix(filepath.Base(f), ".txtar"), source, visible})
	}
	return list
}

// visibleWords are the words that a person sees of src, with the alternative texts of images.
func visibleWords(t testing.TB, src string) (words []string) {
	t.Helper()
	doc, err := htmltext.Convert(src, htmltext.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range doc.Segments {
		switch s.Kind {
		case htmltext.Text:
			words = append(words, strings.Fields(s.Text)...)
		case htmltext.ImageMark:
			words = append(words, strings.Fields(doc.Images[s.N].Alt)...)
		}
	}
	return words
}

// TestOutgoingOrdinaryMail: none is refused, and the reader sees the words he saw before, in their order.
func TestOutgoingOrdinaryMail(t *testing.T) {
	for _, m := range ordinaryMails(t) {
		t.Run(m.name, func(t *testing.T) {
			out, err := OutgoingHTML(m.html, OutgoingOptions{})
			if err != nil {
				t.Fatal(err)
			}
			got, want := strings.Join(visibleWords(t, out.HTML), ""), strings.Join(visibleWords(t, m.html), "")
			if got != want {
				t.Errorf("shows\n%s\nwant\n%s\n%s", got, want, out.HTML)
			}
			for line := range strings.Lines(m.visible) {
				for w := range strings.FieldsSeq(line) {
					if !strings.Contains(out.Text, w) {
						t.Errorf("the text part lacks %q", w)
					}
				}
			}
			again, err := OutgoingHTML(out.HTML, OutgoingOptions{})
			if err != nil || again.HTML != out.HTML || len(again.Removals) > 0 {
				t.Errorf("cleaned again: %v, %+v\n%s\n%s", err, again.Removals, out.HTML, again.HTML)
			}
			checkExplained(t, m.html, out)
		})
	}
}

func TestOutgoingRefusals(t *testing.T) {
	for _, c := range []struct {
		name, html string
		want       error
	}{
		{"too large", strings.Repeat("x", MaxOutgoingBytes+1), ErrOutgoingSize},
		{"not UTF-8", "<p>\xff", ErrOutgoingEncoding},
		{"deeper than the parser goes", strings.Repeat("<div>", 600), ErrOutgoingParse},
		{"an attribute twice", `<a href="https://a.example/" HREF="https://b.example/">x</a>`, ErrOutgoingTwice},
		{"deeper than the limit", strings.Repeat("<div>", 150) + "x", ErrOutgoingDepth},
		{"too many links", strings.Repeat(`<a href="https://a.example/">x</a> `, 501), ErrOutgoingLinks},
		{"too many kinds of removals", manyRemovals(), ErrOutgoingRemovals},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, err := OutgoingHTML(c.html, OutgoingOptions{})
			if !errors.Is(err, c.want) || out.HTML != "" {
				t.Errorf("got %v and %d octets, want %v", err, len(out.HTML), c.want)
			}
		})
	}
}

func manyRemovals() string {
	var b strings.Builder
	for k := range 2500 {
		b.WriteString("<p data-" + strings.Repeat("a", k%50+1) + "=" + strings.Repeat("b", k/50+1) + ">x</p>")
	}
	return b.String()
}

// FuzzOutgoingHTML: whatever comes in, the result is refused or passes the verifier, cleans to itself with nothing to
// report, and shows no text that was hidden.
func FuzzOutgoingHTML(f *testing.F) {
	for _, m := range ordinaryMails(f) {
		f.Add(m.html)
	}
	for _, s := range []string{"<p>a<table><tr>b<td>c</table>d", "<a href=https://a.example><table><td><a href=//b>x", "<svg><style><!--</style><img src=x>", "<pre>\n\na</pre>",
		"<style>p{color:red!important}.a{margin:1px}</style><p class=a style=color:blue>x", "<image src=x><svg><image href=y>", `<p style="color:#fff;background:url(x)">x</p>`, "<div style=display:none>x</div><p>y", "<b><p>x</b>y", "<table><td><h1><table><td></h1>x"} {
		f.Add(s)
	}
	o := OutgoingOptions{ContentIDs: []string{"a"}}
	f.Fuzz(func(t *testing.T, src string) {
		out, err := OutgoingHTML(src, o)
		if err != nil {
			return
		}
		if err := verifyOutgoing(out.HTML, o.ContentIDs); err != nil {
			t.Fatal(err)
		}
		again, err := OutgoingHTML(out.HTML, o)
		if err != nil || again.HTML != out.HTML || again.Text != out.Text || len(again.Removals) > 0 {
			t.Fatalf("cleaned again: %v\n%q\n%q\n%+v", err, out.HTML, again.HTML, again.Removals)
		}
		checkExplained(t, src, out)
	})
}
