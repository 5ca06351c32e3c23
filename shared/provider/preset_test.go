package provider

import (
	"strings"
	"testing"
)

func TestForDomain(t *testing.T) {
	for domain, want := range map[string]string{
		"gmail.com": "imap.gmail.com", "GMail.com": "imap.gmail.com", "hotmail.co.uk": "outlook.office365.com", "outlook.com": "outlook.office365.com",
		"yahoo.co.jp": "imap.mail.yahoo.co.jp", "yahoo.co.uk": "imap.mail.yahoo.com", "yahoo.com": "imap.mail.yahoo.com", "aol.com": "imap.aol.com", "icloud.com": "imap.mail.me.com",
		"fastmail.fm": "imap.fastmail.com", "proton.me": "127.0.0.1", "gmx.de": "imap.gmx.net", "gmx.com": "imap.gmx.com", "web.de": "imap.web.de",
		"163.com": "imap.163.com", "126.com": "imap.126.com", "qq.com": "imap.qq.com", "yandex.ru": "imap.yandex.com", "zohomail.eu": "imap.zoho.eu",
		"mailbox.org": "imap.mailbox.org", "posteo.net": "posteo.de", "t-online.de": "secureimap.t-online.de",
		"example.com": "", "notgmail.com": "", "gmail.com.evil.example": "", "yahoo.com.evil.example": "", "": "", "yahoo.": "",
	} {
		got, ok := ForDomain(domain)
		if got.IMAP.Host != want || ok != (want != "") {
			t.Errorf("%q: got %q, want %q", domain, got.IMAP.Host, want)
		}
	}
}

func TestForMX(t *testing.T) {
	for name, test := range map[string]struct {
		hosts []string
		want  string
	}{
		"Workspace":           {[]string{"aspmx.l.google.com.", "alt1.aspmx.l.google.com."}, "Gmail"},
		"Microsoft 365":       {[]string{"example-com.mail.protection.outlook.com."}, "Microsoft 365"},
		"Fastmail":            {[]string{"in1-smtp.messagingengine.com."}, "Fastmail"},
		"Zoho, Europe":        {[]string{"mx.zoho.eu."}, "Zoho Mail (eu)"},
		"the first one rules": {[]string{"mx.example.org.", "aspmx.l.google.com."}, ""},
		"none":                {nil, ""},
		"an imitation":        {[]string{"mx.notgoogle.com."}, ""},
	} {
		if got, _ := ForMX(test.hosts); got.Name != test.want {
			t.Errorf("%s: got %q, want %q", name, got.Name, test.want)
		}
	}
}

// A preset leads to servers under TLS that Of knows too, says what to do, and names an authserv-id only with care.
func TestPresetsAreWhole(t *testing.T) {
	domains := map[string]bool{}
	for _, p := range presets() {
		for _, e := range []Endpoint{p.IMAP, p.SMTP} {
			if e.Host == "" || e.Port == 0 || e.TLS != "implicit" && e.TLS != "starttls" {
				t.Errorf("%s: endpoint %+v", p.Name, e)
			}
			if got := Of(e.Host); got != p.Provider && !p.Bridge {
				t.Errorf("%s: %s is taken for provider %d, want %d", p.Name, e.Host, got, p.Provider)
			}
		}
		if p.Advice == "" || p.Login == SignIn && p.OAuth == "" {
			t.Errorf("%s: says too little", p.Name)
		}
		if len(p.AuthservIDs) > 0 && p.Provider != Google {
			t.Errorf("%s: is its authserv-id documented?", p.Name)
		}
		for _, d := range p.Domains {
			if domains[d] || strings.ToLower(d) != d {
				t.Errorf("%s: domain %s", p.Name, d)
			}
			domains[d] = true
		}
	}
}
