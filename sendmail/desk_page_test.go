package sendmail

import (
	"bytes"
	"context"
	"fmt"
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

// A call that ends at the moment of the answer does not take it: the next call gets it.
func TestAnswerAndEndOfCallAtOnce(t *testing.T) {
	w := newWorld(t)
	s, _ := w.server(t, nil)
	d := w.desk(t)
	b := confirm.Binding{Principal: "stdio", Tool: "send_mail", Digest: [32]byte{1}}
	m, err := d.Put(t.Context(), desk.Entry{Binding: b, Identity: [32]byte{2}, ForwardPaths: []string{"bob@example.com"}, Octets: []byte("x"), Text: "x\n"})
	must(t, err)
	must(t, w.types(t, d, m, "no"))
	st := &standing{p: &pending{owner: s, binding: b}, id: m.ID, shown: m.Shown, expires: m.Expires, asking: true, over: make(chan struct{}), noPage: make(chan struct{})}
	close(st.over)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 50 { // both are ready, and either may be seen first
		if _, err := s.await(ctx, nil, st); err == nil || !strings.Contains(err.Error(), string(refusedStillWaits)) {
			t.Fatalf("got %v, want to be told that it waits", err)
		}
	}
	if m, err = d.Show(t.Context(), m.ID); err != nil || m.Status != desk.StatusAnswered {
		t.Errorf("got %s, %v, want an answer that nobody took", m.Status, err)
	}
}
