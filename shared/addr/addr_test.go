package addr_test

import (
	"errors"
	"strings"
	"testing"

	"mailgap/shared/addr"
)

func TestParseSpecAccepts(t *testing.T) {
	tests := []struct{ name, in, spec, unicode, key string }{
		{"plain", "jane@example.com", "jane@example.com", "jane@example.com", "jane@example.com"},
		{"capitals", "Jane.Doe@EXAMPLE.Com", "Jane.Doe@example.com", "Jane.Doe@example.com", "jane.doe@example.com"},
		{"every atext character but % and !", "a#$&'*+-/=?^_`{|}~z@example.org", "a#$&'*+-/=?^_`{|}~z@example.org", "a#$&'*+-/=?^_`{|}~z@example.org", "a#$&'*+-/=?^_`{|}~z@example.org"},
		{"sub-address has its own key", "jane+news@example.com", "jane+news@example.com", "jane+news@example.com", "jane+news@example.com"},
		{"U-label", "info@bücher.example", "info@xn--bcher-kva.example", "info@bücher.example", "info@xn--bcher-kva.example"},
		{"U-label in capitals", "info@BÜCHER.example", "info@xn--bcher-kva.example", "info@bücher.example", "info@xn--bcher-kva.example"},
		{"A-label", "info@xn--bcher-kva.example", "info@xn--bcher-kva.example", "info@bücher.example", "info@xn--bcher-kva.example"},
		{"A-label in capitals", "info@XN--BCHER-KVA.example", "info@xn--bcher-kva.example", "info@bücher.example", "info@xn--bcher-kva.example"},
		{"sharp s stays itself", "a@faß.example", "a@xn--fa-hia.example", "a@faß.example", "a@xn--fa-hia.example"},
		{"Japanese with Latin", "a@日本語abc.example", "a@xn--abc-s08fl0dtz6h.example", "a@日本語abc.example", "a@xn--abc-s08fl0dtz6h.example"},
		{"Hebrew", "a@דוגמה.example", "a@xn--6dbbec0c.example", "a@דוגמה.example", "a@xn--6dbbec0c.example"},
		{"Catalan middle dot", "a@paral·lel.example", "a@xn--parallel-koa.example", "a@paral·lel.example", "a@xn--parallel-koa.example"},
		{"Thai top label", "a@example.ไทย", "a@example.xn--o3cw4h", "a@example.ไทย", "a@example.xn--o3cw4h"},
		{"UTF-8 local part", "jürgen@example.com", "jürgen@example.com", "jürgen@example.com", "jürgen@example.com"},
		{"UTF-8 local part folds", "ΣΊΣΥΦΟΣ@example.com", "ΣΊΣΥΦΟΣ@example.com", "ΣΊΣΥΦΟΣ@example.com", "σίσυφοσ@example.com"},
		{"local part of 64 octets", strings.Repeat("a", 64) + "@example.com", strings.Repeat("a", 64) + "@example.com", strings.Repeat("a", 64) + "@example.com", strings.Repeat("a", 64) + "@example.com"},
		{"digits in a label", "a@3com.example", "a@3com.example", "a@3com.example", "a@3com.example"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			a, err := addr.ParseSpec(tc.in)
			if err != nil {
				t.Fatalf("ParseSpec: %v", err)
			}
			if got := a.AddrSpec(); got != tc.spec {
				t.Errorf("AddrSpec: got %q, want %q", got, tc.spec)
			}
			if got := a.Unicode(); got != tc.unicode {
				t.Errorf("Unicode: got %q, want %q", got, tc.unicode)
			}
			if got := a.Key(); got != tc.key {
				t.Errorf("Key: got %q, want %q", got, tc.key)
			}
			if got, want := a.NeedsUTF8(), strings.ContainsFunc(tc.spec, func(r rune) bool { return r > 0x7F }); got != want {
				t.Errorf("NeedsUTF8: got %v, want %v", got, want)
			}
		})
	}
}

