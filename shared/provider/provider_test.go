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
