package readmail

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"

	"mailgap/readmail/imaptest"
)

func raw(lines ...string) imaptest.Message {
	return imaptest.Message{Raw: mail(lines...), InternalDate: epoch()}
}

// alternative is a message with a plain and an HTML part and the header fields given.
func alternative(plain, html string, header ...string) imaptest.Message {
	return raw(append(append([]string{"From: Robin <robin@example.org>", "Subject: Two parts", "Date: Tue, 10 Mar 2026 11:00:00 +0000"}, header...),
		`Content-Type: multipart/alternative; boundary="b"`, "", "--b", "Content-Type: text/plain; charset=utf-8", "", plain,
		"--b", "Content-Type: text/html; charset=utf-8", "", html, "--b--")...)
}

func firstRef(t *testing.T, s *Server) string {
	t.Helper()
	return call[gotList](t, s, "list_messages", `{}`).Messages[0].Ref
}

func TestMessagePlain(t *testing.T) {
	ts := imaptest.New(t, inbox(simple("Hello", epoch(), "Cc: copy@example.net", "Reply-To: other@example.net")))
	s := newServer(t, ts)
	ref := firstRef(t, s)
	m := call[gotMessage](t, s, "get_message", `{"ref":"`+ref+`"}`)
	if m.Subject != "Hello" || m.Body.Shown != "plain" || !strings.Contains(m.Body.Text, "Text of Hello.") || len(m.Cc) != 1 || m.Ref != ref {
		t.Errorf("message = %+v", m)
	}
	text := outcome(t, s, "get_message", `{"ref":"`+ref+`"}`).Text
	for _, want := range []string{"From: Accounts Team <accounts@example.com>", "Reply-To: other@example.net", "unknown"} {
		if !strings.Contains(text, want) {
			t.Errorf("text lacks %q:\n%s", want, text)
		}
	}
}

// A usual message takes one round trip, also when nothing is known about it.
func TestMessageRoundTrips(t *testing.T) {
	o := inbox(simple("Hello", epoch()), alternative("plain words", "<p>plain words</p>"))
	o.Latency = tripLatency
	ts := imaptest.New(t, o)
	s := newServer(t, ts)
	call[gotList](t, s, "list_messages", `{"from":"nobody"}`) // connects
	trips := func(uid string) int {
		ts.Reset()
		call[gotMessage](t, s, "get_message", `{"ref":"imap://default/INBOX;UIDVALIDITY=1/;UID=`+uid+`"}`)
		return ts.Stats().RoundTrips
	}
	if got := trips("1"); got != 1 {
		t.Errorf("plain message: %d round trips, want 1: %v", got, ts.Verbs())
	}
	if got := trips("2"); got != 2 {
		t.Errorf("message with an HTML part, structure unknown: %d round trips, want 2: %v", got, ts.Verbs())
	}
	if got := trips("2"); got != 1 {
		t.Errorf("the same again: %d round trips, want 1: %v", got, ts.Verbs())
	}
}

func TestMessageChoosesTheBetterPart(t *testing.T) {
	s := newServer(t, imaptest.New(t, inbox(
		alternative("This message is in HTML. View it in your browser.", "<h1>Meeting</h1><p>Room 12 at 14:30, bring the keys and the list of names, please.</p>"),
		alternative("Room 12 at 14:30.", "<p>Room 12 at 14:30.</p>"),
		raw("From: a@example.com", "Subject: html only", "Content-Type: text/html", "", "<p>Only <b>this</b></p>"),
		raw("From: a@example.com", "Subject: nothing", "Content-Type: image/png", "Content-Transfer-Encoding: base64", "", "AAAA"),
	)))
	for uid, want := range map[string][2]string{"1": {"html", "Room 12"}, "2": {"plain", "Room 12"}, "3": {"html", "this"}, "4": {"none", ""}} {
		m := call[gotMessage](t, s, "get_message", `{"ref":"imap://default/INBOX;UIDVALIDITY=1/;UID=`+uid+`"}`)
		if m.Body.Shown != want[0] || !strings.Contains(m.Body.Text, want[1]) {
			t.Errorf("message %s shows %s %q, want %s with %q", uid, m.Body.Shown, m.Body.Text, want[0], want[1])
		}
	}
	m := call[gotMessage](t, s, "get_message", `{"ref":"imap://default/INBOX;UIDVALIDITY=1/;UID=1","view":"plain"}`)
	if m.Body.Shown != "plain" || !strings.Contains(m.Body.Text, "View it in your browser") {
		t.Errorf("view=plain shows %s %q", m.Body.Shown, m.Body.Text)
	}
}

