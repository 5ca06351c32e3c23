package sanitize

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer/html"
	xhtml "golang.org/x/net/html"
)

// rendered is what one renderer made of one text: what a browser would fetch, what a reader could click.
type rendered struct {
	ID       string   `json:"id"`
	Renderer string   `json:"renderer"`
	Fetch    []string `json:"fetch"`
	Link     []string `json:"link"`
}

type panelText struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

func goldmarkPanel(t testing.TB, texts []panelText) []rendered {
	t.Helper()
	md := goldmark.New(goldmark.WithExtensions(extension.GFM, extension.Footnote, extension.DefinitionList, extension.Linkify),
		goldmark.WithRendererOptions(html.WithUnsafe()))
	var all []rendered
	for _, x := range texts {
		var b bytes.Buffer
		if err := md.Convert([]byte(x.Text), &b); err != nil {
			t.Fatal(err)
		}
		r := rendered{ID: x.ID, Renderer: "goldmark"}
		inspectHTML(t, b.String(), &r)
		if len(r.Fetch)+len(r.Link) > 0 {
			all = append(all, r)
		}
	}
	return all
}

func inspectHTML(t testing.TB, src string, r *rendered) {
	t.Helper()
	root, err := xhtml.Parse(strings.NewReader(src))
	if err != nil {
		t.Fatal(err)
	}
	for n := range root.Descendants() {
		if n.Type != xhtml.ElementNode {
			continue
		}
		switch n.Data {
		case "script", "style", "iframe", "frame", "object", "embed", "link", "meta", "base", "svg", "math", "form", "video", "audio", "picture", "img":
			r.Fetch = append(r.Fetch, n.Data)
		}
		for _, a := range n.Attr {
			switch {
			case a.Key == "href" && n.Data == "a":
				r.Link = append(r.Link, a.Val)
			case a.Key == "src", a.Key == "srcset", a.Key == "poster", a.Key == "background", a.Key == "data", strings.HasPrefix(a.Key, "on"),
				a.Key == "style" && strings.Contains(a.Val, "("):
				r.Fetch = append(r.Fetch, n.Data+" "+a.Key+"="+a.Val)
			}
		}
	}
}

