package speed

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"encoding/json"
	"net"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"

	"mailgap/readmail"
	"mailgap/readmail/session"
	"mailgap/shared/mcpserve"
)

const pageSize = 50

// meter counts what a connection carries and adds a delay to each round trip.
type meter struct {
	mu    sync.Mutex
	in    int64
	turns int64
	rtt   time.Duration
}

func (m *meter) reset() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.in, m.turns = 0, 0
}

func (m *meter) report(b *testing.B) {
	m.mu.Lock()
	defer m.mu.Unlock()
	b.ReportMetric(float64(m.in)/float64(b.N), "received_B/op")
	b.ReportMetric(float64(m.turns)/float64(b.N), "round_trips/op")
}

// metered is a connection under a meter.
type metered struct {
	net.Conn
	m     *meter
	wrote bool
}

func (c *metered) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.m.mu.Lock()
	wait := time.Duration(0)
	if c.wrote {
		c.m.turns++
		wait = c.m.rtt
	}
	c.wrote = false
	c.m.in += int64(n)
	c.m.mu.Unlock()
	if wait > 0 {
		<-time.After(wait)
	}
	return n, err
}

func (c *metered) Write(p []byte) (int, error) {
	c.m.mu.Lock()
	c.wrote = true
	c.m.mu.Unlock()
	return c.Conn.Write(p)
}

// target is the server from the environment.
func target(b *testing.B) (addr string, m *meter) {
	b.Helper()
	addr = os.Getenv("MAILGAP_BENCH_IMAP")
	if addr == "" {
		b.Skip("MAILGAP_BENCH_IMAP is not set: name the address of an IMAP server with a large INBOX")
	}
	m = &meter{}
	if rtt := os.Getenv("MAILGAP_BENCH_RTT"); rtt != "" {
		d, err := time.ParseDuration(rtt)
		if err != nil {
			b.Fatalf("MAILGAP_BENCH_RTT: %v", err)
		}
		m.rtt = d
	}
	return addr, m
}

func (m *meter) dial(ctx context.Context, addr string) (net.Conn, error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	return &metered{Conn: conn, m: m}, nil
}

// bare is a go-imap client that is logged in.
func bare(b *testing.B, addr string, m *meter) *imapclient.Client {
	b.Helper()
	conn, err := m.dial(b.Context(), addr)
	if err != nil {
		b.Fatal(err)
	}
	c := imapclient.New(conn, nil)
	if err := c.Login("bench", "bench").Wait(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { c.Close() })
	return c
}

// server is imap-mcp as its tools are called.
func server(b *testing.B, addr string, m *meter, compress session.CompressMode) *mcpserve.Server {
	b.Helper()
	s, err := readmail.New(readmail.Config{Session: session.Config{
		Host: "127.0.0.1", User: "bench", TLS: session.TLSNone, Compress: compress, PoolSize: 1,
		Password: func(context.Context) (string, error) { return "bench", nil },
		Dial:     func(ctx context.Context, _, _ string) (net.Conn, error) { return m.dial(ctx, addr) },
	}})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { s.Close() })
	mcp, err := s.MCP()
	if err != nil {
		b.Fatal(err)
	}
	return mcp
}

// call calls a tool and returns its structured answer and the length of its text.
func call(b *testing.B, s *mcpserve.Server, tool, args string) (json.RawMessage, int) {
	b.Helper()
	out, err := s.CallTool(b.Context(), tool, json.RawMessage(args))
	if err != nil || out.IsError {
		b.Fatalf("%s: %v %s", tool, err, out.Text)
	}
	return out.Structured, len(out.Text)
}

// newest fetches what a list needs with the bare client, EXAMINE and FETCH in one flight.
func newest(b *testing.B, c *imapclient.Client, n uint32) {
	b.Helper()
	set := imap.SeqSet{}
	set.AddRange(n-pageSize+1, n)
	selected := c.Select("INBOX", &imap.SelectOptions{ReadOnly: true})
	fetch := c.Fetch(set, &imap.FetchOptions{UID: true, Envelope: true, Flags: true, InternalDate: true, RFC822Size: true,
		BodyStructure: &imap.FetchItemBodyStructure{Extended: true}})
	if _, err := selected.Wait(); err != nil {
		b.Fatal(err)
	}
	msgs, err := fetch.Collect()
	if err != nil || len(msgs) != pageSize {
		b.Fatalf("%d messages, %v", len(msgs), err)
	}
}

func BenchmarkNewest50(b *testing.B) {
	addr, m := target(b)
	b.Run("go-imap", func(b *testing.B) {
		c := bare(b, addr, m)
		data, err := c.Select("INBOX", &imap.SelectOptions{ReadOnly: true}).Wait()
		if err != nil {
			b.Fatal(err)
		}
		newest(b, c, data.NumMessages)
		m.reset()
		for b.Loop() {
			newest(b, c, data.NumMessages)
		}
		m.report(b)
	})
	for name, mode := range map[string]session.CompressMode{"mailgap": session.CompressOff, "mailgap-compress": session.CompressOn} {
		b.Run(name, func(b *testing.B) {
			s := server(b, addr, m, mode)
			call(b, s, "list_messages", `{"limit":50}`)
			m.reset()
			text := 0
			for b.Loop() {
				_, text = call(b, s, "list_messages", `{"limit":50}`)
			}
			m.report(b)
			b.ReportMetric(float64(text), "text_B")
		})
	}
}

