package submit

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"

	"mailgap/sendmail/smtptest"
)

var envelope = Envelope{ReversePath: "me@example.com", ForwardPaths: []string{"a@example.org", "b@example.net", "c@example.org"}}

// message has lines that need dot-stuffing and is longer than two flushes.
func message() []byte {
	var b strings.Builder
	b.WriteString("From: me@example.com\r\nTo: a@example.org\r\nSubject: test\r\n\r\n.\r\n..\r\n.hidden\r\n\r\n")
	for i := range 900 {
		fmt.Fprintf(&b, "line %d of a message that is long enough\r\n.%d\r\n", i, i)
	}
	return []byte(b.String())
}

func secret(s string) func(context.Context) (string, error) {
	return func(context.Context) (string, error) { return s, nil }
}

func newClient(t testing.TB, cfg Config) *Client {
	t.Helper()
	c, err := New(cfg)
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	return c
}

// loggedIn is a configuration for a test server.
func loggedIn(dial func(context.Context, string, string) (net.Conn, error)) Config {
	return Config{Host: "localhost", TLS: TLSNone, User: smtptest.User, Password: secret(smtptest.Password), Dial: dial}
}

// checkWire holds the invariant: what a server accepted is what was given, for whom it was given.
func checkWire(t testing.TB, got []smtptest.Message, env Envelope, octets []byte) {
	t.Helper()
	for _, m := range got {
		if m.ReversePath != env.ReversePath || !slices.Equal(m.ForwardPaths, env.ForwardPaths) {
			t.Errorf("got envelope %s, %q, want %s, %q", m.ReversePath, m.ForwardPaths, env.ReversePath, env.ForwardPaths)
		}
		if m.SHA256 != sha256.Sum256(octets) {
			t.Errorf("got %d octets on the wire that differ from the %d given", len(m.Octets), len(octets))
		}
	}
}

// checkTruth compares a claim with what the server has accepted.
func checkTruth(t testing.TB, out Outcome, err error, accepted []smtptest.Message, env Envelope, octets []byte) {
	t.Helper()
	checkWire(t, accepted, env, octets)
	switch {
	case out.State == StateSent && (len(accepted) != 1 || err != nil || !out.DotSent):
		t.Errorf("claimed sent (error %v), the server accepted %d", err, len(accepted))
	case out.State == StateFailed && (len(accepted) != 0 || err == nil):
		t.Errorf("claimed failed (error %v), the server accepted %d", err, len(accepted))
	case out.State == StateUnknown && (err == nil || !out.DotSent || out.Stage != StageDot):
		t.Errorf("claimed unknown (error %v) outside the window: %+v", err, out)
	}
	if out.DotSent && out.DataSHA256 != sha256.Sum256(octets) {
		t.Error("recorded digest differs from the one given")
	}
}
