package main

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-imap/v2"

	"mailgap/readmail/imaptest"
)

func watched(t *testing.T) []imaptest.Mailbox {
	t.Helper()
	day := at(t, "2026-03-01T10:00:00Z")
	return []imaptest.Mailbox{
		{Name: "INBOX", Messages: []imaptest.Message{simple("one", "x", day), simple("two", "x", day.Add(time.Hour)), simple("three", "x", day.Add(2*time.Hour))}},
		{Name: "Listen & Co", Messages: []imaptest.Message{simple("four", "x", day)}},
	}
}

func mailFrom(from, subject string) []byte {
	return []byte("From: " + from + "\r\nTo: reader@example.com\r\nSubject: " + subject + "\r\n\r\nIt came just now.\r\n")
}

// testNews changes flags and delivers behind the program's back, with and without CONDSTORE.
func testNews(t *testing.T, program string) {
	for name, hide := range map[string][]imap.Cap{"with CONDSTORE": nil, "without": {imap.CapCondStore, imap.CapQResync}} {
		t.Run(name, func(t *testing.T) {
			d, c := startReader(t, program, imaptest.DovecotOptions{Mailboxes: watched(t), HideCaps: hide})
			news := func(a args) newsGot { return call[newsGot](t, c, "list_new_messages", a) }
			first := news(args{"mailboxes": []string{"INBOX", "Listen & Co"}})
			if len(first.Messages) != 0 || first.Cursor == "" {
				t.Fatalf("first call = %+v, want a cursor and no messages", first)
			}
			if again := news(args{"cursor": first.Cursor}); len(again.Messages)+len(again.FlagChanges) != 0 {
				t.Errorf("nothing happened, and it says %+v", again)
			}
			d.Admin(t, func() { d.Doveadm(t, "flags", "add", "-u", imaptest.User, `\Flagged`, "mailbox", "INBOX", "uid", "2") })
			changed := news(args{"cursor": first.Cursor})
			// A server may count changes without announcing CONDSTORE: HIGHESTMODSEQ says it too.
			known := changed.Mailboxes[0].Flags
			if hide == nil && !known {
				t.Error("flag changes are not known")
			}
			if known && (len(changed.FlagChanges) != 1 || changed.FlagChanges[0].Ref != refOf("INBOX", 0, 2) || !changed.FlagChanges[0].Flagged) {
				t.Errorf("flag changes = %+v, want %s flagged", changed.FlagChanges, refOf("INBOX", 0, 2))
			}
			d.Deliver(t, "INBOX", mailFrom("bo@example.net", "five"))
			d.Deliver(t, "Listen & Co", mailFrom("bo@example.net", "six"))
			d.Deliver(t, "INBOX", mailFrom("bo@example.net", "seven"))
			var got []string
			next := changed.Cursor
			for range 10 {
				n := news(args{"cursor": next, "limit": 1})
				for _, m := range n.Messages {
					got = append(got, m.Subject)
				}
				next = n.Cursor
				if !n.More {
					break
				}
			}
			slices.Sort(got)
			if want := []string{"five", "seven", "six"}; !slices.Equal(got, want) {
				t.Errorf("new, one at a time = %q, want %q", got, want)
			}
			if last := news(args{"cursor": next}); len(last.Messages) != 0 {
				t.Errorf("after all were listed, it lists %+v", last.Messages)
			}
		})
	}
}

// testWait waits for a message and delivers others before it.
func testWait(t *testing.T, program string) {
	d, c := startReader(t, program, imaptest.DovecotOptions{Mailboxes: watched(t)})
	waiting := c.startTool(t, "wait_for_message", args{"from": "carol@example.org", "timeout_seconds": 60})
	d.WaitCommand(t, "IDLE")
	if got := len(call[listGot](t, c, "list_messages", nil).Messages); got != 3 {
		t.Errorf("a list while another call waits has %d messages, want 3", got)
	}
	d.Deliver(t, "INBOX", mailFrom("Bo <bo@example.net>", "not this one"))
	d.Deliver(t, "INBOX", mailFrom("Carol <carol@example.org>", "this one"))
	began := time.Now()
	got := decodeAnswer[newsGot](t, "wait_for_message", c.awaitTool(t, "wait_for_message", waiting))
	if len(got.Messages) != 1 || got.Messages[0].Subject != "this one" || got.TimedOut {
		t.Errorf("waited for %+v, want the message of carol", got)
	}
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("the answer took %v after the delivery", took)
	}
	cursor := call[newsGot](t, c, "list_new_messages", nil).Cursor
	d.Deliver(t, "INBOX", mailFrom("Carol <carol@example.org>", "in between"))
	got = call[newsGot](t, c, "wait_for_message", args{"cursor": cursor, "timeout_seconds": 60})
	if len(got.Messages) != 1 || got.Messages[0].Subject != "in between" {
		t.Errorf("with a cursor: %+v, want the message that came between the calls", got)
	}
	got = call[newsGot](t, c, "wait_for_message", args{"from": "nobody@example.org", "timeout_seconds": 1})
	if !got.TimedOut || len(got.Messages) != 0 {
		t.Errorf("nothing came, and the answer is %+v", got)
	}
	if !strings.Contains(call[messageGot](t, c, "get_message", args{"ref": refOf("INBOX", 0, 6)}).Body.Text, "just now") {
		t.Error("the message that came last cannot be read")
	}
}

// testRebuilt deletes a mailbox and makes it anew: old references name nothing any more.
func testRebuilt(t *testing.T, program string) {
	d, c := startReader(t, program, imaptest.DovecotOptions{Mailboxes: watched(t)})
	box := "Listen & Co"
	old := call[listGot](t, c, "list_messages", args{"mailboxes": []string{box}}).Messages[0].Ref
	cursor := call[newsGot](t, c, "list_new_messages", args{"mailboxes": []string{box}}).Cursor
	d.Admin(t, func() {
		d.Doveadm(t, "mailbox", "delete", "-u", imaptest.User, box)
		d.Doveadm(t, "mailbox", "create", "-u", imaptest.User, box)
	})
	d.Deliver(t, box, mailFrom("bo@example.net", "another message under the same UID"))
	for _, tool := range []string{"get_message", "get_thread"} {
		if a := c.try(t, tool, args{"ref": old}); !a.IsError || strings.Contains(a.text(), "another message") {
			t.Errorf("%s of a reference into the old mailbox = %s, want an error", tool, a.text())
		}
	}
	n := call[newsGot](t, c, "list_new_messages", args{"cursor": cursor})
	if len(n.Mailboxes) != 1 || n.Mailboxes[0].Since != "rebuilt" {
		t.Errorf("after the mailbox was made anew: %+v, want since rebuilt", n.Mailboxes)
	}
}

// testReconnect drops all connections between two calls.
func testReconnect(t *testing.T, program string) {
	d, c := startReader(t, program, imaptest.DovecotOptions{Mailboxes: watched(t)})
	for range 3 {
		if got := len(call[listGot](t, c, "list_messages", nil).Messages); got != 3 {
			t.Errorf("messages = %d, want 3", got)
		}
		d.DropConnections()
	}
	if d.Connections() < 3 {
		t.Errorf("connections = %d, want at least 3", d.Connections())
	}
}
