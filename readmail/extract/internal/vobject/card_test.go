package vobject

import (
	"errors"
	"strings"
	"testing"

	"mailgap/readmail/extract/internal/document"
)

func card(lines string) string { return "BEGIN:VCARD\nVERSION:3.0\n" + lines + "\nEND:VCARD\n" }

func TestCards(t *testing.T) {
	for _, c := range []struct {
		name, in string
		want     []string
		not      string
	}{
		{"version 4.0", card("FN:Ann Example\nN:Example;Ann;Q.;Dr.;\nEMAIL;TYPE=work:ann@example.com\nTEL;TYPE=\"cell,voice\":tel:+1-555-0100\nORG:Example Inc.;Research\nTITLE:Head\nNOTE:a\\, b"),
			[]string{"Name: Ann Example", "Name in parts: Dr. Ann Q. Example", "Email (work): ann@example.com", "Phone (cell): +1-555-0100", "Organization: Example Inc., Research", "Title: Head", "Note: a, b"}, ""},
		{"version 2.1", "BEGIN:VCARD\nVERSION:2.1\nN;CHARSET=ISO-8859-1;ENCODING=QUOTED-PRINTABLE:M=FCller;Ann\nTEL;WORK;VOICE:123\nADR;HOME:;;1 Street;Town;;1000;Land\nLABEL;QUOTED-PRINTABLE:a=0D=0Ab\nEND:VCARD",
			[]string{"Name: Ann Müller", "Phone (work): 123", "Address (home): 1 Street, Town, 1000, Land", "Address label: a\n  b"}, ""},
		{"picture is counted, not shown", card("FN:x\nPHOTO;ENCODING=b;TYPE=JPEG:/9j/4AAQ\n SkZJRg=="), []string{"Pictures, sounds and keys: 1"}, "SkZJ"},
		{"groups", card("FN:x\nitem1.EMAIL:boat@example.com\nitem1.X-ABLabel:_$!<Boat>!$_"), []string{"Email (Boat): boat@example.com"}, ""},
		{"folded", card("FN:Ann\n  Example"), []string{"Name: Ann Example"}, ""},
		{"two cards", card("FN:One") + card("FN:Two"), []string{"Name: One", "Name: Two"}, ""},
		{"end missing", "BEGIN:VCARD\nFN:One\nBEGIN:VCARD\nFN:Two", []string{"Name: One", "Name: Two"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := Cards(c.in, testOptions(t))
			if err != nil {
				t.Fatalf("Cards: %v", err)
			}
			for _, want := range c.want {
				if !strings.Contains(d.Text, want) {
					t.Errorf("got\n%s\nwant it to contain %q", d.Text, want)
				}
			}
			if c.not != "" && strings.Contains(d.Text, c.not) {
				t.Errorf("got\n%s\nwant it not to contain %q", d.Text, c.not)
			}
		})
	}
}

func TestCardsWithoutCardAreDamaged(t *testing.T) {
	if _, err := Cards("FN:x\n", testOptions(t)); !errors.Is(err, document.ErrDamaged) {
		t.Errorf("got %v, want ErrDamaged", err)
	}
}

func FuzzCards(f *testing.F) {
	f.Add(card("FN:Ann Example\nN:Example;Ann;Q.;Dr.;\nitem1.EMAIL;TYPE=work:ann@example.com\nitem1.X-ABLabel:_$!<Boat>!$_"))
	f.Add("BEGIN:VCARD\nNOTE;ENCODING=QUOTED-PRINTABLE:a=\n=\nADR;\"x;y\":;;\\;;\nNOTE;BASE64:YQ==")
	f.Fuzz(func(t *testing.T, in string) {
		o := testOptions(t)
		d, err := Cards(in, o)
		if err != nil && !errors.Is(err, document.ErrDamaged) {
			t.Errorf("got error %v, want none or ErrDamaged", err)
		}
		if len(d.Text) > o.Limits.MaxTextOctets {
			t.Errorf("got %d octets, want at most %d", len(d.Text), o.Limits.MaxTextOctets)
		}
	})
}
