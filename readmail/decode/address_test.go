package decode

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestAddresses(t *testing.T) {
	for _, c := range []struct {
		name, body string
		want       []string // "name|addr" each
	}{
		{"plain", "ada@example.com", []string{"|ada@example.com"}},
		{"name", "Ada Lark <ada@example.com>", []string{"Ada Lark|ada@example.com"}},
		{"quoted", `"Lark, Ada \"A\"" <ada@example.com>`, []string{`Lark, Ada "A"|ada@example.com`}},
		{"two", "a@example.com, B <b@example.com>", []string{"|a@example.com", "B|b@example.com"}},
		{"comment as name", "ada@example.com (Ada Lark)", []string{"Ada Lark|ada@example.com"}},
		{"comment nested", "ada@example.com (Ada (Lark))", []string{"Ada (Lark)|ada@example.com"}},
		{"comment with a comma", "ada@example.com (Lark, Ada), b@example.com", []string{"Lark, Ada|ada@example.com", "|b@example.com"}},
		{"encoded name", "=?utf-8?Q?J=C3=A1n?= Doe <j@example.org>", []string{"Ján Doe|j@example.org"}},
		{"encoded comma", "=?iso-8859-1?Q?Last=DFName=2C_First?= <a@example.com>", []string{"LastßName, First|a@example.com"}},
		{"raw comma in a word", "=?utf-8?Q?Doe,_Jan?= <j@example.org>, b@example.com", []string{"Doe, Jan|j@example.org", "|b@example.com"}},
		{"encoded word in quotes", `"=?utf-8?Q?J=C3=A1n?=" <j@example.org>`, []string{"Ján|j@example.org"}},
		{"unquoted comma", "Doe, Jan <j@example.org>", []string{"Doe, Jan|j@example.org"}},
		{"unquoted comma later", "a@example.com, Doe, Jan <j@example.org>", []string{"|a@example.com", "Doe, Jan|j@example.org"}},
		{"dot in the name", "John Q. Public <j@example.org>", []string{"John Q. Public|j@example.org"}},
		{"semicolons", "A <a@example.com>; B <b@example.com>", []string{"A|a@example.com", "B|b@example.com"}},
		{"group", "Team: a@example.com, B <b@example.com>; c@example.com", []string{"|a@example.com Team", "B|b@example.com Team", "|c@example.com"}},
		{"empty group", "undisclosed-recipients:;", nil},
		{"no brackets", "Ada Lark ada@example.com", []string{"Ada Lark|ada@example.com"}},
		{"bracket open", "Ada <ada@example.com", []string{"Ada|ada@example.com"}},
		{"bracket open in a list", "Ada <ada@example.com, b@example.com", []string{"Ada|ada@example.com", "|b@example.com"}},
		{"brackets doubled", "Ada <<ada@example.com>>", []string{"Ada|ada@example.com"}},
		{"two in brackets without a comma", "A <a@example.com> B <b@example.com>", []string{"A|a@example.com", "B|b@example.com"}},
		{"three in brackets", "<a@example.com><b@example.com> C <c@example.com>, d@example.com", []string{"|a@example.com", "|b@example.com", "C|c@example.com", "|d@example.com"}},
		{"mailto in square brackets", "Ada Lark [mailto:ada@example.com]", []string{"Ada Lark|ada@example.com"}},
		{"route", "<@hop.example,@two.example:ada@example.com>", []string{"|ada@example.com"}},
		{"mailto", "<mailto:ada@example.com>", []string{"|ada@example.com"}},
		{"mailto bare", "mailto:ada@example.com", []string{"|ada@example.com"}},
		{"spaces in the address", "< ada @ example.com >", []string{"|ada@example.com"}},
		{"quoted local part", `"ada lark"@example.com`, []string{"|ada lark@example.com"}},
		{"at sign in a quoted local part", `<"a@b"@example.com>`, []string{"|a@b@example.com"}},
		{"domain literal", "ada@[192.0.2.1]", []string{"|ada@[192.0.2.1]"}},
		{"upper-case domain", "Ada@EXAMPLE.com", []string{"|Ada@example.com"}},
		{"trailing comma", "ada@example.com,, ,", []string{"|ada@example.com"}},
		{"name is the address", "ada@example.com <ada@example.com>", []string{"|ada@example.com"}},
		{"name in apostrophes", "'ada@example.com' <ada@example.com>", []string{"|ada@example.com"}},
		{"line end in the name", "=?UTF-8?Q?A=0D=0A=2A_9_EXISTS?= <a@example.com>", []string{"A  * 9 EXISTS|a@example.com"}},
		{"encoded address is a name", "=?utf-8?Q?a=40example=2Ecom?=", []string{"a@example.com|"}},
		{"encoded brackets stay in the name", "=?utf-8?Q?x_<b=40example.org>?= <a@example.com>", []string{"x <b@example.org>|a@example.com"}},
		{"raw Latin-1 name", "J\xe1n <j@example.org>", []string{"Ján|j@example.org"}},
		{"empty", " \t ", nil},
		{"junk", `"\`, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, a := range Addresses(c.body) {
				got = append(got, strings.TrimSpace(a.DisplayName+"|"+a.AddrSpec()+" "+a.Group))
			}
			if fmt.Sprint(got) != fmt.Sprint(c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestAddressNameHoldsAddress(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{`"ceo@example.com" <x@example.net>`, "ceo@example.com"},
		{`"CEO (ceo＠example.com)" <x@example.net>`, "ceo@example.com"},
		{`"x@example.net" <x@example.net>`, ""},
		{`"Ada" <x@example.net>`, ""},
		{`"me @ home" <x@example.net>`, ""},
	} {
		got := Addresses(c.body)
		if len(got) != 1 || got[0].NameAddr != c.want {
			t.Errorf("%s: got %+v, want NameAddr %q", c.body, got, c.want)
		}
	}
}

func TestAddressDomain(t *testing.T) {
	a := Addresses("ada@bücher.example")[0]
	if got := a.DomainASCII(); got != "xn--bcher-kva.example" {
		t.Errorf("DomainASCII = %q", got)
	}
	a = Addresses("ada@XN--bcher-kva.example")[0]
	if got := a.DomainUnicode(); got != "bücher.example" {
		t.Errorf("DomainUnicode = %q", got)
	}
	if a.Domain != "xn--bcher-kva.example" {
		t.Errorf("Domain = %q, want it as sent", a.Domain)
	}
}

func TestNewAddress(t *testing.T) {
	a := NewAddress("=?utf-8?Q?J=C3=A1n=0D=0A?= (ceo@example.com)", "jan@x", "EXAMPLE.org")
	if a.DisplayName != "Ján   (ceo@example.com)" || a.AddrSpec() != "jan@x@example.org" || a.NameAddr != "ceo@example.com" {
		t.Errorf("got %+v", a)
	}
}

func TestAddressesLimit(t *testing.T) {
	got := Addresses(strings.Repeat("a@example.com,", maxAddresses+10))
	if len(got) != maxAddresses || !got[len(got)-1].Notes.Has(NoteAddressLimit) {
		t.Errorf("got %d addresses, want %d and a note", len(got), maxAddresses)
	}
}

// hostileLists are inputs that make a careless splitter quadratic.
func hostileLists(n int) []string {
	return []string{
		strings.Repeat("<", n), strings.Repeat("(", n), strings.Repeat(`"`, n), strings.Repeat(`<"\`, n/3), `<"` + strings.Repeat(`\"`, n/2),
		strings.Repeat("<@,", n/3), strings.Repeat("a,", n/2), strings.Repeat("=?", n/2), strings.Repeat("=?x?q?", n/6), strings.Repeat("a ", n/2) + "@",
		strings.Repeat("a:", n/2), strings.Repeat("a <", n/3), strings.Repeat("\xff", n), strings.Repeat("\xff =?x?q?a?= ", n/13),
	}
}

func TestHostileFieldsAreLinear(t *testing.T) {
	const n = 128 << 10
	for i, s := range hostileLists(n) {
		start := time.Now()
		Addresses(s)
		Unstructured(s)
		MessageIDs(s)
		MediaType("text/plain; name=" + s)
		MediaType("text/plain; " + s)
		if d := time.Since(start); d > 5*time.Second { // generous: linear code takes well under a second
			t.Errorf("input %d (%.20q) took %v", i, s, d)
		}
	}
}

func TestMessageIDs(t *testing.T) {
	for _, c := range []struct {
		name, body string
		want       []string
	}{
		{"one", "<a@example.com>", []string{"a@example.com"}},
		{"several", "<a@example.com>\t<b@example.com><c@example.com>", []string{"a@example.com", "b@example.com", "c@example.com"}},
		{"repeated", "<a@example.com> <a@example.com>", []string{"a@example.com"}},
		{"words around", `Your message of "Tue, 4 Mar" <a@example.com>`, []string{"a@example.com"}},
		{"no brackets", "a@example.com, b@example.com", []string{"a@example.com", "b@example.com"}},
		{"folded in the middle", "<abc\r\n def@example.com>", []string{"abcdef@example.com"}},
		{"no at sign", "<abc>", []string{"abc"}},
		{"never closed", "<a@example.com", []string{"a@example.com"}},
		{"opened twice", "<a@example.com <b@example.com>", []string{"a@example.com", "b@example.com"}},
		{"empty", "<> < >", nil},
		{"command inside", "<x\"\r\nA9 STORE 1:* +FLAGS (\\Deleted)@e>", []string{`x"A9STORE1:*+FLAGS(\Deleted)@e`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := MessageIDs(c.body); fmt.Sprintf("%q", got) != fmt.Sprintf("%q", c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func FuzzAddresses(f *testing.F) {
	for _, s := range hostileLists(30) {
		f.Add(s)
	}
	f.Add(`Team: "A, B" <a@example.com>, (c) d@[1.2.3.4]; <@x:y@z> =?utf-8?Q?=0D=0A?= <e@f>`)
	f.Fuzz(func(t *testing.T, body string) {
		for _, a := range Addresses(body) {
			for _, s := range []string{a.DisplayName, a.AddrSpec(), a.Group, a.Raw, a.NameAddr, a.DomainASCII(), a.DomainUnicode()} {
				checkLine(t, s)
			}
		}
		for _, id := range MessageIDs(body) {
			checkLine(t, id)
			if strings.ContainsAny(id, "<> ") {
				t.Errorf("id %q", id)
			}
		}
	})
}
