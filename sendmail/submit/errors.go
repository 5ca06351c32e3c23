package submit

import (
	"errors"
	"fmt"
	"strings"

	"mailgap/shared/logingate"
	"mailgap/shared/tlsdial"
)

// Errors a caller can act on. Each may be wrapped; use errors.Is.
var (
	ErrBadConfig     = errors.New("submit: configuration")
	ErrPlaintext     = errors.New("submit: plain text connection to another machine refused")
	ErrNotConfigured = errors.New("submit: no credentials are configured")
	ErrNoAuth        = errors.New("submit: server offers no way to log in that is possible here")
	ErrEnvelope      = errors.New("submit: envelope holds no recipient, too many, one twice, or a malformed address")
	ErrContent       = errors.New("submit: content is not in canonical form (CRLF line ends, lines of at most 998 octets)")
	ErrBeforeDot     = errors.New("submit: stopped before the final dot")
	ErrUnknown       = errors.New("submit: outcome unknown, the server may have accepted the message")
	ErrConnLost      = errors.New("submit: connection lost")
	ErrTimeout       = errors.New("submit: server did not answer in time")
	ErrLimited       = errors.New("submit: server sent more than is accepted")
	ErrGarbage       = errors.New("submit: server does not speak SMTP")
)

// TLSError says that the connection could not be protected.
type TLSError = tlsdial.Error

// LoginPausedError says that no login is tried now, because earlier ones with the same credentials were refused.
type LoginPausedError = logingate.PausedError

// DialError says that no connection could be made. Step is "dns" or "tcp".
type DialError struct {
	Step, Host string
	Port       int
	Err        error
}

func (e *DialError) Error() string {
	return fmt.Sprintf("submit: cannot connect to %s port %d (%s): %v", e.Host, e.Port, e.Step, e.Err)
}

// Unwrap returns the cause.
func (e *DialError) Unwrap() error { return e.Err }

// ReplyError is a 4yz or 5yz reply (RFC 5321 §4.2.1) outside the login.
type ReplyError struct {
	Stage Stage
	Reply Reply
}

func (e *ReplyError) Error() string {
	return strings.TrimSpace(fmt.Sprintf("submit: server answered %d %s", e.Reply.Code, e.Reply.Enhanced)) + " at " + string(e.Stage)
}

// AuthError says that the login was refused.
type AuthError struct {
	Method    AuthMethod
	Reply     Reply
	DetailRaw string // the JSON document of a failed OAuth exchange: untrusted
	Temporary bool   // the server could not decide
	Err       error  // set if the server broke the exchange instead of refusing

	notTried bool // the server did not know the method, so the credentials were not looked at
}

func (e *AuthError) Error() string {
	if e.Temporary {
		return fmt.Sprintf("submit: login by %s not possible now", e.Method)
	}
	return fmt.Sprintf("submit: login by %s refused", e.Method)
}

// Unwrap returns the cause, nil for a plain refusal.
func (e *AuthError) Unwrap() error { return e.Err }

// RecipientsError says that at least one recipient was refused, so that nothing was sent to anybody. Refused holds the
// refused ones in order.
type RecipientsError struct{ Refused []Recipient }

func (e *RecipientsError) Error() string {
	return fmt.Sprintf("submit: %d recipients refused, nothing was sent", len(e.Refused))
}

// Extension is something a message needs of the server.
type Extension string

// The extensions that are checked before MAIL.
const (
	ExtensionSize     Extension = "SIZE"     // RFC 1870: the message is larger than the server's limit
	Extension8BitMIME Extension = "8BITMIME" // RFC 6152: the content has octets above 127
	ExtensionSMTPUTF8 Extension = "SMTPUTF8" // RFC 6531: an address or header field is not ASCII
)

// ExtensionError says that the server cannot take this message; nothing was proposed to it. MaxOctets and Octets are set
// for ExtensionSize.
type ExtensionError struct {
	Extension Extension
	MaxOctets int64
	Octets    int64
}

func (e *ExtensionError) Error() string {
	if e.Extension == ExtensionSize {
		return fmt.Sprintf("submit: message has %d octets, the server takes %d", e.Octets, e.MaxOctets)
	}
	return fmt.Sprintf("submit: the message needs %s, which the server does not offer", e.Extension)
}

// CredentialError says that the password or token could not be fetched. Its text is in the words of what fetches it, which must
// hold no secret and say what to do.
type CredentialError struct{ Err error }

func (e *CredentialError) Error() string {
	return "the credentials cannot be fetched: " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *CredentialError) Unwrap() error { return e.Err }
