//go:build unix

package smtptest

import (
	"crypto/tls"
	"net"
	"slices"
	"strings"
	"testing"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
)

func postfixClient(t *testing.T, p *Postfix) *smtp.Client {
	t.Helper()
	conn, err := net.Dial("tcp", p.Addr())
	if err != nil {
		t.Fatal(err)
	}
	c, err := smtp.NewClientStartTLS(conn, &tls.Config{RootCAs: p.Cert.Pool(), ServerName: Hostname})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// What is delivered is what was sent, for whom it was sent; nobody without a login, and no other domain.
func TestPostfixDeliversAndRelaysNothing(t *testing.T) {
	p := StartPostfix(t, PostfixOptions{})
	c := postfixClient(t, p)
	if err := c.Mail("a@example.com", nil); err != nil {
		t.Fatal(err)
	}
	if err := c.Rcpt("alice@"+PostfixDomain, nil); err == nil {
		t.Error("a recipient was taken without a login")
	}
	if err := c.Reset(); err != nil {
		t.Fatal(err)
	}
	if err := c.Auth(sasl.NewPlainClient("", User, Password)); err != nil {
		t.Fatal(err)
	}
	if err := c.Mail("a@example.com", nil); err != nil {
		t.Fatal(err)
	}
	for _, to := range []string{"x@example.com", "x@localhost", "nobody@" + PostfixDomain, "root"} {
		if err := c.Rcpt(to, nil); err == nil {
			t.Errorf("%s was taken", to)
		}
	}
	if err := c.Rcpt("bob@"+PostfixDomain, nil); err != nil {
		t.Fatal(err)
	}
	w, err := c.Data()
	if err != nil {
		t.Fatal(err)
	}
	const message = "Date: Mon, 2 Mar 2026 10:00:00 +0000\r\nFrom: a@example.com\r\nMessage-ID: <1@example.com>\r\nReceived: not a trace field\r\n\r\n.dot\r\nend\r\n"
	if _, err := w.Write([]byte(message)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	got := p.Await(t, "bob", 1)[0]
	if string(got.Octets) != message {
		t.Errorf("delivered %q, want %q", got.Octets, message)
	}
	if want := []string{"Return-Path", "X-Original-To", "Delivered-To", "Received"}; !slices.Equal(got.Trace, want) {
		t.Errorf("trace fields %v, want %v", got.Trace, want)
	}
	if n := len(p.Mailbox(t, "alice")); n != 0 {
		t.Errorf("%d messages for alice, want none", n)
	}
	if !strings.Contains(p.Log(), "Relay access denied") {
		t.Error("the log does not show that another domain was refused")
	}
}
