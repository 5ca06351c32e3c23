package wire

import (
	"bytes"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"
)

var fuzzLimits = Limits{LineOctets: 4096, LiteralOctets: 4096, PartialOctets: 8192, SkipOctets: 8192, Items: 2000,
	CommandOctets: 64 << 10, Untagged: 200, Numbers: 1000}

// FuzzInbound lets a server answer a FETCH with anything. go-imap must neither panic nor meet anything it cannot read:
// after whatever came, either the layer has ended the connection for a reason of its own, or the client still works.
func FuzzInbound(f *testing.F) {
	for _, tc := range bodyCases {
		f.Add([]byte("* 2 FETCH (UID 2 BODYSTRUCTURE " + tc.body + ")\r\n"))
	}
	f.Add([]byte("* 1 FETCH (UID 1 BODY[HEADER.FIELDS (A B)]<0> {3}\r\nabc BINARY[1] ~{1}\r\nx BINARY.SIZE[1] 5 MODSEQ (7))\r\n"))
	f.Add([]byte("* ESEARCH (TAG \"T1\") UID ALL 1:5,7 COUNT 3\r\n* SEARCH 1 2 (MODSEQ 5)\r\n* SORT 1\r\n* THREAD (1 (2)(3 4)5)\r\n"))
	f.Add([]byte("* LIST (\\A) \"/\" \"R&D\" (\"CHILDINFO\" (\"SUBSCRIBED\"))\r\n* STATUS \"R&D\" (MESSAGES 1)\r\n* NAMESPACE ((\"\" \"/\")) NIL NIL\r\n"))
	f.Add([]byte("* ID (\"a\" NIL)\r\n* CAPABILITY IMAP4rev2\r\n* FLAGS (\\Seen)\r\n* OK [PERMANENTFLAGS (\\*)] x\r\n* BYE x\r\n+ x\r\nT1 NO [X y] z\r\n"))
	f.Add([]byte(good(1) + "\r\n" + good(2) + "\r\nT1 OK done\r\n"))
	f.Add([]byte("* 1 FETCH (ENVELOPE (\"a\r\n* 2 EXISTS\" NIL NIL NIL NIL NIL NIL NIL NIL NIL))\r\n"))
	f.Fuzz(func(t *testing.T, answer []byte) {
		near, far := net.Pipe()
		go func() {
			io.WriteString(far, preauth+"\r\n")
			buf := make([]byte, 4096)
			far.Read(buf)
			go io.Copy(io.Discard, far)
			far.Write(answer)
			io.WriteString(far, "\r\nT1 OK end\r\nT2 OK end\r\n")
			far.Close()
		}()
		c := New(near, Options{Limits: fuzzLimits})
		seen := &tap{Conn: c}
		client := imapclient.New(seen, nil)
		section := &imap.FetchItemBodySection{Peek: true, Partial: &imap.SectionPartial{Size: 100}}
		o := *allItems
		o.BodySection = []*imap.FetchItemBodySection{section}
		msgs, _ := client.Fetch(uidSet(1, 3), &o).Collect()
		for _, m := range msgs {
			for _, s := range m.BodySection {
				if len(s.Bytes) > fuzzLimits.PartialOctets+literalSlackOctets {
					t.Errorf("section of %d octets", len(s.Bytes))
				}
			}
		}
		<-client.Closed()
		// After an ID response go-imap keeps an old error, which it then reports at the end of the connection.
		if err := client.Close(); err != nil && !strings.Contains(err.Error(), "wire:") && !bytes.Contains(seen.octets, []byte("* ID (")) {
			t.Errorf("go-imap: %v, after %q", err, seen.octets)
		}
		if cap(c.in.buf) > 256<<10 || cap(c.out) > 1<<20 {
			t.Errorf("buffers hold %d and %d octets", cap(c.in.buf), cap(c.out))
		}
	})
}

// tap keeps what the client was given.
type tap struct {
	*Conn
	octets []byte
}

func (t *tap) Read(p []byte) (int, error) {
	n, err := t.Conn.Read(p)
	t.octets = append(t.octets, p[:n]...)
	return n, err
}

