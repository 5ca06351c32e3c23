package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"
)

// programEnv makes the test binary the program.
const programEnv = "MAILGAP_TEST_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(programEnv) == "" {
		os.Exit(m.Run())
	}
	if err := os.Unsetenv(programEnv); err != nil {
		os.Exit(exitFailed)
	}
	main()
}

// patience is how long a test waits for what must come. Nothing passes by waiting it out.
const patience = 30 * time.Second

const helloArgs = `{"to":["friend@example.com"],"subject":"Hello","text":"Hi."}`

// program is smtp-mcp with these settings alone. It has no controlling terminal.
func program(t *testing.T, settings []string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
	// Nothing of this machine's user: no home with a ledger, and no directory in which demos of others left one.
	cmd.Env = append([]string{programEnv + "=1", "PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "TMPDIR=" + t.TempDir(), "TZ=UTC"}, settings...)
	cmd.SysProcAttr = noTerminal()
	return cmd
}

// runs runs the program to its end and returns what it printed and its status.
func runs(t *testing.T, settings []string, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	return runsWith(t, "", settings, args...)
}

func runsWith(t *testing.T, stdin string, settings []string, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	cmd := program(t, settings, args...)
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	checkSecret(t, addressFile(settings), out.String()+errs.String())
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

func TestHelpFitsAScreen(t *testing.T) {
	for _, args := range [][]string{{"help"}, {"-h"}, {"serve", "--help"}} {
		out, _, status := runs(t, nil, args...)
		lines := strings.Split(strings.TrimRight(out, "\n"), "\n")
		if status != exitOK || len(lines) > 40 {
			t.Errorf("%v: status %d, %d lines, want at most 40", args, status, len(lines))
		}
		for _, l := range lines {
			if n := utf8.RuneCountInString(l); n > 80 {
				t.Errorf("%d columns, want at most 80: %s", n, l)
			}
		}
	}
}

// The command line is strict, and every refusal says what to do.
func TestUsageErrors(t *testing.T) {
	state := "SMTP_STATE_DIR=" + t.TempDir()
	for _, tt := range []struct {
		settings []string
		args     []string
		want     string
	}{
		{nil, []string{"sned"}, `unknown command "sned"`},
		{nil, []string{"--force"}, `unknown flag "--force"`},
		{nil, []string{"call"}, "takes a tool and a JSON object"},
		{nil, []string{"call", "send_mail", "{}"}, "no such tool"},
		{nil, []string{"tools", "send_mail"}, "need SMTP_ALLOW_SEND=true"},
		{nil, []string{"check"}, "set SMTP_HOST"},
		{nil, []string{"log", "many"}, "number of records"},
		{[]string{state}, []string{"outbox", "settle", "1"}, "settle ID sent|failed"},
		{[]string{state}, []string{"outbox", "settle", "one", "sent"}, "named by its number"},
		{[]string{"SMTP_ALLOW_SEND=true"}, []string{"serve"}, "SMTP_ALLOWED_RECIPIENTS"},
		{[]string{"SMTP_ALLOW_SEND=yes"}, []string{"serve"}, "write true or false"},
		{[]string{"SMTP_ALLOW_SEND=true", "SMTP_ALLOWED_RECIPIENTS=*", state}, []string{"serve"}, "SMTP_FROM"},
	} {
		out, stderr, status := runs(t, tt.settings, tt.args...)
		if status != exitUsage || out != "" || !strings.Contains(stderr, tt.want) || !strings.Contains(stderr, "hint: ") {
			t.Errorf("%v %v: status %d, got %q %q, want %d with %q and a hint", tt.settings, tt.args, status, out, stderr, exitUsage, tt.want)
		}
	}
}

// Without a terminal a sending tool is refused, and no slot is spent.
func TestCallWithoutTerminal(t *testing.T) {
	settings := []string{"SMTP_STATE_DIR=" + filepath.Join(t.TempDir(), "state")}
	for _, stdin := range []string{"", "send\n"} {
		out, stderr, status := runsWith(t, stdin, settings, "--demo", "call", "send_mail", helloArgs)
		if status != exitFailed || !strings.Contains(out, "no terminal to ask a person on") || strings.Contains(stderr, "accepted a message") {
			t.Errorf("stdin %q: status %d, got %q %q", stdin, status, out, stderr)
		}
	}
	if out, _, _ := runs(t, settings, "--demo", "outbox"); !strings.Contains(out, "0 of 20 sends used") {
		t.Errorf("outbox: got %q", out)
	}
	if out, _, status := runs(t, settings, "--demo", "call", "preview_mail", helloArgs); status != exitOK || !strings.Contains(out, "Nothing speaks against") {
		t.Errorf("preview: status %d, got %q", status, out)
	}
}

// session is a running server of the old revisions, and what it prints.
type session struct {
	t     *testing.T
	cmd   *exec.Cmd
	in    io.WriteCloser
	lines *bufio.Scanner
	log   peerLog
	said  peerLog
}

func serve(t *testing.T, settings []string, args ...string) *session {
	t.Helper()
	s := &session{t: t, cmd: program(t, settings, args...)}
	s.cmd.Stderr = &s.log
	var err error
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stuck := time.AfterFunc(patience, func() { _ = s.cmd.Process.Kill() })
	t.Cleanup(func() {
		stuck.Stop()
		// The side of the model sees no approval page, in any test.
		checkSecret(t, addressFile(settings), s.said.String()+s.log.String())
	})
	s.lines = bufio.NewScanner(io.TeeReader(out, &s.said))
	s.lines.Buffer(nil, 4<<20)
	s.say(`{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},"clientInfo":{"name":"t","version":"1"}}}`)
	if got := s.next(); !strings.Contains(got, "only what a person approved") {
		t.Fatalf("initialize: got %s", got)
	}
	return s
}

func (s *session) say(line string) {
	s.t.Helper()
	if _, err := io.WriteString(s.in, line+"\n"); err != nil {
		s.t.Fatal(err)
	}
}

// next returns the next line, which must be a JSON-RPC message: standard output carries nothing else.
func (s *session) next() string {
	s.t.Helper()
	if !s.lines.Scan() {
		s.t.Fatalf("no further line: %v", s.lines.Err())
	}
	var m struct {
		JSONRPC string `json:"jsonrpc"`
	}
	if err := json.Unmarshal(s.lines.Bytes(), &m); err != nil || m.JSONRPC != "2.0" {
		s.t.Fatalf("standard output has %q, want JSON-RPC only", s.lines.Text())
	}
	return s.lines.Text()
}

// ends waits for the end of the process and returns how long that took.
func (s *session) ends() time.Duration {
	s.t.Helper()
	begin := time.Now()
	for s.lines.Scan() {
	}
	if err := s.cmd.Wait(); err != nil {
		s.t.Errorf("exit: %v", err)
	}
	return time.Since(begin)
}

// Where every line of standard output is parsed, a message is approved and sent, and the process ends soon after its input.
func TestServeDemo(t *testing.T) {
	settings := []string{"SMTP_STATE_DIR=" + filepath.Join(t.TempDir(), "state")}
	s := serve(t, settings, "--demo")
	s.say(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"send_mail","arguments":` + helloArgs + `}}`)
	var q struct {
		ID     json.RawMessage
		Method string
	}
	if err := json.Unmarshal([]byte(s.next()), &q); err != nil || q.Method != "elicitation/create" {
		t.Fatalf("got %+v, %v, want a question", q, err)
	}
	s.say(`{"jsonrpc":"2.0","id":` + string(q.ID) + `,"result":{"action":"accept","content":{"decision":"Send this message"}}}`)
	if got := s.next(); !strings.Contains(got, `"sent":true`) {
		t.Errorf("got %s", got)
	}
	s.in.Close()
	if took := s.ends(); took > 5*time.Second {
		t.Errorf("the process ended after %v", took)
	}
	log := s.log.String()
	for _, want := range []string{"sending=on", "allowlist=2", "approval=auto", "the demo server accepted a message for friend@example.com", "Subject: Hello"} {
		if !strings.Contains(log, want) {
			t.Errorf("standard error lacks %q:\n%s", want, log)
		}
	}
	started, _, _ := strings.Cut(log, "--- the demo")
	if strings.Count(started, "msg=smtp-mcp") != 1 || strings.Contains(started, "@") {
		t.Errorf("want one line at the start, without addresses:\n%s", started)
	}
	checkHistory(t, settings)
}

// checkHistory reads what a send left behind, and notices that a record was edited.
func checkHistory(t *testing.T, settings []string) {
	t.Helper()
	settings = append(settings, "SMTP_FROM=reader@demo.example")
	if out, _, _ := runs(t, settings, "outbox"); !strings.Contains(out, "sent") || !strings.Contains(out, "1 of 20 sends used") {
		t.Errorf("outbox: got %q", out)
	}
	out, _, status := runs(t, settings, "log")
	for _, want := range []string{"config", "sending", "sent", "elicitation", "friend@example.com"} {
		if status != exitOK || !strings.Contains(out, want) {
			t.Errorf("log: status %d, got %q, want %q in it", status, out, want)
		}
	}
	if strings.Contains(out, "Hi.") {
		t.Error("the log holds the text of the message")
	}
	if out, _, status := runs(t, settings, "log", "--verify"); status != exitOK || !strings.Contains(out, "The chain holds") {
		t.Errorf("verify: status %d, got %q", status, out)
	}
	file := filepath.Join(strings.TrimPrefix(settings[0], "SMTP_STATE_DIR="), "audit.jsonl")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, bytes.Replace(data, []byte("friend@example.com"), []byte("enemy1@example.com"), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, _, status := runs(t, settings, "log", "--verify"); status != exitFailed || strings.Contains(out, "The chain holds") {
		t.Errorf("verify after an edit: status %d, got %q", status, out)
	}
}

// why needs a Message-ID that the log has, and says what to do otherwise.
func TestWhy(t *testing.T) {
	settings := []string{"SMTP_STATE_DIR=" + filepath.Join(t.TempDir(), "state")}
	for _, tt := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{"--demo", "why"}, exitUsage, "why takes a Message-ID"},
		{[]string{"--demo", "why", "a@b.example", "c@d.example"}, exitUsage, "why takes a Message-ID"},
		{[]string{"--demo", "why", "a@b.example"}, exitFailed, "hint: "},
	} {
		if _, stderr, status := runs(t, settings, tt.args...); status != tt.status || !strings.Contains(stderr, tt.want) {
			t.Errorf("%v: status %d, %q, want %d and %q", tt.args, status, stderr, tt.status, tt.want)
		}
	}
}

// A refusal twice locks sending, a person unlocks it, and both are on record.
func TestUnlock(t *testing.T) {
	settings := []string{"SMTP_STATE_DIR=" + filepath.Join(t.TempDir(), "state")}
	s := serve(t, settings, "--demo")
	for range 2 {
		s.say(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"send_mail","arguments":` + helloArgs + `}}`)
		var q struct{ ID json.RawMessage }
		if err := json.Unmarshal([]byte(s.next()), &q); err != nil {
			t.Fatal(err)
		}
		s.say(`{"jsonrpc":"2.0","id":` + string(q.ID) + `,"result":{"action":"decline"}}`)
		if got := s.next(); !strings.Contains(got, "declined") {
			t.Errorf("got %s", got)
		}
	}
	if out, _, _ := runs(t, settings, "--demo", "outbox"); !strings.Contains(out, "Sending is locked") {
		t.Errorf("outbox: got %q", out)
	}
	if out, _, status := runs(t, settings, "--demo", "unlock"); status != exitOK || !strings.Contains(out, "unlocked") {
		t.Errorf("unlock: status %d, got %q", status, out)
	}
	s.say(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"send_mail","arguments":` + helloArgs + `}}`)
	if got := s.next(); !strings.Contains(got, "elicitation/create") {
		t.Errorf("after unlock: got %s", got)
	}
	s.cmd.Process.Signal(syscall.SIGTERM)
	s.ends()
	if out, _, _ := runs(t, settings, "--demo", "log"); !strings.Contains(out, "unlocked") || !strings.Contains(out, "locked") {
		t.Errorf("log: got %q", out)
	}
	if out, _, _ := runs(t, settings, "--demo", "log", "--verify"); !strings.Contains(out, "The chain holds") {
		t.Errorf("verify: got %q", out)
	}
}

// A program that sends nothing makes no files.
func TestNoTrace(t *testing.T) {
	dir := t.TempDir()
	settings := []string{"SMTP_STATE_DIR=" + filepath.Join(dir, "state")}
	s := serve(t, settings)
	s.say(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"preview_mail","arguments":` + helloArgs + `}}`)
	if got := s.next(); !strings.Contains(got, "Sending is off") {
		t.Errorf("got %s", got)
	}
	s.in.Close()
	s.ends()
	if names, err := os.ReadDir(dir); err != nil || len(names) != 0 {
		t.Errorf("files: got %v, %v, want none", names, err)
	}
	if !strings.Contains(s.log.String(), "sending=off") {
		t.Errorf("the start says: %s", s.log.String())
	}
}
