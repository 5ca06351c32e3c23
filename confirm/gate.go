package confirm

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

const (
	handleOctets   = 32              // 256 random bits: cannot be guessed
	tokenOctets    = 16              // 128 random bits, 32 hexadecimal digits: short enough for a model to copy
	maxLifetime    = 5 * time.Minute // a person reads a message within it; also what the question states
	maxPending     = 16              // messages kept at once; the oldest goes first
	maxOpen        = 1               // questions that a person has before them
	maxWrongTokens = 5               // then every token is worthless
	maxSpent       = 64              // remembered handles, so that a replay can be called one
)

// Binding is what an approval is good for. An approval counts only if all three are the same when it is redeemed.
type Binding struct {
	Principal string   // who called; see mcpserve.Call.Principal
	Tool      string   // the tool's name
	Digest    [32]byte // over every field of the message and every attachment; see Digest
}

// GateOptions configure a Gate. Now and Random are required.
type GateOptions struct {
	Now    func() time.Time
	Random io.Reader // crypto/rand.Reader outside tests
	// Lifetime of an approval; 0 means five minutes, which is also the most.
	Lifetime time.Duration
	// Settled, if not nil, is called once for each message that was opened, with how it ended. It is called without locks
	// held, from the goroutine that noticed, which for an expiry is a later caller. For audit and for counting refusals.
	Settled func(Binding, Reason)
}

// Gate keeps messages that wait for an approval, and gives each out at most once. T is the frozen message; the Gate holds it
// as it is, so what leaves is what was shown. Safe for concurrent use.
type Gate[T any] struct {
	o     GateOptions
	watch func(T, Reason)

	mu      sync.Mutex
	entries map[key]*entry[T]
	order   []key // oldest first
	spent   []spentKey
	wrong   int        // wrong tokens since the last right one
	outside *time.Time // end of a question that is open outside of the gate; nil if there is none
}

// key is the SHA-256 of a handle with its kind, so that a look-up takes no time that depends on the secret, and a dump of the
// table holds none.
type key [32]byte

// spentKey is a handle that is good for nothing any more, and why.
type spentKey struct {
	key    key
	reason Reason
}

type kind byte

const (
	kindQuestion kind = 'q'
	kindToken    kind = 't'
)

func keyOf(k kind, handle string) key { return sha256.Sum256(append([]byte{byte(k)}, handle...)) }

type entry[T any] struct {
	kind    kind
	binding Binding
	payload T
	expires time.Time
	waiting bool // a running call waits for the answer
}

// NewGate returns an empty Gate. It fails if o lacks a clock or a random source.
func NewGate[T any](o GateOptions) (*Gate[T], error) {
	if o.Now == nil || o.Random == nil {
		return nil, errors.New("confirm: a gate needs a clock and a random source")
	}
	if o.Lifetime <= 0 || o.Lifetime > maxLifetime {
		o.Lifetime = maxLifetime
	}
	return &Gate[T]{o: o, entries: map[key]*entry[T]{}}, nil
}

// Approval is a message that may leave, once. Only Gate makes one that is valid.
type Approval[T any] struct {
	payload T
	path    PathName
	valid   bool
}

// Payload returns the frozen message, and false if the approval is not valid (the zero value).
func (a Approval[T]) Payload() (T, bool) { return a.payload, a.valid }

// Path returns how it was approved. [PathToken] means: by no person.
func (a Approval[T]) Path() PathName { return a.path }

// ByPerson is false for the token path, which no person has seen.
func (a Approval[T]) ByPerson() bool {
	return a.valid && (a.path == PathElicitation || a.path == PathTerminal || a.path == PathPage)
}

