package compose

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io"
	"net/mail"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"mailgap/shared/addr"
)

func TestComposeRefuses(t *testing.T) {
	long := strings.Repeat("a", 300)
	tests := []struct {
		name   string
		change func(*Draft, *Options)
		want   error
	}{
		{"no sender", func(d *Draft, _ *Options) { d.From = addr.Address{} }, ErrSender},
		{"sender made by hand", func(d *Draft, _ *Options) { d.From.LocalPart = "a> <b" }, ErrSender},
		{"sender with capitals in the domain", func(d *Draft, _ *Options) { d.From.Domain = "Example.com" }, ErrSender},
		{"break in the display name", func(d *Draft, _ *Options) { d.From.DisplayName = "a\r\nBcc: x@example.net" }, ErrSender},
		{"encoded-word in the display name", func(d *Draft, _ *Options) { d.From.DisplayName = "=?utf-8?q?x?=" }, ErrSender},
		{"endless display name", func(d *Draft, _ *Options) { d.From.DisplayName = long }, ErrSender},
		{"nobody", func(d *Draft, _ *Options) { d.To = nil }, ErrNoRecipient},
		{"recipient made by hand", func(d *Draft, _ *Options) { d.To[0].LocalPart = "a\r\nBcc: b" }, ErrRecipient},
		{"recipient with a name", func(d *Draft, _ *Options) { d.To[0].DisplayName = "The Boss" }, ErrRecipient},
		{"subject too long", func(d *Draft, _ *Options) { d.Subject = strings.Repeat("a", 5000) }, ErrHeaderValue},
		{"subject not UTF-8", func(d *Draft, _ *Options) { d.Subject = "\xff" }, ErrHeaderValue},
		{"text not UTF-8", func(d *Draft, _ *Options) { d.Text = "\xff" }, ErrText},
		{"NUL in the text", func(d *Draft, _ *Options) { d.Text = "a\x00" }, ErrText},
		{"NUL in the quote", func(d *Draft, _ *Options) { d.Quote = &Quote{Text: "a\x00"} }, ErrText},
		{"parent id without brackets' content", func(d *Draft, _ *Options) { d.InReplyTo = "18c3a" }, ErrMessageID},
		{"parent id with a break", func(d *Draft, _ *Options) { d.InReplyTo = "a@b\r\nX: y" }, ErrMessageID},
		{"chain with brackets", func(d *Draft, _ *Options) { d.References = []string{"a@b> <c@d"} }, ErrMessageID},
		{"chain too long", func(d *Draft, _ *Options) { d.References = slices.Repeat([]string{long + "@x"}, 4) }, ErrMessageID},
		{"given id malformed", func(_ *Draft, o *Options) { o.MessageID = "a b@c" }, ErrMessageID},
		{"file name with a path", func(d *Draft, _ *Options) { d.Attachments = []Attachment{{"../a.txt", "text/plain", nil}} }, ErrAttachment},
		{"file name with a break", func(d *Draft, _ *Options) { d.Attachments = []Attachment{{"a\r\nX: y", "text/plain", nil}} }, ErrAttachment},
		{"file name with an encoded-word", func(d *Draft, _ *Options) { d.Attachments = []Attachment{{"=?utf-8?q?x?=", "text/plain", nil}} }, ErrAttachment},
		{"media type with a parameter", func(d *Draft, _ *Options) { d.Attachments = []Attachment{{"a", "text/plain; name=x", nil}} }, ErrAttachment},
		{"media type with a break", func(d *Draft, _ *Options) { d.Attachments = []Attachment{{"a", "text/plain\r\nX: y", nil}} }, ErrAttachment},
		{"multipart attachment", func(d *Draft, _ *Options) { d.Attachments = []Attachment{{"a", "multipart/mixed", nil}} }, ErrAttachment},
		{"too large", func(d *Draft, o *Options) { o.MaxBytes, d.Text = 1000, strings.Repeat("a\n", 500) }, ErrTooLarge},
		{"too large by its encoding", func(d *Draft, o *Options) {
			o.MaxBytes, d.Attachments = 1500, []Attachment{{"a.pdf", "application/pdf", make([]byte, 1200)}}
		}, ErrTooLarge},
		{"no clock", func(_ *Draft, o *Options) { o.Clock = nil }, ErrRandom},
		{"no random source", func(_ *Draft, o *Options) { o.Random = nil }, ErrRandom},
		{"random source ends", func(_ *Draft, o *Options) { o.Random = strings.NewReader("short") }, ErrRandom},
		{"clock before mail", func(_ *Draft, o *Options) { o.Clock = func() time.Time { return time.Time{} } }, ErrHeaderValue},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			d, o := draft(t), fixed()
			tc.change(&d, &o)
			m, err := Compose(d, o)
			if !errors.Is(err, tc.want) || m != nil {
				t.Errorf("got %v, want %v", err, tc.want)
			}
		})
	}
}

