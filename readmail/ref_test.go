package readmail

import (
	"errors"
	"strings"
	"testing"
)

func TestRefRoundTrip(t *testing.T) {
	for _, r := range []MessageRef{
		{Account: "default", Mailbox: "INBOX", UIDValidity: 1, UID: 4294967295},
		{Account: "work", Mailbox: "Entwürfe & Co", UIDValidity: 7, UID: 3, Section: "1.2"},
		{Account: "a", Mailbox: "日本語/箱;UID=9 %2F?#", UIDValidity: 7, UID: 3},
		{Account: "a", Mailbox: `quo"te\`, UIDValidity: 7, UID: 3},
	} {
		got, err := ParseRef(r.String())
		if err != nil || got != r {
			t.Errorf("ParseRef(%q) = %+v, %v; want %+v", r.String(), got, err, r)
		}
		if r.Clean().String() != r.String() {
			t.Errorf("Clean() = %q, want %q", r.Clean(), r.String())
		}
	}
}

func TestRefRefused(t *testing.T) {
	for name, s := range map[string]string{
		"empty":                 "",
		"other scheme":          "http://default/INBOX;UIDVALIDITY=1/;UID=1",
		"no mailbox":            "imap://default;UIDVALIDITY=1/;UID=1",
		"no uidvalidity":        "imap://default/INBOX/;UID=1",
		"uid alone":             "17",
		"zero uid":              "imap://default/INBOX;UIDVALIDITY=1/;UID=0",
		"leading zero":          "imap://default/INBOX;UIDVALIDITY=1/;UID=01",
		"uid too large":         "imap://default/INBOX;UIDVALIDITY=1/;UID=4294967296",
		"uid set":               "imap://default/INBOX;UIDVALIDITY=1/;UID=1:*",
		"line break in mailbox": "imap://default/IN%0D%0ABOX;UIDVALIDITY=1/;UID=1",
		"nul in mailbox":        "imap://default/IN%00BOX;UIDVALIDITY=1/;UID=1",
		"bad utf-8":             "imap://default/IN%FFBOX;UIDVALIDITY=1/;UID=1",
		"bad escape":            "imap://default/IN%ZZBOX;UIDVALIDITY=1/;UID=1",
		"section name":          "imap://default/INBOX;UIDVALIDITY=1/;UID=1/;SECTION=HEADER",
		"section zero":          "imap://default/INBOX;UIDVALIDITY=1/;UID=1/;SECTION=1.0",
		"section injection":     "imap://default/INBOX;UIDVALIDITY=1/;UID=1/;SECTION=1] BODY[2",
		"trailing text":         "imap://default/INBOX;UIDVALIDITY=1/;UID=1 and more",
		"too long":              "imap://default/" + strings.Repeat("a", 5000) + ";UIDVALIDITY=1/;UID=1",
	} {
		if r, err := ParseRef(s); !errors.Is(err, ErrBadRef) {
			t.Errorf("%s: ParseRef = %+v, %v; want ErrBadRef", name, r, err)
		}
	}
}

func FuzzRef(f *testing.F) {
	f.Add("imap://default/INBOX;UIDVALIDITY=1/;UID=4/;SECTION=1.2")
	f.Add("imap://a/%E6%97%A5;uidvalidity=1/;uid=4")
	f.Fuzz(func(t *testing.T, s string) {
		r, err := ParseRef(s)
		if err != nil {
			return
		}
		again, err := ParseRef(r.String())
		if err != nil || again != r {
			t.Fatalf("%q: parse, print, parse gave %+v, %v; want %+v", s, again, err, r)
		}
		if strings.ContainsAny(r.Mailbox+r.Section, "\r\n\x00") {
			t.Fatalf("%q: a line break passed", s)
		}
	})
}
