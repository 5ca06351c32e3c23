package main

import (
	"bufio"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
)

const httpToken = "0123456789abcdef0123456789abcdef"

// TestHTTP reads the demo mailbox over HTTP, and ends the program by a signal.
func TestHTTP(t *testing.T) {
	cmd := command(t, []string{"IMAP_HTTP_TOKEN=" + httpToken, "IMAP_LEDGER=false"}, "--demo", "--http", "127.0.0.1:0")
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout := &syncBuffer{}
	cmd.Stdout = stdout
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() }) // it has ended already if the test passed
	lines := bufio.NewScanner(stderr)
	url := ""
	for url == "" && lines.Scan() {
		_, url, _ = strings.Cut(lines.Text(), "url=")
	}
	go func() { _, _ = io.Copy(io.Discard, stderr) }()
	post := func(token, session, body string) (*http.Response, string) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header = http.Header{"Authorization": {"Bearer " + token}, "Content-Type": {"application/json"}, "Mcp-Session-Id": {session}}
		r, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		text, err := io.ReadAll(r.Body)
		if err != nil {
			t.Fatal(err)
		}
		return r, string(text)
	}
	hello := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	if r, _ := post("wrong"+httpToken, "", hello); r.StatusCode != http.StatusUnauthorized {
		t.Errorf("wrong token: got %s", r.Status)
	}
	r, _ := post(httpToken, "", hello)
	_, text := post(httpToken, r.Header.Get("Mcp-Session-Id"), `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"list_messages","arguments":{"limit":1}}}`)
	if !strings.Contains(text, `"messages"`) {
		t.Errorf("got %s, want messages", text)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := ended(t, cmd); err != nil {
		t.Errorf("got %v, want status 0", err)
	}
	if stdout.String() != "" {
		t.Errorf("standard output has %q", stdout)
	}
}

func TestHTTPNeedsTokenAndLoopback(t *testing.T) {
	for _, c := range []struct{ name, setting, address, want string }{
		{"no token", "IMAP_LEDGER=false", "127.0.0.1:0", "openssl rand"},
		{"short token", "IMAP_HTTP_TOKEN=short", "127.0.0.1:0", "openssl rand"},
		{"every address", "IMAP_HTTP_TOKEN=" + httpToken, "0.0.0.0:0", "127.0.0.1:8765"},
		{"port alone", "IMAP_HTTP_TOKEN=" + httpToken, ":8765", "127.0.0.1:8765"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, errs, status := runs(t, []string{c.setting}, "--demo", "--http", c.address); status != exitUsage || !strings.Contains(errs, c.want) {
				t.Errorf("got status %d and %s, want a hint with %q", status, errs, c.want)
			}
		})
	}
}
