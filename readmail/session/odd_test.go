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

	"mailgap/readmail/imaptest"
)

// recording starts a recording memory server with n messages in INBOX and returns a pool for it.
func recording(t *testing.T, n int, o imaptest.Options, change func(*Config)) (*Pool, *imaptest.Server) {
	t.Helper()
	var ms []imaptest.Message
	for i := range n {
		ms = append(ms, imaptest.Message{
			Raw:          []byte(fmt.Sprintf("From: a%d@example.com\r\nSubject: number %d\r\n\r\nbody %d\r\n", i+1, i+1, i+1)),
			InternalDate: day0.AddDate(0, 0, i),
		})
	}
	o.Mailboxes = append(o.Mailboxes, imaptest.Mailbox{Name: "INBOX", Messages: ms})
	srv := imaptest.New(t, o)
	cfg := Config{Host: "localhost", TLS: TLSNone, User: imaptest.User, Password: secret(imaptest.Password), Dial: srv.Dial}
	if change != nil {
		change(&cfg)
	}
	return newPool(t, cfg), srv
}

func TestOneUglyMessageCostsOnlyItself(t *testing.T) {
	for name, value := range map[string]string{
		"stray quotes": imaptest.StructureStrayQuotes, "childless": imaptest.StructureChildless, "two childless": imaptest.StructureTwoChildless,
		"empty parameters": imaptest.StructureEmptyParameters, "nil encoding": imaptest.StructureNilEncoding, "nil subtype": imaptest.StructureNilSubtype,
		"short message": imaptest.StructureShortMessage, "odd parameters": imaptest.StructureOddParameters, "spaces": imaptest.StructureSpaces,
		"deep": imaptest.NestedStructure(20_000), "junk": `("TEXT"`,
	} {
		t.Run(name, func(t *testing.T) {
			p, _ := recording(t, 5, imaptest.Options{Rewrite: imaptest.ReplaceItem(3, "BODYSTRUCTURE", value)}, nil)
			do(t, p, func(ctx context.Context, c *Conn) {
				_, msgs, err := c.ExamineFetchNewest(ctx, "INBOX", 10, 0, Items{Flags: true, BodyStructure: true, HeaderFields: []string{"Subject"}})
				if err != nil || len(msgs) != 5 {
					t.Fatalf("got %d messages, %v, want 5", len(msgs), err)
				}
				for i, m := range msgs {
					if i != 2 && (m.Structure == nil || len(m.Troubles) > 0 || !strings.Contains(string(m.Header), "number")) {
						t.Errorf("UID %d: got %v, structure %v, want it whole", m.UID, m.Troubles, m.Structure)
					}
				}
				if m := msgs[2]; m.UID != 3 || m.Structure == nil && !m.Has(TroubleNoStructure) || m.Structure != nil && m.Structure.MediaType == "" {
					t.Errorf("got %+v, want UID 3 with a structure or without and saying so", m)
				}
			})
		})
	}
}

func TestImpossibleInternalDate(t *testing.T) {
	for _, value := range []string{imaptest.InternalDateImpossible, imaptest.InternalDateEmpty, imaptest.InternalDateISO} {
		p, srv := recording(t, 3, imaptest.Options{Rewrite: imaptest.ReplaceItem(2, "INTERNALDATE", value)}, nil)
		do(t, p, func(ctx context.Context, c *Conn) {
			_, msgs, err := c.ExamineFetch(ctx, "INBOX", 0, UIDRange(1, 0), Items{InternalDate: true, Size: true})
			if err != nil || len(msgs) != 3 {
				t.Fatalf("got %d messages, %v, want 3", len(msgs), err)
			}
			if m := msgs[1]; !m.InternalDate.IsZero() || !m.Has(TroubleInternalDate) || m.Has(TroubleIncomplete) || m.Size == 0 {
				t.Errorf("%s: got %+v, want no date and saying so", value, m)
			}
			if m := msgs[0]; !m.InternalDate.Equal(day0) || len(m.Troubles) != 0 {
				t.Errorf("got %+v, want the date", m)
			}
		})
		if n := slices.Index(srv.Verbs(), "UID FETCH"); n < 0 || strings.Count(strings.Join(srv.Verbs(), " "), "UID FETCH") != 1 {
			t.Errorf("%s: got %v, want one UID FETCH", value, srv.Verbs())
		}
	}
}

