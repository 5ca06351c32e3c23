package decode

import (
	"bytes"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/mail"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-message"
)

// tree prints an entity as "type number[text](children)".
func tree(e *Entity) string {
	s := e.MediaType + " " + e.PartNumber
	if len(e.Children) == 0 {
		return s
	}
	var parts []string
	for _, c := range e.Children {
		parts = append(parts, tree(c))
	}
	return s + "(" + strings.Join(parts, ", ") + ")"
}

// messageFile reads a message of testdata/mail and gives it CR LF.
func messageFile(t testing.TB, name string) []byte {
	t.Helper()
	octets, err := os.ReadFile(filepath.Join(repoRoot(t), "testdata", "mail", name))
	if err != nil {
		t.Fatal(err)
	}
	return octets
}

func TestParseMessageFiles(t *testing.T) {
	for _, c := range []struct {
		file, tree, text string
		attachments      int
		note             Note
	}{
		{"decode-banner-in-part.eml", "multipart/mixed TEXT(text/plain 1, application/pdf 2)", "Words of the part.", 1, ""},
		{"decode-no-closing-boundary.eml", "multipart/mixed TEXT(text/plain 1, application/pdf 2)", "Words before the cut.", 1, NoteNoClosingBoundary},
		{"decode-no-boundary-parameter.eml", "multipart/mixed TEXT(text/plain 1, text/html 2)", "Plain words.", 0, NoteNoBoundary},
		{"decode-boundary-never-used.eml", "multipart/mixed TEXT", "Words without any boundary.", 0, NoteNoBoundary},
		{"decode-prefix-boundaries.eml", "multipart/mixed TEXT(multipart/alternative 1(text/plain 1.1, text/html 1.2), image/png 2)", "Plain words.", 1, ""},
		{"decode-message-base64.eml", "multipart/mixed TEXT(text/plain 1, message/rfc822 2(text/plain 2.1))", "See the message.", 1, ""},
		{"decode-message-multipart.eml", "multipart/mixed TEXT(text/plain 1, message/rfc822 2(multipart/mixed 2.TEXT(text/plain 2.1, text/plain 2.2)))", "Outer.", 1, ""},
		{"decode-message-alone.eml", "message/rfc822 1(text/plain 1.1)", "", 1, ""},
		{"decode-digest.eml", "multipart/digest TEXT(message/rfc822 1(text/plain 1.1), message/rfc822 2(text/plain 2.1))", "", 2, ""},
		{"decode-epilogue.eml", "multipart/mixed TEXT(text/plain 1)", "Inside.", 0, NoteTextAfterBoundary},
		{"decode-calendar.eml", "multipart/alternative TEXT(text/plain 1, text/html 2, text/calendar 3)", "Team lunch", 1, ""},
		{"decode-related-start.eml", "multipart/related TEXT(image/png 1, text/html 2)", "", 1, ""},
		{"decode-delivery-report.eml", "multipart/report TEXT(text/plain 1, message/delivery-status 2, message/rfc822 3(text/plain 3.1))", "could not be delivered", 2, ""},
		{"decode-flowed-qp.eml", "text/plain 1", "One paragraph that was wrapped by its writer.", 0, ""},
	} {
		t.Run(c.file, func(t *testing.T) {
			octets := messageFile(t, c.file)
			for _, form := range [][]byte{octets, bytes.ReplaceAll(octets, []byte("\r\n"), []byte("\n"))} {
				r := newCorpusReading(form)
				if got := tree(r.root); got != c.tree {
					t.Errorf("tree = %s\nwant   %s", got, c.tree)
				}
				if !strings.Contains(r.plain, c.text) || c.text == "" && len(r.body.Plain) > 0 {
					t.Errorf("text = %q, want %q in it", r.plain, c.text)
				}
				if len(r.body.Attachments) != c.attachments {
					t.Errorf("attachments = %d, want %d", len(r.body.Attachments), c.attachments)
				}
				if c.note != "" && !r.root.Notes.Has(c.note) {
					t.Errorf("notes = %v, want %s", r.root.Notes, c.note)
				}
				checkPlaces(t, form, r.root)
			}
		})
	}
}

