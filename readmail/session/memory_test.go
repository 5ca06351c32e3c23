package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapserver/imapmemserver"
)

const mixedMail = `From: Ada <ada@example.com>
To: user@example.com
Subject: Report
Message-ID: <r1@example.com>
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=b

--b
Content-Type: multipart/alternative; boundary=c

--c
Content-Type: text/plain; charset=utf-8

hello plain
--c
Content-Type: text/html; charset=utf-8

<p>hello html</p>
--c--
--b
Content-Type: message/rfc822

From: bob@example.org
Subject: inner
Content-Type: multipart/mixed; boundary=d

--d
Content-Type: text/plain

inner text
--d--
--b
Content-Type: application/pdf; name="report.pdf"
Content-Disposition: attachment; filename="report.pdf"
Content-Transfer-Encoding: base64

JVBERi0=
--b--
`

var day0 = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// fill puts n small messages into a mailbox, one a day.
func fill(t *testing.T, user *imapmemserver.User, mailbox string, n int) {
	t.Helper()
	for i := range n {
		text := fmt.Sprintf("From: a%d@example.com\nSubject: number %d\n\nbody %d\n", i+1, i+1, i+1)
		put(t, user, mailbox, text, day0.AddDate(0, 0, i))
	}
}

func TestListStatus(t *testing.T) {
	for _, tc := range []struct {
		name string
		caps []imap.Cap
		want string // command that brings the counts
	}{
		{"with LIST-STATUS", []imap.Cap{imap.CapListExtended, imap.CapListStatus, imap.CapSpecialUse}, "LIST"},
		{"without", nil, "STATUS"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			cfg, rec, user := memory(t, tc.caps...)
			fill(t, user, "INBOX", 3)
			p := newPool(t, cfg)
			do(t, p, func(ctx context.Context, c *Conn) {
				boxes, err := c.List(ctx, ListOptions{Status: true})
				if err != nil {
					t.Fatal(err)
				}
				if len(boxes) != 3 {
					t.Fatalf("got %d mailboxes, want 3", len(boxes))
				}
				for _, b := range boxes {
					if b.Status == nil || b.StatusErr != nil {
						t.Errorf("%q: no status: %v", b.Name, b.StatusErr)
						continue
					}
					if b.Name == "INBOX" && (b.Status.Messages != 3 || b.Status.Unseen != 3 || b.Status.UIDNext != 4) {
						t.Errorf("INBOX: got %+v, want 3 messages, 3 unseen, uidnext 4", *b.Status)
					}
					if b.Name == "Gelöschte Elemente" && (b.Raw != "Gel&APY-schte Elemente") {
						t.Errorf("got raw name %q, want modified UTF-7", b.Raw)
					}
				}
			})
			if tc.want == "LIST" && rec.count("STATUS") != 0 {
				t.Errorf("sent %d STATUS, want none", rec.count("STATUS"))
			}
			rec.checkReadOnly(t)
		})
	}
}

func TestExamineByEitherName(t *testing.T) {
	cfg, rec, user := memory(t)
	fill(t, user, "Gelöschte Elemente", 2)
	p := newPool(t, cfg)
	do(t, p, func(ctx context.Context, c *Conn) {
		for _, name := range []string{"Gelöschte Elemente", "Gel&APY-schte Elemente"} {
			if st, err := c.Examine(ctx, name); err != nil || st.Messages != 2 {
				t.Errorf("Examine(%q): got %+v, %v, want 2 messages", name, st, err)
			}
		}
		if st, err := c.Examine(ctx, "inBox"); err != nil || st.Name != "INBOX" {
			t.Errorf("got %+v, %v, want INBOX", st, err)
		}
		if _, err := c.Examine(ctx, "nowhere"); !errors.Is(err, ErrNoMailbox) {
			t.Errorf("got %v, want ErrNoMailbox", err)
		}
		if _, err := c.Examine(ctx, "x\r\nT9 STORE 1 +FLAGS (\\Deleted)"); !errors.Is(err, ErrBadString) {
			t.Errorf("got %v, want ErrBadString", err)
		}
	})
	rec.checkReadOnly(t)
}

