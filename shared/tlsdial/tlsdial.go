package tlsdial

import (
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
)

// Mode says how a connection is protected.
type Mode string

// The modes.
const (
	Implicit Mode = "implicit" // TLS from the first octet (RFC 8314 §3)
	StartTLS Mode = "starttls" // STARTTLS is required, never optional
	None     Mode = "none"     // plain text
)

// ErrConfig says that a Config is wrong; the text names the field, not its value.
var ErrConfig = errors.New("tls configuration")

// Config is the client's side of TLS. Only Host is required.
type Config struct {
	Host        string         // name in SNI and certificate checks
	CAs         *x509.CertPool // nil means the system's roots
	CAPEM       []byte         // further roots in PEM form, added to CAs
	Fingerprint string         // SHA-256 of the leaf certificate in hex, colons allowed; replaces verification
	NextProtos  []string       // ALPN (RFC 7301), nil for none
}

// Check returns ErrConfig if Client would fail.
func (c Config) Check() error {
	_, err := c.Client()
	return err
}

// Client returns the configuration for crypto/tls. Errors: ErrConfig.
func (c Config) Client() (*tls.Config, error) {
	roots, err := c.roots()
	if err != nil {
		return nil, err
	}
	conf := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: c.Host, RootCAs: roots, NextProtos: c.NextProtos}
	if c.Fingerprint == "" {
		return conf, nil
	}
	want, err := parseFingerprint(c.Fingerprint)
	if err != nil {
		return nil, err
	}
	// Security: the chain is not looked at, so this comparison is all that stands between us and any other server.
	conf.InsecureSkipVerify = true
	conf.VerifyConnection = func(cs tls.ConnectionState) error {
		if len(cs.PeerCertificates) == 0 {
			return &pinError{}
		}
		if got := Fingerprint(cs.PeerCertificates[0]); got != hex.EncodeToString(want) {
			return &pinError{got: got}
		}
		return nil
	}
	return conf, nil
}

// roots returns the certificate authorities, nil for the system's.
func (c Config) roots() (*x509.CertPool, error) {
	if len(c.CAPEM) == 0 {
		return c.CAs, nil
	}
	pool := x509.NewCertPool()
	if c.CAs != nil {
		pool = c.CAs.Clone()
	}
	if !pool.AppendCertsFromPEM(c.CAPEM) {
		return nil, fmt.Errorf("%w: CA file holds no certificate in PEM form", ErrConfig)
	}
	return pool, nil
}

// parseFingerprint reads a SHA-256 digest in hex, with or without colons, spaces and a "SHA256:" in front.
func parseFingerprint(s string) ([]byte, error) {
	s = strings.ToLower(strings.TrimSpace(s))
	s = strings.TrimPrefix(strings.TrimPrefix(s, "sha256:"), "sha256=")
	b, err := hex.DecodeString(strings.NewReplacer(":", "", " ", "").Replace(s))
	if err != nil || len(b) != sha256.Size {
		return nil, fmt.Errorf("%w: fingerprint is not a SHA-256 digest of 64 hexadecimal digits", ErrConfig)
	}
	return b, nil
}

// Fingerprint returns the SHA-256 of a certificate in lower-case hex.
func Fingerprint(c *x509.Certificate) string {
	sum := sha256.Sum256(c.Raw)
	return hex.EncodeToString(sum[:])
}

// pinError is what VerifyConnection returns for a certificate that is not the pinned one.
type pinError struct{ got string }

func (*pinError) Error() string { return "certificate is not the pinned one" }

// IsLoopbackHost reports whether a configured host name means this machine without asking DNS.
func IsLoopbackHost(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && ip.Unmap().IsLoopback()
}

// IsLoopbackConn reports whether the other end is on this machine. Connections that are no sockets (pipes) count.
func IsLoopbackConn(conn net.Conn) bool {
	tcp, ok := conn.RemoteAddr().(*net.TCPAddr)
	return !ok || tcp.IP.IsLoopback()
}