func TestMessagePaging(t *testing.T) {
	var body []string
	for range 300 {
		body = append(body, "A line of text that is fifty characters long, about.")
	}
	s := newServer(t, imaptest.New(t, inbox(raw(append([]string{"From: a@example.com", "Subject: long", ""}, body...)...))))
	const ref = `"ref":"imap://default/INBOX;UIDVALIDITY=1/;UID=1"`
	whole := call[gotMessage](t, s, "get_message", `{`+ref+`,"max_chars":50000}`)
	var all string
	for offset, rounds := 0, 0; ; rounds++ {
		m := call[gotMessage](t, s, "get_message", `{`+ref+`,"max_chars":4000,"offset":`+strconv.Itoa(offset)+`}`)
		all += m.Body.Text
		if offset = m.Body.NextOffset; offset == 0 || rounds > 10 {
			break
		}
	}
	if all != whole.Body.Text || len(all) < 15000 {
		t.Errorf("the pieces make %d octets, the whole is %d", len(all), len(whole.Body.Text))
	}
}

func TestMessageAuthor(t *testing.T) {
	forged := "Authentication-Results: mx.example.org; dmarc=pass header.from=example.org"
	s := newServer(t, imaptest.New(t, inbox(
		simple("good", epoch(), "Authentication-Results: mx.example.org; dmarc=pass header.from=example.com"),
		simple("bad", epoch(), "Authentication-Results: mx.example.org; dmarc=fail header.from=example.com"),
		simple("forged", epoch(), "Authentication-Results: elsewhere.example; dmarc=fail", forged),
		simple("none", epoch()),
	)))
	for uid, want := range map[string]string{"1": "verified", "2": "failed", "3": "unknown", "4": "unknown"} {
		m := call[gotMessage](t, s, "get_message", `{"ref":"imap://default/INBOX;UIDVALIDITY=1/;UID=`+uid+`"}`)
		if m.Author.Status != want {
			t.Errorf("message %s: author %+v, want %s", uid, m.Author, want)
		}
	}
}

func TestMessageHiddenTextIsWithheld(t *testing.T) {
	s := newServer(t, imaptest.New(t, inbox(raw("From: a@example.com", "Subject: x", "Content-Type: text/html", "",
		`<p>Visible words stand here for everyone to read, and there are enough of them.</p><p style="display:none">secret orders</p>`))))
	const ref = `"ref":"imap://default/INBOX;UIDVALIDITY=1/;UID=1"`
	out := outcome(t, s, "get_message", `{`+ref+`}`)
	if strings.Contains(out.Text+string(out.Structured), "secret orders") {
		t.Errorf("hidden text is shown:\n%s", out.Text)
	}
	m := call[gotMessage](t, s, "get_message", `{`+ref+`,"show_hidden":true}`)
	if len(m.Body.Hidden) != 1 || !strings.Contains(m.Body.Hidden[0].Text, "secret orders") {
		t.Errorf("show_hidden: %+v, want the passage", m.Body.Hidden)
	}
}

func TestMessageCodesAreMasked(t *testing.T) {
	msg := raw("From: a@example.com", "Subject: Your code", "", "Your verification code is 493817. It expires in ten minutes.")
	for _, forbid := range []bool{false, true} {
		s := newServer(t, imaptest.New(t, inbox(msg)), func(c *Config) { c.ForbidReveal = forbid })
		const ref = `"ref":"imap://default/INBOX;UIDVALIDITY=1/;UID=1"`
		if out := outcome(t, s, "get_message", `{`+ref+`}`); strings.Contains(out.Text+string(out.Structured), "493817") {
			t.Errorf("the code is shown: %s", out.Text)
		}
		m := call[gotMessage](t, s, "get_message", `{`+ref+`,"reveal_codes":true}`)
		if got := strings.Contains(m.Body.Text, "493817"); got == forbid {
			t.Errorf("forbid=%v, reveal_codes=true: shown = %v", forbid, got)
		}
	}
}

