package sendmail

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"mailgap/confirm"
	"mailgap/sendmail/desk"
	"mailgap/sendmail/outbox"
	"mailgap/shared/audit"
)

const (
	plain = `{"to":["bob@example.com"],"subject":"Plain","text":"words of the text"}`
	// raised is of an elevated level: a hidden recipient that no entry names exactly.
	raised = `{"to":["bob@example.com"],"bcc":["dan@example.com"],"subject":"Raised","text":"words of the text"}`
)

// desk opens what waits, as another process does.
func (w *world) desk(t *testing.T) *desk.Desk {
	t.Helper()
	d, err := desk.Open(w.Dir, desk.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// waits waits until n messages are unanswered, and returns the last of them.
func waits(t *testing.T, d *desk.Desk, n int) (m desk.Message) {
	t.Helper()
	await(t, "a message that waits", func() bool {
		list, err := d.List(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		open := 0
		for _, x := range list {
			if x.Status == desk.StatusWaiting {
				open, m = open+1, x
			}
		}
		return open == n
	})
	m, err := d.Show(t.Context(), m.ID)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// types answers on a terminal, as "smtp-mcp approve" does, without recording anything else.
func (w *world) types(t *testing.T, d *desk.Desk, m desk.Message, word string) error {
	t.Helper()
	lines := []string{word + "\n"}
	for _, r := range m.Typed {
		lines = append(lines, r.Address[strings.LastIndexByte(r.Address, '@')+1:]+"\n")
	}
	if word == confirm.TerminalWord {
		w.approve(m.Text)
	}
	a, err := confirm.Terminal{Open: typed(strings.Join(lines, ""))}.Put(t.Context(), confirm.Shown{Text: text(m.Text), Level: m.Level, Typed: m.Typed, MayWait: true})
	if err != nil {
		t.Fatal(err)
	}
	return d.Answer(t.Context(), m.ID, m.Shown, a)
}

type text string

func (s text) SafeText() string { return string(s) }

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// A client without forms waits, in both eras, until somebody answers in a terminal; other tools go on meanwhile.
func TestAnswersInATerminal(t *testing.T) {
	for word, want := range map[string]string{"send": "", "no": "do_not_send", "lock": "locked sending"} {
		t.Run(word, func(t *testing.T) {
			inEras(t, func(t *testing.T, modern bool) {
				w := newWorld(t, func(c *setup) { c.Confirm = ConfirmTerminal; c.Strict = true })
				c, d := w.start(t, modern, `{}`), w.desk(t)
				c.call("send_mail", raised, "")
				m := waits(t, d, 1)
				c.call("get_server_info", `{}`, "")
				if r := c.next(); !strings.Contains(r.raw, `"approval":"terminal_of_the_person"`) {
					t.Errorf("info while a call waits: got %s", r.raw)
				}
				w.wantNothing(t)
				must(t, w.types(t, d, m, word))
				if want != "" {
					c.refused(want)
					w.wantNothing(t)
					w.wantStates(t, outbox.StateDeclined)
					c.call("send_mail", plain, "")
					if word == "lock" {
						c.refused("Sending is locked since")
						return
					}
					must(t, w.types(t, d, waits(t, d, 1), "send"))
				}
				if r := c.next(); !r.Result.Structured.Sent || r.Result.Structured.Approved != "terminal" {
					t.Errorf("got %s, want sent", r.raw)
				}
				w.wantMessages(t, 1)
			})
		})
	}
}

// A call that is given up leaves its message waiting. The answer comes when no call waits; the next identical call gets it,
// and nobody is asked again.
func TestClientGivesUp(t *testing.T) {
	w := newWorld(t, func(c *setup) { c.Confirm = ConfirmTerminal })
	c, d := w.start(t, false, `{}`), w.desk(t)
	giveUp := func(args string) {
		id := c.call("send_mail", args, "")
		waits(t, d, 1)
		c.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s}}`, id))
		w.awaitRecord(t, audit.OutcomeRefused, "still_waiting")
	}
	giveUp(plain)
	m := waits(t, d, 1)
	c.call("send_mail", hello, "") // one question at a time, though no call waits for it
	c.refused("Another message is before the person")
	must(t, w.types(t, d, m, "send"))
	c.call("send_mail", plain, "")
	if r := c.next(); !r.Result.Structured.Sent || r.Result.Structured.MessageID == "" {
		t.Fatalf("got %s, want sent", r.raw)
	}
	if got := w.wantMessages(t, 1)[0]; !bytes.Equal(got.Octets, m.Octets) {
		t.Error("what left is not what was shown")
	}
	c.call("send_mail", plain, "")
	if r := c.next(); !r.Result.Structured.AlreadySent {
		t.Errorf("got %s, want a replay", r.raw)
	}
	giveUp(hello)
	must(t, w.types(t, d, waits(t, d, 1), "no"))
	await(t, "the no in the journal", func() bool { return w.attempts(t)[0].State == outbox.StateDeclined })
	c.call("send_mail", hello, "")
	c.refused("do_not_send")
	w.wantMessages(t, 1)
}

// The server is killed while the message waits. Its successor gives out the answer that came meanwhile, or waits on for it, with
// the octets that were shown.
func TestServerKilledWhileWaiting(t *testing.T) {
	for name, when := range map[string]struct {
		word         string
		before, sent bool
	}{
		"answered while there is no server": {"send", true, true}, "answered later": {"send", false, true},
		"refused while there is no server": {"no", true, false}, "refused later": {"no", false, false},
	} {
		t.Run(name, func(t *testing.T) {
			inEras(t, func(t *testing.T, modern bool) {
				w := newWorld(t, func(c *setup) { c.Confirm = ConfirmTerminal; c.Strict = true })
				first, d := w.start(t, modern, `{}`), w.desk(t)
				first.call("send_mail", raised, "")
				m := waits(t, d, 1)
				if err := first.cmd.Process.Kill(); err != nil {
					t.Fatal(err)
				}
				_ = first.ends()
				if when.before {
					must(t, w.types(t, d, m, when.word))
				}
				second := w.start(t, modern, `{}`)
				second.call("send_mail", raised, "")
				if !when.before {
					if again := waits(t, d, 1); again.ID != m.ID || again.Shown != m.Shown {
						t.Errorf("the question is another one: %d, then %d", m.ID, again.ID)
					}
					await(t, "the new reservation", func() bool { return len(w.attempts(t)) == 2 })
					must(t, w.types(t, d, m, when.word))
				}
				if !when.sent {
					second.refused("do_not_send")
					w.wantNothing(t)
					return
				}
				r := second.next()
				if !r.Result.Structured.Sent || r.Result.Structured.MessageID != m.MessageID {
					t.Errorf("got %s, want the message that was shown, sent", r.raw)
				}
				if got := w.wantMessages(t, 1)[0]; !bytes.Equal(got.Octets, m.Octets) {
					t.Error("what left is not what was shown")
				}
			})
		})
	}
}

// A no that came when no server was there counts towards the lock, once, and so does the one that came with one.
func TestRefusalsLockAcrossProcesses(t *testing.T) {
	w := newWorld(t, func(c *setup) { c.Confirm = ConfirmTerminal })
	d := w.desk(t)
	for n, args := range []string{plain, hello} {
		c := w.start(t, true, `{}`)
		c.call("send_mail", args, "")
		m := waits(t, d, 1)
		must(t, c.cmd.Process.Kill())
		_ = c.ends()
		must(t, w.types(t, d, m, "no"))
		next := w.start(t, true, `{}`)
		next.call("send_mail", args, "")
		next.refused("do_not_send")
		next.in.Close()
		must(t, next.ends())
		if got := len(w.records(audit.OutcomeDeclined)); got != n+1 {
			t.Errorf("%d refusals on record, want %d", got, n+1)
		}
	}
	c := w.start(t, true, `{}`)
	c.call("send_mail", strings.Replace(plain, "Plain", "Third", 1), "")
	c.refused("Sending is locked since")
	w.wantNothing(t)
}

// Where nobody can be asked, the refusal says what a person can do, and the message is kept; others are not held up by it.
func TestNobodyCanBeAsked(t *testing.T) {
	inEras(t, func(t *testing.T, modern bool) {
		w := newWorld(t)
		c, d := w.start(t, modern, `{}`), w.desk(t)
		for range 2 {
			c.call("send_mail", plain, "")
			c.refused("smtp-mcp approve in a terminal")
			w.wantRecord(t, audit.OutcomeRefused, "nobody_can_be_asked")
		}
		m := waits(t, d, 1)
		w.wantStates(t, outbox.StateReserved)
		c.call("send_mail", hello, "")
		c.refused("is kept as number 2")
		must(t, w.types(t, d, m, "send"))
		await(t, "the end of the wait", func() bool {
			c.call("send_mail", plain, "")
			return c.next().Result.Structured.Sent
		})
		w.wantMessages(t, 1)
	})
}

// A message that needs care is not asked about in a form, whatever the client shows, and the page has the domain typed.
func TestRaisedGoesToThePage(t *testing.T) {
	inEras(t, func(t *testing.T, modern bool) {
		w := newWorld(t, func(c *setup) { c.Strict = true })
		w.withBrowser()
		c := w.start(t, modern, formCapability)
		c.call("get_server_info", `{}`, "")
		if r := c.next(); !strings.Contains(r.raw, `"approval":"client_form","approval_elevated":"page","approval_severe":"refused"`) {
			t.Errorf("info: got %s", r.raw)
		}
		c.call("send_mail", raised, "")
		p := w.opens(t, 1)
		if status, _ := p.press("send", "domain1", "example.org"); status != http.StatusUnprocessableEntity {
			t.Errorf("a wrong domain: got status %d", status)
		}
		w.wantNothing(t)
		w.approve(waits(t, w.desk(t), 1).Text)
		p.press("send", "domain1", "example.com")
		if r := c.next(); !r.Result.Structured.Sent || r.Result.Structured.Approved != "page" || !strings.Contains(r.raw, `"level":"elevated"`) {
			t.Errorf("got %s, want sent", r.raw)
		}
		w.wantMessages(t, 1)
		if got := w.records(audit.OutcomeAnswered); len(got) != 1 || got[0].Approval != "page" || got[0].Detail != "level elevated" {
			t.Errorf("records: got %+v", got)
		}
		c.answer(c.ask("send_mail", plain), "send_mail", plain, accept) // a normal one is asked about in the form
		if r := c.next(); r.Result.Structured.Approved != "client_form" {
			t.Errorf("got %s", r.raw)
		}
	})
}