// TestHeaderInjection: no line break, in no field, opens another.
func TestHeaderInjection(t *testing.T) {
	for _, br := range []string{"\n", "\v", "\f", "\r", "\r\n", "\u0085", "\u2028", "\u2029", "\x00", "\x1b", "\x7f"} {
		for _, shape := range []string{"a%sBcc: x@example.net", "%s", "a%s", "%sa", "a%s b"} {
			value := strings.ReplaceAll(shape, "%s", br)
			for name, change := range map[string]func(*Draft){
				"subject":      func(d *Draft) { d.Subject = value },
				"display name": func(d *Draft) { d.From.DisplayName = value },
				"file name":    func(d *Draft) { d.Attachments = []Attachment{{value, "text/plain", []byte("x")}} },
				"media type":   func(d *Draft) { d.Attachments = []Attachment{{"a", value, []byte("x")}} },
				"parent id":    func(d *Draft) { d.InReplyTo = value + "@example.com" },
				"chain":        func(d *Draft) { d.References = []string{value + "@example.com"} },
				"recipient":    func(d *Draft) { d.To[0].LocalPart = value },
				"domain":       func(d *Draft) { d.Bcc = []addr.Address{{LocalPart: "a", Domain: value}} },
			} {
				d := draft(t)
				change(&d)
				if _, err := Compose(d, fixed()); err == nil {
					t.Errorf("%s with %q passed", name, value)
				}
			}
		}
	}
}

func TestMessage(t *testing.T) {
	d := draft(t)
	d.To, d.Cc, d.Bcc = addresses(t, "a@example.net", "b@example.net"), addresses(t, "A@example.net", "c@bücher.example"), addresses(t, "d@example.org")
	m := mustCompose(t, d, fixed())
	if want := []string{"a@example.net", "b@example.net", "c@xn--bcher-kva.example", "d@example.org"}; m.Envelope.ReversePath != "jane@example.com" || !slices.Equal(m.Envelope.ForwardPaths, want) {
		t.Errorf("envelope: got %+v, want %v", m.Envelope, want)
	}
	if bytes.Contains(bytes.ToLower(m.Octets), []byte("bcc")) || bytes.Contains(m.Octets, []byte("d@example.org")) {
		t.Error("the blind recipient is in the message")
	}
	if host, err := os.Hostname(); err == nil && len(host) > 3 && bytes.Contains(m.Octets, []byte(host)) {
		t.Error("the host name is in the message")
	}
	if m.SHA256 != sha256.Sum256(m.Octets) || m.MessageID != "00000000000000010000000000000002@example.com" || m.Has8Bit || m.NeedsSMTPUTF8 {
		t.Errorf("got %+v", m)
	}
	again := mustCompose(t, d, fixed())
	if !bytes.Equal(m.Octets, again.Octets) {
		t.Error("two compositions from one clock and one random source differ")
	}
	o := fixed()
	o.Random = io.MultiReader(bytes.NewReader(make([]byte, 8)), &counter{n: 77})
	if other := mustCompose(t, d, o); other.MessageID == m.MessageID || other.Identity != m.Identity {
		t.Error("another random source must change the Message-ID and not the identity")
	}
	o = fixed()
	o.MessageID = m.MessageID
	if retry := mustCompose(t, d, o); retry.MessageID != m.MessageID {
		t.Errorf("retry: got %q", retry.MessageID)
	}
}

