package imaptest

import (
	"bufio"
	"bytes"
	"compress/flate"
	"errors"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"
	"github.com/emersion/go-sasl"

	"mailgap/readmail/demo/memserver"
)

// talk is a client that speaks lines.
type talk struct {
	t    *testing.T
	conn net.Conn
	br   *bufio.Reader
}

func dialTalk(t *testing.T, h *host) *talk {
	t.Helper()
	conn, err := h.Dial(t.Context(), "", "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return &talk{t, conn, bufio.NewReader(conn)}
}

func (c *talk) send(s string) {
	c.t.Helper()
	if _, err := c.conn.Write([]byte(s)); err != nil {
		c.t.Fatal(err)
	}
}

// line reads one line and fails the test unless it begins with prefix.
func (c *talk) line(prefix string) string {
	c.t.Helper()
	got, err := c.br.ReadString('\n')
	if err != nil {
		c.t.Fatalf("got %q, %v, want a line %q", got, err, prefix)
	}
	if !strings.HasPrefix(got, prefix) {
		c.t.Fatalf("got %q, want a line %q", got, prefix)
	}
	return got
}

// until reads lines up to the tagged one and returns them all.
func (c *talk) until(tag string) string {
	c.t.Helper()
	var all strings.Builder
	for {
		line := c.line("")
		all.WriteString(line)
		if strings.HasPrefix(line, tag+" ") {
			return all.String()
		}
	}
}

func TestCredentialsAreNotRecorded(t *testing.T) {
	s := New(t, Options{SASL: map[string]memserver.Mechanism{"XOAUTH2": func(login func() error) sasl.Server { return anyToken{login} }}})
	for _, exchange := range [][]string{
		{"A1 LOGIN " + User + " \"" + Password + "\"\r\n"},
		{"A1 LOGIN {18}\r\n", User + " {28}\r\n", Password + "\r\n"},
		{"A1 AUTHENTICATE PLAIN\r\n", "AHJlYWRlckBleGFtcGxlLmNvbQBjb3JyZWN0IGhvcnNlIGJhdHRlcnkgc3RhcGxl\r\n"},
		{"A1 AUTHENTICATE XOAUTH2 c2VjcmV0dG9rZW4=\r\n"},
	} {
		c := dialTalk(t, s.host)
		c.line("* OK [CAPABILITY ")
		for i, line := range exchange {
			if i > 0 {
				if got := c.line("+ "); strings.Contains(got, "=") {
					t.Errorf("got challenge %q, want an empty one", got)
				}
			}
			c.send(line)
		}
		c.line("A1 OK")
	}
	for _, c := range s.Commands() {
		if strings.Contains(c.String(), "staple") || strings.Contains(c.String(), "AHJl") || strings.Contains(c.String(), "c2Vj") {
			t.Errorf("credential recorded: %v", c)
		}
	}
	if got, want := len(s.Commands()), 5; got != want {
		t.Errorf("got %d commands, want %d", got, want)
	}
}

type anyToken struct{ login func() error }

func (a anyToken) Next([]byte) ([]byte, bool, error) { return nil, true, a.login() }

func TestCapabilitiesHiddenAndAdded(t *testing.T) {
	s := New(t, Options{HideCaps: []imap.Cap{"ESEARCH", "LIST-STATUS", "SASL-IR"}, AddCaps: []imap.Cap{"X-GM-EXT-1"}})
	c := dialTalk(t, s.host)
	c.line("* OK [CAPABILITY ")
	c.send("a LOGIN " + User + " \"" + Password + "\"\r\n")
	login := c.until("a")
	c.send("b CAPABILITY\r\n")
	asked := c.until("b")
	for name, got := range map[string]string{"login": login, "CAPABILITY": asked} {
		if strings.Contains(got, "ESEARCH") || strings.Contains(got, "LIST-STATUS") || strings.Contains(got, "SASL-IR") {
			t.Errorf("%s: hidden capability in %q", name, got)
		}
		if !strings.Contains(got, "X-GM-EXT-1") || !strings.Contains(got, " ID") || !strings.Contains(got, "SPECIAL-USE") {
			t.Errorf("%s: capability missing in %q", name, got)
		}
	}
}

func TestHandleAndID(t *testing.T) {
	s := New(t, Options{Mailboxes: inbox(helloMessage()), Handle: map[string]func(Command) string{
		"UID SORT": func(c Command) string { return "* SORT 1\r\n{tag} OK " + c.Args + "\r\n" }}})
	c := dialTalk(t, s.host)
	c.line("* OK")
	c.send("a ID NIL\r\n")
	c.line("* ID (")
	c.line("a OK")
	c.send("b LOGIN " + User + " \"" + Password + "\"\r\nc EXAMINE INBOX\r\nd UID SORT (ARRIVAL) UTF-8 ALL\r\n")
	c.until("c")
	c.line("* SORT 1")
	c.line("d OK (ARRIVAL) UTF-8 ALL")
}

func TestCompress(t *testing.T) {
	s := New(t, Options{Compress: true, Mailboxes: inbox(Message{Raw: []byte(hello + strings.Repeat("the same again\r\n", 2000))})})
	c := dialTalk(t, s.host)
	c.line("* OK")
	c.send("a LOGIN " + User + " \"" + Password + "\"\r\n")
	if got := c.until("a"); !strings.Contains(got, "COMPRESS=DEFLATE") {
		t.Fatalf("got %q, want COMPRESS=DEFLATE in it", got)
	}
	c.send("b COMPRESS DEFLATE\r\n")
	c.line("b OK")
	out, err := flate.NewWriter(c.conn, flate.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	before := s.Stats().OctetsSent
	c.br = bufio.NewReader(flate.NewReader(c.br))
	out.Write([]byte("c EXAMINE INBOX\r\nd UID FETCH 1 BODY.PEEK[]\r\n"))
	if err := out.Flush(); err != nil {
		t.Fatal(err)
	}
	got := c.until("d")
	if len(got) < 32000 {
		t.Errorf("got %d octets of text", len(got))
	}
	if sent := s.Stats().OctetsSent - before; sent > 4000 {
		t.Errorf("sent %d octets for %d of repeating text", sent, len(got))
	}
}

func TestRoundTripsCountFlights(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(t, Options{Mailboxes: inbox(helloMessage()), Latency: 30 * time.Millisecond})
		defer s.Close()
		c := dialTalk(t, s.host)
		defer c.conn.Close()
		c.line("* OK")
		start := time.Now()
		c.send("a LOGIN " + User + " \"" + Password + "\"\r\n")
		c.until("a")
		go func() { _, _ = c.conn.Write([]byte("b EXAMINE INBOX\r\nc UID FETCH 1 (ENVELOPE)\r\n")) }() // a pipe holds nothing: the reply is read meanwhile
		c.until("c")
		if got, want := s.Stats().RoundTrips, 2; got != want {
			t.Errorf("got %d round trips, want %d: EXAMINE and FETCH went together", got, want)
		}
		if got, want := time.Since(start), 60*time.Millisecond; got != want {
			t.Errorf("got %v, want %v", got, want)
		}
		s.Reset()
		for _, line := range []string{"d NOOP\r\n", "e NOOP\r\n"} {
			c.send(line)
			c.until(line[:1])
		}
		if got, want := s.Stats().RoundTrips, 2; got != want {
			t.Errorf("got %d round trips, want %d", got, want)
		}
	})
}

