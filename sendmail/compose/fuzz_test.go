package compose

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mailgap/shared/addr"
)

// FuzzCompose: every draft that composes reads back to the same facts, holds its limits, and has no field but ours.
func FuzzCompose(f *testing.F) {
	f.Add("jane@example.com", "Jane", "Hello", "Text\n", "a.txt", "1@example.com", []byte("x"), false)
	f.Add("info@bücher.example", "Jörg, (x)", "Grüße =?utf-8?q?x?=", "From \n.\nx \r\n\ry", "Ü b%\"'.pdf", "a:b@c", []byte("\r\n--=_"), true)
	f.Add("jürgen@example.com", "", "  two  spaces ", strings.Repeat("ü", 600), strings.Repeat("ж", 100), "", []byte(""), true)
	f.Add("a@b.example", "=?", strings.Repeat("a", 1200), "\u2028\u0085\x1b", "a\u202eb", "x@[1.2.3.4]", []byte("From: x@y\n\nz\n"), false)
	f.Fuzz(func(t *testing.T, to, person, subject, text, file, parent string, octets []byte, allow8 bool) {
		a, err := addr.ParseSpec(to)
		if err != nil {
			a = address(t, "john@example.net")
		}
		d := Draft{From: named(t, person, "jane@example.com"), To: []addr.Address{a}, Cc: addresses(t, "cc@example.net"), Bcc: addresses(t, "hidden@blind.example"),
			Subject: subject, Text: text, Quote: &Quote{Attribution: "wrote:", Text: text}, Signature: person, InReplyTo: parent}
		if file != "" {
			d.Attachments = []Attachment{{file, "application/pdf", octets}, {"m.eml", messageType, octets}}
		}
		o := fixed()
		o.Allow8Bit = allow8
		m, err := Compose(d, o)
		if errors.Is(err, ErrNotFaithful) {
			t.Fatalf("a draft that was accepted does not read back: %v", err)
		}
		if err != nil {
			return
		}
		checkMessage(t, m, d, allow8)
	})
}

func checkMessage(t *testing.T, m *Message, d Draft, allow8 bool) {
	t.Helper()
	if m.Facts.Subject != d.Subject || m.Facts.From != d.From || m.Facts.To[0] != d.To[0] || m.Facts.InReplyTo != d.InReplyTo || m.Facts.Text != BodyText(d) {
		t.Fatalf("facts differ: %+v", m.Facts)
	}
	if len(d.Attachments) > 0 && (m.Facts.Attachments[0].Name != d.Attachments[0].Name || m.Facts.Attachments[0].Size != int64(len(d.Attachments[0].Octets))) {
		t.Fatalf("attachment differs: %+v", m.Facts.Attachments[0])
	}
	head, _, _ := bytes.Cut(m.Octets, []byte("\r\n\r\n"))
	if bytes.Contains(head, []byte("blind.example")) || checkFieldNames(string(head)) != nil || checkOctets(m.Octets) != nil {
		t.Fatalf("header:\n%s", head)
	}
	if has8Bit(head) && !m.NeedsSMTPUTF8 || m.Has8Bit && !allow8 && !m.NeedsSMTPUTF8 {
		t.Fatalf("8bit where it was not asked for:\n%s", head)
	}
}

// FuzzReadBack: whatever the octets are, no panic; and what is accepted has no field outside the list, no blind recipient.
func FuzzReadBack(f *testing.F) {
	golden, err := filepath.Glob(testdata(f, "compose-*.eml"))
	if err != nil || len(golden) < 12 {
		f.Fatalf("golden messages: %d, %v", len(golden), err)
	}
	for _, path := range golden {
		octets, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(octets)
	}
	f.Fuzz(func(t *testing.T, octets []byte) {
		facts, err := ReadBack(octets)
		if err != nil {
			if !errors.Is(err, ErrNotFaithful) {
				t.Fatal(err)
			}
			return
		}
		head, _, _ := bytes.Cut(octets, []byte("\r\n\r\n"))
		if facts.From.IsZero() || facts.MessageID == "" || bytes.Contains(bytes.ToLower(head), []byte("\nbcc")) {
			t.Fatalf("accepted: %+v", facts)
		}
		facts.Identity(nil)
	})
}

func BenchmarkCompose(b *testing.B) {
	d := draft(b)
	d.Text = strings.Repeat("Eine Zeile mit Umlauten wie ä und ü, und noch ein paar Wörter mehr.\n", 1450)
	b.SetBytes(int64(len(d.Text)))
	for b.Loop() {
		if _, err := Compose(d, fixed()); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkComposeWithAttachment(b *testing.B) {
	d := draft(b)
	d.Attachments = []Attachment{{"a.pdf", "application/pdf", make([]byte, 5<<20)}}
	b.SetBytes(5 << 20)
	for b.Loop() {
		if _, err := Compose(d, fixed()); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkReadBack(b *testing.B) {
	d := draft(b)
	d.Text = strings.Repeat("Eine Zeile mit Umlauten wie ä und ü, und noch ein paar Wörter mehr.\n", 1450)
	octets := mustCompose(b, d, fixed()).Octets
	b.SetBytes(int64(len(octets)))
	for b.Loop() {
		if _, err := ReadBack(octets); err != nil {
			b.Fatal(err)
		}
	}
}
