package main

import (
	"encoding/base64"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"mailgap/readmail/imaptest"
)

// Bounds of the peak of resident memory of a process that did one thing. What was measured stands in the log of the test;
// these leave room for another garbage collector and a busy machine.
const (
	memoryOfNewsletter = 120 << 20
	memoryOfLarge      = 60 << 20
	memoryOfAttachment = 220 << 20
)

// newsletter is a message of HTML alone, about a megabyte of nested tables with styles and links as campaigns send them.
func newsletter() []byte {
	var b strings.Builder
	b.WriteString("From: news@example.com\r\nSubject: Newsletter\r\nMIME-Version: 1.0\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" +
		"<html><head><style>.x{color:#333}.y td{padding:4px}@media (max-width:600px){.x{display:block}}</style></head><body><table class=\"y\">\r\n")
	for i := 0; b.Len() < 1<<20; i++ {
		fmt.Fprintf(&b, "<tr><td style=\"font-size:14px;color:#333\"><table><tr><td class=\"x\"><a href=\"https://shop.example/item/%d?utm=mail\">Item %d</a></td>\r\n"+
			"<td><img src=\"https://cdn.example/%d.png\" alt=\"picture\"><span style=\"display:none\">hidden %d</span>Only today, price &euro; %d.</td></tr></table></td></tr>\r\n", i, i, i, i, i)
	}
	return []byte(b.String() + "</table></body></html>\r\n")
}

// large is a message of about 25 MB: a short text, a text file of 6 MB, and a binary file.
func large() []byte {
	var b strings.Builder
	b.WriteString("From: ada@example.com\r\nSubject: Large\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n" +
		"Content-Type: text/plain\r\n\r\nThe text of the large message.\r\n")
	for _, f := range []struct {
		head   string
		octets int
	}{{"text/csv; name=table.csv", 6 << 20}, {"application/octet-stream; name=huge.bin", 12 << 20}} {
		b.WriteString("\r\n--b\r\nContent-Type: " + f.head + "\r\nContent-Disposition: attachment\r\nContent-Transfer-Encoding: base64\r\n\r\n")
		encoded := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("one,two,three,4\n", f.octets/16)))
		for ; len(encoded) > 76; encoded = encoded[76:] {
			b.WriteString(encoded[:76] + "\r\n")
		}
		b.WriteString(encoded)
	}
	return []byte(b.String() + "\r\n--b--\r\n")
}

// testMemory reads large mail, each with a process of its own, and looks at the most memory that the process ever had.
func testMemory(t *testing.T, program string) {
	if runtime.GOOS != "linux" {
		t.Skip("the peak of resident memory is read from /proc")
	}
	day := at(t, "2026-03-01T10:00:00Z")
	d := imaptest.StartDovecot(t, imaptest.DovecotOptions{Mailboxes: []imaptest.Mailbox{{Name: "INBOX", Messages: []imaptest.Message{
		{Raw: newsletter(), InternalDate: day}, {Raw: large(), InternalDate: day}}}}})
	for _, tt := range []struct {
		name  string
		tool  string
		args  args
		want  string
		bound int64
		sent  int64 // octets that the server may send for it, login included; 0: not looked at
	}{
		{"newsletter", "get_message", args{"ref": refOf("INBOX", 0, 1), "max_chars": 20000}, "Only today", memoryOfNewsletter, 0},
		{"message of 25 MB", "get_message", args{"ref": refOf("INBOX", 0, 2)}, "The text of the large message.", memoryOfLarge, 16_000},
		{"text file of 6 MB", "get_attachment", args{"ref": refOf("INBOX", 0, 2) + "/;SECTION=2"}, "three", memoryOfAttachment, 0},
		{"binary file of 12 MB", "get_attachment", args{"ref": refOf("INBOX", 0, 2) + "/;SECTION=3"}, "", memoryOfAttachment, 0},
	} {
		before := d.OctetsSent()
		c := startClient(t, program, plainSettings(d)...)
		if a := c.try(t, tt.tool, tt.args); !strings.Contains(a.text(), tt.want) {
			t.Errorf("%s: %.300q, want %q in it", tt.name, a.text(), tt.want)
		}
		peak := statusOctets(t, c.pid, "VmHWM:")
		sent := d.OctetsSent() - before
		t.Logf("%s: peak %.1f MB, %d octets received", tt.name, float64(peak)/1e6, sent)
		if tt.sent > 0 && sent > tt.sent {
			t.Errorf("%s: %d octets received, want at most %d", tt.name, sent, tt.sent)
		}
		if peak > tt.bound {
			t.Errorf("%s: peak of %d octets, want at most %d", tt.name, peak, tt.bound)
		}
	}
}
