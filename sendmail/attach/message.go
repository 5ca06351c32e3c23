package attach

import (
	"bytes"
	"encoding/base64"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"strings"
)

const (
	maxMessageParts   = 200 // Limit: of one attached message
	maxMultipartDepth = 10  // Limit: multiparts inside each other; four are common
)

// isMessage: a header that a mail has, and text all through.
func isMessage(b []byte) bool {
	m, err := mail.ReadMessage(bytes.NewReader(b))
	if err != nil || bytes.IndexByte(b, 0) >= 0 {
		return false
	}
	h := m.Header
	return h.Get("From") != "" && (h.Get("Date") != "" || h.Get("Message-Id") != "" || h.Get("Subject") != "" || h.Get("Received") != "")
}

// messageDanger looks at the parts of an attached message, so that a program does not travel inside one.
func messageDanger(b []byte, depth int) error {
	if depth >= maxNesting {
		return ErrTypeRefused
	}
	m, err := mail.ReadMessage(bytes.NewReader(b))
	if err != nil {
		return ErrTypeMismatch
	}
	w := &messageWalk{nesting: depth, left: maxMessageParts}
	return w.part(m.Header.Get, m.Body, 0)
}

// messageWalk goes through the parts of one message; nesting counts the messages and archives around it.
type messageWalk struct{ nesting, left int }

func (w *messageWalk) part(get func(string) string, body io.Reader, depth int) error {
	if w.left--; w.left < 0 || depth > maxMultipartDepth {
		return ErrTypeRefused
	}
	mediaType, params, err := mime.ParseMediaType(get("Content-Type"))
	if err != nil {
		mediaType, params = "text/plain", nil
	}
	if !strings.HasPrefix(mediaType, "multipart/") {
		return leafDanger(get, mediaType, params["name"], body, w.nesting)
	}
	mr := multipart.NewReader(body, params["boundary"])
	for {
		p, err := mr.NextRawPart()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return ErrTypeMismatch // it cannot be looked into
		}
		if err := w.part(p.Header.Get, p, depth+1); err != nil {
			return err
		}
	}
}

func leafDanger(get func(string) string, mediaType, name string, body io.Reader, nesting int) error {
	if _, params, err := mime.ParseMediaType(get("Content-Disposition")); err == nil && params["filename"] != "" {
		name = params["filename"]
	}
	if decoded, err := new(mime.WordDecoder).DecodeHeader(name); err == nil {
		name = decoded
	}
	switch strings.ToLower(strings.TrimSpace(get("Content-Transfer-Encoding"))) {
	case "base64":
		body = base64.NewDecoder(base64.StdEncoding, body)
	case "quoted-printable":
		body = quotedprintable.NewReader(body)
	}
	octets, _ := io.ReadAll(body) // what can be decoded is judged
	if name == "" && strings.HasPrefix(mediaType, "text/") {
		if !isText(octets) && program(octets) {
			return ErrExecutable
		}
		return nil // the message's own text, HTML included
	}
	ext := extension(strings.TrimRight(name, " ."))
	if mediaType == "message/rfc822" {
		ext = "eml"
	}
	return danger(ext, octets, nesting+1)
}
