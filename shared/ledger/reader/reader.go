// Package reader consults the ledger: what is known of a message, where an identifier was seen first, which messages a text came
// from, and whether the book can be trusted. It writes nothing but the head it remembers. Read Reader.Health first.
package reader

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"sync"
	"time"

	"mailgap/shared/fingerprint"
	"mailgap/shared/ledger"
	"mailgap/shared/ledger/internal/book"
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
// need cannot be read or does not verify: then nothing is known, which is not the same as "nothing was found". Entries that are
// older than ledger.Retention are not used, whether or not they were removed.
type Reader struct {
	dir  string
	opts Options

	mu     sync.Mutex
	book   *book.Book
	file   os.FileInfo // of the database, to notice another one in its place
	closed bool
	cache

	anchor   []byte        // what Health remembers without a file
	verified book.Position // the chain holds up to here
	full     time.Time     // of the last examination of the whole chain
}

// Open returns a reader of the ledger in dir. It touches nothing; the book is opened by the first question. Close it.
func Open(dir string, o Options) (*Reader, error) {
	if dir == "" {
		return nil, ledger.ErrNoDirectory
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	return &Reader{dir: dir, opts: o}, nil
}

// Close closes the book. Calling it again does nothing.
func (r *Reader) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	return r.drop()
}

// drop closes the book and forgets what is known of it.
func (r *Reader) drop() error {
	b := r.book
	r.book, r.file, r.cache, r.verified, r.full = nil, nil, cache{}, book.Position{}, time.Time{}
	if b == nil {
		return nil
	}
	return book.DatabaseError(b.DB.Close())
}

// ready opens the book.
func (r *Reader) ready(ctx context.Context) error {
	if r.closed {
		return ledger.ErrClosed
	}
	path := filepath.Join(r.dir, book.DatabaseName)
	if r.book != nil {
		if info, err := os.Lstat(path); err == nil && os.SameFile(info, r.file) {
			return nil
		}
		if err := r.drop(); err != nil {
			return err
		}
	}
	info, err := os.Lstat(path)
	if err != nil {
		return ledger.ErrNoLedger
	}
	b, err := book.Read(ctx, r.dir, r.opts.Keys)
	if err != nil {
		return err
	}
	r.book, r.file = b, info
	r.cache.reset()
	return nil
}

// look runs f on one state of the book, with the list of its entries at hand.
func (r *Reader) look(ctx context.Context, f func(*sql.Tx) error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.ready(ctx); err != nil {
		return err
	}
	tx, err := r.book.DB.BeginTx(ctx, nil)
	if err != nil {
		return book.DatabaseError(err)
	}
	defer tx.Rollback() // nothing was written
	if err := r.sync(ctx, tx); err != nil {
		return err
	}
	return f(tx)
}

// Sighting is where an identifier was seen first.
type Sighting struct {
	Place   ledger.Place
	At      time.Time      // when it was handed out
	Message ledger.Message // the message it was in
	Others  int            // other messages in which it was seen too; counted up to 100
}

// Match is one message that a text has something in common with.
type Match struct {
	Message ledger.Message
	Hits    []Hit // ascending by Pos; a passage that was read in several weeks is there once for each
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
