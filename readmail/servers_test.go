package readmail

import (
	"context"
	"errors"
	"fmt"
	"net"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/emersion/go-imap/v2"

	"mailgap/readmail/imaptest"
	"mailgap/readmail/session"
	"mailgap/sanitize"
)

// Exchange refuses every search that names a charset, so ASCII words are sent without one.
func TestASCIIWordsNeedNoCharset(t *testing.T) {
	refuseCharset := imaptest.OnMatch("CHARSET").Reply("{tag} NO [BADCHARSET (US-ASCII)] The specified charset is not supported.")
	for _, args := range []string{`{"subject":"two words"}`, `{"from":"a@example.com"}`, `{"any_of":[{"subject":"x"},{"cc":"y"}]}`, `{"not":{"to":"z"}}`, `{"body":"words"}`} {
		s := scripted(t, examined(1), refuseCharset, imaptest.On("UID SEARCH").OK("* SEARCH 1"), imaptest.On("UID FETCH").OK(rowOf(1, "one", goodStructure)))
		l := call[gotList](t, s, "list_messages", args)
		if l.subjects() != "one" || slices.Contains(l.Coverage[0].Notes, "charset_refused") {
			t.Errorf("%s: found %q, notes %q; want one and no charset_refused", args, l.subjects(), l.Coverage[0].Notes)
		}
	}
}

// marking is a mailbox of one message on a server that marks it as read with every fetch of a body, PEEK or not, unless
// the mailbox was opened by EXAMINE.
type marking struct {
	mu             sync.Mutex
	examined, seen bool
}

func (m *marking) open(examine bool) func(imaptest.Command) string {
	return func(imaptest.Command) string {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.examined = examine
		return "* 1 EXISTS\r\n* OK [UIDVALIDITY 7] valid\r\n* OK [UIDNEXT 2] next\r\n{tag} OK done\r\n"
	}
}

func (m *marking) fetch(c imaptest.Command) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if strings.Contains(c.Args, "BODY") && !m.examined {
		m.seen = true
	}
	flags := "FLAGS ()"
	if m.seen {
		flags = `FLAGS (\Seen)`
	}
	items := []string{flags, `INTERNALDATE "01-Mar-2026 10:00:00 +0000"`, `RFC822.SIZE 100`, "BODYSTRUCTURE " + goodStructure}
	for _, section := range regexp.MustCompile(`BODY\.PEEK\[([^\]]*)\](<0)?`).FindAllStringSubmatch(c.Args, -1) {
		text := "words"
		if strings.HasPrefix(section[1], "HEADER") {
			text = "From: a@example.com\r\nSubject: one\r\nMessage-ID: <one@example.com>\r\n\r\n"
		}
		items = append(items, "BODY["+section[1]+"]"+strings.Repeat(section[2]+">", min(len(section[2]), 1))+" "+imaptest.Literal(text))
	}
	return imaptest.Fetch(1, 1, items...) + "\r\n{tag} OK done\r\n"
}

// A server that marks messages as read whatever is asked of it cannot do so: every tool opens the mailbox by EXAMINE.
func TestServerThatMarksEverythingRead(t *testing.T) {
	m := &marking{}
	s := scripted(t, imaptest.On("EXAMINE").Compute(m.open(true)), imaptest.On("SELECT").Compute(m.open(false)),
		imaptest.On("UID SEARCH").OK("* SEARCH 1"), imaptest.On("FETCH").Compute(m.fetch), imaptest.On("UID FETCH").Compute(m.fetch))
	for tool, args := range map[string]string{
		"list_messages": `{"snippets":true}`, "get_message": `{` + firstMessage + `}`, "get_thread": `{` + firstMessage + `}`,
		"get_attachment": `{"ref":"imap://default/INBOX;UIDVALIDITY=7/;UID=1/;SECTION=1"}`, "list_new_messages": `{}`,
	} {
		if out := outcome(t, s, tool, args); out.IsError {
			t.Errorf("%s: %s", tool, out.Text)
		}
	}
	if l := call[gotList](t, s, "list_messages", `{}`); len(l.Messages) != 1 || !l.Messages[0].Unread || m.seen {
		t.Errorf("messages = %+v, marked %v; want one that is unread", l.Messages, m.seen)
	}
	m.open(false)(imaptest.Command{})
	if m.fetch(imaptest.Command{Args: "1 (BODY.PEEK[1])"}); !m.seen {
		t.Error("this server marks nothing as read, so the test shows nothing")
	}
}

