// Package writer adds to the ledger and takes from it what is to be forgotten. The program that reads mail links it; the
// program that sends must not. Read Writer.Record first.
package writer

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"mailgap/shared/ledger"
	"mailgap/shared/ledger/internal/book"
)

// Options configures a Writer. The zero value is safe: key in a file, real clock.
type Options struct {
	Keys   ledger.KeyStore  // nil: a file with mode 0600 in the directory
	Clock  func() time.Time // nil: time.Now
	Random io.Reader        // nil: crypto/rand
	Logger *slog.Logger     // counts and durations; nil discards

	maxPages int          // test hook: PRAGMA max_page_count, a small disk
	step     func(string) // test hook: called around each change of the files
}

// transactionTime bounds a transaction that a cancelled call must not cut short.
const transactionTime = 30 * time.Second

// Writer adds to the ledger. Use Open. Safe for concurrent use; several processes may write to one directory.
type Writer struct {
	dir  string
	opts Options

	mu     sync.Mutex
	book   *book.Book
	file   os.FileInfo // of the database, to notice another one in its place
	closed bool

	epochs map[int64]*book.Epoch
	seen   map[[32]byte]bool // digests of what was recorded and is still there
	mark   book.Position     // the last entry that this Writer saw; seen is void if the chain does not hold it
	events int64             // the last entry that was no record; seen is void if there is a newer one
	cut    bool              // what retention took away is still in the log file of the database
	lag    bool              // the chain is behind the remembered head, which was said in the log
}

// Open returns a writer for the ledger in dir. It touches nothing: directory (mode 0700, with its parents), key and book are made
// by the first Record. Close it.
func Open(dir string, o Options) (*Writer, error) {
	if dir == "" {
		return nil, ledger.ErrNoDirectory
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Random == nil {
		o.Random = rand.Reader
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.step == nil {
		o.step = func(string) {}
	}
	return &Writer{dir: dir, opts: o}, nil
}

// Close closes the book. Calling it again does nothing.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	return w.drop()
}

// drop closes the book and forgets what is known of it.
func (w *Writer) drop() error {
	b := w.book
	w.book, w.file, w.epochs, w.seen, w.mark, w.events, w.lag = nil, nil, nil, nil, book.Position{}, 0, false
	if b == nil {
		return nil
	}
	return book.DatabaseError(b.DB.Close())
}

// ready opens the book. Security: an open file whose name was taken away or given to another one would take records that
// nobody ever reads, so it is compared each time.
func (w *Writer) ready(ctx context.Context) error {
	if w.closed {
		return ledger.ErrClosed
	}
	path := filepath.Join(w.dir, book.DatabaseName)
	if w.book != nil {
		if info, err := os.Lstat(path); err == nil && os.SameFile(info, w.file) {
			return nil
		}
		if err := w.drop(); err != nil {
			w.opts.Logger.Warn("ledger was exchanged", "error", err)
		}
	}
	b, err := book.Create(ctx, w.dir, book.Options{Keys: w.opts.Keys, Random: w.opts.Random, MaxPages: w.opts.maxPages})
	if err != nil {
		return err
	}
	info, err := os.Lstat(path)
	if err != nil {
		return errors.Join(book.FileError(err), b.DB.Close())
	}
	w.book, w.file, w.epochs, w.seen = b, info, map[int64]*book.Epoch{}, map[[32]byte]bool{}
	return nil
}

// Accept makes the chain as it is now the one that the file beside it speaks of, after a person found out why they differ: the head
// is written anew. What is wrong with the chain itself stays wrong; Forget with All starts it over. The sender remembers a head
// of its own, which it accepts by itself. Errors: those of package ledger; ErrNoLedger if there is no book.
func (w *Writer) Accept(ctx context.Context) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !book.Exists(w.dir) {
		return ledger.ErrNoLedger
	}
	ctx = context.WithoutCancel(ctx)
	if err := w.ready(ctx); err != nil {
		return err
	}
	return w.acceptHead(ctx)
}

// acceptHead writes the head of the chain as it is.
func (w *Writer) acceptHead(ctx context.Context) error {
	p, _, err := book.Newest(ctx, w.book.DB)
	if err == nil && p.Seq == 0 {
		p, err = book.Base(ctx, w.book.DB, w.book.Keys)
	}
	if err != nil {
		return err
	}
	w.lag = false
	return book.WriteFile(book.HeadPath(w.dir), book.HeadText(w.book.Keys, p))
}
