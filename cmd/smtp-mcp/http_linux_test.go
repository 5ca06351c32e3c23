package main

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

const httpToken = "0123456789abcdef0123456789abcdef"

// TestHTTP sends a message over HTTP that a person approves in a terminal. A client that says it shows forms is not asked.
func TestHTTP(t *testing.T) {
	settings := []string{"SMTP_STATE_DIR=" + filepath.Join(t.TempDir(), "state"), "SMTP_HTTP_TOKEN=" + httpToken, "SMTP_CONFIRM=terminal"}
	server := program(t, settings, "--demo", "--http", "127.0.0.1:0")
	stderr, err := server.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	var stdout bytes.Buffer
	server.Stdout = &stdout
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Process.Kill() }) // it has ended already if the test passed
	lines := bufio.NewScanner(stderr)
	url := ""
	for url == "" && lines.Scan() {
		_, url, _ = strings.Cut(lines.Text(), "url=")
	}
	go func() { _, _ = io.Copy(io.Discard, stderr) }()
	session := ""
	post := func(body string) string {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header = http.Header{"Authorization": {"Bearer " + httpToken}, "Content-Type": {"application/json"}, "Mcp-Session-Id": {session}}
		r, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Error(err)
			return ""
		}
		defer r.Body.Close()
		session = r.Header.Get("Mcp-Session-Id")
		text, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		return string(text)
	}
	post(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"elicitation":{}},"clientInfo":{"name":"t","version":"1"}}}`)

	tty, person := openTerminal(t)
	approve := program(t, settings, "--demo", "approve", "--watch")
	approve.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 0}
	approve.Stdin, approve.Stdout, approve.Stderr = tty, tty, tty
	if err := approve.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = approve.Process.Kill(); _ = approve.Wait() }) // it watches for more
	if err := tty.Close(); err != nil {
		t.Fatal(err)
	}
	answer := make(chan string, 1)
	go func() {
		answer <- post(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"send_mail","arguments":` + helloArgs + `}}`)
	}()
	readUntil(t, person, "leaves the message waiting: ")
	if _, err := person.WriteString("send\n"); err != nil {
		t.Fatal(err)
	}
	if got := <-answer; !strings.Contains(got, `"outcome":"sent"`) || strings.Contains(got, "elicitation/create") {
		t.Errorf("got %s, want a message that was sent", got)
	}
	if err := server.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := server.Wait(); err != nil || stdout.Len() > 0 {
		t.Errorf("got %v and %q on standard output, want status 0 and nothing", err, stdout.String())
	}
}

func TestHTTPNeedsMore(t *testing.T) {
	token, page := "SMTP_HTTP_TOKEN="+httpToken, "SMTP_CONFIRM=page"
	for _, c := range []struct {
		name, address, want string
		settings            []string
	}{
		{"form of the client", "127.0.0.1:0", "SMTP_CONFIRM=page", []string{token}},
		{"both", "127.0.0.1:0", "SMTP_CONFIRM=page", []string{token, "SMTP_CONFIRM=both"}},
		{"nobody", "127.0.0.1:0", "SMTP_CONFIRM=page", []string{token, "ELICITATION=false"}},
		{"no token", "127.0.0.1:0", "openssl rand", []string{page}},
		{"every address", "0.0.0.0:0", "127.0.0.1", []string{token, page}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, errs, status := runs(t, append(c.settings, "SMTP_STATE_DIR="+filepath.Join(t.TempDir(), "state")), "--demo", "--http", c.address)
			if status != exitUsage || !strings.Contains(errs, c.want) {
				t.Errorf("got status %d and %s, want a hint with %q", status, errs, c.want)
			}
		})
	}
}
