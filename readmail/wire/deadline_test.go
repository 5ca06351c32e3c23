package wire

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/emersion/go-imap/v2"
)

// slowServer answers the first command after the greeting through write, in fake time.
func slowServer(far net.Conn, write func(line string)) {
	fmt.Fprintf(far, "%s\r\n", preauth)
	buf := make([]byte, 4096)
	for {
		n, err := far.Read(buf)
		if err != nil {
			return
		}
		go write(string(buf[:n]))
	}
}

func TestDeadlines(t *testing.T) {
	for _, tc := range []struct {
		name  string
		write func(far net.Conn, tag string)
		after time.Duration // until the command ends
		err   error
	}{
		{"never answers", func(far net.Conn, tag string) {}, time.Minute, ErrTimeout},
		{"stops after the first line", func(far net.Conn, tag string) { fmt.Fprint(far, "* 1 EXISTS\r\n") }, 30 * time.Second, ErrTimeout},
		{"one octet a second, for ever", func(far net.Conn, tag string) {
			for range 100_000 {
				if _, err := far.Write([]byte("x")); err != nil {
					return
				}
				time.Sleep(time.Second)
			}
		}, 10 * time.Minute, ErrTimeout},
		{"slow but going on", func(far net.Conn, tag string) {
			time.Sleep(50 * time.Second)
			for range 10 {
				fmt.Fprint(far, "* OK still searching\r\n")
				time.Sleep(25 * time.Second)
			}
			fmt.Fprintf(far, "%s OK done\r\n", tag)
		}, 300 * time.Second, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				near, far := net.Pipe()
				go slowServer(far, func(line string) { tag, _, _ := strings.Cut(line, " "); tc.write(far, tag) })
				c := New(near, Options{})
				client := newClient(t, c)
				time.Sleep(time.Hour) // an idle connection has no deadline
				start := time.Now()
				err := client.Noop().Wait()
				if got := time.Since(start); got != tc.after {
					t.Errorf("ended after %v, want %v", got, tc.after)
				}
				if (err == nil) != (tc.err == nil) || !errors.Is(c.Err(), tc.err) {
					t.Errorf("got %v and %v, want %v", err, c.Err(), tc.err)
				}
				far.Close()
				time.Sleep(time.Minute) // lets the server notice
			})
		})
	}
}

func TestGreetingDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, far := net.Pipe()
		defer far.Close()
		c := New(near, Options{})
		start := time.Now()
		<-c.Done()
		if got := time.Since(start); got != 30*time.Second || !errors.Is(c.Err(), ErrTimeout) {
			t.Errorf("got %v after %v, want ErrTimeout after 30s", c.Err(), got)
		}
	})
}

// A server that does not read is noticed.
func TestWriteDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, far := net.Pipe()
		defer far.Close()
		c := New(near, Options{Greeting: "* PREAUTH ready"})
		start := time.Now()
		_, err := c.Write([]byte("T1 NOOP\r\n"))
		if got := time.Since(start); !errors.Is(err, ErrTimeout) || got != 30*time.Second {
			t.Errorf("got %v after %v, want ErrTimeout after 30s", err, got)
		}
	})
}

// IDLE waits 28 minutes until go-imap restarts it; a dead socket shows then.
func TestIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, far := net.Pipe()
		go slowServer(far, func(line string) { // answers the first IDLE, but never DONE
			if strings.Contains(line, "T1 IDLE") {
				fmt.Fprint(far, "+ idling\r\n* 4 EXISTS\r\n")
			}
		})
		c := New(near, Options{})
		client := newClient(t, c)
		idle, err := client.Idle()
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(27 * time.Minute)
		if c.Err() != nil {
			t.Fatalf("IDLE ended after 27 minutes: %v", c.Err())
		}
		start := time.Now()
		err = idle.Wait()
		if got := time.Since(start); err == nil || got != 2*time.Minute {
			t.Errorf("dead socket: got %v after %v, want an error after 2m", err, got)
		}
		far.Close()
	})
}

// Abort ends whatever waits, with the reason it was given.
func TestAbort(t *testing.T) {
	client, c, _ := dial(t, Options{}, func(tag, verb, args string) string { return "hang" })
	cmd := client.Noop()
	ctx, cancel := context.WithCancelCause(t.Context())
	gone := errors.New("caller went away")
	context.AfterFunc(ctx, func() { c.Abort(context.Cause(ctx)) })
	cancel(gone)
	if err := cmd.Wait(); err == nil {
		t.Error("got no error")
	}
	if !errors.Is(c.Err(), gone) {
		t.Errorf("Err: got %v, want %v", c.Err(), gone)
	}
	c.Abort(errors.New("later"))
	if !errors.Is(c.Err(), gone) {
		t.Errorf("Err after a second Abort: got %v, want the first reason", c.Err())
	}
}

// While the client drains a literal slowly the server is not timed, and Close lets Collect go.
func TestCloseDuringLiteral(t *testing.T) {
	section := &imap.FetchItemBodySection{Peek: true}
	client, c, _ := dial(t, Options{}, fetching("* 1 FETCH (UID 1 BODY[] {1000}\r\n"+strings.Repeat("A", 1000)+")", "* 2 FETCH (UID 2 BODY[] {900000}\r\n"+strings.Repeat("A", 10)))
	cmd := client.Fetch(uidSet(1, 2), &imap.FetchOptions{UID: true, BodySection: []*imap.FetchItemBodySection{section}})
	if cmd.Next() == nil {
		t.Fatal("no first message")
	}
	if err := c.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	if err := cmd.Close(); err == nil {
		t.Error("got no error after Close")
	}
	if !errors.Is(c.Err(), ErrClosed) {
		t.Errorf("Err: got %v, want ErrClosed", c.Err())
	}
}
