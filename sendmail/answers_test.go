package sendmail

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"mailgap/sendmail/outbox"
	"mailgap/shared/audit"
)

const hello = `{"to":["bob@example.com"],"cc":["carol@example.org"],"bcc":["dan@example.com"],"subject":"Hello","text":"one\ntwo"}`

// A yes sends once, to the whole envelope; the same message again is answered without asking.
func TestYesSendsOnce(t *testing.T) {
	inEras(t, func(t *testing.T, modern bool) {
		w := newWorld(t)
		c := w.start(t, modern, formCapability)
		got := c.sends("send_mail", hello)
		if !got.Sent || got.Outcome != "sent" || got.Approved != "client_form" || got.MessageID == "" || *got.Left != 999 || len(got.Recipients) != 3 {
			t.Errorf("got %+v", got)
		}
		m := w.wantMessages(t, 1)[0]
		if want := "[bob@example.com carol@example.org dan@example.com]"; fmt.Sprint(m.ForwardPaths) != want || m.ReversePath != "sender@example.net" {
			t.Errorf("envelope: got %s to %v, want %s", m.ReversePath, m.ForwardPaths, want)
		}
		if strings.Contains(string(m.Octets), "dan@") {
			t.Error("the hidden recipient is in the header")
		}
		w.wantRecord(t, audit.OutcomeSent, "250")
		c.call("send_mail", hello, "")
		again := c.next().Result.Structured
		if !again.AlreadySent || again.Sent || again.MessageID != got.MessageID || *again.Left != 999 {
			t.Errorf("again: got %+v, want the earlier message-id, no slot", again)
		}
		w.wantRecord(t, audit.OutcomeReplayed, "")
		w.wantMessages(t, 1)
		w.wantStates(t, outbox.StateSent)
	})
}

// Everything else sends nothing, ends the reservation and is on record.
func TestNoSendsNothing(t *testing.T) {
	tests := []struct {
		name, result, code string
		state              outbox.State
	}{
		{"decline", decline, "declined", outbox.StateDeclined},
		{"cancel", `{"action":"cancel"}`, "dismissed", outbox.StateDeclined},
		{"refusing choice", `{"action":"accept","content":{"decision":"Do not send"}}`, "do_not_send", outbox.StateDeclined},
		{"empty form", `{"action":"accept","content":{}}`, "malformed", outbox.StateExpired},
		{"a boolean", `{"action":"accept","content":{"decision":true}}`, "malformed", outbox.StateExpired},
		{"unknown action", `{"action":"yes","content":{"decision":"Send this message"}}`, "malformed", outbox.StateExpired},
		{"no object", `"accept"`, "malformed", outbox.StateExpired},
	}
	inEras(t, func(t *testing.T, modern bool) {
		for _, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				w := newWorld(t)
				c := w.start(t, modern, formCapability)
				c.answer(c.ask("send_mail", hello), "send_mail", hello, tt.result)
				c.refused(tt.code)
				w.wantNothing(t)
				w.wantStates(t, tt.state)
				w.wantRecord(t, audit.OutcomeDeclined, tt.code)
				c.ask("send_mail", hello) // nothing is left in the way
			})
		}
	})
}

// A question that nobody answers ends by itself, also if no further call comes.
func TestNoAnswer(t *testing.T) {
	inEras(t, func(t *testing.T, modern bool) {
		w := newWorld(t, func(c *setup) { c.Question = time.Second })
		c := w.start(t, modern, formCapability)
		q := c.ask("send_mail", hello)
		code := "expired"
		if !modern {
			code = "timed_out"
			c.refused(code)
		}
		w.awaitRecord(t, audit.OutcomeDeclined, code)
		w.wantStates(t, outbox.StateExpired)
		if modern {
			c.answer(q, "send_mail", hello, accept)
			c.refused("five minutes at most")
			w.wantRecord(t, audit.OutcomeRefused, auditConfirmation)
		}
		w.wantNothing(t)
		c.ask("send_mail", hello)
	})
}

// await waits until done is true.
func await(t *testing.T, what string, done func() bool) {
	t.Helper()
	deadline := time.After(patience)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !done() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("never seen: %s", what)
		}
	}
}

// awaitRecord waits until the newest record has the outcome and code; any code if that is "".
func (w *world) awaitRecord(t *testing.T, outcome audit.Outcome, code string) {
	t.Helper()
	await(t, "record "+string(outcome)+" "+code, func() bool {
		all := w.records()
		return len(all) > 0 && all[len(all)-1].Outcome == outcome && (code == "" || all[len(all)-1].Code == code)
	})
}

// awaitLog waits for a line on standard error of the server.
func (c *client) awaitLog(text string) {
	c.t.Helper()
	await(c.t, text, func() bool { return strings.Contains(c.stderr.String(), text) })
}

