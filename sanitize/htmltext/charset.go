package htmltext

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"
)

// charsetPrefix is how much of a document may declare its charset (HTML Standard §4.2.5.4), octets.
const charsetPrefix = 1024

// DeclaredCharset returns the label of a charset that the first 1024 octets of src declare in a meta element, in lower
// case, or "". It is a guess of the author, to be used only where the message itself declares nothing.
func DeclaredCharset(src []byte) string {
	z := html.NewTokenizer(bytes.NewReader(src[:min(len(src), charsetPrefix)]))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return ""
		case html.StartTagToken, html.SelfClosingTagToken:
			if t := z.Token(); t.Data == "meta" {
				if cs := metaCharset(t); cs != "" {
					return cs
				}
			}
		}
	}
}

func metaCharset(t html.Token) string {
	content, equiv := "", ""
	for _, a := range t.Attr {
		switch a.Key {
		case "charset":
			return lowerASCII(strings.TrimSpace(a.Val))
		case "content":
			content = lowerASCII(a.Val)
		case "http-equiv":
			equiv = lowerASCII(a.Val)
		}
	}
	_, cs, ok := strings.Cut(content, "charset=")
	if equiv != "content-type" || !ok {
		return ""
	}
	cs = strings.Trim(cs, ` "'`)
	if i := strings.IndexAny(cs, "; \"'"); i >= 0 {
		cs = cs[:i]
	}
	return cs
}
