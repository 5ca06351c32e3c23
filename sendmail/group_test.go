package sendmail

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mailgap/confirm"
	"mailgap/sendmail/policy"
	"mailgap/shared/config"
	"mailgap/shared/mcpserve"
	"mailgap/shared/mcpserve/toolsnap"
)

// identities are two senders on one fake server: work may write to example.com, home to example.org.
func (w *world) identities(t *testing.T, p confirm.Path, change ...func(*Config)) *mcpserve.Server {
	t.Helper()
	w.terminal = p
	var cfgs []Config
	for _, name := range []string{"work", "home"} {
		cfg, err := w.config()
		if err != nil {
			t.Fatal(err)
		}
		cfg.Identity, cfg.From = name, mustSpec("me@"+name+".example")
		domain := map[string]string{"work": "@example.com", "home": "@example.org"}[name]
		if cfg.Allowlist, err = policy.ParseAllowlist([]string{domain}); err != nil {
			t.Fatal(err)
		}
		for _, c := range change {
			c(&cfg)
		}
		cfgs = append(cfgs, cfg)
	}
	g, err := NewGroup(cfgs...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	})
	m, err := g.MCP()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// With one identity a group is the server: same tools, same schemas.
func TestGroupOfOne(t *testing.T) {
	w := newWorld(t)
	_, alone := w.server(t, nil)
	cfg, err := w.config()
	if err != nil {
		t.Fatal(err)
	}
	g, err := NewGroup(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = g.Close() })
	m, err := g.MCP()
	if err != nil {
		t.Fatal(err)
	}
	if string(m.ToolList()) != string(alone.ToolList()) {
		t.Error("the tools of a group of one differ from those of its server")
	}
}

func TestGroupToolsAreGolden(t *testing.T) {
	m := newWorld(t).identities(t, nil)
	toolsnap.Check(t, m, toolsnap.Options{Dir: filepath.Join("..", "testdata", "tools", "smtp-mcp-identities"), Update: *update, MaxListOctets: maxToolListOctets})
}

// The message leaves from the identity that was named, under its own allowlist, and the question shows that sender.
func TestGroupSendsFromTheNamedIdentity(t *testing.T) {
	w := newWorld(t)
	p := &person{w: w}
	m := w.identities(t, p)
	for _, c := range []struct{ identity, to string }{{"work", "bob@example.com"}, {"home", "carol@example.org"}} {
		out, got := callTool(t, m, "send_mail", `{"identity":"`+c.identity+`","to":["`+c.to+`"],"subject":"a","text":"b"}`)
		if !got.Sent {
			t.Fatalf("%s: got %s", c.identity, out.Text)
		}
		if q := p.questions(); !strings.Contains(q[len(q)-1], "me@"+c.identity+".example") {
			t.Errorf("%s: the question does not show the sender: %s", c.identity, q[len(q)-1])
		}
	}
	got := w.wantMessages(t, 2)
	if from := got[0].ReversePath + " " + got[1].ReversePath; from != "me@work.example me@home.example" {
		t.Errorf("got %s", from)
	}
}

// No sender is taken by default, none is invented, and no identity borrows the allowlist of another.
func TestGroupRefusals(t *testing.T) {
	w := newWorld(t)
	m := w.identities(t, &person{w: w})
	for name, args := range map[string]string{
		"no identity":            `{"to":["bob@example.com"],"subject":"a","text":"b"}`,
		"unknown identity":       `{"identity":"boss","to":["bob@example.com"],"subject":"a","text":"b"}`,
		"an address as identity": `{"identity":"me@work.example","to":["bob@example.com"],"subject":"a","text":"b"}`,
		"another's allowlist":    `{"identity":"home","to":["bob@example.com"],"subject":"a","text":"b"}`,
	} {
		if out, got := callTool(t, m, "send_mail", args); !out.IsError || got.Sent {
			t.Errorf("%s: got %s", name, out.Text)
		}
	}
	w.wantNothing(t)
	if out, _ := callTool(t, m, "validate_recipients", `{"identity":"work","to":["carol@example.org"]}`); strings.Contains(string(out.Structured), `"all_allowed":true`) {
		t.Errorf("got %s", out.Structured)
	}
}

