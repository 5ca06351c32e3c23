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