// FuzzOutbound lets the client write anything. Each command that reaches the socket must be allowed when read again,
// and must be exactly the octets that were checked.
func FuzzOutbound(f *testing.F) {
	for cmd := range verbTable {
		f.Add([]byte("T1 " + cmd + "\r\n"))
	}
	f.Add([]byte("T1 UID SEARCH SUBJECT {3}\r\nabc TEXT {1+}\r\nx\r\nT2 NOOP\r\n"))
	f.Add([]byte("T1 AUTHENTICATE PLAIN\r\nAHUAcA==\r\nT2 STORE 1 FLAGS ()\r\n"))
	f.Fuzz(func(t *testing.T, octets []byte) {
		near, far := net.Pipe()
		got := make(chan []byte)
		go func() {
			var all []byte
			buf := make([]byte, 4096)
			for {
				n, err := far.Read(buf)
				all = append(all, buf[:n]...)
				if bytes.HasSuffix(all, []byte("}\r\n")) {
					io.WriteString(far, "+ go\r\n")
				}
				if err != nil {
					got <- all
					return
				}
			}
		}()
		c := New(near, Options{Greeting: "* PREAUTH ready", Limits: fuzzLimits})
		go io.Copy(io.Discard, c)
		go func() { c.Write(octets); c.Close() }()
		sent := <-got
		if !bytes.Contains(octets, sent) && !bytes.Contains(octets, []byte("DONE\r\n")) {
			t.Fatalf("sent %q, which is no part of %q", sent, octets)
		}
		checkSent(t, sent)
	})
}

// checkSent reads what reached the socket with a reader of its own that knows only lines and literals, and compares
// the verbs with a list of its own.
func checkSent(t *testing.T, sent []byte) {
	t.Helper()
	idle := false
	for len(sent) > 0 {
		line, rest, ok := bytes.Cut(sent, []byte("\r\n"))
		if !ok {
			t.Fatalf("sent half a line: %q", sent)
		}
		f := strings.Fields(strings.ToUpper(string(line)))
		switch {
		case idle && string(line) == "DONE":
			idle = false
			sent = rest
			continue
		case len(f) < 2:
			t.Fatalf("sent %q", line)
		}
		verb := f[1]
		if verb == "UID" && len(f) > 2 {
			verb += " " + f[2]
		}
		idle = idle || verb == "IDLE"
		if !strings.Contains("|CAPABILITY|ID|ENABLE|NOOP|LOGOUT|LOGIN|AUTHENTICATE|LIST|STATUS|NAMESPACE|EXAMINE|UNSELECT|FETCH|UID FETCH|SEARCH|UID SEARCH|SORT|UID SORT|THREAD|UID THREAD|IDLE|", "|"+verb+"|") {
			t.Fatalf("sent verb %q", verb)
		}
		if strings.HasSuffix(verb, "FETCH") && (strings.Contains(string(line), "BODY[") || strings.Contains(string(line), "RFC822 ") || strings.HasSuffix(string(line), "RFC822")) &&
			!strings.Contains(string(line), "\"") {
			t.Fatalf("sent %q", line)
		}
		for {
			n, _, ok := literalAt(line)
			if !ok {
				break
			}
			if n > uint64(len(rest)) {
				return // the literal was announced and the connection ended
			}
			line, rest, ok = bytes.Cut(rest[n:], []byte("\r\n"))
			if !ok {
				return
			}
		}
		sent = rest
	}
}

// FuzzMailboxName: what the client shows is encoded to what it was decoded from, for canonical names.
func FuzzMailboxName(f *testing.F) {
	for _, s := range []string{"INBOX", "Gel&APY-scht", "R&D", "&-", "&2D3e,A-", "&AOQ-&APY-", "a\xff", "&AAA-", "&2D0-"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		name, valid := shownName(raw)
		enc := encodeName(name)
		back, ok := decodeName(enc)
		if !ok || back != name {
			t.Errorf("%q: shown as %q, encoded as %q, decoded as %q, %v", raw, name, enc, back, ok)
		}
		if valid && name == string(raw) != bytes.Equal(enc, raw) && bytes.IndexByte(raw, '&') < 0 && quotable(raw) {
			t.Errorf("%q: encoded as %q", raw, enc)
		}
	})
}
