package ledger_test

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"mailgap/shared/ledger"
	"mailgap/shared/ledger/reader"
	"mailgap/shared/ledger/writer"
)

// start is the clock of these tests: a Thursday, at the beginning of a week of the book.
func start() time.Time { return time.Date(2026, 11, 26, 9, 0, 0, 0, time.UTC) }

// clock is a clock that a test sets.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: start()} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// bench is a directory with a writer, and a reader that remembers heads.
type bench struct {
	dir, anchor string
	clock       *clock
	w           *writer.Writer
	r           *reader.Reader
}

func newBench(t testing.TB) *bench {
	t.Helper()
	tmp := t.TempDir()
	b := &bench{dir: filepath.Join(tmp, "state", "ledger"), anchor: filepath.Join(tmp, "seen"), clock: newClock()}
	b.w, b.r = b.writer(t), b.reader(t)
	return b
}

func (b *bench) writer(t testing.TB) *writer.Writer {
	t.Helper()
	w, err := writer.Open(b.dir, writer.Options{Clock: b.clock.Now})
	must(t, "writer.Open", err)
	t.Cleanup(func() { must(t, "Close", w.Close()) })
	return w
}

func (b *bench) reader(t testing.TB) *reader.Reader {
	t.Helper()
	r, err := reader.Open(b.dir, reader.Options{Anchor: b.anchor, Clock: b.clock.Now})
	must(t, "reader.Open", err)
	t.Cleanup(func() { must(t, "Close", r.Close()) })
	return r
}

func (b *bench) record(t testing.TB, records ...ledger.Record) {
	t.Helper()
	must(t, "Record", b.w.Record(t.Context(), records))
}

func (b *bench) database() string { return filepath.Join(b.dir, "ledger.db") }

func must(t testing.TB, what string, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

// ref is the reference of message n of INBOX.
func ref(n int) string { return fmt.Sprintf("imap://default/INBOX;UIDVALIDITY=1/;UID=%d", n) }

// prose is text of about so many octets, different for each seed.
func prose(seed uint64, octets int) string {
	rnd := rand.New(rand.NewPCG(seed, 7))
	var b strings.Builder
	for b.Len() < octets {
		word := make([]byte, 2+rnd.IntN(8))
		for i := range word {
			word[i] = byte('a' + rnd.IntN(26))
		}
		b.Write(word)
		b.WriteByte(" \n"[min(rnd.IntN(12)/11, 1)])
	}
	return b.String()
}

// mail is message n, read in full, with text of its own.
func mail(n, octets int) ledger.Record {
	return ledger.Record{
		Facts: ledger.Facts{
			Ref: ref(n), Account: "default", Mailbox: "INBOX", Complete: true, MessageID: fmt.Sprintf("m%d@example.com", n),
			From: []ledger.Address{{Name: "Kim", Local: fmt.Sprintf("kim%d", n), Domain: "example.com"}}, FromFields: 1,
			To: []ledger.Address{{Local: "me", Domain: "example.net"}}, Subject: fmt.Sprintf("Meeting number %d", n), Date: start(),
			Author: ledger.AuthorVerified, AuthorDomain: "example.com", AuthorMethod: "dmarc",
		},
		Texts: []ledger.Text{{Place: ledger.PlaceSubject, Text: fmt.Sprintf("Meeting number %d", n)}, {Place: ledger.PlaceBody, Text: prose(uint64(n), octets)}},
	}
}

// copyDir copies the files of the book, without locks.
func copyDir(t testing.TB, from, to string) {
	t.Helper()
	must(t, "MkdirAll", os.MkdirAll(to, 0o700))
	names, err := filepath.Glob(filepath.Join(from, "*"))
	must(t, "Glob", err)
	for _, name := range names {
		text, err := os.ReadFile(name)
		must(t, "ReadFile", err)
		must(t, "WriteFile", os.WriteFile(filepath.Join(to, filepath.Base(name)), text, 0o600))
	}
}

// open opens the database as somebody else would.
func open(t *testing.T, b *bench) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", b.database())
	must(t, "Open", err)
	return db
}
