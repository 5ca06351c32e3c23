package wire

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"
)

func answering(verb string, lines ...string) script {
	return func(tag, v, args string) string {
		if v != verb {
			return ""
		}
		return strings.ReplaceAll(strings.Join(lines, "\r\n"), "TAG", tag) + "\r\n" + tag + " OK done\r\n"
	}
}

func TestSearchResponses(t *testing.T) {
	for _, tc := range []struct {
		name, line string
		esearch    bool
		want       []imap.UID
		kind       RepairKind
	}{
		{"plain", "* SEARCH 3 1 2", false, []imap.UID{1, 2, 3}, 0},
		{"none", "* SEARCH", false, nil, 0},
		{"wrong case and spaces", "*  search  3 1  ", false, []imap.UID{1, 3}, 0},
		{"with MODSEQ", "* SEARCH 3 (MODSEQ 9)", false, []imap.UID{3}, 0},
		{"no untagged line (iCloud)", "* OK Still here", false, nil, 0},
		{"words with numbers after it", "* SEARCH 1 2 completed (took 237 ms)", false, []imap.UID{1, 2}, RepairSearchJunk},
		{"numbers out of range", "* SEARCH 1 0 4294967296 99999999999999999999999 2", false, []imap.UID{1, 2}, RepairSearchJunk},
		{"in two lines", "* SEARCH 1\r\n* SEARCH 2", false, []imap.UID{1, 2}, 0},
		{"ESEARCH", `* ESEARCH (TAG "TAG") UID ALL 9,1:3 COUNT 4`, true, []imap.UID{1, 2, 3, 9}, 0},
		{"ESEARCH without data", `* ESEARCH (TAG "TAG") UID`, true, nil, 0},
		{"ESEARCH without data and UID", `* ESEARCH (TAG "TAG")`, true, nil, 0},
		{"ESEARCH without UID", `* ESEARCH (TAG "TAG") ALL 4`, true, []imap.UID{4}, 0},
		{"ESEARCH without tag", `* ESEARCH UID ALL 4`, true, []imap.UID{4}, 0},
		{"ESEARCH with unknown item", `* ESEARCH (TAG "TAG") UID PARTIAL (1:2 3) ALL 4`, true, []imap.UID{4}, RepairSearchJunk},
		{"ESEARCH with a key and no value", `* ESEARCH (TAG "TAG") UID ALL`, true, nil, RepairSearchJunk},
		{"ESEARCH of another command", `* ESEARCH (TAG "other") UID ALL 4`, true, nil, RepairBadResponse},
	} {
		t.Run(tc.name, func(t *testing.T) {
			client, c, _ := dial(t, Options{}, answering("UID SEARCH", tc.line))
			var o *imap.SearchOptions
			if tc.esearch {
				o = &imap.SearchOptions{ReturnAll: true, ReturnCount: true}
			}
			data, err := client.UIDSearch(&imap.SearchCriteria{}, o).Wait()
			if err != nil {
				t.Fatalf("got %v (%v)", err, c.Err())
			}
			if got := data.AllUIDs(); !slices.Equal(got, tc.want) {
				t.Errorf("got %v, want %v", got, tc.want)
			}
			if k := kinds(c.TakeRepairs()); tc.kind != 0 && k[tc.kind] == 0 {
				t.Errorf("repairs: got %v, want %d", k, tc.kind)
			}
			alive(t, client, c)
		})
	}
}

