package tlsdial

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
)

func TestFingerprintSpellings(t *testing.T) {
	hex := strings.Repeat("ab", 32)
	for _, s := range []string{hex, strings.ToUpper(hex), "SHA256:" + hex, strings.TrimSuffix(strings.Repeat("AB:", 32), ":"), " " + hex + " "} {
		if err := (Config{Host: "x.example", Fingerprint: s}).Check(); err != nil {
			t.Errorf("%q: got %v, want none", s, err)
		}
	}
	for _, s := range []string{"ab", hex + "00", "zz" + hex[2:], "-"} {
		if err := (Config{Host: "x.example", Fingerprint: s}).Check(); !errors.Is(err, ErrConfig) || len(s) > 2 && strings.Contains(err.Error(), s) {
			t.Errorf("%q: got %v, want ErrConfig without the value", s, err)
		}
	}
	if err := (Config{Host: "x.example", CAPEM: []byte("nothing")}).Check(); !errors.Is(err, ErrConfig) {
		t.Errorf("got %v for a file without certificates, want ErrConfig", err)
	}
}

// Security: verification is off only together with a pin.
func TestVerificationIsNeverJustOff(t *testing.T) {
	conf, err := Config{Host: "x.example"}.Client()
	if err != nil || conf.InsecureSkipVerify || conf.ServerName != "x.example" || conf.MinVersion != tls.VersionTLS12 {
		t.Errorf("got %+v, %v", conf, err)
	}
	conf, err = Config{Host: "x.example", Fingerprint: strings.Repeat("ab", 32)}.Client()
	if err != nil || conf.VerifyConnection == nil {
		t.Fatalf("got %+v, %v", conf, err)
	}
	if conf.VerifyConnection(tls.ConnectionState{}) == nil {
		t.Error("accepted a server without certificate")
	}
	if conf.VerifyConnection(tls.ConnectionState{PeerCertificates: []*x509.Certificate{{Raw: []byte("x")}}}) == nil {
		t.Error("accepted another certificate")
	}
}

func TestFaultWords(t *testing.T) {
	for _, tc := range []struct {
		mode Mode
		err  error
		want Reason
	}{
		{Implicit, tls.RecordHeaderError{}, PlainOnPort}, {StartTLS, tls.RecordHeaderError{}, Injected}, {Implicit, x509.UnknownAuthorityError{}, Untrusted},
		{Implicit, x509.HostnameError{Certificate: &x509.Certificate{}}, Hostname}, {Implicit, x509.CertificateInvalidError{Reason: x509.Expired}, Expired},
		{Implicit, x509.CertificateInvalidError{}, Untrusted}, {Implicit, &pinError{got: "aa"}, Pinned}, {Implicit, io.EOF, Handshake},
	} {
		if got := Fault(tc.mode, "x.example", tc.err); got.Reason != tc.want || !errors.Is(got, tc.err) && tc.want != Pinned && tc.want != Hostname {
			t.Errorf("got %s for %v, want %s", got.Reason, tc.err, tc.want)
		}
	}
}

func TestLoopback(t *testing.T) {
	for host, want := range map[string]bool{"localhost": true, "LOCALHOST": true, "127.0.0.1": true, "127.9.9.9": true, "::1": true, "[::1]": true,
		"::ffff:127.0.0.1": true, "localhost.example": false, "0.0.0.0": false, "192.0.2.1": false, "": false} {
		if got := IsLoopbackHost(host); got != want {
			t.Errorf("%q: got %v, want %v", host, got, want)
		}
	}
	a, b := net.Pipe()
	defer a.Close()
	defer b.Close()
	if !IsLoopbackConn(a) {
		t.Error("a pipe counts as this machine")
	}
}
