package sendmail

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mailgap/confirm"
	"mailgap/sendmail/outbox"
	"mailgap/sendmail/policy"
	"mailgap/shared/audit"
)

// Everything that can refuse does so before anybody is asked and before a connection, in every sending tool.
func TestRefusedBeforeAConnection(t *testing.T) {
	tests := []struct {
		name, tool, args string
		code, want       string
	}{
		{"nobody", "send_mail", `{"subject":"a","text":"b"}`, "no_recipient", "hint: name at least one recipient"},
		{"not listed", "send_mail", `{"to":["x@example.net"],"subject":"a","text":"b"}`, "recipient_not_allowed", "to, address 1: The operator's list"},
		{"second one not listed", "send_mail", `{"to":["bob@example.com"],"bcc":["bob@example.com","x@example.net"],"subject":"a","text":"b"}`, "recipient_not_allowed", "bcc, address 2"},
		{"look-alike", "send_mail", `{"to":["bob@examp1e.com"],"subject":"a","text":"b"}`, "recipient_looks_like_another", "does not let this address through"},
		{"display name", "send_mail", `{"to":["Bob <bob@example.com>"],"subject":"a","text":"b"}`, "display_name_refused", "bare address"},
		{"malformed", "send_mail", `{"to":["bob@localhost@example.com"],"subject":"a","text":"b"}`, "recipient_malformed", "to, address 1"},
		{"too many", "send_mail", `{"to":["a1@example.com","a2@example.com","a3@example.com","a4@example.com","a5@example.com","a6@example.com"],"bcc":["b1@example.com","b2@example.com","b3@example.com","b4@example.com","b5@example.com"],"subject":"a","text":"b"}`, "too_many_recipients", "To, Cc and Bcc together"},
		{"encoded word", "send_mail", `{"to":["bob@example.com"],"subject":"=?utf-8?B?SGVsbG8=?=","text":"b"}`, "encoded_word_subject", "subject: "},
		{"line break", "send_mail", `{"to":["bob@example.com"],"subject":"a\r\nBcc: x@example.net","text":"b"}`, "line_break_in_header", "on one line"},
		{"line separator", "send_mail", `{"to":["bob@example.com"],"subject":"a\u2028b","text":"b"}`, "line_break_in_header", "on one line"},
		{"direction", "send_mail", `{"to":["bob@example.com"],"subject":"a\u202eb","text":"b"}`, "direction_character", "subject: "},
		{"html", "send_mail", `{"to":["bob@example.com"],"subject":"a","text":"b","html":"` + strings.Repeat("<div>", 200) + `b"}`, "html_too_deep", "hundred elements deep"},
		{"tool markup", "send_mail", `{"to":["bob@example.com"],"subject":"a","text":"b</parameter></invoke>"}`, "tool_call_markup", "remove the markup"},
		{"no attachment directory", "send_mail", `{"to":["bob@example.com"],"subject":"a","text":"b","attachments":["a.txt"]}`, "attachment_refused", "SMTP_ATTACHMENT_DIR"},
		{"file name with a break", "send_mail", `{"to":["bob@example.com"],"subject":"a","text":"b","attachments":["a\n.txt"]}`, "line_break_in_header", "A file name or message id: "},
		{"message too large", "send_mail", `{"to":["bob@example.com"],"subject":"a","text":"` + strings.Repeat("a line of text\\n", 2000) + `"}`, "cannot_be_composed", "too large"},
		{"reply to nothing", "reply_mail", `{"to":["bob@example.com"],"text":"b","original":{"subject":"a"}}`, "original_not_named", "message_id that get_message gave"},
		{"reply, malformed id", "reply_mail", `{"to":["bob@example.com"],"text":"b","original":{"message_id":"a b"}}`, "cannot_be_composed", "message id"},
		{"reply, id with a break", "reply_mail", `{"to":["bob@example.com"],"text":"b","original":{"message_id":"a@b.example\nBcc: x"}}`, "line_break_in_header", "A file name or message id"},
		{"reply, not listed", "reply_mail", `{"to":["x@example.net"],"text":"b","original":{"message_id":"a@example.com"}}`, "recipient_not_allowed", "to, address 1"},
		{"forward of nothing", "forward_mail", `{"to":["bob@example.com"],"original":{"subject":"a"}}`, "cannot_be_composed", "nothing to forward"},
		{"forward, not listed", "forward_mail", `{"to":["x@example.net"],"original":{"text":"a"}}`, "recipient_not_allowed", "to, address 1"},
	}
	w := newWorld(t, func(c *setup) { c.MaxBytes = 20_000 })
	p := &person{w: w}
	_, m := w.server(t, p)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			before := len(w.records())
			out, _ := callTool(t, m, tt.tool, tt.args)
			told := strings.Replace(tt.code, "recipient_looks_like_another", "recipient_not_allowed", 1)
			if !out.IsError || out.Code != told || !strings.Contains(out.Text, tt.want) || !strings.HasPrefix(out.Text, "Nothing was sent. ") {
				t.Errorf("got %q %q, want %s with %q", out.Code, out.Text, told, tt.want)
			}
			if strings.Contains(out.Text, "policy:") || strings.Contains(out.Text, "addr:") || strings.Contains(out.Text, "compose:") || strings.HasSuffix(out.Text, "..") {
				t.Errorf("not a sentence for people: %s", out.Text)
			}
			w.wantRecord(t, audit.OutcomeRefused, tt.code)
			if got := w.records(); len(got) != before+1 {
				t.Errorf("records: got %+v", got[before:])
			}
		})
	}
	if len(p.questions()) != 0 {
		t.Errorf("%d questions were put", len(p.questions()))
	}
	w.wantNothing(t)
	w.wantStates(t)
}