func TestMessageGone(t *testing.T) {
	ts := imaptest.New(t, inbox(many(2)...))
	s := newServer(t, ts)
	if got := refused(t, s, "get_message", `{"ref":"imap://default/INBOX;UIDVALIDITY=1/;UID=77"}`); !strings.Contains(got, "no longer in that mailbox") {
		t.Errorf("missing UID: %q", got)
	}
	if got := refused(t, s, "get_message", `{"ref":"imap://default/INBOX;UIDVALIDITY=99/;UID=1"}`); !strings.Contains(got, "UIDVALIDITY changed") {
		t.Errorf("other UIDVALIDITY: %q", got)
	}
	if got := refused(t, s, "get_message", `{"ref":"imap://other/INBOX;UIDVALIDITY=1/;UID=1"}`); !strings.Contains(got, "another account") {
		t.Errorf("other account: %q", got)
	}
	if got := refused(t, s, "get_message", `{"ref":"1"}`); !strings.Contains(got, "not a message reference") {
		t.Errorf("bare UID: %q", got)
	}
}

// The mailbox is deleted and made anew under the same name: the old reference must never show another message.
func TestMessageAfterRebuild(t *testing.T) {
	ts := imaptest.New(t, imaptest.Options{Mailboxes: []imaptest.Mailbox{{Name: "INBOX"}, {Name: "Work", Messages: many(1)}}})
	s := newServer(t, ts)
	ref := call[gotList](t, s, "list_messages", `{"mailboxes":["Work"]}`).Messages[0].Ref
	ts.Admin(t, func(c *imapclient.Client) error {
		if err := c.Delete("Work").Wait(); err != nil {
			return err
		}
		if err := c.Create("Work", nil).Wait(); err != nil {
			return err
		}
		cmd := c.Append("Work", 2, nil)
		if _, err := cmd.Write([]byte("\r\n")); err != nil {
			return err
		}
		if err := cmd.Close(); err != nil {
			return err
		}
		_, err := cmd.Wait()
		return err
	})
	ts.DropConnections()
	if got := refused(t, s, "get_message", `{"ref":"`+ref+`"}`); !strings.Contains(got, "UIDVALIDITY changed") {
		t.Errorf("reference into the old mailbox: %q", got)
	}
}

func TestAttachments(t *testing.T) {
	dir := t.TempDir()
	nested := []string{"From: inner@example.net", "Subject: Inner subject", "Content-Type: text/plain", "", "Inner text."}
	msg := raw(append(append([]string{"From: a@example.com", "Subject: files", `Content-Type: multipart/mixed; boundary="b"`, "",
		"--b", "Content-Type: text/plain", "", "see files",
		"--b", "Content-Type: text/csv", `Content-Disposition: attachment; filename="../../table.csv"`, "", "name,amount", "rent,900",
		"--b", "Content-Type: message/rfc822", "Content-Disposition: attachment", ""}, nested...),
		"--b", "Content-Type: application/octet-stream", `Content-Disposition: attachment; filename="blob.bin"`, "Content-Transfer-Encoding: base64", "", "AAECAwQ=", "--b--")...)
	s := newServer(t, imaptest.New(t, inbox(msg)), func(c *Config) { c.DownloadDir = dir })
	m := call[gotMessage](t, s, "get_message", `{"ref":"`+firstRef(t, s)+`"}`)
	if len(m.Attachments) != 3 || !m.Attachments[0].NameUnsafe || strings.Contains(m.Attachments[0].Name, "/") {
		t.Fatalf("attachments = %+v, want three, the first with an unsafe name", m.Attachments)
	}
	read := func(i int) string { return outcome(t, s, "get_attachment", `{"ref":"`+m.Attachments[i].Ref+`"}`).Text }
	if got := read(0); !strings.Contains(got, "rent") || !strings.Contains(got, "900") {
		t.Errorf("table:\n%s", got)
	}
	if got := read(1); !strings.Contains(got, "Inner text.") || !strings.Contains(got, "Inner subject") {
		t.Errorf("attached message:\n%s", got)
	}
	if got := refused(t, s, "get_attachment", `{"ref":"`+m.Attachments[2].Ref+`"}`); !strings.Contains(got, "cannot be read") {
		t.Errorf("unknown file: %q", got)
	}
	if got := refused(t, s, "get_attachment", `{"ref":"`+m.Ref+`"}`); !strings.Contains(got, "not an attachment") {
		t.Errorf("message as attachment: %q", got)
	}
	for range 2 {
		if out := outcome(t, s, "get_attachment", `{"ref":"`+m.Attachments[0].Ref+`","action":"save"}`); out.IsError {
			t.Fatalf("save: %s", out.Text)
		}
	}
	names, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(names) != 2 {
		t.Fatalf("saved files = %v, %v; want two", names, err)
	}
	slices.Sort(names)
	if got, err := os.ReadFile(names[0]); err != nil || !strings.Contains(string(got), "rent,900") {
		t.Errorf("saved file holds %q, %v", got, err)
	}
}

