//go:build unix

package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"image"
	"image/png"
	"io"
	"math/rand/v2"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mailgap/sendmail/smtptest"
)

// postfixRun is one smtp-mcp in front of the Postfix of the test, with a state directory of its own.
type postfixRun struct {
	*smtptest.Postfix
	program     string
	state       string
	attachments string
	settings    []string
}

// run makes settings for the address of a server. More settings win over these.
func (r postfixRun) at(t *testing.T, addr, tls string, more ...string) postfixRun {
	t.Helper()
	dir := t.TempDir()
	r.state, r.attachments = filepath.Join(dir, "state"), filepath.Join(dir, "attachments")
	ca := filepath.Join(dir, "ca.pem")
	if err := os.WriteFile(ca, r.Cert.CAPEM, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(r.attachments, 0o700); err != nil {
		t.Fatal(err)
	}
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		t.Fatal(err)
	}
	r.settings = append([]string{"SMTP_HOST=127.0.0.1", "SMTP_PORT=" + port, "SMTP_TLS=" + tls, "SMTP_TLS_CA_FILE=" + ca,
		"SMTP_USER=" + smtptest.User, "SMTP_PASSWORD=" + smtptest.Password, "SMTP_FROM=Jürgen Groß <user@example.com>",
		"SMTP_ALLOW_SEND=true", "SMTP_LEDGER=false", "SMTP_ELEVATED=elicitation", "SMTP_ALLOWED_RECIPIENTS=@" + smtptest.PostfixDomain, "SMTP_MAX_SENDS_PER_HOUR=1000",
		"SMTP_STATE_DIR=" + r.state, "SMTP_ATTACHMENT_DIR=" + r.attachments}, more...)
	return r
}

func (r postfixRun) start(t *testing.T, modern bool) *peer {
	t.Helper()
	return startPeer(t, r.program, modern, r.settings...)
}

// box is the address of a mailbox.
func box(name string) string { return name + "@" + smtptest.PostfixDomain }

// checkDelivered compares what arrived with what the audit log says was approved.
func (r postfixRun) checkDelivered(t *testing.T, got sendGot, d smtptest.Delivery) {
	t.Helper()
	sum := sha256.Sum256(d.Octets)
	if want := auditOf(t, r.state, got.MessageID); hex.EncodeToString(sum[:]) != want {
		t.Errorf("what arrived has the digest %x, what was approved %s:\n%q", sum, want, d.Octets)
	}
	if !slices.Contains(d.Trace, "Received") {
		t.Errorf("trace fields %v: this did not come through the server", d.Trace)
	}
}

// A real Postfix takes, from clients of both eras, exactly what was approved; and what it refuses is explained.
func TestPostfix(t *testing.T) {
	r := postfixRun{Postfix: smtptest.StartPostfix(t, smtptest.PostfixOptions{
		MaxMessageBytes: 400_000,
		Mailboxes: []string{"legacy.to", "legacy.cc", "legacy.bcc", "modern.to", "modern.cc", "modern.bcc", "implicit", "scripts", "files", "pictures",
			"known", "small", "login", "plain", "lost"},
	}), program: shippedProgram(t)}
	t.Run("legacy", func(t *testing.T) { r.testDelivery(t, false) })
	t.Run("modern", func(t *testing.T) { r.testDelivery(t, true) })
	t.Run("implicit TLS", r.testImplicit)
	t.Run("scripts", r.testScripts)
	t.Run("attachments", r.testAttachments)
	t.Run("pictures", r.testPictures)
	t.Run("unknown recipient", r.testUnknownRecipient)
	t.Run("too large", r.testTooLarge)
	t.Run("wrong password", r.testWrongPassword)
	t.Run("no STARTTLS", r.testNoStartTLS)
	t.Run("reply lost", r.testReplyLost)
}