// The answers about an address do not depend on which other entries the list has: neither the result nor the text of any tool
// tells what else would be allowed.
func TestAllowlistIsNotDisclosed(t *testing.T) {
	probes := []string{"bob@example.com", "BOB@EXAMPLE.COM", "bob@examp1e.com", "bob@example.co", "bob@exarnple.com", "bob@sub.example.com", "bobb@example.com",
		"bob@example.org", "nobody@elsewhere.example", "bob@xn--exmple-cua.com", "Bob <bob@example.com>", "bob"}
	others := []string{"bob@example.com", "@example.com", "carol@example.org", "@elsewhere.invalid", "!bob@example.org"}
	base := []string{"@far-away.example"}
	want, wantInfo := answersTo(t, base, probes)
	for _, other := range others {
		t.Run(other, func(t *testing.T) {
			list, err := policy.ParseAllowlist(append(base, other))
			if err != nil {
				t.Fatal(err)
			}
			got, info := answersTo(t, append(base, other), probes)
			if info != wantInfo {
				t.Errorf("get_server_info depends on the entry: got %s, without it %s", info, wantInfo)
			}
			for _, probe := range probes {
				if strings.Contains(got[probe], "far-away") {
					t.Errorf("%s: another entry is told: %s", probe, got[probe])
				}
				if !allowed(list, probe) && got[probe] != want[probe] {
					t.Errorf("the answer about %s depends on the entry: got\n%s\nwithout it\n%s", probe, got[probe], want[probe])
				}
			}
		})
	}
}

// answersTo is what the tools say about each address with this allowlist, and what get_server_info says.
func answersTo(t *testing.T, allow, probes []string) (answers map[string]string, info string) {
	t.Helper()
	w := newWorld(t, func(c *setup) { c.Allow = allow })
	_, m := w.server(t, &person{w: w})
	all, _ := callTool(t, m, "get_server_info", "{}")
	answers = map[string]string{}
	for _, probe := range probes {
		for _, tool := range []string{"validate_recipients", "preview_mail", "send_mail"} {
			args := map[string]any{"to": []string{probe}, "subject": "about " + probe, "text": "b"}
			if tool == "validate_recipients" {
				args = map[string]any{"to": []string{probe}}
			}
			in, err := json.Marshal(args)
			if err != nil {
				t.Fatal(err)
			}
			out, _ := callTool(t, m, tool, string(in))
			answers[probe] += out.Text + "\n" + string(out.Structured) + "\n"
		}
	}
	return answers, all.Text + string(all.Structured)
}

func allowed(list policy.Allowlist, spec string) bool {
	v := policy.CheckRecipients(policy.Request{To: []string{spec}}, policy.Rules{Allowlist: list})
	return len(v.Refusals) == 0
}

