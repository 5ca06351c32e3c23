package outbox

import (
	"context"
	"errors"
)

type core struct{}

// Ticket is one reservation. Exactly one of its ways is taken: Declined or Expired; or Sending and then Sent, Failed
// or Unknown. Not safe for concurrent use.
type Ticket struct{ Earlier *Earlier }

var errStub = errors.New("outbox: not built yet")

// Ready opens the journal if it is not open yet.
func (o *Outbox) Ready(ctx context.Context) error { return errStub }

// Close closes the journal.
func (o *Outbox) Close() error { return errStub }

// Begin looks the message up and reserves a slot. Exactly one result is not nil. Typed errors: *InProgressError, *CapError, *LockedError.
func (o *Outbox) Begin(ctx context.Context, in Intent) (*Ticket, *Replay, error) {
	return nil, nil, errStub
}

// ID is the number of the attempt in the journal.
func (t *Ticket) ID() int64 { return 0 }

// Sending re-checks everything and records, durably, that octets may leave from now on.
func (t *Ticket) Sending(ctx context.Context, f Frozen) error { return errStub }

// Sent records acceptance.
func (t *Ticket) Sent(ctx context.Context, detail string) error { return errStub }

// Failed records that the server certainly did not accept the message.
func (t *Ticket) Failed(ctx context.Context, detail string) error { return errStub }

// Unknown records that nobody knows.
func (t *Ticket) Unknown(ctx context.Context, detail string) error { return errStub }

// Declined records a person's no (counts towards the lock; the slot stays spent).
func (t *Ticket) Declined(ctx context.Context) error { return errStub }

// Expired records that nobody answered (does not count towards the lock; the slot stays spent).
func (t *Ticket) Expired(ctx context.Context) error { return errStub }

// List returns at most n attempts, newest first.
func (o *Outbox) List(ctx context.Context, n int) ([]Attempt, error) { return nil, errStub }

// Settle records what a person found out about an unknown attempt: StateSent or StateFailed.
func (o *Outbox) Settle(ctx context.Context, id int64, outcome State) error { return errStub }

// Unlock ends a lock.
func (o *Outbox) Unlock(ctx context.Context) error { return errStub }

// Usage says what of the hour is used and whether sending is locked.
func (o *Outbox) Usage(ctx context.Context) (Usage, error) { return Usage{}, errStub }
