package tlsdial

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
)

// Reason is a word for what is wrong with the protection of a connection.
type Reason string

// The reasons of an Error.
const (
	Handshake    Reason = "handshake"         // no TLS at all, or no common version
	Untrusted    Reason = "untrusted"         // unknown authority or self-signed
	Expired      Reason = "expired"           // outside its validity
	Hostname     Reason = "hostname"          // certificate is for another name
	Pinned       Reason = "fingerprint"       // not the pinned certificate
	NotOffered   Reason = "starttls-missing"  // server does not offer STARTTLS
	Injected     Reason = "starttls-injected" // plain text after the answer to STARTTLS, or a login before it
	PlainOnPort  Reason = "plain-on-tls-port" // the server speaks plain text where TLS was expected
	TLSOnPlain   Reason = "tls-on-plain-port" // the server waits for TLS where plain text was expected
	OtherProblem Reason = "other"
)

// Error says that the connection could not be protected. Fingerprint is the SHA-256 of the certificate that the server
// showed, in lower-case hex, or empty if it showed none.
type Error struct {
	Reason      Reason
	Host        string
	Fingerprint string
	Err         error
}

func (e *Error) Error() string {
	return fmt.Sprintf("tls with %s failed: %s", e.Host, e.Reason)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Fault finds the word for a failed handshake.
func Fault(mode Mode, host string, err error) *Error {
	te := &Error{Reason: Handshake, Host: host, Err: err}
	var (
		pin       *pinError
		unknown   x509.UnknownAuthorityError
		invalid   x509.CertificateInvalidError
		hostname  x509.HostnameError
		notTLS    tls.RecordHeaderError
		unchecked *tls.CertificateVerificationError
	)
	if errors.As(err, &unchecked) && len(unchecked.UnverifiedCertificates) > 0 {
		te.Fingerprint = Fingerprint(unchecked.UnverifiedCertificates[0])
		te.Reason = OtherProblem
	}
	switch {
	case errors.As(err, &pin):
		te.Reason, te.Fingerprint = Pinned, pin.got
	case errors.As(err, &unknown):
		te.Reason = Untrusted
	case errors.As(err, &hostname):
		te.Reason = Hostname
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		te.Reason = Expired
	case errors.As(err, &invalid):
		te.Reason = Untrusted
	case errors.As(err, &notTLS) && mode == Implicit:
		te.Reason = PlainOnPort
	case errors.As(err, &notTLS):
		te.Reason = Injected
	}
	return te
}
