package wire

import (
	"bufio"
	"bytes"
	"compress/flate"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"
)

func TestGmail(t *testing.T) {
	client, c, s := dial(t, Options{}, func(tag, verb, args string) string {
		switch {
		case strings.Contains(args, "X-GM-RAW"), strings.HasPrefix(args, "X-GM-THRID"):
			return "* 4 EXISTS\r\n* SEARCH 9 3\r\n" + tag + " OK done\r\n"
		case verb == "UID FETCH":
			return "* 1 FETCH (FLAGS (\\Seen))\r\n* 3 FETCH (X-GM-THRID 1278455344230334865 X-GM-MSGID 12 X-GM-LABELS (\"\\\\Inbox\" Foo \"Gel&APY-scht\") UID 3)\r\n" + tag + " OK done\r\n"
		}
		return ""
	})
	if _, err := client.Select("INBOX", &imap.SelectOptions{ReadOnly: true}).Wait(); err != nil {
		t.Fatal(err)
	}
	got, err := c.GmailSearch(t.Context(), `from:ana "a b" 会议`)
	if err != nil || !slices.Equal(got, []uint32{3, 9}) {
		t.Errorf("search: got %v, %v", got, err)
	}
	if n := client.Mailbox().NumMessages; n != 4 {
		alive(t, client, c) // the client has read everything by then
		if n = client.Mailbox().NumMessages; n != 4 {
			t.Errorf("unsolicited EXISTS: client knows %d messages, want 4", n)
		}
	}
	ids, err := c.GmailThreadIDs(t.Context(), []uint32{3, 4, 5, 9})
	if err != nil || len(ids) != 1 || ids[0].ThreadID != 1278455344230334865 || ids[0].MessageID != 12 || ids[0].UID != 3 ||
		!slices.Equal(ids[0].Labels, []string{`\Inbox`, "Foo", "Gelöscht"}) {
		t.Errorf("ids: got %+v, %v", ids, err)
	}
	if got, err = c.GmailThread(t.Context(), 1278455344230334865); err != nil || len(got) != 2 {
		t.Errorf("thread: got %v, %v", got, err)
	}
	want := []string{
		"T1 EXAMINE INBOX", "W1 UID SEARCH CHARSET UTF-8 X-GM-RAW {21+}\r\nfrom:ana \"a b\" 会议",
		"W2 UID FETCH 3:5,9 (UID X-GM-MSGID X-GM-THRID X-GM-LABELS)", "W3 UID SEARCH X-GM-THRID 1278455344230334865",
	}
	lines := slices.DeleteFunc(s.received(), func(l string) bool { return strings.Contains(l, "NOOP") })
	if !slices.Equal(lines, want) {
		t.Errorf("received %q, want %q", lines, want)
	}
	alive(t, client, c)
}

func TestPreview(t *testing.T) {
	client, c, _ := dial(t, Options{}, fetching(`* 1 FETCH (UID 1 PREVIEW "hello")`, `* 2 FETCH (UID 2 PREVIEW NIL)`, "* 3 FETCH (PREVIEW {2}\r\nyo UID 3)"))
	got, err := c.Preview(t.Context(), []uint32{1, 2, 3})
	if err != nil || len(got) != 2 || got[1] != "hello" || got[3] != "yo" {
		t.Errorf("got %v, %v", got, err)
	}
	alive(t, client, c)
}

func TestDoRefusals(t *testing.T) {
	client, c, s := dial(t, Options{}, func(tag, verb, args string) string {
		if verb == "UID SEARCH" {
			return tag + " NO [BADCHARSET (US-ASCII)] no\r\n"
		}
		return ""
	})
	for _, r := range []Request{
		{Verb: "EXAMINE", Args: []Arg{{Raw: "INBOX"}}},
		{Verb: "UID STORE", Args: []Arg{{Raw: `1 +FLAGS (\Seen)`}}},
		{Verb: "UID FETCH", Args: []Arg{{Raw: "1"}, {Raw: "BODY[]"}}},
		{Verb: "UID SEARCH", Args: []Arg{{Raw: "ALL\r\nA9 EXPUNGE"}}},
		{Verb: "UID SEARCH", Args: []Arg{{Raw: "SUBJECT"}, {Text: "x\x00y"}}},
		{Verb: "NOOP\r\nA9 EXPUNGE"},
	} {
		if _, err := c.Do(t.Context(), r); !errors.Is(err, ErrForbidden) {
			t.Errorf("%+v: got %v, want ErrForbidden", r, err)
		}
	}
	if got := s.received(); len(got) != 0 {
		t.Errorf("received %q, want nothing", got)
	}
	var se *ServerError
	if _, err := c.Do(t.Context(), Request{Verb: "UID SEARCH", Args: []Arg{{Raw: "SUBJECT"}, {Text: "x\r\nA9 EXPUNGE"}}}); !errors.As(err, &se) || se.Code != "BADCHARSET" {
		t.Errorf("got %v, want a ServerError with its code", err)
	}
	alive(t, client, c)
}

