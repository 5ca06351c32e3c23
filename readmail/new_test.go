package readmail

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/emersion/go-imap/v2/imapclient"

	"mailgap/readmail/imaptest"
	"mailgap/readmail/session"
)

// gotNew is the answer of list_new_messages and wait_for_message.
type gotNew struct {
	Messages    []gotSummary
	FlagChanges []struct {
		Ref             string
		Unread, Flagged bool
	} `json:"flag_changes"`
	Mailboxes []struct {
		Mailbox, Since, Error string
		Flags                 bool `json:"flag_changes_known"`
		LeftOut               int  `json:"messages_left_out"`
		NotMatching           int  `json:"not_matching"`
	}
	Cursor   string
	More     bool
	TimedOut bool `json:"timed_out"`
}

func (n gotNew) subjects() string {
	var out []string
	for _, m := range n.Messages {
		out = append(out, m.Subject)
	}
	return strings.Join(out, "|")
}

func newSince(t *testing.T, s *Server, cursor, more string) gotNew {
	t.Helper()
	return call[gotNew](t, s, "list_new_messages", `{"cursor":"`+cursor+`"`+more+`}`)
}

func TestNewMessages(t *testing.T) {
	ts := imaptest.New(t, inbox(many(3)...))
	s := newServer(t, ts)
	first := call[gotNew](t, s, "list_new_messages", `{}`)
	if len(first.Messages) != 0 || first.Mailboxes[0].Since != "now" || first.Cursor == "" {
		t.Fatalf("first call: %+v, want a cursor and no message", first)
	}
	if n := newSince(t, s, first.Cursor, ""); len(n.Messages) != 0 || n.Mailboxes[0].Since != "cursor" {
		t.Errorf("nothing arrived: %+v", n)
	}
	for i := range 5 {
		ts.Deliver(t, "INBOX", simple(fmt.Sprintf("new%d", i), epoch()))
	}
	n := newSince(t, s, first.Cursor, "")
	if got, want := n.subjects(), "new0|new1|new2|new3|new4"; got != want || n.More {
		t.Errorf("new: %s, more %v; want %s", got, n.More, want)
	}
	if n := newSince(t, s, n.Cursor, ""); len(n.Messages) != 0 {
		t.Errorf("the same again: %s, want none", n.subjects())
	}
}

// More arrived than fit: the cursor stops before the first that did not, so following it shows each message once.
func TestNewMessagesLoseNone(t *testing.T) {
	ts := imaptest.New(t, imaptest.Options{Mailboxes: []imaptest.Mailbox{{Name: "INBOX"}, {Name: "Work"}}})
	s := newServer(t, ts)
	cursor := call[gotNew](t, s, "list_new_messages", `{"mailboxes":["INBOX","Work"]}`).Cursor
	var want, got []string
	for i := range 7 {
		box := []string{"INBOX", "Work"}[i%2]
		ts.Deliver(t, box, simple(fmt.Sprintf("n%d", i), epoch()))
	}
	for _, i := range []int{0, 2, 4, 6, 1, 3, 5} {
		want = append(want, fmt.Sprintf("n%d", i))
	}
	for range 10 {
		n := newSince(t, s, cursor, `,"limit":2`)
		if len(n.Messages) > 2 {
			t.Fatalf("%d messages, want at most 2", len(n.Messages))
		}
		for _, m := range n.Messages {
			got = append(got, m.Subject)
		}
		if cursor = n.Cursor; !n.More {
			break
		}
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("all calls showed %v, want %v", got, want)
	}
}

func TestNewAfterRebuild(t *testing.T) {
	ts := imaptest.New(t, imaptest.Options{Mailboxes: []imaptest.Mailbox{{Name: "INBOX"}, {Name: "Work", Messages: many(2)}}})
	s := newServer(t, ts)
	cursor := call[gotNew](t, s, "list_new_messages", `{"mailboxes":["Work"]}`).Cursor
	ts.Admin(t, func(c *imapclient.Client) error {
		return errors.Join(c.Delete("Work").Wait(), c.Create("Work", nil).Wait())
	})
	ts.DropConnections()
	n := newSince(t, s, cursor, "")
	if n.Mailboxes[0].Since != "rebuilt" || n.Cursor == cursor {
		t.Errorf("after the rebuild: %+v, want since=rebuilt and another cursor", n)
	}
	if again := newSince(t, s, n.Cursor, ""); again.Mailboxes[0].Since != "cursor" {
		t.Errorf("with the new cursor: %+v", again)
	}
}

