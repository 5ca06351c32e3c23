package sendmail

import (
	"bytes"
	"context"
	"encoding/base64"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"net/textproto"
	"strings"
	"unicode/utf8"

	"mailgap/confirm"
)

const (
	maxViewDepth     = 8        // nested parts; compose writes three levels at most
	maxPreviewOctets = 2 << 10  // of a text: its first lines
	maxPictureOctets = 4 << 20  // Limit: a picture that is larger is not drawn on the page
	maxPictures      = 20 << 20 // octets of all pictures together
)

// view is what a page shows besides the question. All of it is read from the frozen octets, and none of it decides.
func (s *Server) view(p *pending) confirm.View {
	v := confirm.View{HTML: p.message.Facts.HTML, Source: p.message.Octets, Inline: map[string]confirm.Image{}}
	if p.answers != "" {
		v.Answers = append(v.Answers, confirm.Fact{Label: confirm.Say("The message that it answers or forwards, as the AI assistant names it"), Value: p.answers})
	}
	if u, err := s.outbox.Usage(context.Background()); err == nil {
		v.Quota = confirm.Quota{Left: max(u.Max-u.Used, 0), Of: u.Max, Per: confirm.Say("in any hour")}
	}
	files := viewed{view: &v, room: maxPictures}
	m, err := mail.ReadMessage(bytes.NewReader(p.message.Octets))
	if err != nil { // it was read back before
		return v
	}
	files.part(textproto.MIMEHeader(m.Header), m.Body, 0)
	v.Previews = append(files.inline, files.attached...)
	return v
}

// viewed collects looks into the files of a message, in the order in which the question lists them.
type viewed struct {
	view             *confirm.View
	inline, attached []confirm.Preview
	room             int
}

// part looks into one part and those within it. What cannot be read is left out: the octets were read back by two parsers
// before, and this is for looking only.
func (v *viewed) part(h textproto.MIMEHeader, body io.Reader, depth int) {
	mediaType, params, err := mime.ParseMediaType(h.Get("Content-Type"))
	if err != nil || depth > maxViewDepth {
		return
	}
	if strings.HasPrefix(mediaType, "multipart/") {
		r := multipart.NewReader(body, params["boundary"])
		for {
			p, err := r.NextRawPart()
			if err != nil {
				return
			}
			v.part(p.Header, p, depth+1)
		}
	}
	id := strings.Trim(h.Get("Content-Id"), "<>")
	disposition, _, _ := mime.ParseMediaType(h.Get("Content-Disposition"))
	if disposition == "" {
		return // text and HTML, which the question holds
	}
	preview := v.preview(mediaType, decoded(h.Get("Content-Transfer-Encoding"), body))
	if disposition == "inline" && id != "" {
		if preview.Image != nil {
			v.view.Inline[id] = *preview.Image
		}
		v.inline = append(v.inline, preview)
		return
	}
	v.attached = append(v.attached, preview)
}

func decoded(encoding string, body io.Reader) io.Reader {
	switch strings.ToLower(encoding) {
	case "base64":
		return base64.NewDecoder(base64.StdEncoding, body)
	case "quoted-printable":
		return quotedprintable.NewReader(body)
	}
	return body
}

// preview is the beginning of a text, or a picture.
func (v *viewed) preview(mediaType string, body io.Reader) confirm.Preview {
	if raster(mediaType) {
		octets, err := io.ReadAll(io.LimitReader(body, int64(min(maxPictureOctets, v.room))+1))
		if err != nil || len(octets) > min(maxPictureOctets, v.room) {
			return confirm.Preview{}
		}
		v.room -= len(octets)
		return confirm.Preview{Image: &confirm.Image{MediaType: mediaType, Octets: octets}}
	}
	if !strings.HasPrefix(mediaType, "text/") {
		return confirm.Preview{}
	}
	octets, err := io.ReadAll(io.LimitReader(body, maxPreviewOctets+1))
	if err != nil {
		return confirm.Preview{}
	}
	more := len(octets) > maxPreviewOctets
	if more {
		octets = octets[:maxPreviewOctets]
		for len(octets) > 0 && !utf8.Valid(octets) && len(octets) > maxPreviewOctets-utf8.UTFMax {
			octets = octets[:len(octets)-1]
		}
	}
	return confirm.Preview{Text: string(octets), More: more}
}