func TestIdleHearsOfDelivery(t *testing.T) {
	s := New(t, Options{Mailboxes: inbox(helloMessage())})
	c := dialTalk(t, s.host)
	c.line("* OK")
	c.send("a LOGIN " + User + " \"" + Password + "\"\r\nb EXAMINE INBOX\r\n")
	c.until("b")
	c.send("c IDLE\r\n")
	c.line("+")
	s.Deliver(t, "INBOX", helloMessage())
	c.line("* 2 EXISTS")
	c.send("DONE\r\n")
	c.until("c")
}

func TestAdminChangesAreNotViolations(t *testing.T) {
	s := New(t, Options{Mailboxes: append(inbox(helloMessage()), Mailbox{Name: "Other", Messages: []Message{helloMessage()}})})
	validity := func() (v uint32) {
		s.Admin(t, func(c *imapclient.Client) error {
			data, err := c.Status("Other", &imap.StatusOptions{UIDValidity: true}).Wait()
			if err == nil {
				v = data.UIDValidity
			}
			return err
		})
		return v
	}
	before := validity()
	s.Admin(t, func(c *imapclient.Client) error {
		return errors.Join(c.Delete("Other").Wait(), c.Create("Other", nil).Wait())
	})
	if after := validity(); after == before {
		t.Errorf("UIDVALIDITY stayed %d after the mailbox was made anew", after)
	}
	if len(s.Commands()) != 0 || len(s.Violations()) != 0 {
		t.Errorf("got commands %v, violations %q", s.Commands(), s.Violations())
	}
}

func TestReplaceItem(t *testing.T) {
	second := helloMessage()
	second.Raw = append(bytes.Clone(second.Raw), "It says BODYSTRUCTURE (too).\r\n"...)
	s := New(t, Options{Mailboxes: inbox(helloMessage(), second),
		Rewrite: Rewrites(ReplaceItem(2, "BODYSTRUCTURE", StructureStrayQuotes), ReplaceItem(1, "ENVELOPE", EnvelopeShort), ReplaceLine("* FLAGS"))})
	c := dialTalk(t, s.host)
	c.line("* OK")
	c.send("a LOGIN " + User + " \"" + Password + "\"\r\nb EXAMINE INBOX\r\n")
	if got := c.until("b"); strings.Contains(got, "* FLAGS") {
		t.Errorf("got %q, want no FLAGS line", got)
	}
	c.send("c UID FETCH 1:2 (ENVELOPE BODY.PEEK[TEXT] BODYSTRUCTURE RFC822.SIZE)\r\n")
	got := strings.Split(c.until("c"), "* 2 FETCH")
	if len(got) != 2 {
		t.Fatalf("got %q, want two responses", got)
	}
	// The memory server has its own order: size, envelope, structure, sections.
	if !strings.Contains(got[0], "ENVELOPE "+EnvelopeShort+" BODYSTRUCTURE (\"text\" \"plain\"") {
		t.Errorf("message 1: got %q", got[0])
	}
	if !strings.Contains(got[1], "BODYSTRUCTURE "+StructureStrayQuotes+" BODY[TEXT] {45}\r\nGood morning.") {
		t.Errorf("message 2: got %q", got[1])
	}
}