// condstore is a scripted mailbox of two messages that counts changes.
func condstore(modseq int, changed string) []imaptest.Step {
	return []imaptest.Step{
		imaptest.On("EXAMINE").OK("* 2 EXISTS", "* OK [UIDVALIDITY 7] valid", "* OK [UIDNEXT 3] next", fmt.Sprintf("* OK [HIGHESTMODSEQ %d] highest", modseq)),
		imaptest.OnMatch("SEARCH.*MODSEQ").OK(changed),
		imaptest.On("UID FETCH").OK(imaptest.Fetch(1, 1, `FLAGS (\Seen \Flagged)`)),
	}
}

func TestNewFlagChanges(t *testing.T) {
	cursorAt := func(modseq uint64) string {
		return encodeCursor(newCursor{V: cursorVersion, Kind: newCursorKind, Boxes: []newBox{{"INBOX", 7, 3, modseq}}}).String()
	}
	for name, tc := range map[string]struct {
		caps    string
		cursor  uint64
		changes int
		known   bool
	}{
		"changed":         {"IMAP4rev1 CONDSTORE", 10, 1, true},
		"nothing changed": {"IMAP4rev1 CONDSTORE", 20, 0, true},
		"older cursor":    {"IMAP4rev1 CONDSTORE", 0, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			ts := imaptest.NewScripted(t, imaptest.Script{Caps: tc.caps, Steps: condstore(20, "* SEARCH 1 (MODSEQ 20)")})
			n := newSince(t, newServerDial(t, session.Config{Dial: ts.Dial}), cursorAt(tc.cursor), "")
			if len(n.FlagChanges) != tc.changes || n.Mailboxes[0].Flags != tc.known {
				t.Fatalf("%d changes, known %v; want %d, %v: %v", len(n.FlagChanges), n.Mailboxes[0].Flags, tc.changes, tc.known, ts.Commands())
			}
			if tc.changes == 1 && (n.FlagChanges[0].Unread || !n.FlagChanges[0].Flagged || !strings.HasSuffix(n.FlagChanges[0].Ref, "UID=1")) {
				t.Errorf("change = %+v", n.FlagChanges[0])
			}
		})
	}
}

// A new message that the server names and does not hand out is counted, since the cursor passes it.
func TestNewCountsWhatTheServerWithholds(t *testing.T) {
	ts := imaptest.NewScripted(t, imaptest.Script{Steps: []imaptest.Step{examined(3), imaptest.On("UID SEARCH").OK("* SEARCH 2 3"), imaptest.On("UID FETCH").OK(rowOf(3, "three", goodStructure))}})
	cursor := encodeCursor(newCursor{V: cursorVersion, Kind: newCursorKind, Boxes: []newBox{{"INBOX", 7, 2, 0}}}).String()
	n := newSince(t, newServerDial(t, session.Config{Dial: ts.Dial}), cursor, "")
	if n.subjects() != "three" || n.Mailboxes[0].LeftOut != 1 {
		t.Errorf("%q and %d left out, want three and 1", n.subjects(), n.Mailboxes[0].LeftOut)
	}
}

// UIDs may be far apart, and a cursor may be far behind.
func TestNewUIDsFarApart(t *testing.T) {
	ts := imaptest.NewScripted(t, imaptest.Script{Steps: []imaptest.Step{
		imaptest.On("EXAMINE").OK("* 2 EXISTS", "* OK [UIDVALIDITY 7] valid", "* OK [UIDNEXT 4294967295] next"),
		imaptest.On("UID SEARCH").Compute(func(c imaptest.Command) string {
			if strings.Contains(c.Args, "*") || strings.Contains(c.Args, "4294967294") {
				return "* SEARCH 4294967294\r\n{tag} OK done\r\n"
			}
			return "* SEARCH\r\n{tag} OK done\r\n"
		}),
		imaptest.On("UID FETCH").OK(strings.Replace(rowOf(2, "far", goodStructure), "UID 2", "UID 4294967294", 1)),
	}})
	cursor := encodeCursor(newCursor{V: cursorVersion, Kind: newCursorKind, Boxes: []newBox{{"INBOX", 7, 1, 0}}}).String()
	if n := newSince(t, newServerDial(t, session.Config{Dial: ts.Dial}), cursor, ""); n.subjects() != "far" {
		t.Errorf("found %q, want far", n.subjects())
	}
	if got := len(ts.Commands()); got > 40 {
		t.Errorf("%d commands, want at most 40", got)
	}
}

