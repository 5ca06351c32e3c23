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
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"mailgap/readmail/imaptest"
)

const (
	initialize  = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`
	initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
)

var built struct {
	once sync.Once
	path string
	err  error
}

// TestMain keeps the settings of the person who runs the tests out of them, and removes the binary that they share.
func TestMain(m *testing.M) {
	for _, name := range []string{"XDG_CONFIG_HOME", "APPDATA"} {
		if err := os.Setenv(name, filepath.Join(os.TempDir(), "mailgap-no-settings")); err != nil {
			os.Exit(exitFailed)
		}
	}
	code := m.Run()
	if built.path != "" {
		os.RemoveAll(filepath.Dir(built.path))
	}
	os.Exit(code)
}

// binary builds the program once for all tests of this file.
func binary(t *testing.T) string {
	t.Helper()
	built.once.Do(func() {
		dir, err := os.MkdirTemp("", "imap-mcp")
		if err != nil {
			built.err = err
			return
		}
		built.path = filepath.Join(dir, "imap-mcp")
		if out, err := exec.Command("go", "build", "-o", built.path, ".").CombinedOutput(); err != nil {
			built.err = errors.New(err.Error() + ": " + string(out))
		}
	})
	if built.err != nil {
		t.Fatal(built.err)
	}
	return built.path
}

// command is the program with these settings alone.
func command(t *testing.T, settings []string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), binary(t), args...)
	home := t.TempDir()
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "TMPDIR=" + home, "TZ=UTC"}, settings...)
	return cmd
}

// runs runs the program to its end and returns what it printed and its status.
func runs(t *testing.T, settings []string, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	cmd := command(t, settings, args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// account are the settings for a test server.
func account(host string, port int) []string {
	return []string{"IMAP_HOST=" + host, "IMAP_PORT=" + strconv.Itoa(port), "IMAP_TLS=none", "IMAP_USER=" + imaptest.User, "IMAP_PASSWORD=" + imaptest.Password}
}

// talk starts the server, sends lines, and returns its output line by line with a way to send more. The process is ended
// with the test.
func talk(t *testing.T, settings []string, args ...string) (*exec.Cmd, io.WriteCloser, *bufio.Scanner) {
	t.Helper()
	cmd := command(t, settings, args...)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(stdout)
	lines.Buffer(nil, maxLine)
	return cmd, stdin, lines
}

func send(t *testing.T, w io.Writer, lines ...string) {
	t.Helper()
	if _, err := io.WriteString(w, strings.Join(lines, "\n")+"\n"); err != nil {
		t.Fatal(err)
	}
}

// next returns the next line, which must be a JSON-RPC message.
func next(t *testing.T, lines *bufio.Scanner) string {
	t.Helper()
	if !lines.Scan() {
		t.Fatalf("no further line: %v", lines.Err())
	}
	var m struct {
		JSONRPC string `json:"jsonrpc"`
	}
	if err := json.Unmarshal(lines.Bytes(), &m); err != nil || m.JSONRPC != "2.0" {
		t.Fatalf("a line of standard output is no JSON-RPC message: %q", lines.Text())
	}
	return lines.Text()
}

// Every line on standard output is a message of the protocol, whatever is called.
func TestStandardOutputIsTheProtocol(t *testing.T) {
	cmd, stdin, lines := talk(t, nil, "--demo", "--verbose")
	send(t, stdin, initialize, initialized, `this is no JSON`, `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`,
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"list_messages","arguments":{}}}`,
		`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"get_message","arguments":{"ref":"nonsense"}}}`,
		`{"jsonrpc":"2.0","id":5,"method":"resources/templates/list"}`, `{"jsonrpc":"2.0","id":6,"method":"nowhere"}`)
	want := map[string]bool{`"id":1`: true, `"id":2`: true, `"id":3`: true, `"id":4`: true, `"id":5`: true, `"id":6`: true}
	for len(want) > 0 {
		line := next(t, lines)
		for id := range want {
			if strings.Contains(line, id) {
				delete(want, id)
			}
		}
	}
	stdin.Close()
	for lines.Scan() {
		t.Errorf("after the last answer: %q", lines.Text())
	}
	if err := ended(t, cmd); err != nil {
		t.Error(err)
	}
}

