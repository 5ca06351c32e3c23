package readmail

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"

	"mailgap/readmail/imaptest"
	"mailgap/readmail/session"
)

func inbox(msgs ...imaptest.Message) imaptest.Options {
	return imaptest.Options{Mailboxes: []imaptest.Mailbox{{Name: "INBOX", Messages: msgs}}}
}

// page follows cursors to the end and returns all subjects, with "/" between pages.
func page(t *testing.T, s *Server, args string) string {
	t.Helper()
	var out []string
	cursor := ""
	for range 20 {
		a := args
		if cursor != "" {
			a = strings.TrimSuffix(args, "}") + `,"cursor":"` + cursor + `"}`
		}
		l := call[gotList](t, s, "list_messages", a)
		out = append(out, l.subjects())
		if cursor = l.NextCursor; cursor == "" {
			return strings.Join(out, "/")
		}
	}
	t.Fatal("cursors do not end")
	return ""
}

func TestListPages(t *testing.T) {
	s := newServer(t, imaptest.New(t, inbox(many(7)...)))
	want := "m007|m006|m005/m004|m003|m002/m001"
	if got := page(t, s, `{"limit":3}`); got != want {
		t.Errorf("pages = %s, want %s", got, want)
	}
	if got := page(t, s, `{"limit":3,"subject":"m0"}`); got != want {
		t.Errorf("pages of a search = %s, want %s", got, want)
	}
	if got := page(t, s, `{"limit":3,"text":"Text of"}`); got != want {
		t.Errorf("pages of a text search = %s, want %s", got, want)
	}
}

func TestListOneRoundTripWhenWarm(t *testing.T) {
	o := inbox(many(60)...)
	o.Latency = tripLatency
	ts := imaptest.New(t, o)
	s := newServer(t, ts)
	call[gotList](t, s, "list_messages", `{"limit":50}`)
	ts.Reset()
	if l := call[gotList](t, s, "list_messages", `{"limit":50}`); len(l.Messages) != 50 {
		t.Fatalf("got %d messages, want 50", len(l.Messages))
	}
	if got := ts.Stats().RoundTrips; got != 1 {
		t.Errorf("round trips = %d, want 1: %v", got, ts.Verbs())
	}
}

func TestListPagesStayStable(t *testing.T) {
	ts := imaptest.New(t, inbox(many(7)...))
	s := newServer(t, ts)
	for _, filter := range []string{"", `,"subject":"m0"`} {
		first := call[gotList](t, s, "list_messages", `{"limit":2`+filter+`}`)
		ts.Deliver(t, "INBOX", simple("new m0", epoch()))
		second := call[gotList](t, s, "list_messages", `{"limit":2`+filter+`,"cursor":"`+first.NextCursor+`"}`)
		if got, want := second.subjects(), "m005|m004"; filter == "" && got != want {
			t.Errorf("after an arrival: second page = %s, want %s", got, want)
		}
		uid := ts.Deliver(t, "INBOX", simple("new m0", epoch()))
		ts.Admin(t, func(c *imapclient.Client) error {
			if _, err := c.Select("INBOX", nil).Wait(); err != nil {
				return err
			}
			set := imap.UIDSetNum(uid, uid-1)
			if err := c.Store(set, &imap.StoreFlags{Op: imap.StoreFlagsAdd, Flags: []imap.Flag{imap.FlagDeleted}}, nil).Close(); err != nil {
				return err
			}
			return c.Expunge().Close()
		})
		third := call[gotList](t, s, "list_messages", `{"limit":2`+filter+`,"cursor":"`+second.NextCursor+`"}`)
		if got, want := third.subjects(), "m003|m002"; got != want {
			t.Errorf("after arrival and expunge (filter %q): third page = %s, want %s", filter, got, want)
		}
	}
}

