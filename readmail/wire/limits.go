package wire

import "time"

// Limits that are the same for everyone.
const (
	maxCommandOctets    = 1 << 20  // one command of the client, literals included
	maxTextOctets       = 1 << 10  // response text kept for BYE, ALERT, ServerError
	maxAlerts           = 16       // ALERT texts kept per connection
	maxKeptRepairs      = 10_000   // repairs waiting for TakeRepairs; later ones are counted only
	maxMailboxAliases   = 10_000   // mailbox names whose original octets are remembered
	maxStringOctets     = 64 << 10 // one string of an ENVELOPE or BODYSTRUCTURE; longer is cut
	maxGreetingOctets   = 8 << 10  // one plaintext line before STARTTLS
	maxJoinedLines      = 16       // raw line breaks tolerated inside one quoted string
	maxThreadDepth      = 100      // THREAD nesting passed on; deeper siblings are flattened
	outHighWaterOctets  = 256 << 10
	readChunkOctets     = 16 << 10
	keepBufferOctets    = 256 << 10 // buffers larger than this are given back after use
	literalSlackOctets  = 1 << 10   // beyond the octets of a partial fetch
	numberOctets        = 11        // longest number in a SEARCH line, with its space
	maxPlaceholderParts = 1000      // unknown parts invented for one message
)

// Limits bounds what one connection may cost. A zero field means the default.
type Limits struct {
	// LineOctets bounds a response outside its literals. Default 1 MiB. Longer: that response is skipped (a FETCH
	// keeps its UID and is reported Unstructured); beyond SkipOctets the connection closes with ErrLimit.
	LineOctets int
	// LiteralOctets bounds one literal that no partial FETCH asked for. Default 1 MiB. Longer: cut and reported.
	LiteralOctets int
	// PartialOctets bounds one literal whatever was asked for (BODY.PEEK[1]<0.n> gives n plus slack). Default 8 MiB.
	PartialOctets int
	// SkipOctets is how much of an oversized line or literal is read and thrown away before the connection closes.
	// Default 8 MiB.
	SkipOctets int
	// Depth of parentheses passed on. Default 100.
	Depth int
	// Items is the number of values in one response. Default 200,000.
	Items int
	// CommandOctets bounds everything received for one command. Default 64 MiB. Beyond: ErrLimit, closed.
	CommandOctets int64
	// Untagged bounds the untagged responses for one command. Default 200,000. Beyond: ErrLimit, closed.
	Untagged int
	// Numbers bounds the message numbers of one SEARCH, ESEARCH, SORT or THREAD. Default 4,000,000. Beyond: that
	// command ends with NO.
	Numbers int

	// GreetingTimeout: from New to the greeting. Default 30 s.
	GreetingTimeout time.Duration
	// FirstTimeout: from the command to the first octet that comes back. Default 60 s (full-text search takes long).
	FirstTimeout time.Duration
	// NextTimeout: silence after the first octet. Default 30 s.
	NextTimeout time.Duration
	// CommandTimeout: one command in all, time spent waiting for our own caller not counted. Default 10 min
	// (20 MB at 0.5 Mbit/s take 5 min 20 s).
	CommandTimeout time.Duration
	// IdleTimeout: silence during IDLE after which the socket is taken for dead. Default 29 min (RFC 2177 §3:
	// clients restart IDLE at least every 29 minutes; go-imap's client does after 28).
	IdleTimeout time.Duration
	// WriteTimeout: one write. Default 30 s.
	WriteTimeout time.Duration
}

func (l Limits) withDefaults() Limits {
	def(&l.LineOctets, 1<<20)
	def(&l.LiteralOctets, 1<<20)
	def(&l.PartialOctets, 8<<20)
	def(&l.SkipOctets, 8<<20)
	def(&l.Depth, 100)
	def(&l.Items, 200_000)
	def(&l.CommandOctets, 64<<20)
	def(&l.Untagged, 200_000)
	def(&l.Numbers, 4_000_000)
	def(&l.GreetingTimeout, 30*time.Second)
	def(&l.FirstTimeout, time.Minute)
	def(&l.NextTimeout, 30*time.Second)
	def(&l.CommandTimeout, 10*time.Minute)
	def(&l.IdleTimeout, 29*time.Minute)
	def(&l.WriteTimeout, 30*time.Second)
	return l
}

func def[T comparable](p *T, v T) {
	var zero T
	if *p == zero {
		*p = v
	}
}
