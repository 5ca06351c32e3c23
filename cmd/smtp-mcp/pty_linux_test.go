package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
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

// On a terminal, smtp-mcp call asks there, and only the word in full sends. What standard input says is no answer.
func TestCallAsksOnTheTerminal(t *testing.T) {
	for typed, sent := range map[string]bool{"send\n": true, "yes\n": false, "\n": false, "Send this message\n": false} {
		t.Run(strings.TrimSpace(typed), func(t *testing.T) {
			tty, person := openTerminal(t)
			settings := []string{"SMTP_STATE_DIR=" + filepath.Join(t.TempDir(), "state")}
			cmd := program(t, settings, "--demo", "call", "send_mail", helloArgs)
			cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 3}
			cmd.ExtraFiles = []*os.File{tty}
			cmd.Stdin = strings.NewReader("send\n")
			var out, errs bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &errs
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if err := tty.Close(); err != nil { // so that reading ends if the program does
				t.Fatal(err)
			}
			question := readUntil(t, person, "anything else not to: ")
			for _, want := range []string{"To 1/1", "friend@example.com", "Hello", "Hi."} {
				if !strings.Contains(question, want) {
					t.Errorf("the question lacks %q:\n%s", want, question)
				}
			}
			if _, err := person.WriteString(typed); err != nil {
				t.Fatal(err)
			}
			if err := cmd.Wait(); (err == nil) != sent {
				t.Errorf("exit: %v", err)
			}
			if arrived := strings.Contains(errs.String(), "accepted a message"); arrived != sent || strings.HasPrefix(out.String(), "Sent to 1 recipient") != sent {
				t.Errorf("arrived %t, want %t: %s%s", arrived, sent, out.String(), errs.String())
			}
		})
	}
}

// readUntil reads what the program shows until it ends in mark.
func readUntil(t *testing.T, f *os.File, mark string) string {
	t.Helper()
	var text []byte
	buf := make([]byte, 4096)
	for !strings.HasSuffix(string(text), mark) {
		n, err := f.Read(buf)
		if err != nil {
			t.Fatalf("after %q: %v", text, err)
		}
		text = append(text, buf[:n]...)
	}
	return string(text)
}