func TestParseSpecRefuses(t *testing.T) {
	long := strings.Repeat("a", 63)
	tests := []struct {
		name, in string
		want     error
	}{
		{"empty", "", addr.ErrEmpty},
		{"endless", strings.Repeat("a", 5000), addr.ErrTooLong},
		{"bad UTF-8", "a\xff@example.com", addr.ErrNotUTF8},
		{"CR LF and a command", "a@example.com\r\nRCPT TO:<b@example.net>", addr.ErrControl},
		{"bare LF", "a@example.com\nBcc: b@example.net", addr.ErrControl},
		{"bare CR", "a\r@example.com", addr.ErrControl},
		{"NUL", "a\x00@example.com", addr.ErrControl},
		{"tab", "a\t@example.com", addr.ErrControl},
		{"vertical tab", "a\v@example.com", addr.ErrControl},
		{"form feed", "a\f@example.com", addr.ErrControl},
		{"next line", "a\u0085@example.com", addr.ErrControl},
		{"line separator", "a\u2028@example.com", addr.ErrControl},
		{"paragraph separator", "a\u2029@example.com", addr.ErrControl},
		{"delete", "a\x7f@example.com", addr.ErrControl},
		{"right-to-left override", "moc.elpmaxe@\u202ea@example.com", addr.ErrInvisible},
		{"zero-width space", "ja\u200bne@example.com", addr.ErrInvisible},
		{"zero-width joiner in the domain", "jane@exam\u200dple.com", addr.ErrInvisible},
		{"soft hyphen", "ja\u00adne@example.com", addr.ErrInvisible},
		{"tag character", "jane\U000E0061@example.com", addr.ErrInvisible},
		{"variation selector", "jane\ufe0f@example.com", addr.ErrInvisible},
		{"Hangul filler", "jane\u3164@example.com", addr.ErrInvisible},
		{"byte order mark", "\ufeffjane@example.com", addr.ErrInvisible},
		{"no-break space", "jane\u00a0@example.com", addr.ErrSpace},
		{"ideographic space", "jane\u3000@example.com", addr.ErrSpace},
		{"leading space", " jane@example.com", addr.ErrSpace},
		{"trailing space", "jane@example.com ", addr.ErrSpace},
		{"space at the at sign", "jane @example.com", addr.ErrSpace},
		{"display name", "Jane <jane@example.com>", addr.ErrDisplayName},
		{"quoted display name that is an address", `"boss@example.com" <x@example.net>`, addr.ErrDisplayName},
		{"angle brackets", "<jane@example.com>", addr.ErrDisplayName},
		{"path breaking out", "a@example.com> AUTH=<x", addr.ErrDisplayName},
		{"comment", "jane(a comment)@example.com", addr.ErrComment},
		{"comment with an at sign", "a(@example.com)@example.net", addr.ErrComment},
		{"comment behind", "jane@example.com(x)", addr.ErrComment},
		{"quoted local part", `"jane doe"@example.com`, addr.ErrQuoted},
		{"quoted at sign", `"a@example.com"@example.net`, addr.ErrQuoted},
		{"backslash", `jane\@x@example.com`, addr.ErrManyAts},
		{"backslash alone", `jane\x@example.com`, addr.ErrLocalChar},
		{"source route", "@relay.example,@b.example:jane@example.com", addr.ErrRoute},
		{"source route in brackets", "<@relay.example:jane@example.com>", addr.ErrRoute},
		{"percent routing", "jane%example.net@example.com", addr.ErrRoute},
		{"bang path", "example.net!jane@example.com", addr.ErrRoute},
		{"group", "friends: a@example.com, b@example.com;", addr.ErrGroup},
		{"empty group", "undisclosed-recipients:;", addr.ErrGroup},
		{"list with comma", "a@example.com,b@example.net", addr.ErrList},
		{"list with semicolon", "a@example.com;b@example.net", addr.ErrList},
		{"no at sign", "jane.example.com", addr.ErrNoAt},
		{"full-width at sign", "jane＠example.com", addr.ErrNoAt},
		{"two at signs", "a@example.com@example.net", addr.ErrManyAts},
		{"nothing before", "@example.com", addr.ErrNoLocal},
		{"nothing behind", "jane@", addr.ErrNoDomain},
		{"leading dot", ".jane@example.com", addr.ErrDots},
		{"trailing dot in the local part", "jane.@example.com", addr.ErrDots},
		{"two dots", "jane..doe@example.com", addr.ErrDots},
		{"colon", "jane:doe@example.com", addr.ErrLocalChar},
		{"square bracket", "jane[1]@example.com", addr.ErrLocalChar},
		{"emoji", "jane😀@example.com", addr.ErrLocalChar},
		{"full-width letters", "ｊane@example.com", addr.ErrLocalChar},
		{"leading combining mark", "\u0301jane@example.com", addr.ErrLocalChar},
		{"local part of 65 octets", strings.Repeat("a", 65) + "@example.com", addr.ErrLocalTooLong},
		{"not NFC", "ju\u0308rgen@example.com", addr.ErrNotNFC},
		{"domain not NFC", "a@bu\u0308cher.example", addr.ErrNotNFC},
		{"IPv4 literal", "jane@[192.0.2.1]", addr.ErrLiteral},
		{"IPv6 literal", "jane@[IPv6:2001:db8::1]", addr.ErrLiteral},
		{"bare IPv4", "jane@192.0.2.1", addr.ErrLiteral},
		{"bare IPv6", "jane@2001:db8::1", addr.ErrLiteral},
		{"numeric top label", "jane@example.123", addr.ErrLiteral},
		{"trailing dot", "jane@example.com.", addr.ErrTrailingDot},
		{"ideographic full stop", "jane@example。com", addr.ErrIDN},
		{"single label", "jane@localhost", addr.ErrSingleLabel},
		{"underscore", "jane@ex_ample.com", addr.ErrDomainChar},
		{"leading hyphen", "jane@-example.com", addr.ErrDomainChar},
		{"trailing hyphen", "jane@example-.com", addr.ErrDomainChar},
		{"empty label", "jane@example..com", addr.ErrDomainChar},
		{"hyphens in third place", "jane@ab--cd.example", addr.ErrDomainChar},
		{"percent in the domain", "jane@example.com%00", addr.ErrDomainChar},
		{"label of 64 octets", "jane@" + long + "a.example", addr.ErrLabelTooLong},
		{"encoded label too long", "jane@" + strings.Repeat("ü", 60) + ".example", addr.ErrLabelTooLong},
		{"domain of 255 octets", "j@" + long + "." + long + "." + long + "." + long, addr.ErrDomainTooLong},
		{"path of 255 octets", strings.Repeat("l", 63) + "@" + long + "." + long + "." + long, addr.ErrTooLong},
		{"Latin and Cyrillic in a label", "jane@exаmple.com", addr.ErrMixedScript},
		{"Latin and Greek in a label", "jane@exαmple.com", addr.ErrMixedScript},
		{"Cyrillic and Greek in a label", "jane@абω.example", addr.ErrMixedScript},
		{"Latin and Cyrillic as an A-label", "jane@xn--exmple-4nf.com", addr.ErrMixedScript},
		{"Latin and Cyrillic local part", "jаne@example.com", addr.ErrMixedScript},
		{"A-label of an ASCII name", "jane@xn--example-.com", addr.ErrALabel},
		{"A-label of capitals", "jane@xn--bcher-2pa.example", addr.ErrALabel},
		{"A-label not in NFC", "jane@xn--bucher-xyd.example", addr.ErrALabel},
		{"A-label of an emoji", "jane@xn--n3h.example", addr.ErrALabel},
		{"A-label with a slash", "jane@xn--examplecom-896e.net", addr.ErrALabel},
		{"middle dot between other letters", "jane@a·b.example", addr.ErrIDN},
		{"A-label with bad digits", "jane@xn--a_b.example", addr.ErrALabel},
		{"A-label that decodes to nothing", "jane@xn--.example", addr.ErrALabel},
		{"emoji domain", "jane@😀.example", addr.ErrIDN},
		{"full-width domain", "jane@ｅxample.com", addr.ErrIDN},
		{"right-to-left label with a leading digit", "jane@1ד.example", addr.ErrIDN},
		{"fraction slash", "jane@example⁄com.net", addr.ErrIDN},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			got, err := addr.ParseSpec(tc.in)
			if !errors.Is(err, tc.want) {
				t.Fatalf("got %v %v, want %v", got, err, tc.want)
			}
			if got != (addr.Address{}) {
				t.Errorf("an address beside the error: %v", got)
			}
			if addr.Hint(err) == "" {
				t.Error("no hint")
			}
		})
	}
}

