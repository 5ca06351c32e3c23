package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"mailgap/readmail/imaptest"
)

// scripted starts a server and returns a pool that talks to it over pipes.
func scripted(t *testing.T, change func(*Config), scripts ...imaptest.Script) (*Pool, *imaptest.Scripted) {
	t.Helper()
	srv := imaptest.NewScripted(t, scripts...)
	cfg := Config{Host: "localhost", TLS: TLSNone, User: imaptest.User, Password: secret(imaptest.Password), Dial: srv.Dial}
	if change != nil {
		change(&cfg)
	}
	return newPool(t, cfg), srv
}

// examine is a mailbox of n messages.
func examine(n int) imaptest.Step {
	return imaptest.On("EXAMINE").Reply(fmt.Sprintf("* %d EXISTS", n), "* OK [UIDVALIDITY 7] valid",
		fmt.Sprintf("* OK [UIDNEXT %d] next", n+1), "{tag} OK [READ-ONLY] done")
}

func TestSearchReplies(t *testing.T) {
	for _, tc := range []struct {
		name  string
		caps  string
		q     Criteria
		reply imaptest.Step
		want  []UID
		note  Note
		err   error
	}{
		{"completion only", "", Subject("x"), imaptest.On("UID SEARCH").Reply("{tag} OK SEARCH completed (took 237 ms)"), nil, "", nil},
		{"esearch without data", "ESEARCH", Subject("x"), imaptest.On("UID SEARCH").OK(`* ESEARCH (TAG "{tag}") UID`), nil, "", nil},
		{"esearch ranges", "ESEARCH", Subject("x"), imaptest.On("UID SEARCH").OK(`* ESEARCH (TAG "{tag}") UID ALL 2:4,7`), []UID{2, 3, 4, 7}, "", nil},
		{"unordered, twice", "", Subject("x"), imaptest.On("UID SEARCH").OK("* SEARCH 5 3 5 1"), []UID{1, 3, 5}, "", nil},
		{"everything finds nothing", "", All(), imaptest.On("UID SEARCH").OK("* SEARCH"), nil, NoteServerSearchBroken, nil},
		{"words find nothing", "", Subject("x"), imaptest.On("UID SEARCH").OK("* SEARCH"), nil, "", nil},
		{"charset refused", "", Subject("Grüße"), imaptest.OnMatch("CHARSET UTF-8").Reply("{tag} NO [BADCHARSET (US-ASCII)] no"), nil, "", ErrCharsetRefused},
		{"charset refused without code", "LITERAL+", Subject("Grüße"), imaptest.OnMatch("CHARSET UTF-8").Reply("{tag} BAD what"), nil, "", ErrCharsetRefused},
		{"more than is kept", "ESEARCH", Subject("x"), imaptest.On("UID SEARCH").OK(`* ESEARCH (TAG "{tag}") UID ALL 1:2000000`), nil, NoteCapped, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p, _ := scripted(t, nil, imaptest.Script{Caps: strings.TrimSpace("IMAP4rev1 AUTH=PLAIN " + tc.caps), Steps: []imaptest.Step{examine(9), tc.reply}})
			var got SearchResult
			err := p.Do(t.Context(), "INBOX", func(ctx context.Context, c *Conn) (err error) {
				got, err = c.Search(ctx, "INBOX", tc.q)
				return err
			})
			if !errors.Is(err, tc.err) {
				t.Fatalf("got error %v, want %v", err, tc.err)
			}
			if tc.note == NoteCapped {
				if len(got.UIDs) > maxSearchUIDs || !slices.Contains(got.Notes, NoteCapped) {
					t.Errorf("got %d UIDs, notes %v, want at most %d and a note", len(got.UIDs), got.Notes, maxSearchUIDs)
				}
				return
			}
			if !slices.Equal(got.UIDs, tc.want) {
				t.Errorf("got %v, want %v", got.UIDs, tc.want)
			}
			if (tc.note != "") != slices.Contains(got.Notes, tc.note) {
				t.Errorf("got notes %v, want %q", got.Notes, tc.note)
			}
		})
	}
}

