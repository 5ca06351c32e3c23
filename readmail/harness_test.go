package readmail

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"mailgap/readmail/imaptest"
	"mailgap/readmail/session"
	"mailgap/shared/mcpserve"
)

// epoch is the clock of these tests.
func epoch() time.Time { return time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC) }

// tripLatency lets a server count round trips: commands that are written together must arrive within it, on a busy machine
// too.
const tripLatency = 60 * time.Millisecond

// newServer returns a Server that reads from ts.
func newServer(t *testing.T, ts *imaptest.Server, change ...func(*Config)) *Server {
	t.Helper()
	return newServerDial(t, session.Config{Dial: ts.Dial}, change...)
}

func newServerDial(t *testing.T, sc session.Config, change ...func(*Config)) *Server {
	t.Helper()
	sc.Host, sc.User, sc.TLS = "localhost", imaptest.User, session.TLSNone
	sc.Password = func(context.Context) (string, error) { return imaptest.Password, nil }
	cfg := Config{Session: sc, Zone: time.UTC, Now: epoch, TrustedAuthservIDs: []string{"mx.example.org"}}
	for _, c := range change {
		c(&cfg)
	}
	s, err := New(cfg)
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return s
}

// call runs a tool through the shell, with its validation, and decodes the structured answer into T.
func call[T any](t *testing.T, s *Server, tool, args string) T {
	t.Helper()
	out := outcome(t, s, tool, args)
	if out.IsError {
		t.Fatalf("%s %s: %s", tool, args, out.Text)
	}
	var v T
	if err := json.Unmarshal(out.Structured, &v); err != nil {
		t.Fatalf("%s: structured answer: %v", tool, err)
	}
	return v
}

// refused runs a tool that must fail and returns what the caller is told.
func refused(t *testing.T, s *Server, tool, args string) string {
	t.Helper()
	out := outcome(t, s, tool, args)
	if !out.IsError {
		t.Fatalf("%s %s: got an answer, want a refusal: %s", tool, args, out.Text)
	}
	return out.Text
}

func outcome(t *testing.T, s *Server, tool, args string) mcpserve.Outcome {
	t.Helper()
	m, err := s.MCP()
	if err != nil {
		t.Fatalf("MCP: %v", err)
	}
	out, err := m.CallTool(t.Context(), tool, json.RawMessage(args))
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	return out
}

// The shapes of the answers as a client sees them.
type (
	gotSummary struct {
		Ref, From, To, Subject, Snippet string
		Received                        time.Time
		Unread, Flagged                 bool
		Attachments                     int
		Problems                        []string
	}
	gotList struct {
		Messages []gotSummary
		Coverage []struct {
			Mailbox        string
			Messages       int
			Matched        *int
			SearchedBackTo time.Time `json:"searched_back_to"`
			Order          string
			Notes          []string
			Error          string
		}
		NextCursor string `json:"next_cursor"`
	}
	gotMessage struct {
		Ref, Subject string
		From, Cc     []string
		Author       struct{ Status, Reason, Domain string }
		Body         struct {
			Text, Shown string
			TotalChars  int `json:"total_chars"`
			NextOffset  int `json:"next_offset"`
			Folded      int `json:"folded_quote_chars"`
			Links       []struct{ Target, Host string }
			Hidden      []struct{ Technique, Text string }
			Notes       []string
		}
		Attachments []struct {
			Ref, Name  string
			MediaType  string `json:"media_type"`
			NameUnsafe bool   `json:"name_unsafe"`
		}
		Header   []struct{ Name, Body string }
		Problems []string
	}
)

func (l gotList) subjects() string {
	var out []string
	for _, m := range l.Messages {
		out = append(out, m.Subject)
	}
	return strings.Join(out, "|")
}

// mail builds a message with CRLF line ends.
func mail(lines ...string) []byte { return []byte(strings.Join(lines, "\r\n") + "\r\n") }

// simple is a short message with a subject and a date.
func simple(subject string, date time.Time, more ...string) imaptest.Message {
	head := append([]string{
		"From: Accounts Team <accounts@example.com>", "To: reader@example.org", "Subject: " + subject,
		"Date: " + date.Format(time.RFC1123Z), "Message-ID: <" + strings.ReplaceAll(strings.ToLower(subject), " ", ".") + "@example.com>",
	}, more...)
	return imaptest.Message{Raw: mail(append(head, "", "Text of "+subject+".")...), InternalDate: date}
}

// many returns n simple messages, one an hour, "m001" the oldest.
func many(n int) []imaptest.Message {
	var out []imaptest.Message
	for i := range n {
		out = append(out, simple(fmt.Sprintf("m%03d", i+1), epoch().Add(time.Duration(i-n)*time.Hour)))
	}
	return out
}