func TestOddMailboxNames(t *testing.T) {
	names := map[string]string{ // shown, sent
		"Gelöschte Elemente":   `"Gel&APY-schte Elemente"`,
		"R&D reports":          `"R&D reports"`,
		"[Gmail]/Tüm Postalar": `"[Gmail]/T&APw-m Postalar"`,
	}
	var steps []imaptest.Step
	for _, sent := range names {
		steps = append(steps, imaptest.OnMatch(`^EXAMINE `+strings.NewReplacer("[", `\[`, "]", `\]`, "&", `&`).Replace(sent)).Reply("* 7 EXISTS", "* OK [UIDVALIDITY 9] v", "{tag} OK [READ-ONLY] done"))
	}
	steps = append(steps, imaptest.On("EXAMINE").Reply("{tag} NO [NONEXISTENT] no such mailbox"),
		imaptest.On("LIST").OK(imaptest.ListModifiedUTF7, imaptest.ListLoneAmpersand, imaptest.ListTurkish))
	p, srv := scripted(t, func(c *Config) { c.PoolSize = 1 }, imaptest.Script{Steps: steps})
	do(t, p, func(ctx context.Context, c *Conn) {
		boxes, err := c.List(ctx, ListOptions{})
		if err != nil || len(boxes) != len(names) {
			t.Fatalf("got %d mailboxes, %v, want %d", len(boxes), err, len(names))
		}
		for _, b := range boxes {
			if _, ok := names[b.Name]; !ok {
				t.Errorf("got name %q", b.Name)
			}
		}
	})
	// The second round is on a connection that has not seen the listing.
	for range 2 {
		err := p.Do(t.Context(), "", func(ctx context.Context, c *Conn) error {
			for shown := range names {
				st, err := c.Examine(ctx, shown)
				if err != nil || st.Messages != 7 || st.Name != shown {
					return fmt.Errorf("Examine(%q): got %+v, %w", shown, st, err)
				}
				if r, err := c.Search(ctx, shown, Seen()); err != nil || r.State.Messages != 7 {
					return fmt.Errorf("Search(%q): got %+v, %w", shown, r.State, err)
				}
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		srv.DropConnections()
	}
}

func TestUglyListing(t *testing.T) {
	p, _ := scripted(t, nil, imaptest.Script{Steps: []imaptest.Step{imaptest.On("LIST").OK(
		imaptest.ListLowerCase, imaptest.ListAtom, imaptest.ListLiteral, imaptest.ListRawUTF8, imaptest.ListNilDelimiter,
		imaptest.ListEmptyName, imaptest.ListNoName, imaptest.ListLineBreak)}})
	do(t, p, func(ctx context.Context, c *Conn) {
		boxes, err := c.List(ctx, ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]SpecialUse{}
		for _, b := range boxes {
			got[b.Name] = b.SpecialUse
			if b.Name == "INBOX" && !b.NoSelect {
				t.Error("attributes in upper case were not understood")
			}
		}
		for name, use := range map[string]SpecialUse{"INBOX": UseInbox, "Entwürfe": UseDrafts, `Gesendete "Elemente"`: UseSent, "Notes.2026": ""} {
			if have, ok := got[name]; !ok || have != use {
				t.Errorf("%q: got %q, %v, want %q", name, have, ok, use)
			}
		}
		if err := c.Noop(ctx); err != nil {
			t.Errorf("the connection did not survive: %v", err)
		}
	})
}

func TestRoundTrips(t *testing.T) {
	latency := imaptest.Options{Latency: 40 * time.Millisecond} // what is written together must arrive within it, on a busy machine too
	p, srv := recording(t, 30, latency, nil)
	trips := func(what string, want int, fn func(ctx context.Context, c *Conn) error) {
		t.Helper()
		before := srv.Stats().RoundTrips
		do(t, p, func(ctx context.Context, c *Conn) {
			if err := fn(ctx, c); err != nil {
				t.Errorf("%s: %v", what, err)
			}
		})
		if got := srv.Stats().RoundTrips - before; got != want {
			t.Errorf("%s: got %d round trips, want %d (%v)", what, got, want, srv.Verbs())
		}
	}
	page := Items{Flags: true, InternalDate: true, Size: true, BodyStructure: true, HeaderFields: []string{"From", "Subject"}}
	newest := func(ctx context.Context, c *Conn) error {
		_, msgs, err := c.ExamineFetchNewest(ctx, "INBOX", 10, 0, page)
		if err == nil && len(msgs) != 10 {
			err = fmt.Errorf("got %d messages", len(msgs))
		}
		return err
	}
	trips("cold: login, listing", 2, func(ctx context.Context, c *Conn) error { _, err := c.List(ctx, ListOptions{Status: true}); return err })
	trips("page of a mailbox known from the listing", 1, newest)
	trips("the same again", 1, newest)
	srv.Deliver(t, "INBOX", imaptest.Message{Raw: []byte("Subject: new\r\n\r\nx\r\n"), InternalDate: day0})
	trips("after new mail", 1, newest)
	trips("one message", 1, func(ctx context.Context, c *Conn) error {
		_, _, err := c.ExamineFetch(ctx, "INBOX", 0, UIDs(3), Items{Header: true, Parts: []PartRequest{{Number: "1"}, {Number: "1.1"}}})
		return err
	})
	trips("search of another mailbox", 1, func(ctx context.Context, c *Conn) error {
		rs, err := c.SearchMany(ctx, []MailboxCriteria{{"INBOX", Subject("number 1")}, {"INBOX", Seen()}})
		return errors.Join(err, rs[0].Err, rs[1].Err)
	})
	if n := p.Stats().Connects; n != 1 {
		t.Errorf("got %d connects, want 1", n)
	}
}

func TestCompression(t *testing.T) {
	for mode, want := range map[CompressMode]bool{CompressOn: true, CompressOff: false, CompressAuto: false} {
		p, srv := recording(t, 50, imaptest.Options{Compress: true}, func(c *Config) { c.Compress, c.Auth = mode, AuthLogin })
		do(t, p, func(ctx context.Context, c *Conn) {
			_, msgs, err := c.ExamineFetch(ctx, "INBOX", 0, UIDRange(1, 0), Items{Flags: true, InternalDate: true, BodyStructure: true, HeaderFields: []string{"Subject"}})
			if err != nil || len(msgs) != 50 {
				t.Fatalf("got %d messages, %v, want 50", len(msgs), err)
			}
			if c.Info(ctx).Compressed != want {
				t.Errorf("%s: got compressed %v, want %v", mode, !want, want)
			}
		})
		if got := srv.Stats().OctetsSent; want && got > 3000 || !want && got < 6000 {
			t.Errorf("%s: got %d octets", mode, got)
		}
	}
}

func TestGmail(t *testing.T) {
	p, _ := scripted(t, nil, imaptest.Script{Caps: "IMAP4rev1 AUTH=PLAIN X-GM-EXT-1 LITERAL+", Steps: []imaptest.Step{
		examine(9),
		imaptest.OnMatch(`X-GM-RAW "from:ada has:attachment"`).OK("* SEARCH 2 3 5"),
		imaptest.OnMatch(`X-GM-THRID 77`).OK("* SEARCH 4 5"),
		imaptest.OnMatch(`SEARCH .*SEEN`).OK("* SEARCH 3 4 5"),
		imaptest.OnMatch(`FETCH .*X-GM-THRID`).OK("* 5 FETCH (X-GM-THRID 77 X-GM-MSGID 1 X-GM-LABELS () UID 5)", "* 9 FETCH (UID 99 X-GM-THRID 78 X-GM-MSGID 2 X-GM-LABELS ())"),
	}})
	raw := GmailRaw("from:ada has:attachment")
	do(t, p, func(ctx context.Context, c *Conn) {
		if r, err := c.Search(ctx, "INBOX", raw); err != nil || !slices.Equal(r.UIDs, []UID{2, 3, 5}) {
			t.Errorf("got %v, %v, want 2 3 5", r.UIDs, err)
		}
		if r, err := c.Search(ctx, "INBOX", And(Seen(), raw)); err != nil || !slices.Equal(r.UIDs, []UID{3, 5}) {
			t.Errorf("got %v, %v, want 3 5", r.UIDs, err)
		}
		if _, err := c.Search(ctx, "INBOX", Not(raw)); !errors.Is(err, ErrBadCriteria) {
			t.Errorf("got %v, want ErrBadCriteria", err)
		}
		if ids, err := c.GmailThreadIDs(ctx, "INBOX", []UID{5}); err != nil || len(ids) != 1 || ids[5] != 77 {
			t.Errorf("got %v, %v, want 77 for UID 5 alone", ids, err)
		}
		if r, err := c.GmailThread(ctx, "INBOX", 77); err != nil || !slices.Equal(r.UIDs, []UID{4, 5}) {
			t.Errorf("got %v, %v, want 4 5", r.UIDs, err)
		}
	})
	p, _ = scripted(t, nil, imaptest.Script{Steps: []imaptest.Step{examine(1)}})
	do(t, p, func(ctx context.Context, c *Conn) {
		if _, err := c.Search(ctx, "INBOX", raw); !errors.Is(err, ErrUnsupported) {
			t.Errorf("got %v, want ErrUnsupported", err)
		}
	})
}

func TestSortAndThread(t *testing.T) {
	p, _ := scripted(t, nil, imaptest.Script{Caps: lifeCaps, Steps: []imaptest.Step{
		examine(9), imaptest.OnMatch(`UID SORT \(REVERSE ARRIVAL\) UTF-8 `).OK("* SORT 9 3 3 7"),
		imaptest.OnMatch(`UID THREAD REFERENCES UTF-8 `).OK("* THREAD (2)(3 6 (4 23)(44 7 96))((5)(8))"),
	}})
	do(t, p, func(ctx context.Context, c *Conn) {
		if r, err := c.SortNewest(ctx, "INBOX", Subject("é")); err != nil || !slices.Equal(r.UIDs, []UID{9, 3, 7}) {
			t.Errorf("got %v, %v, want 9 3 7", r.UIDs, err)
		}
		nodes, err := c.Thread(ctx, "INBOX", All())
		want := "2; 3(6(4(23) 44(7(96)))); 0(5 8)"
		if got := showThreads(nodes, "; "); err != nil || got != want {
			t.Errorf("got %q, %v, want %q", got, err, want)
		}
	})
	p, _ = recording(t, 1, imaptest.Options{}, nil)
	do(t, p, func(ctx context.Context, c *Conn) {
		if _, err := c.SortNewest(ctx, "INBOX", All()); !errors.Is(err, ErrUnsupported) {
			t.Errorf("got %v, want ErrUnsupported", err)
		}
		if _, err := c.Thread(ctx, "INBOX", All()); !errors.Is(err, ErrUnsupported) {
			t.Errorf("got %v, want ErrUnsupported", err)
		}
	})
}

func showThreads(ns []ThreadNode, sep string) string {
	var out []string
	for _, n := range ns {
		s := fmt.Sprint(n.UID)
		if len(n.Children) > 0 {
			s += "(" + showThreads(n.Children, " ") + ")"
		}
		out = append(out, s)
	}
	return strings.Join(out, sep)
}

func TestWrongCapabilities(t *testing.T) {
	for name, o := range map[string]imaptest.Options{
		"less than it can": {HideCaps: []imap.Cap{imap.CapESearch, imap.CapListStatus, imap.CapListExtended, imap.CapIdle, imap.CapSASLIR, imap.CapLiteralMinus}},
		"IMAP4rev2 beside": {AddCaps: []imap.Cap{imap.CapIMAP4rev2}},
		"more than it can": {AddCaps: []imap.Cap{"SORT", "THREAD=REFERENCES", "CONDSTORE", "COMPRESS=DEFLATE", "ID"}},
	} {
		t.Run(name, func(t *testing.T) {
			o.Mailboxes = []imaptest.Mailbox{{Name: "Entwürfe"}}
			p, _ := recording(t, 3, o, func(c *Config) { c.Compress = CompressOn })
			do(t, p, func(ctx context.Context, c *Conn) {
				boxes, err := c.List(ctx, ListOptions{Status: true})
				if err != nil || len(boxes) != 2 {
					t.Fatalf("got %d mailboxes, %v", len(boxes), err)
				}
				for _, b := range boxes {
					if st, err := c.Examine(ctx, b.Name); err != nil && !strings.HasPrefix(name, "more") {
						t.Errorf("Examine(%q): got %+v, %v", b.Name, st, err)
					}
				}
				if r, err := c.Search(ctx, "INBOX", Or(Body("body 2"), Body("ü"))); err != nil || !slices.Equal(r.UIDs, []UID{2}) {
					t.Errorf("got %v, %v, want 2", r.UIDs, err)
				}
			})
		})
	}
}

// TestLateAnswerToNoop plays Dovecot, which answers NOOP after the FETCH that follows it in the same flight.
func TestLateAnswerToNoop(t *testing.T) {
	var noop string
	big := strings.Repeat("x", 100_000)
	line := func(seq, uid int) string {
		return imaptest.Fetch(seq, uid, "BODY[1]<0>", imaptest.Literal(big)) + "\r\n"
	}
	p, _ := scripted(t, nil, imaptest.Script{Steps: []imaptest.Step{
		examine(3), imaptest.On("NOOP").Compute(func(c imaptest.Command) string { noop = c.Tag; return "" }),
		imaptest.On("FETCH").Compute(func(c imaptest.Command) string {
			if noop == "" {
				return line(1, 5) + line(2, 7) + "{tag} OK done\r\n"
			}
			out := line(1, 1) + line(2, 5) + line(3, 7) + "{tag} OK done\r\n* 1 EXPUNGE\r\n" + noop + " OK done\r\n"
			noop = ""
			return out
		}),
	}})
	do(t, p, func(ctx context.Context, c *Conn) {
		if _, err := c.Examine(ctx, "INBOX"); err != nil {
			t.Fatal(err)
		}
		st, msgs, err := c.ExamineFetchNewest(ctx, "INBOX", 9, 0, Items{Parts: []PartRequest{{Number: "1"}}})
		if err != nil || len(msgs) != 2 || st.Messages != 2 || msgs[0].UID != 5 || msgs[1].UID != 7 {
			t.Errorf("got %d messages of %d, %v, want UIDs 5 and 7", len(msgs), st.Messages, err)
		}
	})
}

func TestSearchOfOpenMailboxSeesNewMail(t *testing.T) {
	p, srv := recording(t, 3, imaptest.Options{}, nil)
	for want := 3; want < 6; want++ {
		do(t, p, func(ctx context.Context, c *Conn) {
			r, err := c.Search(ctx, "INBOX", All())
			if err != nil || len(r.UIDs) != want || int(r.State.Messages) != want {
				t.Errorf("got %d UIDs of %d messages, %v, want %d", len(r.UIDs), r.State.Messages, err, want)
			}
		})
		srv.Deliver(t, "INBOX", imaptest.Message{Raw: []byte("Subject: x\r\n\r\ny\r\n"), InternalDate: day0})
	}
}
