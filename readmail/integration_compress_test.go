package readmail_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"mailgap/readmail"
	"mailgap/readmail/imaptest"
	"mailgap/readmail/session"
)

// TestCompressDovecot reads the same through COMPRESS=DEFLATE as without, in far fewer octets on the socket. Dovecot
// stands on this machine, where compression is off unless it is asked for.
func TestCompressDovecot(t *testing.T) {
	t.Parallel()
	var box imaptest.Mailbox
	box.Name = "INBOX"
	for i := range 200 {
		raw := fmt.Sprintf("From: Ada Example <ada@example.com>\r\nTo: reader@example.com\r\nSubject: Report number %d\r\nDate: Tue, 3 Mar 2026 09:00:00 +0100\r\n"+
			"Message-ID: <%d@example.com>\r\n\r\n%s", i, i, strings.Repeat("The same line again and again.\r\n", 40))
		box.Messages = append(box.Messages, imaptest.Message{Raw: []byte(raw), InternalDate: time.Date(2026, 3, 3, 9, 0, i, 0, time.UTC)})
	}
	octets, texts := map[session.CompressMode]int64{}, map[session.CompressMode]string{}
	for _, mode := range []session.CompressMode{session.CompressOff, session.CompressAuto, session.CompressOn} {
		d := imaptest.StartDovecot(t, imaptest.DovecotOptions{Mailboxes: []imaptest.Mailbox{box}, Compress: true})
		texts[mode] = readSome(t, d, mode)
		octets[mode] = d.OctetsSent()
		asked := slices.ContainsFunc(d.Commands(), func(c imaptest.Command) bool { return c.Verb == "COMPRESS" })
		if want := mode == session.CompressOn; asked != want {
			t.Errorf("%s: COMPRESS sent = %t, want %t", mode, asked, want)
		}
		if n := len(d.Commands()); n < 5 {
			t.Errorf("%s: only %d commands could be read on the wire", mode, n)
		}
	}
	if texts[session.CompressOn] != texts[session.CompressOff] {
		t.Error("compressed and plain answers differ")
	}
	if on, off := octets[session.CompressOn], octets[session.CompressOff]; on*2 > off {
		t.Errorf("received %d octets with compression and %d without, want less than half", on, off)
	}
}

// readSome lists a page and reads ten messages, and returns the structured answers.
func readSome(t *testing.T, d *imaptest.Dovecot, mode session.CompressMode) string {
	t.Helper()
	s, err := readmail.New(readmail.Config{Zone: time.UTC, Session: session.Config{
		Host: "127.0.0.1", Port: imaptest.Port(d.Addr()), User: imaptest.User, TLS: session.TLSNone, Compress: mode,
		Password: func(context.Context) (string, error) { return imaptest.Password, nil },
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	m, err := s.MCP()
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	tool := func(name, args string) string {
		out, err := m.CallTool(t.Context(), name, json.RawMessage(args))
		if err != nil || out.IsError {
			t.Fatalf("%s: %v %s", name, err, out.Text)
		}
		text, err := json.Marshal(out.Structured)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
		return string(text)
	}
	var list struct{ Messages []struct{ Ref string } }
	if err := json.Unmarshal([]byte(tool("list_messages", `{"limit":50}`)), &list); err != nil {
		t.Fatal(err)
	}
	for _, m := range list.Messages[:10] {
		tool("get_message", fmt.Sprintf(`{"ref":%q}`, m.Ref))
	}
	return all.String()
}
