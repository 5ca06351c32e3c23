package submit

import (
	"context"
	"errors"
	"time"
)

var errNotBuilt = errors.New("submit: not built yet")

// Envelope is the SMTP envelope (RFC 5321 §2.3.1): bare addresses without angle brackets, domains as A-labels.
type Envelope struct {
	ReversePath  string
	ForwardPaths []string // at least one, no duplicates; 100 at most (RFC 5321 §4.5.3.1.8)
}

// Hooks are called by Send. Nil fields are left out.
type Hooks struct {
	// BeforeDot is called once, after the whole content has left and before the write with the final dot. An error
	// closes the connection: the message is not sent. It may block; a cancelled ctx is looked at again after it.
	BeforeDot func() error
}

// Client submits messages, each over a connection of its own. It is safe for concurrent use.
type Client struct{ cfg Config }

// New checks cfg. It opens nothing. Errors: ErrBadConfig, ErrPlaintext.
func New(cfg Config) (*Client, error) { return &Client{cfg: cfg}, nil }

// Send submits octets (CRLF line ends, no dot-stuffing) once and never repeats it. The error is nil exactly if the state is
// StateSent; Outcome is valid in any case. Ending ctx before the final dot closes the connection (StateFailed); after it
// ctx is ignored and the reply is awaited for FinalTimeout.
//
// Every recipient is tried; if one is refused the transaction ends before DATA with a *RecipientsError. Other errors:
// ErrContent, ErrEnvelope, *DialError, *TLSError, *AuthError, *LoginPausedError, *ExtensionError, *ReplyError, ErrBeforeDot,
// ErrUnknown, ErrTimeout, ErrConnLost, ErrLimited, the context's error. Explain turns any of them into advice.
func (c *Client) Send(ctx context.Context, env Envelope, octets []byte, h Hooks) (Outcome, error) {
	return Outcome{State: StateFailed, Stage: StageCheck}, errNotBuilt
}

// Info is what Probe learned. Fields ending in Raw are the server's own words: untrusted.
type Info struct {
	Host         string
	Port         int
	GreetingRaw  string
	TLS          bool
	TLSVersion   string
	Fingerprint  string     // SHA-256 of the server's certificate, lower-case hex
	Auth         AuthMethod // the method used, "" if nobody logged in
	ExtensionRaw []string   // EHLO keywords with parameters, upper-case keywords, sorted
	MaxOctets    int64      // SIZE (RFC 1870); 0 means no limit was declared
	Has8BitMIME  bool
	HasSMTPUTF8  bool
	Took         time.Duration
}

// Probe connects, logs in and says goodbye. No MAIL command is sent.
func (c *Client) Probe(ctx context.Context) (Info, error) { return Info{}, errNotBuilt }

// StepName names a step of Diagnose.
type StepName string

// The steps of Diagnose, in their order.
const (
	StepConfig     StepName = "configuration"
	StepDNS        StepName = "dns"
	StepTCP        StepName = "tcp"
	StepTLS        StepName = "tls"
	StepGreeting   StepName = "greeting"
	StepExtensions StepName = "extensions"
	StepLogin      StepName = "login"
	StepQuit       StepName = "quit"
)

// Step is one finding of Diagnose. Detail may quote the server: untrusted. Hint is in our own words and says what to
// change; it may follow a step that is OK.
type Step struct {
	Name   StepName
	OK     bool
	Detail string
	Hint   string
}

// Diagnose connects step by step, reports each and stops at the first that fails. It returns whether all were fine. It
// tries one login, whatever happened before. No MAIL command is sent.
func Diagnose(ctx context.Context, cfg Config, report func(Step)) bool { return false }

// Explain turns an error of Send or Probe into an enumerated reason and advice in our own words. host is the configured
// server, for what is known about providers; it may be "". Neither result quotes the server.
func Explain(host string, err error) (Reason, string) { return ReasonOther, "" }

// Reason is an enumerated explanation.
type Reason string

// ReasonOther is everything without a word of its own.
const ReasonOther Reason = "other"