// A server may take ENABLE IMAP4rev2 and then find nothing at all: it is not enabled, and its zero is not believed.
func TestEmptySearchOfAFullMailbox(t *testing.T) {
	o := inbox(many(5)...)
	o.AddCaps = []imap.Cap{imap.CapIMAP4rev2, imap.CapEnable, imap.CapCondStore}
	o.Handle = map[string]func(imaptest.Command) string{
		"UID SEARCH": func(imaptest.Command) string { return "* ESEARCH (TAG \"{tag}\") UID\r\n{tag} OK done\r\n" },
	}
	ts := imaptest.New(t, o)
	s := newServer(t, ts)
	for args, want := range map[string]string{`{"from":"accounts"}`: "m005|m004|m003|m002|m001", `{"subject":"m002"}`: "m002"} {
		l := call[gotList](t, s, "list_messages", args)
		if l.subjects() != want || !slices.Contains(l.Coverage[0].Notes, "server_search_broken") {
			t.Errorf("%s: %q, notes %q; want %s and server_search_broken", args, l.subjects(), l.Coverage[0].Notes, want)
		}
	}
	if slices.Contains(ts.Verbs(), "ENABLE") {
		t.Error("ENABLE was sent")
	}
}

// Where the search is not believed, a header that the server cannot read is compared as get_message shows it.
func TestEmptySearchWithADamagedHeader(t *testing.T) {
	const fields = "Subject: one\r\n\r\n"
	s := scripted(t, examined(1), imaptest.On("UID SEARCH").OK("* SEARCH"), imaptest.OnMatch(`FETCH 1.*HEADER\.FIELDS`).OK(threadRow(1, threadFields, fields)),
		imaptest.OnMatch(`UID FETCH 1 .*HEADER\]`).OK(threadRow(1, "", "this line is no field\r\nFrom: Robin <robin@example.com>\r\n"+fields)))
	if l := call[gotList](t, s, "list_messages", `{"from":"robin"}`); l.subjects() != "one" {
		t.Errorf("found %q, coverage %+v; want one", l.subjects(), l.Coverage)
	}
}

// A connection that cannot be made is named with host, port and step, and never with the credentials.
func TestUnreachableServerIsNamed(t *testing.T) {
	for name, err := range map[string]error{"refused": syscall.ECONNREFUSED, "unreachable": syscall.EHOSTUNREACH, "odd": errors.New("user " + imaptest.User + " password " + imaptest.Password)} {
		s := newServerDial(t, session.Config{Port: 465, Dial: func(context.Context, string, string) (net.Conn, error) { return nil, err }})
		got := refused(t, s, "list_messages", `{}`)
		for _, want := range []string{"localhost", "465", "step: tcp", "hint", "IMAP_PORT"} {
			if !strings.Contains(got, want) {
				t.Errorf("%s: %q, want %s in it", name, got, want)
			}
		}
		if strings.Contains(got, imaptest.Password) || strings.Contains(got, imaptest.User) {
			t.Errorf("%s: credentials in %q", name, got)
		}
	}
}

// The server's own name comes with the answer to ID, which nobody waits for before.
func TestServerNameIsTold(t *testing.T) {
	s := scripted(t, imaptest.On("ID").OK(`* ID ("name" "Kestrel" "version" "2")`))
	if got := call[struct {
		MailServer string `json:"mail_server"`
	}](t, s, "get_server_info", `{}`); got.MailServer != "Kestrel" {
		t.Errorf("mail_server = %q, want Kestrel", got.MailServer)
	}
}