// Every field of a cursor may have been changed by whoever passes it back.
func TestTamperedCursors(t *testing.T) {
	s := newServer(t, imaptest.New(t, inbox(many(3)...)))
	list := call[gotList](t, s, "list_messages", `{"limit":1}`).NextCursor
	news := call[gotNew](t, s, "list_new_messages", `{}`).Cursor
	change := func(token string, f func(m map[string]any)) string {
		b, err := base64.RawURLEncoding.DecodeString(token)
		if err != nil {
			t.Fatal(err)
		}
		var m map[string]any
		if err := json.Unmarshal(b, &m); err != nil {
			t.Fatal(err)
		}
		f(m)
		if b, err = json.Marshal(m); err != nil {
			t.Fatal(err)
		}
		return base64.RawURLEncoding.EncodeToString(b)
	}
	box := func(key string, value any) func(map[string]any) {
		return func(m map[string]any) { m["b"].([]any)[0].(map[string]any)[key] = value }
	}
	for name, f := range map[string]func(map[string]any){
		"other version":        func(m map[string]any) { m["v"] = 9 },
		"no mailboxes":         func(m map[string]any) { m["b"] = []any{} },
		"a mailbox twice":      func(m map[string]any) { m["b"] = append(m["b"].([]any), m["b"].([]any)[0]) },
		"too many":             func(m map[string]any) { m["b"] = slicesOf(m["b"].([]any)[0].(map[string]any), maxMailboxes+1) },
		"line break in a name": box("m", "IN\r\nBOX"),
		"empty name":           box("m", ""),
		"long name":            box("m", strings.Repeat("x", maxMailboxOctets+1)),
		"no uidvalidity":       box("u", 0),
		"uidvalidity as text":  box("u", "1"),
		"uid too large":        box("i", int64(1)<<40),
		"negative uid":         box("i", -1),
	} {
		if got := refused(t, s, "list_messages", `{"limit":1,"cursor":"`+change(list, f)+`"}`); !strings.Contains(got, "cursor") {
			t.Errorf("list, %s: %q", name, got)
		}
		if name == "uid too large" || name == "negative uid" { // the other cursor has no such field
			continue
		}
		if got := refused(t, s, "list_new_messages", `{"cursor":"`+change(news, f)+`"}`); !strings.Contains(got, "cursor") {
			t.Errorf("new, %s: %q", name, got)
		}
	}
	if got := refused(t, s, "list_messages", `{"limit":1,"cursor":"`+change(list, box("e", true))+`"}`); !strings.Contains(got, "cursor") {
		t.Errorf("all done: %q", got)
	}
	if got := refused(t, s, "list_new_messages", `{"cursor":"`+list+`"}`); !strings.Contains(got, "cursor") {
		t.Errorf("cursor of another tool: %q", got)
	}
	// Values that could be true are taken for a place, wherever it is.
	for name, f := range map[string]func(map[string]any){
		"far hint": box("s", uint32(1<<32-1)), "first UID": box("i", 1), "last UID": box("i", uint32(1<<32-1)),
		"date before time": box("d", int64(-1<<62)), "date after time": box("d", int64(1<<62)), "other order": box("o", true),
	} {
		if out := outcome(t, s, "list_messages", `{"limit":1,"cursor":"`+change(list, f)+`"}`); out.IsError {
			t.Errorf("%s: %s", name, out.Text)
		}
	}
}

// slicesOf returns n boxes that differ in their names.
func slicesOf(box map[string]any, n int) (out []any) {
	for i := range n {
		c := map[string]any{}
		for k, v := range box {
			c[k] = v
		}
		c["m"] = fmt.Sprintf("box%d", i)
		out = append(out, c)
	}
	return out
}

func FuzzCursor(f *testing.F) {
	f.Add(encodeCursor(newCursor{V: cursorVersion, Kind: newCursorKind, Boxes: []newBox{{"INBOX", 7, 3, 1}}}).String())
	f.Add(encodeCursor(listCursor{V: cursorVersion, Query: "q", Boxes: []boxPosition{{Mailbox: "INBOX", UIDValidity: 7, UID: 3}}}).String())
	f.Fuzz(func(t *testing.T, token string) {
		if c, err := decodeListCursor(token, "q"); err == nil && (len(c.Boxes) == 0 || len(c.Boxes) > maxMailboxes) {
			t.Fatalf("%d mailboxes", len(c.Boxes))
		}
		c, err := decodeNewCursor(token)
		if err != nil {
			if !errors.Is(err, ErrBadCursor) {
				t.Fatalf("error %v, want ErrBadCursor", err)
			}
			return
		}
		for _, b := range c.Boxes {
			if strings.ContainsAny(b.Mailbox, "\r\n\x00") || b.UIDNext == 0 {
				t.Fatalf("box %+v passed", b)
			}
		}
	})
}