// A result over the limit ends that command, not the connection, and never looks complete.
func TestTooManyNumbers(t *testing.T) {
	for name, line := range map[string]string{
		"SEARCH":           "* SEARCH" + strings.Repeat(" 7", 2000),
		"SEARCH line":      "* SEARCH" + strings.Repeat(" 1234567890", 20_000),
		"ESEARCH range":    `* ESEARCH (TAG "TAG") UID ALL 1:4294967295`,
		"ESEARCH with *":   `* ESEARCH (TAG "TAG") UID ALL 1:*`,
		"ESEARCH nonsense": `* ESEARCH (TAG "TAG") UID ALL (((`,
	} {
		t.Run(name, func(t *testing.T) {
			client, c, _ := dial(t, Options{Limits: Limits{Numbers: 1000, LineOctets: 4096}}, answering("UID SEARCH", line))
			data, err := client.UIDSearch(&imap.SearchCriteria{}, nil).Wait()
			if err == nil {
				t.Errorf("got %d numbers and no error", len(data.AllUIDs()))
			}
			alive(t, client, c)
		})
	}
}

// Numbers in random order would cost go-imap quadratic time; they reach it sorted.
func TestSearchIsSorted(t *testing.T) {
	var line strings.Builder
	line.WriteString("* SEARCH")
	const n = 200_000
	for i := range n {
		fmt.Fprintf(&line, " %d", 1+(i*7919)%n*2)
	}
	client, c, _ := dial(t, Options{}, answering("UID SEARCH", line.String()))
	data, err := client.UIDSearch(&imap.SearchCriteria{}, nil).Wait()
	if err != nil || len(data.AllUIDs()) != n {
		t.Fatalf("got %d numbers, %v (%v), want %d", len(data.AllUIDs()), err, c.Err(), n)
	}
}

func TestSortAndThread(t *testing.T) {
	client, c, _ := dial(t, Options{}, func(tag, verb, args string) string {
		switch verb {
		case "UID SORT":
			return "* SORT 3 1 2 done in 5 ms\r\n" + tag + " OK\r\n"
		case "UID THREAD":
			return "* THREAD (1 2 (3)(4 5) 6)(0 7)(((8)))" + strings.Repeat("(", 5000) + "9" + strings.Repeat(")", 4000) + "\r\n" + tag + " OK\r\n"
		}
		return ""
	})
	nums, err := client.UIDSort(&imapclient.SortOptions{SearchCriteria: &imap.SearchCriteria{},
		SortCriteria: []imapclient.SortCriterion{{Key: imapclient.SortKeyDate}}}).Wait()
	if err != nil || !slices.Equal(nums, []uint32{3, 1, 2}) {
		t.Errorf("sort: got %v, %v", nums, err)
	}
	threads, err := client.UIDThread(&imapclient.ThreadOptions{Algorithm: imap.ThreadReferences, SearchCriteria: &imap.SearchCriteria{}}).Wait()
	if err != nil || len(threads) != 4 {
		t.Fatalf("thread: got %+v, %v (%v)", threads, err, c.Err())
	}
	if got := fmt.Sprint(threads[0]); got != "{[1 2] [{[3] []} {[4 5] []} {[6] []}]}" {
		t.Errorf("thread: got %s", got)
	}
	if !slices.Equal(threads[1].Chain, []uint32{7}) {
		t.Errorf("thread with 0: got %v", threads[1])
	}
	alive(t, client, c)
}

