package compose

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"reflect"
	"time"

	"mailgap/shared/addr"
)

const (
	defaultMaxBytes   = 25 << 20 // Limit: what large providers accept, base64 included
	randomOctets      = 16       // 128 bits: not to be guessed, not to be met twice
	maxLineOctets     = 998      // RFC 5322 §2.1.1, without CRLF
	maxFieldLine      = 76       // RFC 2047 §2 for lines that hold encoded-words
	maxSubjectOctets  = 4096     // Limit: a thousand characters of any script; the policy is stricter
	maxNameOctets     = 255      // Limit: the longest file name of common file systems
	maxPersonOctets   = 256      // Limit: a configured display name
	maxMessageIDBytes = 512      // Limit: twice the longest ids seen
	maxRecipients     = 1000     // Limit: the policy is stricter
	maxAttachments    = 100      // Limit: the policy is stricter; also of inline images
)

// Draft is a message as proposed, after policy. It is not changed by Compose.
type Draft struct {
	From        addr.Address // the configured identity, with its optional display name
	To, Cc      []addr.Address
	Bcc         []addr.Address // envelope only
	Subject     string         // final; see ReplySubject and ForwardSubject
	Text        string         // the caller's words; LF or CRLF line ends
	HTML        string         // a whole document, cleaned, with quote and signature in it; "" if there is none
	Quote       *Quote         // quoted original below the text, or nil
	Signature   string         // configured; below a "-- " line at the end (RFC 3676 §4.3)
	InReplyTo   string         // parent's Message-ID without angle brackets, or ""
	References  []string       // whole chain, parent last; see Threading
	Inline      []InlineImage  // images that the HTML shows; none without HTML
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

// InlineImage is an image that the HTML of the same message shows, as src="cid:" and its ContentID.
type InlineImage struct {
	Attachment        // image/png, image/jpeg, image/gif or image/webp
	ContentID  string // of NewContentID; each once, and the HTML refers to it
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
	Identity      [32]byte // see Facts.Identity
	NeedsSMTPUTF8 bool     // an address is not ASCII (RFC 6531)
	Has8Bit       bool     // octets above 127 anywhere, so 8BITMIME is needed
	Facts         Facts    // Octets parsed back
}

// Errors of Compose and ReadBack.
var (
	ErrNotFaithful = errors.New("compose: the composed message does not read back as it was written")
	ErrHeaderValue = errors.New("compose: value that a header field cannot hold")
	ErrSender      = errors.New("compose: sender is missing or malformed")
	ErrRecipient   = errors.New("compose: recipient is malformed")
	ErrNoRecipient = errors.New("compose: no recipient")
	ErrMessageID   = errors.New("compose: malformed message id")
	ErrText        = errors.New("compose: text is not valid UTF-8 or holds NUL")
	ErrAttachment  = errors.New("compose: malformed attachment")
	ErrInline      = errors.New("compose: inline image of another type, without its own content id, or not shown by the HTML")
	ErrTooLarge    = errors.New("compose: message too large")
	ErrRandom      = errors.New("compose: random source or clock is missing or failed")
)

// Compose writes the message once, parses it back, and refuses (ErrNotFaithful) if anything differs from d. The result
// depends on d, the clock and the random source alone. It does no input or output but reading Random.
func Compose(d Draft, o Options) (*Message, error) {
	p, err := plan(d, o)
	if err != nil {
		return nil, err
	}
	octets, err := p.write(limitOf(o))
	if err != nil {
		return nil, err
	}
	facts, err := readBackAs(octets, p.want)
	if err != nil {
		return nil, err
	}
	return &Message{
		Octets: octets, MessageID: p.messageID, Envelope: envelope(d), SHA256: sha256.Sum256(octets),
		Identity: facts.Identity(d.Bcc), NeedsSMTPUTF8: p.needsUTF8(), Has8Bit: has8Bit(octets), Facts: facts,
	}, nil
}

// readBackAs is ReadBack for a message that must say exactly what was wanted.
func readBackAs(octets []byte, want Facts) (Facts, error) {
	facts, err := ReadBack(octets)
	if err != nil {
		return Facts{}, err
	}
	if !reflect.DeepEqual(facts, want) {
		return Facts{}, notFaithful(differingField(facts, want))
	}
	return facts, nil
}

func limitOf(o Options) int {
	if o.MaxBytes > 0 {
		return o.MaxBytes
	}
	return defaultMaxBytes
}

func envelope(d Draft) Envelope {
	e, seen := Envelope{ReversePath: d.From.AddrSpec()}, map[string]bool{}
	for _, list := range [][]addr.Address{d.To, d.Cc, d.Bcc} {
		for _, a := range list {
			if !seen[a.Key()] {
				seen[a.Key()] = true
				e.ForwardPaths = append(e.ForwardPaths, a.AddrSpec())
			}
		}
	}
	return e
}

// newMessageID: 128 random bits at the sender's domain. Security: a host name would tell about the machine, and a guessable
// id lets others forge a thread.
func newMessageID(random io.Reader, domain string) (string, error) {
	word, err := randomWord(random)
	return word + "@" + domain, err
}

func randomWord(random io.Reader) (string, error) {
	var b [randomOctets]byte
	if random == nil {
		return "", ErrRandom
	}
	if _, err := io.ReadFull(random, b[:]); err != nil {
		return "", fmt.Errorf("%w: %v", ErrRandom, err)
	}
	return hex.EncodeToString(b[:]), nil
}

func has8Bit(b []byte) bool {
	for _, c := range b {
		if c >= 0x80 {
			return true
		}
	}
	return false
}
