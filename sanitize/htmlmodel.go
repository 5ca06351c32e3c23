package sanitize

import (
	"strings"

	"golang.org/x/net/html"
)

// HTML makes untrusted HTML fit for a model: the text a person would see, then the passes of ForModel.
func HTML(src string, o Options) Result {
	z := html.NewTokenizer(strings.NewReader(src))
	var b strings.Builder
	for {
		switch z.Next() {
		case html.ErrorToken:
			return ForModel(b.String(), o)
		case html.TextToken:
			b.Write(z.Text())
		}
	}
}
