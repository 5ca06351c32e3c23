package htmltext

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"net/textproto"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/net/html/charset"
)

// mailExpect is an entry of the index of collected messages.
type mailExpect struct {
	File    string
	Stretch bool
	Expect  struct {
		HTML   []string `json:"html_text_contains"`
		Absent []string `json:"text_absent"`
		Links  []string `json:"link_targets"`
	}
}

// TestCollectedMail reads the HTML parts of real messages that lie beside the repository. They are not ours to copy.
func TestCollectedMail(t *testing.T) {
	shared := os.Getenv("MAILGAP_SHARED")
	if shared == "" {
		shared = filepath.Join(moduleRoot(t), "..", "shared")
	}
	data, err := os.ReadFile(filepath.Join(shared, "testmail", "INDEX.json"))
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("the collected messages are missing in CI: %v", err)
		}
		t.Skipf("the collected messages are not here: %v", err)
	}
	var index []mailExpect
	if err := json.Unmarshal(data, &index); err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, m := range index {
		raw, err := os.ReadFile(filepath.Join(shared, "testmail", m.File))
		if err != nil {
			t.Fatal(err)
		}
		src, ok := firstHTML(raw)
		if !ok || len(m.Expect.HTML) == 0 || m.Stretch {
			continue
		}
		checked++
		t.Run(m.File, func(t *testing.T) { checkMail(t, m, mustConvert(t, src)) })
	}
	if checked < 10 {
		t.Errorf("got %d messages with HTML, want at least 10", checked)
	}
}

func checkMail(t *testing.T, m mailExpect, d Doc) {
	t.Helper()
	checkBalanced(t, d)
	checkIndexes(t, d)
	shown := shownText(d)
	for _, w := range m.Expect.HTML {
		if w = strings.Join(strings.Fields(w), " "); !strings.Contains(shown, w) {
			t.Errorf("lost %q:\n%s", w, Render(d))
		}
	}
	for _, w := range m.Expect.Absent {
		if strings.Contains(shown, w) {
			t.Errorf("shows %q", w)
		}
	}
	for _, w := range m.Expect.Links {
		found := false
		for _, l := range d.Links {
			found = found || l.Href == w
		}
		if !found {
			t.Errorf("lost the link %q: %+v", w, d.Links)
		}
	}
}

// firstHTML is a reader just good enough for these messages; the real one is elsewhere.
func firstHTML(raw []byte) (string, bool) {
	msg, err := mail.ReadMessage(bytes.NewReader(raw))
	if err != nil {
		return "", false
	}
	return htmlPart(textproto.MIMEHeader(msg.Header), msg.Body, 0)
}

func htmlPart(h textproto.MIMEHeader, body io.Reader, depth int) (string, bool) {
	mediaType, params, err := mime.ParseMediaType(h.Get("Content-Type"))
	if err != nil || depth > 8 {
		return "", false
	}
	if strings.HasPrefix(mediaType, "multipart/") {
		r := multipart.NewReader(body, params["boundary"])
		for {
			p, err := r.NextRawPart()
			if err != nil {
				return "", false
			}
			if s, ok := htmlPart(p.Header, p, depth+1); ok {
				return s, true
			}
		}
	}
	if mediaType != "text/html" {
		return "", false
	}
	switch strings.ToLower(h.Get("Content-Transfer-Encoding")) {
	case "quoted-printable":
		body = quotedprintable.NewReader(body)
	case "base64":
		body = base64.NewDecoder(base64.StdEncoding, body)
	}
	data, err := io.ReadAll(body)
	if err != nil && len(data) == 0 {
		return "", false
	}
	if dec, err := charset.NewReaderLabel(params["charset"], bytes.NewReader(data)); err == nil {
		if text, err := io.ReadAll(dec); err == nil {
			data = text
		}
	}
	return string(data), true
}
