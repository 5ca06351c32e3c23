package sanitize

import "testing"

func TestReferenceAndOpaque(t *testing.T) {
	const ref = "imap://default/Entw%C3%BCrfe;UIDVALIDITY=7/;UID=3"
	if got := Reference(ref).String(); got != ref {
		t.Errorf("Reference = %q, want it unchanged", got)
	}
	if got := Opaque("aB-_9").String(); got != "aB-_9" {
		t.Errorf("Opaque = %q, want it unchanged", got)
	}
	for _, live := range []string{"https://evil.example/x", "imap://a/![x](http://evil.example)", "imap://a/\u202e", "HTTPS://evil.example"} {
		if got := Reference(live).String(); got == live {
			t.Errorf("Reference(%q) passed unchanged", live)
		}
		if got := Opaque(live).String(); got == live {
			t.Errorf("Opaque(%q) passed unchanged", live)
		}
	}
}
