package sanitize

import (
	"math/rand/v2"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"mailgap/sanitize/htmltext"
)

// TestOutgoingColoursTogether: a text colour stays only where the ground that it was chosen for stays.
func TestOutgoingColoursTogether(t *testing.T) {
	for _, c := range []struct {
		name, html string
		colour     bool // whether the colour of the letter a stays
	}{
		{"both in one style", `<p style="color:#fff;background-color:#000">a</p>`, true},
		{"shorthand", `<p style="color:#fff;background:#000">a</p>`, true},
		{"picture with a colour beside it", `<p style="color:#fff;background:#000 url(x)">a</p>`, true},
		{"picture alone", `<p style="color:#fff;background:url(x)">a</p>`, false},
		{"picture alone, letters readable anyway", `<p style="color:#333;background-image:url(x)">a</p>`, false},
		{"gradient", `<p style="color:#fff;background:linear-gradient(#000,#111)">a</p>`, false},
		{"ground outside", `<div style="background:#000"><p style="color:#fff">a</p></div>`, true},
		{"lost ground outside", `<div style="background:url(x)"><p style="color:#333">a</p></div>`, false},
		{"lost ground outside, another between", `<div style="background:url(x)"><div style="background:#000"><p style="color:#fff">a</p></div></div>`, true},
		{"lost ground beside", `<div style="background:url(x)">b</div><p style="color:#333">a</p>`, true},
		{"attributes", `<table bgcolor="#000000"><tr><td><font color="#ffffff">a</font></td></tr></table>`, true},
		{"lost attribute", `<table background="x"><tr><td><font color="#333333">a</font></td></tr></table>`, false},
		{"ground outside the grammar", `<p style="color:#333;background-color:var(--a)">a</p>`, false},
		{"rule of a style element", `<style>.b{background:#000}</style><div class=b><p style="color:#fff">a</p></div>`, true},
		{"rule that loses its ground", `<style>.b{background:url(x);color:#fff}</style><p class=b>a</p>`, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, err := OutgoingHTML(c.html, OutgoingOptions{})
			if err != nil {
				t.Fatal(err)
			}
			letters := strings.NewReplacer("background-color", "", "bgcolor", "").Replace(out.HTML)
			if got := strings.Contains(letters, "color"); got != c.colour {
				t.Errorf("colour %t, want %t: %s", got, c.colour, out.HTML)
			}
		})
	}
}

// TestOutgoingShowsNothingHidden: no text that its reader does not see appears by cleaning, and none that he sees disappears,
// whichever colours, grounds and sizes meet.
func TestOutgoingShowsNothingHidden(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	styles := []string{"color:#fff", "color:#000", "color:#333", "background:#fff", "background:#000", "background:url(x)", "background:url(x) #000", "background-color:#111",
		"font-size:0", "font-size:1px", "font-size:14px", "display:none", "opacity:0", "visibility:hidden", "color:var(--a)", "position:absolute;left:-9999px", "text-indent:-40px",
		"height:0;overflow:hidden", "line-height:0", "color:transparent", "margin:-9px", "color:#fff!important"}
	cleaned, hidden := 0, 0
	for range 3000 {
		var b strings.Builder
		b.WriteString("<!doctype html><p>The first line is plainly there.</p><style>.k{" + styles[r.IntN(len(styles))] + "}</style>")
		for i := range 2 + r.IntN(4) {
			word := string(rune('A'+i)) + "word"
			b.WriteString(`<div class="` + string("jk"[r.IntN(2)]) + `" style="` + styles[r.IntN(len(styles))] + ";" + styles[r.IntN(len(styles))] + `">` + word)
			if r.IntN(2) == 0 {
				b.WriteString("</div>")
			}
		}
		root, err := html.Parse(strings.NewReader(b.String()))
		if err != nil {
			t.Fatal(err)
		}
		out, err := OutgoingHTML(b.String(), OutgoingOptions{})
		if err != nil {
			t.Fatalf("%v: %s", err, b.String())
		}
		cleaned++
		v := htmltext.Judge(root)
		for n := range root.Descendants() {
			if n.Type != html.TextNode || !strings.HasSuffix(n.Data, "word") {
				continue
			}
			unseen := v.Of(n).Hidden
			if unseen {
				hidden++
			}
			if strings.Contains(out.HTML, n.Data) == unseen {
				t.Fatalf("%s: hidden before %t: %s\n%s", n.Data, unseen, b.String(), out.HTML)
			}
		}
	}
	t.Logf("%d documents, %d hidden texts", cleaned, hidden)
	if hidden < 1000 {
		t.Errorf("got %d hidden texts", hidden)
	}
}

// TestOutgoingJudgedOnce: what is found about a text while the text part is written is what the judge says of it.
func TestOutgoingJudgedOnce(t *testing.T) {
	sources := mutationInputs(t)
	for _, m := range ordinaryMails(t) {
		sources = append(sources, m.html)
	}
	r := rand.New(rand.NewPCG(5, 6))
	for range 500 {
		sources = append(sources, randomMail(r, 30))
	}
	n := 0
	for _, src := range sources {
		out, err := OutgoingHTML(src, OutgoingOptions{ContentIDs: []string{"ok"}})
		if err != nil {
			continue
		}
		root, err := html.ParseWithOptions(strings.NewReader(out.HTML), html.ParseOptionEnableScripting(false))
		if err != nil {
			t.Fatal(err)
		}
		_, judged := htmltext.ConvertTree(root, htmltext.Options{})
		all := htmltext.Judge(root)
		for d := range root.Descendants() {
			if !seen(d) || d.Type != html.TextNode {
				continue
			}
			n++
			if !judged.Has(d) || judged.Of(d).Hidden != all.Of(d).Hidden {
				t.Errorf("%q: judged %t, hidden %t, want %t:\n%s", d.Data, judged.Has(d), judged.Of(d).Hidden, all.Of(d).Hidden, out.HTML)
			}
		}
	}
	t.Logf("%d texts", n)
}
