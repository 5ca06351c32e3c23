package demo

import (
	"bytes"
	"context"
	"errors"
	"net/mail"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"

	"mailgap/readmail/demo/memserver"
)

func load(t *testing.T) []memserver.Mailbox {
	t.Helper()
	boxes, err := Mailboxes()
	if err != nil {
		t.Fatal(err)
	}
	return boxes
}

// connect logs in to a fresh demo mailbox.
func connect(t *testing.T) *imapclient.Client {
	t.Helper()
	conn, err := Dialer()(t.Context(), "tcp", "ignored.example:993")
	if err != nil {
		t.Fatal(err)
	}
	c := imapclient.New(conn, nil)
	t.Cleanup(func() { c.Close() })
	if err := c.Login(User, Password).Wait(); err != nil {
		t.Fatal(err)
	}
	return c
}

func TestContent(t *testing.T) {
	entries, err := index()
	if err != nil {
		t.Fatal(err)
	}
	if got := len(entries); got < 38 || got > 50 {
		t.Errorf("got %d messages, want about forty", got)
	}
	var hostile int
	for _, e := range entries {
		if e.Shows == "" {
			t.Errorf("%s does not say what it shows", e.File)
		}
		if e.Hostile {
			hostile++
		}
	}
	if hostile < 10 {
		t.Errorf("got %d hostile messages, want 10 or more", hostile)
	}
	for _, box := range load(t) {
		selectable := !slices.Contains(box.Attrs, imap.MailboxAttrNoSelect)
		if got := len(box.Messages) > 0; got != selectable {
			t.Errorf("%s: has messages %v, selectable %v", box.Name, got, selectable)
		}
	}
	if !reflect.DeepEqual(load(t), load(t)) {
		t.Error("two calls of Mailboxes differ")
	}
}

func TestMessagesParse(t *testing.T) {
	for _, box := range load(t) {
		for _, m := range box.Messages {
			msg, err := mail.ReadMessage(bytes.NewReader(m.Raw))
			if err != nil {
				t.Errorf("%s: %v in %.60q", box.Name, err, m.Raw)
				continue
			}
			id := msg.Header.Get("Message-Id")
			if bytes.Contains(bytes.ReplaceAll(m.Raw, []byte("\r\n"), nil), []byte("\n")) {
				t.Errorf("%s: line ends are not all CRLF", id)
			}
			checkDate(t, id, msg.Header, m)
			incoming := box.Name != "Sent" && box.Name != "Drafts"
			got := strings.HasPrefix(msg.Header.Get("Authentication-Results"), TrustedAuthservID+";")
			if got != incoming {
				t.Errorf("%s: topmost Authentication-Results by %s: got %v, want %v", id, TrustedAuthservID, got, incoming)
			}
		}
	}
}

func checkDate(t *testing.T, id string, h mail.Header, m memserver.Message) {
	t.Helper()
	end := time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
	if !m.InternalDate.Before(end) || m.InternalDate.After(Now()) || Now().Sub(m.InternalDate) > 60*24*time.Hour {
		t.Errorf("%s: internal date %v", id, m.InternalDate)
	}
	date, err := h.Date()
	if malformed := strings.Contains(id, "malformed-date"); (err != nil) != malformed {
		t.Errorf("%s: Date: got error %v, want one: %v", id, err, malformed)
	}
	if err == nil && !date.Before(end) {
		t.Errorf("%s: Date %v", id, date)
	}
}

// Addresses must be at names that nobody can own (RFC 2606, RFC 6761).
func TestAddressesAreReserved(t *testing.T) {
	reserved := []string{".example", "example.com", "example.org", "example.net", ".invalid", ".test"}
	for _, box := range load(t) {
		for _, m := range box.Messages {
			for _, at := range strings.Split(strings.ReplaceAll(string(m.Raw), "=\r\n", ""), "@")[1:] {
				end := strings.IndexFunc(at, func(r rune) bool {
					return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && r != '-' && r != '.'
				})
				if end < 0 {
					end = len(at)
				}
				domain := strings.TrimRight(at[:end], ".")
				if strings.Contains(domain, ".") && !slices.ContainsFunc(reserved, func(r string) bool { return strings.HasSuffix(domain, r) }) {
					t.Errorf("%s: address at %q in %.80q", box.Name, domain, m.Raw)
				}
			}
		}
	}
}

