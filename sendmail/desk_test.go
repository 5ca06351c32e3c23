package sendmail

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

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

// On the page, no and lock do what they say.
func TestPageRefuses(t *testing.T) {
	for answer, want := range map[string]string{"no": "do_not_send", "lock": "declined_and_locked"} {
		w := newWorld(t, func(c *setup) { c.Confirm = ConfirmPage; c.Cooling = time.Minute })
		w.withBrowser()
		c := w.start(t, false, formCapability)
		c.call("send_mail", plain, "")
		w.opens(t, 1).press(answer)
		c.refused(want)
		w.wantStates(t, outbox.StateDeclined)
		c.call("send_mail", hello, "")
		if answer == "lock" {
			c.refused("Sending is locked since")
			w.wantRecord(t, audit.OutcomeLocked, "sending_locked")
			continue
		}
		w.opens(t, 2).press("no")
		c.refused(want)
		w.wantNothing(t)
	}
}

// With SMTP_CONFIRM=both a yes in the form is not enough, and a no in the form is.
func TestBoth(t *testing.T) {
	inEras(t, func(t *testing.T, modern bool) {
		w := newWorld(t, func(c *setup) { c.Confirm = ConfirmBoth })
		w.withBrowser()
		c := w.start(t, modern, formCapability)
		c.answer(c.ask("send_mail", plain), "send_mail", plain, accept)
		p := w.opens(t, 1)
		w.wantNothing(t)
		p.press("no")
		c.refused("do_not_send")
		c.answer(c.ask("send_mail", hello), "send_mail", hello, decline)
		c.refused("declined")
		if got := w.addresses(); len(got) != 1 {
			t.Errorf("the page was opened %d times, want once", len(got))
		}
		w.wantNothing(t)
	})
	w := newWorld(t, func(c *setup) { c.Confirm = ConfirmBoth })
	w.withBrowser()
	c := w.start(t, true, formCapability)
	c.answer(c.ask("send_mail", plain), "send_mail", plain, accept)
	w.opens(t, 1).press("send")
	if r := c.next(); r.Result.Structured.Approved != "page" {
		t.Errorf("got %s, want sent", r.raw)
	}
	w.wantMessages(t, 1)
}

// Page and terminal answer at the same time: one answer counts, and the other is told.
func TestPageAndTerminalRace(t *testing.T) {
	w := newWorld(t, func(c *setup) { c.Confirm = ConfirmPage })
	w.withBrowser()
	c, d := w.start(t, true, `{}`), w.desk(t)
	sent := 0
	for n := range 4 {
		args := strings.Replace(plain, "Plain", fmt.Sprint("Race ", n), 1)
		c.call("send_mail", args, "")
		p := w.opens(t, n+1)
		m := waits(t, d, 1)
		var both sync.WaitGroup
		word, button := "send", "no"
		if n%2 == 1 {
			word, button = "no", "send"
			w.approve(m.Text)
		}
		var typedErr error
		if button == "send" {
			<-time.After(time.Second) // so that the page takes a yes at the first press
		}
		both.Go(func() { typedErr = w.types(t, d, m, word) })
		both.Go(func() { p.press(button) })
		both.Wait()
		r := c.next()
		over, err := d.Show(t.Context(), m.ID)
		must(t, err)
		yes := over.Reason == confirm.Approved
		if yes != r.Result.Structured.Sent || (typedErr == nil) != (over.Path == confirm.PathTerminal) || yes != ((word == "send") == (typedErr == nil)) {
			t.Errorf("kept: %s by %s; terminal told %v; the call %s", over.Reason, over.Path, typedErr, r.raw)
		}
		if r.Result.Structured.Sent {
			sent++
		}
		box, err := outbox.Open(w.Dir, outbox.Options{})
		must(t, err)
		must(t, box.Unlock(t.Context()))
		must(t, box.Close())
	}
	w.wantMessages(t, sent)
}

// Nobody answers: the call is told, the journal is free again, and nothing of the message is left on the desk.
func TestDeskExpires(t *testing.T) {
	w := newWorld(t, func(c *setup) { c.Confirm = ConfirmTerminal; c.Pending = 2 * time.Second })
	c, d := w.start(t, false, `{}`), w.desk(t)
	c.call("send_mail", plain, "")
	m := waits(t, d, 1)
	c.refused("expired")
	w.wantRecord(t, audit.OutcomeDeclined, "expired")
	w.wantStates(t, outbox.StateExpired)
	if err := w.types(t, d, m, "no"); err == nil {
		t.Error("an answer after the end was taken")
	}
	w.wantErased(t, "words of the text")
	c.call("send_mail", plain, "")
	waits(t, d, 1)
	w.wantNothing(t)
}

// wantErased checks that no file of the desk holds the words.
func (w *world) wantErased(t *testing.T, words string) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(w.Dir, "desk.db*"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no desk: %v", err)
	}
	for _, n := range names {
		octets, err := os.ReadFile(n)
		must(t, err)
		if bytes.Contains(octets, []byte(words)) {
			t.Errorf("%s still holds the message", filepath.Base(n))
		}
	}
}

