package imaptest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-imap/v2"
)

const (
	dovecotStart = 15 * time.Second      // Limit: it takes a tenth of a second on a quiet machine
	dovecotPoll  = 10 * time.Millisecond // between two attempts to connect while it starts
	dovecotTries = 3                     // another process may take a free port before Dovecot does
)

// DovecotOptions describes a private Dovecot. The zero value is a server with an empty INBOX.
type DovecotOptions struct {
	User, Password string     // empty: User and Password
	Mailboxes      []Mailbox  // the mail of User; Message.Raw is stored as it is, bare line ends and NUL included
	HideCaps       []imap.Cap // left out of the capabilities; the commands still work
	Compress       bool       // load the plugin for COMPRESS=DEFLATE (RFC 4978)
	OAuth          bool       // take XOAUTH2 and OAUTHBEARER with a token of OAuthToken
	Extra          string     // configuration lines, last
	Unchecked      bool       // do not call CheckReadOnly when the test ends; for tests that break the rule on purpose
}

// Dovecot is a real IMAP server on 127.0.0.1, alone in its directory, without privileges. Every connection to Addr and
// TLSAddr passes a recorder. Methods that take a testing.TB are for the test's goroutine only.
type Dovecot struct {
	// Cert is the server's certificate, for STARTTLS on Addr and implicit TLS on TLSAddr.
	Cert *Certificate

	options        DovecotOptions
	dir            string
	oauthKey       []byte
	plain, secured *tee
	want           dovecotState
	stop           func() error
}

// StartDovecot starts a Dovecot with the mail of o. When the test ends it calls CheckReadOnly, unless o.Unchecked, and
// stops; if the test failed, the server's log is logged. Where Dovecot is not installed the test is skipped, or fails
// if CI is "true". Run as root, server and mail belong to the user nobody.
func StartDovecot(t testing.TB, o DovecotOptions) *Dovecot {
	t.Helper()
	needDovecot(t)
	if o.User == "" {
		o.User = User
	}
	if o.Password == "" {
		o.Password = Password
	}
	d := &Dovecot{Cert: NewCertificate(t), options: o, dir: shortDir(t)}
	d.must(t, d.fill())
	d.launch(t)
	t.Cleanup(func() { d.close(t) })
	d.want = d.readState(t)
	if !o.Unchecked {
		t.Cleanup(func() { d.CheckReadOnly(t) })
	}
	return d
}

func needDovecot(t testing.TB) {
	t.Helper()
	for _, name := range []string{"dovecot", "doveadm"} {
		if _, err := exec.LookPath(program(name)); err != nil {
			if os.Getenv("CI") == "true" {
				t.Fatalf("imaptest: %s is not installed (Debian: dovecot-imapd), and CI needs it: %v", name, err)
			}
			t.Skipf("imaptest: %s is not installed (Debian: dovecot-imapd): %v", name, err)
		}
	}
}

// program finds what stands in sbin, where the PATH of ordinary users does not lead.
func program(name string) string {
	for _, dir := range []string{"/usr/sbin", "/usr/bin", "/usr/local/sbin", "/usr/local/bin"} {
		if path := filepath.Join(dir, name); exists(path) {
			return path
		}
	}
	return name
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// shortDir makes a directory that the mail user may enter. t.TempDir is too deep for the paths of sockets, which hold
// about 100 octets, and closed to other users.
func shortDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "dv")
	if err != nil {
		t.Fatalf("imaptest: %v", err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Errorf("imaptest: %v", err)
		}
	})
	return dir
}

func (d *Dovecot) must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("imaptest: %v\n%s", err, d.Log())
	}
}

// launch starts the server on free ports, and the recorders before it.
func (d *Dovecot) launch(t testing.TB) {
	t.Helper()
	var err error
	for range dovecotTries {
		var plain, secured string
		plain, err = freeAddr()
		d.must(t, err)
		secured, err = freeAddr()
		d.must(t, err)
		if err = d.run(t.Context(), plain, secured); err != nil {
			continue
		}
		d.plain, err = newTee(plain)
		d.must(t, err)
		d.secured, err = newTee(secured)
		d.must(t, err)
		return
	}
	t.Fatalf("imaptest: dovecot did not start: %v\n%s", err, d.Log())
}

