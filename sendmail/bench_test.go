package sendmail

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"mailgap/confirm"
	"mailgap/shared/mcpserve"
)

// large is a message with 100 kB of text.
func large(n int) json.RawMessage {
	return fmt.Appendf(nil, `{"to":["bob@example.com"],"subject":"Report %d","text":%q}`, n, strings.Repeat("A line of text, as people write them, with some words.\n", 1850))
}

func benchServer(b *testing.B, terminal confirm.Path) (*Server, *mcpserve.Server) {
	b.Helper()
	c := setup{Dir: filepath.Join(b.TempDir(), "state"), Addr: "127.0.0.1:1", PerHour: 1 << 30, terminal: terminal, logger: slog.New(slog.DiscardHandler)}
	cfg, err := c.config()
	if err != nil {
		b.Fatal(err)
	}
	s, err := New(cfg)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := s.Close(); err != nil {
			b.Error(err)
		}
	})
	m, err := s.MCP()
	if err != nil {
		b.Fatal(err)
	}
	return s, m
}

// Policy, composition and question for 100 kB of text: all that is computed before a person sees it.
func BenchmarkQuestion(b *testing.B) {
	s, _ := benchServer(b, nil)
	var args mailArgs
	if err := json.Unmarshal(large(0), &args); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(args.Text)))
	b.ReportAllocs()
	for b.Loop() {
		ready, err := s.prepare(b.Context(), args.proposal("send_mail"), "")
		if err != nil {
			b.Fatal(err)
		}
		p := &pending{owner: s, prepared: ready, binding: s.bind(nil, ready)}
		if _, err := s.question(p).Render(); err != nil {
			b.Fatal(err)
		}
	}
}

// The whole proposal without network: arguments, policy, composition, gate, journal (two transactions and their fsync), the
// question, a no, the journal again, the audit log (fsync).
func BenchmarkPropose(b *testing.B) {
	no := &person{answer: func(context.Context, confirm.Pending) confirm.Answer {
		return confirm.No(confirm.PathTerminal, confirm.TimedOut)
	}}
	_, m := benchServer(b, no)
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		n++
		if out, err := m.CallTool(b.Context(), "send_mail", large(n)); err != nil || out.Code != "not_approved" {
			b.Fatal(out, err)
		}
	}
}
