package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"mailgap/readmail/imaptest"
)

// testTLS connects with every way to trust a certificate, and with wrong ones. Where trust fails, nobody logs in.
func testTLS(t *testing.T, program string) {
	d := imaptest.StartDovecot(t, imaptest.DovecotOptions{Mailboxes: watched(t)})
	other := imaptest.NewCertificate(t)
	ca, wrongCA := filepath.Join(t.TempDir(), "ca.pem"), filepath.Join(t.TempDir(), "other.pem")
	for path, pem := range map[string][]byte{ca: d.Cert.CAPEM, wrongCA: other.CAPEM} {
		if err := os.WriteFile(path, pem, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	logins := 0
	for _, mode := range []struct{ name, addr string }{{"implicit", d.TLSAddr()}, {"starttls", d.Addr()}} {
		for _, tt := range []struct {
			name, setting string
			ok            bool
		}{
			{"CA file", "IMAP_TLS_CA_FILE=" + ca, true},
			{"fingerprint", "IMAP_TLS_FINGERPRINT=" + colons(d.Cert.SHA256), true},
			{"wrong CA", "IMAP_TLS_CA_FILE=" + wrongCA, false},
			{"wrong fingerprint", "IMAP_TLS_FINGERPRINT=" + other.SHA256, false},
			{"the system's authorities", "IMAP_ACCOUNT=default", false},
		} {
			t.Run(mode.name+" "+tt.name, func(t *testing.T) {
				c := startClient(t, program, "IMAP_HOST=127.0.0.1", "IMAP_PORT="+strconv.Itoa(imaptest.Port(mode.addr)), "IMAP_TLS="+mode.name,
					"IMAP_USER="+imaptest.User, "IMAP_PASSWORD="+imaptest.Password, tt.setting)
				a := c.try(t, "list_messages", nil)
				if a.IsError == tt.ok {
					t.Errorf("answer = %s, want success %t", a.text(), tt.ok)
				}
				if !tt.ok && !strings.Contains(strings.ToLower(a.text()), "certificate") {
					t.Errorf("error %q does not speak of the certificate", a.text())
				}
				if strings.Contains(a.text()+c.stderr.String(), imaptest.Password) {
					t.Error("the password is in the answer or the log")
				}
				if tt.ok {
					logins++
				}
				if got := strings.Count(d.Log(), "Login: user="); got != logins {
					t.Errorf("logins = %d, want %d", got, logins)
				}
			})
		}
	}
	for _, command := range d.Commands() {
		if command.Verb == "LOGIN" || command.Verb == "AUTHENTICATE" {
			t.Errorf("%s in the clear", command)
		}
	}
}

// colons writes a fingerprint in pairs, as other programs print it.
func colons(hex string) string {
	var pairs []string
	for i := 0; i+2 <= len(hex); i += 2 {
		pairs = append(pairs, strings.ToUpper(hex[i:i+2]))
	}
	return strings.Join(pairs, ":")
}

// testOAuth logs in with tokens, good and expired.
func testOAuth(t *testing.T, program string) {
	d := imaptest.StartDovecot(t, imaptest.DovecotOptions{Mailboxes: watched(t), OAuth: true})
	for _, auth := range []string{"xoauth2", "oauthbearer"} {
		for name, life := range map[string]time.Duration{"good": time.Hour, "expired": -time.Minute} {
			t.Run(auth+" "+name, func(t *testing.T) {
				token := filepath.Join(t.TempDir(), "token")
				if err := os.WriteFile(token, []byte(d.OAuthToken(t, life)+"\n"), 0o600); err != nil {
					t.Fatal(err)
				}
				c := startClient(t, program, "IMAP_HOST=127.0.0.1", "IMAP_PORT="+strconv.Itoa(imaptest.Port(d.Addr())), "IMAP_TLS=none",
					"IMAP_USER="+imaptest.User, "IMAP_AUTH="+auth, "IMAP_OAUTH_TOKEN_FILE="+token)
				if a := c.try(t, "list_messages", nil); a.IsError != (name == "expired") {
					t.Errorf("answer = %s, want success %t", a.text(), name == "good")
				}
			})
		}
	}
}

// testWrongPassword tries a wrong password often: the server must not see many attempts.
func testWrongPassword(t *testing.T, program string) {
	d := imaptest.StartDovecot(t, imaptest.DovecotOptions{Mailboxes: watched(t)})
	c := startClient(t, program, append(plainSettings(d), "IMAP_PASSWORD=wrong")...)
	for range 10 {
		a := c.try(t, "list_messages", nil)
		if !a.IsError || strings.Contains(a.text(), "wrong\"") {
			t.Fatalf("answer = %s, want a refusal", a.text())
		}
	}
	attempts := 0
	for _, command := range d.Commands() {
		if command.Verb == "LOGIN" || command.Verb == "AUTHENTICATE" && command.Tag != "" {
			attempts++
		}
	}
	if attempts == 0 || attempts > 2 {
		t.Errorf("attempts to log in = %d after 10 calls, want 1 or 2", attempts)
	}
}

// testMechanisms logs in by each mechanism that Dovecot knows by a password.
func testMechanisms(t *testing.T, program string) {
	for auth, want := range map[string]string{"auto": "AUTHENTICATE SCRAM-SHA-256", "plain": "AUTHENTICATE PLAIN", "login": "LOGIN", "scram-sha-256": "AUTHENTICATE SCRAM-SHA-256"} {
		t.Run(auth, func(t *testing.T) {
			d, c := startReader(t, program, imaptest.DovecotOptions{Mailboxes: watched(t), Extra: "auth_mechanisms = plain login scram-sha-256"}, "IMAP_AUTH="+auth)
			if a := c.try(t, "list_messages", nil); a.IsError {
				t.Error(a.text())
			}
			if !slices.ContainsFunc(d.Commands(), func(c imaptest.Command) bool { return strings.HasPrefix(c.String(), want) }) {
				t.Errorf("no %s among %v", want, d.Commands())
			}
		})
	}
}

// testCheck runs the check for a person: it says the fingerprint to pin, and each step.
func testCheck(t *testing.T, program string) {
	d := imaptest.StartDovecot(t, imaptest.DovecotOptions{Mailboxes: watched(t)})
	for _, tt := range []struct {
		name, addr, mode, fingerprint string
		ok                            bool
	}{
		{"implicit", d.TLSAddr(), "implicit", d.Cert.SHA256, true},
		{"starttls", d.Addr(), "starttls", d.Cert.SHA256, true},
		{"wrong fingerprint", d.TLSAddr(), "implicit", strings.Repeat("0", 64), false},
	} {
		cmd := exec.Command(program, "check")
		cmd.Env = []string{"IMAP_HOST=127.0.0.1", "IMAP_PORT=" + strconv.Itoa(imaptest.Port(tt.addr)), "IMAP_TLS=" + tt.mode, "IMAP_USER=" + imaptest.User,
			"IMAP_PASSWORD=" + imaptest.Password, "IMAP_TLS_FINGERPRINT=" + tt.fingerprint}
		out, err := cmd.CombinedOutput()
		if (err == nil) != tt.ok {
			t.Errorf("%s: check = %v, want success %t; output:\n%s", tt.name, err, tt.ok, out)
		}
		if said := strings.ToLower(strings.ReplaceAll(string(out), ":", "")); !strings.Contains(said, d.Cert.SHA256) {
			t.Errorf("%s: check does not say the fingerprint %s:\n%s", tt.name, d.Cert.SHA256, out)
		}
		if strings.Contains(string(out), imaptest.Password) {
			t.Errorf("%s: check prints the password", tt.name)
		}
	}
}
