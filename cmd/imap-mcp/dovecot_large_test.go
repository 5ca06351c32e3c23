package main

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-imap/v2"

	"mailgap/readmail/imaptest"
)

// uglyCount is large enough for thirty pages and for the slices of a text search.
const uglyCount = 3000

// hiddenCaps are sets of capabilities that servers lack.
func hiddenCaps() map[string][]imap.Cap {
	return map[string][]imap.Cap{
		"everything": nil,
		"bare": {"SORT", "SORT=DISPLAY", "ESORT", "THREAD=REFERENCES", "THREAD=REFS", "THREAD=ORDEREDSUBJECT", imap.CapESearch, "CONTEXT=SEARCH", "SEARCHRES",
			imap.CapListStatus, imap.CapListExtended, imap.CapCondStore, imap.CapQResync, imap.CapUnselect, imap.CapLiteralPlus, imap.CapSASLIR, imap.CapEnable,
			imap.CapNamespace, imap.CapSpecialUse, "ID", "WITHIN", "STATUS=SIZE", "PREVIEW", "PREVIEW=FUZZY", "SNIPPET=FUZZY", "BINARY", "I18NLEVEL=1"},
	}
}

func testLarge(t *testing.T, program string) {
	u := ugly(t, uglyCount)
	for name, hide := range hiddenCaps() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, c := startReader(t, program, imaptest.DovecotOptions{HideCaps: hide,
				Mailboxes: []imaptest.Mailbox{{Name: "INBOX", Messages: u.messages}, {Name: "Ältere", Messages: u.messages[:250]}}}, "IMAP_SEARCH_TIME=60s")
			checkPaging(t, c, u)
			checkTwoMailboxes(t, c)
			checkSearches(t, c, u)
			checkUnannounced(t, d, hide)
		})
	}
}

// checkPaging reads everything page by page: no message lost or twice, the newest first.
func checkPaging(t *testing.T, c *client, u *uglyBox) {
	t.Helper()
	for _, tt := range []struct {
		name  string
		query args
		want  []int
	}{
		{"all", args{"limit": 100}, upTo(uglyCount)},
		{"unread", args{"limit": 17, "unread": true}, u.unread},
		{"flagged", args{"limit": 9, "flagged": true}, u.flagged},
		{"subject", args{"limit": 5, "subject": needleSubject}, u.subject[needleSubject]},
		{"body", args{"limit": 5, "body": needlePhrase}, u.body[needlePhrase]},
	} {
		all, pages := allPages(t, c, tt.query)
		checkOrder(t, tt.name, pages)
		if got := uids(t, all); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %d messages on %d pages, want %d; %s", tt.name, len(got), len(pages), len(tt.want), difference(got, tt.want))
		}
	}
}

// checkOrder fails if a message is listed twice, or before a newer one although all pages say that they are in order of
// dates.
func checkOrder(t *testing.T, what string, pages []listGot) {
	t.Helper()
	seen := map[string]bool{}
	var last summary
	for _, page := range pages {
		ordered := !slices.ContainsFunc(page.Coverage, func(c coverageGot) bool { return c.Order != "received" })
		for _, m := range page.Messages {
			if seen[m.Ref] {
				t.Errorf("%s: %s is listed twice", what, m.Ref)
			}
			seen[m.Ref] = true
			if ordered && last.Ref != "" && m.Received.After(last.Received) {
				t.Errorf("%s: %s of %v comes after %s of %v", what, m.Ref, m.Received, last.Ref, last.Received)
			}
			last = m
		}
	}
}

func checkTwoMailboxes(t *testing.T, c *client) {
	t.Helper()
	all, pages := allPages(t, c, args{"mailboxes": []string{"Ältere", "INBOX"}, "limit": 100})
	checkOrder(t, "two mailboxes", pages)
	if got, want := len(all), uglyCount+250; got != want {
		t.Errorf("two mailboxes: %d messages, want %d", got, want)
	}
}

