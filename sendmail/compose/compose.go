package compose

import (
	"errors"
	"io"
	"time"

	"mailgap/shared/addr"
)

// Draft is a message as proposed, after policy. It is not changed by Compose.
type Draft struct {
	From        addr.Address // the configured identity, with its optional display name
	To, Cc      []addr.Address
	Bcc         []addr.Address // envelope only
	Subject     string         // final; see ReplySubject and ForwardSubject
	Text        string         // the caller's words; LF or CRLF line ends
	HTML        string         // refused with ErrHTMLNotSupported for now
	Quote       *Quote         // quoted original below the text, or nil
	Signature   string         // configured; below a "-- " line at the end (RFC 3676 §4.3)
	InReplyTo   string         // parent's Message-ID without angle brackets, or ""
	References  []string       // whole chain, parent last; see Threading
	Attachments []Attachment
}

// Quote is the original that a reply or a forward carries in its text.
type Quote struct {
	Attribution string // lines above the quote, as they are
	Text        string
	Plain       bool // true: no "> " prefix (forwarded text below its own heading)
}

// Attachment is one file. Octets leave as they are, but for message/rfc822, whose line ends become CRLF.
type Attachment struct {
	Name      string
	MediaType string // type/subtype in lower case, without parameters
	Octets    []byte
}

// Options are what composition needs from outside. Clock and Random are required.
type Options struct {
	Clock  func() time.Time
	Random io.Reader // 16 bytes for the Message-ID and 16 for each boundary are read
	// MessageID, without angle brackets, is used instead of a new one: the retry of an attempt with unknown outcome.
	MessageID string
	// Allow8Bit permits 8bit parts; set it only when the server is known to offer 8BITMIME (RFC 6152).
	Allow8Bit bool
	// MaxBytes limits the composed message; 0 means 25 MiB.
	MaxBytes int
}

// Envelope is the SMTP envelope (RFC 5321 §2.3.1): bare addresses with A-label domains, duplicates folded.
type Envelope struct {
	ReversePath  string
	ForwardPaths []string
}

// Message is frozen: what was composed, is shown, and leaves. Nothing may change Octets.
type Message struct {
	Octets        []byte // CRLF line ends, no dot-stuffing
	MessageID     string // without angle brackets
	Envelope      Envelope
	SHA256        [32]byte // of Octets
	Identity      [32]byte // see Identity
	NeedsSMTPUTF8 bool     // an address or header field is not ASCII (RFC 6531)
	Has8Bit       bool     // octets above 127 anywhere, so 8BITMIME is needed
	Facts         Facts    // Octets parsed back
}

// Errors of Compose and ReadBack.
var (
	ErrHTMLNotSupported = errors.New("compose: html bodies are not supported yet")
	ErrNotFaithful      = errors.New("compose: the composed message does not read back as it was written")
	ErrHeaderValue      = errors.New("compose: value that a header field cannot hold")
	ErrSender           = errors.New("compose: sender is missing or malformed")
	ErrNoRecipient      = errors.New("compose: no recipient")
	ErrMessageID        = errors.New("compose: malformed message id")
	ErrText             = errors.New("compose: text is not valid UTF-8 or holds NUL")
	ErrAttachment       = errors.New("compose: malformed attachment")
	ErrTooLarge         = errors.New("compose: message too large")
	ErrRandom           = errors.New("compose: random source failed")
)

// Compose writes the message once, parses it back, and refuses (ErrNotFaithful) if anything differs from d. The result
// depends on d, the clock and the random source alone. It does no input or output but reading Random.
func Compose(d Draft, o Options) (*Message, error) { return nil, errors.New("compose: not built yet") }
