package submit

import "time"

// State is what became of a message.
type State string

// The states. There is no fourth: what is neither sent nor failed is unknown.
const (
	StateSent    State = "sent"    // a 2yz reply to the final dot: the server has taken responsibility (RFC 5321 §4.2.5)
	StateFailed  State = "failed"  // certainly not accepted: the final dot never left, or a 4yz or 5yz reply came to it
	StateUnknown State = "unknown" // the final dot may have left and no valid reply came: the server may have the message
)

// Stage names where a submission ended.
type Stage string

// The stages, in their order.
const (
	StageCheck      Stage = "check"   // before any connection: content, addresses, configuration
	StageConnect    Stage = "connect" // name, TCP
	StageTLS        Stage = "tls"
	StageGreeting   Stage = "greeting"
	StageEHLO       Stage = "ehlo"
	StageLogin      Stage = "login"
	StageExtensions Stage = "extensions" // the server lacks something that the message needs
	StageMail       Stage = "mail"
	StageRcpt       Stage = "rcpt"
	StageData       Stage = "data"       // the DATA command
	StageBody       Stage = "body"       // while the content was sent
	StageBeforeDot  Stage = "before-dot" // Hooks.BeforeDot refused
	StageDot        Stage = "dot"        // the final dot and its reply
)

// Reply is one reply of the server. TextRaw is its own words: untrusted, lines separated by LF, at most 2 KiB.
type Reply struct {
	Code     int    // 0 means that there was none
	Enhanced string // "5.7.1" (RFC 3463), "" if the server gave none
	TextRaw  string
}

// Permanent reports a 5yz reply, Transient a 4yz reply, Positive a 2yz reply (RFC 5321 §4.2.1).
func (r Reply) Permanent() bool { return r.Code/100 == 5 }

// Transient reports a 4yz reply.
func (r Reply) Transient() bool { return r.Code/100 == 4 }

// Positive reports a 2yz reply.
func (r Reply) Positive() bool { return r.Code/100 == 2 }

// Recipient is the reply to one RCPT.
type Recipient struct {
	ForwardPath string
	Asked       bool // RCPT was sent
	Accepted    bool // a 2yz reply came; says nothing about the message
	Reply       Reply
}

// Outcome is the truth about one Send, as far as it can be known.
type Outcome struct {
	State      State
	Stage      Stage       // where it ended; StageDot for StateSent
	Reply      Reply       // the reply that decided, if one did
	Recipients []Recipient // one per forward path, in order; nil if RCPT was not reached
	QueueIDRaw string      // the server's name for the message, guessed from its reply: untrusted, "" if none was seen
	DotSent    bool        // the final dot may have left; false proves that the message was not accepted
	DataOctets int64       // content octets that left, without dot-stuffing
	DataSHA256 [32]byte    // of the content as it left, without dot-stuffing; set once DotSent is
	Took       time.Duration
}
