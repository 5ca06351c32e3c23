package wire

import "time"

// Limits that are the same for everyone.
const (
	maxReplyLineOctets = 1998     // Limit: go-smtp gives up at 2,000
	maxReplyLines      = 100      // Limit: EHLO replies of large providers have about 15
	maxReplyOctets     = 64 << 10 // Limit: one whole reply
	maxTextOctets      = 2 << 10  // kept of a reply's text
	maxCommandOctets   = 1024     // RFC 5321 §4.5.3.1.4 says 512; SMTPUTF8 and MAIL parameters need more
	maxAuthOctets      = 12288    // RFC 4954 §4: longest line of an AUTH exchange
	maxDataLineOctets  = 1001     // RFC 5321 §4.5.3.1.6: 1,000 with CRLF, one more for the stuffed dot
	flushOctets        = 16 << 10 // one write of content
	maxForwardPaths    = 100      // RFC 5321 §4.5.3.1.8
	maxPathOctets      = 254      // RFC 5321 §4.5.3.1.3: 256 with the angle brackets
)

// Limits are the deadlines of a connection. A zero field means the default.
type Limits struct {
	GreetingTimeout time.Duration // from New to the greeting. Default 2 min (RFC 5321 §4.5.3.2.1 says 5)
	ReplyTimeout    time.Duration // from a command to the end of its reply. Default 2 min
	WriteTimeout    time.Duration // one write of at most 16 KiB. Default 2 min (RFC 5321 §4.5.3.2.5 says 3)
	BodyTimeout     time.Duration // from the reply to DATA to the final dot. Default 30 min
	FinalTimeout    time.Duration // the reply to the final dot. Default 10 min (RFC 5321 §4.5.3.2.6)
	QuitTimeout     time.Duration // the replies to RSET and QUIT. Default 3 s
}

func (l Limits) withDefaults() Limits {
	def(&l.GreetingTimeout, 2*time.Minute)
	def(&l.ReplyTimeout, 2*time.Minute)
	def(&l.WriteTimeout, 2*time.Minute)
	def(&l.BodyTimeout, 30*time.Minute)
	def(&l.FinalTimeout, 10*time.Minute)
	def(&l.QuitTimeout, 3*time.Second)
	return l
}

func def(p *time.Duration, v time.Duration) {
	if *p == 0 {
		*p = v
	}
}
