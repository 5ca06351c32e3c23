package readmail

import (
	"slices"
	"strings"
	"testing"

	"mailgap/readmail/imaptest"
)

// gotThread is the answer of get_thread as a client sees it.
type gotThread struct {
	Messages []struct {
		gotSummary
		Text     string
		LinkedBy string `json:"linked_by"`
	}
	Coverage []struct {
		Mailbox, Error string
		Notes          []string
	}
}

// links returns each message's subject and what ties it to the conversation, oldest first.
func (g gotThread) links() string {
	var out []string
	for _, m := range g.Messages {
		out = append(out, m.Subject+"/"+m.LinkedBy)
	}
	return strings.Join(out, " ")
}

// letter is a message of a conversation that refers to nothing.
func letter(day int, id, subject string) imaptest.Message {
	return imaptest.Message{InternalDate: epoch().AddDate(0, 0, day-10), Raw: mail("From: "+id+"@example.com", "To: reader@example.org",
		"Subject: "+subject, "Message-ID: <"+id+"@example.com>", "", "text of "+id)}
}

// A reply without references is found by its subject in any script, and not by one that says too little.
func TestThreadSubjectOutsideASCII(t *testing.T) {
	const meeting, reply = "=?UTF-8?B?5Lya6K6u6YCa55+l?=", "=?UTF-8?B?5Zue5aSN77ya5Lya6K6u6YCa55+l?=" // 会议通知, 回复：会议通知
	for name, tc := range map[string]struct{ first, second, want string }{
		"Chinese":   {meeting, reply, "会议通知/asked_for 回复：会议通知/subject"},
		"German":    {"=?UTF-8?Q?M=C3=BCllabfuhr?=", "=?UTF-8?Q?AW:_M=C3=BCllabfuhr?=", "Müllabfuhr/asked_for AW: Müllabfuhr/subject"},
		"too short": {"=?UTF-8?B?5L2g?=", "=?UTF-8?B?5Zue5aSN77ya5L2g?=", "你/asked_for"},
		"no reply":  {meeting, meeting, "会议通知/asked_for"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t, imaptest.New(t, inbox(letter(0, "a", tc.first), letter(1, "b", tc.second))))
			if got := call[gotThread](t, s, "get_thread", `{`+strings.Replace(firstMessage, "=7", "=1", 1)+`}`).links(); got != tc.want {
				t.Errorf("conversation = %q, want %q", got, tc.want)
			}
		})
	}
}

// threadRow is one FETCH response of get_thread.
func threadRow(uid int, fields, header string) string {
	return imaptest.Fetch(uid, uid, `FLAGS ()`, `INTERNALDATE "01-Mar-2026 10:00:00 +0000"`, `RFC822.SIZE 100`, "BODYSTRUCTURE "+goodStructure,
		`BODY[HEADER`+fields+`] `+imaptest.Literal(header))
}

const threadFields = `.FIELDS ("From" "To" "Subject" "Date")`

// A server that refuses CHARSET costs the search by subject, not the conversation, and the answer says so.
func TestThreadWithoutCharset(t *testing.T) {
	header := "From: a@example.com\r\nSubject: =?UTF-8?B?5Lya6K6u6YCa55+l?=\r\nMessage-ID: <a@example.com>\r\n\r\n"
	s := scripted(t, examined(1), imaptest.OnMatch("CHARSET").Reply("{tag} NO [BADCHARSET (US-ASCII)] no"), imaptest.On("UID SEARCH").OK("* SEARCH 1"),
		imaptest.OnMatch(`UID FETCH 1 .*HEADER`).OK(threadRow(1, threadFields, header)), imaptest.On("UID FETCH").OK(imaptest.Fetch(1, 1, "BODY[1]<0> "+imaptest.Literal("words"))))
	th := call[gotThread](t, s, "get_thread", `{`+firstMessage+`}`)
	if th.links() != "会议通知/asked_for" || th.Coverage[0].Error != "" || !slices.Contains(th.Coverage[0].Notes, "charset_refused") {
		t.Errorf("conversation = %q, coverage %+v; want the message and charset_refused", th.links(), th.Coverage)
	}
}

// Where the server finds no From because something odd stands before it, a conversation says the same as get_message.
func TestThreadReadsADamagedHeader(t *testing.T) {
	fields := func(id string) string {
		return "Subject: x\r\nMessage-ID: <" + id + "@example.com>\r\nReferences: <one@example.com>\r\n\r\n"
	}
	whole := func(id string) string {
		return "this line is no field\r\nFrom: Robin <robin@example.com>\r\n" + fields(id)
	}
	s := scripted(t, examined(2), imaptest.On("UID SEARCH").OK("* SEARCH 1 2"),
		imaptest.OnMatch(`UID FETCH 1 .*HEADER\.FIELDS`).OK(threadRow(1, threadFields, fields("one"))), imaptest.OnMatch(`UID FETCH 1 .*HEADER\]`).OK(threadRow(1, "", whole("one"))),
		imaptest.OnMatch(`UID FETCH 2 .*HEADER\.FIELDS`).OK(threadRow(2, threadFields, fields("two"))), imaptest.OnMatch(`UID FETCH 2 .*HEADER\]`).OK(threadRow(2, "", whole("two"))),
		imaptest.On("UID FETCH").OK(imaptest.Fetch(1, 1, "BODY[1]<0> "+imaptest.Literal("words")), imaptest.Fetch(2, 2, "BODY[1]<0> "+imaptest.Literal("words"))))
	th := call[gotThread](t, s, "get_thread", `{`+firstMessage+`}`)
	if len(th.Messages) != 2 || th.Messages[0].From != "Robin <robin@example.com>" || th.Messages[1].From != th.Messages[0].From {
		t.Errorf("messages = %+v, want two from Robin", th.Messages)
	}
}
