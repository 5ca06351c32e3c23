package outbox

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"time"
)

// Defaults and limits. A zero field of Options means the default.
const (
	DefaultReplayWindow = 15 * time.Minute
	DefaultMaxPerHour   = 20
	DefaultLockAfter    = 2
	DefaultReservation  = 10 * time.Minute    // Limit: twice the life of an approval, so a slow answer is still in time
	DefaultRetention    = 30 * 24 * time.Hour // settled attempts; octets of unknown ones

	capWindow           = time.Hour
	maxMessageIDOctets  = 998      // RFC 5322 §2.1.1: a line
	maxSubjectOctets    = 2000     // more than any question shows
	maxRecipients       = 1000     // far above what policy lets through
	maxRecipientOctets  = 320      // RFC 5321 §4.5.3.1: 64 + "@" + 255
	maxMessageOctets    = 64 << 20 // far above the largest message any provider takes (35 MiB encoded)
	maxDetailOctets     = 200      // reply code and stage, not prose
	maxToolOctets       = 64
	maxListEntries      = 1000
	minReservationLease = time.Second
)

// Options configures an Outbox. The zero value is safe: 20 sends an hour, replay for 15 minutes, lock after two
// refusals until a person unlocks.
type Options struct {
	ReplayWindow time.Duration // an identical message accepted less than this ago is not sent again
	MaxPerHour   int           // slots in any 60 minutes; every question costs one, whatever its answer
	LockAfter    int           // refusals in a row that lock sending
	Cooling      time.Duration // after which a lock ends by itself; 0: only Unlock ends it
	Reservation  time.Duration // life of a reservation whose question is not answered
	Retention    time.Duration // how long settled attempts, and octets of unknown ones, are kept
	Clock        func() time.Time
	Random       io.Reader // 16 octets at the first use name this process; nil: crypto/rand

	step     func(string) // test hook: called with the name of each journal write, before and after its commit
	maxPages int          // test hook: PRAGMA max_page_count, a small disk
}

// State says where an attempt stands.
type State string

// States of an attempt. Reserved and sending are open; the rest are final, except that unknown can be settled.
const (
	StateReserved State = "reserved" // a person is being asked
	StateSending  State = "sending"  // written before any octet of the message may leave
	StateSent     State = "sent"     // the server accepted it
	StateFailed   State = "failed"   // it is certain that the server did not accept it
	StateUnknown  State = "unknown"  // it may or may not have been accepted
	StateDeclined State = "declined" // the person said no
	StateExpired  State = "expired"  // nobody answered, or the process that asked is gone
)

// Errors. The typed errors below match the sentinel of the same name with errors.Is.
var (
	ErrOptions      = errors.New("outbox: unusable options")
	ErrIntent       = errors.New("outbox: unusable intent")
	ErrClosed       = errors.New("outbox: closed")
	ErrNoDirectory  = errors.New("outbox: state directory is missing and cannot be created")
	ErrNotPrivate   = errors.New("outbox: state directory or journal is open to other users")
	ErrReadOnly     = errors.New("outbox: state directory or journal cannot be written")
	ErrFull         = errors.New("outbox: no space left for the journal")
	ErrCorrupt      = errors.New("outbox: journal is damaged or is not a journal")
	ErrNewerSchema  = errors.New("outbox: journal was written by a newer version")
	ErrBusy         = errors.New("outbox: journal is locked by another process for too long")
	ErrJournal      = errors.New("outbox: journal failed")
	ErrInProgress   = errors.New("outbox: identical message is in progress")
	ErrCapReached   = errors.New("outbox: hourly cap reached")
	ErrLocked       = errors.New("outbox: sending is locked")
	ErrReservation  = errors.New("outbox: reservation has expired or was released")
	ErrChanged      = errors.New("outbox: an identical message was sent or attempted since the question was asked")
	ErrNotFrozen    = errors.New("outbox: retry of an unknown attempt must carry its message id and octets")
	ErrTicketState  = errors.New("outbox: ticket is not in the state that this step needs")
	ErrNoAttempt    = errors.New("outbox: no such attempt")
	ErrNotUnknown   = errors.New("outbox: only an attempt with unknown outcome can be settled")
	ErrWrongOutcome = errors.New("outbox: an unknown attempt is settled as sent or as failed")
)

// InProgressError says that an identical message is being asked about or sent, here or in another process.
type InProgressError struct {
	ID    int64
	State State // StateReserved or StateSending
	Since time.Time
}

// CapError says that the hourly cap is reached. FreesAt is when the next slot frees by this machine's clock.
type CapError struct {
	Max     int
	FreesAt time.Time
}

// LockedError says that sending is locked. Until is zero if only Unlock ends it.
type LockedError struct {
	Since  time.Time
	Until  time.Time
	Reason string // fixed words, never from a caller
}

