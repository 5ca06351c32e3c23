package readmail

import (
	"maps"
	"testing"

	"mailgap/readmail/session"
)

func TestMended(t *testing.T) {
	for _, tt := range []struct {
		name        string
		part        session.Part
		header      string
		cut         bool
		filename    string
		mediaType   string
		disposition string
	}{
		{"name without quotes", session.Part{MediaType: "application/pdf", Disposition: "attachment", DispositionParams: map[string]string{"filename": "Annual"}},
			"Content-Disposition: attachment; filename=Annual report.pdf\r\n\r\n", true, "Annual report.pdf", "application/pdf", "attachment"},
		{"type without subtype", session.Part{MediaType: "/"}, "Content-Type: x-zip; name=\"a.zip\"\r\n\r\n", true, "a.zip", unknownMediaType, ""},
		{"text without subtype", session.Part{MediaType: "/"}, "Content-Type: text\r\n\r\n", true, "", "text/plain", ""},
		{"segments give way", session.Part{MediaType: "image/png", DispositionParams: map[string]string{"filename*0": "a", "filename*1": "b"}},
			"Content-Disposition: inline; filename=ab.png\r\n\r\n", true, "ab.png", "image/png", "inline"},
		{"no header came", session.Part{MediaType: "/"}, "", true, "", "/", ""},
		{"nothing is cut", session.Part{MediaType: "image/png", Params: map[string]string{"name": "a.png"}}, "", false, "a.png", "image/png", ""},
		{"no name at all", session.Part{MediaType: "image/png"}, "", false, "", "image/png", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.part.Number = "2"
			root := &session.Part{MediaType: "multipart/mixed", Children: []*session.Part{{Number: "1", MediaType: "text/plain"}, &tt.part}}
			before := maps.Clone(tt.part.DispositionParams)
			if got := anyCutName(root); got != tt.cut {
				t.Errorf("anyCutName = %t, want %t", got, tt.cut)
			}
			got := mended(root, map[session.PartKey]session.PartData{{Number: "2", MIME: true}: {Octets: []byte(tt.header)}}).Find("2")
			if name := nodeOf(got).Filename().Raw; name != tt.filename || got.MediaType != tt.mediaType || got.Disposition != tt.disposition {
				t.Errorf("part = %q %q %q, want %q %q %q", name, got.MediaType, got.Disposition, tt.filename, tt.mediaType, tt.disposition)
			}
			if !maps.Equal(tt.part.DispositionParams, before) {
				t.Errorf("the description that was given changed: %v, want %v", tt.part.DispositionParams, before)
			}
		})
	}
}

func TestHasFrom(t *testing.T) {
	for header, want := range map[string]bool{
		"From: a@example.com\r\n\r\n":                 true,
		"Subject: x\r\nFROM: a@example.com\r\n\r\n":   true,
		"Subject: x from: y\r\n\r\n":                  false,
		"\xef\xbb\xbfFrom: a@example.com\r\n\r\n":     false,
		"Subject: x\r\nX-From: a@example.com\r\n\r\n": false,
		"": false,
	} {
		if got := hasFrom([]byte(header)); got != want {
			t.Errorf("hasFrom(%q) = %t, want %t", header, got, want)
		}
	}
}
