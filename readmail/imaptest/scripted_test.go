package imaptest

import (
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-imap/v2"
)

func TestScriptDefaults(t *testing.T) {
	s := NewScripted(t)
	conn, err := s.Dial(t.Context(), "", "")
	if err != nil {
		t.Fatal(err)
	}
	c := login(t, conn)
	if got := examine(t, c).NumMessages; got != 0 {
		t.Errorf("got %d messages, want 0", got)
	}
	boxes, err := c.List("", "*", nil).Collect()
	if err != nil || len(boxes) != 1 || boxes[0].Mailbox != "INBOX" {
		t.Errorf("got %v, %v, want INBOX", boxes, err)
	}
	data, err := c.UIDSearch(&imap.SearchCriteria{}, nil).Wait()
	if err != nil || len(data.AllUIDs()) != 0 {
		t.Errorf("got %v, %v, want an empty result", data, err)
	}
	if err := c.Logout().Wait(); err != nil {
		t.Error(err)
	}
}

func TestScriptStepsInOrder(t *testing.T) {
	s := NewScripted(t, Script{Steps: []Step{
		OnMatch(`^UID SEARCH CHARSET`).Reply("{tag} NO [BADCHARSET (US-ASCII)] no"),
		On("UID SEARCH").Once().Raw(SearchCompletionOnly),
		On("UID SEARCH").Raw(SearchSplit),
		On("UID FETCH").OK(Fetch(1, 4, "FLAGS", "()"), Fetch(2, 5, "BODYSTRUCTURE", StructureChildless)),
		On("NOOP").Compute(func(c Command) string { return c.Tag + " OK it was " + c.Verb + "\r\n" }),
	}})
	c := dialTalk(t, s.host)
	c.line("* OK [CAPABILITY " + defaultScriptCaps + "]")
	c.send("a UID SEARCH CHARSET UTF-8 SUBJECT {3}\r\n")
	c.line("+ ")
	c.send("abc\r\n")
	c.line("a NO [BADCHARSET")
	c.send("b UID SEARCH ALL\r\n")
	c.line("b OK SEARCH completed (took 237 ms)")
	c.send("c UID SEARCH ALL\r\n")
	c.line("* SEARCH 2 3")
	c.line("* SEARCH 5")
	c.line("c OK")
	c.send("d UID FETCH 1:* (FLAGS)\r\n")
	c.line("* 1 FETCH (UID 4 FLAGS ())")
	c.line("* 2 FETCH (UID 5 BODYSTRUCTURE ((\"ALTERNATIVE\"")
	c.line("d OK")
	c.send("e NOOP\r\n")
	c.line("e OK it was NOOP")
	c.send("f XYZZY\r\n")
	c.line("f BAD")
	want := "UID SEARCH CHARSET UTF-8 SUBJECT {3}\r\nabc"
	if got := s.Commands()[0].String(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	s.expect(t, "command XYZZY is not a reading command")
}

// expect checks the violations and forgets them, so that the check at the end passes.
func (h *host) expect(t *testing.T, want ...string) {
	t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	r := h.recorder
	r.mu.Lock()
	defer r.mu.Unlock()
	if got := strings.Join(r.violations, "; "); got != strings.Join(want, "; ") {
		t.Errorf("got violations %q, want %q", got, want)
	}
	r.violations = nil
}

func TestStrictScript(t *testing.T) {
	s := NewScripted(t, Script{Strict: true, Steps: []Step{On("UID FETCH").OK()}})
	c := dialTalk(t, s.host)
	c.line("* OK")
	c.send("a UID THREAD REFERENCES UTF-8 ALL\r\n")
	c.line("a BAD")
	s.expect(t, "command UID THREAD is not in the script")
}

func TestScriptedServerSeesWrites(t *testing.T) {
	s := NewScripted(t)
	c := dialTalk(t, s.host)
	c.line("* OK")
	c.send("a UID STORE 1 +FLAGS (\\Seen)\r\n")
	c.line("a BAD")
	tb := &recordingTB{TB: t}
	s.CheckVerbs(tb)
	s.expect(t, "command UID STORE is not a reading command")
	if len(tb.errors) != 1 {
		t.Errorf("CheckVerbs said %q, want one violation", tb.errors)
	}
}

func TestScriptPerConnection(t *testing.T) {
	s := NewScripted(t,
		Script{Greeting: "* BYE too many connections", AfterGreeting: new(Anything().Close())},
		Script{Auth: []string{"{tag} NO [AUTHENTICATIONFAILED] no"}},
		Script{Caps: "IMAP4rev1 IDLE"})
	first := dialTalk(t, s.host)
	first.line("* BYE")
	if _, err := first.br.ReadByte(); !errors.Is(err, io.EOF) {
		t.Errorf("got %v after BYE, want EOF", err)
	}
	second := dialTalk(t, s.host)
	second.line("* OK")
	second.send("a AUTHENTICATE PLAIN\r\n")
	second.line("+ ")
	second.send("AGEAYg==\r\n")
	second.line("a NO [AUTHENTICATIONFAILED]")
	for range 2 {
		third := dialTalk(t, s.host)
		third.line("* OK [CAPABILITY IMAP4rev1 IDLE]")
		third.send("a IDLE\r\n")
		third.line("+ idling")
		third.send("DONE\r\n")
		third.line("a OK")
	}
	if got, want := s.Stats().Connections, 4; got != want {
		t.Errorf("got %d connections, want %d", got, want)
	}
}

func TestScriptCutsAndStalls(t *testing.T) {
	release := make(chan struct{})
	s := NewScripted(t, Script{Steps: []Step{
		On("NOOP").Stall(release).OK(),
		On("UID FETCH").Raw("* 1 FETCH (UID 1 BODY[] {500}\r\nhalf").Close(),
		On("LIST").Reset(),
		On("STATUS").Endless("* OK still here\r\n"),
	}})
	c := dialTalk(t, s.host)
	c.line("* OK")
	c.send("a NOOP\r\n")
	if _, ok := s.WaitCommand(t, "NOOP"); !ok {
		t.Fatal("NOOP was not received")
	}
	if err := c.conn.SetReadDeadline(time.Now()); err != nil {
		t.Fatal(err)
	}
	if _, err := c.conn.Read(make([]byte, 1)); err == nil {
		t.Error("got an answer before the release")
	}
	if err := c.conn.SetReadDeadline(time.Time{}); err != nil {
		t.Fatal(err)
	}
	close(release)
	c.line("a OK")
	c.send("b UID FETCH 1 BODY.PEEK[]\r\n")
	c.line("* 1 FETCH")
	if rest, err := io.ReadAll(c.br); string(rest) != "half" || err != nil {
		t.Errorf("got %q, %v, want the half and EOF", rest, err)
	}
	c = dialTalk(t, s.host)
	c.line("* OK")
	c.send("a STATUS INBOX (MESSAGES)\r\n")
	for range 5000 {
		c.line("* OK still here")
	}
	c.conn.Close()
}

func TestScriptReset(t *testing.T) {
	s := NewScripted(t, Script{Steps: []Step{On("NOOP").Reset()}})
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", s.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.ReadFull(conn, make([]byte, 4)); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Write([]byte("a NOOP\r\n")); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(conn); err == nil {
		t.Error("the connection ended in good order, want a reset")
	}
}