// The end of the connection, a signal and a cancelled call end the reservation too.
func TestEndsWhileAsking(t *testing.T) {
	ends := map[string]func(c *client, id string){
		"end of input": func(c *client, _ string) { c.in.Close() },
		"SIGTERM":      func(c *client, _ string) { c.cmd.Process.Signal(syscall.SIGTERM) },
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			inEras(t, func(t *testing.T, modern bool) {
				w := newWorld(t)
				c := w.start(t, modern, formCapability)
				c.ask("send_mail", hello)
				end(c, "")
				if err := c.ends(); err != nil {
					t.Errorf("exit: %v", err)
				}
				w.wantNothing(t)
				a := w.attempts(t)
				if len(a) != 1 || a[0].State != outbox.StateExpired || a[0].Detail != "no answer in time" {
					t.Errorf("journal: got %+v, want one attempt expired by the process itself", a)
				}
				if got := w.records(audit.OutcomeDeclined); len(got) != 1 {
					t.Errorf("records: got %+v, want one", got)
				}
			})
		})
	}
	t.Run("cancelled call", func(t *testing.T) {
		w := newWorld(t)
		c := w.start(t, false, formCapability)
		id := c.call("send_mail", hello, "")
		c.question()
		c.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s}}`, id))
		w.awaitRecord(t, audit.OutcomeDeclined, "call_ended")
		w.wantStates(t, outbox.StateExpired)
		w.wantNothing(t)
		c.ask("send_mail", hello)
	})
}

// One question is open at a time; the same message again replaces a question that no call waits for.
func TestOneQuestion(t *testing.T) {
	other := strings.Replace(hello, "Hello", "Other", 1)
	w := newWorld(t)
	c := w.start(t, true, formCapability)
	first := c.ask("send_mail", hello)
	c.call("send_mail", other, "")
	c.refused("Another message is before the person")
	w.wantRecord(t, audit.OutcomeRefused, "in_progress")
	second := c.ask("send_mail", hello)
	c.answer(first, "send_mail", hello, accept)
	c.refused("used before or was withdrawn")
	c.answer(second, "send_mail", hello, accept)
	if r := c.next(); !r.Result.Structured.Sent {
		t.Errorf("got %s, want sent", r.raw)
	}
	w.wantMessages(t, 1)
	w.wantStates(t, outbox.StateSent, outbox.StateExpired)
}

// Two refusals in a row lock sending, for every process and also after a restart, until somebody unlocks it.
func TestLock(t *testing.T) {
	w := newWorld(t)
	for n := range 2 {
		c := w.start(t, n == 0, formCapability)
		c.answer(c.ask("send_mail", hello), "send_mail", hello, decline)
		c.refused("declined")
		c.in.Close()
		c.ends()
	}
	w.wantRecord(t, audit.OutcomeLocked, "sending_locked")
	c := w.start(t, true, formCapability)
	c.call("send_mail", hello, "")
	c.refused("Sending is locked since")
	w.wantRecord(t, audit.OutcomeLocked, "sending_locked")
	w.wantNothing(t)
	box, err := outbox.Open(w.Dir, outbox.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer box.Close()
	if err := box.Unlock(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := c.sends("send_mail", hello); !got.Sent {
		t.Errorf("after unlock: got %+v", got)
	}
}

// The cap counts questions, whatever their answer, over all processes.
func TestCap(t *testing.T) {
	w := newWorld(t, func(c *setup) { c.PerHour = 2 })
	a, b := w.start(t, false, formCapability), w.start(t, true, formCapability)
	a.answer(a.ask("send_mail", hello), "send_mail", hello, `{"action":"accept"}`)
	a.refused("malformed")
	other := strings.Replace(hello, "Hello", "Other", 1)
	if got := b.sends("send_mail", other); *got.Left != 0 {
		t.Errorf("left: got %d, want 0", *got.Left)
	}
	for _, c := range []*client{a, b} {
		c.call("send_mail", hello, "")
		c.refused("The hourly limit of 2 messages is reached")
		w.wantRecord(t, audit.OutcomeRefused, "hourly_cap_reached")
	}
	b.call("send_mail", other, "")
	if r := b.next(); !r.Result.Structured.AlreadySent {
		t.Errorf("a replay needs no slot: got %s", r.raw)
	}
	w.wantMessages(t, 1)
}

// Where the client's form is the only path, a client that cannot ask is refused with the way out, before anything is reserved.
func TestClientCannotAsk(t *testing.T) {
	inEras(t, func(t *testing.T, modern bool) {
		w := newWorld(t, func(c *setup) { c.Confirm = ConfirmElicitation })
		c := w.start(t, modern, `{}`)
		c.call("send_mail", hello, "")
		c.refused("smtp-mcp call in a terminal")
		w.wantRecord(t, audit.OutcomeRefused, "nobody_can_be_asked")
		w.wantNothing(t)
		w.wantStates(t)
	})
}
