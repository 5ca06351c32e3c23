package confirm

import (
	"encoding/json"
	"fmt"
	"strings"
	"syscall"
	"testing"
)

const (
	bob    = `{"to":["bob@example.com"],"cc":["carol@example.org"],"subject":"Hello","text":"one\ntwo"}`
	accept = `{"action":"accept","content":{"decision":"Send this message"}}`
)

// TestProcessAnswers is every answer a client can give; only one of them sends.
func TestProcessAnswers(t *testing.T) {
	tests := []struct{ name, result, want string }{
		{"accept", accept, `"sent":true,"how":"elicitation"`},
		{"refuse", `{"action":"accept","content":{"decision":"Do not send"}}`, "do_not_send"},
		{"missing content", `{"action":"accept"}`, "malformed"},
		{"null content", `{"action":"accept","content":null}`, "malformed"},
		{"empty content", `{"action":"accept","content":{}}`, "malformed"},
		{"content is a list", `{"action":"accept","content":["Send this message"]}`, "malformed"},
		{"boolean", `{"action":"accept","content":{"decision":true}}`, "malformed"},
		{"boolean in a string", `{"action":"accept","content":{"decision":"true"}}`, "malformed"},
		{"number", `{"action":"accept","content":{"decision":1}}`, "malformed"},
		{"null", `{"action":"accept","content":{"decision":null}}`, "malformed"},
		{"list", `{"action":"accept","content":{"decision":["Send this message"]}}`, "malformed"},
		{"other case", `{"action":"accept","content":{"decision":"send this message"}}`, "malformed"},
		{"with a space", `{"action":"accept","content":{"decision":"Send this message "}}`, "malformed"},
		{"other key", `{"action":"accept","content":{"Decision":"Send this message"}}`, "malformed"},
		{"two keys", `{"action":"accept","content":{"decision":"Send this message","approve":true}}`, "malformed"},
		{"decline", `{"action":"decline"}`, "declined"},
		{"decline with a yes", `{"action":"decline","content":{"decision":"Send this message"}}`, "declined"},
		{"cancel", `{"action":"cancel"}`, "dismissed"},
		{"unknown action", `{"action":"wat","content":{"decision":"Send this message"}}`, "malformed"},
		{"action in another case", `{"action":"Accept","content":{"decision":"Send this message"}}`, "malformed"},
		{"empty action", `{"action":"","content":{"decision":"Send this message"}}`, "malformed"},
		{"action is a number", `{"action":1,"content":{"decision":"Send this message"}}`, "malformed"},
		{"no action", `{"content":{"decision":"Send this message"}}`, "malformed"},
		{"no object", `"accept"`, "malformed"},
		{"null answer", `null`, "malformed"},
	}
	inEras(t, func(t *testing.T, modern bool) {
		c := start(t, modern, formCapability)
		sent := 0
		for _, tt := range tests {
			c.call("send_note", bob, "")
			c.answer(c.question(), "send_note", bob, tt.result)
			if r := c.next(); !strings.Contains(r.raw, tt.want) || r.Error != nil {
				t.Errorf("%s: got %s, want %s in it", tt.name, r.raw, tt.want)
			}
			if tt.name == "accept" {
				sent++
			}
			c.wantSent(sent, "bob@example.com")
		}
	})
}

func TestProcessForm(t *testing.T) {
	inEras(t, func(t *testing.T, modern bool) {
		c := start(t, modern, formCapability)
		c.call("send_note", bob, "")
		var form struct {
			Message         string
			RequestedSchema struct {
				Type       string
				Required   []string
				Properties map[string]struct {
					Type, Title, Description string
					Enum                     []string
					Default                  any
				}
			}
		}
		if err := json.Unmarshal(c.question().form, &form); err != nil {
			t.Fatal(err)
		}
		f := form.RequestedSchema.Properties["decision"]
		if form.RequestedSchema.Type != "object" || len(form.RequestedSchema.Properties) != 1 || fmt.Sprint(form.RequestedSchema.Required) != "[decision]" {
			t.Errorf("schema: got %+v, want one required field", form.RequestedSchema)
		}
		if f.Type != "string" || fmt.Sprint(f.Enum) != "[Do not send Send this message]" || f.Default != nil {
			t.Errorf("field: got %+v, want the two choices, the refusing one first, no default", f)
		}
		if f.Title != "Send this e-mail? 2 recipients, first: bob@example.com" || !strings.HasSuffix(f.Description, ": Hello") {
			t.Errorf("essence: got %q and %q", f.Title, f.Description)
		}
		for _, want := range []string{"\n> bob@example.com\n", "\n> carol@example.org\n", "\n> one\n> two\n"} {
			if !strings.Contains(form.Message, want) {
				t.Errorf("message: got %q, want %q in it", form.Message, want)
			}
		}
	})
}

