package smtptest

import (
	"crypto/sha256"
	"slices"
	"sync"
)

// Message is one message that a server has accepted.
type Message struct {
	ReversePath  string
	ForwardPaths []string
	Octets       []byte // dot-stuffing removed
	SHA256       [32]byte
	SMTPUTF8     bool   // MAIL had the parameter
	Body         string // BODY parameter of MAIL, "" if none
	User         string // who had logged in
}

// Counts says what a server has seen.
type Counts struct {
	Connections  int
	Logins       int // AUTH exchanges begun
	Transactions int // MAIL commands
	Recipients   int // RCPT commands
	Data         int // DATA commands
	Messages     int // accepted messages
}

// store is what a server has seen.
type store struct {
	mu       sync.Mutex
	messages []Message
	counts   Counts
}

func (s *store) count(add func(*Counts)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	add(&s.counts)
}

func (s *store) add(m Message) {
	m.SHA256, m.ForwardPaths = sha256.Sum256(m.Octets), slices.Clone(m.ForwardPaths)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.messages = append(s.messages, m)
	s.counts.Messages++
}

// Messages returns the accepted messages, oldest first.
func (s *store) Messages() []Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.messages)
}

// Counts returns what was seen so far.
func (s *store) Counts() Counts {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counts
}
