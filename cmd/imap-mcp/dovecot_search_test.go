package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-imap/v2"

	"mailgap/readmail/imaptest"
)

// simple is a message with a subject and a line of text.
func simple(subject, text string, received time.Time, flags ...imap.Flag) imaptest.Message {
	return imaptest.Message{Raw: []byte("From: Ada <ada@example.com>\r\nTo: reader@example.com\r\nSubject: " + subject + "\r\n\r\n" + text + "\r\n"),
		InternalDate: received, Flags: flags}
}

func at(t *testing.T, s string) time.Time {
	t.Helper()
	out, err := time.Parse(time.RFC3339, s)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// testDates searches around midnight in two zones: the server compares days in its own idea of them, the answer must
// compare instants.
func testDates(t *testing.T, program string) {
	var messages []imaptest.Message
	for _, s := range []string{
		"2011-05-05T10:00:00Z",      // 1: years ago
		"2026-03-01T23:30:00+01:00", // 2: 22:30 UTC
		"2026-03-02T00:30:00+01:00", // 3: 23:30 UTC, still 1 March there
		"2026-03-01T23:30:00-05:00", // 4: 04:30 UTC on 2 March
		"2026-03-02T00:30:00-05:00", // 5: 05:30 UTC
		"2026-03-15T12:00:00Z",      // 6
	} {
		messages = append(messages, simple("at "+s, "x", at(t, s)))
	}
	_, c := startReader(t, program, imaptest.DovecotOptions{Mailboxes: []imaptest.Mailbox{{Name: "INBOX", Messages: messages}}})
	for _, tt := range []struct {
		name  string
		query args
		want  []int
	}{
		{"a day in the zone of the server", args{"since": "2026-03-02", "before": "2026-03-03"}, []int{4, 5}},
		{"a day in another zone", args{"since": "2026-03-02T00:00:00+01:00", "before": "2026-03-03T00:00:00+01:00"}, []int{3, 4, 5}},
		{"to the minute", args{"since": "2026-03-01T22:31:00Z", "before": "2026-03-02T04:30:00Z"}, []int{3}},
		{"before is exclusive", args{"before": "2026-03-01T22:30:00Z"}, []int{1}},
		{"since is inclusive", args{"since": "2026-03-02T05:30:00Z"}, []int{5, 6}},
		{"years ago", args{"before": "2012-01-01"}, []int{1}},
		{"nothing between", args{"since": "2026-03-02T04:31:00Z", "before": "2026-03-02T05:29:00Z"}, nil},
	} {
		all, _ := allPages(t, c, tt.query)
		if got := uids(t, all); !slices.Equal(got, tt.want) {
			t.Errorf("%s %v = %v, want %v", tt.name, tt.query, got, tt.want)
		}
	}
}

// testPhrases searches for several words, quotes, wildcards and parentheses: each is a value, never syntax.
func testPhrases(t *testing.T, program string) {
	day := at(t, "2026-03-01T10:00:00Z")
	_, c := startReader(t, program, imaptest.DovecotOptions{Mailboxes: []imaptest.Mailbox{{Name: "INBOX", Messages: []imaptest.Message{
		simple("green garden gate", "x", day),
		simple("gate in a green garden", "x", day),
		simple(`he said "no" (twice) 100% * \ {3}`, "x", day),
		simple("UNSEEN OR ALL", "x", day, imap.FlagSeen),
		simple("nothing", "green garden gate", day),
	}}}})
	for _, tt := range []struct {
		name  string
		query args
		want  []int
	}{
		{"words are a phrase", args{"subject": "green garden gate"}, []int{1}},
		{"quotes", args{"subject": `said "no" (twice)`}, []int{3}},
		{"percent, star, backslash, brace", args{"subject": `100% * \ {3}`}, []int{3}},
		{"star is no wildcard", args{"subject": "gr*n"}, nil},
		{"a value like a search key", args{"subject": "UNSEEN OR ALL"}, []int{4}},
		{"body, not subject", args{"body": "green garden gate"}, []int{5}},
		{"either", args{"any_of": []args{{"subject": "nothing"}, {"subject": "UNSEEN"}}}, []int{4, 5}},
		{"not", args{"not": args{"subject": "g"}}, []int{3, 4}},
		{"not and", args{"unread": true, "not": args{"subject": "gate"}}, []int{3, 5}},
	} {
		all, _ := allPages(t, c, tt.query)
		if got := uids(t, all); !slices.Equal(got, tt.want) {
			t.Errorf("%s %v = %v, want %v", tt.name, tt.query, got, tt.want)
		}
	}
}

// testInjection passes values that would end a command and begin another. Each is refused, or sent as a value: the check
// of commands and mail when the server stops says so, and no command has one of the words outside a string.
func testInjection(t *testing.T, program string) {
	evil := []string{
		"x\"\r\nA9 STORE 1:* +FLAGS (\\Deleted)", "x\r\nA9 EXPUNGE", "x\nA9 DELETE INBOX", "x\rA9 DELETE INBOX", "x\x00y", "x{5}\r\nhello",
		`x" DELETED`, `x\`, "\u2028A9 EXPUNGE", `INBOX" (MESSAGES)`,
	}
	inbox := []imaptest.Message{simple("one", "x", at(t, "2026-03-01T10:00:00Z")),
		{Raw: []byte("From: ada@example.com\r\nSubject: Id\r\nMessage-ID: <x\"\r\n A9 STORE 1:* +FLAGS (\\Deleted)@example.com>\r\nReferences: <y\\\"@example.com> <z {9}@example.com>\r\n\r\nx\r\n")}}
	d, c := startReader(t, program, imaptest.DovecotOptions{Mailboxes: []imaptest.Mailbox{{Name: "INBOX", Messages: inbox}}})
	for _, v := range evil {
		for _, field := range []string{"subject", "from", "to", "cc", "text", "body", "message_id", "gmail_raw", "since", "cursor"} {
			c.try(t, "list_messages", args{field: v})
		}
		c.try(t, "list_messages", args{"mailboxes": []string{v}})
		c.try(t, "list_messages", args{"header": args{"name": "X-A", "value": v}})
		c.try(t, "list_messages", args{"header": args{"name": v, "value": "x"}})
		c.try(t, "list_new_messages", args{"mailboxes": []string{v}})
		c.try(t, "wait_for_message", args{"mailbox": v, "timeout_seconds": 1})
		for _, tool := range []string{"get_message", "get_thread", "get_attachment"} {
			c.try(t, tool, args{"ref": v})
			c.try(t, tool, args{"ref": refOf("INBOX", 0, 1) + v})
			c.try(t, tool, args{"ref": refOf(v, 0, 1)})
		}
	}
	for uid := range inbox {
		call[threadGot](t, c, "get_thread", args{"ref": refOf("INBOX", 0, uid+1)})
	}
	if n := len(d.Commands()); n < 50 {
		t.Errorf("only %d commands reached the server, too few to tell", n)
	}
	for _, command := range d.Commands() {
		if strings.Contains(command.Tag, "A9") {
			t.Errorf("a value became a command: %s", command)
		}
	}
}

// testMailboxNames lists and reads mailboxes with names that are hard to send.
func testMailboxNames(t *testing.T, program string) {
	names := []string{"INBOX", "Entwürfe & Co", "日本語フォルダ", "Прочее/Счета", `with "quotes" and 100%`, "Gesendete Objekte", "back&slash", "Gel&APY-scht", "star*", "Ümläut/Ünter/Ebene"}
	var boxes []imaptest.Mailbox
	for i, name := range names {
		box := imaptest.Mailbox{Name: name, Messages: []imaptest.Message{simple(fmt.Sprint("in ", i), "words of "+fmt.Sprint(i), at(t, "2026-03-01T10:00:00Z"))}}
		if name == "Gesendete Objekte" {
			box.Attrs = []imap.MailboxAttr{imap.MailboxAttrSent}
		}
		boxes = append(boxes, box)
	}
	for what, hide := range map[string][]imap.Cap{"with LIST-STATUS": nil, "without": {imap.CapListStatus, imap.CapListExtended, imap.CapSpecialUse, imap.CapEnable}} {
		t.Run(what, func(t *testing.T) {
			_, c := startReader(t, program, imaptest.DovecotOptions{Mailboxes: boxes, HideCaps: hide})
			got := map[string]string{}
			for _, m := range call[mailboxesGot](t, c, "list_mailboxes", nil).Mailboxes {
				got[m.Name] = m.SpecialUse
				if slices.Contains(names, m.Name) && (m.Messages == nil || *m.Messages != 1) {
					t.Errorf("%q: messages = %v, want 1", m.Name, m.Messages)
				}
			}
			if got["Gesendete Objekte"] != "sent" {
				t.Errorf("special use of Gesendete Objekte = %q, want sent", got["Gesendete Objekte"])
			}
			for i, name := range names {
				if _, ok := got[name]; !ok {
					t.Errorf("list_mailboxes lacks %q: %q", name, got)
				}
				list := call[listGot](t, c, "list_messages", args{"mailboxes": []string{name}})
				if len(list.Messages) != 1 || list.Messages[0].Subject != fmt.Sprint("in ", i) {
					t.Fatalf("%q: messages = %+v", name, list.Messages)
				}
				m := call[messageGot](t, c, "get_message", args{"ref": list.Messages[0].Ref})
				if want := fmt.Sprint("words of ", i); strings.TrimSpace(m.Body.Text) != want {
					t.Errorf("%q: text = %q, want %q", name, m.Body.Text, want)
				}
				found := call[listGot](t, c, "list_messages", args{"mailboxes": []string{name}, "text": fmt.Sprint("words of ", i)})
				if len(found.Messages) != 1 {
					t.Errorf("%q: search found %d messages, want 1", name, len(found.Messages))
				}
			}
			all, _ := allPages(t, c, args{"mailboxes": []string{"*"}})
			if len(all) != len(names) {
				t.Errorf("in all mailboxes: %d messages, want %d", len(all), len(names))
			}
		})
	}
}
