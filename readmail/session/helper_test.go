package session

import (
	"bytes"
	"context"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapserver"
	"github.com/emersion/go-imap/v2/imapserver/imapmemserver"
)

// readVerbs are the only commands that this package may send.
var readVerbs = map[string]bool{
	"CAPABILITY": true, "ID": true, "NOOP": true, "LOGIN": true, "AUTHENTICATE": true, "STARTTLS": true, "COMPRESS": true,
	"LIST": true, "STATUS": true, "EXAMINE": true, "UID FETCH": true, "FETCH": true, "UID SEARCH": true, "UID SORT": true,
	"UID THREAD": true, "IDLE": true, "DONE": true, "LOGOUT": true,
}

// recorder keeps the command lines that a server received.
type recorder struct {
	mu    sync.Mutex
	lines []string
	conns int
}

func (r *recorder) add(line string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lines = append(r.lines, line)
}

func (r *recorder) all() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]string(nil), r.lines...)
}

// count returns how many commands had this verb.
func (r *recorder) count(verb string) int {
	n := 0
	for _, l := range r.all() {
		if verbOf(l) == verb {
			n++
		}
	}
	return n
}

// verbOf returns the verb of a command line, "" for a line that is no command (literals, SASL).
func verbOf(line string) string {
	f := strings.Fields(strings.ToUpper(line))
	switch {
	case len(f) == 1 && f[0] == "DONE":
		return "DONE"
	case len(f) < 2 || !(strings.HasPrefix(f[0], "T") || strings.HasPrefix(f[0], "W") || f[0] == "S1"):
		return ""
	case f[1] == "UID" && len(f) > 2:
		return "UID " + f[2]
	}
	return f[1]
}

// checkReadOnly fails the test for any command that is not a read, and for body items without PEEK.
func (r *recorder) checkReadOnly(t testing.TB) {
	t.Helper()
	n := 0
	for _, l := range r.all() {
		v := verbOf(l)
		if v == "" {
			continue
		}
		n++
		if !readVerbs[v] {
			t.Errorf("sent %q, which is no read command", v)
		}
		up := strings.ToUpper(l)
		if strings.Contains(v, "FETCH") && (strings.Contains(up, "BODY[") || strings.Contains(up, "RFC822)") || strings.Contains(up, "RFC822 ")) {
			t.Errorf("fetch without PEEK: %q", l)
		}
	}
	if n == 0 {
		t.Error("no command was recorded: is the recorder in place?")
	}
}

// tapConn records what a client writes, line by line.
type tapConn struct {
	net.Conn
	rec *recorder
	buf bytes.Buffer
}

func (c *tapConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.buf.Write(p[:n])
	for {
		line, rest, ok := bytes.Cut(c.buf.Bytes(), []byte("\r\n"))
		if !ok {
			break
		}
		c.rec.add(string(line))
		tail := append([]byte(nil), rest...)
		c.buf.Reset()
		c.buf.Write(tail)
	}
	return n, err
}

type tapListener struct {
	net.Listener
	rec *recorder
}

func (l *tapListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	l.rec.mu.Lock()
	l.rec.conns++
	l.rec.mu.Unlock()
	return &tapConn{Conn: c, rec: l.rec}, nil
}

const (
	testUser     = "user@example.com"
	testPassword = "correct horse"
)

// memory starts a memory server with one user and returns its configuration and recorder.
func memory(t *testing.T, caps ...imap.Cap) (Config, *recorder, *imapmemserver.User) {
	t.Helper()
	mem := imapmemserver.New()
	user := imapmemserver.NewUser(testUser, testPassword)
	mem.AddUser(user)
	for _, name := range []string{"INBOX", "Sent", "Gelöschte Elemente"} {
		if err := user.Create(name, nil); err != nil {
			t.Fatal(err)
		}
	}
	set := imap.CapSet{imap.CapIMAP4rev1: {}}
	for _, c := range caps {
		set[c] = struct{}{}
	}
	srv := imapserver.New(&imapserver.Options{
		NewSession: func(*imapserver.Conn) (imapserver.Session, *imapserver.GreetingData, error) {
			return mem.NewSession(), nil, nil
		},
		Caps: set, InsecureAuth: true, Logger: quiet{},
	})
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	rec := &recorder{}
	go srv.Serve(&tapListener{ln, rec})
	t.Cleanup(func() { srv.Close(); ln.Close() })
	return Config{
		Host: "127.0.0.1", Port: ln.Addr().(*net.TCPAddr).Port, TLS: TLSNone, User: testUser, Password: secret(testPassword),
	}, rec, user
}

type quiet struct{}

func (quiet) Printf(string, ...any) {}

func secret(s string) func(context.Context) (string, error) {
	return func(context.Context) (string, error) { return s, nil }
}

// put appends a message to a mailbox of the memory server.
func put(t *testing.T, user *imapmemserver.User, mailbox, text string, at time.Time, flags ...imap.Flag) {
	t.Helper()
	lit := literal{strings.NewReader(strings.ReplaceAll(text, "\n", "\r\n"))}
	if _, err := user.Append(mailbox, lit, &imap.AppendOptions{Time: at, Flags: flags}); err != nil {
		t.Fatal(err)
	}
}

type literal struct{ *strings.Reader }

func (l literal) Size() int64 { return l.Reader.Size() }

// newPool returns a pool that is closed with the test.
func newPool(t *testing.T, cfg Config) *Pool {
	t.Helper()
	p, err := NewPool(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

// do runs fn on a connection and fails the test if it cannot.
func do(t *testing.T, p *Pool, fn func(ctx context.Context, c *Conn)) {
	t.Helper()
	err := p.Do(t.Context(), "", func(ctx context.Context, c *Conn) error { fn(ctx, c); return nil })
	if err != nil {
		t.Fatalf("Do: %v", err)
	}
}