func TestDoBusyAndCancelled(t *testing.T) {
	_, c, _ := dial(t, Options{}, func(tag, verb, args string) string {
		if verb == "NOOP" || verb == "UID SEARCH" {
			return "hang"
		}
		return ""
	})
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error)
	go func() { _, err := c.GmailSearch(ctx, "x"); failed <- err }()
	cancel()
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: got %v", err)
	}
	client, c, _ := dial(t, Options{}, func(tag, verb, args string) string { return "hang" })
	client.Status("INBOX", &imap.StatusOptions{NumMessages: true})
	if _, err := c.GmailSearch(t.Context(), "x"); !errors.Is(err, ErrBusy) {
		t.Errorf("busy: got %v, want ErrBusy", err)
	}
}

// A synchronising literal that the server refuses: go-imap alone would close the connection.
func TestRefusedLiteral(t *testing.T) {
	near, far := net.Pipe()
	go func() {
		fmt.Fprint(far, "* PREAUTH [CAPABILITY IMAP4rev1] ready\r\n")
		in := bufio.NewReader(far)
		for {
			line, err := in.ReadString('\n')
			if err != nil {
				return
			}
			tag, _, _ := strings.Cut(line, " ")
			if strings.Contains(line, "CHARSET") {
				fmt.Fprintf(far, "%s NO [BADCHARSET (US-ASCII)] not here\r\n", tag)
				continue
			}
			fmt.Fprintf(far, "%s OK\r\n", tag)
		}
	}()
	c := New(near, Options{})
	client := newClient(t, c)
	_, err := client.UIDSearch(&imap.SearchCriteria{Text: []string{"会议"}}, nil).Wait()
	var ie *imap.Error
	if !errors.As(err, &ie) || ie.Code != "BADCHARSET" {
		t.Errorf("got %v, want BADCHARSET", err)
	}
	alive(t, client, c)
}

// deflateServer switches to DEFLATE on COMPRESS, with the first compressed octets in the same write as the OK.
func deflateServer(far net.Conn, after func(w io.Writer, line string)) {
	fmt.Fprintf(far, "%s\r\n", preauth)
	in := bufio.NewReader(far)
	line, err := in.ReadString('\n')
	if err != nil {
		return
	}
	var first bytes.Buffer
	fw, _ := flate.NewWriter(&first, flate.BestSpeed)
	fmt.Fprint(fw, "* OK [ALERT] squeezed\r\n")
	fw.Flush()
	tag, _, _ := strings.Cut(line, " ")
	fmt.Fprintf(far, "%s OK compressing\r\n%s", tag, first.String())
	first.Reset()
	plain := bufio.NewReader(flate.NewReader(in))
	for {
		line, err := plain.ReadString('\n')
		if err != nil {
			return
		}
		after(fw, line)
		fw.Flush()
		if _, err := far.Write(first.Bytes()); err != nil {
			return
		}
		first.Reset()
	}
}