// Nothing happens before the first call: no connection, and the password is gone from the environment of the process.
func TestStartHasNoSideEffects(t *testing.T) {
	ts := imaptest.New(t, imaptest.Options{})
	host, port := ts.HostPort()
	cmd, stdin, lines := talk(t, account(host, port))
	send(t, stdin, initialize)
	next(t, lines)
	send(t, stdin, initialized, `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
	next(t, lines)
	if n := ts.Stats().Connections; n != 0 {
		t.Errorf("%d connections before the first call, want none", n)
	}
	if runtime.GOOS == "linux" {
		environ, err := os.ReadFile("/proc/" + strconv.Itoa(cmd.Process.Pid) + "/environ")
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(environ, []byte("IMAP_USER=")) || bytes.Contains(environ, []byte(imaptest.Password)) {
			t.Errorf("the environment of the process lacks IMAP_USER, or still holds the password")
		}
	}
	send(t, stdin, `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"list_messages","arguments":{}}}`)
	next(t, lines)
	if n := ts.Stats().Connections; n != 1 {
		t.Errorf("%d connections after the first call, want 1", n)
	}
	stdin.Close()
	if err := ended(t, cmd); err != nil {
		t.Error(err)
	}
}

// Whichever step fails, check names it, says what to change, and fails.
func TestCheckFailures(t *testing.T) {
	for name, tc := range map[string]struct {
		script imaptest.Script
		step   string
	}{
		"greeting":      {imaptest.Script{Greeting: "HTTP/1.1 400 Bad Request"}, "greeting"},
		"BYE":           {imaptest.Script{Greeting: "* BYE too many connections"}, "greeting"},
		"LOGINDISABLED": {imaptest.Script{Caps: "IMAP4rev1 LOGINDISABLED"}, "login"},
		"login":         {imaptest.Script{Auth: []string{"{tag} NO [AUTHENTICATIONFAILED] no"}}, "login"},
		"mailboxes":     {imaptest.Script{Steps: []imaptest.Step{imaptest.On("LIST").Reply("{tag} NO no")}}, "mailboxes"},
	} {
		t.Run(name, func(t *testing.T) {
			host, port := imaptest.NewScripted(t, tc.script).HostPort()
			out, errs, status := runs(t, account(host, port), "check")
			_, failed, ok := strings.Cut(out, "FAIL  ")
			if status != exitFailed || !ok || !strings.HasPrefix(failed, tc.step) || !strings.Contains(failed, "hint: ") {
				t.Errorf("status %d, output:\n%s%s\nwant status 1, a failing step %s and a hint", status, out, errs, tc.step)
			}
			if strings.Contains(out+errs, imaptest.Password) {
				t.Error("the output holds the password")
			}
		})
	}
	host, port := imaptest.New(t, imaptest.Options{}).HostPort()
	if out, errs, status := runs(t, account(host, port), "check"); status != exitOK || !strings.Contains(out, "All steps passed") {
		t.Errorf("good server: status %d\n%s%s", status, out, errs)
	}
	if out, errs, status := runs(t, nil, "check"); status != exitUsage || !strings.Contains(errs, "IMAP_HOST") {
		t.Errorf("no account: status %d\n%s%s", status, out, errs)
	}
}

func TestExitStatuses(t *testing.T) {
	for name, tc := range map[string]struct {
		args   []string
		status int
		want   string
	}{
		"call":          {[]string{"--demo", "call", "list_messages", "{}"}, exitOK, "INBOX"},
		"call as JSON":  {[]string{"--demo", "--json", "call", "list_messages", "{}"}, exitOK, `"coverage"`},
		"tool error":    {[]string{"--demo", "call", "get_message", `{"ref":"x"}`}, exitFailed, "hint"},
		"bad argument":  {[]string{"--demo", "call", "list_messages", `{"limit":"many"}`}, exitFailed, "limit"},
		"no such tool":  {[]string{"--demo", "call", "send_mail", "{}"}, exitUsage, "hint"},
		"no tool":       {[]string{"--demo", "call"}, exitUsage, "hint"},
		"no account":    {[]string{"call", "list_messages", "{}"}, exitFailed, "IMAP_HOST"},
		"bad command":   {[]string{"frobnicate"}, exitUsage, "help"},
		"bad flag":      {[]string{"--frobnicate"}, exitUsage, "help"},
		"version":       {[]string{"version"}, exitOK, release},
		"tools":         {[]string{"tools"}, exitOK, "get_thread"},
		"one tool":      {[]string{"tools", "get_message"}, exitOK, "inputSchema"},
		"no tool named": {[]string{"tools", "nothing"}, exitUsage, "hint"},
	} {
		t.Run(name, func(t *testing.T) {
			out, errs, status := runs(t, nil, tc.args...)
			if status != tc.status || !strings.Contains(out+errs, tc.want) {
				t.Errorf("status %d, want %d with %q; output:\n%s%s", status, tc.status, tc.want, out, errs)
			}
		})
	}
}

// What a person reads first fits a screen.
func TestTextsFitAScreen(t *testing.T) {
	for _, args := range [][]string{{"help"}, {"tools"}, {"version"}, {"frobnicate"}} {
		out, errs, _ := runs(t, nil, args...)
		lines := strings.Split(strings.TrimSpace(out+errs), "\n")
		if len(lines) > 40 {
			t.Errorf("%v: %d lines, want at most 40", args, len(lines))
		}
		for _, l := range lines {
			if utf8.RuneCountInString(l) > 80 {
				t.Errorf("%v: longer than 80 characters: %s", args, l)
			}
		}
	}
}

// A mistyped setting stops the program, with the name meant and without any value.
func TestMistypedSettings(t *testing.T) {
	const value = "a-value-nobody-should-see"
	for name, tc := range map[string]struct {
		setting, want string
	}{
		"near miss":  {"IMAP_PASWORD", "IMAP_PASSWORD"},
		"alias":      {"IMAP_SERVER", "IMAP_HOST"},
		"wrong kind": {"IMAP_PORT", "IMAP_PORT"},
		"choice":     {"IMAP_TLS", "implicit"},
	} {
		t.Run(name, func(t *testing.T) {
			out, errs, status := runs(t, []string{tc.setting + "=" + value}, "serve")
			if status != exitUsage || !strings.Contains(errs, tc.want) || strings.Contains(out+errs, value) {
				t.Errorf("status %d, output %q %q; want status 2, %s named and no value", status, out, errs, tc.want)
			}
		})
	}
}

// Start and size at rest. The targets are 30 ms and 30 MB; the bounds here leave room for a machine that is busy.
func TestStartIsQuickAndSmall(t *testing.T) {
	const (
		startBound = 2 * time.Second
		sizeBound  = 60 << 20
	)
	best, rss := time.Hour, int64(0)
	for range 5 {
		began := time.Now()
		cmd, stdin, lines := talk(t, account("127.0.0.1", 9))
		send(t, stdin, initialize)
		next(t, lines)
		best = min(best, time.Since(began))
		if runtime.GOOS == "linux" {
			rss = residentOctets(t, cmd.Process.Pid)
		}
		stdin.Close()
		if err := ended(t, cmd); err != nil {
			t.Error(err)
		}
	}
	t.Logf("initialize after %v, resident %.1f MB", best.Round(100*time.Microsecond), float64(rss)/1e6)
	if best > startBound || rss > sizeBound {
		t.Errorf("initialize after %v, resident %d octets; want under %v and %d", best, rss, startBound, sizeBound)
	}
}

// residentOctets is what a process holds in memory, on Linux.
func residentOctets(t *testing.T, pid int) int64 {
	t.Helper()
	return statusOctets(t, pid, "VmRSS:")
}

// statusOctets reads one line of /proc/PID/status.
func statusOctets(t *testing.T, pid int, line string) int64 {
	t.Helper()
	status, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(status), line)
	kb, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return kb << 10
}
