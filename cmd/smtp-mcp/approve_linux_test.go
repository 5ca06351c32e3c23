package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// deskSettings make a demo server whose messages are approved in a terminal.
func deskSettings(t *testing.T, more ...string) []string {
	t.Helper()
	return append([]string{"SMTP_STATE_DIR=" + filepath.Join(t.TempDir(), "state"), "SMTP_CONFIRM=terminal", "SMTP_LEDGER=false"}, more...)
}

// terminalRun is the program with a terminal of its own, and somebody in front of it.
type terminalRun struct {
	t    *testing.T
	cmd  *exec.Cmd
	tty  *os.File
	errs bytes.Buffer
	done chan error

	pieces chan string
	seen   string
}

// atTerminal starts the program with a terminal as standard input and output.
func atTerminal(t *testing.T, settings []string, args ...string) *terminalRun {
	t.Helper()
	return inWindow(t, 0, settings, args...)
}

// inWindow is atTerminal with a window of some lines; 0 is of unknown height.
func inWindow(t *testing.T, lines uint16, settings []string, args ...string) *terminalRun {
	t.Helper()
	inside, person := openTerminal(t)
	if err := unix.IoctlSetWinsize(int(inside.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: lines, Col: 80}); err != nil {
		t.Fatal(err)
	}
	r := &terminalRun{t: t, tty: person, cmd: program(t, settings, args...), done: make(chan error, 1), pieces: make(chan string, 1000)}
	r.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 0}
	r.cmd.Stdin, r.cmd.Stdout, r.cmd.Stderr = inside, inside, &r.errs
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if err := inside.Close(); err != nil {
		t.Fatal(err)
	}
	go r.read()
	go func() { r.done <- r.cmd.Wait() }()
	return r
}

// shows returns what is shown up to mark, and forgets it.
func (r *terminalRun) shows(mark string) string {
	r.t.Helper()
	stuck := time.After(patience)
	for {
		if before, after, found := strings.Cut(r.seen, mark); found {
			r.seen = after
			return before + mark
		}
		select {
		case piece, ok := <-r.pieces:
			if !ok {
				r.t.Fatalf("the terminal ended after %q, want %q; standard error: %s", r.seen, mark, r.errs.String())
			}
			r.seen += piece
		case <-stuck:
			r.t.Fatalf("got %q, want %q", r.seen, mark)
		}
	}
}

// read hands on what the program writes to its terminal, until the last holder closes it.
func (r *terminalRun) read() {
	defer close(r.pieces)
	buf := make([]byte, 4096)
	for {
		n, err := r.tty.Read(buf)
		if err != nil {
			return
		}
		r.pieces <- string(buf[:n])
	}
}

func (r *terminalRun) types(line string) {
	r.t.Helper()
	if _, err := r.tty.WriteString(line + "\n"); err != nil {
		r.t.Fatal(err)
	}
}

// ends waits for the end and returns the status.
func (r *terminalRun) ends() int {
	r.t.Helper()
	select {
	case <-r.done:
		return r.cmd.ProcessState.ExitCode()
	case <-time.After(patience):
		r.t.Fatal("the program did not end")
	}
	return -1
}

// untilWaiting starts "approve" again and again until a message waits, and returns it with the question before the person.
func untilWaiting(t *testing.T, settings []string, args ...string) (*terminalRun, string) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for {
		r := atTerminal(t, settings, append([]string{"--demo", "approve"}, args...)...)
		first := r.shows("\n")
		if !strings.Contains(first, "Nothing waits") {
			return r, first + r.shows(prompted)
		}
		r.ends()
		if time.Now().After(deadline) {
			t.Fatal("no message waits")
		}
	}
}

const prompted = "leaves the message waiting: "

