//go:build unix

package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/mail"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// testPictures sends HTML that shows an attached picture, and reads what arrived part by part.
func (r postfixRun) testPictures(t *testing.T) {
	r = r.at(t, r.Addr(), "starttls")
	picture := noise(t)
	for name, octets := range map[string][]byte{"Übersicht.png": picture, "notes.txt": []byte("x\n")} {
		if err := os.WriteFile(filepath.Join(r.attachments, name), octets, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got := r.start(t, true).mustSend(t, mailFields{"to": []string{box("pictures")}, "subject": "picture", "attachments": []string{"Übersicht.png", "notes.txt"},
		"html": `<p>Grüße: <img src="cid:Übersicht.png" alt="overview"></p>`})
	d := r.Await(t, "pictures", 1)[0]
	r.checkDelivered(t, got, d)
	m, err := mail.ReadMessage(bytes.NewReader(d.Octets))
	if err != nil {
		t.Fatal(err)
	}
	var parts []arrivedPart
	walkParts(t, m.Header.Get, m.Body, "", &parts)
	wantPaths := []string{"mixed/alternative/text/plain", "mixed/alternative/related/text/html", "mixed/alternative/related/image/png", "mixed/text/plain"}
	if len(parts) != len(wantPaths) {
		t.Fatalf("got %d parts, want %d", len(parts), len(wantPaths))
	}
	for k, p := range parts {
		if p.path != wantPaths[k] {
			t.Errorf("part %d: got %s, want %s", k, p.path, wantPaths[k])
		}
	}
	id := strings.Trim(parts[2].get("Content-Id"), "<>")
	if html := parts[1].content; id == "" || strings.Count(html, `src="cid:`+id+`"`) != 1 || strings.Contains(html, "Übersicht") {
		t.Errorf("the picture has the id %q, the HTML is %s", id, html)
	}
	if parts[2].content != string(picture) || !strings.Contains(parts[0].content, "overview") {
		t.Errorf("the picture arrived with %d octets, want %d; the text is %q", len(parts[2].content), len(picture), parts[0].content)
	}
	sum := sha256.Sum256(picture)
	if q := got.Questions[0]; !strings.Contains(q, "Inline image 1/1") || !strings.Contains(strings.ReplaceAll(q, " ", ""), hex.EncodeToString(sum[:])[:16]) {
		t.Errorf("the question does not show the picture:\n%s", q)
	}
}

// arrivedPart is one part that is no multipart, with the types around it.
type arrivedPart struct {
	path    string
	get     func(string) string
	content string
}

func walkParts(t *testing.T, get func(string) string, body io.Reader, path string, out *[]arrivedPart) {
	t.Helper()
	mediaType, params, err := mime.ParseMediaType(get("Content-Type"))
	if err != nil {
		t.Fatal(err)
	}
	kind, isMultipart := strings.CutPrefix(mediaType, "multipart/")
	if !isMultipart {
		*out = append(*out, arrivedPart{path + mediaType, get, decoded(t, get("Content-Transfer-Encoding"), body)})
		return
	}
	for parts := multipart.NewReader(body, params["boundary"]); ; {
		p, err := parts.NextRawPart()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		walkParts(t, p.Header.Get, p, path+kind+"/", out)
	}
}