func TestSearch(t *testing.T) {
	for _, caps := range [][]imap.Cap{nil, {imap.CapESearch}} {
		t.Run(fmt.Sprint(caps), func(t *testing.T) {
			cfg, rec, user := memory(t, caps...)
			fill(t, user, "INBOX", 10)
			put(t, user, "INBOX", "From: x@example.com\nSubject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=\n\nGrüße\n", day0, imap.FlagSeen)
			p := newPool(t, cfg)
			do(t, p, func(ctx context.Context, c *Conn) {
				for _, tc := range []struct {
					name string
					q    Criteria
					want []UID
				}{
					{"all", All(), []UID{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}},
					{"subject", Subject("number 3"), []UID{3}},
					{"or", Or(Subject("number 3"), Subject("number 4"), From("a5@")), []UID{3, 4, 5}},
					{"or of nothing", Or(), nil},
					{"not", And(Not(Seen()), In(UIDRange(9, 0))), []UID{9, 10}},
					{"days", And(Since(day0.AddDate(0, 0, 2)), Before(day0.AddDate(0, 0, 4))), []UID{3, 4}},
					{"on", On(day0.AddDate(0, 0, 5)), []UID{6}},
					{"empty set", In(UIDs()), nil},
					{"not ascii", Body("Grüße"), []UID{11}},
					{"smaller twice", And(Smaller(1), Smaller(1000)), nil},
				} {
					got, err := c.Search(ctx, "INBOX", tc.q)
					if err != nil {
						t.Errorf("%s: %v", tc.name, err)
					} else if !slices.Equal(got.UIDs, tc.want) {
						t.Errorf("%s: got %v, want %v", tc.name, got.UIDs, tc.want)
					}
				}
				for name, q := range map[string]Criteria{
					"line break in text": Subject("x\r\nT9 STORE 1:* +FLAGS (\\Deleted)"),
					"nul":                Body("a\x00b"),
					"field name":         Header("X Y", "z"),
					"flag":               Flag("a b"),
				} {
					if _, err := c.Search(ctx, "INBOX", q); !errors.Is(err, ErrBadString) {
						t.Errorf("%s: got %v, want ErrBadString", name, err)
					}
				}
			})
			if n := rec.count("EXAMINE"); n != 1 {
				t.Errorf("sent %d EXAMINE, want 1", n)
			}
			rec.checkReadOnly(t)
		})
	}
}

func TestSearchMany(t *testing.T) {
	cfg, rec, user := memory(t)
	fill(t, user, "INBOX", 3)
	fill(t, user, "Sent", 2)
	p := newPool(t, cfg)
	do(t, p, func(ctx context.Context, c *Conn) {
		rs, err := c.SearchMany(ctx, []MailboxCriteria{{"INBOX", All()}, {"nowhere", All()}, {"Sent", Subject("number 2")}, {"Sent", All()}})
		if err != nil {
			t.Fatal(err)
		}
		if len(rs[0].UIDs) != 3 || rs[0].State.Messages != 3 || len(rs[3].UIDs) != 2 {
			t.Errorf("got %+v", rs)
		}
		if !errors.Is(rs[1].Err, ErrNoMailbox) {
			t.Errorf("got %v, want ErrNoMailbox", rs[1].Err)
		}
		if !slices.Equal(rs[2].UIDs, []UID{2}) || rs[2].State.Name != "Sent" {
			t.Errorf("got %+v, want UID 2 of Sent", rs[2])
		}
	})
	rec.checkReadOnly(t)
}