func TestLooksLike(t *testing.T) {
	tests := []struct {
		name, domain, other string
		want                bool
	}{
		{"same", "example.com", "example.com", false},
		{"same in two spellings", "BÜCHER.example", "xn--bcher-kva.example", false},
		{"subdomain", "mail.example.com", "example.com", false},
		{"unrelated", "example.net", "another.test", false},
		{"other top label", "example.org", "example.com", false},
		{"digit for letter", "examp1e.com", "example.com", true},
		{"zero for o", "g0od.example", "good.example", true},
		{"capital I for l", "exampIe.com", "example.com", true},
		{"rn for m", "exarnple.com", "example.com", true},
		{"vv for w", "vvindow.example", "window.example", true},
		{"cl for d", "cloor.example", "door.example", true},
		{"whole label in Cyrillic", "аррӏе.com", "apple.com", true},
		{"whole label in Cyrillic, A-label", "xn--80ak6aa92e.com", "apple.com", true},
		{"accent", "exämple.com", "example.com", true},
		{"dot below", "exampḷe.com", "example.com", true},
		{"dotless i", "fıne.example", "fine.example", true},
		{"Greek omicron", "gοοd.example", "good.example", true},
		{"hyphen moved", "my-bank.example", "mybank.example", true},
		{"leading labels", "example.com.attacker.example", "example.com", true},
		{"leading labels with a hyphen", "example-com.attacker.example", "example.com", true},
		{"listed name inside", "www.example.com.attacker.example", "example.com", true},
		{"subdomain of a look-alike", "mail.examp1e.com", "example.com", true},
		{"subdomain of a name with a hyphen moved", "mail.my-bank.example", "mybank.example", true},
		{"katakana for an ideograph", "ロ座.example", "口座.example", true},
		{"empty", "", "example.com", false},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			if got := addr.LooksLike(tc.domain, tc.other); got != tc.want {
				t.Errorf("got %v, want %v (skeletons %q, %q)", got, tc.want, addr.Skeleton(tc.domain), addr.Skeleton(tc.other))
			}
		})
	}
}