func TestEveryMessageIsServed(t *testing.T) {
	c := connect(t)
	options := &imap.FetchOptions{UID: true, Envelope: true, Flags: true, InternalDate: true, RFC822Size: true,
		BodyStructure: &imap.FetchItemBodyStructure{Extended: true},
		BodySection:   []*imap.FetchItemBodySection{{Peek: true}}}
	for _, box := range load(t) {
		if len(box.Messages) == 0 {
			continue
		}
		data, err := c.Select(box.Name, &imap.SelectOptions{ReadOnly: true}).Wait()
		if err != nil {
			t.Fatalf("%s: %v", box.Name, err)
		}
		if got, want := int(data.NumMessages), len(box.Messages); got != want {
			t.Errorf("%s: got %d messages, want %d", box.Name, got, want)
		}
		messages, err := c.Fetch(imap.SeqSet{{Start: 1, Stop: 0}}, options).Collect()
		if err != nil {
			t.Fatalf("%s: %v", box.Name, err)
		}
		for i, m := range messages {
			if got := m.BodySection[0].Bytes; !bytes.Equal(got, box.Messages[i].Raw) {
				t.Errorf("%s %d: the octets differ", box.Name, m.UID)
			}
			if m.BodyStructure == nil || m.Envelope == nil || m.Envelope.MessageID == "" || !m.InternalDate.Equal(box.Messages[i].InternalDate) {
				t.Errorf("%s %d: incomplete: %+v", box.Name, m.UID, m)
			}
		}
	}
}

func TestSpecialUseIsListed(t *testing.T) {
	c := connect(t)
	boxes, err := c.List("", "*", &imap.ListOptions{ReturnSpecialUse: true, ReturnStatus: &imap.StatusOptions{NumMessages: true, NumUnseen: true}}).Collect()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]imap.MailboxAttr{}
	for _, b := range boxes {
		got[b.Mailbox] = ""
		if len(b.Attrs) > 0 {
			got[b.Mailbox] = b.Attrs[0]
		}
		if b.Mailbox != "Projects" && (b.Status == nil || *b.Status.NumMessages == 0) {
			t.Errorf("%s: no status with the list", b.Mailbox)
		}
	}
	for _, want := range mailboxes() {
		attr, ok := got[want.Name]
		if !ok || (len(want.Attrs) > 0 && attr != want.Attrs[0]) {
			t.Errorf("%s: listed %v with %q, want %v", want.Name, ok, attr, want.Attrs)
		}
	}
}

func TestNothingCanBeChanged(t *testing.T) {
	c := connect(t)
	if _, err := c.Select("INBOX", nil).Wait(); err == nil {
		t.Error("SELECT was not refused")
	}
	if _, err := c.Select("INBOX", &imap.SelectOptions{ReadOnly: true}).Wait(); err != nil {
		t.Fatal(err)
	}
	flags := &imap.StoreFlags{Op: imap.StoreFlagsAdd, Flags: []imap.Flag{imap.FlagDeleted}}
	if err := c.Store(imap.UIDSetNum(1), flags, nil).Close(); err == nil {
		t.Error("STORE was not refused")
	}
	noPeek := &imap.FetchOptions{BodySection: []*imap.FetchItemBodySection{{}}}
	if _, err := c.Fetch(imap.UIDSetNum(1), noPeek).Collect(); err == nil {
		t.Error("FETCH without PEEK was not refused")
	}
}

func TestDialerEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Dialer()(ctx, "tcp", ""); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
}

// The demo is part of the product: it must not pull in what is for tests.
func TestLinksNoTesting(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	deps := strings.Fields(string(out))
	if slices.Contains(deps, "testing") || slices.Contains(deps, "mailgap/readmail/imaptest") {
		t.Error("links testing code")
	}
	if !slices.Contains(deps, "mailgap/readmail/demo/memserver") {
		t.Error("does not link memserver: is this test stale?")
	}
}
