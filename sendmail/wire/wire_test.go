package wire

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"errors"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/emersion/go-smtp"
)

const text = "From: a@example.com\r\n\r\n.dot\r\nx\r\n"

func tx() Transaction {
	return NewTransaction("a@example.com", []string{"b@example.com", "c@example.com"}, []byte(text))
}

// peer is the server's end: it answers each line with the next of its replies and records everything that it read.
type peer struct {
	conn net.Conn
	mu   sync.Mutex
	got  bytes.Buffer
	cuts []string // what each read brought
}

// dialogue is a whole session; one reply per line of the client, content lines counted as one up to the dot.
var dialogue = []string{"220 ready", "250-x\r\n250 SIZE", "250 ok", "250 ok", "250 ok", "354 go", "250 queued", "221 bye"}

func newPeer(t testing.TB, replies []string) (*peer, net.Conn) {
	client, server := net.Pipe()
	p := &peer{conn: server}
	t.Cleanup(func() { client.Close(); server.Close() })
	go p.serve(replies)
	return p, client
}

func (p *peer) serve(replies []string) {
	in := bufio.NewReader(io.TeeReader(p.conn, p))
	body := false
	for _, r := range replies {
		if _, err := io.WriteString(p.conn, r+"\r\n"); err != nil {
			return
		}
		body = strings.HasPrefix(r, "354")
		for {
			line, err := in.ReadString('\n')
			if err != nil {
				return
			}
			if !body || line == ".\r\n" {
				break
			}
		}
	}
	_, _ = io.Copy(io.Discard, in)
}

func (p *peer) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cuts = append(p.cuts, string(b))
	return p.got.Write(b)
}

func (p *peer) text() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.got.String()
}

// mailer goes through MAIL and all RCPT.
func mailer(t *testing.T, raw net.Conn, tx Transaction) (*Conn, *smtp.Client) {
	t.Helper()
	w := New(raw, Options{Private: true})
	t.Cleanup(func() { w.Close() })
	c := smtp.NewClient(w)
	if err := errors.Join(w.Expect(tx), c.Hello("localhost"), c.Mail(tx.ReversePath, nil)); err != nil {
		t.Fatalf("MAIL: %v", err)
	}
	for _, to := range tx.ForwardPaths {
		if err := c.Rcpt(to, nil); err != nil {
			t.Fatalf("RCPT: %v", err)
		}
	}
	return w, c
}

func TestDotLeavesAloneAndLast(t *testing.T) { synctest.Test(t, dotLeavesAloneAndLast) }

func dotLeavesAloneAndLast(t *testing.T) {
	p, raw := newPeer(t, dialogue)
	trans := tx()
	before := ""
	var w *Conn
	trans.BeforeDot = func() error {
		synctest.Wait()
		before = p.text()
		if w.Record().DotSent {
			t.Error("flag is set before the question")
		}
		return nil
	}
	w, c := mailer(t, raw, trans)
	d, err := c.Data()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(d, text); err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	stuffed := strings.Replace(text, "\r\n.dot", "\r\n..dot", 1)
	if !strings.HasSuffix(before, "DATA\r\n"+stuffed) {
		t.Errorf("got %q before the question, want the whole content flushed", before)
	}
	synctest.Wait()
	p.mu.Lock()
	last := p.cuts[len(p.cuts)-1]
	p.mu.Unlock()
	if last != ".\r\n" {
		t.Errorf("got last write %q, want the dot alone", last)
	}
	rec := w.Record()
	if !rec.DotSent || rec.SHA256 != sha256.Sum256([]byte(text)) || rec.Octets != int64(len(text)) || rec.Final.Code != 250 ||
		!slices.Equal(rec.ForwardPaths, trans.ForwardPaths) || rec.ReversePath != trans.ReversePath {
		t.Errorf("got %+v", rec)
	}
	if err := c.Quit(); err != nil {
		t.Errorf("QUIT: %v", err)
	}
}

