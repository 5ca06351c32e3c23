package sendmail

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mailgap/confirm"
	"mailgap/sendmail/outbox"
	"mailgap/shared/audit"
)

// A state is good for the message, tool and arguments that it was given out for, and for one use.
func TestStateIsBound(t *testing.T) {
	change := func(old, new string) func(string) string {
		return func(args string) string { return strings.Replace(args, old, new, 1) }
	}
	original := `,"original":{"message_id":"a@example.com"}}`
	tests := []struct {
		name, tool string // of the second call
		args       func(string) string
		want       string
	}{
		{"other recipient", "send_mail", change("bob@", "eve@"), "not those that were confirmed"},
		{"a recipient more", "send_mail", change(`"cc":[`, `"cc":["eve@example.com",`), "not those that were confirmed"},
		{"a hidden recipient more", "send_mail", change(`"bcc":[`, `"bcc":["eve@example.com",`), "not those that were confirmed"},
		{"to and cc swapped", "send_mail", func(a string) string {
			return strings.NewReplacer(`"to":`, `"cc":`, `"cc":`, `"to":`).Replace(a)
		}, "not those that were confirmed"},
		{"other subject", "send_mail", change("Hello", "hello"), "not those that were confirmed"},
		{"other text", "send_mail", change("two", "two "), "not those that were confirmed"},
		{"other tool", "forward_mail", change("}", `,"original":{"text":"x"}}`), "belongs to another tool"},
		{"other tool, same message", "reply_mail", change("}", original), "belongs to another tool"},
		{"refused recipient", "send_mail", change("bob@example.com", "bob@example.net"), "does not let this address through"},
		{"no attachment any more", "send_mail", change("}", `,"attachments":["gone.txt"]}`), "attachment is refused"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			c := w.start(t, true, formCapability)
			q := c.ask("send_mail", hello)
			c.call(tt.tool, tt.args(hello), resumption(q.state, accept))
			c.refused(tt.want)
			w.wantNothing(t)
			w.wantStates(t, outbox.StateExpired)
			if got := w.records(audit.OutcomeDeclined); len(got) != 1 || got[0].Code != "mismatched" {
				t.Errorf("records: got %+v, want one: mismatched", got)
			}
			c.call("send_mail", hello, resumption(q.state, accept)) // spent on first sight
			c.refused("used before")
			w.wantNothing(t)
		})
	}
}

// The content of a file is bound, not its name.
func TestStateIsBoundToFiles(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "note.txt")
	w := newWorld(t, func(c *setup) { c.Attachments = dir })
	args := strings.Replace(hello, "}", `,"attachments":["note.txt"]}`, 1)
	c := w.start(t, true, formCapability)
	for n, content := range []string{"first words\n", "other words\n"} {
		if err := os.WriteFile(file, []byte("first words\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		q := c.ask("send_mail", args)
		if !strings.Contains(q.text, "note.txt") {
			t.Errorf("the question does not name the file:\n%s", q.text)
		}
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		c.answer(q, "send_mail", args, accept)
		if n == 1 {
			c.refused("not those that were confirmed")
			break
		}
		if r := c.next(); !r.Result.Structured.Sent {
			t.Fatalf("unchanged file: got %s, want sent", r.raw)
		}
		args = strings.Replace(args, "Hello", "Hello again", 1)
	}
	w.wantMessages(t, 1)
}

// States and answers that were made up send nothing, and the open question stays what it is.
func TestInventedAnswers(t *testing.T) {
	w := newWorld(t)
	c := w.start(t, true, formCapability)
	q := c.ask("send_mail", hello)
	for _, state := range []string{strings.Repeat("0", 64), strings.ToUpper(q.state), q.state[:32], q.state + "0", "approved", "{}"} {
		if state == q.state {
			continue
		}
		c.call("send_mail", hello, resumption(state, accept))
		if r := c.refused("not known here"); r.Error == nil || r.Error.Code != -32602 {
			t.Errorf("state %q: got %s, want a protocol error", state, r.raw)
		}
		w.wantRecord(t, audit.OutcomeRefused, auditConfirmation)
	}
	w.wantNothing(t)
	c.answer(q, "send_mail", hello, accept)
	if r := c.next(); !r.Result.Structured.Sent {
		t.Errorf("the true state: got %s, want sent", r.raw)
	}
	c.answer(q, "send_mail", hello, accept)
	c.refused("used before")
	c.call("send_mail", hello, fmt.Sprintf(`,"inputResponses":{"confirm":%s}`, accept)) // no state: a first call
	if r := c.next(); !r.Result.Structured.AlreadySent {
		t.Errorf("an answer without a question: got %s, want a replay", r.raw)
	}
	c.call("send_mail", strings.Replace(hello, "Hello", "New", 1), fmt.Sprintf(`,"inputResponses":{"confirm":%s}`, accept))
	c.question()
	w.wantMessages(t, 1)
}

// A client of the old revisions has no state, and an answer to a question that was not put is dropped.
func TestInventedRepliesLegacy(t *testing.T) {
	w := newWorld(t)
	c := w.start(t, false, formCapability)
	for id := range 3 {
		c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":%s}`, id+1, accept))
	}
	c.call("send_mail", hello, `,"requestState":"x","inputResponses":{"confirm":`+accept+`}`)
	q := c.question()
	w.wantNothing(t)
	c.answer(q, "send_mail", hello, decline)
	c.refused("declined")
	c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, q.id, accept)) // too late
	c.call("get_server_info", `{}`, "")
	c.next()
	w.wantNothing(t)
}

