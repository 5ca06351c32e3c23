package demo

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"mime"
	"mime/multipart"
	"net/mail"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// leaves calls visit for each part that is not a multipart, with its decoded content.
func leaves(t *testing.T, header func(string) string, body io.Reader, visit func(mediaType, name string, content []byte)) {
	t.Helper()
	mediaType, params, err := mime.ParseMediaType(header("Content-Type"))
	if err != nil {
		t.Fatalf("%v in %q", err, header("Content-Type"))
	}
	if !strings.HasPrefix(mediaType, "multipart/") {
		if header("Content-Transfer-Encoding") == "base64" {
			body = base64.NewDecoder(base64.StdEncoding, body)
		}
		content, err := io.ReadAll(body)
		if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) { // one message has no closing boundary
			t.Fatal(err)
		}
		visit(mediaType, params["name"], content)
		return
	}
	r := multipart.NewReader(body, params["boundary"])
	for {
		p, err := r.NextRawPart()
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		leaves(t, p.Header.Get, p, visit)
	}
}

// Each kind of file is there and opens.
func TestAttachmentsAreValid(t *testing.T) {
	seen := map[string]int{}
	for _, box := range load(t) {
		for _, m := range box.Messages {
			msg, err := mail.ReadMessage(bytes.NewReader(m.Raw))
			if err != nil {
				t.Fatal(err)
			}
			leaves(t, msg.Header.Get, msg.Body, func(mediaType, name string, content []byte) {
				seen[mediaType]++
				if err := open(mediaType, content); err != nil {
					t.Errorf("%s %q: %v", mediaType, name, err)
				}
			})
		}
	}
	const office = "application/vnd.openxmlformats-officedocument."
	for _, want := range []string{"application/pdf", office + "wordprocessingml.document", office + "spreadsheetml.sheet",
		office + "presentationml.presentation", "application/vnd.oasis.opendocument.text", "text/csv", "text/calendar", "text/vcard",
		"image/png", "message/rfc822", "application/ms-tnef", "message/delivery-status"} {
		if seen[want] == 0 {
			t.Errorf("no part is %s", want)
		}
	}
}

func open(mediaType string, content []byte) error {
	switch {
	case mediaType == "image/png":
		_, err := png.Decode(bytes.NewReader(content))
		return err
	case mediaType == "application/pdf":
		return openPDF(content)
	case strings.HasPrefix(mediaType, "application/vnd."):
		return openArchive(content)
	case mediaType == "message/rfc822":
		_, err := mail.ReadMessage(bytes.NewReader(content))
		return err
	}
	return nil
}

// openArchive reads every file, which checks the sums, and parses the XML.
func openArchive(content []byte) error {
	r, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return err
	}
	for _, f := range r.File {
		rc, err := f.Open()
		if err != nil {
			return err
		}
		text, err := io.ReadAll(rc)
		rc.Close()
		if err != nil {
			return err
		}
		if f.Name == "mimetype" {
			continue
		}
		dec := xml.NewDecoder(bytes.NewReader(text))
		for {
			if _, err := dec.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return errors.New(f.Name + ": " + err.Error())
			}
		}
	}
	return nil
}

var xrefEntry = regexp.MustCompile(`(?m)^([0-9]{10}) 00000 n $`)

// openPDF checks that the cross-reference table points at the objects.
func openPDF(content []byte) error {
	if !bytes.HasPrefix(content, []byte("%PDF-")) || !bytes.HasSuffix(content, []byte("%%EOF\n")) {
		return errors.New("no PDF header or end mark")
	}
	for i, m := range xrefEntry.FindAllSubmatch(content, -1) {
		at, err := strconv.Atoi(string(m[1]))
		if err != nil {
			return err
		}
		if !bytes.HasPrefix(content[at:], []byte(strconv.Itoa(i+1)+" 0 obj\n")) {
			return errors.New("xref entry " + strconv.Itoa(i+1) + " points elsewhere")
		}
	}
	return nil
}
