package readmail

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/emersion/go-imap/v2"

	"mailgap/readmail/imaptest"
	"mailgap/readmail/session"
)

const firstMessage = `"ref":"imap://default/INBOX;UIDVALIDITY=7/;UID=1"`

// examined is what EXAMINE says about a mailbox of n messages in a script.
func examined(n int) imaptest.Step {
	return imaptest.On("EXAMINE").OK(fmt.Sprintf("* %d EXISTS", n), "* OK [UIDVALIDITY 7] valid", fmt.Sprintf("* OK [UIDNEXT %d] next", n+1))
}

// rowOf is one FETCH response of a list with a structure.
func rowOf(seq int, subject, structure string) string {
	header := "From: a@example.com\r\nSubject: " + subject + "\r\nDate: Sun, 1 Mar 2026 10:00:00 +0000\r\n\r\n"
	return imaptest.Fetch(seq, seq, `FLAGS ()`, `INTERNALDATE "01-Mar-2026 10:00:00 +0000"`, `RFC822.SIZE 100`,
		"BODYSTRUCTURE "+structure, `BODY[HEADER.FIELDS ("From" "To" "Subject" "Date")] `+imaptest.Literal(header))
}

const goodStructure = `("text" "plain" NIL NIL NIL "7bit" 10 1)`

func scripted(t *testing.T, steps ...imaptest.Step) *Server {
	t.Helper()
	return newServerDial(t, session.Config{Dial: imaptest.NewScripted(t, imaptest.Script{Steps: steps}).Dial})
}

// One reply that breaks the protocol costs at most the structure of one message; the others of the page are whole.
func TestOneBadStructureCostsOneMessage(t *testing.T) {
	for name, structure := range map[string]string{
		"stray quotes (NetEase)":        imaptest.StructureStrayQuotes,
		"multipart without children":    imaptest.StructureChildless,
		"empty parameter list":          imaptest.StructureEmptyParameters,
		"two children without content":  imaptest.StructureTwoChildless,
		"NIL encoding and parameter":    imaptest.StructureNilEncoding,
		"NIL size and lines":            imaptest.StructureNilNumbers,
		"NIL type":                      imaptest.StructureNilSubtype,
		"message in short form":         imaptest.StructureShortMessage,
		"global message in short form":  imaptest.StructureShortGlobal,
		"no lines":                      imaptest.StructureNoLines,
		"parameter without value":       imaptest.StructureOddParameters,
		"disposition as string":         imaptest.StructureStringDisposition,
		"raw octets in a name":          imaptest.StructureRawName,
		"spaces between children":       imaptest.StructureSpaces,
		"nested far beyond any message": imaptest.NestedStructure(400),
	} {
		t.Run(name, func(t *testing.T) {
			s := scripted(t, examined(3), imaptest.On("FETCH").OK(rowOf(1, "one", goodStructure), rowOf(2, "two", structure), rowOf(3, "three", goodStructure)),
				imaptest.On("UID FETCH").OK(rowOf(2, "two", structure)))
			l := call[gotList](t, s, "list_messages", `{}`)
			refs := ""
			for i, m := range l.Messages {
				refs += m.Ref[strings.LastIndex(m.Ref, "="):]
				if i != 1 && (m.Subject == "" || len(m.Problems) > 0) {
					t.Errorf("a message beside the bad one: %+v", m)
				}
			}
			if refs != "=3=2=1" {
				t.Fatalf("references %s, want all three messages", refs)
			}
			if bad := l.Messages[1]; bad.Subject != "two" && len(bad.Problems) == 0 {
				t.Errorf("the bad message is half read and nothing says so: %+v", bad)
			}
		})
	}
}