func TestProcessNoCapability(t *testing.T) {
	for _, caps := range []string{`{}`, `{"elicitation":{"url":{}}}`, `{"sampling":{}}`} {
		inEras(t, func(t *testing.T, modern bool) {
			c := start(t, modern, caps)
			for range 3 { // the table must be free again each time
				c.call("send_note", bob, "")
				if r := c.next(); !strings.Contains(r.raw, `"mailgap/error-code":"cannot_ask"`) || r.Method != "" {
					t.Errorf("%s: got %s, want a refusal and no question", caps, r.raw)
				}
			}
			c.wantSent(0, "")
		})
	}
}

// TestProcessMadeUp has clients that bring an answer to a question that was never put.
func TestProcessMadeUp(t *testing.T) {
	inEras(t, func(t *testing.T, modern bool) {
		for _, caps := range []string{`{}`, formCapability} {
			for _, state := range []string{"", `,"requestState":""`, `,"requestState":null`} {
				c := start(t, modern, caps)
				c.call("send_note", bob, `,"inputResponses":{"confirm":`+accept+`}`+state)
				if r := c.next(); caps == formCapability && r.Method == "" && r.Result.ResultType != "input_required" || r.Result.Structured.Sent {
					t.Errorf("got %s, want a first call", r.raw)
				}
				c.wantSent(0, "")
			}
		}
		for _, state := range []string{`"x"`, `"` + strings.Repeat("0", 64) + `"`, `"` + strings.Repeat("a", 5000) + `"`, `5`, `{}`} {
			c := start(t, modern, formCapability)
			c.call("send_note", bob, `,"inputResponses":{"confirm":`+accept+`},"requestState":`+state)
			r := c.next()
			if modern && (r.Error == nil || r.Error.Code != -32602) {
				t.Errorf("state %.20s: got %s, want a protocol error", state, r.raw)
			}
			if !modern && r.Method != "elicitation/create" {
				t.Errorf("state %.20s: got %s, want the field ignored and the person asked", state, r.raw)
			}
			c.wantSent(0, "")
			c.call("get_info", bob, `,"inputResponses":{"confirm":`+accept+`},"requestState":`+state)
			if r := c.next(); r.Error != nil {
				t.Errorf("a tool that never asks: got %s, want the field ignored", r.raw)
			}
		}
	})
}

// TestProcessReplay repeats what was approved: as it was, and with every single argument changed.
func TestProcessReplay(t *testing.T) {
	changes := map[string][2]string{
		"to":                {"send_note", strings.Replace(bob, "bob@", "mallory@", 1)},
		"another recipient": {"send_note", strings.Replace(bob, `"bob@example.com"`, `"bob@example.com","mallory@example.com"`, 1)},
		"cc":                {"send_note", strings.Replace(bob, "carol@", "mallory@", 1)},
		"cc becomes to":     {"send_note", `{"to":["bob@example.com","carol@example.org"],"subject":"Hello","text":"one\ntwo"}`},
		"subject":           {"send_note", strings.Replace(bob, "Hello", "Hello!", 1)},
		"text":              {"send_note", strings.Replace(bob, "two", "twO", 1)},
		"tool":              {"forward_note", bob},
	}
	for name, change := range changes {
		c := start(t, true, formCapability)
		c.call("send_note", bob, "")
		q := c.question()
		c.answer(q, change[0], change[1], accept)
		if r := c.next(); r.Error == nil || r.Error.Code != -32602 {
			t.Errorf("%s changed: got %s, want a protocol error", name, r.raw)
		}
		c.answer(q, "send_note", bob, accept)
		if r := c.next(); r.Error == nil {
			t.Errorf("%s changed, then the right call: got %s, want the approval void", name, r.raw)
		}
		c.wantSent(0, "")
	}
	c := start(t, true, formCapability)
	c.call("send_note", bob, "")
	q := c.question()
	for i := range 4 {
		c.answer(q, "send_note", bob, accept)
		if r := c.next(); r.Result.Structured.Sent != (i == 0) || (r.Error == nil) != (i == 0) {
			t.Errorf("use %d: got %s", i+1, r.raw)
		}
	}
	c.wantSent(1, "bob@example.com")
}

