package compose

import (
	"errors"
	"time"

	"mailgap/shared/addr"
)

// Facts is everything in a composed message that a person is asked about, read from its octets. Bcc is not there: it is in
// the envelope only.
type Facts struct {
	From        addr.Address
	To, Cc      []addr.Address
	Subject     string
	Date        time.Time
	MessageID   string
	InReplyTo   string
	References  []string
	Text        string // LF line ends, the last line ended; quote and signature included
	HTML        string
	Attachments []AttachmentFacts
}

// AttachmentFacts describes one attachment as it leaves.
type AttachmentFacts struct {
	Name      string
	MediaType string
	Size      int64 // octets after decoding
	SHA256    [32]byte
}

// ReadBack parses a message of Compose with two parsers (go-message and the standard library) and compares what
// they say. Any difference, and anything Compose would not write (another header field, another structure, a bare CR or LF,
// a line over 998 octets), is ErrNotFaithful.
func ReadBack(octets []byte) (Facts, error) { return Facts{}, errors.New("compose: not built yet") }

// Identity is a SHA-256 over what a message says and to whom: sender, recipients sorted by kind, subject, text, html,
// attachments (name, type, digest), parent. It leaves out Date, Message-ID, boundaries and the tool used, so the same message
// proposed twice has one identity. bcc are the recipients that Facts does not hold.
func (f Facts) Identity(bcc []addr.Address) [32]byte { return [32]byte{} }
