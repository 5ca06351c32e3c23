package provider

import "testing"

func TestOf(t *testing.T) {
	for host, want := range map[string]Provider{
		"imap.gmail.com": Google, "SMTP.GMAIL.COM.": Google, "smtp.office365.com": Microsoft, "outlook.com": Microsoft, "imap.mail.me.com": Apple,
		"gmail.com.evil.example": Other, "notgmail.com": Other, "": Other,
	} {
		if got := Of(host); got != want {
			t.Errorf("%q: got %d, want %d", host, got, want)
		}
	}
}

// A domain of its own is recognised by where its mail goes, and a name that only looks like a provider is not.
func TestForDomain(t *testing.T) {
	for _, c := range []struct {
		domain     string
		exchangers []string
		want       string // host for reading, "" for unknown
	}{
		{"gmail.com", nil, "imap.gmail.com"},
		{"Outlook.com.", nil, "outlook.office365.com"},
		{"web.de", nil, "imap.web.de"},
		{"126.com", nil, "imap.126.com"},
		{"company.example", []string{"aspmx.l.google.com.", "alt1.aspmx.l.google.com."}, "imap.gmail.com"},
		{"company.example", []string{"company-example.mail.protection.outlook.com."}, "outlook.office365.com"},
		{"company.example", []string{"mx.company.example."}, ""},
		{"notgmail.com", []string{"google.com.evil.example"}, ""},
	} {
		p, ok := ForDomain(c.domain, c.exchangers)
		if ok != (c.want != "") || p.IMAP.Host != c.want {
			t.Errorf("%s %v: got %s, want %s", c.domain, c.exchangers, p.IMAP.Host, c.want)
		}
	}
}

// Every provider that is recognised is known, and nothing in a preset is left out.
func TestPresetsAreWhole(t *testing.T) {
	for p := Google; p <= Tencent; p++ {
		preset, ok := Known(p)
		if !ok || preset.Name == "" || preset.Advice == "" {
			t.Errorf("%d: got %+v", p, preset)
		}
		for _, s := range []Server{preset.IMAP, preset.SMTP} {
			if s.Host == "" || s.Port == 0 || s.TLS != "implicit" && s.TLS != "starttls" || p != Proton && Of(s.Host) != p {
				t.Errorf("%s: got %+v", preset.Name, s)
			}
		}
		if (preset.Login == SignIn) && preset.OAuth == "" {
			t.Errorf("%s: no way to sign in", preset.Name)
		}
	}
	if _, ok := Known(Other); ok {
		t.Error("Other is known")
	}
}