// Other arguments are another message: an answer to the first is not an answer to it.
func TestAnswerIsForOneMessage(t *testing.T) {
	w := newWorld(t)
	c, d := w.start(t, true, `{}`), w.desk(t)
	c.call("send_mail", plain, "")
	c.refused("number 1")
	must(t, w.types(t, d, waits(t, d, 1), "send"))
	for _, args := range []string{strings.Replace(plain, "bob@", "eve@", 1), strings.Replace(plain, "words", "other words", 1)} {
		c.call("send_mail", args, "")
		c.refused("is kept as number")
	}
	c.call("forward_mail", `{"to":["bob@example.com"],"original":{"text":"x"}}`, "")
	c.refused("is kept as number")
	w.wantNothing(t)
}

// The page stays away from the model: what the server writes is searched in every test with a server, and would be found.
func TestLeakIsSeen(t *testing.T) {
	w := newWorld(t, func(c *setup) { c.Confirm = ConfirmPage; c.Leak = true })
	w.withBrowser()
	c := w.start(t, false, `{}`)
	c.call("send_mail", plain, "")
	p := w.opens(t, 1)
	c.awaitLog("opening")
	if found := w.leaks(c.stderr.String()); len(found) < 3 {
		t.Errorf("a server that logs the address: found %q, want address, host and capability", found)
	}
	for name, text := range map[string]string{"token": p.form.Get("token"), "path": p.path, "digest": p.form.Get("digest")} {
		if len(w.leaks("x "+text+" y")) == 0 {
			t.Errorf("the %s would not be found", name)
		}
	}
	if found := w.leaks(c.stdout.String()); len(found) > 0 {
		t.Errorf("standard output has %q", found)
	}
	p.press("no")
	c.refused("do_not_send")
}

// The browser cannot be started: the call is told at once, and the message is kept for the terminal.
func TestBrowserFails(t *testing.T) {
	w := newWorld(t, func(c *setup) { c.Confirm = ConfirmPage; c.Browser = "false" })
	c, d := w.start(t, false, `{}`), w.desk(t)
	c.call("send_mail", plain, "")
	c.refused("could not be started")
	m := waits(t, d, 1)
	c.call("send_mail", hello, "") // nobody is being asked, so it is not held up
	c.refused("could not be started")
	must(t, w.types(t, d, m, "send"))
	await(t, "the answer", func() bool {
		c.call("send_mail", plain, "")
		return c.next().Result.Structured.Sent
	})
}

// An answer is not enough for a message of which worse is known by now: the operator restarted the server with another list, and a
// hidden recipient is not named exactly any more.
func TestLevelRoseSinceTheAnswer(t *testing.T) {
	exact := []string{"@example.com", "dan@example.com"}
	for name, allow := range map[string][]string{"as before": exact, "worse": {"@example.com"}} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, func(c *setup) { c.Confirm = ConfirmTerminal; c.Strict = true; c.Allow = exact })
			first, d := w.start(t, true, `{}`), w.desk(t)
			first.call("send_mail", raised, "")
			m := waits(t, d, 1)
			if m.Level != confirm.LevelNormal {
				t.Fatalf("level %s, want normal", m.Level)
			}
			must(t, first.cmd.Process.Kill())
			_ = first.ends()
			must(t, w.types(t, d, m, "send"))
			w.Allow = allow
			second := w.start(t, true, `{}`)
			second.call("send_mail", raised, "")
			if name == "as before" {
				if r := second.next(); !r.Result.Structured.Sent {
					t.Errorf("got %s, want sent", r.raw)
				}
				return
			}
			again := waits(t, d, 1)
			if again.ID == m.ID || again.Level != confirm.LevelElevated || len(again.Typed) == 0 {
				t.Errorf("got %+v, want another question, with care", again)
			}
			w.wantNothing(t)
			must(t, w.types(t, d, again, "no"))
			second.refused("do_not_send")
		})
	}
}

// The same within one process: a question that was put at a lower level is withdrawn.
func TestLevelRoseSinceTheQuestion(t *testing.T) {
	w := newWorld(t)
	s, _ := w.server(t, nil)
	d := w.desk(t)
	b := confirm.Binding{Principal: "stdio", Tool: "send_mail", Digest: [32]byte{1}}
	m, err := d.Put(t.Context(), desk.Entry{Binding: b, Identity: [32]byte{2}, ForwardPaths: []string{"bob@example.com"}, Octets: []byte("x"), Text: "x\n"})
	must(t, err)
	st := &standing{p: &pending{owner: s, binding: b}, id: m.ID, shown: m.Shown, expires: m.Expires, over: make(chan struct{}), noPage: make(chan struct{})}
	s.standing[b] = st
	if _, done, err := s.resume(t.Context(), nil, b, confirm.LevelNormal); !done || err == nil {
		t.Errorf("the same level: done %t, %v, want to be told that it waits", done, err)
	}
	if _, done, err := s.resume(t.Context(), nil, b, confirm.LevelElevated); done || err != nil {
		t.Errorf("a higher level: done %t, %v, want a new question", done, err)
	}
	if m, err = d.Show(t.Context(), m.ID); err != nil || m.Status != desk.StatusEnded || s.standing[b] != nil {
		t.Errorf("got %s, %v, want ended", m.Status, err)
	}
}