// The parts beside a child that cannot be described are listed and can be named.
func TestPartsBesideABadChildAreListed(t *testing.T) {
	row := func(structure string) string {
		return imaptest.Fetch(1, 1, `FLAGS ()`, `INTERNALDATE "01-Mar-2026 10:00:00 +0000"`, `RFC822.SIZE 100`, "BODYSTRUCTURE "+structure,
			"BODY[HEADER] "+imaptest.Literal("From: a@example.com\r\nSubject: x\r\n\r\n"), "BODY[1]<0> "+imaptest.Literal("words"), "BODY[1.1]<0> NIL")
	}
	s := scripted(t, examined(1), imaptest.On("UID FETCH").OK(row(imaptest.StructureChildless)))
	m := call[gotMessage](t, s, "get_message", `{`+firstMessage+`}`)
	if i := slices.IndexFunc(m.Attachments, func(a struct {
		Ref, Name  string
		MediaType  string `json:"media_type"`
		NameUnsafe bool   `json:"name_unsafe"`
	}) bool {
		return a.Name == "plan.pdf"
	}); i < 0 {
		t.Errorf("attachments = %+v, want plan.pdf among them", m.Attachments)
	}
}

// A message on which the server fails is listed with its reference.
func TestUnreadableMessageIsListed(t *testing.T) {
	fail := imaptest.On("UID FETCH").Compute(func(c imaptest.Command) string {
		if !inSet(c, 2) {
			return rowOf(1, "one", goodStructure) + "\r\n{tag} OK done\r\n"
		}
		return "{tag} NO [SERVERBUG] internal error\r\n"
	})
	s := scripted(t, examined(2), imaptest.On("FETCH").Reply("{tag} NO [SERVERBUG] internal error"), imaptest.On("UID SEARCH").OK("* SEARCH 1 2"), fail)
	l := call[gotList](t, s, "list_messages", `{}`)
	if len(l.Messages) != 2 || l.Messages[1].Subject != "one" || !slices.Contains(l.Messages[0].Problems, "unreadable") || l.Messages[0].Ref == "" {
		t.Errorf("messages = %+v, want one readable and one unreadable with its reference", l.Messages)
	}
}

// A server that counts three messages and hands out two is not believed.
func TestOmittedMessagesAreNamed(t *testing.T) {
	for name, tc := range map[string]struct {
		args  string
		steps []imaptest.Step
	}{
		"page":   {`{}`, []imaptest.Step{imaptest.On("FETCH").OK(rowOf(1, "one", goodStructure), rowOf(3, "three", goodStructure))}},
		"search": {`{"subject":"e"}`, []imaptest.Step{imaptest.On("UID SEARCH").OK("* SEARCH 1 2 3"), imaptest.On("UID FETCH").OK(rowOf(1, "one", goodStructure), rowOf(3, "three", goodStructure))}},
	} {
		t.Run(name, func(t *testing.T) {
			l := call[gotList](t, scripted(t, append(tc.steps, examined(3))...), "list_messages", tc.args)
			if len(l.Messages) != 2 || !slices.Contains(l.Coverage[0].Notes, "messages_left_out") {
				t.Errorf("%d messages, coverage %+v; want 2 and messages_left_out", len(l.Messages), l.Coverage)
			}
		})
	}
}

// inSet reports whether a UID FETCH names uid.
func inSet(c imaptest.Command, uid int) bool {
	set, _, _ := strings.Cut(c.Args, " ")
	for item := range strings.SplitSeq(set, ",") {
		low, high, _ := strings.Cut(item, ":")
		lo, _ := strconv.Atoi(low)
		hi, _ := strconv.Atoi(high)
		if uid == lo || lo < uid && uid <= hi {
			return true
		}
	}
	return false
}

