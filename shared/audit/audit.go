package audit

import (
	"errors"
	"time"
)

// Defaults and limits. A zero field of Options means the default.
const (
	DefaultMaxFileBytes = 10 << 20 // a few ten thousand records
	DefaultKeepFiles    = 20       // rotated files, besides the one written to

	minFileBytes       = 4 << 10
	maxLineOctets      = 128 << 10 // Limit: above the longest line that Append writes (each octet may become six)
	maxWordOctets      = 64
	maxTextOctets      = 256
	maxAddressOctets   = 320 // RFC 5321 §4.5.3.1: 64 + "@" + 255
	maxMessageIDOctets = 998 // RFC 5322 §2.1.1
	maxRecipients      = 40
)

// Outcome says what happened.
type Outcome string

// Outcomes a caller records.
const (
	OutcomeSent         Outcome = "sent"          // the server accepted the message
	OutcomeReplayed     Outcome = "replayed"      // identical and accepted before: not sent again
	OutcomeRefused      Outcome = "refused"       // policy, cap or composition said no before anybody was asked
	OutcomeDeclined     Outcome = "declined"      // a person said no, or nobody answered
	OutcomeTokenRefused Outcome = "token_refused" // a confirmation token was wrong, used or too old
	OutcomeUnknown      Outcome = "unknown"       // the server's answer was not seen
	OutcomeLocked       Outcome = "locked"        // sending was or became locked
	OutcomeFailed       Outcome = "failed"        // the server certainly did not accept the message
	OutcomeRaised       Outcome = "raised"        // a question is put at a higher level, or refused for it; Detail names the findings
	OutcomeStarted      Outcome = "started"       // a process opened the log
	OutcomeConfig       Outcome = "config"        // the gate, the limits, the confirmation path in force
	OutcomeSending      Outcome = "sending"       // octets may leave from now on
	OutcomeUnlocked     Outcome = "unlocked"      // a person ended a lock
	OutcomeSettled      Outcome = "settled"       // a person settled an unknown attempt
	OutcomeAnswered     Outcome = "answered"      // a person answered outside of the client; Code says what

	outcomeRotated  Outcome = "rotated"  // first line of every file but the first
	outcomeRepaired Outcome = "repaired" // a line that a crash cut short was found and closed
)

// Errors.
var (
	ErrOptions    = errors.New("audit: unusable options")
	ErrRecord     = errors.New("audit: unusable record")
	ErrUnwritable = errors.New("audit: log cannot be written")
	ErrNotPrivate = errors.New("audit: log is open to other users or is not a regular file")
	ErrDamaged    = errors.New("audit: end of the log is not what this program writes")
	ErrUnreadable = errors.New("audit: log cannot be read")
	ErrClosed     = errors.New("audit: closed")
)

// Options configures a Log. The zero value is safe.
type Options struct {
	MaxFileBytes int64 // a file is rotated before it would grow beyond this; at least 4 KiB
	KeepFiles    int   // rotated files kept; older ones are deleted, and the log says so
	Clock        func() time.Time
}

// Record is one entry. There is deliberately no field for a body, and no field that takes anything of any length: each
// string is cut at its limit (words 64, addresses 320, Message-ID 998, other text 256 octets), a list at 40 entries
// with RecipientsCount telling the whole. Characters that a terminal would not show are written as \u escapes.
type Record struct {
	Outcome         Outcome
	Tool            string
	Principal       string
	MessageID       string
	Digest          string // SHA-256 of the octets, hexadecimal
	From            string
	Recipients      []string
	RecipientsCount int // 0: len(Recipients)
	Subject         string
	Approval        string // how it was approved: "elicitation", "token", "" ...
	Code            string // enumerated refusal code, or reply code with enhanced code
	Detail          string // own words, numbers; never a body, never a secret
	Attempt         int64  // number in the outbox
	Size            int64  // octets of the message
}

// Entry is a record as it stands in the log.
type Entry struct {
	Record
	Seq  uint64
	Time time.Time
	File string // base name
	Line int    // 1-based
}

// Filter selects entries. Zero fields select everything.
type Filter struct {
	Since, Until time.Time // Since inclusive, Until exclusive
	Outcomes     []Outcome
	MessageID    string
	Recipient    string // exact addr-spec, or "@domain", without regard to case
	Last         int    // the newest n that match; 0: 1,000
}

// Report is what Verify found.
type Report struct {
	Files    int
	Records  uint64
	FirstSeq uint64 // greater than 1: older files were deleted by rotation
	LastSeq  uint64
	LastHash string // SHA-256 of the last line, hexadecimal: keep it elsewhere to detect a later cut
	Repairs  int    // lines cut short by a crash, recorded as such
	Torn     bool   // the last line is cut short; the next Append records that
	Anchored bool   // a head file agrees with the log
	Problems []Problem
}

// Problem is one break of the chain.
type Problem struct {
	File string
	Line int // 1-based; 0: the file as a whole
	Seq  uint64
	What string // fixed words
}

// OK reports whether nothing is wrong.
func (r Report) OK() bool { return len(r.Problems) == 0 }
