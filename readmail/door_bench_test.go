package readmail

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mailgap/readmail/imaptest"
	"mailgap/readmail/session"
	"mailgap/shared/ledger/writer"
)

// BenchmarkDoor is what recording adds to a page of 50 messages and to messages of 5 kB and 100 kB: without a ledger, with messages that
// are new to it, and with known ones.
func BenchmarkDoor(b *testing.B) {
	msgs := many(50)
	for i, octets := range []int{5_000, 100_000} {
		var text []string
		for n := 0; n*60 < octets; n++ {
			text = append(text, fmt.Sprintf("Line %d of message %d speaks of %x and of %x too.", n, i, n*7919, n*104729))
		}
		msgs = append(msgs, imaptest.Message{Raw: mail(append([]string{"From: a@example.com", "To: b@example.org", "Subject: long", ""}, text...)...), InternalDate: epoch()})
	}
	for _, c := range []struct{ name, tool, args string }{
		{"list 50", "list_messages", `{"limit":50}`}, {"list 50 with snippets", "list_messages", `{"limit":50,"snippets":true}`},
		{"message 5 kB", "get_message", `{"ref":"imap://default/INBOX;UIDVALIDITY=1/;UID=51","max_chars":50000}`},
		{"message 100 kB", "get_message", `{"ref":"imap://default/INBOX;UIDVALIDITY=1/;UID=52","max_chars":50000}`},
	} {
		for _, mode := range []string{"off", "new", "known"} {
			b.Run(strings.ReplaceAll(c.name, " ", "_")+"/"+mode, func(b *testing.B) { benchDoor(b, msgs, mode, c.tool, c.args) })
		}
	}
}

func benchPassword(context.Context) (string, error) { return imaptest.Password, nil }

func benchDoor(b *testing.B, msgs []imaptest.Message, mode, tool, args string) {
	ts := imaptest.New(b, inbox(msgs...))
	now := epoch()
	cfg := Config{Session: session.Config{Dial: ts.Dial, Host: "localhost", User: imaptest.User, TLS: session.TLSNone, Password: benchPassword}, Zone: time.UTC, Now: epoch}
	if mode != "off" {
		w, err := writer.Open(filepath.Join(b.TempDir(), "ledger"), writer.Options{Clock: func() time.Time { return now }})
		if err != nil {
			b.Fatal(err)
		}
		defer w.Close()
		cfg.Ledger = w
	}
	s, err := New(cfg)
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	m, err := s.MCP()
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if out, err := m.CallTool(b.Context(), tool, json.RawMessage(args)); err != nil || out.IsError {
			b.Fatal(out.Text, err)
		}
		if mode == "new" {
			now = now.Add(7 * 24 * time.Hour) // in another week all of it is new
		}
	}
}