func TestIdentity(t *testing.T) {
	base := mustCompose(t, draft(t), fixed())
	same := map[string]func(*Draft, *Options){
		"date":             func(_ *Draft, o *Options) { o.Clock = func() time.Time { return time.Unix(1e9, 0) } },
		"message id":       func(_ *Draft, o *Options) { o.MessageID = "x@example.com" },
		"8bit":             func(_ *Draft, o *Options) { o.Allow8Bit = true },
		"line ends":        func(d *Draft, _ *Options) { d.Text = strings.ReplaceAll(d.Text, "\n", "\r\n") },
		"case":             func(d *Draft, _ *Options) { d.To = addresses(t, "John@EXAMPLE.net") },
		"chain":            func(d *Draft, _ *Options) { d.References = []string{"a@b"} },
		"repeated address": func(d *Draft, _ *Options) { d.To = addresses(t, "john@example.net", "john@example.net") },
	}
	for name, change := range same {
		d, o := draft(t), fixed()
		change(&d, &o)
		if got := mustCompose(t, d, o).Identity; got != base.Identity {
			t.Errorf("%s changes the identity", name)
		}
	}
	file := Attachment{"a.txt", "text/plain", []byte("x")}
	other := map[string]func(*Draft){
		"subject":        func(d *Draft) { d.Subject += "!" },
		"text":           func(d *Draft) { d.Text += "!" },
		"space":          func(d *Draft) { d.Text = " " + d.Text },
		"html":           func(d *Draft) { d.HTML = "<p>" },
		"sender":         func(d *Draft) { d.From = address(t, "other@example.com") },
		"name":           func(d *Draft) { d.From.DisplayName = "Other" },
		"to":             func(d *Draft) { d.To = addresses(t, "x@example.net") },
		"cc":             func(d *Draft) { d.Cc = addresses(t, "x@example.net") },
		"bcc":            func(d *Draft) { d.Bcc = addresses(t, "x@example.net") },
		"to as cc":       func(d *Draft) { d.Cc, d.To = d.To, nil },
		"to as bcc":      func(d *Draft) { d.Bcc, d.To = d.To, nil },
		"parent":         func(d *Draft) { d.InReplyTo = "a@b" },
		"file":           func(d *Draft) { d.Attachments = []Attachment{file} },
		"file name":      func(d *Draft) { d.Attachments = []Attachment{{"b.txt", "text/plain", []byte("x")}} },
		"file type":      func(d *Draft) { d.Attachments = []Attachment{{"a.txt", "text/csv", []byte("x")}} },
		"file content":   func(d *Draft) { d.Attachments = []Attachment{{"a.txt", "text/plain", []byte("y")}} },
		"file twice":     func(d *Draft) { d.Attachments = []Attachment{file, file} },
		"signature":      func(d *Draft) { d.Signature = "x" },
		"subject border": func(d *Draft) { d.Subject, d.Text = d.Subject+"\u00a0Hello", "John,\n\nsee you.\n" },
	}
	seen := map[[32]byte]string{base.Identity: "base"}
	for name, change := range other {
		d := draft(t)
		change(&d)
		got := mustCompose(t, d, fixed()).Identity
		if twin, found := seen[got]; found {
			t.Errorf("%s and %s have one identity", name, twin)
		}
		seen[got] = name
	}
	d := draft(t)
	d.From = named(t, "J", "ane@example.com")
	border := mustCompose(t, d, fixed()).Identity
	if d.From = named(t, "Ja", "ne@example.com"); mustCompose(t, d, fixed()).Identity == border {
		t.Error("two fields run into each other")
	}
	d = draft(t)
	d.To = addresses(t, "a@example.net", "b@example.net")
	first := mustCompose(t, d, fixed()).Identity
	slices.Reverse(d.To)
	if got := mustCompose(t, d, fixed()).Identity; got != first {
		t.Error("the order of recipients changes the identity")
	}
}

