package imaptest

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"
)

const hello = "From: Accounts Team <accounts@example.com>\r\nTo: reader@example.org\r\nSubject: Hello\r\n" +
	"Date: Mon, 02 Nov 2026 09:00:00 +0000\r\nMessage-ID: <hello@example.com>\r\n\r\nGood morning.\r\n"

func inbox(messages ...Message) []Mailbox {
	return []Mailbox{{Name: "INBOX", Messages: messages}}
}

func helloMessage() Message {
	return Message{Raw: []byte(hello), Flags: []imap.Flag{"\\Flagged"},
		InternalDate: time.Date(2026, 11, 2, 9, 0, 1, 0, time.UTC)}
}

// connect logs in over a pipe.
func connect(t *testing.T, s *Server) *imapclient.Client {
	t.Helper()
	conn, err := s.Dial(t.Context(), "tcp", "ignored.example:143")
	if err != nil {
		t.Fatal(err)
	}
	return login(t, conn)
}

func login(t *testing.T, conn net.Conn) *imapclient.Client {
	t.Helper()
	c := imapclient.New(conn, nil)
	t.Cleanup(func() { c.Close() })
	if err := c.Login(User, Password).Wait(); err != nil {
		t.Fatal(err)
	}
	return c
}

func examine(t *testing.T, c *imapclient.Client) *imap.SelectData {
	t.Helper()
	data, err := c.Select("INBOX", &imap.SelectOptions{ReadOnly: true}).Wait()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

var peekText = &imap.FetchOptions{UID: true, Flags: true,
	BodySection: []*imap.FetchItemBodySection{{Specifier: imap.PartSpecifierText, Peek: true}}}

func TestReadingPassesTheCheck(t *testing.T) {
	s := New(t, Options{Mailboxes: inbox(helloMessage())})
	c := connect(t, s)
	if got := examine(t, c).NumMessages; got != 1 {
		t.Errorf("got %d messages, want 1", got)
	}
	messages, err := c.Fetch(imap.UIDSetNum(1), peekText).Collect()
	if err != nil || len(messages) != 1 {
		t.Fatalf("got %d messages, %v", len(messages), err)
	}
	if got := string(messages[0].BodySection[0].Bytes); got != "Good morning.\r\n" {
		t.Errorf("got body %q", got)
	}
	got := strings.Join(s.Verbs(), " ")
	if want := "LOGIN EXAMINE UID FETCH"; got != want {
		t.Errorf("got verbs %q, want %q", got, want)
	}
	if v := s.Violations(); len(v) != 0 {
		t.Errorf("got violations %q", v)
	}
}

// recordingTB counts what a check reports.
type recordingTB struct {
	testing.TB
	errors []string
}

func (r *recordingTB) Helper() {}
func (r *recordingTB) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}
func (r *recordingTB) Context() context.Context { return context.Background() }

// Each way of changing a mailbox is seen. This is the twin of every test that passes CheckReadOnly.
func TestWritesAreSeen(t *testing.T) {
	set := imap.UIDSetNum(1)
	store := &imap.StoreFlags{Op: imap.StoreFlagsAdd, Flags: []imap.Flag{imap.FlagSeen}, Silent: true}
	noPeek := &imap.FetchOptions{BodySection: []*imap.FetchItemBodySection{{}}}
	cases := []struct {
		name string
		do   func(c *imapclient.Client) error
	}{
		{"select", func(c *imapclient.Client) error { _, err := c.Select("INBOX", nil).Wait(); return err }},
		{"store", func(c *imapclient.Client) error { return c.Store(set, store, nil).Close() }},
		{"fetch without peek", func(c *imapclient.Client) error { _, err := c.Fetch(set, noPeek).Collect(); return err }},
		{"copy", func(c *imapclient.Client) error { _, err := c.Copy(set, "Other").Wait(); return err }},
		{"move", func(c *imapclient.Client) error { _, err := c.Move(set, "Other").Wait(); return err }},
		{"expunge", func(c *imapclient.Client) error { return c.Expunge().Close() }},
		{"close", func(c *imapclient.Client) error { return c.UnselectAndExpunge().Wait() }},
		{"create", func(c *imapclient.Client) error { return c.Create("New", nil).Wait() }},
		{"delete", func(c *imapclient.Client) error { return c.Delete("Other").Wait() }},
		{"rename", func(c *imapclient.Client) error { return c.Rename("Other", "New", nil).Wait() }},
		{"subscribe", func(c *imapclient.Client) error { return c.Subscribe("Other").Wait() }},
		{"unsubscribe", func(c *imapclient.Client) error { return c.Unsubscribe("Other").Wait() }},
		{"append", func(c *imapclient.Client) error {
			w := c.Append("Other", int64(len(hello)), nil)
			w.Write([]byte(hello))
			w.Close()
			_, err := w.Wait()
			return err
		}},
	}
	boxes := append(inbox(helloMessage()), Mailbox{Name: "Other"})
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			s := New(t, Options{Mailboxes: boxes, Unchecked: true})
			c := connect(t, s)
			examine(t, c)
			if err := tc.do(c); err == nil {
				t.Errorf("the server did it")
			}
			tb := &recordingTB{TB: t}
			s.CheckReadOnly(tb)
			got := strings.Join(tb.errors, "\n")
			if !strings.Contains(got, "imaptest: command ") || !strings.Contains(got, "the server was told to ") {
				t.Errorf("CheckReadOnly said %q, want the command and what it would have done", got)
			}
			if d := s.want.diff(s.readState(t)); len(d) != 0 {
				t.Errorf("the refused command changed %q", d)
			}
		})
	}
}

func TestChangedFlagIsSeen(t *testing.T) {
	s := New(t, Options{Mailboxes: inbox(helloMessage()), AllowWrites: true, Unchecked: true})
	c := connect(t, s)
	if _, err := c.Select("INBOX", nil).Wait(); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Fetch(imap.UIDSetNum(1), &imap.FetchOptions{BodySection: []*imap.FetchItemBodySection{{}}}).Collect(); err != nil {
		t.Fatal(err)
	}
	tb := &recordingTB{TB: t}
	s.CheckReadOnly(tb)
	if got := strings.Join(tb.errors, "\n"); !strings.Contains(got, `message INBOX 1/1 changed: got "`) {
		t.Errorf("CheckReadOnly said %q, want the change of flags", got)
	}
}

func TestTLSModes(t *testing.T) {
	for name, mode := range map[string]TLSMode{"implicit": ImplicitTLS, "starttls": StartTLS} {
		t.Run(name, func(t *testing.T) {
			s := New(t, Options{TLS: mode, Mailboxes: inbox(helloMessage())})
			options := &imapclient.Options{TLSConfig: &tls.Config{RootCAs: s.Cert.Pool(), ServerName: Hostname}}
			dial := imapclient.DialTLS
			if mode == StartTLS {
				dial = imapclient.DialStartTLS
			}
			c, err := dial(s.Addr(), options)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			if err := c.Login(User, Password).Wait(); err != nil {
				t.Fatal(err)
			}
			if got := examine(t, c).NumMessages; got != 1 {
				t.Errorf("got %d messages, want 1", got)
			}
		})
	}
}
