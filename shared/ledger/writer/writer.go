// Package writer adds to the ledger and takes from it what is to be forgotten. The program that reads mail links it; the
// program that sends must not. Read Writer.Record first.
package writer

import (
	"context"
	"io"
	"log/slog"
	"time"

	"mailgap/shared/ledger"
)

// Options configures a Writer. The zero value is safe: key in a file, real clock.
type Options struct {
	Keys   ledger.KeyStore  // nil: a file with mode 0600 in the directory
	Clock  func() time.Time // nil: time.Now
	Random io.Reader        // nil: crypto/rand
	Logger *slog.Logger     // counts and durations; nil discards
}

// Writer adds to the ledger. Use Open. Safe for concurrent use; several processes may write to one directory.
type Writer struct{}

// Open returns a writer for the ledger in dir. It touches nothing: directory (mode 0700, with its parents) and book are made by the first Record.
func Open(dir string, o Options) (*Writer, error) { return nil, ledger.ErrFailed }

// Record puts what a tool result hands out on the disk, in one transaction, and returns when it is there. What is known already
// costs no write. After an error nothing may be handed out. Errors: those of package ledger.
func (w *Writer) Record(ctx context.Context, records []ledger.Record) error { return ledger.ErrFailed }

// Forget removes what is known of messages.
func (w *Writer) Forget(ctx context.Context, f Forget) (entries int, err error) {
	return 0, ledger.ErrFailed
}

// Forget says what is to be forgotten: exactly one field is set.
type Forget struct {
	Ref     string // a message
	Mailbox string // all messages of a mailbox, by its name, whatever the account
	All     bool
}

// Close closes the book.
func (w *Writer) Close() error { return nil }