// A call that waits says so every ten seconds: clients give up on calls that are silent.
func TestWaitTellsThatItWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ts := imaptest.NewScripted(t, imaptest.Script{Caps: "IMAP4rev1 AUTH=PLAIN IDLE", Steps: []imaptest.Step{examined(3)}})
		s := newServerDial(t, session.Config{Dial: ts.Dial}, func(c *Config) { c.Now = time.Now })
		start, err := s.newStart(t.Context(), nil, "")
		if err != nil {
			t.Fatal(err)
		}
		var notes []string
		w := &waiter{s: s, q: &query{}, at: start[0], began: time.Now(), timeout: 35 * time.Second, note: func(done, total float64, _ sanitize.Clean) {
			notes = append(notes, fmt.Sprintf("%.0f/%.0f", done, total))
		}}
		if _, err := w.wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(notes, " "); got != "10/35 20/35 30/35" {
			t.Errorf("notes %q, want one every ten seconds", got)
		}
		s.Close()
		ts.Close()
	})
}

// A filter that only this side can decide is decided for the newest 2,000 messages; the answer says so, and the cursor goes
// on below them.
func TestScanLimitIsTold(t *testing.T) {
	msgs := many(maxScanned + 50)
	msgs[3] = imaptest.Message{InternalDate: msgs[3].InternalDate, Raw: mail("From: a@example.com", "Subject: with file", `Content-Type: multipart/mixed; boundary="b"`,
		"", "--b", "Content-Type: text/plain", "", "see", "--b", "Content-Type: text/csv", `Content-Disposition: attachment; filename="a.csv"`, "", "a,b", "--b--")}
	s := newServer(t, imaptest.New(t, inbox(msgs...)))
	l := call[gotList](t, s, "list_messages", `{"has_attachment":true}`)
	c := l.Coverage[0]
	if len(l.Messages) != 0 || !slices.Contains(c.Notes, "scan_limit") || slices.Contains(c.Notes, "zero_confirmed") || l.NextCursor == "" ||
		!c.SearchedBackTo.Equal(msgs[50].InternalDate) {
		t.Errorf("%d messages, coverage %+v, cursor %q; want none, scan_limit, back to %v and a cursor", len(l.Messages), c, l.NextCursor, msgs[50].InternalDate)
	}
	if l = call[gotList](t, s, "list_messages", `{"has_attachment":true,"cursor":"`+l.NextCursor+`"}`); l.subjects() != "with file" || l.NextCursor != "" {
		t.Errorf("the next page has %q, cursor %q; want the message and no cursor", l.subjects(), l.NextCursor)
	}
}

// One call reads fifty mailboxes. Beyond that a list asks for names, and a conversation says how many it left out.
func TestFiftyMailboxes(t *testing.T) {
	boxes := func(n int) imaptest.Options {
		o := imaptest.Options{Mailboxes: []imaptest.Mailbox{{Name: "INBOX", Messages: many(1)}}}
		for i := range n - 1 {
			o.Mailboxes = append(o.Mailboxes, imaptest.Mailbox{Name: fmt.Sprintf("Box %02d", i), Messages: many(1)})
		}
		return o
	}
	l := call[gotList](t, newServer(t, imaptest.New(t, boxes(maxMailboxes))), "list_messages", `{"mailboxes":["*"],"limit":50,"from":"accounts"}`)
	if len(l.Messages) != maxMailboxes || len(l.Coverage) != maxMailboxes {
		t.Errorf("%d messages of %d mailboxes, want %d of each", len(l.Messages), len(l.Coverage), maxMailboxes)
	}
	s := newServer(t, imaptest.New(t, boxes(maxMailboxes+2)))
	if got := refused(t, s, "list_messages", `{"mailboxes":["*"]}`); !strings.Contains(got, "52 mailboxes") || !strings.Contains(got, "at most 50") {
		t.Errorf("too many: %q", got)
	}
	th := call[struct {
		LeftOut  int `json:"mailboxes_left_out"`
		Coverage []struct{ Mailbox string }
	}](t, s, "get_thread", `{`+strings.Replace(firstMessage, "=7", "=1", 1)+`}`)
	if th.LeftOut != 2 || len(th.Coverage) != maxMailboxes {
		t.Errorf("conversation: %d mailboxes, %d left out; want 50 and 2", len(th.Coverage), th.LeftOut)
	}
}