// Every way of using the library that would deliver something else than announced ends without a dot.
func TestBrokenDataIsNeverCompleted(t *testing.T) {
	for _, tc := range []struct {
		name string
		do   func(c *smtp.Client, d io.WriteCloser)
	}{
		{"half, then QUIT", func(c *smtp.Client, d io.WriteCloser) { io.WriteString(d, text[:25]); c.Quit() }},
		{"half, then RSET", func(c *smtp.Client, d io.WriteCloser) { io.WriteString(d, text[:25]); c.Reset() }},
		{"half, then NOOP", func(c *smtp.Client, d io.WriteCloser) { io.WriteString(d, text[:25]); c.Noop() }},
		{"half, then Close", func(_ *smtp.Client, d io.WriteCloser) { io.WriteString(d, text[:25]); d.Close() }},
		{"whole lines, then QUIT", func(c *smtp.Client, d io.WriteCloser) { io.WriteString(d, text[:29]); c.Quit() }},
		{"nothing, then QUIT", func(c *smtp.Client, _ io.WriteCloser) { c.Quit() }},
		{"one line more", func(_ *smtp.Client, d io.WriteCloser) { io.WriteString(d, text+"x\r\n"); d.Close() }},
		{"one octet other", func(_ *smtp.Client, d io.WriteCloser) {
			io.WriteString(d, strings.Replace(text, "x", "y", 1))
			d.Close()
		}},
		{"lone CR", func(_ *smtp.Client, d io.WriteCloser) { io.WriteString(d, "a\rb\r\n"); d.Close() }},
		{"line too long", func(_ *smtp.Client, d io.WriteCloser) { io.WriteString(d, strings.Repeat("x", 1001)+"\r\n"); d.Close() }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, raw := newPeer(t, dialogue)
				trans := tx()
				trans.BeforeDot = func() error { t.Error("asked about a broken message"); return nil }
				w, c := mailer(t, raw, trans)
				d, err := c.Data()
				if err != nil {
					t.Fatal(err)
				}
				tc.do(c, d)
				c.Quit()
				synctest.Wait()
				if got := p.text(); strings.Contains(got, "\r\n.\r\n") || strings.Contains(got, "QUIT") || w.Record().DotSent || w.Err() == nil {
					t.Errorf("got %q, %v, want neither dot nor QUIT", got, w.Err())
				}
			})
		})
	}
}

// The client writes the end of the content and a command at once: neither leaves.
func TestNothingBehindTheDot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, raw := newPeer(t, dialogue)
		trans := NewTransaction("a@example.com", []string{"b@example.com", "c@example.com"}, []byte("x\r\n"))
		trans.BeforeDot = func() error { t.Error("asked"); return nil }
		w, c := mailer(t, raw, trans)
		if _, err := c.Data(); err != nil {
			t.Fatal(err)
		}
		_, err := io.WriteString(w, "x\r\n.\r\nMAIL FROM:<z@example.com>\r\n")
		synctest.Wait()
		if !errors.Is(err, ErrCommand) || w.Record().DotSent || strings.Contains(p.text(), "\r\n.\r\n") {
			t.Errorf("got %v, %q, want no dot", err, p.text())
		}
	})
}

// Announced or not: content that servers read differently does not leave, nor anything beyond what was announced.
func TestContentThatCannotLeave(t *testing.T) {
	long := strings.Repeat(strings.Repeat("x", 70)+"\r\n", 1000)
	for _, tc := range []struct{ name, announced, written string }{
		{"lone CR", "a\rb\r\n", "a\rb\r\n"},
		{"CR CR LF", "a\r\r\n", "a\r\r\n"},
		{"lone LF", "a\nb\r\n", "a\nb\r\n"},
		{"LF dot LF", "a\n.\nb\r\n", "a\n.\nb\r\n"},
		{"far too long", "x\r\n", long},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, raw := newPeer(t, dialogue)
				w, c := mailer(t, raw, NewTransaction("a@example.com", []string{"b@example.com", "c@example.com"}, []byte(tc.announced)))
				if _, err := c.Data(); err != nil {
					t.Fatal(err)
				}
				_, err := io.WriteString(w, tc.written+".\r\n")
				synctest.Wait()
				_, body, _ := strings.Cut(p.text(), "DATA\r\n")
				if !errors.Is(err, ErrContent) || body != "" || w.Record().DotSent {
					t.Errorf("got %v, %d octets on the wire, want ErrContent and none", err, len(body))
				}
			})
		})
	}
}

