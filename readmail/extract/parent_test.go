package extract

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"mailgap/readmail/extract/internal/fixture"
)

func wordFile(text string) []byte {
	return fixture.DOCX("<w:p><w:r><w:t>" + text + "</w:t></w:r></w:p>")
}

func TestOfficeThroughChild(t *testing.T) {
	x := newTestExtractor(t, Options{})
	r, err := x.Text(t.Context(), Input{MediaType: "application/octet-stream", Filename: "a.docx", Data: wordFile("hello")})
	if err != nil || r.Kind != KindDOCX || r.Text != "hello\n" || len(r.Notes) != 0 {
		t.Errorf("got %+v, %v; want the text of a DOCX file", r, err)
	}
}

// TestMisbehavingChild gives children that answer nonsense: each is a typed error, none harms this process.
func TestMisbehavingChild(t *testing.T) {
	for _, c := range []struct {
		role, detail string
		want         error
	}{
		{"garbage", "not a reply", ErrChild},
		{"endless", "", ErrChild},
		{"silent", "status 3", ErrChild},
		{"trailing", "not a reply", ErrChild},
		{"long", "not a reply", ErrChild},
		{"header", "not a reply", ErrChild},
		{"failure", "not a reply", ErrChild},
	} {
		t.Run(c.role, func(t *testing.T) {
			x := newTestExtractor(t, Options{Command: childCommand(c.role)})
			r, err := x.Text(t.Context(), Input{Data: wordFile("x")})
			var e *Error
			if !errors.Is(err, c.want) || !errors.As(err, &e) || !strings.Contains(e.Detail, c.detail) || e.Hint == "" {
				t.Errorf("got %v, want %v with detail %q and a hint", err, c.want, c.detail)
			}
			if r.Text != "" || r.Kind != KindDOCX {
				t.Errorf("got %+v, want no text and the kind", r)
			}
		})
	}
}

func TestCommandThatIsNotThere(t *testing.T) {
	x := newTestExtractor(t, Options{Command: []string{"/nonexistent/program"}})
	if _, err := x.Text(t.Context(), Input{Data: wordFile("x")}); !errors.Is(err, ErrChild) {
		t.Errorf("got %v, want ErrChild", err)
	}
}

// hangingChild starts a call whose child never answers. running delivers the child's connection, which ends with the child.
func hangingChild(t *testing.T, o Options) (x *Extractor, running <-chan net.Conn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("Listen: %v", err)
	}
	t.Cleanup(func() { l.Close() })
	conns := make(chan net.Conn, 10)
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			conns <- conn
		}
	}()
	o.Command = childCommand("hang", l.Addr().String())
	return newTestExtractor(t, o), conns
}

// waitGone returns when the child at the other end is gone.
func waitGone(t *testing.T, conn net.Conn) {
	t.Helper()
	if err := conn.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatalf("SetReadDeadline: %v", err)
	}
	if _, err := io.Copy(io.Discard, conn); errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the child is still there")
	}
	conn.Close()
}

func TestHangingChildIsKilledAtTheDeadline(t *testing.T) {
	x, running := hangingChild(t, Options{Timeout: 500 * time.Millisecond})
	start := time.Now()
	_, err := x.Text(t.Context(), Input{Data: wordFile("x")})
	if took := time.Since(start); !errors.Is(err, ErrTimeout) || took > 5*time.Second {
		t.Errorf("got %v after %v, want ErrTimeout after half a second", err, took)
	}
	waitGone(t, <-running)
}

func TestCancelKillsTheChild(t *testing.T) {
	x, running := hangingChild(t, Options{Timeout: time.Minute})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := x.Text(ctx, Input{Data: wordFile("x")})
		done <- err
	}()
	conn := <-running
	if line, err := bufio.NewReader(conn).ReadString('\n'); err != nil || line != "running\n" {
		t.Fatalf("got %q, %v; want a running child", line, err)
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
	waitGone(t, conn)
}

func TestAtMostTwoChildrenAtOnce(t *testing.T) {
	x, running := hangingChild(t, Options{Timeout: time.Minute})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan error, 3)
	for range 2 {
		go func() {
			_, err := x.Text(ctx, Input{Data: wordFile("x")})
			done <- err
		}()
	}
	first, second := <-running, <-running
	third, cancelThird := context.WithCancel(t.Context())
	cancelThird()
	if _, err := x.Text(third, Input{Data: wordFile("x")}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v for a third call, want context.Canceled while it waits", err)
	}
	if got := len(x.slots); got != MaxChildren {
		t.Errorf("got %d children, want %d", got, MaxChildren)
	}
	cancel()
	for range 2 {
		<-done
	}
	waitGone(t, first)
	waitGone(t, second)
	if len(running) != 0 || len(x.slots) != 0 {
		t.Errorf("got %d further children and %d slots in use, want none", len(running), len(x.slots))
	}
}

func TestChildGetsNoEnvironmentAndAnEmptyDirectory(t *testing.T) {
	t.Setenv("IMAP_PASSWORD", "hunter2")
	x := newTestExtractor(t, Options{Command: childCommand("surroundings")})
	r, err := x.Text(t.Context(), Input{Data: wordFile("x")})
	if err != nil {
		t.Fatalf("Text: %v", err)
	}
	if strings.Contains(r.Text, "hunter2") || (runtime.GOOS != "windows" && !strings.Contains(r.Text, "environment []")) {
		t.Errorf("got %q, want no environment", r.Text)
	}
	if !strings.Contains(r.Text, "files 0 <nil>") {
		t.Errorf("got %q, want an empty directory", r.Text)
	}
	_, dir, _ := strings.Cut(strings.TrimSpace(r.Text), "directory ")
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v for the child's directory afterwards, want it gone", err)
	}
}

func TestConfinedChildCanDoNothing(t *testing.T) {
	if runtime.GOOS != "linux" || (runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64") {
		t.Skip("system calls are filtered on Linux only")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("Listen: %v", err)
	}
	defer l.Close()
	x := newTestExtractor(t, Options{Command: childCommand("confined", l.Addr().String())})
	r, err := x.Text(t.Context(), Input{Data: wordFile("x")})
	if want := "open false\ncreate false\ndial false\nlisten false\nrun false\n"; err != nil || r.Text != want {
		t.Errorf("got %q, %v; want %q", r.Text, err, want)
	}
}

func TestKernelStopsAllocation(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the kernel bounds memory in this way on Linux only")
	}
	x := newTestExtractor(t, Options{Command: childCommand("allocate")})
	if _, err := x.Text(t.Context(), Input{Data: wordFile("x")}); !errors.Is(err, ErrMemory) {
		t.Errorf("got %v, want ErrMemory", err)
	}
}

// TestChildStopsItself gives so little memory that compiling the PDF engine uses it up.
func TestChildStopsItself(t *testing.T) {
	x := New(Options{Command: childCommand(ChildCommand), MaxMemoryOctets: 96 << 20}) // no cache: it must compile
	if _, err := x.Text(t.Context(), Input{Data: fixture.TextPDF("t", "x")}); !errors.Is(err, ErrMemory) {
		t.Errorf("got %v, want ErrMemory", err)
	}
}

func TestCacheDirectoryOpenToOthersIsRefused(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no mode bits")
	}
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatalf("Chmod: %v", err)
	}
	if got := New(Options{CacheDir: dir}).cacheDir(); got != "" {
		t.Errorf("got %q, want no cache", got)
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatalf("Chmod: %v", err)
	}
	if got := New(Options{CacheDir: dir}).cacheDir(); got != dir {
		t.Errorf("got %q, want %q", got, dir)
	}
}