func TestSearchReplies(t *testing.T) {
	rows := imaptest.On("UID FETCH").Compute(func(c imaptest.Command) string {
		out := ""
		for uid := 1; uid <= 5; uid++ {
			if inSet(c, uid) {
				out += rowOf(uid, fmt.Sprintf("s%d", uid), goodStructure) + "\r\n"
			}
		}
		return out + "{tag} OK done\r\n"
	})
	newest := imaptest.On("FETCH").OK(rowOf(1, "s1", goodStructure), rowOf(2, "s2", goodStructure), rowOf(3, "s3", goodStructure), rowOf(4, "s4", goodStructure), rowOf(5, "s5", goodStructure))
	for name, tc := range map[string]struct{ reply, want, note string }{
		"ESEARCH without data":       {imaptest.SearchNoData, "", "zero_confirmed"},
		"completion only (iCloud)":   {imaptest.SearchCompletionOnly, "", "zero_confirmed"},
		"trailing space":             {imaptest.SearchTrailingSpace, "s3|s2", ""},
		"two lines":                  {imaptest.SearchSplit, "s5|s3|s2", ""},
		"repeats and a zero":         {imaptest.SearchRepeats, "s3|s2", ""},
		"UIDs beyond the mailbox":    {"* SEARCH 2 900\r\n{tag} OK done\r\n", "s2", "messages_left_out"},
		"unsolicited data around it": {"* 5 EXISTS\r\n* OK [ALERT] be quick\r\n* SEARCH 2\r\n* 1 FETCH (FLAGS (\\Seen))\r\n* X-NOISE 1\r\n{tag} OK done\r\n", "s2", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := scripted(t, examined(5), imaptest.On("UID SEARCH").Raw(tc.reply), newest, rows)
			l := call[gotList](t, s, "list_messages", `{"header":{"name":"X-Nowhere"}}`)
			if got := l.subjects(); got != tc.want {
				t.Errorf("found %q, want %q", got, tc.want)
			}
			if tc.note != "" && !slices.Contains(l.Coverage[0].Notes, tc.note) {
				t.Errorf("notes %q, want %s", l.Coverage[0].Notes, tc.note)
			}
		})
	}
}

// Words outside ASCII are sent with CHARSET UTF-8. ASCII words are sent without: Exchange refuses any.
func TestSearchCharset(t *testing.T) {
	for _, tc := range []struct {
		args string
		want bool
	}{{`{"subject":"会议"}`, true}, {`{"subject":"two words"}`, false}} {
		ts := imaptest.New(t, imaptest.Options{Mailboxes: inbox(many(2)...).Mailboxes})
		call[gotList](t, newServer(t, ts), "list_messages", tc.args)
		found := false
		for _, c := range ts.Commands() {
			if c.Verb == "UID SEARCH" {
				found = true
				if got := strings.Contains(c.Args, "CHARSET UTF-8"); got != tc.want {
					t.Errorf("%s: sent %q, CHARSET wanted: %v", tc.args, c.Args, tc.want)
				}
			}
		}
		if !found {
			t.Errorf("%s: no search was made", tc.args)
		}
	}
}

// Where a server cannot search bodies for such words, there is no way to decide here, and no message passes for a match.
func TestForeignTextInBodiesIsRefused(t *testing.T) {
	s := scripted(t, examined(2), imaptest.OnMatch("CHARSET").Reply("{tag} NO [BADCHARSET (US-ASCII)] no"),
		imaptest.On("UID SEARCH").OK("* SEARCH 1 2"), imaptest.On("UID FETCH").OK(rowOf(1, "a", goodStructure), rowOf(2, "b", goodStructure)))
	for _, args := range []string{`{"body":"会议"}`, `{"text":"会议"}`, `{"any_of":[{"body":"会议"},{"subject":"x"}]}`} {
		if got := refused(t, s, "list_messages", args); !strings.Contains(got, "cannot search for text outside ASCII") {
			t.Errorf("%s: %q", args, got)
		}
	}
}

// A header filter without value asks whether the field is there; a message without it is no match when the server's
// search is not believed.
func TestHeaderPresenceIsNotMatchedByAbsence(t *testing.T) {
	o := inbox(many(3)...)
	o.HideCaps = []imap.Cap{imap.CapESearch}
	o.Handle = map[string]func(imaptest.Command) string{"UID SEARCH": func(imaptest.Command) string { return imaptest.SearchCompletionOnly }}
	l := call[gotList](t, newServer(t, imaptest.New(t, o)), "list_messages", `{"header":{"name":"List-Id"}}`)
	if len(l.Messages) != 0 || !slices.Contains(l.Coverage[0].Notes, "zero_confirmed") {
		t.Errorf("%d messages, notes %q; want none, confirmed", len(l.Messages), l.Coverage[0].Notes)
	}
}

