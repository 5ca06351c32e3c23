//go:build unix

package smtptest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

const (
	postfixStart   = 30 * time.Second      // Limit: it takes a second on a quiet machine
	postfixDeliver = 30 * time.Second      // Limit: local delivery takes some milliseconds
	postfixPoll    = 20 * time.Millisecond // between two looks at what cannot be waited for
	postfixTries   = 3                     // another process may take a free port before Postfix does
)

// PostfixDomain is the only domain that a Postfix takes mail for.
const PostfixDomain = "post.example"

// PostfixOptions describes a private Postfix. The zero value has the mailboxes alice, bob and carol.
type PostfixOptions struct {
	Mailboxes       []string // local parts at PostfixDomain
	MaxMessageBytes int64    // announced as SIZE; 0 means 10,240,000, which is Postfix's own default
}

// Postfix is a real mail server on 127.0.0.1 in a directory of its own: it takes mail of User for its mailboxes, delivers it into
// maildirs and refuses every other address, so that nothing leaves the machine. Logins are checked by a private Dovecot.
// Methods that take a testing.TB are for the test's goroutine only.
type Postfix struct {
	Cert *Certificate

	opt                   PostfixOptions
	dir                   string
	submission, plain, tl string // addresses
}

// StartPostfix starts a Postfix that ends with the test; if the test failed, its log is logged. It needs root, postfix and
// dovecot-core. Where one of them is missing the test is skipped, or fails if CI is "true".
func StartPostfix(t testing.TB, o PostfixOptions) *Postfix {
	t.Helper()
	needPostfix(t)
	if o.Mailboxes == nil {
		o.Mailboxes = []string{"alice", "bob", "carol"}
	}
	if o.MaxMessageBytes == 0 {
		o.MaxMessageBytes = 10_240_000
	}
	p := &Postfix{Cert: NewCertificate(t), opt: o, dir: openDir(t)}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("smtptest: log of postfix and dovecot:\n%s", p.Log())
		}
	})
	p.must(t, p.startAuth(t))
	p.launch(t)
	return p
}

func needPostfix(t testing.TB) {
	t.Helper()
	var missing []string
	for _, name := range []string{"postfix", "dovecot"} {
		if _, err := os.Stat(sbin(name)); err != nil {
			missing = append(missing, name+" is not installed")
		}
	}
	if os.Getuid() != 0 {
		missing = append(missing, "this is not root, as which Postfix's master has to start")
	}
	if len(missing) == 0 {
		return
	}
	why := "smtptest: a real Postfix cannot be started: " + strings.Join(missing, ", ")
	if os.Getenv("CI") == "true" {
		t.Fatal(why + "; CI needs it (Debian: postfix dovecot-core)")
	}
	t.Skip(why)
}

func sbin(name string) string { return filepath.Join("/usr/sbin", name) }

// openDir makes a directory that the users of the two servers may enter. t.TempDir is closed to them, and too deep for the
// paths of sockets, which hold about 100 octets.
func openDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "pf")
	if err == nil {
		err = os.Chmod(dir, 0o755)
	}
	if err != nil {
		t.Fatalf("smtptest: %v", err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Errorf("smtptest: %v", err)
		}
	})
	return dir
}

func (p *Postfix) must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("smtptest: %v\n%s", err, p.Log())
	}
}

func (p *Postfix) path(elem ...string) string {
	return filepath.Join(append([]string{p.dir}, elem...)...)
}

// startAuth starts the Dovecot that checks logins for Postfix.
func (p *Postfix) startAuth(t testing.TB) error {
	if err := p.writeAuth(); err != nil {
		return err
	}
	p.run(t, p.path("run", "master.pid"), sbin("dovecot"), "-F", "-c", p.path("dovecot.conf"))
	return await(t.Context(), postfixStart, func() bool {
		conn, err := net.Dial("unix", p.path("auth", "login"))
		if err != nil {
			return false
		}
		return conn.Close() == nil
	})
}