// freeAddr is an address on 127.0.0.1 that nothing listens on at the moment.
func freeAddr() (string, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return ln.Addr().String(), ln.Close()
}

// supervise ends the server when the pipe from the test process closes, so that it never outlives a test that crashed.
const supervise = `"$@" & pid=$!; read -r _; kill "$pid" 2>/dev/null; wait "$pid"`

func (d *Dovecot) run(ctx context.Context, plain, secured string) error {
	if err := d.writeConfig(plain, secured); err != nil {
		return err
	}
	cmd := exec.Command("/bin/sh", "-c", supervise, "sh", program("dovecot"), "-F", "-c", d.path("dovecot.conf"))
	d.asMailUser(cmd)
	inGroup(cmd)
	pipe, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	log, err := os.OpenFile(d.path("stderr"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		return err
	}
	d.stop = func() error {
		// The mail is thrown away: nothing has to be closed in order, which takes Dovecot a second.
		err := killGroup(cmd)
		pipe.Close()
		var exit *exec.ExitError
		if waitErr := cmd.Wait(); waitErr != nil && !errors.As(waitErr, &exit) {
			return errors.Join(err, waitErr)
		}
		return err
	}
	if err := d.awaitGreeting(ctx, plain); err != nil {
		return errors.Join(err, d.stop())
	}
	return nil
}

// awaitGreeting returns once the server greets.
func (d *Dovecot) awaitGreeting(ctx context.Context, addr string) error {
	ctx, cancel := context.WithTimeout(ctx, dovecotStart)
	defer cancel()
	tick := time.NewTicker(dovecotPoll)
	defer tick.Stop()
	for {
		if greets(ctx, addr) {
			return nil
		}
		if strings.Contains(d.Log(), "Fatal: ") {
			return errors.New("imaptest: dovecot refused to start")
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func greets(ctx context.Context, addr string) bool {
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "tcp", addr)
	if err != nil {
		return false
	}
	defer conn.Close()
	if deadline, ok := ctx.Deadline(); ok && conn.SetDeadline(deadline) != nil {
		return false
	}
	ok := make([]byte, len("* OK"))
	_, err = io.ReadFull(conn, ok)
	return err == nil && string(ok) == "* OK"
}

func (d *Dovecot) close(t testing.TB) {
	t.Helper()
	d.plain.close()
	d.secured.close()
	if err := d.stop(); err != nil {
		t.Errorf("imaptest: dovecot: %v", err)
	}
	if t.Failed() {
		t.Logf("imaptest: log of dovecot:\n%s", d.Log())
	}
}

func (d *Dovecot) path(elem ...string) string {
	return filepath.Join(append([]string{d.dir}, elem...)...)
}

// Log is what the server wrote so far: each login among it.
func (d *Dovecot) Log() string {
	var out strings.Builder
	for _, name := range []string{"stderr", "dovecot.log"} {
		text, err := os.ReadFile(d.path(name))
		if err != nil && !os.IsNotExist(err) {
			fmt.Fprintf(&out, "%v\n", err)
		}
		out.Write(text)
	}
	return out.String()
}

// Addr is where the server speaks plain IMAP with STARTTLS: "127.0.0.1:port".
func (d *Dovecot) Addr() string { return d.plain.addr() }

// TLSAddr is where the server speaks TLS from the first octet.
func (d *Dovecot) TLSAddr() string { return d.secured.addr() }

// Port is the port of an address of Addr or TLSAddr.
func Port(addr string) int {
	_, text, _ := net.SplitHostPort(addr)
	port, _ := strconv.Atoi(text)
	return port
}

// Doveadm runs doveadm as the mail user and returns what it printed. It fails the test if doveadm fails. What changes
// mail belongs into Admin.
func (d *Dovecot) Doveadm(t testing.TB, args ...string) string {
	t.Helper()
	return d.doveadm(t, nil, args...)
}

func (d *Dovecot) doveadm(t testing.TB, stdin io.Reader, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), program("doveadm"), append([]string{"-c", d.path("dovecot.conf")}, args...)...)
	d.asMailUser(cmd)
	var stdout, stderr strings.Builder
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("imaptest: doveadm %s: %v\n%s%s", strings.Join(args, " "), err, stderr.String(), d.Log())
	}
	return stdout.String()
}