func TestMailboxNames(t *testing.T) {
	ts := imaptest.NewScripted(t, imaptest.Script{Steps: []imaptest.Step{
		imaptest.On("LIST").OK(imaptest.ListModifiedUTF7, imaptest.ListAtom, imaptest.ListLiteral, imaptest.ListLoneAmpersand, imaptest.ListTurkish,
			imaptest.ListNilDelimiter, imaptest.ListEmptyName, `* LIST (\HasNoChildren) "/" INBOX`),
		imaptest.OnMatch(`EXAMINE "?\[Gmail\]/T&APw-m Postalar`).OK("* 0 EXISTS", "* OK [UIDVALIDITY 7] valid", "* OK [UIDNEXT 1] next"),
		imaptest.On("EXAMINE").Reply("{tag} NO [NONEXISTENT] Unknown Mailbox"),
	}})
	s := newServerDial(t, session.Config{Dial: ts.Dial})
	got := call[struct {
		Mailboxes []struct {
			Name string
			Use  string `json:"special_use"`
		}
	}](t, s, "list_mailboxes", `{"counts":false}`)
	uses := map[string]string{}
	for _, b := range got.Mailboxes {
		uses[b.Name] = b.Use
	}
	for name, use := range map[string]string{"Gelöschte Elemente": "trash", "Entwürfe": "drafts", `Gesendete "Elemente"`: "sent", "[Gmail]/Tüm Postalar": "all", "INBOX": "inbox"} {
		if have, ok := uses[name]; !ok || have != use {
			t.Errorf("mailbox %q has use %q (listed: %v), want %q", name, have, ok, use)
		}
	}
	if l := call[gotList](t, s, "list_messages", `{"mailboxes":["[Gmail]/Tüm Postalar"]}`); len(l.Coverage) != 1 || l.Coverage[0].Error != "" {
		t.Errorf("opened by its shown name: %+v", l.Coverage)
	}
}

// No argument can bring a second command onto the wire. The recording server fails the test if one does.
func TestLineBreaksInArgumentsAreRefused(t *testing.T) {
	ts := imaptest.New(t, inbox(many(2)...))
	s := newServer(t, ts)
	const evil = `x\"\r\nA9 STORE 1:* +FLAGS (\\Deleted)`
	for tool, args := range map[string]string{
		"list_messages":    `{"message_id":"` + evil + `"}`,
		"wait_for_message": `{"mailbox":"` + evil + `"}`,
		"get_message":      `{"ref":"imap://default/IN%0D%0ABOX;UIDVALIDITY=1/;UID=1"}`,
		"get_thread":       `{"ref":"imap://default/IN%0D%0ABOX;UIDVALIDITY=1/;UID=1"}`,
	} {
		refused(t, s, tool, args)
	}
	msg := simple("evil id", epoch())
	msg.Raw = mail("From: a@example.com", "Subject: evil id", "Message-ID: <x\"", "\tA9 STORE 1:* +FLAGS (\\Deleted)@example.com>", "In-Reply-To: <=?UTF-8?Q?a=0D=0AA9_NOOP?=@example.com>", "", "text")
	uid := ts.Deliver(t, "INBOX", msg)
	outcome(t, s, "get_thread", fmt.Sprintf(`{"ref":"imap://default/INBOX;UIDVALIDITY=1/;UID=%d"}`, uid))
	for _, c := range ts.Commands() {
		if c.Tag == "A9" || strings.HasPrefix(c.Verb, "STORE") {
			t.Errorf("on the wire: %v", c)
		}
	}
}

// A display name that decodes to line breaks stays on its line.
func TestNameWithLineBreaksStaysOnOneLine(t *testing.T) {
	s := newServer(t, imaptest.New(t, inbox(raw("From: =?UTF-8?Q?A=0D=0A=2A_9_EXISTS?= <a@example.com>", "Subject: =?UTF-8?Q?x=0D=0Ay?=", "", "text"))))
	l := call[gotList](t, s, "list_messages", `{}`)
	if m := l.Messages[0]; strings.ContainsAny(m.From+m.Subject, "\r\n") || !strings.Contains(m.From, "<a@example.com>") {
		t.Errorf("message = %+v", m)
	}
	text := outcome(t, s, "list_messages", `{}`).Text
	if strings.Count(text, "\n") != 4 {
		t.Errorf("the list has %d line breaks, want 4:\n%s", strings.Count(text, "\n"), text)
	}
}
