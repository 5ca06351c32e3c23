package readmail

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"mailgap/readmail/imaptest"
)

// waiting starts wait_for_message and returns its answer and a function that cancels the call.
func waiting(t *testing.T, s *Server, args string) (<-chan string, context.CancelFunc) {
	t.Helper()
	m, err := s.MCP()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	answer := make(chan string, 1)
	go func() {
		out, err := m.CallTool(ctx, "wait_for_message", json.RawMessage(args))
		if err != nil {
			answer <- "error: " + err.Error()
			return
		}
		answer <- string(out.Structured) + out.Text
	}()
	return answer, cancel
}

func TestWaitForArrival(t *testing.T) {
	ts := imaptest.New(t, inbox(many(3)...))
	s := newServer(t, ts)
	answer, cancel := waiting(t, s, `{"subject":"wanted","timeout_seconds":20}`)
	defer cancel()
	if _, ok := ts.WaitCommand(t, "IDLE"); !ok {
		t.Fatal("no IDLE was sent")
	}
	ts.Deliver(t, "INBOX", simple("other", epoch()))
	ts.Deliver(t, "INBOX", simple("wanted one", epoch()))
	got := <-answer
	if !strings.Contains(got, "wanted one") || strings.Contains(got, `"subject":"other"`) {
		t.Errorf("answer: %s", got)
	}
}

// What arrived between two calls is found at once, by the cursor.
func TestWaitWithCursorLeavesNoGap(t *testing.T) {
	ts := imaptest.New(t, inbox(many(3)...))
	s := newServer(t, ts)
	cursor := call[gotNew](t, s, "list_new_messages", `{}`).Cursor
	ts.Deliver(t, "INBOX", simple("in between", epoch()))
	n := call[gotNew](t, s, "wait_for_message", `{"cursor":"`+cursor+`","timeout_seconds":20}`)
	if n.subjects() != "in between" || n.TimedOut {
		t.Errorf("answer %+v, want the message", n)
	}
}

func TestWaitEnds(t *testing.T) {
	ts := imaptest.New(t, inbox(many(3)...))
	s := newServer(t, ts)
	n := call[gotNew](t, s, "wait_for_message", `{"timeout_seconds":1}`)
	if !n.TimedOut || len(n.Messages) != 0 || n.Cursor == "" {
		t.Errorf("answer %+v, want timed_out and a cursor", n)
	}
	if got := refused(t, s, "wait_for_message", `{"mailbox":"Nowhere","timeout_seconds":1}`); !strings.Contains(got, "no such mailbox") {
		t.Errorf("missing mailbox: %q", got)
	}
}

// Messages that do not match are counted, since the cursor passes them.
func TestWaitSaysWhatDidNotMatch(t *testing.T) {
	ts := imaptest.New(t, inbox(many(3)...))
	s := newServer(t, ts)
	cursor := call[gotNew](t, s, "list_new_messages", `{}`).Cursor
	ts.Deliver(t, "INBOX", simple("other", epoch()))
	ts.Deliver(t, "INBOX", simple("wanted", epoch()))
	n := call[gotNew](t, s, "wait_for_message", `{"cursor":"`+cursor+`","subject":"wanted","timeout_seconds":20}`)
	if n.subjects() != "wanted" || n.Mailboxes[0].NotMatching != 1 {
		t.Errorf("%q, %d not matching; want wanted and 1", n.subjects(), n.Mailboxes[0].NotMatching)
	}
}

// A cancelled call gives its connection back at once: as many calls as may wait can wait again.
func TestWaitCancelFreesTheConnection(t *testing.T) {
	ts := imaptest.New(t, inbox(many(3)...))
	s := newServer(t, ts)
	for round := range 3 {
		ts.Reset()
		a, cancelA := waiting(t, s, `{"timeout_seconds":20}`)
		b, cancelB := waiting(t, s, `{"timeout_seconds":20}`)
		if _, ok := ts.WaitCommand(t, "IDLE"); !ok {
			t.Fatal("no IDLE was sent")
		}
		cancelA()
		cancelB()
		for _, answer := range []<-chan string{a, b} {
			if got := <-answer; strings.Contains(got, "Two calls wait") {
				t.Fatalf("round %d: %s", round, got)
			}
		}
	}
}

func TestWaitRefusesTooMany(t *testing.T) {
	ts := imaptest.New(t, inbox(many(3)...))
	s := newServer(t, ts)
	_, cancelA := waiting(t, s, `{"timeout_seconds":20}`)
	defer cancelA()
	_, cancelB := waiting(t, s, `{"timeout_seconds":20}`)
	defer cancelB()
	for idles := 0; idles < 2; {
		idles = 0
		for _, v := range ts.Verbs() {
			if v == "IDLE" {
				idles++
			}
		}
		if t.Context().Err() != nil {
			t.Fatal("the calls do not wait")
		}
	}
	if got := refused(t, s, "wait_for_message", `{"timeout_seconds":20}`); !strings.Contains(got, "Two calls wait") {
		t.Errorf("third call: %q", got)
	}
}

// A server that drops the waiting connection costs nothing: it is made anew, and what arrived meanwhile is found.
func TestWaitSurvivesADroppedConnection(t *testing.T) {
	ts := imaptest.New(t, inbox(many(3)...))
	s := newServer(t, ts)
	answer, cancel := waiting(t, s, `{"timeout_seconds":20}`)
	defer cancel()
	if _, ok := ts.WaitCommand(t, "IDLE"); !ok {
		t.Fatal("no IDLE was sent")
	}
	ts.Reset()
	ts.DropConnections()
	renewed := make(chan struct{})
	go func() {
		ts.WaitCommand(t, "IDLE")
		close(renewed)
	}()
	select {
	case <-renewed:
	case got := <-answer:
		t.Fatalf("the call ended with the connection: %s", got)
	}
	ts.Deliver(t, "INBOX", simple("after the drop", epoch()))
	if got := <-answer; !strings.Contains(got, "after the drop") {
		t.Errorf("answer: %s", got)
	}
}

// Closing the server ends calls that wait.
func TestCloseEndsWaiting(t *testing.T) {
	ts := imaptest.New(t, inbox(many(3)...))
	s := newServer(t, ts)
	answer, cancel := waiting(t, s, `{"timeout_seconds":20}`)
	defer cancel()
	if _, ok := ts.WaitCommand(t, "IDLE"); !ok {
		t.Fatal("no IDLE was sent")
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	select {
	case got := <-answer:
		if !strings.Contains(got, "shutting down") {
			t.Errorf("answer: %s", got)
		}
	case <-time.After(10 * time.Second):
		t.Error("the call still waits")
	}
}
