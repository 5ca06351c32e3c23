package fingerprint

import (
	"html"
	"strings"
)

// Limits of the views of one text. What they cut is said.
const (
	maxViews       = 32 // Limit: five encodings, two deep, and the text itself
	viewsGrowth    = 8  // Limit: octets of all decoded views together, as a multiple of the text
	viewsAllowance = 64 << 10
	minRunOctets   = 16 // Limit: shorter runs of base64 or hex hold less than an address
	minTextOctets  = 10 // of decoded octets that read as text; noise gives such a run once in some thousand places
)

// View is one reading of a text.
type View struct {
	Name string // how it was made: "" as it is, or html, percent, quoted-printable, base64, hex, or two of them joined by "+"
	Text string
}

// decoder is one encoding.
type decoder struct {
	name   string
	decode func(string) string // "" if nothing was encoded
}

// decoders are the encodings, in the order in which they are tried.
func decoders() []decoder {
	return []decoder{
		{"html", htmlText}, {"percent", percentText}, {"quoted-printable", quotedPrintableText}, {"base64", base64Text}, {"hex", hexText},
	}
}

// Views lists the readings of text: as it is, and decoded, up to two encodings deep. A reading that holds nothing encoded is left out. The boolean
// says that a limit was met and something was not looked at. Linear in text, and all views together are at most viewsGrowth times as long.
func Views(text string) ([]View, bool) {
	out := []View{{Text: text}}
	seen := map[string]bool{text: true}
	room, cut := viewsGrowth*len(text)+viewsAllowance, false
	for from, depth := 0, 0; depth < 2; depth++ {
		end := len(out)
		for _, v := range out[from:end] {
			for _, d := range decoders() {
				decoded := d.decode(v.Text)
				if decoded == "" || seen[decoded] {
					continue
				}
				if len(decoded) > room || len(out) == maxViews {
					cut = true
					continue
				}
				seen[decoded], room = true, room-len(decoded)
				out = append(out, View{Name: viewName(v.Name, d.name), Text: decoded})
			}
		}
		from = end
	}
	return out, cut
}

// htmlText resolves HTML references. Markup stays: its letters are read too.
func htmlText(s string) string {
	if !strings.Contains(s, "&") {
		return ""
	}
	if u := html.UnescapeString(s); u != s {
		return u
	}
	return ""
}

// percentText resolves %XX, and + as a space beside it (RFC 3986 §2.1).
func percentText(s string) string { return escapes(s, '%') }

// quotedPrintableText resolves =XX and joins soft line breaks (RFC 2045 §6.7).
func quotedPrintableText(s string) string {
	if !strings.Contains(s, "=") {
		return ""
	}
	joined := strings.NewReplacer("=\r\n", "", "=\n", "").Replace(s)
	if d := escapes(joined, '='); d != "" {
		return d
	}
	if joined != s {
		return joined
	}
	return ""
}

// escapes resolves mark XX; "" if there is none.
func escapes(s string, mark byte) string {
	if strings.IndexByte(s, mark) < 0 {
		return ""
	}
	b, found := make([]byte, 0, len(s)), false
	for i := 0; i < len(s); i++ {
		if s[i] == mark && i+2 < len(s) && nibble(s[i+1]) >= 0 && nibble(s[i+2]) >= 0 {
			b, found = append(b, byte(nibble(s[i+1])<<4|nibble(s[i+2]))), true
			i += 2
			continue
		}
		b = append(b, s[i])
	}
	if !found {
		return ""
	}
	return string(b)
}

func nibble(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}