func TestTextEncoding(t *testing.T) {
	tests := []struct {
		name, text string
		allow8     bool
		want       string
	}{
		{"ascii", "hello\n", false, enc7Bit},
		{"empty", "", false, enc7Bit},
		{"signature line", "hello\n-- \nme\n", false, enc7Bit},
		{"line of 998", strings.Repeat("a", 998) + "\n", false, enc7Bit},
		{"line of 999", strings.Repeat("a", 999) + "\n", false, encQP},
		{"trailing space", "hello \n", false, encQP},
		{"trailing tab", "hello\t\n", false, encQP},
		{"form feed", "a\fb\n", false, encQP},
		{"latin", "Grüße\n", false, encQP},
		{"latin where 8bit is allowed", "Grüße\n", true, enc8Bit},
		{"latin with a trailing space where 8bit is allowed", "Grüße \n", true, encQP},
		{"latin with a long line where 8bit is allowed", strings.Repeat("ü", 500) + "\n", true, encBase64},
		{"japanese", strings.Repeat("来週の会議", 9) + "\n", false, encBase64},
		{"From at the start", "From here\n", false, encBase64},
		{"From inside a word", "Fromage\n", false, enc7Bit},
		{"dots", ".\n..\n", false, enc7Bit},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			if got := textEncoding(tc.text, tc.allow8); got != tc.want {
				t.Errorf("got %s, want %s", got, tc.want)
			}
			d, o := draft(t), fixed()
			d.Text, o.Allow8Bit = tc.text, tc.allow8
			m := mustCompose(t, d, o)
			if m.Facts.Text != tc.text {
				t.Errorf("text: got %q, want %q", m.Facts.Text, tc.text)
			}
			if got := m.Has8Bit; got != (tc.want == enc8Bit) {
				t.Errorf("Has8Bit: got %v", got)
			}
		})
	}
}

func TestAttachedMessage(t *testing.T) {
	tests := []struct {
		name, in  string
		allow8    bool
		mediaType string
		sent      string
	}{
		{"ascii with LF", "From: a@b.c\n\nx\n.\n", false, messageType, "From: a@b.c\r\n\r\nx\r\n.\r\n"},
		{"ascii with CRLF", "From: a@b.c\r\n\r\nx\r\n", false, messageType, "From: a@b.c\r\n\r\nx\r\n"},
		{"no end of line", "From: a@b.c\n\nx", false, messageType, "From: a@b.c\r\n\r\nx\r\n"},
		{"8bit where it is not allowed", "From: a@b.c\n\nü\n", false, "application/octet-stream", "From: a@b.c\n\nü\n"},
		{"8bit where it is allowed", "From: a@b.c\n\nü\n", true, messageType, "From: a@b.c\r\n\r\nü\r\n"},
		{"long line", "From: a@b.c\n\n" + strings.Repeat("x", 999) + "\n", true, "application/octet-stream", "From: a@b.c\n\n" + strings.Repeat("x", 999) + "\n"},
		{"no message", "hello", true, "application/octet-stream", "hello"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			d, o := draft(t), fixed()
			d.Attachments, o.Allow8Bit = []Attachment{{"a.eml", messageType, []byte(tc.in)}}, tc.allow8
			got := mustCompose(t, d, o).Facts.Attachments[0]
			if got.MediaType != tc.mediaType || got.SHA256 != sha256.Sum256([]byte(tc.sent)) || got.Size != int64(len(tc.sent)) {
				t.Errorf("got %+v", got)
			}
		})
	}
}

