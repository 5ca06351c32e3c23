package sanitize

import (
	"fmt"
	"strings"
	"testing"
)

// TestOutgoingSheet: rules of style elements end in style attributes, in the order of the cascade, and nothing else of them.
func TestOutgoingSheet(t *testing.T) {
	for _, c := range []struct{ name, head, body, want string }{
		{"element", "p{margin:13px 0}", "<p>a</p>", `<p style="margin:13px 0">a</p>`},
		{"class", ".b{color:red}", `<p class="a b">a</p>`, `<p style="color:red">a</p>`},
		{"id", "#b{color:red}", `<p id=b>a</p>`, `<p style="color:red">a</p>`},
		{"everything", "*{font-size:12px}", `<b>a</b>`, `<b style="font-size:12px">a</b>`},
		{"inside", "td p{color:red}", `<p>a</p>`, `<p>a</p>`},
		{"the stronger selector", "p.b{color:red} p{color:blue}", `<p class=b>a</p>`, `<p style="color:red">a</p>`},
		{"the later rule", "p{color:red} p{color:blue}", `<p>a</p>`, `<p style="color:blue">a</p>`},
		{"the attribute is stronger", "p{color:red;margin:0}", `<p style="color:blue">a</p>`, `<p style="margin:0;color:blue">a</p>`},
		{"weight", "p{color:red!important} p.b{color:blue}", `<p class=b style="color:green">a</p>`, `<p style="color:green;color:red">a</p>`},
		{"weight on both sides", "p{color:red!important}", `<p style="color:green!important">a</p>`, `<p style="color:red;color:green">a</p>`},
		{"a part of a shorthand", "p{margin:1px;margin-top:2px}", `<p>a</p>`, `<p style="margin:1px;margin-top:2px">a</p>`},
		{"body", "body{background:#fff;color:#222}", `a`, `<body style="background-color:#fff;color:#222">`},
		{"telephones only", "@media (max-width:480px){p{color:red}}", `<p>a</p>`, `<p>a</p>`},
		{"under the pointer only", "p:hover{color:red}", `<p>a</p>`, `<p>a</p>`},
		{"generated", "p::before{content:'x'}", `<p>a</p>`, `<p>a</p>`},
		{"what loads", "p{background:url(https://a.example/);list-style-image:url(https://a.example/)}", `<p>a</p>`, `<p>a</p>`},
		{"what loads, escaped", `p{background:u\72 l(https://a.example/)}`, `<p>a</p>`, `<p>a</p>`},
		{"what loads, imported", `@import "https://a.example/";p{color:red}`, `<p>a</p>`, `<p style="color:red">a</p>`},
		{"what moves", "p{position:fixed;top:0;left:0;margin:-9px;z-index:9}", `<p>a</p>`, `<p>a</p>`},
		{"what hides", ".b{display:none}", `<p class=b>a</p><p>c</p>`, `<body><div style="display:none">a</div><p>c</p></body>`},
		{"what ends the attribute", `p{font-family:'"><script>alert(1)</script>'}`, `<p>a</p>`, `<p>a</p>`},
		{"a rule in a rule", "p{b{color:red}}", `<p><b>a</b></p>`, `<p><b>a</b></p>`},
		{"letters without their ground", ".b{color:#fff;background:url(https://a.example/)}", `<p class=b>a</p>`, `<p>a</p>`},
		{"an element without styles", "wbr{color:red}", `a<wbr>b`, `a<wbr>b`},
		{"colour of all text", "", `<body text="#f2f2f2" bgcolor="#111111">a`, `<body bgcolor="#111111" style="color:#f2f2f2">a`},
		{"colour of links", "", `<body link="#8ecae6" bgcolor="#111111" text="#ffffff"><a href="https://a.example/">a</a>`, `<a href="https://a.example/" style="color:#8ecae6">a</a>`},
	} {
		t.Run(c.name, func(t *testing.T) {
			src := "<!doctype html><style>" + c.head + "</style>" + c.body
			out, err := OutgoingHTML(src, OutgoingOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(out.HTML, c.want) {
				t.Errorf("got\n%s\nwant\n%s", out.HTML, c.want)
			}
			checkExplained(t, src, out)
			if again, err := OutgoingHTML(out.HTML, OutgoingOptions{}); err != nil || again.HTML != out.HTML || len(again.Removals) > 0 {
				t.Errorf("cleaned again: %v\n%s\n%+v", err, again.HTML, again.Removals)
			}
		})
	}
}

// TestOutgoingSheetIsBounded: a small rule for many elements does not make a large mail, and many rules are no work.
func TestOutgoingSheetIsBounded(t *testing.T) {
	var rule, many strings.Builder
	for k := range 60 {
		fmt.Fprintf(&rule, "border-top:%dpx solid red;margin-top:%dpx;", k, k)
	}
	for k := range 5000 {
		fmt.Fprintf(&many, "p b i.c%d{color:red}", k)
	}
	wide := "font-family:" + strings.TrimSuffix(strings.Repeat("'A long name of a font',", 20), ",")
	for name, src := range map[string]string{
		"one long rule":       "<style>p{" + wide + "}</style>" + strings.Repeat("<p>a</p>", 5000),
		"many declarations":   "<style>p{" + rule.String() + "}</style>" + strings.Repeat("<p>a</p>", 5000),
		"many rules":          "<style>" + many.String() + "</style>" + strings.Repeat("<i class=c1>a</i>", 5000),
		"an input near limit": "<style>p{color:red}</style>" + strings.Repeat("<p>a</p>", (MaxOutgoingBytes-100)/8),
	} {
		t.Run(name, func(t *testing.T) {
			out, err := OutgoingHTML(src, OutgoingOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if most := min(len(src)+maxInlinedBytes+1000, MaxOutgoingBytes); len(out.HTML) > most {
				t.Errorf("got %d octets of %d, want at most %d", len(out.HTML), len(src), most)
			}
		})
	}
}