func TestFetchStructureAndParts(t *testing.T) {
	cfg, rec, user := memory(t)
	put(t, user, "INBOX", mixedMail, day0, imap.FlagFlagged)
	p := newPool(t, cfg)
	do(t, p, func(ctx context.Context, c *Conn) {
		st, msgs, err := c.ExamineFetch(ctx, "INBOX", 0, UIDs(1, 99), Items{
			Flags: true, InternalDate: true, Size: true, BodyStructure: true, HeaderFields: []string{"Subject", "From"},
			Parts: []PartRequest{{Number: "1.1"}, {Number: "2.1"}, {Number: "3", MIME: true}, {Number: "2", Header: true}, {Number: "1.2", Offset: 3, Max: 5}},
		})
		if err != nil || len(msgs) != 1 {
			t.Fatalf("got %d messages, %v, want 1", len(msgs), err)
		}
		m := msgs[0]
		if st.Messages != 1 || m.UID != 1 || !slices.Equal(m.Flags, []string{`\Flagged`}) || !m.InternalDate.Equal(day0) || m.Size < 500 {
			t.Errorf("got %+v", m)
		}
		if len(m.Troubles) != 0 {
			t.Errorf("got troubles %v, want none", m.Troubles)
		}
		if h := string(m.Header); !strings.Contains(h, "Subject: Report") || strings.Contains(h, "Message-ID") {
			t.Errorf("got header %q, want Subject and From alone", h)
		}
		for key, want := range map[PartKey]string{
			{Number: "1.1"}: "hello plain", {Number: "2.1"}: "inner text", {Number: "1.2", Offset: 3}: "hello",
		} {
			if got := strings.TrimSpace(string(m.Parts[key].Octets)); got != want {
				t.Errorf("part %v: got %q, want %q", key, got, want)
			}
		}
		if got := string(m.Parts[PartKey{Number: "3", MIME: true}].Octets); !strings.Contains(got, "report.pdf") {
			t.Errorf("got MIME header %q", got)
		}
		if got := string(m.Parts[PartKey{Number: "2", Header: true}].Octets); !strings.Contains(got, "Subject: inner") {
			t.Errorf("got message header %q", got)
		}
		checkMixed(t, m.Structure)
		if _, _, err := c.ExamineFetch(ctx, "INBOX", st.UIDValidity+1, UIDs(1), Items{}); !errors.Is(err, ErrUIDValidityChanged) {
			t.Errorf("got %v, want ErrUIDValidityChanged", err)
		}
	})
	rec.checkReadOnly(t)
}

func checkMixed(t *testing.T, s *Part) {
	t.Helper()
	var got []string
	s.Walk(func(p *Part) bool { got = append(got, p.Number+" "+p.MediaType); return true })
	want := []string{
		" multipart/mixed", "1 multipart/alternative", "1.1 text/plain", "1.2 text/html",
		"2 message/rfc822", "2.TEXT multipart/mixed", "2.1 text/plain", "3 application/pdf",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got parts %q, want %q", got, want)
	}
	if pdf := s.Find("3"); pdf.Disposition != "attachment" || pdf.DispositionParams["filename"] != "report.pdf" || pdf.Encoding != "base64" {
		t.Errorf("got %+v", pdf)
	}
}

func TestExamineFetchNewest(t *testing.T) {
	cfg, rec, user := memory(t)
	fill(t, user, "INBOX", 20)
	p := newPool(t, cfg)
	do(t, p, func(ctx context.Context, c *Conn) {
		newest := func(n, skip int) (first, last UID, count int) {
			t.Helper()
			_, msgs, err := c.ExamineFetchNewest(ctx, "INBOX", n, skip, Items{HeaderFields: []string{"Subject"}})
			if err != nil || len(msgs) == 0 {
				t.Fatalf("got %d messages, %v", len(msgs), err)
			}
			return msgs[0].UID, msgs[len(msgs)-1].UID, len(msgs)
		}
		check := func(what string, first, last UID, count int, wantFirst, wantLast UID) {
			t.Helper()
			if first != wantFirst || last != wantLast || count != int(wantLast-wantFirst)+1 {
				t.Errorf("%s: got %d..%d (%d messages), want %d..%d", what, first, last, count, wantFirst, wantLast)
			}
		}
		f, l, n := newest(5, 0)
		check("first visit", f, l, n, 16, 20)
		before := rec.count("FETCH")
		f, l, n = newest(5, 0)
		check("known", f, l, n, 16, 20)
		if got := rec.count("FETCH") - before; got != 1 {
			t.Errorf("sent %d FETCH for a known mailbox, want 1", got)
		}
		fill(t, user, "INBOX", 3)
		f, l, n = newest(5, 0)
		check("grown", f, l, n, 19, 23)
		f, l, n = newest(5, 20)
		check("near the end", f, l, n, 1, 3)
		if _, msgs, err := c.ExamineFetchNewest(ctx, "Sent", 5, 0, Items{}); err != nil || len(msgs) != 0 {
			t.Errorf("empty mailbox: got %d messages, %v", len(msgs), err)
		}
	})
	rec.checkReadOnly(t)
}

