package main

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"mailgap/readmail/imaptest"
)

// Limits of what reading may cost on the wire.
const (
	maxHugeOctets  = 12_000          // received to read the text of a message with a large attachment
	maxHugeLast    = 20_000          // the same if the attachment comes first, so that the guess at the text is wrong
	maxPageOctets  = 35_000          // received for a page of 50
	maxPageResult  = 16_000          // octets of the text of a page of 50
	endWithin      = 5 * time.Second // Limit: one second, with room for a busy machine
	parallelCalls  = 28              // the program takes 32 at once
	hugeAttachment = 15 << 20        // octets before base64
)

// hugeMessage has a text of 4 kB and an attachment of 20 MB, in either order.
func hugeMessage(textFirst bool) []byte {
	text := "Content-Type: text/plain\r\n\r\n" + strings.Repeat("A line of the text of this message.\r\n", 100)
	var file strings.Builder
	file.WriteString("Content-Type: application/octet-stream; name=\"huge.bin\"\r\nContent-Transfer-Encoding: base64\r\n\r\n")
	encoded := base64.StdEncoding.EncodeToString(bytes.Repeat([]byte("0123456789abcdef"), hugeAttachment/16))
	for ; len(encoded) > 76; encoded = encoded[76:] {
		file.WriteString(encoded[:76] + "\r\n")
	}
	file.WriteString(encoded)
	parts := []string{text, file.String()}
	if !textFirst {
		slices.Reverse(parts)
	}
	return []byte("From: ada@example.com\r\nSubject: Huge\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n" +
		parts[0] + "\r\n--b\r\n" + parts[1] + "\r\n--b--\r\n")
}

// testHuge reads the text of messages of 20 MB: the attachment must not be fetched for it.
func testHuge(t *testing.T, program string) {
	day := at(t, "2026-03-01T10:00:00Z")
	d, c := startReader(t, program, imaptest.DovecotOptions{Mailboxes: []imaptest.Mailbox{{Name: "INBOX", Messages: []imaptest.Message{
		{Raw: hugeMessage(true), InternalDate: day}, {Raw: hugeMessage(false), InternalDate: day}}}}}, "IMAP_MAX_ATTACHMENT=1M")
	call[mailboxesGot](t, c, "list_mailboxes", nil)
	for uid, limit := range map[int]int64{1: maxHugeOctets, 2: maxHugeLast} {
		before := d.OctetsSent()
		m := call[messageGot](t, c, "get_message", args{"ref": refOf("INBOX", 0, uid)})
		if got := d.OctetsSent() - before; got > limit {
			t.Errorf("UID %d: get_message received %d octets, want at most %d", uid, got, limit)
		}
		if !strings.Contains(m.Body.Text, "A line of the text") || len(m.Attachments) != 1 {
			t.Fatalf("UID %d: message = %.200q with %d attachments", uid, m.Body.Text, len(m.Attachments))
		}
		before = d.OctetsSent()
		if a := c.try(t, "get_attachment", args{"ref": m.Attachments[0].Ref}); !a.IsError {
			t.Errorf("UID %d: an attachment larger than allowed is read", uid)
		}
		if got := d.OctetsSent() - before; got > maxHugeOctets {
			t.Errorf("UID %d: refusing the attachment received %d octets, want at most %d", uid, got, maxHugeOctets)
		}
	}
}

// testRoundTrips counts commands and octets of a page and of a message on a warm connection.
func testRoundTrips(t *testing.T, program string) {
	u := ugly(t, 400)
	for i := range u.messages {
		u.messages[i].InternalDate = time.Now().Add(time.Duration(i-400) * time.Minute)
	}
	d, c := startReader(t, program, imaptest.DovecotOptions{Mailboxes: []imaptest.Mailbox{{Name: "INBOX", Messages: u.messages}}})
	call[listGot](t, c, "list_messages", args{"limit": 50})
	before, octets := len(d.Commands()), d.OctetsSent()
	a := c.try(t, "list_messages", args{"limit": 50})
	page := decodeAnswer[listGot](t, "list_messages", a)
	if len(page.Messages) != 50 {
		t.Errorf("page of %d, want 50", len(page.Messages))
	}
	if got := len(d.Commands()) - before; got > 2 {
		t.Errorf("a page of 50 took %d commands, want at most 2: %v", got, d.Commands()[before:])
	}
	if got := d.OctetsSent() - octets; got > maxPageOctets {
		t.Errorf("a page of 50 received %d octets, want at most %d", got, maxPageOctets)
	}
	if got := len(a.text()); got > maxPageResult {
		t.Errorf("a page of 50 is a text of %d octets, want at most %d", got, maxPageResult)
	}
	before = len(d.Commands())
	call[messageGot](t, c, "get_message", args{"ref": page.Messages[0].Ref})
	if got := len(d.Commands()) - before; got > 3 {
		t.Errorf("a message took %d commands, want at most 3: %v", got, d.Commands()[before:])
	}
}

// testParallel sends many calls before the first is answered: each answer belongs to its call, over few connections.
func testParallel(t *testing.T, program string) {
	var boxes []imaptest.Mailbox
	for b := range 4 {
		box := imaptest.Mailbox{Name: fmt.Sprint("box", b)}
		for m := range 10 {
			box.Messages = append(box.Messages, simple(fmt.Sprint("subject ", b, " ", m), fmt.Sprint("text ", b, " ", m), at(t, "2026-03-01T10:00:00Z")))
		}
		boxes = append(boxes, box)
	}
	d, c := startReader(t, program, imaptest.DovecotOptions{Mailboxes: append(boxes, imaptest.Mailbox{Name: "INBOX"})})
	var answers []<-chan rpcMessage
	for i := range parallelCalls {
		b, m := i%4, i/4
		answers = append(answers, c.startTool(t, "get_message", args{"ref": refOf(boxes[b].Name, b, m+1)}))
	}
	for i, ch := range answers {
		got := decodeAnswer[messageGot](t, "get_message", c.awaitTool(t, "get_message", ch))
		want := fmt.Sprint(i%4, " ", i/4)
		if got.Subject != "subject "+want || strings.TrimSpace(got.Body.Text) != "text "+want {
			t.Errorf("answer %d = %q %q, want those of %s", i, got.Subject, got.Body.Text, want)
		}
	}
	if n := d.Connections(); n > 2 {
		t.Errorf("connections = %d, want at most 2", n)
	}
}

// testEndOfInput closes standard input while a call waits: the program ends at once.
func testEndOfInput(t *testing.T, program string) {
	d, c := startReader(t, program, imaptest.DovecotOptions{Mailboxes: watched(t)})
	c.startTool(t, "wait_for_message", args{"timeout_seconds": 300})
	d.WaitCommand(t, "IDLE")
	began := time.Now()
	if err := c.stdin.Close(); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-c.done:
		c.done <- err
	case <-time.After(answerWithin):
		t.Fatal("the program goes on")
	}
	if took := time.Since(began); took > endWithin {
		t.Errorf("the program ended %v after its input, want at most %v", took, endWithin)
	}
	if !slices.ContainsFunc(d.Commands(), func(c imaptest.Command) bool { return c.Verb == "IDLE" }) {
		t.Error("nothing waited")
	}
}