func TestMailboxNames(t *testing.T) {
	for _, tc := range []struct {
		name, list string // as LIST sends it
		want       string // as the client shows it
		sent       string // as EXAMINE sends it
		kind       RepairKind
	}{
		{"plain", `"Sent"`, "Sent", `"Sent"`, 0},
		{"modified UTF-7", `"Gel&APY-schte Elemente"`, "Gelöschte Elemente", `"Gel&APY-schte Elemente"`, 0},
		{"as atom", `Entw&APw-rfe`, "Entwürfe", `"Entw&APw-rfe"`, 0},
		{"as literal", "{4}\r\nSent", "Sent", `"Sent"`, 0},
		{"not modified UTF-7", `"R&D reports"`, "R&D reports", `"R&D reports"`, RepairMailboxName},
		{"ampersand, well encoded", `"R&-D"`, "R&D", `"R&-D"`, 0},
		{"raw UTF-8", "\"Gel\xc3\xb6scht\"", "Gelöscht", "{9}\r\nGel\xc3\xb6scht", 0},
		{"Latin-1", "\"Gel\xf6scht\"", "Gelöscht", "{8}\r\nGel\xf6scht", RepairMailboxName},
		{"unquoted with spaces", `Gesendete Objekte`, "Gesendete Objekte", `"Gesendete Objekte"`, RepairBadResponse},
		{"base64 not canonical", `"&AOQ-&APY-"`, "&AOQ-&APY-", `"&AOQ-&APY-"`, RepairMailboxName},
		{"ends in a shift", `"a&"`, "a&", `"a&"`, RepairMailboxName},
		{"emoji", `"&2D3e,A-"`, "🗼", `"&2D3e,A-"`, 0},
		{"quotes and backslash", `"a \"b\" \\c"`, `a "b" \c`, `"a \"b\" \\c"`, 0},
		{"inbox in lower case", `inbox`, "INBOX", `INBOX`, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			client, c, s := dial(t, Options{}, answering("LIST", `* LIST (\HasNoChildren "x") "/" `+tc.list, `* LIST (\Sent) "/" "Other"`))
			boxes, err := client.List("", "*", nil).Collect()
			if err != nil || len(boxes) != 2 {
				t.Fatalf("got %d mailboxes, %v (%v)", len(boxes), err, c.Err())
			}
			if got := boxes[0].Mailbox; !strings.HasPrefix(tc.name, "emoji") && got != tc.want {
				t.Errorf("shown: got %q, want %q", got, tc.want)
			}
			if _, err := client.Select(boxes[0].Mailbox, &imap.SelectOptions{ReadOnly: true}).Wait(); err != nil {
				t.Fatal(err)
			}
			lines := s.received()
			if got := lines[len(lines)-1]; got != "T2 EXAMINE "+tc.sent && strings.Replace(got, "+}", "}", 1) != "T2 EXAMINE "+tc.sent {
				t.Errorf("sent: got %q, want %q", got, tc.sent)
			}
			if k := kinds(c.TakeRepairs()); tc.kind != 0 && k[tc.kind] == 0 {
				t.Errorf("repairs: got %v, want %d", k, tc.kind)
			}
			alive(t, client, c)
		})
	}
}

func TestAmbiguousMailboxNames(t *testing.T) {
	client, c, s := dial(t, Options{}, answering("LIST", `* LIST () "/" "R&-D"`, `* LIST () "/" "R&D"`))
	if _, err := client.List("", "*", nil).Collect(); err != nil {
		t.Fatal(err)
	}
	if k := kinds(c.TakeRepairs()); k[RepairMailboxAmbiguous] != 1 {
		t.Errorf("repairs: got %v, want MailboxAmbiguous", k)
	}
	client.Status("R&D", &imap.StatusOptions{NumMessages: true}).Wait()
	if lines := s.received(); lines[len(lines)-1] != `T2 STATUS "R&-D" (MESSAGES)` {
		t.Errorf("sent %q, want the first name", lines[len(lines)-1])
	}
}

func TestBareClientFailsOnMailboxName(t *testing.T) {
	client := dialBare(t, answering("LIST", `* LIST () "/" "R&D reports"`))
	if _, err := client.List("", "*", nil).Collect(); err == nil {
		t.Error("go-imap now takes this name: is the repair still needed?")
	}
}

func TestListStatus(t *testing.T) {
	client, c, _ := dial(t, Options{}, answering("LIST", `* LIST () "/" "R&D reports"`,
		`* STATUS "R&D reports" (MESSAGES 3 UNSEEN NIL UIDNEXT 99999999999 RECENT 0 X (1 2) UIDVALIDITY 7)`, `* LIST (\Noselect) NIL "x"`))
	boxes, err := client.List("", "*", &imap.ListOptions{ReturnStatus: &imap.StatusOptions{NumMessages: true, UIDValidity: true}}).Collect()
	if err != nil || len(boxes) != 2 {
		t.Fatalf("got %d, %v (%v)", len(boxes), err, c.Err())
	}
	if st := boxes[0].Status; st == nil || *st.NumMessages != 3 || st.UIDValidity != 7 {
		t.Errorf("status: got %+v", boxes[0].Status)
	}
}

