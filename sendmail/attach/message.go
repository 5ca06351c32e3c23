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

const maxMessageParts = 200 // Limit: of one attached message

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
	parts := maxMessageParts
	return partDanger(m.Header.Get, m.Body, depth, &parts)
}

func partDanger(get func(string) string, body io.Reader, depth int, left *int) error {
	if *left--; *left < 0 || depth > maxNesting {
		return ErrTypeRefused
	}
	mediaType, params, err := mime.ParseMediaType(get("Content-Type"))
	if err != nil {
		mediaType, params = "text/plain", nil
	}
	if !strings.HasPrefix(mediaType, "multipart/") {
		return leafDanger(get, mediaType, params["name"], body, depth)
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
		if err := partDanger(p.Header.Get, p, depth+1, left); err != nil {
			return err
		}
	}
}

func leafDanger(get func(string) string, mediaType, name string, body io.Reader, depth int) error {
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
		return nil // the message's own text, HTML included
	}
	ext := extension(strings.TrimRight(name, " ."))
	if mediaType == "message/rfc822" {
		ext = "eml"
	}
	return danger(ext, octets, depth+1)
}
