package provenance

import (
	"bytes"
	"context"
	"strings"
	"time"

	"golang.org/x/net/html"

	"mailgap/confirm"
)

const (
	maxFileText = 1 << 20       // octets of all attachments that are compared
	liveFor     = 8 * time.Hour // how long a confidential message that was read counts
)

// files is the text of the attachments that are text, and the names of all.
func (a *assessment) files() string {
	var b strings.Builder
	for _, f := range a.out.Files {
		b.WriteString(f.Name + "\n")
		if text := textOf(f); text != "" && b.Len() < maxFileText {
			b.WriteString(text[:min(len(text), maxFileText-b.Len())] + "\n\n")
		}
	}
	return b.String()
}

// textOf is what can be compared of a file. Mail, calendars and cards are taken as they are: their encodings are views of a text.
func textOf(f File) string {
	media, _, _ := strings.Cut(strings.ToLower(f.MediaType), ";")
	switch strings.TrimSpace(media) {
	case "text/html", "application/xhtml+xml":
		return htmlText(f.Octets)
	case "message/rfc822", "application/json", "application/xml":
		return string(f.Octets)
	}
	if strings.HasPrefix(media, "text/") {
		return wide(f.Octets)
	}
	return ""
}

// wide reads UTF-16, which spreadsheets write, as the ASCII in it; everything else stays.
func wide(b []byte) string {
	if bytes.HasPrefix(b, []byte{0xff, 0xfe}) || bytes.HasPrefix(b, []byte{0xfe, 0xff}) {
		return string(bytes.ReplaceAll(b[2:], []byte{0}, nil))
	}
	return string(b)
}

// htmlText is the text between the tags, hidden or not, and the values of attributes, where data can hide too.
func htmlText(octets []byte) string {
	var b strings.Builder
	z := html.NewTokenizer(bytes.NewReader(octets))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return b.String()
		case html.TextToken, html.CommentToken:
			b.Write(z.Text())
		case html.StartTagToken, html.SelfClosingTagToken:
			for more := true; more; {
				var value []byte
				_, value, more = z.TagAttr()
				if len(value) > 0 {
					b.WriteByte(' ')
					b.Write(value)
				}
			}
		}
	}
}

// unread names the attachments that could not be looked into. It is never said that they are clean.
func (a *assessment) unread() {
	var names []string
	octets := 0
	for _, f := range a.out.Files {
		octets += len(textOf(f))
		if len(f.Octets) > 0 && textOf(f) == "" && len(names) < maxShown {
			names = append(names, cut(f.Name, 200))
		}
	}
	if len(names) > 0 {
		a.note(confirm.Say("Not inspectable: it is not known whether these attachments hold text of mail that was read:"), names...)
	}
	if octets > maxFileText {
		a.note(confirm.Say("Not inspectable in full: the attachments hold more text than is compared."))
	}
}

// live raises the level while confidential mail was read a short time ago, for recipients who were not on it, whether or not its text is
// found in the message: a summary leaves no trace.
func (a *assessment) live(ctx context.Context) {
	read, m, ok, err := a.book.Confidential(ctx, a.now.Add(-liveFor))
	if a.fault(err) || !ok {
		return
	}
	if outside := a.outsiders(m.Facts); len(outside) > 0 {
		a.find(CodeConfidentialLive, confirm.Say("Confidential mail was read a short time ago, and these recipients were not on it. Text that was put into other words is not recognised:"),
			append([]string{"read on " + at(read) + ": " + a.title(m)}, a.names(outside)...)...)
	}
}
