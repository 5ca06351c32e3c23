package audit

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
	"unicode"
)

func TestNothingInvisible(t *testing.T) {
	path := testPath(t)
	l := openTest(t, path, Options{})
	bad := "a\x1b[2J\r\n\u202eb\u200b\u2028\U000e0041\ufe0f\u3164\u0085\xff\"\\<b>"
	must(t, "Append", l.Append(Record{Outcome: OutcomeRefused, Tool: bad, Subject: bad + strings.Repeat("é", 500), Detail: bad, From: bad,
		Recipients: []string{bad}, Code: bad, Approval: bad, MessageID: bad, Principal: bad, Digest: bad}))
	b, err := os.ReadFile(path)
	must(t, "ReadFile", err)
	if n := bytes.Count(b, []byte("\n")); n != 1 {
		t.Errorf("%d line ends, want 1", n)
	}
	for _, r := range strings.TrimSuffix(string(b), "\n") {
		if !unicode.IsPrint(r) || r == '\ufe0f' || r == '\u3164' || r == '<' {
			t.Errorf("%U is in the log as it is", r)
		}
	}
	entries, err := Read(path, Filter{})
	must(t, "Read", err)
	if got, want := entries[0].Code, strings.ReplaceAll(bad, "\xff", "\ufffd"); got != want {
		t.Errorf("Code = %q, want %q", got, want)
	}
	if got := entries[0].Subject; len(got) > maxTextOctets+3+20 || !strings.HasSuffix(got, "é...") {
		t.Errorf("Subject = %q, want it cut between characters", got)
	}
	for _, r := range Format(entries[0]) {
		if !unicode.IsPrint(r) || r == '\ufe0f' || r == '\u3164' {
			t.Errorf("Format: %U as it is", r)
		}
	}
}

func TestLongestLineIsReadable(t *testing.T) {
	path := testPath(t)
	l := openTest(t, path, Options{})
	x := strings.Repeat("\x01", 5000)
	must(t, "Append", l.Append(Record{Outcome: OutcomeSent, Tool: x, Principal: x, MessageID: x, Digest: x, From: x, Subject: x, Approval: x,
		Code: x, Detail: x, Recipients: strings.Split(strings.Repeat(x+",", 100), ","), RecipientsCount: 1 << 40}))
	fill(t, l, 1)
	wantOK(t, path)
	entries, err := Read(path, Filter{})
	must(t, "Read", err)
	if len(entries) != 2 || len(entries[0].Recipients) != maxRecipients || entries[0].RecipientsCount != 1<<40 {
		t.Errorf("%d entries, %d recipients", len(entries), len(entries[0].Recipients))
	}
}

func TestRead(t *testing.T) {
	path := testPath(t)
	now := fixedClock()
	l := openTest(t, path, Options{Clock: func() time.Time { now = now.Add(time.Minute); return now }})
	fill(t, l, 3)
	must(t, "Append", l.Append(Record{Outcome: OutcomeDeclined, Recipients: []string{"Bob@Example.NET"}}))
	for _, c := range []struct {
		name string
		f    Filter
		want string
	}{
		{"all", Filter{}, "1 2 3 4"},
		{"last", Filter{Last: 2}, "3 4"},
		{"outcome", Filter{Outcomes: []Outcome{OutcomeDeclined}}, "4"},
		{"message id", Filter{MessageID: "2@example.com"}, "2"},
		{"recipient", Filter{Recipient: "bob@example.net"}, "4"},
		{"domain", Filter{Recipient: "@EXAMPLE.org", Last: 1}, "3"},
		{"part of a domain", Filter{Recipient: "@org"}, ""},
		{"since, until", Filter{Since: fixedClock().Add(2 * time.Minute), Until: fixedClock().Add(3 * time.Minute)}, "2"},
	} {
		entries, err := Read(path, c.f)
		must(t, c.name, err)
		var got []string
		for _, e := range entries {
			got = append(got, fmt.Sprint(e.Seq))
		}
		if g := strings.Join(got, " "); g != c.want {
			t.Errorf("%s: got %q, want %q", c.name, g, c.want)
		}
	}
	b := lines(t, path)
	b[1] = []byte("gone\n")
	overwrite(t, path, join(b))
	if entries, err := Read(path, Filter{}); !errors.Is(err, ErrDamaged) || len(entries) != 3 {
		t.Errorf("Read with an unreadable line = %d entries, %v; want 3 with ErrDamaged", len(entries), err)
	}
}