func TestSearchRangeOfFourBillion(t *testing.T) {
	p, _ := scripted(t, nil, imaptest.Script{Caps: "IMAP4rev1 AUTH=PLAIN ESEARCH", Steps: []imaptest.Step{
		examine(9), imaptest.On("UID SEARCH").OK(`* ESEARCH (TAG "{tag}") UID ALL 1:4294967295`),
	}})
	do(t, p, func(ctx context.Context, c *Conn) {
		if r, err := c.Search(ctx, "INBOX", All()); err == nil {
			t.Errorf("got %d UIDs, want an error", len(r.UIDs))
		}
		if err := c.Noop(ctx); err != nil {
			t.Errorf("the connection did not survive: %v", err)
		}
	})
}

func TestCharsetRefusalIsRemembered(t *testing.T) {
	p, srv := scripted(t, nil, imaptest.Script{Caps: "IMAP4rev1 AUTH=PLAIN LITERAL+", Steps: []imaptest.Step{
		examine(9), imaptest.OnMatch("CHARSET").Reply("{tag} NO [BADCHARSET (US-ASCII)] no"), imaptest.On("UID SEARCH").OK("* SEARCH 1"),
	}})
	for range 3 {
		err := p.Do(t.Context(), "INBOX", func(ctx context.Context, c *Conn) error {
			_, err := c.Search(ctx, "INBOX", Body("日本"))
			return err
		})
		if !errors.Is(err, ErrCharsetRefused) {
			t.Fatalf("got %v, want ErrCharsetRefused", err)
		}
	}
	do(t, p, func(ctx context.Context, c *Conn) {
		if r, err := c.Search(ctx, "INBOX", Body("ascii")); err != nil || len(r.UIDs) != 1 {
			t.Errorf("got %v, %v, want one UID", r.UIDs, err)
		}
	})
	if n := countVerb(srv, "UID SEARCH"); n != 2 {
		t.Errorf("sent %d UID SEARCH, want 2", n)
	}
}

func countVerb(srv *imaptest.Scripted, verb string) int {
	n := 0
	for _, v := range srv.Verbs() {
		if v == verb {
			n++
		}
	}
	return n
}

const textStructure = `BODYSTRUCTURE ("TEXT" "PLAIN" ("CHARSET" "utf-8") NIL NIL "7BIT" 5 1)`

// bodies answers a FETCH for the UIDs in the command's first argument, each a flag and a structure; broken ones are refused.
func bodies(broken map[string]bool, refusal string) func(imaptest.Command) string {
	return func(c imaptest.Command) string {
		set, items, _ := strings.Cut(c.Args, " ")
		var out strings.Builder
		for _, u := range expand(set) {
			n := fmt.Sprint(u)
			if broken[n] && (strings.Contains(items, "BODYSTRUCTURE") || broken["any"]) {
				return out.String() + refusal + "\r\n"
			}
			extra := ""
			if strings.Contains(items, "BODYSTRUCTURE") {
				extra = " " + textStructure
			}
			fmt.Fprintf(&out, "* %s FETCH (UID %s FLAGS (\\Seen)%s)\r\n", n, n, extra)
		}
		return out.String() + "{tag} OK done\r\n"
	}
}

// expand reads "1:3,5".
func expand(set string) []int {
	var out []int
	for r := range strings.SplitSeq(set, ",") {
		var lo, hi int
		if n, _ := fmt.Sscanf(r, "%d:%d", &lo, &hi); n == 1 {
			hi = lo
			if strings.HasSuffix(r, ":*") {
				hi = 20
			}
		}
		for i := lo; i <= hi; i++ {
			out = append(out, i)
		}
	}
	return out
}

