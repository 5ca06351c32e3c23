package htmltext

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// randomSheet makes a style sheet of one to five rules, some of them broken, in at-rules, layered or important.
func randomSheet(r *rand.Rand) string {
	selectors := strings.Split(".a|.b|#i|div|p|span|*|.a .b|.a > .b|div > *|.a + .b|.a ~ .b|:is(.a,#i)|:not(.a)|p:not(.b)|[class]|[class=a]|.a:first-child|:last-child|.a.b|body *|html .a|.a, .b|.a::before|.a:hover|:where(.b)|div:nth-child(2n)|:root .b|a:link|.b:empty", "|")
	bodies := strings.Split("display:none|display:block|visibility:hidden|visibility:visible|color:#fff|color:#000|font-size:0|font-size:14px|opacity:0|opacity:1|display:var(--x)|--x:none|--x:block|display:var(--x,none)|font-size:initial|color:inherit", "|")
	wraps := strings.Split("%|%|%|@media screen{%}|@media print{%}|@layer l{%}|@media (min-width:300px){%}|@supports (display:grid){%}|@media not print{%}|@media (min-width:2000px){%}|@charset 'x';%|}%|/*%*/|x;%|@foo{%}|.q{;}%|@foo;%", "|")
	var b strings.Builder
	for range 1 + r.IntN(5) {
		body := pick(r, bodies)
		if r.IntN(3) == 0 {
			body += " !important"
		}
		b.WriteString(strings.Replace(pick(r, wraps), "%", pick(r, selectors)+"{"+body+"}", 1))
	}
	return b.String()
}

// randomTree nests two to four elements around word.
func randomTree(r *rand.Rand, word string) string {
	tags := strings.Split("div|p|span|b|section|a href=x", "|")
	attrs := strings.Split("|| class=a| class=b| class='a b'| id=i| class=a style='display:block'| class=b style='color:#000'| hidden", "|")
	before := strings.Split("||<i>k</i>|<p class=a>k</p>", "|")
	open, end := "", ""
	for range 2 + r.IntN(3) {
		tag := pick(r, tags)
		open += pick(r, before) + "<" + tag + pick(r, attrs) + ">"
		end = "</" + strings.Fields(tag)[0] + ">" + end
	}
	return open + word + end
}

func pick(r *rand.Rand, from []string) string { return from[r.IntN(len(from))] }

// randomInBrowser: for style sheets made at random, from a fixed seed, we and Chromium agree on what is seen; what
// we label may go either way.
func randomInBrowser(t *testing.T, b *browser) {
	r := rand.New(rand.NewPCG(21, 4))
	const word = "zxword"
	for range 100 {
		doc := "<!doctype html><style>" + randomSheet(r) + "</style><body>" + randomTree(r, word)
		d := mustConvert(t, doc)
		shown, labelled := strings.Contains(shownText(d), word), false
		for _, h := range d.Hidden {
			labelled = labelled || h.Uncertain && strings.Contains(h.Text, word)
		}
		if sees, _ := b.sees(t, doc, word, shown); sees != shown && !labelled {
			t.Errorf("Chromium shows it: %v, we: %v\n%s", sees, shown, doc)
		}
	}
}
