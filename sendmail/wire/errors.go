package wire

import (
	"errors"
	"fmt"
)

// Reasons why a connection ends. Use errors.Is.
var (
	ErrTimeout    = errors.New("wire: no complete reply, or no progress, in time")
	ErrLost       = errors.New("wire: connection lost")
	ErrLimit      = errors.New("wire: reply is too long")
	ErrFraming    = errors.New("wire: reply is not SMTP")
	ErrCommand    = errors.New("wire: command refused")
	ErrContent    = errors.New("wire: content is not what was announced")
	ErrBeforeDot  = errors.New("wire: stopped before the final dot")
	ErrNoStartTLS = errors.New("wire: server does not offer STARTTLS")
	ErrInjection  = errors.New("wire: plain text after the reply to STARTTLS")
	ErrAborted    = errors.New("wire: aborted")
	ErrEnvelope   = errors.New("wire: malformed transaction")
)

// EarlyError says that the server sent a reply that nobody had asked for, such as 421 between two commands.
type EarlyError struct{ Reply Reply }

func (e *EarlyError) Error() string {
	return fmt.Sprintf("wire: server sent %d without being asked", e.Reply.Code)
}

// ReplyError is a negative reply before STARTTLS.
type ReplyError struct {
	Command string // "greeting", "EHLO"
	Reply   Reply
}

func (e *ReplyError) Error() string {
	return fmt.Sprintf("wire: server answered %d to %s", e.Reply.Code, e.Command)
}

func refused(why string) error { return fmt.Errorf("%w: %s", ErrCommand, why) }