// Two processes agree through the state directory: one asks and waits, a person answers in the other.
func TestApprove(t *testing.T) {
	for word, want := range map[string]struct{ told, call string }{
		"send": {"Approved.", "Sent to 1 recipient"}, "no": {"Not approved: it is not sent.", "do_not_send"},
		"lock": {"sending is locked", "declined_and_locked"},
	} {
		t.Run(word, func(t *testing.T) {
			settings := deskSettings(t)
			s := serve(t, settings, "--demo")
			s.proposes(2, "Hello")
			r, question := untilWaiting(t, settings)
			for _, part := range []string{"To 1/1", "> friend@example.com", "> Hello", "> Hi.", "1 recipients"} {
				if !strings.Contains(question, part) {
					t.Errorf("the question lacks %q:\n%s", part, question)
				}
			}
			r.types(word)
			r.shows(want.told)
			if status := r.ends(); status != exitOK {
				t.Errorf("status %d: %s", status, r.errs.String())
			}
			if got := s.next(); !strings.Contains(got, want.call) {
				t.Errorf("the call: got %s, want %q", got, want.call)
			}
			out, _, _ := runs(t, settings, "--demo", "log")
			if !strings.Contains(out, "answered") || !strings.Contains(out, "terminal") {
				t.Errorf("log: got %s", out)
			}
			if out, _, _ := runs(t, settings, "--demo", "outbox"); strings.Contains(out, "Sending is locked") != (word == "lock") {
				t.Errorf("outbox: got %s", out)
			}
		})
	}
}

// Anything but one of the words leaves the message waiting; a second person is told that it was answered.
func TestApproveLeavesAndTells(t *testing.T) {
	settings := deskSettings(t)
	s := serve(t, settings, "--demo")
	s.proposes(2, "Hello")
	r, _ := untilWaiting(t, settings)
	r.types("yes")
	r.shows("No answer. The message waits until ")
	r.ends()
	first, _ := untilWaiting(t, settings)
	second, _ := untilWaiting(t, settings, "1")
	first.types("no")
	first.shows("Not approved")
	if status := second.ends(); status != exitFailed || !strings.Contains(second.errs.String(), "answered on the terminal (do_not_send)") {
		t.Errorf("the second person: status %d, %s", status, second.errs.String())
	}
	if status := first.ends(); status != exitOK {
		t.Errorf("the first person: status %d", status)
	}
	late := atTerminal(t, settings, "--demo", "approve", "1")
	if status := late.ends(); status != exitFailed || !strings.Contains(late.errs.String(), "does not wait any more") {
		t.Errorf("a late person: status %d, %s", status, late.errs.String())
	}
	if got := s.next(); !strings.Contains(got, "do_not_send") {
		t.Errorf("the call: got %s", got)
	}
}

// Without a terminal as standard input nobody is asked, and nothing is answered.
func TestApproveWithoutTerminal(t *testing.T) {
	settings := deskSettings(t)
	s := serve(t, settings, "--demo")
	s.proposes(2, "Hello")
	r, _ := untilWaiting(t, settings)
	r.types("")
	r.ends()
	for _, stdin := range []string{"", "send\n"} {
		out, stderr, status := runsWith(t, stdin, settings, "--demo", "approve", "1")
		if status != exitUsage || out != "" || !strings.Contains(stderr, "standard input is not a terminal") {
			t.Errorf("stdin %q: status %d, got %q %q", stdin, status, out, stderr)
		}
	}
	tty, person := openTerminal(t) // a terminal to ask on does not make up for a pipe
	cmd := program(t, settings, "--demo", "approve", "1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 3}
	cmd.ExtraFiles, cmd.Stdin = []*os.File{tty}, strings.NewReader("send\n")
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "not a terminal") {
		t.Errorf("a pipe with a terminal beside it: %v, %s", err, out)
	}
	_ = person
	if strings.Contains(s.log.String(), "accepted a message") {
		t.Error("the message left")
	}
}

// The server is killed while a message waits; the person answers; the next server sends what was shown, without asking again.
func TestApproveAfterKill(t *testing.T) {
	settings := deskSettings(t)
	s := serve(t, settings, "--demo")
	s.proposes(2, "Hello")
	r, _ := untilWaiting(t, settings)
	if err := s.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = s.cmd.Wait()
	r.types("send")
	r.shows("Approved.")
	r.ends()
	next := serve(t, settings, "--demo")
	next.proposes(3, "Other") // not what was approved: a new question
	again, _ := untilWaiting(t, settings)
	again.types("no")
	again.shows("Not approved")
	again.ends()
	if got := next.next(); !strings.Contains(got, "do_not_send") {
		t.Errorf("another message: got %s", got)
	}
	next.proposes(4, "Hello")
	if got := next.next(); !strings.Contains(got, "Sent to 1 recipient") || !strings.Contains(got, `"approved_by":"terminal"`) {
		t.Errorf("the approved message: got %s", got)
	}
	next.proposes(5, "Hello")
	if got := next.next(); !strings.Contains(got, "was not sent again") {
		t.Errorf("once more: got %s", got)
	}
}