func (e *InProgressError) Error() string {
	return fmt.Sprintf("%v: attempt %d is %s", ErrInProgress, e.ID, e.State)
}
func (e *CapError) Error() string {
	return fmt.Sprintf("%v: %d an hour, next slot at %s", ErrCapReached, e.Max, e.FreesAt.UTC().Format(time.RFC3339))
}
func (e *LockedError) Error() string {
	return fmt.Sprintf("%v since %s: %s", ErrLocked, e.Since.UTC().Format(time.RFC3339), e.Reason)
}

// Is reports whether target is ErrInProgress.
func (e *InProgressError) Is(target error) bool { return target == ErrInProgress }

// Is reports whether target is ErrCapReached.
func (e *CapError) Is(target error) bool { return target == ErrCapReached }

// Is reports whether target is ErrLocked.
func (e *LockedError) Is(target error) bool { return target == ErrLocked }

// Intent is a message somebody wants sent. Identity is the SHA-256 of everything but Date, Message-ID and tool, so the
// same message proposed again, by whatever tool, is recognised. Subject (at most 2,000 octets are kept) and Recipients
// (addr-specs, Bcc too; at most 1,000) are for the person's list and are forgotten when the attempt is settled.
type Intent struct {
	Identity   [32]byte
	Tool       string
	Subject    string
	Recipients []string
}

// Frozen is what is about to leave: the Message-ID without angle brackets and the octets that were approved.
type Frozen struct {
	MessageID string
	Octets    []byte
	// AnnouncesDot promises that Ticket.Dot is called before the final dot leaves. Until then an attempt whose process ended
	// is taken for failed; without the promise for unknown.
	AnnouncesDot bool
}

// Replay answers a message that the server accepted within the replay window: nothing is asked, sent or counted.
type Replay struct {
	ID         int64
	MessageID  string
	AcceptedAt time.Time
	Settled    bool // a person said that it was sent; the server's reply was not seen
}

// Earlier describes attempts of the same message whose outcome is unknown. The question must name them, and the retry
// must carry MessageID and, where they are still kept, Octets, so that a receiver can drop the duplicate.
type Earlier struct {
	MessageID string
	At        time.Time // when the latest of them was started
	Attempts  int       // how many, at least 1
	Octets    []byte    // frozen octets of the first attempt; nil after the retention
}

// Attempt is a row of the journal for a person. Subject and Recipients are empty once the attempt is settled; the
// count and the domain of the first recipient stay. All strings may come from a caller: make them safe before showing.
type Attempt struct {
	ID              int64
	State           State
	Tool            string
	MessageID       string // "" before sending
	Subject         string
	Recipients      []string
	RecipientsCount int
	FirstDomain     string
	CreatedAt       time.Time
	UpdatedAt       time.Time
	AcceptedAt      time.Time // zero unless StateSent
	Detail          string
	SettledByPerson bool
	ResolvedBy      int64 // for StateUnknown: the later attempt that was accepted, or 0
	HasOctets       bool
	Size            int64 // octets of the message, 0 before sending
}

// Usage is what of the hour is used.
type Usage struct {
	Max, Used int
	FreesAt   time.Time // when the oldest used slot frees; zero if none is used
	Lock      *LockedError
}

// Outbox is the journal. It is safe for concurrent use, and several processes may use one directory.
type Outbox struct {
	dir  string
	opts Options
	core
}

// Open prepares the journal in dir. It touches no file: the database is opened at the first use, so a process that
// never sends pays nothing; call Ready to find a problem early. Errors: ErrOptions. The caller closes the Outbox.
func Open(dir string, o Options) (*Outbox, error) {
	if dir == "" || o.ReplayWindow < 0 || o.MaxPerHour < 0 || o.LockAfter < 0 || o.Cooling < 0 || o.Retention < 0 {
		return nil, fmt.Errorf("%w: empty directory or negative limit", ErrOptions)
	}
	if o.Reservation != 0 && o.Reservation < minReservationLease {
		return nil, fmt.Errorf("%w: reservation under %v", ErrOptions, minReservationLease)
	}
	return &Outbox{dir: dir, opts: withDefaults(o)}, nil
}

func withDefaults(o Options) Options {
	o.ReplayWindow = orDefault(o.ReplayWindow, DefaultReplayWindow)
	o.MaxPerHour = orDefault(o.MaxPerHour, DefaultMaxPerHour)
	o.LockAfter = orDefault(o.LockAfter, DefaultLockAfter)
	o.Reservation = orDefault(o.Reservation, DefaultReservation)
	o.Retention = max(orDefault(o.Retention, DefaultRetention), o.ReplayWindow, capWindow)
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Random == nil {
		o.Random = rand.Reader
	}
	if o.step == nil {
		o.step = func(string) {}
	}
	return o
}

func orDefault[T int | time.Duration](v, def T) T {
	if v == 0 {
		return def
	}
	return v
}