// nodePanel runs the renderers of .ci/markdown-panel. Without MAILGAP_NODE_MODULES the test is skipped, in CI it fails.
func nodePanel(t testing.TB, texts []panelText) []rendered {
	t.Helper()
	if os.Getenv("MAILGAP_NODE_MODULES") == "" {
		if os.Getenv("CI") == "true" {
			t.Fatal("MAILGAP_NODE_MODULES is not set")
		}
		t.Skip("MAILGAP_NODE_MODULES is not set: install .ci/markdown-panel/package.json somewhere and name its node_modules directory")
	}
	in, err := json.Marshal(texts)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "node", filepath.Join(repoRoot(t), ".ci", "markdown-panel", "panel.mjs"))
	cmd.Stdin = bytes.NewReader(in)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("node: %v\n%s", err, stderr.String())
	}
	var all []rendered
	if err := json.Unmarshal(out, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

func markdownPanel(t testing.TB) map[string]func(testing.TB, []panelText) []rendered {
	t.Helper()
	return map[string]func(testing.TB, []panelText) []rendered{"goldmark": goldmarkPanel, "node": nodePanel}
}

// TestPanelSeesVectors is the twin of TestPanel: what it looks for is there before the text is made safe.
func TestPanelSeesVectors(t *testing.T) {
	var texts []panelText
	for _, v := range mdVectors(t) {
		texts = append(texts, panelText{v.ID, v.Text})
	}
	for name, panel := range markdownPanel(t) {
		t.Run(name, func(t *testing.T) {
			fetch, link := 0, 0
			for _, r := range panel(t, texts) {
				fetch += len(r.Fetch)
				link += len(r.Link)
			}
			if fetch < 60 || link < 30 {
				t.Errorf("got %d fetches and %d links before cleaning, want at least 60 and 30", fetch, link)
			}
		})
	}
}

// waysOut are the shapes in which text of strangers reaches a model.
func waysOut(t testing.TB, id, text string) []panelText {
	t.Helper()
	f, err := NewFence(strings.NewReader(strings.Repeat("0123456789abcdef", 4)))
	if err != nil {
		t.Fatal(err)
	}
	body := ForModel(text, Options{RevealSecrets: true})
	out := []panelText{
		{id + " text", body.Text.String()},
		{id + " strict", ForModel(text, Options{Strict: true}).Text.String()},
		{id + " line", Line(text, 4000).String()},
		{id + " fenced", f.Wrap(body.Text).String()},
		{id + " page", Slice(body.Text, 1, 400).String()},
		{id + " second page", Slice(body.Text, 2, 400).String()},
		{id + " html", HTML("<p>"+xhtml.EscapeString(text)+"</p><pre>"+xhtml.EscapeString(text)+"</pre>", Options{}).Text.String()},
		{id + " as html", HTML(text, Options{}).Text.String()},
		{id + " defanged", Defang(text).String()},
		{id + " address", Address(text).String()},
	}
	for _, l := range body.Links {
		out = append(out, panelText{id + " target", l.Target.String()}, panelText{id + " link text", l.Text.String()}, panelText{id + " host", Sprintf("%s %s %s", l.Host, l.UnicodeHost, l.ShownHost).String()})
	}
	return out
}

// distinct drops repeated texts; a strict one stays, because more is asked of it.
func distinct(texts []panelText) []panelText {
	seen := map[string]bool{}
	var out []panelText
	for _, x := range texts {
		if key := x.Text + map[bool]string{true: "\x00"}[strings.HasSuffix(x.ID, " strict")]; !seen[key] {
			seen[key] = true
			out = append(out, x)
		}
	}
	return out
}

func TestPanel(t *testing.T) {
	var texts []panelText
	for _, v := range mdVectors(t) {
		texts = append(texts, waysOut(t, v.ID, v.Text)...)
	}
	for _, v := range ownVectors() {
		texts = append(texts, waysOut(t, v, v)...)
	}
	texts = distinct(texts)
	for name, panel := range markdownPanel(t) {
		t.Run(name, func(t *testing.T) {
			for _, r := range panel(t, texts) {
				if len(r.Fetch) > 0 {
					t.Errorf("%s: %s would fetch %q", r.ID, r.Renderer, r.Fetch)
				}
				for _, l := range r.Link {
					if !strings.HasPrefix(l, "mailto:") || strings.ContainsAny(l, "?&") || strings.HasSuffix(r.ID, " strict") {
						t.Errorf("%s: %s makes a link to %q", r.ID, r.Renderer, l)
					}
				}
			}
		})
	}
}

// ownVectors are shapes that the shared ones do not hold.
func ownVectors() []string {
	return []string{
		"![a\\]b](https://e.example/x)", "![a\n\nb](https://e.example)", "!\u200b[a](https://e.example)", "![a]\u200b(https://e.example)", "![a] (https://e.example)", "![a](<https://e.example/a b>)",
		"!![a](https://e.example)(https://f.example)", "[![a](https://e.example/i)](https://f.example)", "[a\\\n](https://e.example)", "\\[a](https://e.example)", "[a]\\(https://e.example)",
		"[a\n b]: https://e.example/d\n[a b]", "> [q]: https://e.example\n\n[q]", "- [q]: https://e.example\n\n[q]", "1. [q]:\n   https://e.example\n\n[q]", "[a \\[b]: https://e.example\n\n[a \\[b]", "[a\\]b]: https://e.example\n\n[a\\]b]",
		"[x]: //e.example/p\n\n![x]", "[x]: <e.example>\n\n![x] ![x][]", "[x]: /relative\n\n[x] ![x]", "[^1]: ![x](y.png)\n\na[^1]", "*[HTML]: https://e.example", "[x]:e.example\n\n[x]",
		"&#104;ttps://e.example/a", "https&#58;//e.example/a", "https&colon;//e.example", "https:&#47;&#47;e.example", "https:&sol;/e.example", "www&period;e.example/x", "www&#46;e.example/x", "&excl;[a](b.png)", "!&lsqb;a](b.png)", "a&commat;e.example",
		"&#x77;ww.e.example/p", "&lt;img src=//e.example&gt;", "&#60;img src=//e.example/x&#62;", "&#0000060;img src=x>", "&LT;img src=x>", "&amp;lt;img src=x>", "&ZeroWidthSpace;https://e.example",
		"<img\nsrc=https://e.example/x>", "<IMG/SRC=https://e.example/x>", "<a href='//e.example'>x</a>", "<<b>img src=x onerror=y>", "<!-- <img src=x> -->", "<![CDATA[<img src=x>]]>", "<?x <img src=x>?>", "<!x <img src=y>>", "<div style='background:url(//e.example)'>",
		"<\u200bimg src=x>", "<x:y z>", "<https://e.example>", "<e@e.example?subject=x>", "<mailto:e@e.example?body=1>", "<a+b:c>", "<\\img src=x>", "a<b <c d=e>", "<xmp><img src=x></xmp>", "<svg><image href=//e.example></svg>",
		"HTTPS://E.EXAMPLE/X", "hTTp:/e.example", "https:e.example", "http://[::1]/x", "http://127.1/x", "ftp://e.example/x", "xmpp:a@e.example/r", "mailto:a@e.example?subject=x", "tel:+49301", "//e.example/x", "///e.example/x", "see //e.com/x",
		"WwW.e.example/p", "www.e.example", "www.e_e.example", "xwww.e.example/x", "https://ex\u0430mple.example/", "https://пример.example/путь", "e.com/x?y=1", "e.com:80/x", "e.co.uk/?q", "sub.e.io/a", "(https://e.example/a(b)c)", "https://e.example/a_b_*c*", "https://e.example/<img>",
		"`https://e.example`", "``` ![x](https://e.example)", "~~~\n![x](https://e.example)\n~~~", "    ![x](https://e.example)", "\t[x]: https://e.example", "````\n```\n![x](https://e.example)\n````\n![y](https://e.example)", "``x`` ` ![x](https://e.example) `",
		"$\\href{https://e.example}{x}$", "\\includegraphics{//e.example/x}", "[url=https://e.example]x[/url]", "[img]https://e.example/x[/img]", "[img src=//e.example]", "{{https://e.example}}", "![[https://e.example]]", "![[x.png]]", "image::https://e.example[]", ".. image:: https://e.example",
		"\"x\":https://e.example", "!https://e.example!:https://f.example", "<u|https://e.example>", "<https://e.example|x>", "[[https://e.example][x]]", "{https://e.example|x}", "[x|https://e.example]", "https://e.example\\n![x](https://f.example)",
		"| a | b |\n|---|---|\n| ![x](https://e.example) | https://f.example |", "# ![x](https://e.example)", "Title ![x](https://e.example)\n===", "~~![x](https://e.example)~~ **[y](https://f.example)**", "<details><summary>![x](https://e.example)</summary>",
		"⟦link 1: e.example⟧(https://e.example)", "[⟦link 1: e[.]example⟧](https://e.example)", "⟦link 2: [x](y)⟧", "!⟦link 1: a[.]b⟧", "[image: x](https://e.example)", "![image: x](https://e.example)", "!\\[x](https://e.example)", "[x]\\(y) ![z]\\(https://e.example)",
		"[one-time code hidden](https://e.example)", "code: !123456(https://e.example)", "your code is [123456](https://e.example)", "!123456: your code", "[x](javascript:alert(1))", "[x](data:text/html,y)", "![x](data:image/png;base64,AAAA)", "[x](\tjavascript:a)", "[x](command:y)",
		"a@e.example](https://e.example)", "[a@e.example](https://f.example)", "www.a@e.example", "https://a@e.example@f.example", "a@www.e.example/https://x", "http://http://e.example", "https://https//e.example", "://e.example", "https:// e.example", "x://", ":// [a]: //e.com",
		"![](x)\n![ ](x)\n![][]\n![\\", "![", "[", "](", "<", "&", "&#", "\\", "!", "![]", "![](", "[]()", "[](<>)", "[a][b][c](d)", "](x)", "a](b)![c](d", "![x](y 'z](https://e.example)')",
		"a [x]: //e.com/p [x]", "a [x]: </e>\n[x]", "!://", "!javascript:x", "www.#.a0", "www._x.com", "A://0.\xff", "A://0.`x", "a[:]//0.`", "//0.|x", "//0.\ufffd", "x[:]//localhost", "//[::1]/", "//a+b.cd", "//a@b.cd", "//例え.jp/x", "http://a.`b", "https://a.|b", "https://e.example/.`",
		"https://e.example/]:x", "[https://e.example/]: https://f.example", "https://e.example/.:[x]: y", "https://e.example/!.x", "https://x!@y.example/!", "https://e.example&#58;", "https://e.example/&lt;img src=x>", "mailto:x@y.example&#63;body=1",
	}
}