// checkPlaces checks that Start and End say where Body is.
func checkPlaces(t testing.TB, octets []byte, e *Entity) {
	t.Helper()
	if e.Start >= 0 && !bytes.Equal(octets[e.Start:e.End], e.Body) {
		t.Errorf("part %s is not at [%d:%d]", e.PartNumber, e.Start, e.End)
	}
	for _, c := range e.Children {
		checkPlaces(t, octets, c)
	}
}

func TestEmbeddedSubject(t *testing.T) {
	root := ParseMessage(messageFile(t, "decode-message-base64.eml"), Limits{})
	inner := root.Find("2.1")
	if inner == nil {
		t.Fatalf("no part 2.1 in %s", tree(root))
	}
	if s, _ := inner.Header.Get("subject"); s != "Inner subject" || inner.Start != -1 {
		t.Errorf("subject = %q at %d, want the inner one at -1", s, inner.Start)
	}
	if !root.Find("2").Notes.Has(NoteMessageEncoded) {
		t.Error("no note about the encoding")
	}
}

func TestBinaryPartKeepsOctets(t *testing.T) {
	var all []byte
	for i := range 256 {
		all = append(all, byte(i))
	}
	msg := "Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: application/octet-stream; charset=gb18030\r\nContent-Transfer-Encoding: binary\r\n\r\n" + string(all) + "\r\n--b--\r\n"
	e := ParseMessage([]byte(msg), Limits{}).Find("1")
	if got, _ := e.Decoded(0); !bytes.Equal(got, all) {
		t.Errorf("got %d octets %q, want all 256", len(got), got)
	}
}

func TestParseHeader(t *testing.T) {
	for _, c := range []struct{ name, octets, want, rest string }{
		{"plain", "A: 1\r\nB: 2\r\n\r\nbody", "A=1|B=2|", "body"},
		{"folded", "A: 1\r\n 2\r\n\t3\r\n\r\n", "A=1 2\t3|", ""},
		{"LF only", "A: 1\nB: 2\n\nbody", "A=1|B=2|", "body"},
		{"no blank line", "A: 1\r\nB: 2", "A=1|B=2|", ""},
		{"space before the colon", "A : 1\r\n\r\n", "A=1|", ""},
		{"line without a colon", "A: 1\r\nCAUTION\r\n more\r\nB: 2\r\n\r\nbody", "A=1|B=2|", "body"},
		{"name with a blank", "A: 1\r\nnot a name: x\r\nB: 2\r\n\r\nbody", "A=1|B=2|", "body"},
		{"starts folded", " x\r\nA: 1\r\n\r\nbody", "A=1|", "body"},
		{"mbox line", "From a@b Mon May  2 16:07:05 2005\r\nA: 1\r\n\r\nbody", "A=1|", "body"},
		{"quoted mbox line", ">From a@b\r\nA: 1\r\n\r\nbody", "A=1|", "body"},
		{"byte-order mark", "\xef\xbb\xbfA: 1\r\n\r\nbody", "A=1|", "body"},
		{"NUL", "A: 1\x002\r\n\r\nbody", "A=12|", "body"},
		{"8-bit", "A: \xe9\r\n\r\n", "A=\xe9|", ""},
		{"blank line of spaces", "A: 1\r\n \r\nWords of the body\r\n\r\nmore", "A=1|", "Words of the body\r\n\r\nmore"},
		{"fold of spaces", "A: 1\r\n \r\nB: 2\r\n\r\nbody", "A=1|B=2|", "body"},
		{"no header", "Words only.\r\nMore.\r\n\r\nLast: one", "", "Words only.\r\nMore.\r\n\r\nLast: one"},
		{"empty header", "\r\nbody", "", "body"},
		{"empty", "", "", ""},
		{"colon first", ": x\r\nA: 1\r\n\r\n", "A=1|", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			h, rest := ParseHeader([]byte(c.octets), Limits{})
			got := ""
			for _, f := range h.Fields {
				got += f.Name + "=" + f.Body + "|"
			}
			if got != c.want || string(rest) != c.rest {
				t.Errorf("got %q and %q, want %q and %q", got, rest, c.want, c.rest)
			}
		})
	}
}

