package desk

import (
	"crypto/sha256"
	"errors"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

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
func Open(dir string, o Options) (*Desk, error) {
	if dir == "" || o.Lifetime < 0 || o.Lifetime > MaxLifetime {
		return nil, ErrOptions
	}
	if o.Lifetime == 0 {
		o.Lifetime = DefaultLifetime
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.step == nil {
		o.step = func(string) {}
	}
	return &Desk{dir: dir, opts: o, core: core{turned: make(chan struct{})}}, nil
}

// Lifetime is how long a message waits.
func (d *Desk) Lifetime() time.Duration { return d.opts.Lifetime }

// Close closes the desk. What waits goes on waiting. Calling it again does nothing.
func (d *Desk) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil
	}
	d.closed = true
	if d.db == nil {
		return nil
	}
	return d.db.Close()
}

// check refuses what cannot be put down.
func (e Entry) check() error {
	switch {
	case e.Binding.Principal == "" || e.Binding.Tool == "" || e.Binding.Digest == [32]byte{} || e.Identity == [32]byte{}:
		return ErrEntry
	case len(e.Octets) == 0 || len(e.Octets) > maxMessageOctets || len(e.ForwardPaths) == 0:
		return ErrEntry
	case e.Text == "" || len(e.Text) > maxTextOctets || !showable(e.Text):
		return ErrEntry
	case e.Level > confirm.LevelNormal && len(e.Typed) == 0:
		return ErrEntry
	}
	return nil
}

// showable says whether a terminal shows the text as it is and does nothing else: lines of printing characters.
func showable(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) })
}

// digest is what an answer is bound to: everything that the person is shown and everything that leaves.
func (m *Message) digest() [32]byte {
	octets := sha256.Sum256(m.Octets)
	d := confirm.NewDigest().AddText("principal", m.Binding.Principal).AddText("tool", m.Binding.Tool).Add("binding", m.Binding.Digest[:]).
		Add("identity", m.Identity[:]).AddText("message-id", m.MessageID).AddText("reverse-path", m.ReversePath).
		AddList("forward-paths", m.ForwardPaths).Add("octets", octets[:]).AddText("text", m.Text).
		AddText("level", strconv.Itoa(int(m.Level))).AddText("created", strconv.FormatInt(m.CreatedAt.UnixMicro(), 10)).
		AddText("expires", strconv.FormatInt(m.Expires.UnixMicro(), 10))
	for _, r := range m.Typed {
		d.AddList("typed", []string{r.Address, r.ASCII})
	}
	return d.Sum()
}
