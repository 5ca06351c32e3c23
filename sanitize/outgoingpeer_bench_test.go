package sanitize

import (
	"fmt"
	"strings"
	"testing"

	"github.com/microcosm-cc/bluemonday"
	"golang.org/x/net/html"
)

// peerPolicy is bluemonday's policy for user content with the styles that this package takes: the nearest thing that is in use.
func peerPolicy() *bluemonday.Policy {
	p := bluemonday.UGCPolicy()
	p.AllowStyling()
	p.AllowStyles("color", "background-color", "border", "border-top", "border-right", "border-bottom", "border-left", "border-color", "border-style", "border-width",
		"border-radius", "border-collapse", "border-spacing", "padding", "padding-top", "padding-right", "padding-bottom", "padding-left", "margin", "margin-top",
		"margin-right", "margin-bottom", "margin-left", "width", "height", "max-width", "min-width", "line-height", "letter-spacing", "word-spacing", "font",
		"font-family", "font-size", "font-style", "font-weight", "font-variant", "vertical-align", "text-align", "text-decoration", "text-transform", "text-indent",
		"white-space", "word-break", "word-wrap", "direction", "list-style", "list-style-type", "display", "float", "clear", "table-layout", "caption-side").Globally()
	return p
}

// BenchmarkOutgoingPeers puts OutgoingHTML beside what others do with the same mails, in one run: bluemonday with styles, and
// the HTML parser and writer alone. MB/s are of the input.
func BenchmarkOutgoingPeers(b *testing.B) {
	policy := peerPolicy()
	for _, kb := range []int{8, 38, 124, 248} {
		src := outgoingNewsletter(kb << 10)
		for _, c := range []struct {
			name string
			run  func() error
		}{
			{"outgoing", func() error { _, err := OutgoingHTML(src, OutgoingOptions{}); return err }},
			{"bluemonday", func() error { _ = policy.Sanitize(src); return nil }},
			{"parse+render", func() error {
				doc, err := html.Parse(strings.NewReader(src))
				if err != nil {
					return err
				}
				var out strings.Builder
				return html.Render(&out, doc)
			}},
		} {
			b.Run(fmt.Sprintf("%dKB/%s", kb, c.name), func(b *testing.B) {
				b.SetBytes(int64(len(src)))
				b.ReportAllocs()
				for b.Loop() {
					if err := c.run(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
