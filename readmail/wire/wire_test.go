package wire

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"
)

const testCaps = "IMAP4rev1 SASL-IR AUTH=PLAIN ID IDLE LITERAL+ ESEARCH LIST-EXTENDED LIST-STATUS SPECIAL-USE NAMESPACE " +
	"CONDSTORE UNSELECT ENABLE SORT THREAD=REFERENCES X-GM-EXT-1 PREVIEW COMPRESS=DEFLATE"

// script answers one command line. What it returns is sent as it is; "" means the usual answer, "hang" none,
// and a "cut" at its end closes the connection.
type script func(tag, verb, args string) string

// testServer is a scripted IMAP server on the other end of a pipe.
type testServer struct {
	mu    sync.Mutex
	lines []string // as received, literals included
}

func (s *testServer) received() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.lines...)
}

// serve runs until the connection ends.
func (s *testServer) serve(c net.Conn, greeting string, answer script) {
	defer c.Close()
	in := bufio.NewReader(c)
	if greeting != "" {
		fmt.Fprintf(c, "%s\r\n", greeting)
	}
	for {
		line, err := s.command(c, in)
		if err != nil {
			return
		}
		s.mu.Lock()
		s.lines = append(s.lines, line)
		s.mu.Unlock()
		tag, rest, _ := strings.Cut(line, " ")
		verb, args, _ := strings.Cut(rest, " ")
		if strings.EqualFold(verb, "UID") {
			word, tail, _ := strings.Cut(args, " ")
			verb, args = "UID "+word, tail
		}
		out := answer(tag, strings.ToUpper(verb), args)
		if out == "" {
			out = usual(tag, strings.ToUpper(verb))
		}
		if out == "hang" {
			continue
		}
		text, cut := strings.CutSuffix(out, "cut")
		if _, err := io.WriteString(c, text); err != nil || cut {
			return
		}
	}
}

// command reads a line with its literals.
func (s *testServer) command(c net.Conn, in *bufio.Reader) (string, error) {
	var b strings.Builder
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return "", err
		}
		line = strings.TrimRight(line, "\r\n")
		b.WriteString(line)
		i := strings.LastIndexByte(line, '{')
		if i < 0 || !strings.HasSuffix(line, "}") {
			return b.String(), nil
		}
		num, plus := strings.CutSuffix(line[i+1:len(line)-1], "+")
		n, err := strconv.Atoi(num)
		if err != nil {
			return b.String(), nil
		}
		if !plus {
			io.WriteString(c, "+ go\r\n")
		}
		lit := make([]byte, n)
		if _, err := io.ReadFull(in, lit); err != nil {
			return "", err
		}
		b.WriteString("\r\n")
		b.Write(lit)
	}
}

func usual(tag, verb string) string {
	switch verb {
	case "CAPABILITY":
		return "* CAPABILITY " + testCaps + "\r\n" + tag + " OK done\r\n"
	case "EXAMINE":
		return "* FLAGS (\\Seen)\r\n* 3 EXISTS\r\n* 0 RECENT\r\n* OK [UIDVALIDITY 1] .\r\n* OK [UIDNEXT 4] .\r\n" + tag + " OK [READ-ONLY] done\r\n"
	case "LOGOUT":
		return "* BYE bye\r\n" + tag + " OK bye\r\n"
	}
	return tag + " OK done\r\n"
}

const preauth = "* PREAUTH [CAPABILITY " + testCaps + "] ready"

// dial gives a go-imap client over a Conn to a scripted server, logged in.
func dial(t testing.TB, opts Options, answer script) (*imapclient.Client, *Conn, *testServer) {
	t.Helper()
	near, far := net.Pipe()
	s := &testServer{}
	go s.serve(far, preauth, answer)
	c := New(near, opts)
	client := imapclient.New(c, nil)
	t.Cleanup(func() { c.Close(); client.Close() })
	if err := client.WaitGreeting(); err != nil {
		t.Fatalf("greeting: %v", err)
	}
	return client, c, s
}

// dialBare is the same without the layer, to show what it is for.
func dialBare(t *testing.T, answer script) *imapclient.Client {
	t.Helper()
	near, far := net.Pipe()
	go (&testServer{}).serve(far, preauth, answer)
	client := imapclient.New(near, nil)
	t.Cleanup(func() { client.Close() })
	if err := client.WaitGreeting(); err != nil {
		t.Fatalf("greeting: %v", err)
	}
	return client
}

// fetching answers UID FETCH with lines, any other command as usual.
func fetching(lines ...string) script {
	return func(tag, verb, args string) string {
		if verb != "UID FETCH" {
			return ""
		}
		out := strings.Join(lines, "\r\n")
		if strings.HasSuffix(out, "cut") {
			return out
		}
		return out + "\r\n" + tag + " OK done\r\n"
	}
}

var allItems = &imap.FetchOptions{UID: true, Envelope: true, Flags: true, InternalDate: true, RFC822Size: true,
	BodyStructure: &imap.FetchItemBodyStructure{Extended: true}}

func uidSet(from, to uint32) imap.UIDSet {
	var s imap.UIDSet
	s.AddRange(imap.UID(from), imap.UID(to))
	return s
}

// fetchAll fetches UIDs 1 to n and indexes the answers.
func fetchAll(t testing.TB, client *imapclient.Client, n uint32, o *imap.FetchOptions) map[imap.UID]*imapclient.FetchMessageBuffer {
	t.Helper()
	msgs, err := client.Fetch(uidSet(1, n), o).Collect()
	if err != nil {
		t.Fatalf("fetch: %v", err)
	}
	byUID := map[imap.UID]*imapclient.FetchMessageBuffer{}
	for _, m := range msgs {
		byUID[m.UID] = m
	}
	return byUID
}

// alive fails t unless the connection still answers.
func alive(t testing.TB, client *imapclient.Client, c *Conn) {
	t.Helper()
	if err := client.Noop().Wait(); err != nil {
		t.Errorf("connection lost: %v (%v)", err, c.Err())
	}
}

// kinds counts the repairs by kind.
func kinds(rs []Repair) map[RepairKind]int {
	m := map[RepairKind]int{}
	for _, r := range rs {
		m[r.Kind]++
	}
	return m
}

const goodEnvelope = `("Mon, 01 Jan 2024 10:00:00 +0000" "hello" (("Ana" NIL "ana" "example.test")) NIL NIL (("Bob" NIL "bob" "example.test")) NIL NIL NIL "<1@example.test>")`
const goodBody = `("TEXT" "PLAIN" ("CHARSET" "utf-8") NIL NIL "7BIT" 13 1 NIL NIL NIL NIL)`

func good(uid int) string {
	return fmt.Sprintf(`* %d FETCH (UID %d FLAGS (\Seen) INTERNALDATE "01-Jan-2024 10:00:00 +0000" RFC822.SIZE 300 ENVELOPE %s BODYSTRUCTURE %s)`, uid, uid, goodEnvelope, goodBody)
}

// newClient puts go-imap's client on c.
func newClient(t testing.TB, c *Conn) *imapclient.Client {
	t.Helper()
	client := imapclient.New(c, nil)
	t.Cleanup(func() { c.Close(); client.Close() })
	if err := client.WaitGreeting(); err != nil {
		t.Fatalf("greeting: %v", err)
	}
	return client
}
