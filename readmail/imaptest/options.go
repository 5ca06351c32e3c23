package imaptest

import (
	"time"

	"github.com/emersion/go-imap/v2"

	"mailgap/readmail/demo/memserver"
)

// User and Password are the credentials that both servers accept unless Options says otherwise.
const (
	User     = "reader@example.com"
	Password = "correct horse battery staple"
)

// Message is one message of a mailbox: octets, flags, internal date.
type Message = memserver.Message

// Mailbox is one mailbox with its first content. See memserver.Mailbox.
type Mailbox = memserver.Mailbox

// TLSMode says how a server protects its connections.
type TLSMode int

// The modes. In StartTLS mode nothing but CAPABILITY, NOOP, ID, LOGOUT and STARTTLS is answered before TLS.
const (
	PlainText TLSMode = iota
	ImplicitTLS
	StartTLS
)

// Options describes a recording server. The zero value is a plain-text server with an empty INBOX.
type Options struct {
	User, Password string     // empty: User and Password
	Mailboxes      []Mailbox  // an empty INBOX is added if none is given
	TLS            TLSMode    // PlainText if zero
	HideCaps       []imap.Cap // left out wherever capabilities are announced; the commands still work
	AddCaps        []imap.Cap // announced in addition; see Handle
	Compress       bool       // announce and do COMPRESS=DEFLATE (RFC 4978)

	// SASL adds mechanisms by name beside PLAIN. Each call starts one exchange.
	SASL map[string]memserver.Mechanism

	// Handle answers whole commands in place of the server, by verb in upper case ("UID SORT"). The reply is written as
	// it is after {tag} is replaced; an empty one passes the command on to the server. Called from connection goroutines.
	Handle map[string]func(Command) string

	// Rewrite sees each response line, literals included, before it is sent and returns what is sent instead: itself,
	// changed octets, several responses, or nothing at all. Called from connection goroutines. Nil changes nothing.
	Rewrite func(response []byte) []byte

	// Latency is the least time between the first command of a round trip and its tagged reply. It also makes
	// Stats.RoundTrips exact for clients that pipeline. In a synctest bubble it costs no time.
	Latency time.Duration

	AllowWrites bool // let changes happen; they are violations all the same
	Unchecked   bool // do not call CheckReadOnly when the test ends; for tests that break the rule on purpose
}

func (o Options) withDefaults() Options {
	if o.User == "" {
		o.User = User
	}
	if o.Password == "" {
		o.Password = Password
	}
	for _, b := range o.Mailboxes {
		if b.Name == "INBOX" {
			return o
		}
	}
	o.Mailboxes = append([]Mailbox{{Name: "INBOX"}}, o.Mailboxes...)
	return o
}