// TestProcessParallel redeems one approval eight times at once.
func TestProcessParallel(t *testing.T) {
	c := start(t, true, formCapability)
	c.call("send_note", bob, "")
	q := c.question()
	var lines []string
	for range 8 {
		line, _ := c.message("send_note", bob, c.resumption(q.state, accept))
		lines = append(lines, line)
	}
	c.send(lines...)
	sent := 0
	for range 8 {
		if c.next().Result.Structured.Sent {
			sent++
		}
	}
	if sent != 1 {
		t.Errorf("reported sent: got %d, want 1", sent)
	}
	c.wantSent(1, "bob@example.com")
}

// TestProcessLegacyReplies answers a question of the old revisions more than once, late, and wrongly.
func TestProcessLegacyReplies(t *testing.T) {
	c := start(t, false, formCapability)
	c.call("send_note", bob, "")
	q := c.question()
	c.answer(question{id: "77"}, "", "", accept)
	c.answer(question{id: `"` + q.id + `"`}, "", "", accept)
	c.answer(q, "", "", `{"action":"decline"}`)
	c.answer(q, "", "", accept)
	if r := c.next(); !strings.Contains(r.raw, "declined") {
		t.Errorf("got %s, want the first answer to count", r.raw)
	}
	c.answer(q, "", "", accept)
	for _, tt := range []struct{ name, line, want string }{
		{"client error", `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"Method not found"}}`, "ask_failed"},
		{"error and result", `{"jsonrpc":"2.0","id":%s,"error":{"code":1,"message":"x"},"result":` + accept + `}`, "ask_failed"},
		{"repeated key", `{"jsonrpc":"2.0","id":%s,"result":{"action":"decline","action":"accept","content":{"decision":"Send this message"}}}`, "malformed"},
	} {
		c.call("send_note", bob, "")
		c.send(fmt.Sprintf(tt.line, c.question().id))
		if r := c.next(); !strings.Contains(r.raw, tt.want) {
			t.Errorf("%s: got %s, want %s in it", tt.name, r.raw, tt.want)
		}
	}
	c.wantSent(0, "")
}

func TestProcessNeverAnswered(t *testing.T) {
	c := start(t, false, formCapability, envWait+"=30ms")
	c.call("send_note", bob, "")
	q := c.question()
	if r := c.next(); r.Method != "notifications/cancelled" || !strings.Contains(r.raw, `"requestId":`+q.id) {
		t.Errorf("got %s, want the question withdrawn", r.raw)
	}
	if r := c.next(); !strings.Contains(r.raw, "timed_out") {
		t.Errorf("got %s, want a no", r.raw)
	}
	c.answer(q, "", "", accept)
	c.call("get_info", bob, "")
	c.next()
	c.wantSent(0, "")

	c = start(t, true, formCapability, envLifetime+"=1ns")
	c.call("send_note", bob, "")
	c.answer(c.question(), "send_note", bob, accept)
	if r := c.next(); r.Error == nil || !strings.Contains(r.raw, "five minutes at most") {
		t.Errorf("got %s, want the approval expired", r.raw)
	}
	c.wantSent(0, "")
}

