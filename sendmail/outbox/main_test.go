//go:build linux || darwin

package outbox

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// The test binary is also the child process of the tests: this variable names its role, the others its arguments.
const (
	envRole = "OUTBOX_TEST_ROLE"
	envDir  = "OUTBOX_TEST_DIR"
	envName = "OUTBOX_TEST_NAME"
	envKill = "OUTBOX_TEST_KILL"
	envMax  = "OUTBOX_TEST_MAX"
)

func TestMain(m *testing.M) {
	role := os.Getenv(envRole)
	if role == "" {
		os.Exit(m.Run())
	}
	if err := childRole(role); err != nil {
		fmt.Println("error:", err)
		os.Exit(3)
	}
	os.Exit(0)
}

func childRole(role string) error {
	kill := os.Getenv(envKill)
	atoi := func(s string) int { n, _ := strconv.Atoi(s); return n } // "" is 0, the default
	box, err := Open(os.Getenv(envDir), Options{MaxPerHour: atoi(os.Getenv(envMax)), step: func(name string) { dieAt(name, kill) }})
	if err != nil {
		return err
	}
	switch role {
	case "send":
		return childSend(box, kill)
	case "race":
		return childRace(box)
	case "cap":
		return childCap(box)
	case "full":
		return childFull(box)
	case "readonly":
		return childReadOnly(box)
	}
	return errors.New("unknown role")
}

// dieAt ends the process as kill -9 does.
func dieAt(name, kill string) {
	if name == kill {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	}
}

// childSend sends one message like the real program does; the server is a file of accepted Message-IDs.
func childSend(box *Outbox, kill string) error {
	ctx, name := context.Background(), os.Getenv(envName)
	ticket, replay, err := box.Begin(ctx, intent(name))
	if err != nil {
		return err
	}
	if replay != nil {
		fmt.Println("replay")
		return nil
	}
	if ticket.Earlier != nil {
		fmt.Println("unknown")
		return ticket.Expired(ctx)
	}
	if err := ticket.Sending(ctx, frozen(name)); err != nil {
		return err
	}
	fmt.Println("sending")
	dieAt("accept:before", kill)
	if err := accept(os.Getenv(envDir), name); err != nil {
		return err
	}
	dieAt("accept:after", kill)
	return errors.Join(ticket.Sent(ctx, "250"), box.Close())
}

func acceptedPath(dir string) string { return filepath.Join(filepath.Dir(dir), "accepted") }

func accept(dir, name string) error {
	f, err := os.OpenFile(acceptedPath(dir), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(name + "\n")
	return errors.Join(err, f.Close())
}

func accepted(tb testing.TB, dir, name string) int {
	tb.Helper()
	b, err := os.ReadFile(acceptedPath(dir))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		tb.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(b)) {
		if line == name+"\n" {
			n++
		}
	}
	return n
}

// childRace waits for a line, then tries to send; a winner holds its attempt until standard input ends.
func childRace(box *Outbox) error {
	ctx, name := context.Background(), os.Getenv(envName)
	if err := box.Ready(ctx); err != nil {
		return err
	}
	in := waitForStart()
	ticket, replay, err := box.Begin(ctx, intent(name))
	switch {
	case errors.Is(err, ErrInProgress):
		fmt.Println("in progress")
		return nil
	case err != nil:
		return err
	case replay != nil:
		fmt.Println("replay")
		return nil
	}
	if err := ticket.Sending(ctx, frozen(name)); err != nil {
		return err
	}
	if err := accept(os.Getenv(envDir), name); err != nil {
		return err
	}
	fmt.Println("sending")
	_, err = io.Copy(io.Discard, in)
	return errors.Join(err, ticket.Sent(ctx, "250"), box.Close())
}

func waitForStart() io.Reader {
	in := bufio.NewReader(os.Stdin)
	fmt.Println("ready")
	_, _ = in.ReadString('\n') // an end of input starts too
	return in
}

// childCap asks about many different messages and reports how many questions it got.
func childCap(box *Outbox) error {
	if err := box.Ready(context.Background()); err != nil {
		return err
	}
	waitForStart()
	for i := range 5 {
		ticket, _, err := box.Begin(context.Background(), intent(fmt.Sprint(os.Getpid(), " ", i)))
		if errors.Is(err, ErrCapReached) {
			continue
		}
		if err != nil {
			return err
		}
		fmt.Println("asked")
		if err := ticket.Sending(context.Background(), frozen("x")); err != nil {
			return err
		}
	}
	return nil
}

// childFull limits the size of its files like a full disk does.
func childFull(box *Outbox) error {
	signal.Ignore(syscall.SIGXFSZ)
	ctx := context.Background()
	ticket, _, err := box.Begin(ctx, intent("a"))
	if err != nil {
		return err
	}
	limit := syscall.Rlimit{Cur: 128 << 10, Max: 128 << 10}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	err = ticket.Sending(ctx, Frozen{MessageID: "a@example.com", Octets: make([]byte, 1<<20)})
	fmt.Println("sending:", errors.Is(err, ErrFull) || errors.Is(err, ErrJournal), err)
	list, err := box.List(ctx, 0)
	if err != nil {
		return err
	}
	fmt.Println("state:", list[0].State)
	return nil
}

func childReadOnly(box *Outbox) error {
	if os.Geteuid() == 0 {
		if err := errors.Join(syscall.Setgid(nobody), syscall.Setuid(nobody)); err != nil {
			return err
		}
	}
	_, _, err := box.Begin(context.Background(), intent("b"))
	fmt.Println("begin:", errors.Is(err, ErrReadOnly), err)
	list, err := box.List(context.Background(), 0)
	fmt.Println("list:", len(list), err)
	return nil
}

const nobody = 65534

// child is a running child process.
type child struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func start(tb testing.TB, env ...string) *child {
	tb.Helper()
	exe, err := os.Executable()
	must(tb, "Executable", err)
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	must(tb, "StdinPipe", err)
	out, err := cmd.StdoutPipe()
	must(tb, "StdoutPipe", err)
	must(tb, "Start", cmd.Start())
	return &child{cmd, in, bufio.NewReader(out)}
}

func (c *child) line(tb testing.TB) string {
	tb.Helper()
	s, err := c.out.ReadString('\n')
	if err != nil && err != io.EOF {
		tb.Fatal(err)
	}
	return strings.TrimSuffix(s, "\n")
}

// finish ends the input, reads the rest of the output and waits.
func (c *child) finish(tb testing.TB) (rest string, killed bool) {
	tb.Helper()
	must(tb, "close stdin", c.in.Close())
	b, err := io.ReadAll(c.out)
	must(tb, "read stdout", err)
	err = c.cmd.Wait()
	if status, ok := c.cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return string(b), status.Signal() == syscall.SIGKILL
	}
	if err != nil {
		tb.Fatalf("child: %v: %s", err, b)
	}
	return string(b), false
}
