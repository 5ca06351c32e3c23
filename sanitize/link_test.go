package sanitize

import (
	"strings"
	"testing"
)

func TestLinks(t *testing.T) {
	for _, c := range []struct {
		name, text, want string // want: the fields that are set, see describe
	}{
		{"plain", "https://shop.example/a?b=c#d", "hxxps[:]//shop[.]example/a?b=c#d host shop[.]example"},
		{"upper case and port", "HTTPS://Shop.Example:8443/A", "hxxpS[:]//Shop[.]Example[:]8443/A host shop[.]example"},
		{"userinfo", "https://bank.example@evil.example/x", "hxxps[:]//bank[.]example[at]evil[.]example/x host evil[.]example userinfo"},
		{"two at signs", "https://a@bank.example@evil.example/", "hxxps[:]//a[at]bank[.]example[at]evil[.]example/ host evil[.]example userinfo"},
		{"backslash is a slash", `https://evil.example\@bank.example/`, "hxxps[:]//evil[.]example%5C[at]bank[.]example/ host evil[.]example"},
		{"percent-encoded host", "https://%65vil.example/", "hxxps[:]//%65vil[.]example/ host evil[.]example"},
		{"address", "http://192.0.2.7/x", "hxxp[:]//192[.]0[.]2[.]7/x host 192[.]0[.]2[.]7"},
		{"tracking", "https://a.example/?id=1&utm_source=x&gclid=y", "hxxps[:]//a[.]example/?id=1&utm_source=x&gclid=y host a[.]example tracking utm_source,gclid"},
		{"international", "https://bücher.example/", "hxxps[:]//bücher[.]example/ host xn--bcher-kva[.]example unicode bücher[.]example"},
		{"cyrillic look-alike", "https://раураl.example/", "hxxps[:]//раураl[.]example/ host xn--l-7sba6dbr[.]example unicode раураl[.]example confusable paypal[.]example"},
		{"whole-script look-alike", "https://аррӏе.com/", "hxxps[:]//аррӏе[.]com/ host xn--80ak6aa92e[.]com unicode аррӏе[.]com confusable apple[.]com"},
		{"russian site is no look-alike", "https://пример.рф/", "hxxps[:]//пример[.]рф/ host xn--e1afmkfd[.]xn--p1ai unicode пример[.]рф"},
		{"mismatch in markdown", "[https://bank.example](https://evil.example)", "hxxps[:]//bank[.]example host bank[.]example"},
		{"markdown text", "[My bank](https://evil.example)", "hxxps[:]//evil[.]example host evil[.]example text My bank"},
		{"reset link", "https://a.example/reset?t=abcdef0123456789", "hxxps[:]//a[.]example/[sign-in link hidden] host a[.]example masked"},
		{"unsubscribe link stays", "https://n.example/unsubscribe/confirm?token=abcdef0123456789", "hxxps[:]//n[.]example/unsubscribe/confirm?token=abcdef0123456789 host n[.]example"},
		{"mail target", "mailto:a@b.example?subject=x", "mailto[:]a[at]b[.]example?subject=x"},
		{"our own mark", "⟦link 7: a[.]example⟧", " host a[.]example unverified"},
	} {
		t.Run(c.name, func(t *testing.T) {
			links := ForModel(c.text, Options{}).Links
			if len(links) == 0 {
				t.Fatal("no link")
			}
			if got := describe(links[0]); got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

func describe(l Link) string {
	s := l.Target.String()
	for _, f := range []struct {
		name string
		c    Clean
	}{{"host", l.Host}, {"unicode", l.UnicodeHost}, {"text", l.Text}, {"shown", l.ShownHost}, {"confusable", l.LooksLike}} {
		if !f.c.IsZero() {
			s += " " + f.name + " " + f.c.String()
		}
	}
	if len(l.Tracking) > 0 {
		s += " tracking " + Join(l.Tracking, ",").String()
	}
	for name, set := range map[string]bool{"userinfo": l.Userinfo, "masked": l.Masked, "unverified": l.Unverified} {
		if set {
			s += " " + name
		}
	}
	return s
}

func TestMismatch(t *testing.T) {
	for _, c := range []struct {
		name, html string
		shown      string
	}{
		{"other host", `<a href="https://evil.example/x">https://bank.example</a>`, "bank[.]example"},
		{"other host without scheme", `<a href="https://evil.example/x">www.bank.com</a>`, "www[.]bank[.]com"},
		{"other host in a sentence", `<a href="https://evil.example/x">Go to bank.com now</a>`, "bank[.]com"},
		{"sub-domain of the same site", `<a href="https://click.bank.com/x">www.bank.com</a>`, ""},
		{"same host", `<a href="https://bank.example/x">bank.example</a>`, ""},
		{"no host shown", `<a href="https://evil.example/x">Read more about version 2.0</a>`, ""},
		{"file name", `<a href="https://files.example/x">report.pdf</a>`, ""},
		{"address shown", `<a href="https://files.example/x">anna@bank.com</a>`, ""},
		{"host hidden by the domain of another", `<a href="https://bank.com.evil.example/">bank.com</a>`, "bank[.]com"},
	} {
		t.Run(c.name, func(t *testing.T) {
			links := HTML(c.html, Options{}).Links
			if len(links) != 1 {
				t.Fatalf("got %d links, want 1", len(links))
			}
			if l := links[0]; l.ShownHost.String() != c.shown || l.Mismatch != (c.shown != "") {
				t.Errorf("got %q (mismatch %v), want %q", l.ShownHost, l.Mismatch, c.shown)
			}
		})
	}
}

// TestDefangUndone: the documented rule gives the URL back.
func TestDefangUndone(t *testing.T) {
	undo := strings.NewReplacer("[:]", ":", "[.]", ".", "[at]", "@", "[localhost]", "localhost")
	for _, url := range []string{"https://shop.example/a/b.c?d=e&f=g#h", "http://user:pw@shop.example:8080/", "http://localhost:3000/x", "ftp://a.example//b", "https://a.example/?u=https://b.example"} {
		got := undo.Replace(Defang(url).String())
		if rest, ok := strings.CutPrefix(got, "hxxp"); ok {
			got = "http" + rest
		}
		if got != url {
			t.Errorf("got %q, want %q (defanged %q)", got, url, Defang(url))
		}
	}
	if got, want := Defang("http://localhost:3000/").String(), "hxxp[:]//[localhost][:]3000/"; got != want {
		t.Errorf("got %q, want %q: linkify-it links this name after two slashes", got, want)
	}
	if got, want := Defang("https://a.example/(b)[c] d").String(), "hxxps[:]//a[.]example/%28b%29%5Bc%5D%20d"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestConfusableWords(t *testing.T) {
	for text, want := range map[string]int{
		"ordinary words": 0, "Здравствуйте, мир": 0, "Привет from Moscow": 0, "Раssword": 1, "рaypal and gооgle": 2, "α-particle": 0, "naïve café": 0, "µTorrent": 0,
	} {
		if got := confusableWords(text); got != want {
			t.Errorf("%q: got %d, want %d", text, got, want)
		}
	}
}

func TestManyLinks(t *testing.T) {
	r := ForModel(strings.Repeat("https://a.example/x ", 2000), Options{MaxChars: -1})
	if len(r.Links) != maxLinks {
		t.Errorf("got %d links, want %d", len(r.Links), maxLinks)
	}
	if !strings.Contains(r.Text.String(), "⟦link 2000: ") {
		t.Error("the last mark is not numbered 2000")
	}
}