// Lines nobody asked for, in every form, cost nothing.
func TestNoise(t *testing.T) {
	noise := []string{"* VANISHED (EARLIER) 41,43:116", "* 5 EXISTS", "* 99999999999 EXISTS", "* 0 RECENT", "* 0 EXPUNGE", "", " ", "*", "* ",
		"* OK", "* OK [", "* OK [X", "* OK [ALERT]", "* OK [UIDNEXT x] y", "* OK [PERMANENTFLAGS (\\* \\Seen a]b)] ok", "* NO", "* BAD [X] ", "* PREAUTH again",
		"* QUOTA \"\" (STORAGE 10 512)", "* METADATA x (/p NIL)", "* ACL x y", "* XYZZY", "* 5 XYZZY", "* 5", "hello", "T99 OK who", "+ go", "+",
		"* FLAGS (\\Seen \"x\" a(b)", "* FLAGS", "* CAPABILITY", "* CAPABILITY  IMAP4rev1   (x) ESEARCH", "* SEARCH 1", "* ESEARCH (TAG \"x\") ALL 1",
		"* ID", "* ID NIL", "* ID (\"name\" NIL \"version\" \"1\" \"odd\")", "* NAMESPACE", "* NAMESPACE ((\"\" \"/\" \"X\" (\"y\"))) NIL (x)", "* LIST", "* LIST x",
		"* LIST () \"/\"", "* STATUS", "* STATUS x", "* THREAD ((", "* SORT", "* 1 FETCH", "* 1 FETCH ()", "* 1 FETCH (FLAGS)", "* 1 FETCH (UID 0)", "* 0 FETCH (UID 1)",
		"* 1 FETCH (X-GM-MSGID 1278455344230334865 \"x\" y (z))", "* ENABLED", "* ENABLED X \"y\"", "* OK {5}", "* 1 FETCH (FLAGS (\\Seen) UID 1", "* OK a\rb",
		"\r", "* BYE[", "* fetch", "* 1 fetch (flags (\\seen))", "* 1 FETCH((UID 1))"}
	for _, line := range noise {
		client, c, _ := dial(t, Options{}, answering("NOOP", line))
		if err := client.Noop().Wait(); err != nil {
			t.Errorf("%q: got %v (%v)", line, err, c.Err())
			continue
		}
		alive(t, client, c)
	}
}

