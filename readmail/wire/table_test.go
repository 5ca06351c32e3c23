package wire

import (
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/emersion/go-imap/v2"
)

// bodyCase is one broken BODYSTRUCTURE between two good messages: want is what must hold for the broken one.
type bodyCase struct {
	name, body string
	kind       RepairKind
	want       func(bs imap.BodyStructure) bool
}

func single(bs imap.BodyStructure, path ...int) *imap.BodyStructureSinglePart {
	for _, i := range path {
		m, ok := bs.(*imap.BodyStructureMultiPart)
		if !ok || i >= len(m.Children) {
			return nil
		}
		bs = m.Children[i]
	}
	p, _ := bs.(*imap.BodyStructureSinglePart)
	return p
}

func mediaIs(want string, path ...int) func(imap.BodyStructure) bool {
	return func(bs imap.BodyStructure) bool {
		p := single(bs, path...)
		return p != nil && strings.EqualFold(p.MediaType(), want)
	}
}

var bodyCases = []bodyCase{
	{"unescaped quotes", `(("text" "html" ("charset" "UTF-8") NIL NIL "quoted-printable" 10 1)("application" "octet-stream" ("name" "a.pdf") NIL """" "base64" 100) "mixed")`,
		RepairQuoting, mediaIs("application/octet-stream", 1)},
	{"quotes around a word in a name", `(("text" "plain" NIL NIL NIL "7bit" 10 1)("application" "pdf" ("name" "the "big" one.pdf") NIL NIL "base64" 100) "mixed")`,
		RepairQuoting, func(bs imap.BodyStructure) bool {
			p := single(bs, 1)
			return p != nil && p.Params["name"] == `the "big" one.pdf`
		}},
	{"childless multipart", `(("ALTERNATIVE" ("BOUNDARY" "b") NIL NIL)("APPLICATION" "PDF" NIL NIL NIL "BASE64" 9 NIL ("ATTACHMENT" ("FILENAME" "x.pdf")) NIL) "MIXED")`,
		RepairChildlessMultipart, func(bs imap.BodyStructure) bool {
			p := single(bs, 1)
			return mediaIs("multipart/alternative", 0)(bs) && p != nil && p.Filename() == "x.pdf"
		}},
	{"gmail's broken children", `((("TEXT" "PLAIN" NIL NIL NIL "7BIT" 1 1)("TEXT" "HTML" NIL NIL NIL "7BIT" 1 1) "ALTERNATIVE")("RELATED" NIL ("ATTACHMENT" NIL) NIL)("RELATED" NIL ("ATTACHMENT" NIL) NIL) "MIXED")`,
		RepairChildlessMultipart, func(bs imap.BodyStructure) bool {
			return mediaIs("text/html", 0, 1)(bs) && mediaIs("multipart/related", 2)(bs)
		}},
	{"empty parameter list", `("message" "delivery-status" () NIL NIL "7bit" 340)`, RepairParameterList, mediaIs("message/delivery-status")},
	{"NIL encoding", `("TEXT" "PLAIN" NIL NIL NIL NIL 13 1)`, RepairNilString, func(bs imap.BodyStructure) bool {
		p := single(bs)
		return p != nil && p.Encoding == "7BIT" && p.Size == 13
	}},
	{"NIL parameter value", `("TEXT" "PLAIN" ("CHARSET" NIL "FORMAT" "flowed") NIL NIL "7BIT" 13 1)`, RepairNilString, func(bs imap.BodyStructure) bool {
		p := single(bs)
		return p != nil && p.Params["format"] == "flowed"
	}},
	{"NIL subtype", `("TEXT" NIL NIL NIL NIL "7BIT" 13 1)`, RepairNilString, mediaIs("text/plain")},
	{"NIL type and subtype", `(NIL NIL NIL NIL NIL "7BIT" 13)`, RepairNilString, mediaIs("application/octet-stream")},
	{"short message/rfc822", `("message" "rfc822" NIL NIL NIL "7bit" 340)`, RepairShortMessage, mediaIs("message/rfc822")},
	{"short message/rfc822 with extension", `("message" "rfc822" NIL NIL NIL "7bit" 340 NIL ("attachment" ("filename" "a.eml")) NIL NIL)`, RepairShortMessage,
		func(bs imap.BodyStructure) bool {
			p := single(bs)
			return p != nil && p.Filename() == "a.eml" && p.MessageRFC822 != nil && mediaIs(UnknownMediaType)(p.MessageRFC822.BodyStructure)
		}},
	{"short message/global", `("message" "global" NIL NIL NIL "8bit" 340 NIL ("attachment" NIL) NIL)`, RepairShortMessage, mediaIs("message/global")},
	{"negative size", `("TEXT" "PLAIN" NIL NIL NIL "7BIT" -1 1)`, RepairBodyField, mediaIs("text/plain")},
	{"lines of a delivery status", `("message" "delivery-status" NIL NIL NIL "7bit" 340 12 NIL NIL NIL)`, RepairBodyField, mediaIs("message/delivery-status")},
	{"no lines of a text", `("TEXT" "PLAIN" NIL NIL NIL "7BIT" 13 NIL NIL NIL NIL)`, RepairBodyField, mediaIs("text/plain")},
	{"disposition as string", `("TEXT" "PLAIN" NIL NIL NIL "7BIT" 13 1 NIL "inline" NIL NIL)`, RepairBodyField, mediaIs("text/plain")},
	{"multipart without subtype", `(("TEXT" "PLAIN" NIL NIL NIL "7BIT" 13 1)("TEXT" "HTML" NIL NIL NIL "7BIT" 13 1))`, RepairNilString, mediaIs("text/html", 1)},
	{"atoms for strings", `(text plain (charset utf-8) NIL NIL 7BIT 13 1)`, RepairBodyField, mediaIs("text/plain")},
	{"missing field", `("TEXT" "PLAIN" NIL NIL "7BIT" 13 1)`, RepairBodyField, mediaIs("text/plain")},
	{"empty part", `(()("TEXT" "PLAIN" NIL NIL NIL "7BIT" 13 1) "MIXED")`, RepairUnknownPart, func(bs imap.BodyStructure) bool {
		return mediaIs(UnknownMediaType, 0)(bs) && mediaIs("text/plain", 1)(bs)
	}},
	{"raw 8-bit name", "(\"APPLICATION\" \"PDF\" (\"NAME\" \"\xe4.pdf\") NIL NIL \"BASE64\" 9)", RepairNone, func(bs imap.BodyStructure) bool {
		p := single(bs)
		return p != nil && p.Params["name"] == "\xe4.pdf"
	}},
	{"not a list", `"TEXT"`, RepairUnstructured, func(bs imap.BodyStructure) bool { return bs == nil }},
}

