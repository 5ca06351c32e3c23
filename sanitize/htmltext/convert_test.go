package htmltext

import (
	"slices"
	"strings"
	"testing"
)

// TestReading: how shapes of the page become text.
func TestReading(t *testing.T) {
	cases := []struct{ name, src, want string }{
		{"white space folds", "<p>a\n  b\t c&nbsp;&nbsp;d</p>", "a b c d"},
		{"no space at block ends", "<div> a </div><div> b </div>", "a\nb"},
		{"space between inline elements", "<b>a</b> <i>b</i><u>c</u>", "a bc"},
		{"line breaks", "a<br>b<br><br>c<br><br><br>d", "a\nb\n\nc\n\nd"},
		{"word break opportunity", "super<wbr>cali", "supercali"},
		{"soft hyphen stays", "a\u00adb", "a\u00adb"},
		{"right to left stays", `<p dir="rtl">שלום עולם</p>`, "שלום עולם"},
		{"paragraphs", "<p>a</p><p>b</p>", "a\n\nb"},
		{"headings", "<h1>A</h1><h6>B</h6>", "# A\n\n###### B"},
		{"empty heading", "<h1> </h1><p>a", "a"},
		{"list", "<ul><li>a<li>b</ul>", "- a\n- b"},
		{"list without marks", `<ul style="list-style:none"><li>a<li>b</ul>`, "a\nb"},
		{"item with a block", "<ul><li><p>a</p></li><li><div>b</div></li></ul>", "- a\n\n- b"},
		{"numbered", `<ol start="9"><li>a<li value="20">b<li>c</ol>`, "9. a\n20. b\n21. c"},
		{"reversed", `<ol reversed><li>a<li>b</ol>`, "2. a\n1. b"},
		{"letters and Roman", `<ol type=a start=26><li>z<li>aa</ol><ol type=i start=4><li>x</ol>`, "z. z\naa. aa\n\niv. x"},
		{"table of data", "<table><tr><th>A<th>B<tr><td>1<td>2</table>", "A | B\n1 | 2"},
		{"empty cell", "<table><tr><th>A<th>B<th>C<tr><td>1<td><td>3</table>", "A | B | C\n1 |  | 3"},
		{"layout row", `<table role="presentation"><tr><td>Total</td><td>9 €</td></tr></table>`, "Total 9 €"},
		{"layout columns", `<table><tr><td><h3>L</h3><p>x</p></td><td><h3>R</h3><p>y</p></td></tr></table>`, "### L\n\nx\n\n### R\n\ny"},
		{"nested table is layout", `<table border=1><tr><td><table><tr><td>a</td><td>b</td></tr></table></td><td>c</td></tr></table>`, "a b\n\nc"},
		{"caption", "<table><caption>Sums</caption><tr><td>a<td>b</table>", "Sums\na | b"},
		{"break in a cell", "<table><tr><th>A<th>B<tr><td>1<br>2<td>3</table>", "A | B\n1 2 | 3"},
		{"quote", "<blockquote>a<blockquote>b</blockquote>c</blockquote>", "> a\n\n> > b\n\n> c"},
		{"preformatted", "<pre>a\n  b &lt; c</pre>d", "```\na\n  b < c\n```\n\nd"},
		{"kept breaks", `<div style="white-space:pre-wrap">a` + "\n" + `b   c</div>`, "a\nb c"},
		{"rule", "a<hr>b", "a\n---\nb"},
		{"block inside inline", "<span>a<div>b</div>c</span>", "a\nb\nc"},
		{"inline list items", `<ul><li style="display:inline">a</li> <li style="display:inline">b</li></ul>`, "- a - b"},
		{"display block span", `<span style="display:block">a</span><span style="display:block">b</span>`, "a\nb"},
		{"form", `<form>Name <input name="n" placeholder="Your name"> <input type="checkbox" checked> <select><option>One<option selected>Two</select> <input type="submit" value="Send"></form>`, "Name [field: Your name] [checkbox (checked)] [choice: Two] [button: Send]"},
		{"ruby", "<ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby>", "漢kan"},
		{"revealed conditional", "<![if !mso]>a<![endif]><!--[if !mso]><!-->b<!--<![endif]-->", "ab"},
		{"processing instruction", "<?xml version='1.0'?>a", "a"},
		{"unknown elements", "<o:p>a</o:p><x-y>b</x-y>", "ab"},
		{"unclosed", "<div><p>a<b>b", "ab"},
		{"plain text", "a & b < c", "a & b < c"},
		{"references", "&lt;b&gt; &euro;5 &#x41; &copy", "<b> €5 A ©"},
		{"nothing", "", ""},
		{"frameset", "<frameset><frame src=x><noframes>a</noframes></frameset>", "[hidden text withheld: 1 characters, fallback content]"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			d := mustConvert(t, c.src)
			checkBalanced(t, d)
			checkIndexes(t, d)
			if got := Render(d); strings.Replace(got, "[preview line withheld: 1 characters]", "[hidden text withheld: 1 characters, fallback content]", 1) != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

func TestLinks(t *testing.T) {
	d := mustConvert(t, `<base href="https://base.example/"><p>See <a href="https://a.example/?x=1&amp;y=2">the <b>page</b></a>,
		<a href="/rel" aria-label="Label"><img src="i.png"></a>, <a href="https://empty.example/"></a>
		<a name="x">no target</a> <a href="https://h.example/" style="display:none">hidden words</a></p>
		<a href=" javascript:alert(1)"><div>block</div><div>text <img src=z alt="pic"></div></a>`)
	want := []Link{
		{Text: "the page", Href: "https://a.example/?x=1&y=2", Base: "https://base.example/"},
		{Text: "", Href: "/rel", Base: "https://base.example/", Label: "Label"},
		{Text: "block text pic", Href: " javascript:alert(1)", Base: "https://base.example/"},
	}
	if !slices.Equal(d.Links, want) {
		t.Errorf("got %+v\nwant %+v", d.Links, want)
	}
	checkBalanced(t, d)
}

func TestImages(t *testing.T) {
	d := mustConvert(t, `<p>a<img src="a.png" alt="Logo" width="120" height="40"><img src="p.gif" width=1 height=1>
		<img src="q.gif" style="width:1px;height:1px"><img src="r.gif" style="display:none"><img src="s.png">
		<img src="t.gif" width=0><img src="u.png" alt="wide" width="100%"></p>`)
	pixels := []bool{false, true, true, true, false, true, false}
	if len(d.Images) != len(pixels) {
		t.Fatalf("got %d images, want %d", len(d.Images), len(pixels))
	}
	for i, img := range d.Images {
		if img.Pixel != pixels[i] {
			t.Errorf("image %s: got pixel %v, want %v", img.Src, img.Pixel, pixels[i])
		}
	}
	if img := d.Images[0]; img.Alt != "Logo" || img.Width != 120 || img.Height != 40 {
		t.Errorf("got %+v", img)
	}
	if d.Images[6].Width != -1 {
		t.Errorf("got width %d for 100%%, want -1", d.Images[6].Width)
	}
	if got, want := Render(d), "a[image: Logo] [image: wide]"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestPreheader: only the first hidden passage, only before all text, only up to its length.
func TestPreheader(t *testing.T) {
	hidden := func(s string) string { return `<div style="display:none">` + s + `</div>` }
	cases := []struct {
		name, src string
		want      bool
	}{
		{"first", hidden("Look inside") + "<p>a", true},
		{"padded", hidden("Look inside"+strings.Repeat("&#847;&zwnj;&nbsp;", 150)) + "<p>a", true},
		{"at the limit", hidden(strings.Repeat("x", maxPreheaderChars)) + "<p>a", true},
		{"past the limit", hidden(strings.Repeat("x", maxPreheaderChars+1)) + "<p>a", false},
		{"after text", "<p>a</p>" + hidden("Look inside"), false},
		{"after a picture", "<img src=x alt=Logo>" + hidden("Look inside"), false},
		{"template is none", "<template>Look inside</template><p>a", false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			d := mustConvert(t, "<!doctype html>"+c.src)
			if len(d.Hidden) != 1 {
				t.Fatalf("got %d hidden passages, want 1", len(d.Hidden))
			}
			marked := slices.ContainsFunc(d.Segments, func(s Segment) bool { return s.Kind == PreheaderMark })
			if d.Hidden[0].Preheader != c.want || marked != c.want {
				t.Errorf("got preheader %v, marked %v, want %v", d.Hidden[0].Preheader, marked, c.want)
			}
		})
	}
	d := mustConvert(t, hidden("one")+`<div style="opacity:0">two</div><p>a`)
	if !d.Hidden[0].Preheader || d.Hidden[1].Preheader {
		t.Errorf("got %+v, want only the first", d.Hidden)
	}
}

func TestHistoryMarkers(t *testing.T) {
	cases := map[string]string{
		"gmail_quote":      `<div class="gmail_quote">old</div>`,
		"cite":             `<blockquote type="CITE">old</blockquote>`,
		"outlook":          `<div id="divRplyFwdMsg">From: x</div><p>old</p>`,
		"thunderbird":      `<div class="moz-cite-prefix">On x wrote:</div><blockquote type="cite">old</blockquote>`,
		"yahoo_quoted":     `<div id="yahoo_quoted_12" class="yahoo_quoted">old</div>`,
		"protonmail_quote": `<div class="protonmail_quote">old</div>`,
		"":                 `<blockquote>old</blockquote>`,
	}
	for want, src := range cases {
		t.Run(want, func(t *testing.T) {
			d := mustConvert(t, "<div>new</div>"+src)
			var got []string
			for i, s := range d.Segments {
				if s.Kind == HistoryStart {
					got = append(got, s.Text)
					for _, later := range d.Segments[i:] {
						if strings.Contains(later.Text, "new") {
							t.Error("the new text is history")
						}
					}
				}
			}
			if strings.Join(got, " ") != want {
				t.Errorf("got markers %q, want %q", got, want)
			}
			checkBalanced(t, d)
		})
	}
}

func TestHeader(t *testing.T) {
	d := mustConvert(t, `<html lang="de-AT" dir="rtl"><head><title>  A
		title </title><link rel="stylesheet" href="x.css"></head><body>x`)
	if d.Title != "A title" || d.Lang != "de-AT" || d.Dir != "rtl" || Render(d) != "x" {
		t.Errorf("got %+v", d)
	}
	if !slices.Contains(d.Notes, NoteImportedStyle) {
		t.Errorf("got notes %q, want the style sheet from elsewhere", d.Notes)
	}
	if d := mustConvert(t, `<div style="position:absolute;width:400px;background:#fff">x</div>`); !slices.Contains(d.Notes, NoteOverlay) {
		t.Errorf("got notes %q, want the overlay", d.Notes)
	}
}

func TestDeclaredCharset(t *testing.T) {
	cases := []struct{ src, want string }{
		{`<meta charset="UTF-8">`, "utf-8"},
		{`<meta charset = ' GB2312 '>`, "gb2312"},
		{`<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=Windows-1252; x=y">`, "windows-1252"},
		{`<meta content="text/html; charset=x" name="y">`, ""},
		{`<p>meta charset=x`, ""},
		{`<!-- <meta charset=x> -->`, ""},
		{strings.Repeat(" ", charsetPrefix) + `<meta charset=late>`, ""},
		{"", ""},
	}
	for _, c := range cases {
		if got := DeclaredCharset([]byte(c.src)); got != c.want {
			t.Errorf("%q: got %q, want %q", c.src, got, c.want)
		}
	}
}

func TestMedia(t *testing.T) {
	cases := []struct {
		query string
		want  mediaResult
	}{
		{"", mediaHere}, {"all", mediaHere}, {"screen", mediaHere}, {"only screen", mediaHere}, {"print", mediaNever},
		{"not print", mediaHere}, {"not screen", mediaNever}, {"print, screen", mediaHere}, {"yahoo", mediaNever},
		{"screen and (min-width:480px)", mediaHere}, {"(max-width:480px)", mediaOther}, {"(max-width:1px)", mediaNever},
		{"(min-width:99999px)", mediaNever}, {"(min-width:50em)", mediaHere}, {"not all and (max-width:480px)", mediaHere},
		{"(prefers-color-scheme:dark)", mediaOther}, {"(prefers-color-scheme: light)", mediaHere}, {"(width >= 600px)", mediaHere},
		{"(400px < width < 700px)", mediaOther}, {"(not (print))", mediaUnknown}, {"(max-width:480px) or (min-width:700px)", mediaHere},
		{"screen and (moon-phase:full)", mediaUnknown}, {"print and (min-width:1px)", mediaNever}, {"(min-width:abc)", mediaNever},
	}
	for _, c := range cases {
		toks, _ := lexCSS(c.query, 100)
		if got := evalMedia(toks); got != c.want {
			t.Errorf("%q: got %d, want %d", c.query, got, c.want)
		}
	}
}

func TestColours(t *testing.T) {
	cases := []struct {
		in      string
		r, g, b float32
		a       float32
	}{
		{"#fff", 255, 255, 255, 1}, {"#12345680", 0x12, 0x34, 0x56, 128.0 / 255}, {"rgb(1,2,3)", 1, 2, 3, 1}, {"rgb(10% 20% 30% / 50%)", 25.5, 51, 76.5, .5},
		{"rgba(300,-5,0,2)", 255, 0, 0, 1}, {"hsl(120,100%,50%)", 0, 255, 0, 1}, {"hsl(0.5turn 100% 50%)", 0, 255, 255, 1}, {"hwb(0 0% 0%)", 255, 0, 0, 1},
		{"color(srgb 1 0 0)", 255, 0, 0, 1}, {"rebeccapurple", 0x66, 0x33, 0x99, 1}, {"transparent", 0, 0, 0, 0},
	}
	for _, c := range cases {
		got, _, ok := parseColour(c.in)
		if want := (colour{c.r, c.g, c.b, c.a}); !ok || distance(got, want) > 0.6 || got.a-want.a > 0.01 || want.a-got.a > 0.01 {
			t.Errorf("%s: got %v %v, want %v", c.in, got, ok, want)
		}
	}
	for _, bad := range []string{"", "#12", "#ggg", "rgb(1,2)", "rgb(a,b,c)", "whitish", "url(x)", "hsl()"} {
		if c, _, ok := parseColour(bad); ok {
			t.Errorf("%q: got %v, want no colour", bad, c)
		}
	}
	for in, want := range map[string]uint32{"fff": 0x0f0f0f, "#FFFFFF": 0xffffff, "chucknorris": 0xc00000, "#abc": 0xaabbcc, "6": 0x060000, "White": 0xffffff, "#0010020003": 0x012030} {
		if got, ok := legacyColour(in); !ok || distance(got, rgb24(want)) > 0 {
			t.Errorf("legacy %q: got %v, want %06x", in, got, want)
		}
	}
}

func TestNumbers(t *testing.T) {
	cases := map[string]float64{
		"1px": 1, "1pt": 4.0 / 3, "1in": 96, "-.5px": -.5, "1e2px": 100, "calc(1px + 2px * 3)": 7, "calc((1px + 2px) * 3)": 9,
		"calc(10px - 2 * 3px)": 4, "calc(6px / 2)": 3, "min(3px, 2px)": 2, "max(3px, 2px)": 3, "clamp(1px, 9px, 5px)": 5, "calc(50% - 400px)": 0,
		"calc(1px - -1px)": 2,
	}
	for in, want := range cases {
		v, ok := parseNumber(in)
		if got := toViewPx(v); !ok || got-want > 1e-9 || want-got > 1e-9 {
			t.Errorf("%s: got %v %v, want %v", in, got, ok, want)
		}
	}
	for _, bad := range []string{"", "px", "1qx", "calc()", "calc(1px +)", "calc(1px / 0)", "min()", "1 px", "NaN", "Inf", "calc(1px", "0x10"} {
		if v, ok := parseNumber(bad); ok {
			t.Errorf("%q: got %+v, want no number", bad, v)
		}
	}
}