// Of many calls with one state, one sends.
func TestParallelRedemptions(t *testing.T) {
	w := newWorld(t)
	c := w.start(t, true, formCapability)
	q := c.ask("send_mail", hello)
	w.approve(q.text)
	var lines []string
	for range 8 {
		line, _ := c.message("send_mail", hello, resumption(q.state, accept))
		lines = append(lines, line)
	}
	c.send(lines...)
	sent := 0
	for range lines {
		if r := c.next(); r.Result.Structured.Sent {
			sent++
		} else if r.Error == nil {
			t.Errorf("got %s, want sent or a protocol error", r.raw)
		}
	}
	if sent != 1 {
		t.Errorf("%d calls say sent, want 1", sent)
	}
	w.wantMessages(t, 1)
}

// A state that comes back without an answer puts the same question again, under a new state.
func TestStateWithoutAnswer(t *testing.T) {
	w := newWorld(t)
	c := w.start(t, true, formCapability)
	first := c.ask("send_mail", hello)
	c.call("send_mail", hello, fmt.Sprintf(`,"requestState":%q`, first.state))
	second := c.question()
	if second.text != first.text || second.state == first.state {
		t.Error("want the same question under a new state")
	}
	c.answer(second, "send_mail", hello, accept)
	if r := c.next(); !r.Result.Structured.Sent {
		t.Errorf("got %s, want sent", r.raw)
	}
	w.wantStates(t, outbox.StateSent)
}

// Two processes with one state directory: the same message is before one person only, and leaves once.
func TestTwoProcesses(t *testing.T) {
	w := newWorld(t)
	a, b := w.start(t, true, formCapability), w.start(t, false, formCapability)
	q := a.ask("send_mail", hello)
	b.call("send_mail", hello, "")
	b.refused("before the person right now")
	b.answer(b.ask("send_mail", strings.Replace(hello, "Hello", "Other", 1)), "send_mail", "", decline)
	b.refused("declined")
	a.answer(q, "send_mail", hello, accept)
	if r := a.next(); !r.Result.Structured.Sent {
		t.Errorf("got %s, want sent", r.raw)
	}
	b.call("send_mail", hello, "")
	if r := b.next(); !r.Result.Structured.AlreadySent {
		t.Errorf("the other process: got %s, want already sent", r.raw)
	}
	w.wantMessages(t, 1)
}

// With ELICITATION=false a token stands in for the person, and every answer says so.
func TestToken(t *testing.T) {
	inEras(t, func(t *testing.T, modern bool) {
		w := newWorld(t, func(c *setup) { c.Token = true })
		c := w.start(t, modern, formCapability)
		first := c.token(hello)
		if first.Sent || first.Outcome != "not_sent" || !strings.Contains(first.Next, "No person approved") {
			t.Errorf("first call: got %+v", first)
		}
		w.wantNothing(t)
		for _, wrong := range []struct{ token, want string }{
			{strings.Repeat("0", 32), "no message waits"}, {"yes", "32 hexadecimal digits"}, {strings.ToUpper(first.Token) + " ", "32 hexadecimal digits"},
		} {
			c.call("send_mail", withToken(hello, wrong.token), "")
			c.refused(wrong.want)
			w.wantRecord(t, audit.OutcomeTokenRefused, "token_refused")
		}
		c.call("send_mail", withToken(hello, first.Token), "")
		got := c.next().Result.Structured
		if !got.Sent || got.Approved != "token_no_person" || !strings.Contains(got.Next, "No person approved") {
			t.Errorf("second call: got %+v", got)
		}
		if m := w.wantMessages(t, 1)[0]; !strings.Contains(string(m.Octets), first.MessageID) {
			t.Error("the message that left is not the one that got the token")
		}
		c.call("send_mail", withToken(hello, first.Token), "")
		c.refused("used before")
		w.wantMessages(t, 1)
	})
}

func (c *client) token(args string) told {
	c.t.Helper()
	c.call("send_mail", args, "")
	r := c.next()
	if len(r.Result.Structured.Token) != 32 {
		c.t.Fatalf("got %s, want a token", r.raw)
	}
	return r.Result.Structured
}

func withToken(args, token string) string {
	text, err := json.Marshal(token)
	if err != nil {
		panic(err)
	}
	return strings.Replace(args, "{", fmt.Sprintf(`{"confirm_token":%s,`, text), 1)
}