func TestHeaderLimits(t *testing.T) {
	h, rest := ParseHeader([]byte(strings.Repeat("A: 123456\r\n", 20)+"\r\nbody"), Limits{HeaderFields: 10, FieldOctets: 4})
	if len(h.Fields) != 10 || h.Fields[0].Body != "123" || !h.Notes.Has(NoteHeaderTruncated) || string(rest) != "body" {
		t.Errorf("got %d fields, first %q, %v, rest %q", len(h.Fields), h.Fields[0].Body, h.Notes, rest)
	}
	if got, ok := h.Get("a"); !ok || got != "123" || len(h.All("A")) != 10 {
		t.Errorf("Get = %q, %v", got, ok)
	}
}

func nested(n int) []byte {
	var b bytes.Buffer
	for i := range n {
		fmt.Fprintf(&b, "Content-Type: multipart/mixed; boundary=b%d\r\n\r\n--b%d\r\n", i, i)
	}
	b.WriteString("\r\nInside\r\n")
	for i := n - 1; i >= 0; i-- {
		fmt.Fprintf(&b, "--b%d--\r\n", i)
	}
	return b.Bytes()
}

func TestParseMessageLimits(t *testing.T) {
	depth := func(e *Entity) int {
		n := 0
		for ; len(e.Children) > 0; e = e.Children[0] {
			n++
		}
		if !e.Notes.Has(NoteDepthLimit) {
			t.Errorf("no note about the depth: %v", e.Notes)
		}
		if b := Bodies(e.Node()); len(b.Plain) > 0 {
			t.Error("an unread part is shown as text")
		}
		return n
	}
	if got := depth(ParseMessage(nested(50), Limits{})); got != defaultDepth-1 {
		t.Errorf("depth = %d, want %d", got, defaultDepth-1)
	}
	deep := strings.Repeat("Content-Type: message/rfc822\r\n\r\n", 50)
	if got := depth(ParseMessage([]byte(deep), Limits{Depth: 7})); got != 6 {
		t.Errorf("depth = %d, want 6", got)
	}
	many := ParseMessage(manyParts(5000), Limits{})
	if len(many.Children) != defaultParts-1 || !many.Notes.Has(NotePartLimit) {
		t.Errorf("parts = %d, %v", len(many.Children), many.Notes)
	}
	if many = ParseMessage(manyParts(200_000), Limits{}); len(many.Children) != defaultParts-1 {
		t.Errorf("parts = %d, want %d", len(many.Children), defaultParts-1)
	}
	cut := ParseMessage(manyParts(50), Limits{Octets: 200})
	if !cut.Notes.Has(NoteOctetLimit) || cut.End > 200 {
		t.Errorf("octets = %d, %v", cut.End, cut.Notes)
	}
}

// manyParts is a message with n empty parts.
func manyParts(n int) []byte {
	return []byte("From: a@example.com\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n" + strings.Repeat("--b\r\n\r\n", n) + "--b--\r\n")
}

// bigMultipart is a message of about a megabyte with text and base64 parts.
func bigMultipart() []byte {
	var b bytes.Buffer
	b.WriteString("From: a@example.com\r\nContent-Type: multipart/mixed; boundary=\"=_b\"\r\n\r\n")
	for range 16 {
		b.WriteString("--=_b\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nWords.\r\n--=_b\r\nContent-Type: application/pdf; name=\"a.pdf\"\r\nContent-Transfer-Encoding: base64\r\n\r\n")
		b.WriteString(strings.Repeat(strings.Repeat("QUJD", 19)+"\r\n", 840))
	}
	b.WriteString("--=_b--\r\n")
	return b.Bytes()
}

