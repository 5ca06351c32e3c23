package session

import (
	"context"
	"fmt"
	"net"
	"strings"
	"syscall"
	"testing"

	"mailgap/readmail/imaptest"
)

// diagnose returns the steps by name and the last one.
func diagnose(t *testing.T, cfg Config) (map[StepName]Step, Step, bool) {
	t.Helper()
	steps := map[StepName]Step{}
	var last Step
	ok := Diagnose(t.Context(), cfg, func(s Step) { steps[s.Name], last = s, s })
	if ok != last.OK {
		t.Errorf("got %v, but the last step is %+v", ok, last)
	}
	return steps, last, ok
}

func TestDiagnoseHealthyServer(t *testing.T) {
	srv := imaptest.New(t, imaptest.Options{TLS: imaptest.StartTLS, Mailboxes: []imaptest.Mailbox{
		{Name: "INBOX", Messages: []imaptest.Message{{Raw: []byte("Subject: x\r\n\r\ny\r\n")}}}, {Name: "Papierkorb"}}})
	cfg := Config{Host: imaptest.Hostname, TLS: TLSStartTLS, CAs: srv.Cert.Pool(), User: imaptest.User, Password: secret(imaptest.Password), Dial: toAddr(srv.Addr())}
	steps, _, ok := diagnose(t, cfg)
	if !ok {
		t.Fatalf("got %+v, want success", steps)
	}
	for name, want := range map[StepName]string{
		StepConfig: "host imap.example, port 143", StepTCP: "127.0.0.1", StepTLS: srv.Cert.SHA256, StepCapabilities: "IMAP4REV1",
		StepLogin: "accepted, by plain", StepID: "", StepMailboxes: "2 mailboxes", StepSearch: "INBOX holds 1 messages, a search for everything finds 1",
	} {
		if s, done := steps[name]; !done || !s.OK || !strings.Contains(s.Detail, want) {
			t.Errorf("step %s: got %+v, want %q", name, s, want)
		}
	}
}

func TestDiagnoseFailures(t *testing.T) {
	plain := Config{Host: "localhost", TLS: TLSNone, User: imaptest.User, Password: secret("wrong-secret")}
	with := func(change func(*Config), scripts ...imaptest.Script) Config {
		c := plain
		if len(scripts) > 0 {
			c.Dial = imaptest.NewScripted(t, scripts...).Dial
		}
		change(&c)
		return c
	}
	none := func(*Config) {}
	untrusted := imaptest.NewScriptedTLS(t, imaptest.ImplicitTLS)
	for _, tc := range []struct {
		name string
		cfg  Config
		step StepName
		hint string
	}{
		{"no host", Config{}, StepConfig, "settings"},
		{"refused connection", with(func(c *Config) {
			c.Dial = func(context.Context, string, string) (net.Conn, error) { return nil, syscall.ECONNREFUSED }
		}), StepTCP, "Proton Bridge"},
		{"unknown host", with(func(c *Config) {
			c.Dial = func(context.Context, string, string) (net.Conn, error) {
				return nil, &net.DNSError{Err: "no such host", IsNotFound: true}
			}
		}), StepTCP, "spelling"},
		{"self-signed here", with(func(c *Config) { c.TLS, c.Dial = TLSImplicit, toAddr(untrusted.Addr()) }), StepTLS, "IMAP_TLS_FINGERPRINT=" + untrusted.Cert.SHA256},
		{"wrong password", with(none, imaptest.Script{Auth: []string{"{tag} NO [AUTHENTICATIONFAILED] no"}}), StepLogin, "IMAP_USER"},
		{"wrong password at Gmail", with(func(c *Config) { c.Host, c.AllowPlaintext = "imap.gmail.com", true },
			imaptest.Script{Auth: []string{"{tag} NO [ALERT] Application-specific password required"}}), StepLogin, "app password"},
		{"basic authentication off", with(func(c *Config) { c.Host, c.AllowPlaintext = "outlook.office365.com", true },
			imaptest.Script{Auth: []string{"{tag} NO AUTHENTICATE failed."}}), StepLogin, "xoauth2"},
		{"login disabled", with(none, imaptest.Script{Caps: "IMAP4rev1 LOGINDISABLED"}), StepLogin, "IMAP_TLS=starttls"},
		{"no credentials", with(func(c *Config) { c.Password = nil }, imaptest.Script{}), StepLogin, "IMAP_PASSWORD"},
		{"busy", with(none, imaptest.Script{Greeting: "* BYE too many connections"}), StepGreeting, "wait"},
		{"smtp", with(none, imaptest.Script{Greeting: "220 mail.example ESMTP"}), StepGreeting, "no IMAP server"},
		{"unavailable", with(none, imaptest.Script{Auth: []string{"{tag} NO [UNAVAILABLE] later"}}), StepLogin, "wait"},
		{"broken search", with(none, imaptest.Script{Steps: []imaptest.Step{examine(5)}}), StepSearch, "search cannot be trusted"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, last, ok := diagnose(t, tc.cfg)
			if ok || last.Name != tc.step || !strings.Contains(last.Hint, tc.hint) || last.Detail == "" {
				t.Errorf("got %+v, want step %s to fail with a hint about %q", last, tc.step, tc.hint)
			}
			if strings.Contains(fmt.Sprintf("%+v", last), "wrong-secret") {
				t.Error("the password is in the report")
			}
		})
	}
}

func TestProviderHints(t *testing.T) {
	for host, want := range map[string]string{
		"imap.gmail.com": "app password", "outlook.office365.com": "xoauth2", "imap-mail.outlook.com.": "xoauth2", "imap.mail.yahoo.com": "app password",
		"imap.aol.com": "app password", "imap.mail.me.com": "app-specific", "imap.fastmail.com": "app password", "imap.gmx.net": "switch on IMAP",
		"imap.web.de": "switch on IMAP", "secureimap.t-online.de": "e-mail password", "imap.proton.me": "1143", "imap.163.com": "authorisation code",
		"imap.qq.com": "authorisation code", "imap.example.com": "", "notgmail.com": "", "gmail.com.example.org": "",
	} {
		got := providerHint(&Config{Host: host})
		if want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%s: got %q, want %q", host, got, want)
		}
	}
}

func TestTLSHints(t *testing.T) {
	for reason, want := range map[TLSReason]string{
		TLSPlainOnPort: "IMAP_TLS=starttls", TLSOnPlainPort: "IMAP_TLS=implicit", TLSNotOffered: "IMAP_TLS=implicit", TLSInjected: "do not go on",
		TLSHostname: "another name", TLSExpired: "expired", TLSUntrusted: "IMAP_TLS_CA_FILE", TLSFingerprint: "renewed", TLSHandshake: "1.2",
	} {
		if got := tlsHint(&Config{Host: "imap.example", Port: 993}, &TLSError{Reason: reason, Fingerprint: "ab"}); !strings.Contains(got, want) {
			t.Errorf("%s: got %q, want %q", reason, got, want)
		}
	}
}
