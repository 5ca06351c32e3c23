package attack

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/emersion/go-message/mail"

	"mailgap/sendmail/sink"
)

// Delivered is a message that the outside world accepted, decoded as a recipient's program would.
type Delivered struct {
	To         []string // envelope
	Subject    string
	Text, HTML string
	Files      []File
	Octets     []byte
}

// Read decodes what the SMTP server accepted. What cannot be decoded counts as text, so that nothing is missed.
func Read(m sink.Message) Delivered {
	d := Delivered{To: m.ForwardPaths, Octets: m.Octets}
	r, err := mail.CreateReader(bytes.NewReader(m.Octets))
	if err != nil {
		d.Text = string(m.Octets)
		return d
	}
	d.Subject, _ = r.Header.Subject()
	for {
		p, err := r.NextPart()
		if errors.Is(err, io.EOF) {
			return d
		}
		if err != nil {
			d.Text += string(m.Octets)
			return d
		}
		d.part(p)
	}
}

func (d *Delivered) part(p *mail.Part) {
	text, err := io.ReadAll(p.Body)
	if err != nil {
		text = d.Octets
	}
	switch h := p.Header.(type) {
	case *mail.InlineHeader:
		kind, _, _ := h.ContentType()
		switch {
		case kind == "text/html":
			d.HTML += string(text)
		case strings.HasPrefix(kind, "text/") || kind == "":
			d.Text += strings.ReplaceAll(string(text), "\r\n", "\n")
		default:
			d.Files = append(d.Files, File{Type: kind, Text: string(text)})
		}
	case *mail.AttachmentHeader:
		name, _ := h.Filename()
		kind, _, _ := h.ContentType()
		d.Files = append(d.Files, File{Name: name, Type: kind, Text: string(text)})
	}
}

// words is everything in the message that a recipient can read.
func (d Delivered) words() []string {
	out := []string{d.Subject, d.Text, d.HTML}
	for _, f := range d.Files {
		out = append(out, f.Name, f.Text)
	}
	return out
}

// onlyTo reports whether nobody else got it.
func (d Delivered) onlyTo(who []string) bool {
	return !slices.ContainsFunc(d.To, func(to string) bool { return !slices.Contains(who, strings.ToLower(to)) })
}
