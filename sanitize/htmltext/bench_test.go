package htmltext

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// newsletterOf builds a newsletter of about size octets as template kits write it: nested layout tables, style attributes
// on every element, a style element with responsive rules, conditional comments for Outlook.
func newsletterOf(size int) string {
	var b strings.Builder
	b.WriteString(`<!doctype html><html><head><title>Weekly</title><style type="text/css">
#outlook a { padding:0; } body { margin:0;padding:0;-webkit-text-size-adjust:100%; } table, td { border-collapse:collapse; }
img { border:0;height:auto;line-height:100%; } p { display:block;margin:13px 0; }
@media only screen and (min-width:480px) { .mj-column-per-100 { width:100% !important; max-width: 100%; } .mj-column-per-50 { width:50% !important; max-width: 50%; } }
@media only screen and (max-width:479px) { table.mj-full-width-mobile { width: 100% !important; } td.mj-full-width-mobile { width: auto !important; } .hide-small { display:none !important; } }
`)
	for i := range 60 {
		fmt.Fprintf(&b, ".c%d { color:#%03x;padding:%dpx } .wrap .c%d td.a { font-size:%dpx }\n", i, i*7, i, i, 10+i%9)
	}
	b.WriteString(`</style></head><body style="word-spacing:normal;background-color:#f4f4f4;"><div style="display:none;font-size:1px;color:#ffffff;line-height:1px;max-height:0px;opacity:0;overflow:hidden;">This week: news</div><div class="wrap" style="background-color:#f4f4f4;">`)
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, `<!--[if mso | IE]><table align="center" border="0" cellpadding="0" cellspacing="0" class="" style="width:600px;" width="600" ><tr><td style="line-height:0px;font-size:0px;mso-line-height-rule:exactly;"><![endif]-->
<div style="background:#ffffff;background-color:#ffffff;margin:0px auto;max-width:600px;"><table align="center" border="0" cellpadding="0" cellspacing="0" role="presentation" style="background:#ffffff;background-color:#ffffff;width:100%%;"><tbody><tr><td style="direction:ltr;font-size:0px;padding:20px 0;text-align:center;">
<div class="mj-column-per-50 mj-outlook-group-fix c%d" style="font-size:0px;text-align:left;direction:ltr;display:inline-block;vertical-align:top;width:100%%;"><table border="0" cellpadding="0" cellspacing="0" role="presentation" style="vertical-align:top;" width="100%%"><tbody>
<tr><td align="left" class="a" style="font-size:0px;padding:10px 25px;word-break:break-word;"><div style="font-family:Helvetica, Arial, sans-serif;font-size:%dpx;font-weight:bold;line-height:1.4;text-align:left;color:#333333;">Article number %d about gardens</div></td></tr>
<tr><td align="left" style="font-size:0px;padding:10px 25px;word-break:break-word;"><div style="font-family:Helvetica, Arial, sans-serif;font-size:14px;line-height:1.6;text-align:left;color:#555555;">In spring the beds want water and patience. We explain how to prepare the soil, which seeds to choose, and when the first frost is over &mdash; with a calendar for every month of the year.</div></td></tr>
<tr><td align="center" vertical-align="middle" style="font-size:0px;padding:10px 25px;word-break:break-word;"><table border="0" cellpadding="0" cellspacing="0" role="presentation" style="border-collapse:separate;line-height:100%%;"><tr><td align="center" bgcolor="#414141" role="presentation" style="border:none;border-radius:3px;cursor:auto;background:#414141;" valign="middle"><a href="https://news.example/read?article=%d&amp;utm_source=mail" style="display:inline-block;background:#414141;color:#ffffff;font-family:Helvetica, Arial, sans-serif;font-size:13px;padding:10px 25px;" target="_blank">Read more</a></td></tr></table></td></tr>
</tbody></table></div></td></tr></tbody></table></div>
<!--[if mso | IE]></td></tr></table><![endif]-->
`, i%60, 18+i%4, i, i)
	}
	b.WriteString(`</div></body></html>`)
	return b.String()
}

// BenchmarkConvert and BenchmarkParse read the same newsletter; the ratio of the two says what judging visibility costs.
func BenchmarkConvert(b *testing.B) {
	src := newsletterOf(220_000)
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Convert(src, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkParse is the yardstick for BenchmarkConvert.
func BenchmarkParse(b *testing.B) {
	src := newsletterOf(220_000)
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := html.Parse(strings.NewReader(src)); err != nil {
			b.Fatal(err)
		}
	}
}
