package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"mailgap/readmail/imaptest"
)

// openTerminal opens a pseudo terminal: what the program sees, and what a person would.
func openTerminal(t *testing.T) (program, person *os.File) {
	t.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo terminal here: %v", err)
	}
	t.Cleanup(func() { person.Close() })
	if err := unix.IoctlSetPointerInt(int(person.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(int(person.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { program.Close() })
	return program, person
}

// readUntil reads what the program shows until it ends in mark.
func readUntil(t *testing.T, f *os.File, mark string) string {
	t.Helper()
	var text []byte
	buf := make([]byte, 4096)
	for !strings.HasSuffix(string(text), mark) {
		n, err := f.Read(buf)
		if err != nil {
			t.Fatalf("waiting for %q, after %q: %v", mark, text, err)
		}
		text = append(text, buf[:n]...)
	}
	return string(text)
}

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

// From nothing to an answer: setup on a terminal, against a server whose certificate has to be pinned, with a wrong password
// first; then check, a call, and the entry in a client's file.
func TestSetup(t *testing.T) {
	host, port := imaptest.New(t, imaptest.Options{TLS: imaptest.StartTLS}).HostPort()
	home := t.TempDir()
	if err := os.Mkdir(filepath.Join(home, ".cursor"), 0o755); err != nil {
		t.Fatal(err)
	}
	settings := []string{"HOME=" + home, "XDG_RUNTIME_DIR=" + home} // no key store
	err := converse(t, command(t, settings, "setup"), []turn{
		{"Mail address: ", "ann@mail.test\n"},
		{"IMAP server: ", host + "\n"}, {"Port [993]: ", strconv.Itoa(port) + "\n"}, {"[implicit]: ", "starttls\n"},
		{"User name [ann@mail.test]: ", imaptest.User + "\n"}, {"(not shown): ", "wrong\n"},
		{"Ctrl-D: end: ", "pin\n"},
		{"Ctrl-D: end [p]: ", "p\n"}, {"(not shown): ", imaptest.Password + "\n"},
		{"Write this? [Y/n]: ", "y\n"}, {"Write this? [Y/n]: ", "\n"},
	})
	if err != nil {
		t.Fatalf("setup: %v", err)
	}
	out, errs, status := runs(t, settings, "check")
	if status != exitOK || !strings.Contains(out, "All steps passed") {
		t.Errorf("check: status %d\n%s%s", status, out, errs)
	}
	entry := cursorEntry(t, home)
	if entry.Command != binary(t) || len(entry.Args) != 0 {
		t.Errorf("client: got %+v", entry)
	}
	out, errs, status = runs(t, settings, append(slices.Clone(entry.Args), "call", "list_messages", "{}")...)
	if status != exitOK || !strings.Contains(out, "INBOX") {
		t.Errorf("call: status %d\n%s%s", status, out, errs)
	}
	checkFiles(t, home)
}

func cursorEntry(t *testing.T, home string) (entry struct {
	Command string
	Args    []string
}) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(home, ".cursor", "mcp.json"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		McpServers map[string]json.RawMessage
	}
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(file.McpServers["imap-mcp"], &entry); err != nil {
		t.Fatal(err)
	}
	return entry
}

// checkFiles: the password is in one file, which is private, as are the settings.
func checkFiles(t *testing.T, home string) {
	t.Helper()
	var with []string
	for _, pattern := range []string{".config/mailgap/*", ".config/mailgap/secrets/*", ".cursor/*"} {
		files, _ := filepath.Glob(filepath.Join(home, pattern))
		for _, path := range files {
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			if info.Mode().Perm()&0o077 != 0 {
				t.Errorf("%s has mode %v", path, info.Mode())
			}
			if text, _ := os.ReadFile(path); strings.Contains(string(text), imaptest.Password) {
				with = append(with, filepath.Base(path))
			}
		}
	}
	if !slices.Equal(with, []string{"imap-mcp-mail.password"}) {
		t.Errorf("the password is in %v", with)
	}
}

// Ctrl-D leaves nothing behind, and without a terminal nothing is asked.
func TestSetupEnded(t *testing.T) {
	home := t.TempDir()
	settings := []string{"HOME=" + home, "XDG_RUNTIME_DIR=" + home}
	if err := converse(t, command(t, settings, "setup"), []turn{{"Mail address: ", "ann@mail.test\n"}, {"IMAP server: ", "\x04"}}); err == nil {
		t.Error("ended: no error")
	}
	cmd := command(t, settings, "setup")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Stdin = strings.NewReader("ann@mail.test\n")
	out, err := cmd.CombinedOutput()
	if err == nil || cmd.ProcessState.ExitCode() != exitUsage || !strings.Contains(string(out), "no terminal") || !strings.Contains(string(out), "hint: ") {
		t.Errorf("without a terminal: %v, %s", err, out)
	}
	if left, _ := os.ReadDir(home); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
