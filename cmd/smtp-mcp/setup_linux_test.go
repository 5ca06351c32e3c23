package main

import (
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"mailgap/sendmail/smtptest"
)

// turn is what is waited for, and what is typed then.
type turn struct{ prompt, answer string }

// converse runs cmd on a terminal of its own, and returns its error.
func converse(t *testing.T, cmd *exec.Cmd, turns []turn) error {
	t.Helper()
	tty, person := openTerminal(t)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 3}
	cmd.ExtraFiles = []*os.File{tty}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if err := tty.Close(); err != nil { // so that reading ends if the program does
		t.Fatal(err)
	}
	for _, turn := range turns {
		readUntil(t, person, turn.prompt)
		if _, err := person.WriteString(turn.answer); err != nil {
			t.Fatal(err)
		}
	}
	go func() { // the program must not wait for somebody to read its last words
		buf := make([]byte, 4096)
		for {
			if _, err := person.Read(buf); err != nil {
				return
			}
		}
	}()
	return cmd.Wait()
}

// From nothing to a message that arrives: setup on a terminal, then check, and a call that asks there and sends.
func TestSetup(t *testing.T) {
	server := smtptest.New(t, smtptest.Options{TLS: smtptest.StartTLS, Mechanisms: []string{"PLAIN"}})
	host, port, err := net.SplitHostPort(server.Addr())
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	if err := os.Mkdir(filepath.Join(home, ".gemini"), 0o755); err != nil {
		t.Fatal(err)
	}
	settings := []string{"HOME=" + home, "XDG_RUNTIME_DIR=" + home, "SMTP_STATE_DIR=" + filepath.Join(home, "state"), "SMTP_LEDGER=false"} // no key store
	err = converse(t, program(t, settings, "setup"), []turn{
		{"Mail address: ", "ann@mail.test\n"},
		{"SMTP submission server: ", host + "\n"}, {"Port [465]: ", port + "\n"}, {"[implicit]: ", "starttls\n"},
		{"User name [ann@mail.test]: ", smtptest.User + "\n"}, {"(not shown): ", smtptest.Password + "\n"},
		{"Ctrl-D: end: ", "pin\n"},
		{"(Enter: none): ", "Ann\n"}, {"Recipients: ", "@example.com\n"}, {"[auto]: ", "\n"}, {"[y/N]: ", "\n"},
		{"Write this? [Y/n]: ", "y\n"}, {"Write this? [Y/n]: ", "y\n"},
	})
	if err != nil {
		t.Fatalf("setup: %v", err)
	}
	if out, errs, status := runs(t, settings, "check"); status != exitOK || !strings.Contains(out, "All steps passed") {
		t.Errorf("check: status %d\n%s%s", status, out, errs)
	}
	if err := converse(t, program(t, settings, "call", "send_mail", helloArgs), []turn{{"anything else not to: ", "send\n"}}); err != nil {
		t.Errorf("call: %v", err)
	}
	if got := server.Messages(); len(got) != 1 || got[0].ForwardPaths[0] != "friend@example.com" || !strings.Contains(string(got[0].Octets), "ann@mail.test") {
		t.Errorf("arrived: %+v", got)
	}
	checkClient(t, filepath.Join(home, ".gemini", "settings.json"))
}

// checkClient: a client is told where the program is, and no secret.
func checkClient(t *testing.T, path string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		McpServers map[string]struct {
			Command string
			Args    []string
		}
	}
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	if got := file.McpServers["smtp-mcp"].Command; !filepath.IsAbs(got) || strings.Contains(string(text), smtptest.Password) {
		t.Errorf("got %s", text)
	}
}

// Without a terminal nobody is asked.
func TestSetupWithoutTerminal(t *testing.T) {
	home := t.TempDir()
	out, errs, status := runsWith(t, "ann@mail.test\n", []string{"HOME=" + home}, "setup")
	if status != exitUsage || out != "" || !strings.Contains(errs, "no terminal") || !strings.Contains(errs, "hint: ") {
		t.Errorf("status %d, got %q %q", status, out, errs)
	}
	if left, _ := os.ReadDir(home); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