func TestFetchItems(t *testing.T) {
	section := &imap.FetchItemBodySection{Peek: true, Specifier: imap.PartSpecifierHeader, HeaderFields: []string{"From", "References"}}
	text := &imap.FetchItemBodySection{Peek: true, Part: []int{1}, Partial: &imap.SectionPartial{Size: 10}}
	o := *allItems
	o.BodySection = []*imap.FetchItemBodySection{section, text}
	client, c, _ := dial(t, Options{}, fetching(
		"* 1 FETCH (BODY[HEADER.FIELDS (references FROM)] {5}\r\na: b\n X-GM-MSGID 12784553 FLAGS (\\Seen) body[1]<0> \"hi\" UID 1)",
		"* 2 FETCH (UID 2 INTERNALDATE \"Thu Jan  1 00:00:00 1970\" RFC822.SIZE -5 FLAGS (\\Seen \"b c\") MODSEQ (x) BODY[1]<0> NIL)",
		"* 3 FETCH (UID 3 INTERNALDATE \"Thu, 01 Jan 1970 00:00:00 +0100\" RFC822 {3}\r\nabc BODY[ {1}\r\nx BODY[1]<0.10> {2}\r\nyo)",
	))
	got := fetchAll(t, client, 3, &o)
	if len(got) != 3 {
		t.Fatalf("got %d messages (%v)", len(got), c.Err())
	}
	if b := got[1].FindBodySection(section); string(b) != "a: b\n" {
		t.Errorf("header fields in another order: got %q", b)
	}
	if b := got[1].FindBodySection(text); string(b) != "hi" {
		t.Errorf("quoted text: got %q", b)
	}
	if !got[2].InternalDate.IsZero() || got[2].Flags[0] != imap.FlagSeen || len(got[2].Flags) != 1 {
		t.Errorf("message 2: got %+v", got[2])
	}
	if b := got[3].FindBodySection(text); string(b) != "yo" || got[3].InternalDate.Unix() != -3600 {
		t.Errorf("message 3: got %q, %v", b, got[3].InternalDate)
	}
	for _, r := range c.TakeRepairs() {
		if r.Kind == RepairInternalDate && r.UID != 2 && r.UID != 3 || r.UID == 0 {
			t.Errorf("repair %+v", r)
		}
	}
	alive(t, client, c)
}

func TestEnvelopes(t *testing.T) {
	for _, tc := range []struct {
		name, env string
		kind      RepairKind
		want      func(e *imap.Envelope) bool
	}{
		{"short", `("d" "subj" (("Ana" NIL "ana" "example.test")) NIL NIL NIL NIL "<a@b>" "<c@d>")`, RepairEnvelope, func(e *imap.Envelope) bool {
			return e.Subject == "subj" && e.MessageID == "c@d"
		}},
		{"address of three", `("d" "subj" (("Ana" NIL "ana")("Bob" NIL "bob" "x")) NIL NIL NIL NIL NIL NIL "<c@d>")`, RepairEnvelope, func(e *imap.Envelope) bool {
			return len(e.From) == 2 && e.From[1].Mailbox == "bob" && e.MessageID == "c@d"
		}},
		{"NIL among addresses", `("d" "subj" (NIL ("Bob" NIL "bob" "x")) NIL NIL NIL NIL NIL NIL "<c@d>")`, RepairEnvelope, func(e *imap.Envelope) bool { return len(e.From) == 1 }},
		{"empty address lists", `("d" "subj" () () () () () () NIL "<c@d>")`, 0, func(e *imap.Envelope) bool { return e.MessageID == "c@d" }},
		{"unescaped quotes", `("d" "the "big" plan" (("A "B" C" NIL "a" "x")) NIL NIL NIL NIL NIL NIL "<c@d>")`, RepairQuoting, func(e *imap.Envelope) bool {
			return e.Subject == `the "big" plan` && e.From[0].Name == `A "B" C`
		}},
		{"NIL", `NIL`, RepairEnvelope, func(e *imap.Envelope) bool { return e != nil && e.Subject == "" }},
		{"string for a list", `("d" "subj" "Ana <ana@x>" NIL NIL NIL NIL NIL NIL "<c@d>")`, RepairEnvelope, func(e *imap.Envelope) bool { return e.MessageID == "c@d" }},
		{"message id of 2,000 octets", `("d" "subj" NIL NIL NIL NIL NIL NIL NIL "<` + strings.Repeat("c", 2000) + `@d>")`, RepairEnvelope, func(e *imap.Envelope) bool {
			return e.Subject == "subj" && e.MessageID == ""
		}},
		{"a string", `"x"`, RepairEnvelopeDropped, func(e *imap.Envelope) bool { return e == nil }},
		{"line break in a name", "(\"d\" \"subj\" ((\"A\r\n* 9 EXISTS\" NIL \"a\" \"x\")) NIL NIL NIL NIL NIL NIL \"<c@d>\")", RepairBareNewline, func(e *imap.Envelope) bool {
			return e.From[0].Name == "A * 9 EXISTS" && e.MessageID == "c@d"
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			client, c, _ := dial(t, Options{}, fetching(good(1), `* 2 FETCH (UID 2 ENVELOPE `+tc.env+` FLAGS (\Seen))`, good(3)))
			got := fetchAll(t, client, 3, allItems)
			if len(got) != 3 || got[2] == nil || len(got[2].Flags) != 1 {
				t.Fatalf("got %d messages (%v)", len(got), c.Err())
			}
			if !tc.want(got[2].Envelope) {
				t.Errorf("got %+v", got[2].Envelope)
			}
			if k := kinds(c.TakeRepairs()); tc.kind != 0 && k[tc.kind] == 0 {
				t.Errorf("repairs: got %v, want %d", k, tc.kind)
			}
			alive(t, client, c)
		})
	}
}