// One odd BODYSTRUCTURE costs at most the structure of its message; its neighbours and the connection stay.
func TestBodyStructureOddities(t *testing.T) {
	for _, tc := range bodyCases {
		t.Run(tc.name, func(t *testing.T) {
			client, c, _ := dial(t, Options{}, fetching(good(1), `* 2 FETCH (UID 2 FLAGS () BODYSTRUCTURE `+tc.body+` RFC822.SIZE 7)`, good(3)))
			got := fetchAll(t, client, 3, allItems)
			if len(got) != 3 || got[1].BodyStructure == nil || got[3].BodyStructure == nil {
				t.Fatalf("got %d messages, want 3 with their structures", len(got))
			}
			if !tc.want(got[2].BodyStructure) {
				t.Errorf("structure: %+v", got[2].BodyStructure)
			}
			if got[2].RFC822Size != 7 {
				t.Errorf("size: got %d, want 7: what follows the structure is lost", got[2].RFC822Size)
			}
			found := tc.kind == RepairNone
			for _, r := range c.TakeRepairs() {
				if r.Kind == tc.kind {
					found = r.UID == 2 && r.Seq == 2
				}
			}
			if !found {
				t.Errorf("repair %d with UID 2 not reported", tc.kind)
			}
			alive(t, client, c)
		})
	}
}