func TestListFilters(t *testing.T) {
	at := func(s string) time.Time {
		d, err := time.Parse(time.RFC3339, s)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	attached := imaptest.Message{InternalDate: at("2026-03-05T08:00:00Z"), Raw: mail(
		"From: Robin <robin@example.org>", "To: list@example.org", "Cc: Copy <copy@example.net>", "Subject: With file", "Date: Thu, 5 Mar 2026 08:00:00 +0000",
		"List-Id: <news.example.org>", `Content-Type: multipart/mixed; boundary="b"`, "", "--b", "Content-Type: text/plain", "", "see the file", "--b",
		"Content-Type: text/csv", `Content-Disposition: attachment; filename="a.csv"`, "", "a,b", "--b--")}
	seen := simple("Seen one", at("2026-03-04T23:30:00Z"))
	seen.Flags = []imap.Flag{imap.FlagSeen, imap.FlagFlagged}
	s := newServer(t, imaptest.New(t, inbox(
		simple("Early", at("2026-03-01T00:30:00+02:00")), seen, simple("After midnight", at("2026-03-05T00:30:00Z")), attached,
		simple("=?UTF-8?Q?M=C3=BCll?=", at("2026-03-06T12:00:00Z")))))
	for args, want := range map[string]string{
		`{"from":"robin"}`:              "With file",
		`{"to":"list@"}`:                "With file",
		`{"cc":"copy"}`:                 "With file",
		`{"subject":"seen"}`:            "Seen one",
		`{"subject":"Müll"}`:            "Müll",
		`{"body":"see the file"}`:       "With file",
		`{"text":"robin"}`:              "With file",
		`{"header":{"name":"List-Id"}}`: "With file",
		`{"header":{"name":"List-Id","value":"news.example"}}`: "With file",
		`{"message_id":"<seen.one@example.com>"}`:              "Seen one",
		`{"unread":false}`:                                             "Seen one",
		`{"flagged":true}`:                                             "Seen one",
		`{"flagged":false,"subject":"one"}`:                            "",
		`{"has_attachment":true}`:                                      "With file",
		`{"has_attachment":false,"since":"2026-03-05"}`:                "Müll|After midnight",
		`{"larger":300}`:                                               "With file",
		`{"since":"2026-03-05","before":"2026-03-06"}`:                 "With file|After midnight",
		`{"since":"2026-03-04T23:00","before":"2026-03-05T01:00"}`:     "After midnight|Seen one",
		`{"since":"2026-03-05T00:00:00+02:00","subject":"one"}`:        "Seen one",
		`{"before":"2026-03-01"}`:                                      "Early",
		`{"before":"2026-03-01T00:00:00+02:00"}`:                       "",
		`{"any_of":[{"from":"robin"},{"subject":"early"}]}`:            "With file|Early",
		`{"not":{"from":"accounts"}}`:                                  "With file",
		`{"not":{"since":"2026-03-05"}}`:                               "Seen one|Early",
		`{"not":{"has_attachment":false}}`:                             "With file",
		`{"any_of":[{"has_attachment":true},{"before":"2026-03-02"}]}`: "With file|Early",
	} {
		if got := call[gotList](t, s, "list_messages", args).subjects(); got != want {
			t.Errorf("%s = %q, want %q", args, got, want)
		}
	}
}

func TestListRefusals(t *testing.T) {
	ts := imaptest.New(t, inbox(many(3)...))
	s := newServer(t, ts)
	first := call[gotList](t, s, "list_messages", `{"limit":1}`)
	for args, want := range map[string]string{
		`{"since":"yesterday"}`:                               "since is not a date",
		`{"limit":1,"cursor":"zzz"}`:                          "cursor",
		`{"subject":"x","cursor":"` + first.NextCursor + `"}`: "other filters",
		`{"mailboxes":["Nowhere"]}`:                           "no such mailbox",
		`{"subject":"a\r\nA9 STORE 1:* +FLAGS (\\Deleted)"}`:  "line break",
		`{"header":{"name":"X: Y"}}`:                          "name of a header field",
		`{"gmail_raw":"in:anywhere"}`:                         "does not offer",
		`{"unknown":1}`:                                       "unknown",
		`{"mailboxes":["IN\u0000BOX"]}`:                       "line break",
	} {
		if got := refused(t, s, "list_messages", args); !strings.Contains(strings.ToLower(got), want) {
			t.Errorf("%s: %q, want it to say %q", args, got, want)
		}
	}
	ts.Admin(t, func(c *imapclient.Client) error {
		if err := c.Create("Other", nil).Wait(); err != nil {
			return err
		}
		return nil
	})
}

func TestListSeveralMailboxes(t *testing.T) {
	o := imaptest.Options{Mailboxes: []imaptest.Mailbox{
		{Name: "INBOX", Messages: many(3)},
		{Name: "Archive", Messages: []imaptest.Message{simple("old", epoch().AddDate(0, -1, 0)), simple("between", epoch().Add(-90*time.Minute))}},
		{Name: "Empty"},
	}}
	s := newServer(t, imaptest.New(t, o))
	if got, want := page(t, s, `{"mailboxes":["*"],"limit":2}`), "m003|between/m002|m001/old"; got != want {
		t.Errorf("pages = %s, want %s", got, want)
	}
	if got, want := page(t, s, `{"mailboxes":["INBOX","Archive"],"limit":2,"from":"accounts"}`), "m003|between/m002|m001/old"; got != want {
		t.Errorf("pages of a search = %s, want %s", got, want)
	}
	l := call[gotList](t, s, "list_messages", `{"mailboxes":["INBOX","Gone"]}`)
	if len(l.Messages) != 3 || len(l.Coverage) != 2 || l.Coverage[1].Error == "" {
		t.Errorf("one mailbox that fails: %d messages, coverage %+v; want 3 and an error for Gone", len(l.Messages), l.Coverage)
	}
}

func TestListOrdersByDateWhereUIDsDoNot(t *testing.T) {
	msgs := many(30)
	slices.Reverse(msgs)
	s := newServer(t, imaptest.New(t, inbox(msgs...)))
	if got, want := call[gotList](t, s, "list_messages", `{"limit":2}`).subjects(), "m030|m029"; got != want {
		t.Errorf("newest = %s, want %s", got, want)
	}
	got := strings.ReplaceAll(page(t, s, `{"limit":7}`), "/", "|")
	var want []string
	for i := 30; i > 0; i-- {
		want = append(want, fmt.Sprintf("m%03d", i))
	}
	if got != strings.Join(want, "|") {
		t.Errorf("pages = %s, want all thirty in order of dates", got)
	}
}

// A block of old mail was moved in last: its UIDs are the highest. The first list cannot know; the check in the background
// finds out.
func TestListNoticesAnImport(t *testing.T) {
	msgs := many(10)
	for i := range 5 {
		msgs = append(msgs, simple(fmt.Sprintf("old%d", i), epoch().AddDate(-1, 0, i)))
	}
	s := newServer(t, imaptest.New(t, inbox(msgs...)))
	call[gotList](t, s, "list_messages", `{"limit":3}`)
	s.bg.Wait()
	if got, want := call[gotList](t, s, "list_messages", `{"limit":3}`).subjects(), "m010|m009|m008"; got != want {
		t.Errorf("newest = %s, want %s", got, want)
	}
}

func TestListZeroIsChecked(t *testing.T) {
	ts := imaptest.New(t, inbox(many(5)...))
	s := newServer(t, ts)
	l := call[gotList](t, s, "list_messages", `{"subject":"nowhere"}`)
	if len(l.Messages) != 0 || !slices.Contains(l.Coverage[0].Notes, "zero_confirmed") {
		t.Errorf("nothing to find: %+v, want zero_confirmed", l.Coverage)
	}
	if l := call[gotList](t, s, "list_messages", `{}`); len(l.Coverage) != 1 || l.Coverage[0].Messages != 5 {
		t.Errorf("coverage = %+v, want 5 messages", l.Coverage)
	}
}

// Seen in practice (iCloud): SEARCH completes without a SEARCH line, or string criteria never match.
func TestListRescuesABrokenSearch(t *testing.T) {
	o := inbox(many(5)...)
	o.HideCaps = []imap.Cap{imap.CapESearch}
	o.Handle = map[string]func(imaptest.Command) string{
		"UID SEARCH": func(c imaptest.Command) string {
			if strings.Contains(c.Args, "SUBJECT") || strings.Contains(c.Args, "HEADER") {
				return "{tag} OK SEARCH completed (took 237 ms)\r\n"
			}
			return ""
		},
	}
	s := newServer(t, imaptest.New(t, o))
	l := call[gotList](t, s, "list_messages", `{"subject":"m004"}`)
	if got, want := l.subjects(), "m004"; got != want {
		t.Errorf("found %q, want %q", got, want)
	}
	if !slices.Contains(l.Coverage[0].Notes, "server_search_broken") {
		t.Errorf("coverage = %+v, want server_search_broken", l.Coverage)
	}
}

// Exchange refuses any charset (BADCHARSET): headers are compared here, and the answer says so.
func TestListCharsetRefused(t *testing.T) {
	header := "Subject: =?UTF-8?B?5Lya6K6u6YCa55+l?=\r\nFrom: a@example.com\r\n\r\n"
	other := "Subject: lunch\r\nFrom: a@example.com\r\n\r\n"
	row := func(seq int, header string) string {
		return imaptest.Fetch(seq, seq, `FLAGS ()`, `INTERNALDATE "01-Mar-2026 10:00:00 +0000"`, `RFC822.SIZE 100`,
			`BODYSTRUCTURE ("text" "plain" NIL NIL NIL "7bit" 10 1)`, `BODY[HEADER.FIELDS ("From" "To" "Subject" "Date")] `+imaptest.Literal(header))
	}
	ts := imaptest.NewScripted(t, imaptest.Script{Steps: []imaptest.Step{
		imaptest.On("EXAMINE").OK("* 2 EXISTS", "* OK [UIDVALIDITY 7] valid", "* OK [UIDNEXT 3] next"),
		imaptest.OnMatch("CHARSET").Reply("{tag} NO [BADCHARSET (US-ASCII)] no"),
		imaptest.On("UID SEARCH").OK("* SEARCH 1 2"),
		imaptest.On("UID FETCH").OK(row(1, header), row(2, other)),
	}})
	s := newServerDial(t, session.Config{Dial: ts.Dial})
	l := call[gotList](t, s, "list_messages", `{"subject":"会议"}`)
	if got, want := l.subjects(), "会议通知"; got != want {
		t.Errorf("found %q, want %q", got, want)
	}
	if !slices.Contains(l.Coverage[0].Notes, "charset_refused") {
		t.Errorf("coverage = %+v, want charset_refused", l.Coverage)
	}
}

// A text search that takes long answers with what it has and says how far back it looked.
func TestListTextSearchIsBounded(t *testing.T) {
	clock := epoch()
	msgs := many(1200)
	o := inbox(msgs...)
	searches := 0
	s := newServer(t, imaptest.New(t, imaptest.Options{Mailboxes: o.Mailboxes, Handle: map[string]func(imaptest.Command) string{
		"UID SEARCH": func(imaptest.Command) string {
			searches++
			return ""
		},
	}}), func(c *Config) {
		c.SearchTime = 30 * time.Second
		c.Now = func() time.Time {
			clock = clock.Add(11 * time.Second)
			return clock
		}
	})
	l := call[gotList](t, s, "list_messages", `{"text":"Text of m001."}`)
	c := l.Coverage[0]
	if len(l.Messages) != 0 || !slices.Contains(c.Notes, "time_limit") || c.SearchedBackTo.IsZero() || l.NextCursor == "" {
		t.Fatalf("got %d messages, coverage %+v, cursor %q; want a limit, a date and a cursor", len(l.Messages), c, l.NextCursor)
	}
	if want := msgs[200].InternalDate; c.SearchedBackTo.After(msgs[701].InternalDate) || c.SearchedBackTo.Before(want) {
		t.Errorf("searched back to %v, want between %v and %v", c.SearchedBackTo, want, msgs[701].InternalDate)
	}
	if got := page(t, s, `{"text":"Text of m001."}`); !strings.HasSuffix(got, "m001") {
		t.Errorf("following the cursor found %q, want m001", got)
	}
}
