package sanitize

import (
	"strings"

	"mailgap/sanitize/htmltext"
)

// maxOutgoingTarget bounds one link target. Limit: what common browsers and mail gateways take.
const maxOutgoingTarget = 2048

// outgoingTarget gives a link target in canonical spelling, or "". Nothing is guessed: a target with a control, a blank or
// a backslash in it, a user name, no host, or another scheme is no target.
func outgoingTarget(v string) string {
	v = strings.Trim(v, " \t\n\r\f")
	if v == "" || len(v) > maxOutgoingTarget || strings.ContainsFunc(v, func(r rune) bool { return r <= ' ' || r == '\\' || r == 0x7F || oddLetter(r) || blankRune(r) }) {
		return ""
	}
	scheme, rest, ok := strings.Cut(v, ":")
	if !ok {
		return ""
	}
	switch scheme = strings.ToLower(scheme); scheme {
	case "http", "https":
		return webTarget(scheme, rest)
	case "mailto":
		if strings.Trim(rest, "/") == "" || strings.Contains(rest, "//") {
			return ""
		}
		return "mailto:" + encoded(rest)
	case "tel":
		if rest == "" || strings.Trim(rest, "0123456789+-.()*#;=ext") != "" {
			return ""
		}
		return "tel:" + rest
	}
	return ""
}

func webTarget(scheme, rest string) string {
	rest, ok := strings.CutPrefix(rest, "//")
	if !ok {
		return ""
	}
	authority, path := rest, ""
	if k := strings.IndexAny(rest, "/?#"); k >= 0 {
		authority, path = rest[:k], rest[k:]
	}
	// Security: what stands before an @ reads like the host, and a percent-encoded host reads like none.
	if strings.ContainsAny(authority, "@%[]") {
		return ""
	}
	host, port, hasPort := strings.Cut(authority, ":")
	if hasPort && (port == "" || len(port) > 5 || strings.Trim(port, "0123456789") != "") {
		return ""
	}
	ascii, _ := hostNames(host)
	if ascii == "" || !plainHost(ascii) || strings.Contains(ascii, "_") && !strings.Contains(host, "_") {
		return ""
	}
	if again, _ := hostNames(ascii); again != ascii {
		return ""
	}
	if hasPort {
		ascii += ":" + port
	}
	return scheme + "://" + ascii + encoded(path)
}

// encoded percent-encodes what a URL cannot hold; the rest stays as it is.
func encoded(s string) string {
	var b strings.Builder
	for k := 0; k < len(s); k++ {
		if c := s[k]; c > ' ' && c < 0x7F && strings.IndexByte("\"<>`{}|^\\", c) < 0 {
			b.WriteByte(c)
		} else {
			const hex = "0123456789ABCDEF"
			b.Write([]byte{'%', hex[c>>4], hex[c&15]})
		}
	}
	return b.String()
}

// twin says in plain text what doc, the cleaned HTML, shows, and lists its links.
func twin(doc htmltext.Doc) (string, []Link) {
	w := &weaver{reveal: true}
	links := make([]Link, 0, len(doc.Links))
	for i, l := range doc.Links {
		link := w.inspect(l.Href, l.Text, "")
		link.Number = i + 1
		links = append(links, link)
	}
	t := &twinWriter{doc: doc}
	for _, s := range doc.Segments {
		t.segment(s)
	}
	return t.finish(), links
}

// twinWriter writes the plain text line by line.
type twinWriter struct {
	doc    htmltext.Doc
	b      strings.Builder
	line   strings.Builder
	quote  int
	breaks int
	code   bool
}

func (t *twinWriter) segment(s htmltext.Segment) {
	switch s.Kind {
	case htmltext.Text:
		t.text(s.Text)
	case htmltext.Break:
		t.end(s.N)
	case htmltext.HeadingEnd, htmltext.RowEnd:
		t.end(1)
	case htmltext.HeadingStart:
		t.end(2)
	case htmltext.LinkEnd:
		t.target(t.doc.Links[s.N])
	case htmltext.ImageMark:
		if alt := t.doc.Images[s.N].Alt; alt != "" {
			t.line.WriteString(alt)
		}
	case htmltext.QuoteStart, htmltext.QuoteEnd:
		t.end(2)
		t.quote = s.N
		if s.Kind == htmltext.QuoteEnd {
			t.quote--
		}
	case htmltext.ListItem:
		t.end(1)
		t.line.WriteString(strings.Repeat("  ", max(s.N-1, 0)) + s.Text + " ")
	case htmltext.RowStart:
		t.end(1)
	case htmltext.CellSep:
		t.line.WriteString(" | ")
	case htmltext.CodeStart, htmltext.CodeEnd:
		t.end(1)
		t.code = s.Kind == htmltext.CodeStart
	case htmltext.Rule:
		t.end(1)
		t.line.WriteString("----")
		t.end(1)
	}
}

func (t *twinWriter) text(s string) {
	if !t.code {
		t.line.WriteString(s)
		return
	}
	for i, l := range strings.Split(s, "\n") {
		if i > 0 {
			t.end(1)
			if t.line.Len() == 0 && l == "" {
				t.breaks = 2
			}
		}
		t.line.WriteString(l)
	}
}

// target writes where a link leads, unless its text says so.
func (t *twinWriter) target(l htmltext.Link) {
	shown := strings.TrimSpace(l.Text)
	bare := strings.TrimPrefix(strings.TrimPrefix(l.Href, "mailto:"), "tel:")
	if shown == l.Href || shown == bare || "https://"+strings.TrimSuffix(shown, "/") == strings.TrimSuffix(l.Href, "/") {
		return
	}
	t.line.WriteString(" <" + l.Href + ">")
}

// end ends the line; n of 2 asks for a blank line after it.
func (t *twinWriter) end(n int) {
	line := strings.TrimRight(t.line.String(), " ")
	t.line.Reset()
	if line == "" {
		t.breaks = max(t.breaks, n)
		return
	}
	if t.b.Len() > 0 && t.breaks > 1 {
		t.b.WriteString(strings.TrimRight(strings.Repeat("> ", max(t.quote, 0)), " ") + "\n")
	}
	t.b.WriteString(strings.Repeat("> ", max(t.quote, 0)) + line + "\n")
	t.breaks = n
}

func (t *twinWriter) finish() string {
	t.end(1)
	return t.b.String()
}