func TestCompress(t *testing.T) {
	near, far := net.Pipe()
	go deflateServer(far, func(w io.Writer, line string) {
		tag, rest, _ := strings.Cut(line, " ")
		if strings.HasPrefix(rest, "UID FETCH") {
			for i := range 50 {
				fmt.Fprintf(w, "%s\r\n", good(i+1))
			}
		}
		fmt.Fprintf(w, "%s OK\r\n", tag)
	})
	c := New(near, Options{})
	client := newClient(t, c)
	if err := c.Compress(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := fetchAll(t, client, 50, allItems); len(got) != 50 || got[50].Envelope == nil {
		t.Errorf("got %d messages", len(got))
	}
	if got := c.Alerts(); len(got) != 1 {
		t.Errorf("what came with the OK is lost: alerts %q", got)
	}
	if s := c.Stats(); s.OctetsIn > 4000 {
		t.Errorf("received %d octets for 50 messages, want compressed ones", s.OctetsIn)
	}
	alive(t, client, c)
}

// 64 MiB of zeros take 64 kB: what counts is their inflated size.
func TestCompressBomb(t *testing.T) {
	near, far := net.Pipe()
	go deflateServer(far, func(w io.Writer, line string) {
		fmt.Fprint(w, "* LIST () \"/\" \"")
		zeros := make([]byte, 1<<20)
		for range 32 {
			w.Write(zeros)
		}
	})
	c := New(near, Options{Limits: Limits{SkipOctets: 1 << 20}})
	client := newClient(t, c)
	if err := c.Compress(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := client.List("", "*", nil).Collect(); err == nil || !errors.Is(c.Err(), ErrLimit) {
		t.Errorf("got %v and %v, want ErrLimit", err, c.Err())
	}
}

func TestCompressRefused(t *testing.T) {
	client, c, _ := dial(t, Options{}, func(tag, verb, args string) string {
		if verb == "COMPRESS" {
			return tag + " NO [COMPRESSIONACTIVE] already\r\n"
		}
		return ""
	})
	var se *ServerError
	if err := c.Compress(t.Context()); !errors.As(err, &se) {
		t.Errorf("got %v, want a ServerError", err)
	}
	alive(t, client, c)
}

func testCertificate(t *testing.T) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	tmpl := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{"imap.example"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, tmpl, tmpl, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(leaf)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, pool
}

func TestStartTLS(t *testing.T) {
	cert, pool := testCertificate(t)
	for _, tc := range []struct {
		name, greeting, starttls string // starttls is the answer to STARTTLS
		err                      error
		lines                    []string
	}{
		{"offered in the greeting", "* OK [CAPABILITY IMAP4rev1 STARTTLS] hi", "S2 OK go", nil, []string{"S2 STARTTLS"}},
		{"asked for", "* OK hi", "S2 OK go", nil, []string{"S1 CAPABILITY", "S2 STARTTLS"}},
		{"not offered", "* OK [CAPABILITY IMAP4rev1] hi", "", ErrNoStartTLS, nil},
		{"refused", "* OK [CAPABILITY STARTTLS] hi", "S2 NO not today", ErrNoStartTLS, []string{"S2 STARTTLS"}},
		{"PREAUTH", "* PREAUTH [CAPABILITY STARTTLS] hi", "", ErrPreauth, nil},
		{"injected response", "* OK [CAPABILITY STARTTLS] hi", "S2 OK go\r\n* PREAUTH welcome", ErrInjection, []string{"S2 STARTTLS"}},
		{"BYE", "* BYE full", "", ErrBye, nil},
		{"endless greeting", "* OK " + strings.Repeat("x", 20_000), "", ErrLimit, nil},
		{"not IMAP", "220 smtp", "", ErrFraming, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			near, far := net.Pipe()
			var lines []string
			done := make(chan struct{})
			go func() {
				defer close(done)
				defer far.Close()
				fmt.Fprintf(far, "%s\r\n", tc.greeting)
				buf := make([]byte, 1<<10)
				for {
					n, err := far.Read(buf)
					if err != nil {
						return
					}
					line := strings.TrimSpace(string(buf[:n]))
					lines = append(lines, line)
					if line == "S1 CAPABILITY" {
						fmt.Fprint(far, "* CAPABILITY IMAP4rev1 STARTTLS\r\nS1 OK\r\n")
						continue
					}
					fmt.Fprintf(far, "%s\r\n", tc.starttls)
					if tc.err == nil {
						s := tls.Server(far, &tls.Config{Certificates: []tls.Certificate{cert}})
						(&testServer{}).serve(s, "", func(tag, verb, args string) string { return "" })
						return
					}
				}
			}()
			conn, g, err := StartTLS(t.Context(), near, &tls.Config{RootCAs: pool, ServerName: "imap.example"})
			if !errors.Is(err, tc.err) {
				t.Fatalf("got %v, want %v", err, tc.err)
			}
			if err == nil {
				c := New(conn, Options{Greeting: "* OK ready"})
				client := imapclient.New(c, nil)
				if caps := client.Caps(); !caps.Has(imap.CapIdle) {
					t.Errorf("capabilities after TLS: got %v (greeting %+v)", caps, g)
				}
				alive(t, client, c)
				c.Close()
				client.Close()
			}
			<-done
			if !slices.Equal(lines, tc.lines) {
				t.Errorf("plain lines: got %q, want %q", lines, tc.lines)
			}
		})
	}
}

func TestStartTLSCancelled(t *testing.T) {
	near, far := net.Pipe()
	defer far.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := StartTLS(ctx, near, &tls.Config{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
}