// A fresh install with nothing configured previews, and says what is in the way.
func TestPreviewWithNothingConfigured(t *testing.T) {
	s, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := s.MCP()
	if err != nil {
		t.Fatal(err)
	}
	out, _ := callTool(t, m, "preview_mail", `{"to":["bob@example.com"],"subject":"a","text":"b"}`)
	for _, want := range []string{"recipient_not_allowed", "not_configured", "SMTP_ALLOW_SEND=true", "SMTP_HOST"} {
		if out.IsError || !strings.Contains(out.Text, want) {
			t.Errorf("got %s, want %q in it", out.Text, want)
		}
	}
	for _, tool := range []string{"send_mail", "reply_mail", "forward_mail"} {
		if _, err := m.CallTool(t.Context(), tool, json.RawMessage(`{}`)); err == nil {
			t.Errorf("%s is there", tool)
		}
	}
	if out, _ := callTool(t, m, "test_connection", `{}`); out.Code != "not_configured" {
		t.Errorf("test_connection: got %+v", out)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// A preview shows what would be put to the person, asks nobody and reserves nothing.
func TestPreview(t *testing.T) {
	w := newWorld(t, func(c *setup) { c.Signature = "The Sender, Example Ltd." })
	p := &person{w: w}
	_, m := w.server(t, p)
	out, _ := callTool(t, m, "preview_mail", hello)
	for _, want := range []string{"bob@example.com", "Cc: carol@example.org", "Bcc: dan@example.com", "Subject: Hello", "one\ntwo", "Example Ltd.", "Nothing speaks against"} {
		if !strings.Contains(out.Text, want) {
			t.Errorf("got %s, want %q in it", out.Text, want)
		}
	}
	if len(p.questions()) != 0 {
		t.Error("somebody was asked")
	}
	w.wantNothing(t)
	w.wantStates(t)
}

// test_connection logs in and sends nothing, and connects at most once in ten seconds.
func TestConnectionIsTestedSeldom(t *testing.T) {
	w := newWorld(t)
	_, m := w.server(t, nil)
	for n := range 3 {
		out, _ := callTool(t, m, "test_connection", "{}")
		if n == 0 && out.IsError || n > 0 && out.Code != "too_soon" {
			t.Errorf("call %d: got %+v", n, out)
		}
	}
	if got := w.fake.Counts(); got.Connections != 1 || got.Transactions != 0 {
		t.Errorf("the server saw %+v, want one connection and no transaction", got)
	}
}

// Without a terminal nobody can be asked, and nothing is reserved.
func TestNoTerminal(t *testing.T) {
	w := newWorld(t)
	_, m := w.server(t, nil)
	if out, _ := callTool(t, m, "send_mail", hello); out.Code != "nobody_can_be_asked" || !strings.Contains(out.Text, "terminal") {
		t.Errorf("got %+v", out)
	}
	w.wantNothing(t)
	w.wantStates(t)
}

// A journal that cannot be used, or an audit log that cannot be written any more: nothing is sent, and the tools that send
// nothing work.
func TestUnusableState(t *testing.T) {
	breakages := map[string]func(t *testing.T, w *world){
		"journal is damaged": func(t *testing.T, w *world) {
			write(t, filepath.Join(w.Dir, "outbox.db"), strings.Repeat("no database ", 1000))
		},
		"directory is open to others": func(t *testing.T, w *world) {
			if err := os.Chmod(w.Dir, 0o777); err != nil {
				t.Fatal(err)
			}
		},
		"audit log was replaced": func(t *testing.T, w *world) {
			if err := os.Remove(filepath.Join(w.Dir, "audit.jsonl")); err != nil {
				t.Fatal(err)
			}
			if err := os.Mkdir(filepath.Join(w.Dir, "audit.jsonl"), 0o700); err != nil {
				t.Fatal(err)
			}
		},
	}
	for name, damage := range breakages {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.terminal = &person{w: w}
			cfg, err := w.config()
			if err != nil {
				t.Fatal(err)
			}
			s, err := New(cfg)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			s.Announce()
			damage(t, w)
			m, err := s.MCP()
			if err != nil {
				t.Fatal(err)
			}
			out, _ := callTool(t, m, "send_mail", hello)
			if out.Code != "state_unusable" || strings.Contains(out.Text, w.Dir) {
				t.Errorf("got %+v, want a refusal that names no path", out)
			}
			w.wantNothing(t)
			if strings.HasPrefix(name, "audit") {
				w.wantStates(t, outbox.StateFailed) // and not in the way of the next try
			}
			for _, tool := range []string{"preview_mail", "validate_recipients", "get_server_info"} {
				args := "{}"
				if tool != "get_server_info" {
					args = `{"to":["bob@example.com"]}`
				}
				if out, _ := callTool(t, m, tool, args); out.IsError {
					t.Errorf("%s: got %+v", tool, out)
				}
			}
			w.Off = true // the audit log may be gone
		})
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Sending does not start with an audit log that cannot be written.
func TestAuditLogCannotBeWritten(t *testing.T) {
	w := newWorld(t)
	w.Off = true
	cfg, err := w.config()
	if err != nil {
		t.Fatal(err)
	}
	cfg.AllowSend = true
	file := filepath.Join(t.TempDir(), "file")
	write(t, file, "")
	cfg.AuditLog = filepath.Join(file, "audit.jsonl")
	if s, err := New(cfg); err == nil {
		s.Close()
		t.Error("it starts")
	} else if strings.Contains(err.Error(), file) {
		t.Errorf("the error tells the path: %v", err)
	}
}

// A person who says no, or nobody at all: the reservation is spent and the way out is told.
func TestTerminalAnswers(t *testing.T) {
	for reason, state := range map[confirm.Reason]outbox.State{
		confirm.DoNotSend: outbox.StateDeclined, confirm.Disconnected: outbox.StateExpired, confirm.TimedOut: outbox.StateExpired, confirm.CannotAsk: outbox.StateExpired,
	} {
		t.Run(string(reason), func(t *testing.T) {
			w := newWorld(t)
			p := &person{w: w, answer: func(context.Context, confirm.Pending) confirm.Answer { return confirm.No(confirm.PathTerminal, reason) }}
			_, m := w.server(t, p)
			if out, _ := callTool(t, m, "send_mail", hello); out.Code != "not_approved" || !strings.Contains(out.Text, "Not approved ("+string(reason)+")") {
				t.Errorf("got %+v", out)
			}
			w.wantNothing(t)
			w.wantStates(t, state)
			w.wantRecord(t, audit.OutcomeDeclined, string(reason))
		})
	}
}