// TestReadBackRefuses: each change to a message, however small, is seen.
func TestReadBackRefuses(t *testing.T) {
	d := draft(t)
	d.Text, d.Attachments = "Grüße aus Köln am Rhein\n", []Attachment{{"a.txt", "text/plain", []byte("x")}}
	good := string(mustCompose(t, d, fixed()).Octets)
	if _, err := ReadBack([]byte(good)); err != nil {
		t.Fatal(err)
	}
	replace := func(old, new string) string {
		if !strings.Contains(good, old) {
			t.Fatalf("no %q in the message", old)
		}
		return strings.Replace(good, old, new, 1)
	}
	tests := []struct{ name, in string }{
		{"nothing", ""},
		{"header only", "From: a@example.com\r\n"},
		{"Bcc", replace("Subject:", "Bcc: x@example.net\r\nSubject:")},
		{"another field", replace("Subject:", "X-Mailer: x\r\nSubject:")},
		{"field twice", replace("To:", "To: x@example.net\r\nTo:")},
		{"other order", replace("Date:", "Subject: x\r\nDate:")},
		{"name in To", replace("To: john", "To: Boss <john") + ">"},
		{"two senders", replace("From: Jane Doe <jane@example.com>", "From: a@example.com, jane@example.com")},
		{"comment in From", replace("<jane@example.com>", "<jane@example.com> (the boss)")},
		{"group in To", replace("To: john@example.net", "To: x: john@example.net;")},
		{"bare LF", replace("Subject: Hello\r\n", "Subject: Hello\n")},
		{"bare CR", replace("Subject: Hello", "Subject: Hel\rlo")},
		{"NUL", replace("Subject: Hello", "Subject: Hel\x00lo")},
		{"long line", replace("Subject: Hello", "Subject: "+strings.Repeat("a", 1000))},
		{"no Message-ID", replace("Message-ID: ", "References: ")},
		{"two ids", replace("Message-ID: <", "Message-ID: <a@b> <")},
		{"no date", replace("Date: ", "Date: x")},
		{"other charset", replace("charset=utf-8", "charset=utf-7")},
		{"encoded twice", replace("quoted-printable", "base64")},
		{"unknown encoding", replace("quoted-printable", "x-uuencode")},
		{"inline attachment", replace("Content-Disposition: attachment", "Content-Disposition: inline")},
		{"nameless attachment", replace("; filename=\"a.txt\"", "")},
		{"other structure", replace("multipart/mixed", "multipart/related")},
		{"html for text", replace("text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted", "text/html; charset=utf-8\r\nContent-Transfer-Encoding: quoted")},
		{"preamble", replace("\r\n\r\n--", "\r\n\r\nhidden\r\n--")},
		{"epilogue", good + "hidden\r\n"},
		{"field of a part", replace("Content-Disposition:", "Content-Location: x\r\nContent-Disposition:")},
		{"folded otherwise", replace("From: Jane Doe", "From: Jane\r\n Doe")},
		{"encoded without need", replace("Subject: Hello", "Subject: =?utf-8?q?Hello?=")},
		{"date in an old form", replace("+0100", "CET")},
		{"encoded-word as a file name, which parsers read differently", replace(`filename="a.txt"`, `filename="=?utf-8?q?a.txt?="`)},
		{"long line in a part", replace("eA==\r\n", "eA==\r\n"+strings.Repeat("=", 1000)+"\r\n")},
		{"no end boundary", strings.TrimSuffix(good, "--\r\n")},
		{"no parts", good[:strings.Index(good, "\r\n\r\n")+4]},
		{"bad header line", replace("MIME-Version: 1.0", "MIME-Version 1.0")},
		{"unknown charset in the subject", replace("Subject: Hello", "Subject: =?x-none?q?=C3?=")},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			if got, err := ReadBack([]byte(tc.in)); !errors.Is(err, ErrNotFaithful) {
				t.Errorf("got %v %+v, want %v", err, got, ErrNotFaithful)
			}
		})
	}
}