func TestProcessCancel(t *testing.T) {
	const cancelled = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s}}`
	c := start(t, false, formCapability)
	id := c.call("send_note", bob, "")
	q := c.question()
	c.send(fmt.Sprintf(cancelled, id))
	if r := c.next(); r.Method != "notifications/cancelled" {
		t.Errorf("got %s, want the question withdrawn", r.raw)
	}
	c.answer(q, "", "", accept)
	for range 20 { // both at once, the cancellation first
		id = c.call("send_note", bob, "")
		r := c.next()
		for strings.Contains(r.raw, "another message is waiting") { // the call before has not quite ended
			id = c.call("send_note", bob, "")
			r = c.next()
		}
		c.send(fmt.Sprintf(cancelled, id), fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, r.ID, accept), `{"jsonrpc":"2.0","id":"p","method":"ping"}`)
		for r = c.next(); string(r.ID) != `"p"`; r = c.next() {
		}
		for len(c.lines) > 0 {
			c.next()
		}
	}
	c.in.Close()
	if err := c.exit(); err != nil {
		t.Error(err)
	}
	c.wantSent(0, "")
}

func TestProcessEndsWhileAsking(t *testing.T) {
	for _, how := range []string{"eof", "sigterm", "answer, then eof"} {
		inEras(t, func(t *testing.T, modern bool) {
			c := start(t, modern, formCapability)
			c.call("send_note", bob, "")
			q := c.question()
			want := 0
			switch how {
			case "sigterm":
				_ = c.cmd.Process.Signal(syscall.SIGTERM)
			case "answer, then eof":
				c.answer(q, "send_note", bob, accept)
				want = 1
				fallthrough
			default:
				c.in.Close()
			}
			if err := c.exit(); err != nil {
				t.Errorf("%s: got %v, want nil; log %s", how, err, c.stderr.String())
			}
			c.wantSent(want, "bob@example.com")
			if strings.Contains(c.stderr.String(), "bob@") || q.state != "" && strings.Contains(c.stderr.String(), q.state) {
				t.Errorf("%s: the log has an address or a handle", how)
			}
		})
	}
}

// TestProcessTwoMessages proposes a second message while one is open.
func TestProcessTwoMessages(t *testing.T) {
	dave := strings.Replace(bob, "bob@", "dave@", 1)
	inEras(t, func(t *testing.T, modern bool) {
		c := start(t, modern, formCapability)
		c.call("send_note", bob, "")
		q := c.question()
		for range 40 { // more than the limit, each refused at once
			c.call("send_note", dave, "")
			if r := c.next(); !strings.Contains(r.raw, "another message is waiting") {
				t.Fatalf("got %s, want a refusal", r.raw)
			}
		}
		if modern { // the same message again takes the place of the one whose dialog was lost
			c.call("send_note", bob, "")
			newer := c.question()
			c.answer(q, "send_note", bob, accept)
			if r := c.next(); r.Error == nil {
				t.Errorf("got %s, want the older question void", r.raw)
			}
			q = newer
		}
		c.answer(q, "send_note", bob, accept)
		if r := c.next(); !r.Result.Structured.Sent {
			t.Errorf("got %s, want sent", r.raw)
		}
		c.wantSent(1, "bob@example.com")
		c.call("send_note", dave, "")
		c.question() // free again
	})
}

// TestProcessNoAnswer brings a good state without an answer: the person is asked again, under a new state.
func TestProcessNoAnswer(t *testing.T) {
	c := start(t, true, formCapability)
	c.call("send_note", bob, "")
	q := c.question()
	c.call("send_note", bob, fmt.Sprintf(`,"requestState":%q`, q.state))
	fresh := c.question()
	if fresh.state == q.state {
		t.Error("the state is good twice")
	}
	c.call("send_note", bob, fmt.Sprintf(`,"requestState":%q,"inputResponses":{"other":%s}`, fresh.state, accept))
	last := c.question()
	c.wantSent(0, "")
	c.answer(fresh, "send_note", bob, accept)
	if r := c.next(); r.Error == nil {
		t.Errorf("got %s, want the older state void", r.raw)
	}
	c.answer(last, "send_note", bob, accept)
	c.next()
	c.wantSent(1, "bob@example.com")
}

func TestProcessToken(t *testing.T) {
	with := func(args, token string) string {
		return strings.TrimSuffix(args, "}") + `,"confirm_token":"` + token + `"}`
	}
	inEras(t, func(t *testing.T, modern bool) {
		c := start(t, modern, `{}`)
		c.call("token_note", bob, "")
		token := c.next().Result.Structured.Token
		if len(token) != 32 {
			t.Fatalf("token: got %q, want 32 digits; log %s", token, c.stderr.String())
		}
		c.call("token_note", with(bob, strings.Repeat("0", 32)), "")
		if r := c.next(); !strings.Contains(r.raw, "no message waits under this confirm_token") || r.Error != nil {
			t.Errorf("wrong token: got %s", r.raw)
		}
		c.call("token_note", with(bob, token), "")
		if r := c.next(); !r.Result.Structured.Sent || !strings.Contains(r.raw, "No person approved") {
			t.Errorf("right token: got %s", r.raw)
		}
		c.call("token_note", with(bob, token), "")
		if r := c.next(); !strings.Contains(r.raw, "used before") {
			t.Errorf("token again: got %s", r.raw)
		}
		c.wantSent(1, "bob@example.com")
	})
}