// --watch asks about each message that comes, and ends with an interrupt.
func TestApproveWatch(t *testing.T) {
	settings := deskSettings(t)
	r := atTerminal(t, settings, "--demo", "approve", "--watch")
	r.shows("Waiting for messages")
	s := serve(t, settings, "--demo")
	for n, word := range []string{"send", "no"} {
		s.proposes(n+2, fmt.Sprint("Message ", n))
		if text := r.shows(prompted); !strings.Contains(text, fmt.Sprint("> Message ", n)) {
			t.Errorf("got %s", text)
		}
		r.types(word)
		if got := s.next(); strings.Contains(got, "Sent to 1 recipient") != (word == "send") {
			t.Errorf("%s: got %s", word, got)
		}
	}
	if err := r.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if status := r.ends(); status != exitOK {
		t.Errorf("status %d: %s", status, r.errs.String())
	}
}

// A message of an elevated level has its domain typed.
func TestApproveWithCare(t *testing.T) {
	settings := deskSettings(t)
	s := serve(t, settings, "--demo")
	args, err := json.Marshal(map[string]any{"to": []string{"friend@example.com"}, "bcc": []string{"hidden@example.org"}, "subject": "Care", "text": strings.Repeat("line\n", 60)})
	if err != nil {
		t.Fatal(err)
	}
	s.say(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"send_mail","arguments":` + string(args) + `}}`)
	r, question := untilWaiting(t, settings)
	if !strings.Contains(question, "CAUTION") || !strings.Contains(question, "elevated") {
		t.Errorf("got %s", question)
	}
	r.types("send")
	asked := r.shows("Type what stands behind the @: ")
	domain := "example.com"
	if strings.Contains(asked, "hidden@example.org") {
		domain = "example.org"
	}
	r.types("example.net")
	r.shows("Type what stands behind the @: ")
	r.types(domain)
	r.shows("Approved.")
	r.ends()
	if got := s.next(); !strings.Contains(got, "Sent to 2 recipients") || !strings.Contains(got, `"level":"elevated"`) {
		t.Errorf("got %s", got)
	}
}

// A question that is longer than the window comes in pages, so that its beginning is not pushed out of sight.
func TestApprovePages(t *testing.T) {
	settings := deskSettings(t)
	s := serve(t, settings, "--demo")
	s.say(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"send_mail","arguments":{"to":["friend@example.com"],"subject":"Long","text":"` +
		strings.Repeat(`line\n`, 60) + `last line"}}}`)
	waiting, _ := untilWaiting(t, settings)
	waiting.types("")
	waiting.ends()
	r := inWindow(t, 24, settings, "--demo", "approve", "1")
	pages, shown := 0, ""
	for !strings.Contains(shown, "> last line") {
		page := r.shows("Enter shows more -- ")
		if lines := strings.Count(page, "\n"); lines > 24 {
			t.Errorf("%d lines on a page of 24", lines)
		}
		if pages++; pages > 20 {
			t.Fatal("no end")
		}
		if shown += page; strings.Contains(shown, prompted) {
			t.Fatal("it asks before all is shown")
		}
		r.types("send") // to go on; it is no answer
		if next := r.peek("Enter shows more -- ", prompted); next == prompted {
			shown += r.shows(prompted)
			break
		}
	}
	if pages < 3 || !strings.Contains(shown, "> last line") {
		t.Errorf("%d pages:\n%s", pages, shown)
	}
	r.types("no")
	r.shows("Not approved")
	if got := s.next(); !strings.Contains(got, "do_not_send") {
		t.Errorf("got %s", got)
	}
}

// peek waits until one of the marks is shown, and says which comes first.
func (r *terminalRun) peek(marks ...string) string {
	r.t.Helper()
	stuck := time.After(patience)
	for {
		first, at := "", len(r.seen)
		for _, m := range marks {
			if i := strings.Index(r.seen, m); i >= 0 && i < at {
				first, at = m, i
			}
		}
		if first != "" {
			return first
		}
		select {
		case piece, ok := <-r.pieces:
			if !ok {
				r.t.Fatalf("the terminal ended after %q", r.seen)
			}
			r.seen += piece
		case <-stuck:
			r.t.Fatalf("got %q, want one of %q", r.seen, marks)
		}
	}
}