// Flags that change while messages are fetched are not taken for the answer.
func TestUnsolicitedFlags(t *testing.T) {
	client, _, _ := dial(t, Options{}, fetching(`* 1 FETCH (UID 1 FLAGS (\Flagged))`, good(1), `* 2 FETCH (FLAGS (\Seen))`, good(2)))
	got := fetchAll(t, client, 2, allItems)
	if len(got) != 2 || got[1].Envelope == nil || got[2].Envelope == nil {
		t.Errorf("got %+v", got)
	}
}

// IMAP4rev2 beside IMAP4rev1 is hidden until it is enabled: go-imap would take it for enabled.
func TestRev2Hidden(t *testing.T) {
	client, c, _ := dial(t, Options{}, answering("CAPABILITY", "* CAPABILITY IMAP4rev1 IMAP4rev2 IDLE"))
	caps, err := client.Capability().Wait()
	if err != nil || caps.Has(imap.CapIMAP4rev2) || !caps.Has(imap.CapIdle) {
		t.Errorf("got %v, %v", caps, err)
	}
	if !slices.Contains(c.Capabilities(), "IMAP4REV2") {
		t.Errorf("Capabilities: got %v", c.Capabilities())
	}
}

// A response that breaks off inside a string and does not go on in the next line costs itself only.
func TestOpenString(t *testing.T) {
	client, c, _ := dial(t, Options{}, fetching(good(1), `* 2 FETCH (UID 2 FLAGS (\Seen) ENVELOPE ("d" "subj`, `* 3 FETCH (UID 3 FLAGS ())`))
	got := fetchAll(t, client, 3, &imap.FetchOptions{UID: true, Flags: true})
	if len(got) != 3 || len(got[2].Flags) != 1 {
		t.Errorf("got %d messages, want 3 (%v)", len(got), c.Err())
	}
	if k := kinds(c.TakeRepairs()); k[RepairEnvelopeDropped] != 1 {
		t.Errorf("repairs: got %v, want EnvelopeDropped", k)
	}
	alive(t, client, c)
}

// EXAMINE and FETCH in one flight cost one round trip.
func TestPipelining(t *testing.T) {
	client, c, s := dial(t, Options{}, fetching(good(1)))
	before := c.Stats()
	sel := client.Select("INBOX", &imap.SelectOptions{ReadOnly: true})
	cmd := client.Fetch(uidSet(1, 1), allItems)
	if msgs, err := cmd.Collect(); err != nil || len(msgs) != 1 {
		t.Errorf("fetch: got %d, %v", len(msgs), err)
	}
	if _, err := sel.Wait(); err != nil {
		t.Error(err)
	}
	after := c.Stats()
	if n := after.Commands - before.Commands; n != 2 || len(s.received()) != 2 {
		t.Errorf("commands: got %d, want 2", n)
	}
	if after.OctetsOut == before.OctetsOut || after.OctetsIn == before.OctetsIn || after.RoundTrips == before.RoundTrips {
		t.Errorf("stats: before %+v, after %+v", before, after)
	}
}