func TestFirewall(t *testing.T) {
	start := []string{"220 ready", "250 ok"}
	mailed := append(start, "250 ok")
	all := append(mailed, "250 ok", "250 ok")
	prefix := []string{"EHLO localhost"}
	mail := append(prefix, "MAIL FROM:<a@example.com>")
	rcpt := append(mail, "RCPT TO:<b@example.com>", "RCPT TO:<c@example.com>")
	for _, tc := range []struct {
		name    string
		replies []string
		before  []string
		line    string
		pass    bool
	}{
		{"mail", append(start, "250 ok"), prefix, "MAIL FROM:<a@example.com>", true},
		{"mail with parameters", append(start, "250 ok"), prefix, "MAIL FROM:<a@example.com> BODY=8BITMIME SIZE=32 SMTPUTF8", true},
		{"mail with another size", start, prefix, "MAIL FROM:<a@example.com> SIZE=1", false},
		{"mail with AUTH parameter", start, prefix, "MAIL FROM:<a@example.com> AUTH=<x@example.com>", false},
		{"mail by somebody else", start, prefix, "MAIL FROM:<z@example.com>", false},
		{"mail with a longer path", start, prefix, "MAIL FROM:<a@example.com.evil.example>", false},
		{"mail twice", mailed, mail, "MAIL FROM:<a@example.com>", false},
		{"rcpt", append(mailed, "250 ok"), mail, "RCPT TO:<c@example.com>", true},
		{"rcpt for somebody else", mailed, mail, "RCPT TO:<z@example.com>", false},
		{"rcpt with parameter", mailed, mail, "RCPT TO:<b@example.com> NOTIFY=NEVER", false},
		{"rcpt twice", append(mailed, "250 ok"), append(mail, "RCPT TO:<b@example.com>"), "RCPT TO:<b@example.com>", false},
		{"rcpt before mail", start, prefix, "RCPT TO:<b@example.com>", false},
		{"data", append(all, "354 go"), rcpt, "DATA", true},
		{"data with argument", all, rcpt, "DATA x", false},
		{"data without all recipients", append(mailed, "250 ok"), append(mail, "RCPT TO:<b@example.com>"), "DATA", false},
		{"data twice", append(all, "451 no"), append(rcpt, "DATA"), "DATA", false},
		{"data after a refused recipient", append(mailed, "250 ok", "550 no"), rcpt, "DATA", false},
		{"data after a refused mail", append(start, "550 no"), mail, "DATA", false},
		{"ehlo after mail", mailed, mail, "EHLO localhost", false},
		{"ehlo with a space", []string{"220 ready"}, nil, "EHLO a b", false},
		{"noop", append(start, "250 ok"), prefix, "NOOP", true},
		{"noop with argument", start, prefix, "NOOP x", false},
		{"rset", append(mailed, "250 ok"), mail, "RSET", true},
		{"mail after rset", append(mailed, "250 ok"), append(mail, "RSET"), "MAIL FROM:<a@example.com>", false},
		{"quit", append(start, "221 bye"), prefix, "QUIT", true},
		{"starttls", start, prefix, "STARTTLS", false},
		{"vrfy", start, prefix, "VRFY b@example.com", false},
		{"expn", start, prefix, "EXPN list", false},
		{"bdat", all, rcpt, "BDAT 5 LAST", false},
		{"burl", all, rcpt, "BURL imap://x LAST", false},
		{"etrn", start, prefix, "ETRN example.com", false},
		{"xclient", start, prefix, "XCLIENT NAME=x", false},
		{"lower case", start, prefix, "noop", false},
		{"leading space", start, prefix, " NOOP", false},
		{"empty", start, prefix, "", false},
		{"NUL", start, prefix, "NOOP\x00", false},
		{"auth", append(start, "235 ok"), prefix, "AUTH PLAIN AGEAYg==", true},
		{"auth by another mechanism", start, prefix, "AUTH CRAM-MD5", false},
		{"auth that is no base64", start, prefix, "AUTH PLAIN a b", false},
		{"answer without exchange", start, prefix, "AGEAYg==", false},
		{"auth after mail", mailed, mail, "AUTH PLAIN AGEAYg==", false},
		{"too long", start, prefix, "EHLO " + strings.Repeat("a", 1100), false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, raw := newPeer(t, tc.replies)
				w := New(raw, Options{Private: true})
				defer w.Close()
				if err := w.Expect(tx()); err != nil {
					t.Fatal(err)
				}
				in := bufio.NewReader(w)
				readReply(in)
				for _, line := range tc.before {
					if _, err := io.WriteString(w, line+"\r\n"); err != nil {
						t.Fatalf("%s: %v", line, err)
					}
					readReply(in)
				}
				_, err := io.WriteString(w, tc.line+"\r\n")
				synctest.Wait()
				want := strings.Join(append(slices.Clone(tc.before), ""), "\r\n")
				if tc.pass {
					want += tc.line + "\r\n"
				}
				if tc.pass != (err == nil) || p.text() != want {
					t.Errorf("got %v, wire %q, want passed: %v", err, p.text(), tc.pass)
				}
				if !tc.pass && !errors.Is(err, ErrCommand) {
					t.Errorf("got %v, want ErrCommand", err)
				}
			})
		})
	}
}

