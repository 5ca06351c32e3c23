package wire

import (
	"errors"
	"fmt"
)

// Errors kept by Conn.Err and returned by its methods; test with errors.Is. go-imap turns what Read returns into
// text, so after a failed command ask Conn.Err for the cause.
var (
	// ErrForbidden: a command outside the read-only list was about to be written. Nothing of it was sent.
	ErrForbidden = errors.New("wire: command is not read-only")
	// ErrTimeout: the server did not answer, or not further, in time.
	ErrTimeout = errors.New("wire: server did not answer in time")
	// ErrLimit: the server (or the client) sent more than a limit allows.
	ErrLimit = errors.New("wire: limit exceeded")
	// ErrFraming: the octets can no longer be split into responses (a literal was cut, the greeting is not IMAP).
	ErrFraming = errors.New("wire: response framing lost")
	// ErrBye: the server ended the connection with BYE. The text is in ByeError.
	ErrBye = errors.New("wire: server closed the connection")
	// ErrClosed: Close was called on this side.
	ErrClosed = errors.New("wire: connection closed")
	// ErrBusy: Do or Compress was called while a command of go-imap's client is running.
	ErrBusy = errors.New("wire: connection is busy")
	// ErrUnsupported: the server does not offer the extension.
	ErrUnsupported = errors.New("wire: not offered by the server")
	// ErrNoStartTLS: STARTTLS is not offered or was refused.
	ErrNoStartTLS = errors.New("wire: server does not offer STARTTLS")
	// ErrPreauth: PREAUTH on a plaintext connection, where STARTTLS is then impossible (RFC 9051 §7.1.4).
	ErrPreauth = errors.New("wire: PREAUTH before STARTTLS")
	// ErrInjection: octets followed the STARTTLS reply in plain text (response injection, CVE-2011-0411 kind).
	ErrInjection = errors.New("wire: plaintext after STARTTLS reply")
)

// ByeError carries the text of the server's BYE. errors.Is(err, ErrBye) holds.
type ByeError struct {
	Code string // response code atom in upper case ("UNAVAILABLE"), "" if none; untrusted
	Text string // at most maxTextOctets; untrusted, clean it before showing
}

func (e *ByeError) Error() string        { return ErrBye.Error() }
func (e *ByeError) Is(target error) bool { return target == ErrBye }

// ServerError is a tagged NO or BAD to a command of Do. Text is untrusted and not part of Error().
type ServerError struct {
	Status string // "NO" or "BAD"
	Code   string // response code atom in upper case, "" if none; untrusted
	Text   string // at most maxTextOctets; untrusted
}

func (e *ServerError) Error() string { return "wire: server answered " + e.Status }

func forbidden(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrForbidden, fmt.Sprintf(format, args...))
}

func overLimit(what string) error { return fmt.Errorf("%w: %s", ErrLimit, what) }

func badFraming(what string) error { return fmt.Errorf("%w: %s", ErrFraming, what) }