// Without the layer these lose the whole answer. When go-imap accepts one, drop it here.
func TestBareClientFailsOnBodyStructureOddities(t *testing.T) {
	for _, name := range []string{"unescaped quotes", "childless multipart", "gmail's broken children", "NIL subtype", "NIL parameter value"} {
		for _, tc := range bodyCases {
			if tc.name != name {
				continue
			}
			t.Run(name, func(t *testing.T) {
				client := dialBare(t, fetching(good(1), `* 2 FETCH (UID 2 BODYSTRUCTURE `+tc.body+`)`, good(3)))
				if _, err := client.Fetch(uidSet(1, 3), allItems).Collect(); err == nil {
					t.Error("go-imap now takes this: is the repair still needed?")
				}
			})
		}
	}
}

// However deep a structure is, only its message is concerned: a branch too deep becomes an unknown part, a response
// too long loses its structure. go-imap alone dies of the last case and takes seconds for the second.
func TestDeepBodyStructure(t *testing.T) {
	for _, tc := range []struct {
		name  string
		body  string
		depth int // seen by the client, 0 for no structure
		kind  RepairKind
	}{
		{"40 levels", deepBody(40), 41, RepairNone},
		{"150 levels", deepBody(150), 100, RepairDepth},
		{"50,000 levels", deepBody(50_000), 100, RepairDepth},
		{"2.2 million levels", strings.Repeat("(", 2_200_000), 0, RepairUnstructured},
	} {
		t.Run(tc.name, func(t *testing.T) {
			client, c, _ := dial(t, Options{}, fetching(good(1), `* 2 FETCH (UID 2 BODYSTRUCTURE `+tc.body+`)`, good(3)))
			got := fetchAll(t, client, 3, allItems)
			if len(got) != 3 || got[3].BodyStructure == nil {
				t.Fatalf("got %d messages, want 3", len(got))
			}
			if d := depthOf(got[2].BodyStructure); d != tc.depth {
				t.Errorf("depth: got %d, want %d", d, tc.depth)
			}
			if k := kinds(c.TakeRepairs()); tc.kind != RepairNone && k[tc.kind] != 1 || tc.kind == RepairNone && len(k) > 0 {
				t.Errorf("repairs: got %v, want one %d", k, tc.kind)
			}
			alive(t, client, c)
		})
	}
}

func deepBody(levels int) string {
	return strings.Repeat("(", levels) + goodBody + strings.Repeat(` "MIXED")`, levels)
}

func depthOf(bs imap.BodyStructure) int {
	switch bs := bs.(type) {
	case *imap.BodyStructureMultiPart:
		return 1 + depthOf(bs.Children[0])
	case *imap.BodyStructureSinglePart:
		return 1
	}
	return 0
}

// endless writes s for ever and returns how many octets were taken.
func endless(c net.Conn, prefix, s string) int {
	n, err := io.WriteString(c, prefix)
	for err == nil {
		var k int
		k, err = io.WriteString(c, s)
		n += k
	}
	return n
}