func TestFetchBigPartInPieces(t *testing.T) {
	cfg, rec, user := memory(t)
	body := strings.Repeat("0123456789abcdef", 100_000) // 1.6 MB, one line
	put(t, user, "INBOX", "Subject: big\n\n"+body, day0)
	p := newPool(t, cfg)
	do(t, p, func(ctx context.Context, c *Conn) {
		_, msgs, err := c.ExamineFetch(ctx, "INBOX", 0, UIDs(1), Items{Parts: []PartRequest{{Number: "1", Max: 4 << 20}, {Number: "TEXT", Max: 1000}}})
		if err != nil || len(msgs) != 1 {
			t.Fatal(len(msgs), err)
		}
		if got := msgs[0].Parts[PartKey{Number: "1"}]; string(got.Octets) != body || got.Truncated {
			t.Errorf("got %d octets (truncated %v), want %d", len(got.Octets), got.Truncated, len(body))
		}
		if got := msgs[0].Parts[PartKey{Number: "TEXT"}]; len(got.Octets) != 1000 || !got.Truncated {
			t.Errorf("got %d octets (truncated %v), want 1000, truncated", len(got.Octets), got.Truncated)
		}
	})
	rec.checkReadOnly(t)
}

func TestFetchRefusesBadRequests(t *testing.T) {
	cfg, rec, _ := memory(t)
	p := newPool(t, cfg)
	do(t, p, func(ctx context.Context, c *Conn) {
		if _, err := c.Fetch(ctx, UIDs(1), Items{}); !errors.Is(err, ErrNotExamined) {
			t.Errorf("got %v, want ErrNotExamined", err)
		}
		for name, it := range map[string]Items{
			"field name":    {HeaderFields: []string{"Subject)] BODY[TEXT"}},
			"empty name":    {HeaderFields: []string{""}},
			"many names":    {HeaderFields: make([]string, maxHeaderNames+1)},
			"part number":   {Parts: []PartRequest{{Number: "1.x"}}},
			"part zero":     {Parts: []PartRequest{{Number: "0"}}},
			"part tail":     {Parts: []PartRequest{{Number: "1.MIME] BODY[1"}}},
			"mime of all":   {Parts: []PartRequest{{MIME: true}}},
			"offset":        {Parts: []PartRequest{{Number: "1", Offset: -1}}},
			"size":          {Parts: []PartRequest{{Number: "1", Max: -1}}},
			"many parts":    {Parts: make([]PartRequest, maxPartRequests+1)},
			"negative":      {MaxHeader: -1},
			"deep number":   {Parts: []PartRequest{{Number: strings.Repeat("1.", maxPartDepth) + "1"}}},
			"text and mime": {Parts: []PartRequest{{Number: "2.TEXT", MIME: true}}},
		} {
			if _, _, err := c.ExamineFetch(ctx, "INBOX", 0, UIDs(1), it); !errors.Is(err, ErrBadString) {
				t.Errorf("%s: got %v, want ErrBadString", name, err)
			}
		}
	})
	if n := rec.count("UID FETCH"); n != 0 {
		t.Errorf("sent %d UID FETCH, want none", n)
	}
	rec.checkReadOnly(t)
}

func TestSets(t *testing.T) {
	for _, tc := range []struct {
		set  Set
		want string
	}{
		{UIDs(5, 3, 4, 0, 9, 3), "3:5,9"}, {UIDRange(0, 0), "1:*"}, {UIDRange(4, 9), "4:9"}, {SeqRange(2, 2), "2"}, {UIDs(), ""},
		{UIDs(4294967295, 4294967294), "4294967294:4294967295"},
	} {
		if got := tc.set.numSet().String(); got != tc.want {
			t.Errorf("got %q, want %q", got, tc.want)
		}
	}
	if uids, ok := UIDRange(4294967294, 4294967295).list(10); !ok || len(uids) != 2 {
		t.Errorf("got %v, %v, want the two highest UIDs", uids, ok)
	}
	if _, ok := UIDRange(1, 4294967295).list(1000); ok {
		t.Error("a range of four billion was unfolded")
	}
}

func FuzzUTF7(f *testing.F) {
	for _, s := range []string{"Gel&APY-schte Elemente", "R&D", "&-", "&AGE-", "&2D3eAA-", "a&", "日本"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		text, ok := decodeUTF7(s)
		if !ok {
			return
		}
		if again, ok := decodeUTF7(encodeUTF7(text)); !ok || again != text {
			t.Errorf("%q: got %q, then %q", s, text, again)
		}
	})
}