// TestReadBackRefusesLongLines: in a text that is otherwise in order.
func TestReadBackRefusesLongLines(t *testing.T) {
	good := string(mustCompose(t, draft(t), fixed()).Octets)
	for n, ok := range map[int]bool{998: true, 999: false} {
		_, err := ReadBack([]byte(strings.Replace(good, "Hello John,", strings.Repeat("a", n), 1)))
		if (err == nil) != ok {
			t.Errorf("%d octets: got %v", n, err)
		}
	}
}

// TestComposedMustMeanTheDraft: a message that reads well, but says something else than was wanted, is refused.
func TestComposedMustMeanTheDraft(t *testing.T) {
	d := draft(t)
	d.Cc, d.InReplyTo, d.References, d.Attachments = addresses(t, "c@example.net"), "a@b", []string{"a@b"}, []Attachment{{"a.txt", "text/plain", []byte("x")}}
	d.HTML = "<p>"
	m := mustCompose(t, d, fixed())
	if _, err := readBackAs(m.Octets, m.Facts); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*Facts){
		"From": func(f *Facts) { f.From.DisplayName = "x" }, "To": func(f *Facts) { f.To = nil }, "Cc": func(f *Facts) { f.Cc = f.To },
		"Subject": func(f *Facts) { f.Subject += " " }, "Date": func(f *Facts) { f.Date = f.Date.Add(time.Second) }, "MessageID": func(f *Facts) { f.MessageID = "x@y" },
		"InReplyTo": func(f *Facts) { f.InReplyTo = "" }, "References": func(f *Facts) { f.References = nil }, "Text": func(f *Facts) { f.Text += "\n" },
		"HTML": func(f *Facts) { f.HTML = "" }, "Attachments": func(f *Facts) { f.Attachments = nil },
	} {
		want := m.Facts
		change(&want)
		if _, err := readBackAs(m.Octets, want); !errors.Is(err, ErrNotFaithful) || !strings.HasSuffix(err.Error(), name) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// TestBoundaryInsideIsRefused: with a random source that can be guessed, a text may hold the boundary.
func TestBoundaryInsideIsRefused(t *testing.T) {
	d := draft(t)
	d.Attachments = []Attachment{{"a.txt", "text/plain", []byte("x")}}
	d.Text = "--=_00000000000000030000000000000004\nContent-Type: text/html\n\n<p>\n"
	if _, err := Compose(d, fixed()); !errors.Is(err, ErrRandom) {
		t.Errorf("got %v, want %v", err, ErrRandom)
	}
}

// TestLinesAreShort: 76 octets where the values allow it, 998 always.
func TestLinesAreShort(t *testing.T) {
	d := draft(t)
	d.From.DisplayName = strings.Repeat("Very Long Ñame ", 10) + "End"
	d.Subject = strings.Repeat("来週の会議 ", 60)
	d.Attachments = []Attachment{{strings.Repeat("ж", 120) + ".pdf", "application/pdf", make([]byte, 5000)}}
	d.References, d.InReplyTo = []string{"first@example.com", "second@example.com", "third@example.com", "fourth@example.com"}, "fourth@example.com"
	d.Text = strings.Repeat("ü", 2000) + "\n"
	for line := range strings.SplitSeq(string(mustCompose(t, d, fixed()).Octets), "\r\n") {
		if len(line) > 76 {
			t.Errorf("%d octets: %s", len(line), line)
		}
	}
}

// TestNetMailSeesNoMore: exactly the fixed fields, as the standard library lists them.
func TestNetMailSeesNoMore(t *testing.T) {
	d := draft(t)
	d.Cc, d.InReplyTo, d.References = addresses(t, "c@example.com"), "a@b", []string{"a@b"}
	m, err := mail.ReadMessage(bytes.NewReader(mustCompose(t, d, fixed()).Octets))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for name := range m.Header {
		got = append(got, name)
	}
	slices.Sort(got)
	want := []string{"Cc", "Content-Transfer-Encoding", "Content-Type", "Date", "From", "In-Reply-To", "Message-Id", "Mime-Version", "References", "Subject", "To"}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