// testDelivery sends to all three kinds of recipients over STARTTLS with a login.
func (r postfixRun) testDelivery(t *testing.T, modern bool) {
	r = r.at(t, r.Addr(), "starttls")
	era := "legacy"
	if modern {
		era = "modern"
	}
	names := []string{era + ".to", era + ".cc", era + ".bcc"}
	got := r.start(t, modern).mustSend(t, mailFields{"to": []string{box(names[0])}, "cc": []string{box(names[1])}, "bcc": []string{box(names[2])},
		"subject": "Grüße", "text": "First line.\n.\n..\n.starts with a dot\nFrom here on: ümlaut, 日本語.\n\nlast line without an end"})
	if got.Approved != "client_form" || len(got.Recipients) != 3 || slices.ContainsFunc(got.Recipients, func(x struct {
		Address  string
		Accepted bool
	}) bool {
		return !x.Accepted
	}) {
		t.Errorf("send_mail: %+v", got)
	}
	if q := got.Questions[0]; !strings.Contains(q, "Bcc") || !strings.Contains(q, box(names[2])) || !strings.Contains(q, ".starts with a dot") {
		t.Errorf("the question does not show it all:\n%s", q)
	}
	for _, name := range names {
		d := r.Await(t, name, 1)[0]
		r.checkDelivered(t, got, d)
		header, _, _ := bytes.Cut(d.Octets, []byte("\r\n\r\n"))
		if bytes.Contains(bytes.ToLower(header), []byte("bcc")) {
			t.Errorf("%s: the header names hidden recipients:\n%s", name, header)
		}
	}
}

func (r postfixRun) testImplicit(t *testing.T) {
	r = r.at(t, r.TLSAddr(), "implicit")
	got := r.start(t, true).mustSend(t, mailFields{"to": []string{box("implicit")}, "subject": "x", "text": "y"})
	r.checkDelivered(t, got, r.Await(t, "implicit", 1)[0])
}

// scripts are texts in a dozen writing systems, from both sides, with marks that combine and characters beyond the BMP.
var scripts = map[string]string{
	"Latin":      "Příliš žluťoučký kůň, naïve façade, İstanbul ıssız",
	"Greek":      "Η γρήγορη καφέ αλεπού",
	"Cyrillic":   "Съешь ещё этих мягких булок",
	"Armenian":   "Բարեւ ձեզ, ինչպես եք",
	"Georgian":   "გამარჯობა, როგორ ხარ",
	"Hebrew":     "שלום, מה שלומך היום",
	"Arabic":     "مرحبا، كيف حالك اليوم",
	"Devanagari": "नमस्ते, आप कैसे हैं",
	"Tamil":      "வணக்கம், எப்படி இருக்கிறீர்கள்",
	"Thai":       "สวัสดีครับ สบายดีไหม",
	"Han":        "你好，今天过得怎么样𠮷",
	"Japanese":   "こんにちは、お元気ですか。ﾊﾝｶｸ",
	"Hangul":     "안녕하세요, 잘 지내세요",
	"Emoji":      "Fertig 👍🏽 🇩🇪",
}

// testScripts sends each script as subject and text and reads it back with the standard library.
func (r postfixRun) testScripts(t *testing.T) {
	r = r.at(t, r.Addr(), "starttls")
	p := r.start(t, true)
	sent := map[string]sendGot{} // by Message-ID
	want := map[string]string{}
	for name, text := range scripts {
		got := p.mustSend(t, mailFields{"to": []string{box("scripts")}, "subject": name + ": " + text, "text": strings.Repeat(text+"\n", 30)})
		sent[got.MessageID], want[got.MessageID] = got, name
	}
	for _, d := range r.Await(t, "scripts", len(scripts)) {
		m, err := mail.ReadMessage(bytes.NewReader(d.Octets))
		if err != nil {
			t.Fatal(err)
		}
		id := strings.Trim(m.Header.Get("Message-ID"), "<>")
		name := want[id]
		r.checkDelivered(t, sent[id], d)
		subject, err := new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject"))
		if err != nil || subject != name+": "+scripts[name] {
			t.Errorf("%s: subject %q, %v", name, subject, err)
		}
		if text := decoded(t, m.Header.Get("Content-Transfer-Encoding"), m.Body); text != strings.Repeat(scripts[name]+"\r\n", 30) {
			t.Errorf("%s: text %q", name, text)
		}
		from, err := m.Header.AddressList("From")
		if err != nil || from[0].Name != "Jürgen Groß" {
			t.Errorf("%s: from %v, %v", name, from, err)
		}
	}
}

