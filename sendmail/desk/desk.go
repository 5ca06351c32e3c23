package desk

import (
	"context"
	"errors"
	"time"

	"mailgap/confirm"
)

// Limits and defaults.
const (
	DefaultLifetime = 10 * time.Minute
	MaxLifetime     = time.Hour // Limit: what was true when the question was put should still be true

	maxPending       = 64       // Limit: above the hourly cap of any sensible configuration
	maxMessageOctets = 64 << 20 // as package outbox
	maxTextOctets    = 4 << 20  // Limit: a question is some 60 kB at most, more with a hundred recipients
	keepEnded        = 24 * time.Hour
)

// Errors.
var (
	ErrClosed     = errors.New("desk: closed")
	ErrOptions    = errors.New("desk: unusable options")
	ErrEntry      = errors.New("desk: unusable entry")
	ErrNone       = errors.New("desk: no such message waits")
	ErrEnded      = errors.New("desk: the message does not wait any more")
	ErrExpired    = errors.New("desk: the message waited too long")
	ErrAnswered   = errors.New("desk: the message was answered already")
	ErrUnanswered = errors.New("desk: the message is not answered yet")
	ErrChanged    = errors.New("desk: the message is not the one that was shown")
	ErrFull       = errors.New("desk: too many messages wait, or no space is left")
	ErrDamaged    = errors.New("desk: the file of waiting messages is damaged")
	ErrState      = errors.New("desk: the file of waiting messages cannot be used")
	ErrNotPrivate = errors.New("desk: state directory or file is open to other users")
)

// Options configure a Desk. The zero value is safe.
type Options struct {
	Lifetime time.Duration    // how long a message waits; 0: ten minutes; an hour at most
	Clock    func() time.Time // nil: time.Now

	step func(string) // test hook: called before and after each commit
}

// Entry is a message that is put down. All of it is frozen by that.
type Entry struct {
	Binding      confirm.Binding
	Identity     [32]byte // as in package outbox
	Attempt      int64    // reservation in the journal when it was put down
	MessageID    string
	ReversePath  string
	ForwardPaths []string
	Octets       []byte
	Level        confirm.Level
	Typed        []confirm.Recipient // whose domains are typed first; see confirm.Question.TypedDomains
	Text         string              // the question as rendered by package confirm
}

// Status says where a message stands.
type Status string

// The states.
const (
	StatusWaiting  Status = "waiting"  // nobody answered yet
	StatusAnswered Status = "answered" // and nobody took the answer yet
	StatusTaken    Status = "taken"
	StatusEnded    Status = "ended" // withdrawn: proposed anew, sent by other means
	StatusExpired  Status = "expired"
)

// Message is an entry with what became of it. Octets, ForwardPaths and Text are gone once it is taken, ended or expired.
type Message struct {
	Entry
	ID        int64
	Status    Status
	Shown     [32]byte // digest over all of Entry, ID and the times
	CreatedAt time.Time
	Expires   time.Time
	Reason    confirm.Reason   // of the answer; "" without one
	Path      confirm.PathName // of the answer
}

// Desk is the messages that wait in one state directory. It is safe for concurrent use, and several processes may use one
// directory.
type Desk struct {
	dir  string
	opts Options
	core
}

// Open prepares the desk in dir. It touches no file until the first use. Errors: ErrOptions. The caller closes the Desk.
func Open(dir string, o Options) (*Desk, error) { return nil, ErrState }

// Put puts a message down. It is on the disk when Put returns. Errors: ErrEntry, ErrFull, or the file's.
func (d *Desk) Put(ctx context.Context, e Entry) (Message, error) { return Message{}, ErrState }

// Find returns the newest message that waits, or whose answer was not taken, under b. ErrNone if there is none.
func (d *Desk) Find(ctx context.Context, b confirm.Binding) (Message, error) {
	return Message{}, ErrState
}

// Show returns a message for a person to look at. Errors: ErrNone, ErrDamaged if its content does not fit its digest.
func (d *Desk) Show(ctx context.Context, id int64) (Message, error) { return Message{}, ErrState }

// List returns what waits, oldest first, without octets.
func (d *Desk) List(ctx context.Context) ([]Message, error) { return nil, ErrState }

// Answer writes a person's answer to the message that was shown, if it is the first. Errors: ErrNone, ErrChanged, ErrAnswered,
// ErrExpired, ErrEnded.
func (d *Desk) Answer(ctx context.Context, id int64, shown [32]byte, a confirm.Answer) error {
	return ErrState
}

// Wait returns when the message has an answer or waits no longer, or ctx ends. It does not take the answer.
func (d *Desk) Wait(ctx context.Context, id int64) (Message, error) { return Message{}, ErrState }

// Take returns the answer, once, and ends the message. Errors: ErrUnanswered, ErrChanged, ErrEnded (also: taken before), ErrExpired.
func (d *Desk) Take(ctx context.Context, id int64, shown [32]byte) (confirm.Record, error) {
	return confirm.Record{}, ErrState
}

// End withdraws a message that waits, and wipes it. It is no error if it is over already.
func (d *Desk) End(ctx context.Context, id int64) error { return ErrState }
