package session

import (
	"errors"
	"fmt"

	"mailgap/shared/logingate"
	"mailgap/shared/tlsdial"
)

// Errors a caller can act on. Each may be wrapped; use errors.Is.
var (
	ErrClosed             = errors.New("session: pool is closed")
	ErrNotConfigured      = errors.New("session: no credentials are configured")
	ErrPlaintext          = errors.New("session: plain text connection to another machine refused")
	ErrUIDValidityChanged = errors.New("session: uidvalidity changed")
	ErrNoMailbox          = errors.New("session: no such mailbox, or it cannot be opened")
	ErrNotExamined        = errors.New("session: no mailbox is examined on this connection")
	ErrLoginDisabled      = errors.New("session: server does not allow a login on this connection")
	ErrCharsetRefused     = errors.New("session: server cannot search for text outside ASCII")
	ErrBadString          = errors.New("session: text holds CR, LF or NUL, or is not a valid name")
	ErrUnsupported        = errors.New("session: server does not offer this")
	ErrBadCriteria        = errors.New("session: search criteria cannot be expressed")
	ErrConnLost           = errors.New("session: connection lost")
	ErrTimeout            = errors.New("session: server did not answer in time")
	ErrLimited            = errors.New("session: server sent more than is accepted")
)

// DialError says that no connection could be made. Step is "dns", "tcp" or "proxy".
type DialError struct {
	Step, Host string
	Port       int
	Err        error
}

// TLSReason is a word for what is wrong with the protection of a connection.
type TLSReason = tlsdial.Reason

// The reasons of a TLSError.
const (
	TLSHandshake    = tlsdial.Handshake    // no TLS at all, or no common version
	TLSUntrusted    = tlsdial.Untrusted    // unknown authority or self-signed
	TLSExpired      = tlsdial.Expired      // outside its validity
	TLSHostname     = tlsdial.Hostname     // certificate is for another name
	TLSFingerprint  = tlsdial.Pinned       // not the pinned certificate
	TLSNotOffered   = tlsdial.NotOffered   // server does not offer STARTTLS
	TLSInjected     = tlsdial.Injected     // plain text after the answer to STARTTLS, or PREAUTH before it
	TLSPlainOnPort  = tlsdial.PlainOnPort  // the server speaks plain IMAP where TLS was expected
	TLSOnPlainPort  = tlsdial.TLSOnPlain   // the server waits for TLS where plain IMAP was expected
	TLSOtherProblem = tlsdial.OtherProblem // something else about the certificate
)

// TLSError says that the connection could not be protected. Fingerprint is the SHA-256 of the certificate
// that the server showed, in lower-case hex, or empty if it showed none.
type TLSError = tlsdial.Error

// AuthError says that the login was refused. CodeRaw and TextRaw are the server's own words: untrusted.
type AuthError struct {
	Method    AuthMethod
	CodeRaw   string // response code, such as AUTHENTICATIONFAILED (RFC 5530)
	TextRaw   string
	DetailRaw string // the JSON document of a failed OAuth exchange
	Hint      string // what to change, in our own words; "" if nothing is known
	Temporary bool   // the server could not decide, for instance UNAVAILABLE
	Err       error  // set if the server broke the exchange instead of refusing

	notTried bool // the server did not know the method, so the credentials were not looked at
}

// LoginPausedError says that no login is tried before Until, because earlier ones with the same credentials
// were refused. Last is the refusal.
type LoginPausedError = logingate.PausedError

// ServerError is a tagged NO or BAD, or a BYE. CodeRaw and TextRaw are the server's own words: untrusted.
type ServerError struct {
	Command string // our own word: "EXAMINE", "SEARCH"
	Status  string // "NO", "BAD" or "BYE"
	CodeRaw string
	TextRaw string
}

func (e *DialError) Error() string {
	return fmt.Sprintf("session: cannot connect to %s port %d (%s): %v", e.Host, e.Port, e.Step, e.Err)
}

// Unwrap returns the cause.
func (e *DialError) Unwrap() error { return e.Err }

func (e *AuthError) Error() string {
	if e.Temporary {
		return fmt.Sprintf("session: login by %s not possible now", e.Method)
	}
	return fmt.Sprintf("session: login by %s refused", e.Method)
}

// Unwrap returns the cause, nil for a plain refusal.
func (e *AuthError) Unwrap() error { return e.Err }

func (e *ServerError) Error() string {
	return fmt.Sprintf("session: server answered %s to %s", e.Status, e.Command)
}

// CredentialError says that the password or token could not be fetched. Its text is in the words of what fetches it, which must
// hold no secret and say what to do.
type CredentialError struct{ Err error }

func (e *CredentialError) Error() string {
	return "the credentials cannot be fetched: " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *CredentialError) Unwrap() error { return e.Err }
