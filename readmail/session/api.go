package session

import (
	"context"
	"errors"
)

var errUnfinished = errors.New("session: not built yet")

// Pool lends connections of one account. Use NewPool. All methods are safe for concurrent use.
type Pool struct{ cfg Config }

// NewPool checks cfg and returns a pool without connecting. Close it.
func NewPool(cfg Config) (*Pool, error) { return &Pool{cfg: cfg}, nil }

// Do lends a connection to fn and waits for one if all are busy. It prefers one that has mailbox examined ("" for no
// preference). fn must not keep the connection. If the connection dies while fn uses it, fn is run once more on a fresh
// one, so fn must be repeatable and return the errors of the Conn (wrapped is fine). If ctx ends, the connection is
// closed and replaced, and fn's calls return.
func (p *Pool) Do(ctx context.Context, mailbox string, fn func(ctx context.Context, c *Conn) error) error {
	return errUnfinished
}

// Idle watches a mailbox on a connection of its own until ctx ends or the connection is lost (ErrConnLost), and calls fn for
// every change, one at a time. Without IDLE on the server it polls. At most two may run at a time; more get ErrLimited.
func (p *Pool) Idle(ctx context.Context, mailbox string, fn func(Event)) error { return errUnfinished }

// Info returns what is known about the server, without asking it.
func (p *Pool) Info() Info { return Info{} }

// Stats returns the sum over all connections so far.
func (p *Pool) Stats() Stats { return Stats{} }

// Close ends all connections and makes Do and Idle return. It does not wait for the server.
func (p *Pool) Close() error { return nil }

// Conn is a logged-in connection. It is lent by Pool.Do and not safe for concurrent use.
type Conn struct{}

// HasCap reports whether the server offers a capability such as "ESEARCH", in any case.
func (c *Conn) HasCap(name string) bool { return false }

// Info returns what is known about the server.
func (c *Conn) Info() Info { return Info{} }

// Stats returns the counts of this connection.
func (c *Conn) Stats() Stats { return Stats{} }

// Noop asks the server for news and shows whether the connection lives.
func (c *Conn) Noop(ctx context.Context) error { return errUnfinished }

// List returns the mailboxes of the account, in one round trip if the server has LIST-STATUS or no counts are wanted, else
// two. A mailbox whose counts cannot be had has StatusErr set.
func (c *Conn) List(ctx context.Context, o ListOptions) ([]Mailbox, error) { return nil, errUnfinished }

// Status returns the counts of one mailbox. If it is the examined one, its state is refreshed instead, as RFC 9051
// §6.3.11 asks.
func (c *Conn) Status(ctx context.Context, mailbox string) (Status, error) {
	return Status{}, errUnfinished
}

// Examine opens a mailbox for reading by its Name or Raw name. If it is open already nothing is sent. Errors: ErrNoMailbox.
func (c *Conn) Examine(ctx context.Context, mailbox string) (State, error) {
	return State{}, errUnfinished
}

// Refresh opens a mailbox or, if it is open already, asks for news by NOOP. The state is up to date afterwards, except
// that UIDNext of an open mailbox is only a lower bound until Reexamine.
func (c *Conn) Refresh(ctx context.Context, mailbox string) (State, error) {
	return State{}, errUnfinished
}

// Reexamine opens a mailbox anew even if it is open already, so that every field of the state is current.
func (c *Conn) Reexamine(ctx context.Context, mailbox string) (State, error) {
	return State{}, errUnfinished
}

// ExamineFetch opens a mailbox and fetches from it in the same flight. If uidValidity is not 0 and differs from the
// server's, nothing is returned but ErrUIDValidityChanged.
func (c *Conn) ExamineFetch(ctx context.Context, mailbox string, uidValidity uint32, set Set, it Items) (State, []Message, error) {
	return State{}, nil, errUnfinished
}

// ExamineFetchNewest opens a mailbox and fetches the n messages with the highest sequence numbers (skip leaves out that
// many of the highest first), normally in one flight: the number of messages is guessed from earlier visits and a
// second flight corrects a wrong guess. Messages come in ascending sequence order. The order of UIDs and sequence numbers
// is the order of arrival in the mailbox, not of dates.
func (c *Conn) ExamineFetchNewest(ctx context.Context, mailbox string, n, skip int, it Items) (State, []Message, error) {
	return State{}, nil, errUnfinished
}

// Fetch fetches from the examined mailbox, in one round trip if all goes well. Messages come back in ascending UID order
// (sequence order for a SeqRange); those that do not exist are left out; those that the server fails on have
// TroubleUnreadable. Errors: ErrNotExamined.
func (c *Conn) Fetch(ctx context.Context, set Set, it Items) ([]Message, error) {
	return nil, errUnfinished
}

// Search finds messages in a mailbox, opening it in the same flight if need be. Errors: ErrNoMailbox, ErrBadString,
// ErrCharsetRefused, ErrBadCriteria, ErrUnsupported.
func (c *Conn) Search(ctx context.Context, mailbox string, q Criteria) (SearchResult, error) {
	return SearchResult{}, errUnfinished
}

// SearchMany searches several mailboxes in one flight. The error concerns the connection; each result has its own.
func (c *Conn) SearchMany(ctx context.Context, qs []MailboxCriteria) ([]MailboxResult, error) {
	return nil, errUnfinished
}

// SortNewest is Search with the UIDs in order of falling INTERNALDATE. Errors: those of Search, ErrUnsupported without SORT.
func (c *Conn) SortNewest(ctx context.Context, mailbox string, q Criteria) (SearchResult, error) {
	return SearchResult{}, errUnfinished
}

// Thread arranges the messages that match q into conversations (RFC 5256), by THREAD=REFS or THREAD=REFERENCES. Errors:
// those of Search, ErrUnsupported.
func (c *Conn) Thread(ctx context.Context, mailbox string, q Criteria) ([]ThreadNode, error) {
	return nil, errUnfinished
}

// GmailThreadIDs returns Gmail's conversation number of each message. Errors: ErrUnsupported without X-GM-EXT-1.
func (c *Conn) GmailThreadIDs(ctx context.Context, mailbox string, uids []UID) (map[UID]uint64, error) {
	return nil, errUnfinished
}

// GmailThread returns the messages of a Gmail conversation in a mailbox. Errors: ErrUnsupported without X-GM-EXT-1.
func (c *Conn) GmailThread(ctx context.Context, mailbox string, threadID uint64) (SearchResult, error) {
	return SearchResult{}, errUnfinished
}

// StepName names a step of Diagnose.
type StepName string

// The steps of Diagnose, in their order.
const (
	StepConfig       StepName = "configuration"
	StepDNS          StepName = "dns"
	StepTCP          StepName = "tcp"
	StepTLS          StepName = "tls"
	StepGreeting     StepName = "greeting"
	StepCapabilities StepName = "capabilities"
	StepLogin        StepName = "login"
	StepID           StepName = "id"
	StepMailboxes    StepName = "mailboxes"
	StepSearch       StepName = "search"
)

// Step is one finding of Diagnose. Detail may quote the server: untrusted. Hint is in our own words.
type Step struct {
	Name   StepName
	OK     bool
	Detail string
	Hint   string
}

// Diagnose connects step by step, reports each and stops at the first that fails. It returns whether all were fine. It
// tries one login and ignores pauses after earlier ones.
func Diagnose(ctx context.Context, cfg Config, report func(Step)) bool { return false }