// testLateDisorder lists a mailbox whose newest pages are in order of dates, and which holds a message further down that
// is newer than all: that is found out between two pages, and must not change what the next pages hold.
func testLateDisorder(t *testing.T, program string) {
	const count, late = 300, 150
	var messages []imaptest.Message
	for uid := 1; uid <= count; uid++ {
		m := imaptest.Message{Raw: []byte("From: a@example.com\r\nSubject: number\r\n\r\nx\r\n"), InternalDate: time.Date(2026, 1, 1, 0, 7*uid, 0, 0, time.UTC)}
		if uid == late {
			m.InternalDate = time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
		}
		messages = append(messages, m)
	}
	_, c := startReader(t, program, imaptest.DovecotOptions{Mailboxes: []imaptest.Mailbox{{Name: "INBOX", Messages: messages}}})
	for range 3 { // what the first round finds out, the next ones know from their first page on
		for _, query := range []args{{"limit": 40}, {"limit": 40, "subject": "number"}, {"limit": 40, "body": "x"}} {
			all, _ := allPages(t, c, query)
			if got, want := uids(t, all), upTo(count); !slices.Equal(got, want) {
				t.Errorf("%v: %d messages, want %d: %s", query, len(got), len(want), difference(got, want))
			}
		}
	}
	if got := call[listGot](t, c, "list_messages", args{"limit": 1}).Messages; uidOf(t, got[0].Ref) != late {
		t.Errorf("newest = %s, want UID %d", got[0].Ref, late)
	}
}

// checkSearches looks for each needle where it is and where it is not.
func checkSearches(t *testing.T, c *client, u *uglyBox) {
	t.Helper()
	for _, needle := range []string{needleSubject, needleJapanese, needleRussian, needleAccent, needlePhrase} {
		both := slices.Concat(u.subject[needle], u.body[needle])
		slices.Sort(both)
		fields := map[string][]int{"subject": u.subject[needle], "body": u.body[needle]}
		if needle == needleJapanese {
			fields["text"] = slices.Compact(slices.Clone(both))
		}
		for field, want := range fields {
			all, _ := allPages(t, c, args{field: needle, "limit": 100})
			if got := uids(t, all); !slices.Equal(got, want) {
				t.Errorf("%s %q: %s", field, needle, difference(got, want))
			}
		}
		if len(both) < 5 {
			t.Errorf("%q is in %d messages, too few to tell", needle, len(both))
		}
	}
	page := call[listGot](t, c, "list_messages", args{"subject": "nowhere-to-be-found"})
	if len(page.Messages) != 0 || len(page.Coverage) != 1 || !slices.Contains(page.Coverage[0].Notes, "zero_confirmed") {
		t.Errorf("a search without a match = %d messages, coverage %+v; want none, confirmed", len(page.Messages), page.Coverage)
	}
}

// checkUnannounced fails if a command was used that the server does not offer.
func checkUnannounced(t *testing.T, d *imaptest.Dovecot, hide []imap.Cap) {
	t.Helper()
	needs := map[string]imap.Cap{"SORT": "SORT", "THREAD": "THREAD=REFERENCES", "UNSELECT": imap.CapUnselect, "ENABLE": imap.CapEnable, "ID": "ID",
		"RETURN (": imap.CapESearch, "CHANGEDSINCE": imap.CapCondStore, "(CONDSTORE)": imap.CapCondStore, "+}": imap.CapLiteralPlus}
	for _, command := range d.Commands() {
		for word, c := range needs {
			if slices.Contains(hide, c) && (command.Verb == word || command.Verb == "UID "+word || len(word) > 6 && strings.Contains(command.Args, word) || word == "+}" && strings.Contains(command.Args, word)) {
				t.Errorf("%s needs %s, which the server does not offer", command, c)
			}
		}
	}
}

func upTo(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i + 1
	}
	return out
}

// uids are the UIDs of a list, rising.
func uids(t *testing.T, list []summary) []int {
	t.Helper()
	var out []int
	for _, m := range list {
		out = append(out, uidOf(t, m.Ref))
	}
	slices.Sort(out)
	return out
}

// difference says which numbers are missing and which are too many.
func difference(got, want []int) string {
	var missing, extra []int
	for _, n := range want {
		if !slices.Contains(got, n) {
			missing = append(missing, n)
		}
	}
	for _, n := range got {
		if !slices.Contains(want, n) {
			extra = append(extra, n)
		}
	}
	return "missing " + shortList(missing) + ", too many " + shortList(extra)
}
