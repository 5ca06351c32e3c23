// Package reader consults the ledger: what is known of a message, where an identifier was seen first, which messages a text came
// from, and whether the book can be trusted. It writes nothing but the head it remembers. Read Reader.Health first.
package reader

import (
	"context"
	"time"

	"mailgap/shared/fingerprint"
	"mailgap/shared/ledger"
)

// Options configures a Reader. The zero value is safe: key in a file, real clock, no remembered head.
type Options struct {
	Keys ledger.KeyStore // nil: the file in the directory
	// Anchor is a file in a directory of the caller (which must exist), in which the newest head seen is remembered, so that an
	// older copy of the book or its absence is noticed. "" remembers within this Reader only.
	Anchor string
	Clock  func() time.Time // nil: time.Now
}

// Reader consults the ledger. Use Open. Safe for concurrent use; several processes may read one directory.
//
// Methods other than Health return ledger.ErrNoLedger where there is no book, and the other errors of package ledger if what they
// need cannot be read or does not verify: then nothing is known, which is not the same as "nothing was found".
type Reader struct{}

// Open returns a reader of the ledger in dir. It touches nothing; the book is opened by the first question.
func Open(dir string, o Options) (*Reader, error) { return nil, ledger.ErrFailed }

// Health examines the book: the chain up to its head, the head against the one remembered, and then remembers the new one. The first
// call reads the whole chain (without contents), later ones what is new, and the whole again after ten minutes.
// It does not return an error: a book that cannot be examined is StateUnreadable. Call it before the other questions of a send.
func (r *Reader) Health(ctx context.Context) ledger.Health {
	return ledger.Health{State: ledger.StateUnreadable}
}

// Accept forgets the remembered head, so that the book as it is now counts as good. For a person who knows why it changed.
func (r *Reader) Accept(ctx context.Context) error { return ledger.ErrFailed }

// Message returns what is known of the message with this reference (a section is ignored). ok is false if it was not read.
func (r *Reader) Message(ctx context.Context, ref string) (m ledger.Message, ok bool, err error) {
	return m, false, ledger.ErrFailed
}

// ByMessageID returns the messages with this Message-ID (without angle brackets), oldest first: anybody can use one again.
func (r *Reader) ByMessageID(ctx context.Context, id string) ([]ledger.Message, error) {
	return nil, ledger.ErrFailed
}

// Sighting is where an identifier was seen first.
type Sighting struct {
	Place   ledger.Place
	At      time.Time      // when it was handed out
	Message ledger.Message // the message it was in
	Others  int            // other messages in which it was seen too; counted up to 100
}

// Sightings returns for each identifier where it was seen first; nil for one that is not in the book. The result has the
// order and length of ids.
func (r *Reader) Sightings(ctx context.Context, ids []fingerprint.Identifier) ([]*Sighting, error) {
	return nil, ledger.ErrFailed
}

// Match is one message that a text has something in common with.
type Match struct {
	Message ledger.Message
	Parts   []Part // one for each week in which the message was read
}

// Part is what a text and the record of one week have in common.
type Part struct {
	Hashed *fingerprint.Hashed // the text under the key of that week
	Hits   []Hit               // ascending by Pos
}

// Hit is one fingerprint that the text and the message share.
type Hit struct {
	fingerprint.Hit
	// Domains is the number of confirmed author domains in whose messages this fingerprint was seen; counted up to 4. Unconfirmed
	// ones do not count: anybody could make his own text common by sending it thrice.
	Domains int
	// Own says that it also stands in a message that the user wrote.
	Own bool
}

// Matches returns the messages that share fingerprints with q, the one with the most hits first, at most max (0: 100).
func (r *Reader) Matches(ctx context.Context, q *fingerprint.Query, max int) ([]Match, error) {
	return nil, ledger.ErrFailed
}

// Confidential returns when a message of a mailbox labelled confidential was last handed out, since the given time at the
// earliest; ok is false if none was. Within an hour a message that is read again does not count anew.
func (r *Reader) Confidential(ctx context.Context, since time.Time) (at time.Time, m ledger.Message, ok bool, err error) {
	return at, m, false, ledger.ErrFailed
}

// Close closes the book.
func (r *Reader) Close() error { return nil }
