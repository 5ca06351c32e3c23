package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mailgap/sendmail"
	"mailgap/sendmail/policy"
	"mailgap/shared/addr"
	"mailgap/shared/config"
)

var updateReadme = flag.Bool("update-readme", false, "rewrite the generated sections of the README")

// The tables of the README are those of the program.
func TestReadmeTables(t *testing.T) {
	const name = "../../README.md"
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	got := string(text)
	for section, want := range map[string]string{"sendtools": toolTable(t), "sendsettings": config.Table(sendmail.Settings())} {
		begin, end := "<!-- "+section+":begin -->\n", "<!-- "+section+":end -->"
		head, rest, ok := strings.Cut(got, begin)
		old, tail, ok2 := strings.Cut(rest, end)
		if !ok || !ok2 {
			t.Fatalf("the README has no section %s", section)
		}
		if old != want && !*updateReadme {
			t.Errorf("section %s of the README is stale: run go test ./cmd/smtp-mcp -run ReadmeTables -update-readme", section)
		}
		got = head + begin + want + end + tail
	}
	if *updateReadme {
		if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func toolTable(t *testing.T) string {
	allow, err := policy.ParseAllowlist([]string{"*"})
	if err != nil {
		t.Fatal(err)
	}
	from, err := addr.ParseSpec("reader@example.org")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	s, err := sendmail.New(sendmail.Config{AllowSend: true, Allowlist: allow, From: from, StateDir: dir, AuditLog: dir + "/audit.jsonl"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	m, err := s.MCP()
	if err != nil {
		t.Fatal(err)
	}
	var list struct {
		Tools []struct{ Name, Description string }
	}
	if err := json.Unmarshal(m.ToolList(), &list); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("| Tool | Does |\n|---|---|\n")
	for _, tool := range list.Tools {
		fmt.Fprintf(&b, "| `%s` | %s |\n", tool.Name, tool.Description)
	}
	return b.String()
}

// The settings file that the README shows is one that this program takes, and the other program's is not.
func TestReadmeSettingsFile(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	load := func(name string) (config.Loaded, error) {
		_, rest, ok := strings.Cut(string(text), "```toml\n# "+name+"\n")
		body, _, ok2 := strings.Cut(rest, "```")
		if !ok || !ok2 {
			t.Fatalf("the README shows no %s", name)
		}
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
		all, _, err := config.LoadAll(sendmail.Settings(), config.Options{File: path})
		return all, err
	}
	all, err := load("smtp.toml")
	if err != nil || fmt.Sprint(all.Names()) != "[work home]" {
		t.Fatalf("got %v, %v", all.Names(), err)
	}
	if _, err := sendmail.ConfigsFrom(all); err != nil {
		t.Error(err)
	}
	if _, err := load("imap.toml"); err == nil {
		t.Error("the file of the other program is taken")
	}
}
