package sanitize

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"
)

// outgoingNewsletter is about size octets of a newsletter as template kits write it.
func outgoingNewsletter(size int) string {
	var b strings.Builder
	b.WriteString(`<!doctype html><html><head><title>Weekly</title><style>p{margin:13px 0}@media only screen and (max-width:479px){.hide{display:none!important}}</style></head>` +
		`<body style="background-color:#f4f4f4;"><div style="display:none;font-size:1px;max-height:0px;overflow:hidden;">This week: news</div>`)
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, `<!--[if mso | IE]><table align="center"><tr><td style="line-height:0px;"><![endif]-->
<div style="background:#ffffff;background-color:#ffffff;margin:0px auto;max-width:600px;"><table align="center" border="0" cellpadding="0" cellspacing="0" role="presentation" style="background:#ffffff;width:100%%;"><tbody><tr><td style="direction:ltr;font-size:0px;padding:20px 0;text-align:center;">
<div class="mj-column-per-50" style="font-size:13px;text-align:left;direction:ltr;display:inline-block;vertical-align:top;width:100%%;"><p style="font-family:Helvetica, Arial, sans-serif;font-size:14px;line-height:1.6;color:#555555;">Article %d: In spring the beds want water and patience. We explain how to prepare the soil, which seeds to choose, and when the first frost is over &mdash; with a calendar for every month.</p>
<img src="https://news.example/%d.png" alt="A garden" width="280" height="140" style="display:block;"><a href="https://news.example/read?article=%d&amp;utm_source=mail" style="display:inline-block;background:#414141;color:#ffffff;font-size:13px;padding:10px 25px;" target="_blank">Read more</a></div></td></tr></tbody></table></div>
`, i, i%7, i%400)
	}
	return b.String() + "</body></html>"
}

func BenchmarkOutgoingHTML(b *testing.B) {
	for _, kb := range []int{38, 124, 248} {
		src := outgoingNewsletter(kb << 10)
		b.Run(fmt.Sprintf("%dKB", kb), func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			for b.Loop() {
				if _, err := OutgoingHTML(src, OutgoingOptions{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkOutgoingVerify is the part of the above that the verifier takes.
func BenchmarkOutgoingVerify(b *testing.B) {
	out, err := OutgoingHTML(outgoingNewsletter(124<<10), OutgoingOptions{})
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(124 << 10)
	for b.Loop() {
		if err := verifyOutgoing(out.HTML, nil); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkOutgoingParseRender(b *testing.B) {
	src := outgoingNewsletter(124 << 10)
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		doc, err := html.Parse(strings.NewReader(src))
		if err != nil {
			b.Fatal(err)
		}
		var out strings.Builder
		if err := html.Render(&out, doc); err != nil {
			b.Fatal(err)
		}
	}
}

// TestOutgoingLinear: sixteen times the input takes at most 64 times as long, on a machine that does much else, for shapes that
// tempt to look twice. With the square of the input it would take 256 times as long.
func TestOutgoingLinear(t *testing.T) {
	for name, make := range map[string]func(n int) string{
		"hidden": func(n int) string { return strings.Repeat("<div style=display:none>a</div>", n) },
		"nested": func(n int) string {
			return strings.Repeat("<div>", 90) + strings.Repeat("<b>a</b>", n) + strings.Repeat("</div>", 90)
		},
		"formatting":   func(n int) string { return strings.Repeat("<p><b>a</p>", min(n, 60)) + strings.Repeat("<i>a</i>", n) },
		"attributes":   func(n int) string { return strings.Repeat("<p a b c d e f g h>x</p>", n) },
		"declarations": func(n int) string { return `<p style="` + strings.Repeat("color:red;", n) + `">x</p>` },
		"blanks":       func(n int) string { return "<p>" + strings.Repeat("&nbsp;\u200c", n) + "</p>" },
		"comments":     func(n int) string { return strings.Repeat("<!-- a -->", n) },
		"less-than":    func(n int) string { return strings.Repeat("< ", n) },
	} {
		t.Run(name, func(t *testing.T) {
			took := func(n int) time.Duration {
				best := time.Hour
				for range 2 {
					start := time.Now()
					_, _ = OutgoingHTML(make(n), OutgoingOptions{}) // a refusal takes its time too
					best = min(best, time.Since(start))
				}
				return best
			}
			small, large := took(1000), took(16_000)
			if large > 64*small+50*time.Millisecond {
				t.Errorf("1000 took %v, 16000 took %v", small, large)
			}
		})
	}
}