// The server never stops; the layer does, within its limits, and says why.
func TestEndlessResponses(t *testing.T) {
	lim := Limits{LineOctets: 64 << 10, SkipOctets: 128 << 10, Numbers: 10_000, Untagged: 1000, CommandOctets: 4 << 20}
	for _, tc := range []struct {
		name, prefix, repeat string
		max                  int
	}{
		{"literal of 99 GB in an envelope", "* 1 FETCH (UID 1 ENVELOPE (\"x\" {99000000000}\r\n", strings.Repeat("A", 4096), 64 << 10},
		{"literal beyond 64 bits", "* 1 FETCH (UID 1 BODY[1] {99000000000000000000}\r\n", strings.Repeat("A", 4096), 64 << 10},
		{"quoted string", "* 1 FETCH (UID 1 ENVELOPE (\"x\" \"", strings.Repeat("A", 4096), 512 << 10},
		{"parentheses", "* 1 FETCH (UID 1 BODYSTRUCTURE ", strings.Repeat("(", 4096), 512 << 10},
		{"search numbers", "* SEARCH", strings.Repeat(" 12345", 700), 512 << 10},
		{"folders", "", "* LIST () \"/\" \"folder " + strings.Repeat("x", 900) + "\"\r\n", 4 << 20},
		{"large responses", "", "* LIST () \"/\" \"" + strings.Repeat("x", 60_000) + "\"\r\n", 5 << 20},
		{"untagged lines", "", "* OK still thinking\r\n", 1 << 20},
		{"blank lines", "", "\r\n", 1 << 20},
		{"tags of nobody", "", "X1 OK\r\n", 1 << 20},
		{"continuations", "", "+ go\r\n", 1 << 20},
	} {
		t.Run(tc.name, func(t *testing.T) {
			near, far := net.Pipe()
			taken := make(chan int, 1)
			go func() {
				fmt.Fprintf(far, "%s\r\n", preauth)
				buf := make([]byte, 1<<10)
				far.Read(buf)
				taken <- endless(far, tc.prefix, tc.repeat)
			}()
			c := New(near, Options{Limits: lim})
			client := newClient(t, c)
			_, err := client.Fetch(uidSet(1, 3), allItems).Collect()
			if err == nil {
				t.Fatal("got no error")
			}
			if !errors.Is(c.Err(), ErrLimit) {
				t.Errorf("Err: got %v, want ErrLimit", c.Err())
			}
			if n := <-taken; n > tc.max {
				t.Errorf("read %d octets, want at most %d", n, tc.max)
			}
			if cap(c.in.buf) > 1<<20 || cap(c.out) > 1<<20 {
				t.Errorf("buffers hold %d and %d octets", cap(c.in.buf), cap(c.out))
			}
		})
	}
}

// What a client holds while a server floods it stays bounded although nobody reads.
func TestBackpressure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, far := net.Pipe()
		go func() {
			fmt.Fprintf(far, "%s\r\n", preauth)
			endless(far, "", "* LIST () \"/\" \""+strings.Repeat("x", 1000)+"\"\r\n")
		}()
		c := New(near, Options{})
		synctest.Wait() // until nobody can go on
		if n := len(c.out) - c.outPos; n > outHighWaterOctets+(64<<10) {
			t.Errorf("%d octets wait for the client, want about %d", n, outHighWaterOctets)
		}
		if c.Err() != nil {
			t.Errorf("Err: got %v", c.Err())
		}
		c.Close()
	})
}

// More values than allowed cost the message its content, not the memory.
func TestTooManyItems(t *testing.T) {
	client, c, _ := dial(t, Options{Limits: Limits{Items: 500}}, fetching(`* 1 FETCH (UID 1 BODYSTRUCTURE (`+strings.Repeat(goodBody, 1000)+` "MIXED"))`, good(2)))
	got := fetchAll(t, client, 2, allItems)
	if len(got) != 2 || got[1].BodyStructure != nil || got[2].BodyStructure == nil {
		t.Errorf("got %d messages (%v)", len(got), c.Err())
	}
	if k := kinds(c.TakeRepairs()); k[RepairOversized] != 1 || k[RepairUnstructured] != 1 {
		t.Errorf("repairs: got %v, want Oversized and Unstructured", k)
	}
	alive(t, client, c)
}