func TestFetchSurvivesBadMessages(t *testing.T) {
	for _, tc := range []struct {
		name    string
		broken  map[string]bool
		refusal string
		want    map[UID]Trouble
	}{
		{"one structure", map[string]bool{"7": true}, "{tag} NO server bug", map[UID]Trouble{7: TroubleNoStructure}},
		{"two structures", map[string]bool{"7": true, "16": true}, "{tag} BAD server bug", map[UID]Trouble{7: TroubleNoStructure, 16: TroubleNoStructure}},
		{"one message", map[string]bool{"7": true, "any": true}, "{tag} NO cannot read", map[UID]Trouble{7: TroubleUnreadable}},
	} {
		for _, set := range []Set{UIDRange(1, 20), UIDRange(1, 0), SeqRange(1, 20)} {
			t.Run(fmt.Sprint(tc.name, set), func(t *testing.T) {
				fetch := bodies(tc.broken, tc.refusal)
				p, srv := scripted(t, nil, imaptest.Script{Steps: []imaptest.Step{
					examine(20), imaptest.OnMatch(`^(UID )?FETCH \S+ \(?UID\)?$`).Compute(bodies(nil, "")),
					imaptest.On("UID FETCH").Compute(fetch), imaptest.On("FETCH").Compute(fetch),
				}})
				do(t, p, func(ctx context.Context, c *Conn) {
					_, msgs, err := c.ExamineFetch(ctx, "INBOX", 7, set, Items{Flags: true, BodyStructure: true})
					if err != nil || len(msgs) != 20 {
						t.Fatalf("got %d messages, %v, want 20", len(msgs), err)
					}
					for _, m := range msgs {
						want := tc.want[m.UID]
						if got := len(m.Troubles); (want == "") != (got == 0) || want != "" && !m.Has(want) {
							t.Errorf("UID %d: got troubles %v, want %q", m.UID, m.Troubles, want)
						}
						if want == "" && m.Structure == nil {
							t.Errorf("UID %d lost its structure", m.UID)
						}
					}
				})
				if n := len(srv.Commands()); n > 45 {
					t.Errorf("sent %d commands, want a bounded number", n)
				}
			})
		}
	}
}

func TestFetchWhenServerFailsOnEverything(t *testing.T) {
	p, srv := scripted(t, nil, imaptest.Script{Steps: []imaptest.Step{
		examine(500), imaptest.On("UID FETCH").Reply("{tag} NO [SERVERBUG] no"),
	}})
	do(t, p, func(ctx context.Context, c *Conn) {
		_, msgs, err := c.ExamineFetch(ctx, "INBOX", 7, UIDRange(1, 500), Items{Flags: true, BodyStructure: true, Parts: []PartRequest{{Number: "1"}}})
		if err != nil || len(msgs) != 500 {
			t.Fatalf("got %d messages, %v, want 500", len(msgs), err)
		}
		for _, m := range msgs {
			if !m.Has(TroubleUnreadable) {
				t.Fatalf("UID %d: got %v, want unreadable", m.UID, m.Troubles)
			}
		}
	})
	if n := len(srv.Commands()); n > 150 {
		t.Errorf("sent %d commands, want a bounded number", n)
	}
}

func TestGuessedPartIsRefused(t *testing.T) {
	p, _ := scripted(t, nil, imaptest.Script{Steps: []imaptest.Step{
		examine(3), imaptest.OnMatch(`FETCH .*BODY\.PEEK\[1\.1\]`).Reply("{tag} NO no such part"), imaptest.On("UID FETCH").Compute(bodies(nil, "")),
	}})
	do(t, p, func(ctx context.Context, c *Conn) {
		_, msgs, err := c.ExamineFetch(ctx, "INBOX", 7, UIDs(2), Items{Flags: true, BodyStructure: true, Parts: []PartRequest{{Number: "1"}, {Number: "1.1"}}})
		if err != nil || len(msgs) != 1 {
			t.Fatalf("got %d messages, %v, want 1", len(msgs), err)
		}
		if m := msgs[0]; m.Structure == nil || !m.Parts[PartKey{Number: "1"}].Missing || !m.Has(TroubleIncomplete) || m.Has(TroubleUnreadable) {
			t.Errorf("got %+v, want the structure, without parts", m)
		}
	})
}

