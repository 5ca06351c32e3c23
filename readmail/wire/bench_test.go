package wire

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"
)

// page is what a listing of 50 messages answers: envelope, structure of three parts, some header fields, flags.
func page() string {
	const body = `((("TEXT" "PLAIN" ("CHARSET" "utf-8") NIL NIL "QUOTED-PRINTABLE" 1300 30 NIL NIL NIL NIL)("TEXT" "HTML" ("CHARSET" "utf-8") NIL NIL "QUOTED-PRINTABLE" 13000 300 NIL NIL NIL NIL) "ALTERNATIVE" ("BOUNDARY" "b1") NIL NIL NIL)("APPLICATION" "PDF" ("NAME" "report.pdf") NIL NIL "BASE64" 147600 NIL ("ATTACHMENT" ("FILENAME" "report.pdf")) NIL NIL) "MIXED" ("BOUNDARY" "b2") NIL NIL NIL)`
	header := "References: <1@example.test> <2@example.test>\r\nList-Id: <list.example.test>\r\n\r\n"
	var b strings.Builder
	for i := 1; i <= 50; i++ {
		fmt.Fprintf(&b, "* %d FETCH (UID %d FLAGS (\\Seen) INTERNALDATE \"01-Jan-2024 10:00:00 +0000\" RFC822.SIZE 163000 ENVELOPE %s BODYSTRUCTURE %s BODY[HEADER.FIELDS (REFERENCES LIST-ID)] {%d}\r\n%s)\r\n",
			i, i, goodEnvelope, body, len(header), header)
	}
	return b.String()
}

// pageServer answers every UID FETCH with a page, over loopback.
func pageServer(b *testing.B) net.Conn {
	b.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	go func() {
		c, err := l.Accept()
		if err != nil {
			return
		}
		answer := page()
		in := bufio.NewReader(c)
		fmt.Fprintf(c, "%s\r\n", preauth)
		for {
			line, err := in.ReadString('\n')
			if err != nil {
				c.Close()
				return
			}
			tag, rest, _ := strings.Cut(line, " ")
			if strings.HasPrefix(rest, "UID FETCH") {
				io.WriteString(c, answer)
			}
			fmt.Fprintf(c, "%s OK done\r\n", tag)
		}
	}()
	conn, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		b.Fatal(err)
	}
	return conn
}

func BenchmarkPage(b *testing.B) {
	o := *allItems
	o.BodySection = []*imap.FetchItemBodySection{{Peek: true, Specifier: imap.PartSpecifierHeader, HeaderFields: []string{"References", "List-Id"}}}
	run := func(b *testing.B, conn net.Conn) {
		client := imapclient.New(conn, nil)
		defer func() { conn.Close(); client.Close() }()
		b.SetBytes(int64(len(page())))
		b.ReportAllocs()
		for b.Loop() {
			msgs, err := client.Fetch(uidSet(1, 50), &o).Collect()
			if err != nil || len(msgs) != 50 || len(msgs[0].BodySection) != 1 {
				b.Fatalf("got %d messages, %v", len(msgs), err)
			}
		}
	}
	b.Run("direct", func(b *testing.B) { run(b, pageServer(b)) })
	b.Run("wire", func(b *testing.B) { run(b, New(pageServer(b), Options{})) })
}

// BenchmarkLayer is the layer's own work on one page, without client and socket.
func BenchmarkLayer(b *testing.B) {
	near, far := net.Pipe()
	go io.Copy(io.Discard, far)
	c := New(near, Options{Greeting: "* PREAUTH ready"})
	defer c.Close()
	c.begin(&pending{tag: "T1", verb: "UID FETCH", fetch: &fetchAsk{uid: true, more: true}})
	answer := page()
	in := &inbound{c: c}
	c.in.lits = nil
	b.SetBytes(int64(len(answer)))
	b.ReportAllocs()
	for b.Loop() {
		in.buf, in.r = append(in.buf[:0], answer...), 0
		for in.r < len(in.buf) {
			r, err := in.next()
			if err == nil {
				err = c.handle(r)
			}
			if err != nil {
				b.Fatal(err)
			}
		}
		c.untag, c.stage = 0, c.stage[:0]
	}
}