// launch starts Postfix on free ports.
func (p *Postfix) launch(t testing.TB) {
	t.Helper()
	var err error
	for range postfixTries {
		for _, addr := range []*string{&p.submission, &p.plain, &p.tl} {
			*addr, err = freeAddr()
			p.must(t, err)
		}
		p.must(t, p.writePostfix())
		stop := p.run(t, p.path("queue", "pid", "master.pid"), sbin("postfix"), "-c", p.path("conf"), "start-fg")
		err = await(t.Context(), postfixStart, func() bool { return greets(p.submission) && greets(p.plain) && accepts(p.tl) })
		if err == nil {
			return
		}
		stop()
	}
	p.must(t, fmt.Errorf("postfix did not start: %w", err))
}

func freeAddr() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

func accepts(addr string) bool {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return false
	}
	return conn.Close() == nil
}

func greets(addr string) bool {
	conn, err := net.DialTimeout("tcp", addr, time.Second)
	if err != nil {
		return false
	}
	defer conn.Close()
	greeting := make([]byte, 4)
	if conn.SetDeadline(time.Now().Add(postfixStart)) != nil {
		return false
	}
	_, err = conn.Read(greeting)
	return err == nil && string(greeting) == "220 "
}

// await looks for done until within is over.
func await(ctx context.Context, within time.Duration, done func() bool) error {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	tick := time.NewTicker(postfixPoll)
	defer tick.Stop()
	for !done() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// supervise ends a server when the pipe from the test process closes, so that it never outlives a test that crashed. The server
// is the process of the pid file, not the one that was started: Postfix's master has a session of its own.
const supervise = `pidfile=$1; shift; "$@" & pid=$!; read -r _
if [ -s "$pidfile" ]; then kill $(sed 1q "$pidfile") 2>/dev/null; else kill "$pid" 2>/dev/null; fi
wait "$pid"`

// run starts a server with no environment of ours, and ends it, once, with the test or when the returned function is called.
// What it prints goes to a file "stderr-" and the name of the program.
func (p *Postfix) run(t testing.TB, pidFile string, command ...string) (stop func()) {
	t.Helper()
	out, err := os.OpenFile(p.path("stderr-"+filepath.Base(command[0])), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		t.Fatalf("smtptest: %v", err)
	}
	defer out.Close()
	cmd := exec.Command("/bin/sh", append([]string{"-c", supervise, "sh", pidFile}, command...)...)
	cmd.Dir, cmd.Env = p.dir, []string{"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "TZ=UTC", "HOME=/nonexistent"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Stdout, cmd.Stderr = out, out
	pipe, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatalf("smtptest: %s: %v", command[0], err)
	}
	ended := false
	stop = func() {
		if ended {
			return
		}
		ended = true
		pipe.Close()
		var exit *exec.ExitError
		if err := cmd.Wait(); err != nil && !errors.As(err, &exit) {
			t.Errorf("smtptest: %s: %v", command[0], err)
		}
		if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) { // children that linger
			t.Errorf("smtptest: %s: %v", command[0], err)
		}
	}
	t.Cleanup(stop)
	return stop
}

// Addr is the submission port: it wants STARTTLS, then a login.
func (p *Postfix) Addr() string { return p.submission }

// TLSAddr is the same service with TLS from the first octet.
func (p *Postfix) TLSAddr() string { return p.tl }

// PlainAddr offers no TLS and takes logins without it.
func (p *Postfix) PlainAddr() string { return p.plain }

// Log is what the two servers wrote so far.
func (p *Postfix) Log() string {
	var b strings.Builder
	for _, name := range []string{"stderr-dovecot", "dovecot.log", "stderr-postfix", "maillog"} {
		text, err := os.ReadFile(p.path(name))
		if err != nil && !os.IsNotExist(err) {
			fmt.Fprintln(&b, err)
		}
		b.Write(text)
	}
	return b.String()
}
