package wire

import (
	"bufio"
	"errors"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/emersion/go-smtp"
)

func TestReplies(t *testing.T) {
	for _, tc := range []struct {
		name, reply string
		want        Reply
		err         error
	}{
		{"simple", "250 ok\r\n", Reply{250, "", "ok"}, nil},
		{"code alone", "250\r\n", Reply{250, "", ""}, nil},
		{"LF alone", "250 ok\n", Reply{250, "", "ok"}, nil},
		{"lines", "250-one\r\n250-two\r\n250 three\r\n", Reply{250, "", "one\ntwo\nthree"}, nil},
		{"enhanced", "550-5.7.1 one\r\n550 5.7.1 two\r\n", Reply{550, "5.7.1", "one\ntwo"}, nil},
		{"enhanced alone", "250 2.0.0\r\n", Reply{250, "2.0.0", ""}, nil},
		{"enhanced of another class", "250 5.7.1 hm\r\n", Reply{250, "", "5.7.1 hm"}, nil},
		{"version is no enhanced code", "220 2.10.2026 build\r\n", Reply{220, "", "2.10.2026 build"}, nil},
		{"different codes", "250-one\r\n550 two\r\n", Reply{}, ErrFraming},
		{"no code", "hello\r\n", Reply{}, ErrFraming},
		{"preliminary", "150 hm\r\n", Reply{}, ErrFraming},
		{"six", "650 hm\r\n", Reply{}, ErrFraming},
		{"four digits", "2500 hm\r\n", Reply{}, ErrFraming},
		{"empty", "\r\n", Reply{}, ErrFraming},
		{"text continues without code", "250-one\r\ntwo\r\n250 three\r\n", Reply{}, ErrFraming},
		{"cut", "250 o", Reply{}, ErrLost},
		{"cut between lines", "250-one\r\n", Reply{}, ErrLost},
		{"longest line", "250 " + strings.Repeat("x", maxReplyLineOctets-4) + "\r\n", Reply{250, "", strings.Repeat("x", maxReplyLineOctets-4)}, nil},
		{"line too long", "250 " + strings.Repeat("x", maxReplyLineOctets+1) + "\r\n", Reply{}, ErrLimit},
		{"100 lines", strings.Repeat("250-x\r\n", 99) + "250 x\r\n", Reply{250, "", strings.TrimSuffix(strings.Repeat("x\n", 100), "\n")}, nil},
		{"101 lines", strings.Repeat("250-x\r\n", 100) + "250 x\r\n", Reply{}, ErrLimit},
		{"too many octets", strings.Repeat("250-"+strings.Repeat("x", 1900)+"\r\n", 60), Reply{}, ErrLimit},
	} {
		t.Run(tc.name, func(t *testing.T) {
			code, lines, err := newReader(strings.NewReader(tc.reply)).next()
			if !errors.Is(err, tc.err) {
				t.Fatalf("got %v, want %v", err, tc.err)
			}
			if err == nil && newReply(code, lines) != tc.want {
				t.Errorf("got %+v, want %+v", newReply(code, lines), tc.want)
			}
		})
	}
}

func TestExtensionsInUpperCase(t *testing.T) {
	got := upperExtensions([]string{"host", "size 100", "8bitmime", "auth plain login", "AUTH=CRAM-MD5", " x-odd  y"})
	want := []string{"host", "SIZE 100", "8BITMIME", "AUTH PLAIN LOGIN", "X-ODD  y"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := upperExtensions([]string{"host", "auth=plain login"}); !slices.Equal(got, []string{"host", "AUTH PLAIN LOGIN"}) {
		t.Errorf("got %q, want the old form read", got)
	}
}

// A reply before its command would be taken for the next command's, up to the dot's.
func TestReplyOutOfTurn(t *testing.T) {
	for _, reply := range []string{"250 ok\r\n250 ok", "250 ok\r\n421 bye"} {
		synctest.Test(t, func(t *testing.T) {
			replies := slices.Clone(dialogue)
			replies[3] = reply
			p, raw := newPeer(t, replies)
			w := New(raw, Options{})
			defer w.Close()
			c := smtp.NewClient(w)
			if err := errors.Join(w.Expect(tx()), c.Hello("x"), c.Mail("a@example.com", nil), c.Rcpt("b@example.com", nil)); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			err := c.Rcpt("c@example.com", nil)
			var early *EarlyError
			if !errors.As(w.Err(), &early) || err == nil || strings.Contains(p.text(), "c@example.com") {
				t.Errorf("got %v, %v, want EarlyError and nothing sent", err, w.Err())
			}
		})
	}
}

// Octets that come one by one must not lengthen the time for a reply.
func TestDrippingReplyTimesOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, server := net.Pipe()
		defer server.Close()
		done := make(chan struct{})
		defer func() { <-done }()
		go func() {
			defer close(done)
			for {
				if _, err := server.Write([]byte("2")); err != nil {
					return
				}
				<-time.After(time.Second)
			}
		}()
		start := time.Now()
		w := New(client, Options{})
		_, err := w.Greeting()
		if took := time.Since(start); !errors.Is(err, ErrTimeout) || took != 2*time.Minute {
			t.Errorf("got %v after %v, want ErrTimeout after 2m", err, took)
		}
	})
}

// A server that reads a little now and then must not lengthen the body without end.
func TestSlowReaderTimesOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		content := []byte(strings.Repeat(strings.Repeat("x", 70)+"\r\n", 20_000))
		client, server := net.Pipe()
		defer server.Close()
		done := make(chan struct{})
		defer func() { <-done }()
		go func() {
			defer close(done)
			in := bufio.NewReaderSize(server, 16)
			for _, r := range dialogue[:6] {
				if _, err := io.WriteString(server, r+"\r\n"); err != nil {
					return
				}
				if r[:3] != "354" {
					_, _ = in.ReadString('\n')
				}
			}
			buf := make([]byte, 4096)
			for {
				if _, err := server.Read(buf); err != nil {
					return
				}
				<-time.After(20 * time.Second)
			}
		}()
		w, c := mailer(t, client, NewTransaction("a@example.com", []string{"b@example.com", "c@example.com"}, content))
		d, err := c.Data()
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		_, err = d.Write(content)
		if took := time.Since(start); err == nil || !errors.Is(w.Err(), ErrTimeout) || took != 30*time.Minute || w.Record().DotSent {
			t.Errorf("got %v, %v after %v, want ErrTimeout after 30m", err, w.Err(), took)
		}
	})
}