// Open keeps payload until it is redeemed, and returns the handle. waiting says that the caller waits for the answer within
// this call (a Path, or a client of an old protocol revision) and will Redeem or Close it at the end.
//
// One question is open at a time: the next is refused at once with *QuestionOpenError. One exception: if no call waits
// for the open question, and the same message is proposed again under the same binding, that question is superseded,
// because a client that lost its dialog could not ask again for minutes otherwise. Other errors: ErrRandom.
func (g *Gate[T]) Open(b Binding, waiting bool, payload T) (handle string, err error) {
	g.mu.Lock()
	ended := g.sweep()
	wait, superseded := g.openQuestion(b)
	if wait > 0 {
		err = &QuestionOpenError{wait}
	} else {
		ended = append(ended, g.drop(superseded, Superseded)...)
		var evicted []settled[T]
		handle, evicted, err = g.add(&entry[T]{kindQuestion, b, payload, g.o.Now().Add(g.o.Lifetime), waiting}, handleOctets)
		ended = append(ended, evicted...)
	}
	g.mu.Unlock()
	g.report(ended)
	return handle, err
}

// openQuestion returns how long the open question can last, or the key of one that b may supersede.
func (g *Gate[T]) openQuestion(b Binding) (wait time.Duration, superseded []key) {
	open := 0
	if g.outside != nil && g.o.Now().Before(*g.outside) {
		open, wait = 1, g.outside.Sub(g.o.Now())
	}
	for k, e := range g.entries {
		switch {
		case e.kind != kindQuestion:
		case e.binding == b && !e.waiting:
			superseded = append(superseded, k)
		default:
			open++
			wait = max(wait, e.expires.Sub(g.o.Now()))
		}
	}
	if open < maxOpen {
		wait = 0
	}
	return wait, superseded
}

// settled is one entry that ended, to be reported.
type settled[T any] struct {
	binding Binding
	payload T
	reason  Reason
}

func (g *Gate[T]) report(ended []settled[T]) {
	for _, s := range ended {
		if g.o.Settled != nil {
			g.o.Settled(s.binding, s.reason)
		}
		if g.watch != nil {
			g.watch(s.payload, s.reason)
		}
	}
}

// Watch makes f hear of each message that ended, as GateOptions.Settled does, but by its payload: two messages of one
// binding can be told apart. Call it before the Gate is used, once.
func (g *Gate[T]) Watch(f func(T, Reason)) { g.watch = f }

// add stores e under a new secret of n octets.
func (g *Gate[T]) add(e *entry[T], n int) (handle string, ended []settled[T], err error) {
	secret := make([]byte, n)
	if _, err := io.ReadFull(g.o.Random, secret); err != nil {
		return "", nil, fmt.Errorf("%w: %v", ErrRandom, err)
	}
	handle = hex.EncodeToString(secret)
	k := keyOf(e.kind, handle)
	if g.entries[k] != nil { // a random source that repeats itself is broken
		return "", nil, ErrRandom
	}
	for len(g.order) >= maxPending {
		ended = append(ended, g.drop(g.order[:1], Superseded)...)
	}
	g.entries[k] = e
	g.order = append(g.order, k)
	return handle, ended, nil
}

// Expire drops what has expired, and reports it. Open and IssueToken do so too; call it for an expiry to be reported in time.
func (g *Gate[T]) Expire() {
	g.mu.Lock()
	ended := g.sweep()
	g.mu.Unlock()
	g.report(ended)
}

// sweep drops what has expired.
func (g *Gate[T]) sweep() []settled[T] {
	var old []key
	now := g.o.Now()
	for _, k := range g.order {
		if !now.Before(g.entries[k].expires) {
			old = append(old, k)
		}
	}
	return g.drop(old, Expired)
}

// drop removes entries and remembers that they are spent.
func (g *Gate[T]) drop(keys []key, r Reason) []settled[T] {
	var ended []settled[T]
	for _, k := range append([]key(nil), keys...) {
		e := g.entries[k]
		if e == nil {
			continue
		}
		delete(g.entries, k)
		for i := range g.order {
			if g.order[i] == k {
				g.order = append(g.order[:i:i], g.order[i+1:]...)
				break
			}
		}
		if g.spent = append(g.spent, spentKey{k, r}); len(g.spent) > maxSpent {
			g.spent = append([]spentKey(nil), g.spent[1:]...)
		}
		ended = append(ended, settled[T]{e.binding, e.payload, r})
	}
	return ended
}