func readReply(in *bufio.Reader) {
	for {
		line, err := in.ReadString('\n')
		if err != nil || len(line) < 4 || line[3] == ' ' {
			return
		}
	}
}

func TestFirewallWithoutContext(t *testing.T) {
	for name, lines := range map[string]string{
		"two commands in one write":     "NOOP\r\nNOOP\r\n",
		"command behind an unanswered":  "NOOP\r\n|NOOP\r\n",
		"lone LF":                       "NOOP\n",
		"auth over an open connection":  "AUTH PLAIN AGEAYg==\r\n",
		"mail that nobody announced":    "MAIL FROM:<a@example.com>\r\n",
		"no end of a line":              strings.Repeat("a", 1024),
		"one octet at a time, too long": strings.Repeat("a|", 1100),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				_, raw := newPeer(t, []string{"220 ready"})
				w := New(raw, Options{})
				defer w.Close()
				readReply(bufio.NewReader(w))
				var err error
				for part := range strings.SplitSeq(lines, "|") {
					if _, err = io.WriteString(w, part); err != nil {
						break
					}
				}
				if !errors.Is(err, ErrCommand) || w.Err() == nil {
					t.Errorf("got %v, want ErrCommand and a closed connection", err)
				}
			})
		})
	}
}

func TestSecondTransactionIsRefused(t *testing.T) {
	_, raw := newPeer(t, nil)
	w := New(raw, Options{})
	defer w.Close()
	if err := w.Expect(tx()); err != nil {
		t.Fatal(err)
	}
	if err := w.Expect(tx()); !errors.Is(err, ErrCommand) {
		t.Errorf("got %v, want ErrCommand", err)
	}
}

func TestAuthExchange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, raw := newPeer(t, []string{"220 ready", "250 ok", "334 ", "535 no", "250 ok"})
		w := New(raw, Options{Private: true})
		defer w.Close()
		in := bufio.NewReader(w)
		readReply(in)
		for _, line := range []string{"EHLO x", "AUTH LOGIN", strings.Repeat("QUFB", 3000), "*", "NOOP"} {
			if _, err := io.WriteString(w, line+"\r\n"); err != nil {
				t.Fatalf("%.20s: %v", line, err)
			}
			readReply(in)
		}
		if strings.Contains(p.text(), "*") || w.Last().Code != 250 {
			t.Errorf("got %q, want the surplus cancellation answered here", p.text())
		}
	})
}

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

func TestAbortOnlyBeforeTheDot(t *testing.T) {
	_, raw := newPeer(t, dialogue)
	w, c := mailer(t, raw, tx())
	d, err := c.Data()
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(d, text)
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if w.Abort(io.EOF) || w.Err() != nil {
		t.Errorf("got aborted (%v), want the connection kept after the dot", w.Err())
	}
	_, raw = newPeer(t, dialogue)
	w, _ = mailer(t, raw, tx())
	if !w.Abort(io.EOF) || !errors.Is(w.Err(), ErrAborted) || !errors.Is(w.Err(), io.EOF) {
		t.Errorf("got %v, want ErrAborted", w.Err())
	}
}