// decoded undoes a transfer encoding.
func decoded(t *testing.T, encoding string, body io.Reader) string {
	t.Helper()
	switch strings.ToLower(encoding) {
	case "quoted-printable":
		body = quotedprintable.NewReader(body)
	case "base64":
		body = base64.NewDecoder(base64.StdEncoding, body)
	}
	text, err := io.ReadAll(body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// noise is a picture that does not compress: every octet occurs in it.
func noise(t *testing.T) []byte {
	t.Helper()
	p := image.NewGray(image.Rect(0, 0, 200, 200))
	random := rand.NewChaCha8([32]byte{})
	if _, err := random.Read(p.Pix); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := png.Encode(&b, p); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// testAttachments sends two files with names that need encoding.
func (r postfixRun) testAttachments(t *testing.T) {
	r = r.at(t, r.Addr(), "starttls")
	files := map[string][]byte{
		"Rechnung März – 領収書.txt": bytes.Repeat([]byte("Zeile mit Ümlaut\r\n.\r\n"), 2000),
		"picture.png":             noise(t),
	}
	for name, octets := range files {
		if err := os.WriteFile(filepath.Join(r.attachments, name), octets, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got := r.start(t, false).mustSend(t, mailFields{"to": []string{box("files")}, "subject": "files", "text": "See the files.",
		"attachments": []string{"Rechnung März – 領収書.txt", "picture.png"}})
	d := r.Await(t, "files", 1)[0]
	r.checkDelivered(t, got, d)
	m, err := mail.ReadMessage(bytes.NewReader(d.Octets))
	if err != nil {
		t.Fatal(err)
	}
	_, params, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for parts := multipart.NewReader(m.Body, params["boundary"]); ; {
		part, err := parts.NextRawPart()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		name := part.FileName()
		if name == "" {
			continue
		}
		seen++
		octets := decoded(t, part.Header.Get("Content-Transfer-Encoding"), part)
		if want := sha256.Sum256(files[name]); sha256.Sum256([]byte(octets)) != want {
			t.Errorf("%q arrived with %d octets that differ from the file's %d", name, len(octets), len(files[name]))
		}
		if sum := sha256.Sum256(files[name]); !strings.Contains(strings.ReplaceAll(got.Questions[0], " ", ""), hex.EncodeToString(sum[:])[:16]) {
			t.Errorf("the question does not show the digest of %q:\n%s", name, got.Questions[0])
		}
	}
	if seen != len(files) {
		t.Errorf("%d attachments arrived, want %d", seen, len(files))
	}
}

// testUnknownRecipient: one recipient refused at RCPT, nothing for anybody.
func (r postfixRun) testUnknownRecipient(t *testing.T) {
	r = r.at(t, r.Addr(), "starttls")
	p := r.start(t, false)
	got := p.mustCall(t, "send_mail", mailFields{"to": []string{box("known"), box("nosuch")}, "subject": "refused", "text": "x"}, always(sayYes))
	if got.Sent || got.Outcome != "failed" || got.Reason != "no_such_mailbox" || !strings.Contains(got.Text, "nothing was sent to anybody") {
		t.Errorf("send_mail: %+v", got)
	}
	after := p.mustSend(t, mailFields{"to": []string{box("known")}, "subject": "taken", "text": "x"})
	r.checkDelivered(t, after, r.Await(t, "known", 1)[0])
}

// testTooLarge: the server's SIZE is believed before anything is proposed to it.
func (r postfixRun) testTooLarge(t *testing.T) {
	r = r.at(t, r.Addr(), "starttls")
	p := r.start(t, true)
	got := p.mustCall(t, "send_mail", mailFields{"to": []string{box("small")}, "subject": "large", "text": strings.Repeat("0123456789abcdef\n", 25_000)}, always(sayYes))
	if got.Sent || got.Outcome != "failed" || got.Reason != "too_large" {
		t.Errorf("send_mail: %.2000s", fmt.Sprintf("%+v", got))
	}
	after := p.mustSend(t, mailFields{"to": []string{box("small")}, "subject": "small", "text": "x"})
	r.checkDelivered(t, after, r.Await(t, "small", 1)[0])
}

// testWrongPassword: the refusal is explained, and not tried again at once.
func (r postfixRun) testWrongPassword(t *testing.T) {
	r = r.at(t, r.Addr(), "starttls", "SMTP_PASSWORD=wrong")
	p := r.start(t, false)
	fields := mailFields{"to": []string{box("login")}, "subject": "x", "text": "y"}
	got := p.mustCall(t, "send_mail", fields, always(sayYes))
	if got.Sent || got.Outcome != "failed" || got.Reason != "login_refused" || !strings.Contains(got.Text, "SMTP_PASSWORD") && !strings.Contains(got.Text, "password") {
		t.Errorf("send_mail: %+v", got)
	}
	if again := p.mustCall(t, "send_mail", fields, always(sayYes)); again.Sent || again.Reason == got.Reason {
		t.Errorf("the second attempt: %+v, want a pause", again)
	}
	if n := strings.Count(r.Log(), "SASL PLAIN authentication failed"); n != 1 {
		t.Errorf("the server saw %d wrong passwords, want 1", n)
	}
	if strings.Contains(got.Text+p.stderr.String(), "wrong\n") {
		t.Error("the password was printed")
	}
}

// testNoStartTLS: a server without STARTTLS gets neither password nor message.
func (r postfixRun) testNoStartTLS(t *testing.T) {
	var commands []string
	middle := newTap(t, r.PlainAddr(), func(l tapLine) bool {
		if !l.FromServer {
			commands = append(commands, l.Text)
		}
		return true
	})
	r = r.at(t, middle.addr, "starttls")
	got := r.start(t, true).mustCall(t, "send_mail", mailFields{"to": []string{box("plain")}, "subject": "x", "text": "y"}, always(sayYes))
	if got.Sent || got.Outcome != "failed" || got.Reason != "tls_not_offered" {
		t.Errorf("send_mail: %+v", got)
	}
	middle.wait()
	for _, c := range commands {
		if !strings.HasPrefix(c, "EHLO ") && c != "QUIT\r\n" {
			t.Errorf("without TLS the program said %q", c)
		}
	}
	if len(commands) == 0 {
		t.Error("the program said nothing: was it connected?")
	}
}

// testReplyLost: the server takes the message and its reply never arrives. That is neither sent nor failed; the next identical
// proposal says so to the person and carries the same Message-ID.
func (r postfixRun) testReplyLost(t *testing.T) {
	lost := 0
	middle := newTap(t, r.PlainAddr(), func(l tapLine) bool {
		if l.Final && lost == 0 {
			lost++
			return false
		}
		return true
	})
	r = r.at(t, middle.addr, "none")
	fields := mailFields{"to": []string{box("lost")}, "subject": "once", "text": "Only once."}
	first := r.start(t, false).mustCall(t, "send_mail", fields, always(sayYes))
	middle.wait()
	if first.Sent || first.Outcome != "unknown" || lost != 1 || !strings.Contains(first.Text, "may have been delivered") {
		t.Fatalf("send_mail: %+v, %d replies lost", first, lost)
	}
	arrived := r.Await(t, "lost", 1)[0]
	p := r.start(t, true) // another process knows as well
	for i := range 2 {
		no := p.mustCall(t, "send_mail", fields, always(sayNo))
		if len(no.Questions) != 1 || !strings.Contains(no.Questions[0], "its outcome is unknown") || !strings.Contains(no.Questions[0], first.MessageID) {
			t.Fatalf("the second question does not name the first attempt: %+v", no)
		}
		r.Await(t, "lost", 1)
		if again := p.mustSend(t, mailFields{"to": []string{box("plain")}, "subject": fmt.Sprint("between ", i), "text": "x"}); again.AlreadySent {
			t.Errorf("send_mail: %+v", again)
		}
	}
	yes := p.mustSend(t, fields)
	if yes.MessageID != first.MessageID || !strings.Contains(yes.Questions[0], "its outcome is unknown") {
		t.Errorf("the attempt after a yes: %+v, want Message-ID %s", yes, first.MessageID)
	}
	for _, d := range r.Await(t, "lost", 2) {
		if !bytes.Equal(d.Octets, arrived.Octets) {
			t.Errorf("the two copies differ:\n%q\n%q", d.Octets, arrived.Octets)
		}
	}
	r.checkDelivered(t, yes, arrived)
	if replay := p.mustCall(t, "send_mail", fields, nil); !replay.AlreadySent || replay.MessageID != first.MessageID {
		t.Errorf("afterwards: %+v, want the earlier Message-ID and no question", replay)
	}
	r.Await(t, "lost", 2)
}