func TestSavingIsOff(t *testing.T) {
	s := newServer(t, imaptest.New(t, inbox(many(1)...)))
	got := refused(t, s, "get_attachment", `{"ref":"imap://default/INBOX;UIDVALIDITY=1/;UID=1/;SECTION=1","action":"save"}`)
	if !strings.Contains(got, "IMAP_DOWNLOAD_DIR") {
		t.Errorf("refusal = %q, want it to name the setting", got)
	}
}

func TestSaveStaysInside(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	if err := os.Symlink(outside, filepath.Join(dir, "link")); err != nil {
		t.Skip("no symbolic links here")
	}
	for _, name := range []string{"../x", "link/x", "/etc/x"} {
		if got, err := saveFile(dir, name, []byte("x")); err == nil {
			t.Errorf("saveFile(%q) = %q, want an error", name, got)
		}
	}
	if left, _ := os.ReadDir(outside); len(left) != 0 {
		t.Errorf("outside the directory: %v", left)
	}
}

func TestHeaderView(t *testing.T) {
	s := newServer(t, imaptest.New(t, inbox(simple("Hello", epoch(), "X-Evil: a\x1b[31m b"))))
	m := call[gotMessage](t, s, "get_message", `{"ref":"`+firstRef(t, s)+`","view":"header"}`)
	i := slices.IndexFunc(m.Header, func(f struct{ Name, Body string }) bool { return f.Name == "X-Evil" })
	if i < 0 || strings.Contains(m.Header[i].Body, "\x1b") {
		t.Errorf("header = %+v, want X-Evil without the escape", m.Header)
	}
}

func TestThread(t *testing.T) {
	msg := func(day int, id, subject, refs, text string) imaptest.Message {
		m := imaptest.Message{InternalDate: epoch().AddDate(0, 0, day-10)}
		lines := []string{"From: p" + id + "@example.com", "To: reader@example.org", "Subject: " + subject, "Message-ID: <" + id + "@example.com>"}
		if refs != "" {
			lines = append(lines, "References: "+refs, "In-Reply-To: "+refs[strings.LastIndex(refs, "<"):])
		}
		m.Raw = mail(append(lines, "", text)...)
		return m
	}
	mine := msg(1, "m1", "Re: Plan for the garden", "<r0@example.com>", "my answer")
	s := newServer(t, imaptest.New(t, imaptest.Options{Mailboxes: []imaptest.Mailbox{
		{Name: "INBOX", Messages: []imaptest.Message{
			msg(0, "r0", "Plan for the garden", "", "the plan"), msg(2, "r2", "Renamed", "<r0@example.com> <m1@example.com>", "renamed reply\r\n\r\nOn Tue, 10 Mar 2026 at 09:00, Robin wrote:\r\n> my answer\r\n> is here, and it goes on\r\n> for some more lines\r\n> until it ends."),
			msg(3, "x1", "Plan for the garden", "", "another start, same subject"), msg(4, "r3", "Re: Plan for the garden", "", "reply without references"),
			msg(5, "x2", "Re: Plan for the garden", "<x1@example.com>", "reply to the other start")}},
		{Name: "Sent", Attrs: []imap.MailboxAttr{imap.MailboxAttrSent}, Messages: []imaptest.Message{mine}},
		{Name: "Archive", Messages: []imaptest.Message{mine}},
	}}))
	th := call[struct {
		Messages []struct {
			From     string
			Subject  string
			Text     string
			LinkedBy string   `json:"linked_by"`
			AlsoIn   []string `json:"also_in"`
			Folded   int      `json:"folded_quote_chars"`
		}
		Found int
	}](t, s, "get_thread", `{"ref":"imap://default/INBOX;UIDVALIDITY=1/;UID=2"}`)
	var got []string
	for _, m := range th.Messages {
		got = append(got, strings.TrimSpace(strings.SplitN(m.Text, "\n", 2)[0])+"/"+m.LinkedBy)
	}
	want := "the plan/references my answer/references renamed reply/asked_for reply without references/subject"
	if s := strings.Join(got, " "); s != want {
		t.Errorf("conversation = %s\nwant %s", s, want)
	}
	if th.Found != 4 || len(th.Messages) == 4 && len(th.Messages[1].AlsoIn) != 1 {
		t.Errorf("found %d, messages %+v; want 4, the second in two mailboxes", th.Found, th.Messages)
	}
	if len(th.Messages) > 2 && th.Messages[2].Folded == 0 {
		t.Errorf("quotes are not folded: %q", th.Messages[2].Text)
	}
}