func TestOverrunIsCut(t *testing.T) {
	big := strings.Repeat("A", 300<<10)
	section := &imap.FetchItemBodySection{Peek: true, Partial: &imap.SectionPartial{Offset: 0, Size: 100}}
	for _, tc := range []struct{ name, label string }{{"range echoed", "BODY[]<0>"}, {"range forgotten", "BODY[]"}} {
		t.Run(tc.name, func(t *testing.T) {
			client, c, _ := dial(t, Options{}, fetching(fmt.Sprintf("* 1 FETCH (%s {%d}\r\n%s UID 1)", tc.label, len(big), big), good(2)))
			got := fetchAll(t, client, 2, &imap.FetchOptions{UID: true, BodySection: []*imap.FetchItemBodySection{section}})
			if got[1] == nil || len(got[1].FindBodySection(section)) != 100 {
				t.Fatalf("got %+v, want 100 octets", got[1])
			}
			if k := kinds(c.TakeRepairs()); k[RepairPartialIgnored] != 1 {
				t.Errorf("repairs: got %v, want PartialIgnored", k)
			}
			alive(t, client, c)
		})
	}
	t.Run("200 MB", func(t *testing.T) {
		client, c, _ := dial(t, Options{}, fetching("* 1 FETCH (UID 1 BODY[]<0> {209715200}\r\n"+strings.Repeat("A", 1<<20)))
		if _, err := client.Fetch(uidSet(1, 2), &imap.FetchOptions{UID: true, BodySection: []*imap.FetchItemBodySection{section}}).Collect(); err == nil {
			t.Error("got no error")
		}
		if !errors.Is(c.Err(), ErrLimit) {
			t.Errorf("Err: got %v, want ErrLimit", c.Err())
		}
	})
}

func TestCutLiteral(t *testing.T) {
	section := &imap.FetchItemBodySection{Peek: true, Part: []int{1}}
	client, c, _ := dial(t, Options{}, fetching(good(1), "* 2 FETCH (UID 2 BODY[1] {1000}\r\n"+strings.Repeat("A", 500)+"cut"))
	cmd := client.Fetch(uidSet(1, 2), &imap.FetchOptions{UID: true, BodySection: []*imap.FetchItemBodySection{section}})
	msgs, err := cmd.Collect()
	if err == nil {
		t.Error("got no error for a literal that was cut")
	}
	for _, m := range msgs {
		if m.UID == 2 {
			t.Errorf("the half message was handed out: %d octets", len(m.FindBodySection(section)))
		}
	}
	if !errors.Is(c.Err(), ErrFraming) {
		t.Errorf("Err: got %v, want ErrFraming", c.Err())
	}
}

func TestByeTextIsKept(t *testing.T) {
	client, c, _ := dial(t, Options{}, fetching("* BYE [UNAVAILABLE] going down for maintenance", "cut"))
	if _, err := client.Fetch(uidSet(1, 1), allItems).Collect(); err == nil {
		t.Error("got no error")
	}
	var bye *ByeError
	<-c.Done()
	if !errors.As(c.Err(), &bye) || bye.Code != "UNAVAILABLE" || bye.Text != "going down for maintenance" || !errors.Is(c.Err(), ErrBye) {
		t.Errorf("Err: got %#v", c.Err())
	}
}

func TestAlertIsKept(t *testing.T) {
	client, c, _ := dial(t, Options{}, func(tag, verb, args string) string {
		if verb == "NOOP" {
			return "* NO [ALERT] mailbox nearly full\r\n" + tag + " NO [ALERT] log in with your browser first\r\n"
		}
		return ""
	})
	err := client.Noop().Wait()
	var ie *imap.Error
	if !errors.As(err, &ie) || ie.Code != "ALERT" || ie.Text != "log in with your browser first" {
		t.Errorf("got %v", err)
	}
	if got := c.Alerts(); len(got) != 2 || got[0] != "mailbox nearly full" {
		t.Errorf("Alerts: got %q", got)
	}
}
