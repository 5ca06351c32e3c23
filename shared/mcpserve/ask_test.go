package mcpserve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

type askIn struct {
	Text string `json:"text"`
}

// asker is a tool that asks, with several behaviours chosen by its text. seen receives each Answer.
func asker(seen chan<- Answer) Tool {
	return DefineAsking(Spec{Name: "ask_person", Description: "Asks.", InputSchema: json.RawMessage(echoSchema)},
		func(_ context.Context, c *Call, in askIn, a *Answer) (Step[echoOut], error) {
			if a != nil {
				seen <- *a
			}
			ask := &Ask{State: "s1", Form: Form{Message: Constant("m"), Title: Constant("t"), Description: Constant("d"), Choices: []SafeText{Constant("no"), Constant("yes")}}}
			switch {
			case in.Text == "again":
				return Step[echoOut]{Ask: ask}, nil
			case in.Text == "no state":
				ask.State = ""
				return Step[echoOut]{Ask: ask}, nil
			case in.Text == "one choice":
				ask.Form.Choices = ask.Form.Choices[:1]
				return Step[echoOut]{Ask: ask}, nil
			case in.Text == "short":
				ask.Wait = time.Second
			case in.Text == "forever":
				ask.Wait = time.Hour
			}
			switch {
			case a == nil:
				return Step[echoOut]{Ask: ask}, nil
			case in.Text == "panic":
				panic(secretText)
			case in.Text == "bad state":
				return Step[echoOut]{}, fmt.Errorf("wrapped: %w", &StateError{Text: Constant("the state is not good")})
			case in.Text == "bad result":
				return Step[echoOut]{Result: Result[echoOut]{Structured: echoOut{Verdict: secretText}}}, nil
			}
			return Step[echoOut]{Result: Result[echoOut]{Structured: echoOut{Text: constant(a.Action), Verdict: "pass"}}}, nil
		})
}

// askHere is serveHere for a server with an asking tool and a legacy client that declared forms.
func askHere(t *testing.T) (*served, chan Answer) {
	t.Helper()
	seen := make(chan Answer, 10)
	s, err := NewServer(Config{Name: "test-mcp", Version: "1.0.0", Tools: []Tool{asker(seen)}, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	in, inW := io.Pipe()
	outR, out := io.Pipe()
	v := &served{t: t, in: inW, lines: make(chan string, 100), done: make(chan error, 1)}
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	go func() { v.done <- s.serve(ctx, in, out, Options{}.withDefaults()); out.Close(); in.Close() }()
	go readLines(outR, v.lines)
	v.send(strings.Replace(fmt.Sprintf(initialize, "2025-11-25"), `"capabilities":{}`, `"capabilities":{"elicitation":{}}`, 1))
	<-v.lines
	return v, seen
}

func askCall(id, text, extra string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"ask_person","arguments":{"text":%q}%s}}`, id, text, extra)
}

const formMeta = `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}`

func TestAskWaits(t *testing.T) {
	for text, want := range map[string]time.Duration{"short": time.Second, "default": maxAskWait, "forever": maxAskWait} {
		synctest.Test(t, func(t *testing.T) {
			v, seen := askHere(t)
			begin := time.Now()
			v.send(askCall("1", text, ""))
			if l := <-v.lines; !strings.Contains(l, `"id":1,"method":"elicitation/create","params":{"message":"m","requestedSchema":`) {
				t.Errorf("got %s, want a question", l)
			}
			if a := <-seen; !errors.Is(a.Err, ErrAskTimeout) || a.State != "s1" || time.Since(begin) != want {
				t.Errorf("%s: got %+v after %v, want no answer after %v", text, a, time.Since(begin), want)
			}
			if l := <-v.lines; !strings.Contains(l, `"method":"notifications/cancelled","params":{"requestId":1,`) {
				t.Errorf("got %s, want the question withdrawn", l)
			}
			v.in.Close()
			v.ended()
		})
	}
}

func TestAskTellsThatItWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v, seen := askHere(t)
		v.send(askCall("1", "x", `,"_meta":{"progressToken":"tok"}`))
		<-v.lines
		for n := 1; n <= 3; n++ {
			if l := <-v.lines; !strings.Contains(l, fmt.Sprintf(`"progressToken":"tok","progress":%d,"message":"waiting`, n)) {
				t.Errorf("got %s, want a progress note", l)
			}
		}
		v.send(`{"jsonrpc":"2.0","id":1,"result":{"action":"accept","content":{"decision":"yes"}}}`)
		if a := <-seen; a.Err != nil || a.Action != ActionAccept || string(a.Content[FormField]) != `"yes"` {
			t.Errorf("got %+v", a)
		}
		v.in.Close()
		v.ended()
	})
}

func TestAskRounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v, seen := askHere(t)
		v.send(askCall("1", "again", ""))
		for n := 1; n <= maxAskRounds; n++ {
			if l := <-v.lines; !strings.Contains(l, fmt.Sprintf(`"id":%d,"method":"elicitation/create"`, n)) {
				t.Errorf("got %s, want question %d", l, n)
			}
			v.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"action":"decline"}}`, n))
			if a := <-seen; a.Action != ActionDecline {
				t.Errorf("got %+v", a)
			}
		}
		if a := <-seen; !errors.Is(a.Err, ErrCannotAsk) {
			t.Errorf("after the last: got %+v, want ErrCannotAsk", a)
		}
		if l := <-v.lines; !strings.Contains(l, "internal error") {
			t.Errorf("got %s, want the end", l)
		}
		v.in.Close()
		v.ended()
	})
}

// TestAskOutcomes has both eras and a direct call reach the same handler, and the same containment.
func TestAskOutcomes(t *testing.T) {
	tests := []struct{ text, legacy, modern string }{
		{"x", `"text":"accept"`, `"text":"accept"`},
		{"panic", "internal error", "internal error"},
		{"bad result", "internal error", "internal error"},
		{"bad state", `the state is not good"}],"isError":true`, `"error":{"code":-32602,"message":"the state is not good"}`},
	}
	const answer = `{"action":"accept","content":{"decision":"yes"}}`
	for _, tt := range tests {
		synctest.Test(t, func(t *testing.T) {
			v, _ := askHere(t)
			v.send(askCall("7", tt.text, ""))
			<-v.lines
			v.send(`{"jsonrpc":"2.0","id":1,"result":` + answer + `}`)
			if l := <-v.lines; !strings.Contains(l, tt.legacy) || strings.Contains(l, secretText) {
				t.Errorf("%s, legacy: got %s, want %s", tt.text, l, tt.legacy)
			}
			v.send(askCall("8", tt.text, formMeta))
			if l := <-v.lines; !strings.Contains(l, `"resultType":"input_required"`) || !strings.Contains(l, `"requestState":"s1"`) || strings.Contains(l, "isError") {
				t.Errorf("%s, modern: got %s, want a question", tt.text, l)
			}
			v.send(askCall("9", tt.text, formMeta+`,"requestState":"s1","inputResponses":{"confirm":`+answer+`}`))
			if l := <-v.lines; !strings.Contains(l, tt.modern) || strings.Contains(l, secretText) {
				t.Errorf("%s, modern: got %s, want %s", tt.text, l, tt.modern)
			}
			v.in.Close()
			v.ended()
		})
	}
}

func TestAskDirect(t *testing.T) {
	seen := make(chan Answer, 1)
	s, err := NewServer(Config{Name: "test-mcp", Version: "1.0.0", Tools: []Tool{asker(seen)}})
	if err != nil {
		t.Fatal(err)
	}
	if o, err := s.CallTool(t.Context(), "ask_person", json.RawMessage(`{"text":"x"}`)); err != nil || o.IsError {
		t.Errorf("got %+v, %v", o, err)
	}
	if a := <-seen; !errors.Is(a.Err, ErrCannotAsk) || a.State != "s1" {
		t.Errorf("got %+v, want ErrCannotAsk", a)
	}
	for _, text := range []string{"no state", "one choice"} {
		if o, err := s.CallTool(t.Context(), "ask_person", json.RawMessage(`{"text":"`+text+`"}`)); err != nil || !o.IsError || o.ask != nil {
			t.Errorf("%s: got %+v, %v, want a failure", text, o, err)
		}
	}
}

// TestAskAfterTheEnd has the input end before and after an answer.
func TestAskAfterTheEnd(t *testing.T) {
	for _, answered := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			v, seen := askHere(t)
			v.send(askCall("1", "x", ""))
			<-v.lines
			begin := time.Now()
			if answered {
				v.send(`{"jsonrpc":"2.0","id":1,"result":{"action":"decline"}}`)
			}
			v.in.Close()
			if a := <-seen; answered != (a.Action == ActionDecline) || answered == errors.Is(a.Err, ErrConnectionEnded) || time.Since(begin) != 0 {
				t.Errorf("answered %t: got %+v after %v", answered, a, time.Since(begin))
			}
			v.ended()
		})
	}
}

// TestAskCancelledAtOnce has the answer and the cancellation there together.
func TestAskCancelledAtOnce(t *testing.T) {
	c := &Call{era: EraLegacy, elicit: Elicitation{Form: true}, ask: func(context.Context, *Ask, func(int)) Answer { return Answer{Action: ActionAccept} }}
	if a := c.put(t.Context(), &Ask{State: "s"}, 0); a.Action != ActionAccept || a.Err != nil || a.State != "s" {
		t.Errorf("running: got %+v, want the answer", a)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if a := c.put(ctx, &Ask{State: "s"}, 0); a.Action != "" || !errors.Is(a.Err, ErrAskCancelled) {
		t.Errorf("cancelled: got %+v, want ErrAskCancelled", a)
	}
}

// TestAskFirstReplyCounts has more replies come than the question waits for, before anybody takes the first.
func TestAskFirstReplyCounts(t *testing.T) {
	c := newConn(t.Context(), testServer(t, &lockedBuffer{}, gates{}), &lineWriter{w: io.Discard}, newLimits(Options{}.withDefaults()))
	id, answers := c.openQuestion()
	for _, action := range []Action{ActionDecline, ActionAccept, ActionAccept} {
		c.reply(json.RawMessage(id), Answer{Action: action}) // must not block either: it runs on the read loop
	}
	if a := <-answers; a.Action != ActionDecline || len(answers) != 0 {
		t.Errorf("got %+v and %d more, want the first alone", a, len(answers))
	}
	other, _ := c.openQuestion()
	if other == id {
		t.Errorf("id %s is used twice", id)
	}
}

func FuzzReadAnswer(f *testing.F) {
	for _, s := range []string{`{"action":"accept","content":{"decision":"yes"}}`, `{}`, `null`, `[]`, `{"action":1}`, `{"action":"accept","content":[]}`, `"x"`, ``} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		a := readAnswer(raw)
		if a.Err != nil && (a.Action != "" && a.Content != nil) {
			t.Errorf("%q: an error and an answer: %+v", raw, a)
		}
		if a.Err == nil && !json.Valid(raw) {
			t.Errorf("%q: got %+v, want an error", raw, a)
		}
	})
}