func TestFetchOddReplies(t *testing.T) {
	lines := func(s ...string) imaptest.Step { return imaptest.On("UID FETCH").OK(s...) }
	for _, tc := range []struct {
		name  string
		steps []imaptest.Step
		want  []UID
	}{
		{"others than asked for", []imaptest.Step{lines("* 1 FETCH (UID 1 FLAGS ())", "* 9 FETCH (UID 99 FLAGS ())", "* 2 FETCH (UID 2 FLAGS ())")}, []UID{1, 2}},
		{"unsolicited before", []imaptest.Step{lines("* 5 EXISTS", "* 1 FETCH (FLAGS (\\Seen))", "* 1 FETCH (UID 1 FLAGS ())", "* 2 FETCH (UID 2 FLAGS ())")}, []UID{1, 2}},
		{"in two pieces", []imaptest.Step{lines("* 1 FETCH (UID 1)", "* 1 FETCH (UID 1 FLAGS (\\Seen))", "* 2 FETCH (UID 2 FLAGS ())")}, []UID{1, 2}},
		{"expunged meanwhile", []imaptest.Step{lines("* 2 FETCH (UID 2 FLAGS ())", "* 1 EXPUNGE")}, []UID{2}},
		{"something left out the first time", []imaptest.Step{
			lines("* 1 FETCH (UID 1)", "* 2 FETCH (UID 2 FLAGS ())").Once(), lines("* 1 FETCH (UID 1 FLAGS ())"),
		}, []UID{1, 2}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p, _ := scripted(t, nil, imaptest.Script{Steps: append([]imaptest.Step{examine(3)}, tc.steps...)})
			do(t, p, func(ctx context.Context, c *Conn) {
				_, msgs, err := c.ExamineFetch(ctx, "INBOX", 7, UIDRange(1, 2), Items{Flags: true})
				if err != nil {
					t.Fatal(err)
				}
				var got []UID
				for _, m := range msgs {
					got = append(got, m.UID)
					if !m.HasFlags || len(m.Troubles) > 0 {
						t.Errorf("UID %d: got troubles %v, flags %v", m.UID, m.Troubles, m.HasFlags)
					}
				}
				if !slices.Equal(got, tc.want) {
					t.Errorf("got %v, want %v", got, tc.want)
				}
			})
		})
	}
}

func TestListOddServers(t *testing.T) {
	list := []string{`* LIST (\HasNoChildren) "/" INBOX`, `* LIST () "/" "Gesendete Objekte"`, `* LIST (\Noselect) "/" Group`, `* LIST () "/" Broken`}
	status := imaptest.On("STATUS").Compute(func(c imaptest.Command) string {
		if strings.Contains(c.Args, "Broken") {
			return "{tag} NO [NOPERM] not yours\r\n"
		}
		name, _, _ := strings.Cut(c.Args, " (")
		return "* STATUS " + name + " (MESSAGES 4 UNSEEN 1 UIDNEXT 9 UIDVALIDITY 3)\r\n{tag} OK done\r\n"
	})
	for _, tc := range []struct {
		name, caps string
		steps      []imaptest.Step
	}{
		{"plain", "", []imaptest.Step{imaptest.On("LIST").OK(list...), status}},
		{"refuses RETURN", "LIST-EXTENDED LIST-STATUS", []imaptest.Step{imaptest.OnMatch("LIST .*RETURN").Reply("{tag} BAD what"), imaptest.On("LIST").OK(list...), status}},
		{"LIST-STATUS without status", "LIST-EXTENDED LIST-STATUS", []imaptest.Step{imaptest.On("LIST").OK(list...), status}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p, _ := scripted(t, nil, imaptest.Script{Caps: strings.TrimSpace("IMAP4rev1 AUTH=PLAIN " + tc.caps), Steps: tc.steps})
			do(t, p, func(ctx context.Context, c *Conn) {
				boxes, err := c.List(ctx, ListOptions{Status: true})
				if err != nil || len(boxes) != 4 {
					t.Fatalf("got %d mailboxes, %v, want 4", len(boxes), err)
				}
				if b := boxes[1]; b.SpecialUse != UseSent || !b.Guessed || b.Status == nil || b.Status.Messages != 4 {
					t.Errorf("got %+v, want Sent, guessed, with 4 messages", b)
				}
				if b := boxes[2]; !b.NoSelect || b.Status != nil || b.StatusErr != nil {
					t.Errorf("got %+v, want a name without status", b)
				}
				if b := boxes[3]; b.Status != nil || !errors.Is(b.StatusErr, ErrNoMailbox) {
					t.Errorf("got %+v, want StatusErr", b)
				}
			})
		})
	}
}