// TestLooksLikeLeavesNamesApart: names of different owners that share most letters.
func TestLooksLikeLeavesNamesApart(t *testing.T) {
	names := []string{"cisco.test", "disco.test", "google.test", "goggle.test", "mail.test", "main.test", "москва.test", "日本.test", "日木.test", "bank.test", "bang.test", "ebay.test", "e-buy.test"}
	for i, a := range names {
		for j, b := range names {
			if i != j && addr.LooksLike(a, b) {
				t.Errorf("%s looks like %s", a, b)
			}
		}
	}
}

func FuzzParseSpec(f *testing.F) {
	for _, s := range []string{"jane@example.com", "info@bücher.example", "a@xn--bcher-kva.example", "<a@b.c>", "a@b@c", "\"q\"@x.y", "a@[1.2.3.4]", "jürgen@example.com", "a@xn--0.com", "İ@example.com", "a@ไทย.ไทย"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		a, err := addr.ParseSpec(s)
		if err != nil {
			if a != (addr.Address{}) || addr.Hint(err) == "" {
				t.Fatalf("%q: %v beside %v", s, a, err)
			}
			return
		}
		spec := a.AddrSpec()
		if strings.ContainsAny(spec, " \t\r\n\x00<>()[]:;,\\\"%!") || strings.Count(spec, "@") != 1 || len(spec) > 254 {
			t.Fatalf("%q gave %q", s, spec)
		}
		for _, again := range []string{spec, a.Unicode()} {
			b, err := addr.ParseSpec(again)
			if err != nil || b != a {
				t.Fatalf("%q, then %q: got %v %v, want %v", s, again, b, err, a)
			}
		}
		if k, err := addr.ParseSpec(a.Key()); err == nil && k.Key() != a.Key() {
			t.Fatalf("key of %q is not stable: %q, %q", s, a.Key(), k.Key())
		}
		addr.LooksLike(a.Domain, "example.com")
	})
}

func BenchmarkParseSpec(b *testing.B) {
	for b.Loop() {
		if _, err := addr.ParseSpec("info@bücher.example"); err != nil {
			b.Fatal(err)
		}
	}
}
