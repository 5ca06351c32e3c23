package wire

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/emersion/go-smtp"
)

// FuzzReply: what is accepted is within the limits, and reads the same when it is written again.
func FuzzReply(f *testing.F) {
	for _, s := range []string{"250 ok\r\n", "250-a\r\n250 b\r\n", "550 5.7.1 no\r\n", "250\n", "\r\n", "421 4.3.2 \x00\xff\r\n", "250-a\r\n251 b\r\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		code, lines, err := newReader(bytes.NewReader(in)).next()
		if err != nil {
			if !errors.Is(err, ErrFraming) && !errors.Is(err, ErrLimit) && !errors.Is(err, ErrLost) {
				t.Fatalf("got %v, want one of ours", err)
			}
			return
		}
		r := newReply(code, lines)
		if code < 200 || code > 599 || len(lines) > maxReplyLines || len(r.TextRaw) > maxTextOctets {
			t.Fatalf("got %d, %d lines, %d octets", code, len(lines), len(r.TextRaw))
		}
		again, lines2, err := newReader(bytes.NewReader(format(code, lines))).next()
		if err != nil || again != code || strings.Join(lines, "\n") != strings.Join(lines2, "\n") {
			t.Fatalf("got %d %q (%v) again, want %d %q", again, lines2, err, code, lines)
		}
		upperExtensions(lines)
	})
}

// FuzzServer lets a server say anything at any point. Whatever it says: no panic, no dot without the announced content,
// nothing but the announced envelope, and a positive final reply only from after the dot.
func FuzzServer(f *testing.F) {
	f.Add([]byte(strings.Join(dialogue, "\r\n") + "\r\n"))
	f.Add([]byte("220 x\r\n250 x\r\n250 x\r\n250 x\r\n250 x\r\n354 x\r\n250 x\r\n"))
	f.Add([]byte("220 x\r\n500 x\r\n250 x\r\n250 x\r\n550 x\r\n"))
	f.Add([]byte("220-x\r\n220 x\r\n250-AUTH=PLAIN\r\n250 SIZE 1\r\n421 x\r\n"))
	f.Fuzz(func(t *testing.T, said []byte) {
		client, server := net.Pipe()
		defer server.Close()
		heard := make(chan string)
		go func() {
			all, _ := io.ReadAll(server)
			heard <- string(all)
		}()
		go answer(server, said)
		w := New(client, Options{Private: true})
		play(w)
		w.Close()
		checkHeard(t, w.Record(), <-heard)
	})
}

// answer writes what the server says, reply by reply, and ends.
func answer(server net.Conn, said []byte) {
	for line := range bytes.Lines(said) {
		if _, err := server.Write(line); err != nil {
			return
		}
	}
	server.Close()
}

func play(w *Conn) {
	c := smtp.NewClient(w)
	trans := tx()
	if errors.Join(w.Expect(trans), c.Hello("x")) != nil || c.Mail(trans.ReversePath, nil) != nil {
		return
	}
	for _, to := range trans.ForwardPaths {
		_ = c.Rcpt(to, nil)
	}
	d, err := c.Data()
	if err != nil {
		_ = c.Quit()
		return
	}
	_, _ = io.WriteString(d, text)
	_ = d.Close()
	_ = c.Quit()
}

func checkHeard(t *testing.T, rec Record, heard string) {
	for line := range strings.SplitSeq(heard, "\r\n") {
		if to, ok := strings.CutPrefix(line, "RCPT TO:"); ok && to != "<b@example.com>" && to != "<c@example.com>" {
			t.Errorf("heard %q", line)
		}
	}
	_, body, inData := strings.Cut(heard, "DATA\r\n")
	dot := inData && strings.Contains(body, "\r\n.\r\n")
	if dot && !rec.DotSent || rec.DotSent && rec.SHA256 != sha256.Sum256([]byte(text)) {
		t.Errorf("dot left: %v, record %+v, heard %q", dot, rec, heard)
	}
	if rec.Final.Code != 0 && !rec.DotSent {
		t.Errorf("final reply without a dot: %+v", rec)
	}
}

// FuzzContent writes content in pieces of any size: the dot leaves exactly if the content is the one announced.
func FuzzContent(f *testing.F) {
	f.Add([]byte(text), uint8(3))
	f.Add([]byte(".\r\n"), uint8(1))
	f.Add([]byte("a\r\n.\r\nMAIL FROM:<x@example.com>\r\n"), uint8(2))
	f.Add([]byte("a\n.\nb\r\n"), uint8(2))
	f.Add([]byte("a\r.\r\n\r\n"), uint8(200))
	f.Fuzz(func(t *testing.T, content []byte, size uint8) {
		p, raw := newPeer(t, dialogue)
		w, c := mailer(t, raw, NewTransaction("a@example.com", []string{"b@example.com", "c@example.com"}, content))
		d, err := c.Data()
		if err != nil {
			t.Fatal(err)
		}
		for rest := content; len(rest) > 0 && err == nil; {
			n := min(len(rest), int(size)+1)
			_, err = d.Write(rest[:n])
			rest = rest[n:]
		}
		if err == nil {
			err = d.Close()
		}
		w.Close()
		rec := w.Record()
		if rec.DotSent != (err == nil) || rec.DotSent && rec.SHA256 != sha256.Sum256(content) {
			t.Fatalf("got dot %v, error %v", rec.DotSent, err)
		}
		if rec.DotSent && unstuff(p.text()) != string(content) {
			t.Fatalf("got %q on the wire, want %q", p.text(), content)
		}
	})
}

func unstuff(heard string) string {
	_, body, _ := strings.Cut(heard, "DATA\r\n")
	body = strings.TrimSuffix(body, ".\r\n")
	var b strings.Builder
	for line := range strings.Lines(body) {
		b.WriteString(strings.TrimPrefix(line, "."))
	}
	return b.String()
}