// TestParseMessageIsLinear bounds the time on inputs that make careless readers quadratic.
func TestParseMessageIsLinear(t *testing.T) {
	for name, octets := range map[string][]byte{
		"20,000 parts":         manyParts(20_000),
		"nested 5,000 deep":    nested(5000),
		"delimiters inside":    []byte("Content-Type: multipart/mixed; boundary=b\r\n\r\n" + strings.Repeat("--b", 700_000)),
		"dashes":               []byte("Content-Type: multipart/mixed\r\n\r\n" + strings.Repeat("--\r\n", 500_000)),
		"header lines":         []byte(strings.Repeat("A: b\r\n", 300_000)),
		"continuations":        []byte("A: b\r\n" + strings.Repeat(" c\r\n", 500_000)),
		"lines without colons": []byte(strings.Repeat("x\r\n", 700_000)),
		"nested messages":      []byte(strings.Repeat("Content-Type: message/rfc822\r\n\r\n", 60_000)),
	} {
		start := time.Now()
		ParseMessage(octets, Limits{Parts: 1 << 30}).Node()
		d := time.Since(start)
		t.Logf("%s: %v for %d octets", name, d, len(octets))
		if d > 5*time.Second { // generous: each takes well under a second
			t.Errorf("%s: %v for %d octets", name, d, len(octets))
		}
	}
}

func FuzzParseMessage(f *testing.F) {
	f.Add(nested(5))
	f.Add(manyParts(3))
	f.Add([]byte("Content-Type: message/rfc822\r\nContent-Transfer-Encoding: base64\r\n\r\nU3ViamVjdDogeA0KDQp5"))
	f.Add([]byte("Content-Type: multipart/related; start=\"<a>\"; boundary=\"b b\"\n\n--b b\nContent-ID: <a>\n\nx\n--b b--\ntail"))
	f.Fuzz(func(t *testing.T, octets []byte) {
		l := Limits{Depth: 6, Parts: 50}
		root := ParseMessage(octets, l)
		if bytes.IndexByte(octets, '\n') >= 0 {
			checkPlaces(t, octets, root)
		}
		checkUTF8(t, root)
		count := 0
		checkNode(t, root.Node(), &count)
		if count > l.Parts+1 {
			t.Errorf("%d parts, limit %d", count, l.Parts)
		}
		body := Bodies(root.Node())
		for _, n := range body.Attachments {
			checkName(t, n.Filename())
		}
	})
}

func checkNode(t *testing.T, n Node, count *int) {
	t.Helper()
	*count++
	for _, s := range []string{n.PartNumber, n.MediaType, n.Disposition, n.Encoding, n.ContentID, n.Description} {
		checkLine(t, s)
	}
	for _, c := range n.Children {
		checkNode(t, c, count)
	}
}

func BenchmarkParse(b *testing.B) {
	for name, octets := range map[string][]byte{"1MB": bigMultipart(), "200000parts": manyParts(200_000)} {
		for reader, read := range map[string]func([]byte){"decode": readHere, "go-message": readGoMessage, "stdlib": readStdlib} {
			b.Run(name+"/"+reader, func(b *testing.B) {
				b.SetBytes(int64(len(octets)))
				b.ReportAllocs()
				for b.Loop() {
					read(octets)
				}
			})
		}
	}
}

func readHere(octets []byte) { ParseMessage(octets, Limits{Parts: 1 << 30}) }

func readGoMessage(octets []byte) {
	e, err := message.Read(bytes.NewReader(octets))
	if err != nil {
		return
	}
	_ = e.Walk(func(_ []int, part *message.Entity, err error) error {
		if err == nil && part.MultipartReader() == nil {
			_, err = io.Copy(io.Discard, part.Body)
		}
		return err
	})
}

func readStdlib(octets []byte) {
	m, err := mail.ReadMessage(bytes.NewReader(octets))
	if err != nil {
		return
	}
	_, params, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	if err != nil {
		return
	}
	for r := multipart.NewReader(m.Body, params["boundary"]); ; {
		part, err := r.NextRawPart()
		if err != nil {
			return
		}
		if _, err := io.Copy(io.Discard, part); err != nil {
			return
		}
	}
}