// The sends of all identities count against the cap of each.
func TestGroupSharesTheCap(t *testing.T) {
	w := newWorld(t, func(c *setup) { c.PerHour = 2 })
	m := w.identities(t, &person{w: w})
	for i, identity := range []string{"work", "home", "work", "home"} {
		to := map[string]string{"work": "bob@example.com", "home": "carol@example.org"}[identity]
		out, got := callTool(t, m, "send_mail", fmt.Sprintf(`{"identity":"%s","to":["%s"],"subject":"n%d","text":"b"}`, identity, to, i))
		if got.Sent != (i < 2) {
			t.Errorf("send %d: got %s", i, out.Text)
		}
	}
	w.wantMessages(t, 2)
}

// While one identity asks, another does not.
func TestGroupAsksOneQuestion(t *testing.T) {
	w := newWorld(t)
	var m *mcpserve.Server
	inner := make(chan mcpserve.Outcome, 10)
	p := &person{w: w}
	p.answer = func(ctx context.Context, q confirm.Pending) confirm.Answer {
		out, err := m.CallTool(ctx, "send_mail", json.RawMessage(`{"identity":"home","to":["carol@example.org"],"subject":"second","text":"b"}`))
		if err != nil {
			t.Error(err)
		}
		inner <- out
		return confirm.No(confirm.PathTerminal, confirm.Declined)
	}
	m = w.identities(t, p)
	if out, got := callTool(t, m, "send_mail", `{"identity":"work","to":["bob@example.com"],"subject":"first","text":"b"}`); got.Sent {
		t.Errorf("got %s", out.Text)
	}
	if out := <-inner; !out.IsError || len(p.questions()) != 1 {
		t.Errorf("the second question: got %s and %d questions, want a refusal and one", out.Text, len(p.questions()))
	}
	w.wantNothing(t)
}

func TestGroupInfo(t *testing.T) {
	m := newWorld(t).identities(t, nil)
	var got struct {
		From, Identity string
		Identities     []string
	}
	out, err := m.CallTool(t.Context(), "get_server_info", json.RawMessage(`{"identity":"home"}`))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(out.Structured, &got); err != nil || fmt.Sprint(got) != "{me@home.example home [work home]}" {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestGroupRefusesTwins(t *testing.T) {
	cfg, err := newWorld(t, func(c *setup) { c.Off = true }).config()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := NewGroup(cfg, cfg); !errors.Is(err, ErrIdentityTwice) {
		t.Errorf("got %v, want ErrIdentityTwice", err)
	}
}

// Whether anything may be sent is not decided by one of several identities.
func TestAllowSendIsForTheProgram(t *testing.T) {
	path := filepath.Join(t.TempDir(), "smtp.toml")
	writeSettings(t, path, "[identity.work]\nallow_send = true\nfrom = \"a@example.com\"\n")
	if _, _, err := config.LoadAll(Settings(), config.Options{File: path}); err == nil || !strings.Contains(err.Error(), "holds for the whole program") {
		t.Errorf("got %v", err)
	}
	writeSettings(t, path, "allow_send = true\n[identity.work]\nfrom = \"a@example.com\"\nallowed_recipients = [\"@example.com\"]\n[identity.home]\nfrom = \"b@example.com\"\n")
	all, _, err := config.LoadAll(Settings(), config.Options{File: path})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ConfigsFrom(all); err == nil || !strings.HasPrefix(err.Error(), "[identity.home] SMTP_ALLOWED_RECIPIENTS: required") {
		t.Errorf("an identity without an allowlist: got %v", err)
	}
}

func writeSettings(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