// The token is bound to the message.
func TestTokenIsBound(t *testing.T) {
	w := newWorld(t, func(c *setup) { c.Token = true })
	c := w.start(t, true, formCapability)
	for _, changed := range []string{strings.Replace(hello, "bob@", "eve@", 1), strings.Replace(hello, "two", "three", 1)} {
		token := c.token(hello).Token
		c.call("send_mail", withToken(changed, token), "")
		c.refused("not those that were confirmed")
		c.call("send_mail", withToken(hello, token), "")
		c.refused("used before")
	}
	w.wantNothing(t)
	w.wantStates(t, outbox.StateExpired, outbox.StateExpired)
	if got := w.records(audit.OutcomeTokenRefused); len(got) != 4 {
		t.Errorf("records of refused tokens: got %d, want 4", len(got))
	}
	// The answer of a client is nothing here, and the same message is not given two tokens.
	c.call("send_mail", hello, resumption(strings.Repeat("0", 64), accept))
	c.refused("not known here")
	c.token(hello)
	c.call("send_mail", hello, "")
	c.refused("already waits for its token")
	w.wantNothing(t)
}

// A token is not taken where a person is asked.
func TestTokenWithoutSwitch(t *testing.T) {
	inEras(t, func(t *testing.T, modern bool) {
		w := newWorld(t)
		c := w.start(t, modern, formCapability)
		c.call("send_mail", withToken(hello, strings.Repeat("a", 32)), "")
		c.refused("confirm_token is not taken here")
		w.wantRecord(t, audit.OutcomeTokenRefused, "token_refused")
		w.wantNothing(t)
		w.wantStates(t)
	})
}

// A token that nobody uses gives its reservation back at the end of the process.
func TestTokenUnused(t *testing.T) {
	w := newWorld(t, func(c *setup) { c.Token = true })
	c := w.start(t, true, formCapability)
	token := c.token(hello).Token
	c.in.Close()
	c.ends()
	w.wantStates(t, outbox.StateExpired)
	w.wantRecord(t, audit.OutcomeDeclined, "disconnected")
	c = w.start(t, true, formCapability)
	c.call("send_mail", withToken(hello, token), "")
	c.refused("no message waits")
	w.wantNothing(t)
}

// A yes that comes when the server or the call has ended sends nothing.
func TestYesAfterTheEnd(t *testing.T) {
	t.Run("of the server", func(t *testing.T) {
		w := newWorld(t)
		var s *Server
		p := &person{w: w, answer: func(ctx context.Context, q confirm.Pending) confirm.Answer {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			return yes(ctx, q)
		}}
		s, m := w.server(t, p)
		if out, _ := callTool(t, m, "send_mail", hello); out.Code != "server_ending" {
			t.Errorf("got %+v", out)
		}
		w.wantNothing(t)
		w.wantStates(t, outbox.StateExpired)
	})
	t.Run("of the call", func(t *testing.T) {
		w := newWorld(t)
		ctx, cancel := context.WithCancel(t.Context())
		p := &person{w: w, answer: func(_ context.Context, q confirm.Pending) confirm.Answer {
			cancel()
			return yes(context.Background(), q)
		}}
		_, m := w.server(t, p)
		out, err := m.CallTool(ctx, "send_mail", json.RawMessage(hello))
		if err != nil || out.Code != "not_approved" {
			t.Errorf("got %+v, %v", out, err)
		}
		w.wantNothing(t)
		w.wantStates(t, outbox.StateExpired)
		w.wantRecord(t, audit.OutcomeDeclined, "call_ended")
	})
	t.Run("of the reservation", func(t *testing.T) {
		w := newWorld(t)
		var s *Server
		p := &person{w: w, answer: func(ctx context.Context, q confirm.Pending) confirm.Answer {
			s.mu.Lock()
			var open *pending
			for o := range s.open {
				open = o
			}
			s.mu.Unlock()
			s.release(open, confirm.Expired)
			return yes(ctx, q)
		}}
		s, m := w.server(t, p)
		if out, _ := callTool(t, m, "send_mail", hello); out.Code != "changed_since_asked" {
			t.Errorf("got %+v", out)
		}
		w.wantNothing(t)
		w.wantStates(t, outbox.StateExpired)
	})
}

// The message that a reply names to the person is bound too.
func TestStateIsBoundToTheParent(t *testing.T) {
	reply := `{"to":["bob@example.com"],"text":"Yes.","original":{"ref":"imap://default/INBOX;UIDVALIDITY=1/;UID=2","message_id":"a@example.com"}}`
	for _, changed := range []string{strings.Replace(reply, "UID=2", "UID=3", 1), strings.Replace(reply, "a@", "b@", 1)} {
		w := newWorld(t)
		c := w.start(t, true, formCapability)
		c.answer(c.ask("reply_mail", reply), "reply_mail", changed, accept)
		c.refused("not those that were confirmed")
		w.wantNothing(t)
	}
}