// BenchmarkGetMessage reads the newest messages of a page one after the other, after they were listed.
func BenchmarkGetMessage(b *testing.B) {
	addr, m := target(b)
	s := server(b, addr, m, session.CompressOff)
	refs := pageRefs(b, s)
	m.reset()
	i := 0
	for b.Loop() {
		call(b, s, "get_message", `{"ref":"`+refs[i%len(refs)]+`"}`)
		i++
	}
	m.report(b)
}

// BenchmarkLargest reads the text of the largest message of the mailbox.
func BenchmarkLargest(b *testing.B) {
	addr, m := target(b)
	s := server(b, addr, m, session.CompressOff)
	answer, _ := call(b, s, "list_messages", `{"limit":1,"larger":2000000}`)
	var list struct {
		Messages []struct {
			Ref  string
			Size int64
		}
	}
	if err := json.Unmarshal(answer, &list); err != nil || len(list.Messages) == 0 {
		b.Skip("no message over 2 MB in the mailbox")
	}
	m.reset()
	for b.Loop() {
		call(b, s, "get_message", `{"ref":"`+list.Messages[0].Ref+`"}`)
	}
	m.report(b)
	b.ReportMetric(float64(list.Messages[0].Size), "message_B")
}

func pageRefs(b *testing.B, s *mcpserve.Server) []string {
	b.Helper()
	answer, _ := call(b, s, "list_messages", `{"limit":50}`)
	var list struct{ Messages []struct{ Ref string } }
	if err := json.Unmarshal(answer, &list); err != nil {
		b.Fatal(err)
	}
	var out []string
	for _, m := range list.Messages {
		out = append(out, m.Ref)
	}
	return out
}

func BenchmarkSearchSubject(b *testing.B) {
	addr, m := target(b)
	b.Run("go-imap", func(b *testing.B) {
		c := bare(b, addr, m)
		if _, err := c.Select("INBOX", &imap.SelectOptions{ReadOnly: true}).Wait(); err != nil {
			b.Fatal(err)
		}
		m.reset()
		for b.Loop() {
			q := &imap.SearchCriteria{Header: []imap.SearchCriteriaHeaderField{{Key: "Subject", Value: "invoice"}}}
			found, err := c.UIDSearch(q, &imap.SearchOptions{ReturnAll: true}).Wait()
			if err != nil {
				b.Fatal(err)
			}
			uids := found.AllUIDs()
			set := imap.UIDSetNum(uids[max(0, len(uids)-pageSize):]...)
			if _, err := c.Fetch(set, &imap.FetchOptions{UID: true, Envelope: true, Flags: true, InternalDate: true, RFC822Size: true,
				BodyStructure: &imap.FetchItemBodyStructure{Extended: true}}).Collect(); err != nil {
				b.Fatal(err)
			}
		}
		m.report(b)
	})
	b.Run("mailgap", func(b *testing.B) {
		s := server(b, addr, m, session.CompressOff)
		call(b, s, "list_messages", `{"limit":50}`)
		m.reset()
		for b.Loop() {
			call(b, s, "list_messages", `{"limit":50,"subject":"invoice"}`)
		}
		m.report(b)
	})
}

// BenchmarkColdStart connects over TLS, logs in and lists the newest page. MAILGAP_BENCH_IMAPS names the TLS address.
func BenchmarkColdStart(b *testing.B) {
	_, m := target(b)
	addr := os.Getenv("MAILGAP_BENCH_IMAPS")
	if addr == "" {
		b.Skip("MAILGAP_BENCH_IMAPS is not set")
	}
	pin := fingerprint(b, addr)
	b.Run("go-imap", func(b *testing.B) {
		for b.Loop() {
			conn, err := m.dial(b.Context(), addr)
			if err != nil {
				b.Fatal(err)
			}
			c := imapclient.New(tls.Client(conn, &tls.Config{InsecureSkipVerify: true}), nil) // the server is on this machine
			if err := c.Login("bench", "bench").Wait(); err != nil {
				b.Fatal(err)
			}
			data, err := c.Select("INBOX", &imap.SelectOptions{ReadOnly: true}).Wait()
			if err != nil {
				b.Fatal(err)
			}
			newest(b, c, data.NumMessages)
			c.Close()
		}
		m.report(b)
	})
	m.reset()
	b.Run("mailgap", func(b *testing.B) {
		for b.Loop() {
			s, err := readmail.New(readmail.Config{Session: session.Config{
				Host: "127.0.0.1", User: "bench", Fingerprint: pin, Compress: session.CompressOff,
				Password: func(context.Context) (string, error) { return "bench", nil },
				Dial:     func(ctx context.Context, _, _ string) (net.Conn, error) { return m.dial(ctx, addr) },
			}})
			if err != nil {
				b.Fatal(err)
			}
			mcp, err := s.MCP()
			if err != nil {
				b.Fatal(err)
			}
			call(b, mcp, "list_messages", `{"limit":50}`)
			s.Close()
		}
		m.report(b)
	})
}

// fingerprint asks the server for its certificate.
func fingerprint(b *testing.B, addr string) string {
	b.Helper()
	conn, err := tls.Dial("tcp", addr, &tls.Config{InsecureSkipVerify: true})
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close()
	return sha256hex(conn.ConnectionState().PeerCertificates[0].Raw)
}

func sha256hex(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
