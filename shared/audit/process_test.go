//go:build linux || darwin

package audit

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
)

// The test binary is also the child process of the tests: this variable holds "role path".
const envChild = "AUDIT_TEST_CHILD"

const childRecords = 40

func TestMain(m *testing.M) {
	role, path, ok := strings.Cut(os.Getenv(envChild), " ")
	if !ok {
		os.Exit(m.Run())
	}
	if err := childRole(role, path); err != nil {
		fmt.Println("error:", err)
		os.Exit(3)
	}
	os.Exit(0)
}

func childRole(role, path string) error {
	l, err := Open(path, Options{MaxFileBytes: minFileBytes, KeepFiles: 1000})
	if err != nil {
		return err
	}
	if role == "full" {
		return childFull(l)
	}
	for i := 0; role == "forever" || i < childRecords; i++ {
		if err := l.Append(sent(i)); err != nil {
			return err
		}
		fmt.Println("done")
	}
	return l.Close()
}

// childFull lets one append hit a limit on the file size in the middle of its line, as on a full disk.
func childFull(l *Log) error {
	signal.Ignore(syscall.SIGXFSZ)
	if err := l.Append(sent(1)); err != nil {
		return err
	}
	info, err := os.Stat(l.path)
	if err != nil {
		return err
	}
	limit := syscall.Rlimit{Cur: uint64(info.Size()) + 50, Max: syscall.RLIM_INFINITY & (1<<63 - 1)}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	err = l.Append(sent(2))
	fmt.Println("full:", errors.Is(err, ErrUnwritable), err)
	return nil
}

func childCommand(tb testing.TB, role, path string) *exec.Cmd {
	tb.Helper()
	exe, err := os.Executable()
	must(tb, "Executable", err)
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), envChild+"="+role+" "+path)
	cmd.Stderr = os.Stderr
	return cmd
}

func TestProcessesShareALog(t *testing.T) {
	path := testPath(t)
	fill(t, openTest(t, path, Options{}), 1)
	var children []*exec.Cmd
	for range 4 {
		cmd := childCommand(t, "append", path)
		must(t, "Start", cmd.Start())
		children = append(children, cmd)
	}
	for _, cmd := range children {
		must(t, "Wait", cmd.Wait())
	}
	entries, err := Read(path, Filter{Outcomes: []Outcome{OutcomeSent}})
	must(t, "Read", err)
	if want := 1 + 4*childRecords; len(entries) != want {
		t.Errorf("%d records, want %d", len(entries), want)
	}
	if r := wantOK(t, path); r.Files < 3 || r.Repairs != 0 {
		t.Errorf("Report = %+v, want several files and no repair", r)
	}
}

// Whatever a killed process acknowledged is in the log, and the log verifies and goes on.
func TestKilledWriter(t *testing.T) {
	path := testPath(t)
	acknowledged := 0
	for i := range 20 {
		cmd := childCommand(t, "forever", path)
		out, err := cmd.StdoutPipe()
		must(t, "StdoutPipe", err)
		must(t, "Start", cmd.Start())
		s := bufio.NewScanner(out)
		for n := 0; s.Scan(); n++ {
			if s.Text() != "done" {
				t.Fatalf("child says %q", s.Text())
			}
			acknowledged++
			if n == i {
				must(t, "Kill", cmd.Process.Kill())
			}
		}
		if err := cmd.Wait(); err == nil {
			t.Fatal("child was not killed")
		}
	}
	fill(t, openTest(t, path, Options{MaxFileBytes: minFileBytes, KeepFiles: 1000}), 1)
	wantOK(t, path)
	entries, err := Read(path, Filter{Outcomes: []Outcome{OutcomeSent}, Last: maxLast})
	must(t, "Read", err)
	if len(entries) < acknowledged+1 {
		t.Errorf("%d records, want at least the %d acknowledged ones", len(entries), acknowledged+1)
	}
}

func TestDiskFull(t *testing.T) {
	path := testPath(t)
	out, err := childCommand(t, "full", path).Output()
	must(t, "child", err)
	if !strings.Contains(string(out), "full: true") {
		t.Fatalf("child says %q, want ErrUnwritable", out)
	}
	if r := verify(t, path); !r.OK() || !r.Torn {
		t.Errorf("Report = %+v, want a torn line and no problem", r)
	}
	fill(t, openTest(t, path, Options{}), 1)
	if r := wantOK(t, path); r.Repairs != 1 {
		t.Errorf("Report = %+v, want one repair", r)
	}
}
