package ledger_test

import (
	"bytes"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	_ "modernc.org/sqlite"

	"mailgap/shared/fingerprint"
	"mailgap/shared/ledger"
	"mailgap/shared/ledger/writer"
)

// change runs statements on the database as somebody else would.
func change(t *testing.T, b *bench, stmts ...string) {
	t.Helper()
	db, err := sql.Open("sqlite", b.database())
	must(t, "Open", err)
	for _, s := range stmts {
		_, err := db.Exec(s)
		must(t, s, err)
	}
	must(t, "Close", db.Close())
}

// Each way of changing the book behind the programs' backs is noticed by the first examination of a new process, and by one that
// looked before.
func TestTampering(t *testing.T) {
	type world struct {
		*bench
		old string // a copy of the directory from before the last messages
	}
	sql := func(stmts ...string) func(*testing.T, *world) {
		return func(t *testing.T, w *world) { change(t, w.bench, stmts...) }
	}
	for _, c := range []struct {
		name string
		do   func(*testing.T, *world)
		want ledger.State
	}{
		{"nothing", func(*testing.T, *world) {}, ledger.StateOK},
		{"entry in the middle deleted", sql("DELETE FROM log WHERE seq = 4", "DELETE FROM content WHERE seq = 4"), ledger.StateGap},
		{"first entry deleted", sql("DELETE FROM log WHERE seq = 1", "DELETE FROM content WHERE seq = 1"), ledger.StateGap},
		{"last entries deleted", sql("DELETE FROM log WHERE seq > 8", "DELETE FROM content WHERE seq > 8"), ledger.StateRolledBack},
		{"all entries deleted", sql("DELETE FROM log", "DELETE FROM content"), ledger.StateRolledBack},
		{"content of an entry deleted", sql("DELETE FROM content WHERE seq = 3"), ledger.StateGap},
		{"two entries exchanged", sql("UPDATE log SET seq = -1 WHERE seq = 3", "UPDATE log SET seq = 3 WHERE seq = 4", "UPDATE log SET seq = 4 WHERE seq = -1"), ledger.StateGap},
		{"numbers closed up after a deletion", sql("DELETE FROM log WHERE seq = 10", "UPDATE log SET seq = 10 WHERE seq = 11", "UPDATE log SET seq = 11 WHERE seq = 12"), ledger.StateRolledBack},
		{"time of an entry changed", sql("UPDATE log SET at = at + 1 WHERE seq = 5"), ledger.StateGap},
		{"name of an entry changed", sql("UPDATE log SET about = about + 2 WHERE seq = 5"), ledger.StateGap},
		{"Message-ID of an entry changed", sql("UPDATE log SET mid = 0 WHERE seq = 5"), ledger.StateGap},
		{"kind of an entry changed", sql("UPDATE log SET kind = 2 WHERE seq = 5"), ledger.StateGap},
		{"entry said to be forgotten", sql("UPDATE log SET gone = 6, about = 0, mid = 0 WHERE seq = 5", "DELETE FROM content WHERE seq = 5"), ledger.StateGap},
		{"entry copied to the end", sql("INSERT INTO log SELECT 13, epoch, at, kind, about, mid, tags, digest, mac, gone FROM log WHERE seq = 2", "INSERT INTO content SELECT 13, head, body FROM content WHERE seq = 2"), ledger.StateGap},
		{"key of the week deleted", sql("DELETE FROM epoch"), ledger.StateGap},
		{"key of the week damaged", sql("UPDATE epoch SET wrapped = zeroblob(60)"), ledger.StateGap},
		{"made-up retention", sql("INSERT INTO log VALUES (13, 2960, 0, 3, 0, 0, x'', x'', x'', 0)", "INSERT INTO content VALUES (13, zeroblob(40), x'')"), ledger.StateGap},
		{"older copy put back", func(t *testing.T, w *world) {
			for _, name := range []string{"ledger.db", "ledger.db-wal", "ledger.db-shm"} {
				err := os.Remove(filepath.Join(w.dir, name))
				if err != nil && !errors.Is(err, os.ErrNotExist) {
					t.Fatal(err)
				}
			}
			text, err := os.ReadFile(filepath.Join(w.old, "ledger.db"))
			must(t, "ReadFile", err)
			must(t, "WriteFile", os.WriteFile(w.database(), text, 0o600))
		}, ledger.StateRolledBack},
		{"whole directory from an older copy", func(t *testing.T, w *world) {
			must(t, "RemoveAll", os.RemoveAll(w.dir))
			copyDir(t, w.old, w.dir)
		}, ledger.StateRolledBack},
		{"older copy that went on", func(t *testing.T, w *world) {
			must(t, "RemoveAll", os.RemoveAll(w.dir))
			copyDir(t, w.old, w.dir)
			for n := 100; n < 120; n++ {
				w.record(t, mail(n, 100))
			}
		}, ledger.StateRolledBack},
		{"file cut", func(t *testing.T, w *world) { must(t, "Truncate", os.Truncate(w.database(), 8192)) }, ledger.StateGap},
		{"file emptied", func(t *testing.T, w *world) { must(t, "Truncate", os.Truncate(w.database(), 0)) }, ledger.StateMissing},
		{"file removed", func(t *testing.T, w *world) { must(t, "Remove", os.Remove(w.database())) }, ledger.StateMissing},
		{"directory removed", func(t *testing.T, w *world) { must(t, "RemoveAll", os.RemoveAll(w.dir)) }, ledger.StateMissing},
		{"begun anew after removal", func(t *testing.T, w *world) {
			must(t, "RemoveAll", os.RemoveAll(w.dir))
			w.record(t, mail(1, 100))
		}, ledger.StateReplaced},
		{"file of another ledger", func(t *testing.T, w *world) {
			other := newBench(t)
			other.record(t, mail(1, 100))
			must(t, "Close", other.w.Close())
			must(t, "Remove", os.RemoveAll(w.dir))
			copyDir(t, other.dir, w.dir)
			must(t, "Remove", os.Remove(filepath.Join(w.dir, "ledger.key")))
			must(t, "WriteFile", os.WriteFile(filepath.Join(w.dir, "ledger.key"), []byte("mailgap ledger key 1\n"+strings.Repeat("ab", 32)+"\n"), 0o600))
		}, ledger.StateForeignKey},
		{"another ledger with its key", func(t *testing.T, w *world) {
			other := newBench(t)
			for n := range 40 {
				other.record(t, mail(n+1, 100))
			}
			must(t, "Close", other.w.Close())
			must(t, "Remove", os.RemoveAll(w.dir))
			copyDir(t, other.dir, w.dir)
		}, ledger.StateReplaced},
		{"key exchanged", func(t *testing.T, w *world) {
			must(t, "WriteFile", os.WriteFile(filepath.Join(w.dir, "ledger.key"), []byte("mailgap ledger key 1\n"+strings.Repeat("cd", 32)+"\n"), 0o600))
		}, ledger.StateForeignKey},
		{"key removed", func(t *testing.T, w *world) { must(t, "Remove", os.Remove(filepath.Join(w.dir, "ledger.key"))) }, ledger.StateForeignKey},
		{"head removed", func(t *testing.T, w *world) { must(t, "Remove", os.Remove(filepath.Join(w.dir, "ledger.head"))) }, ledger.StateGap},
		{"remembered head damaged", func(t *testing.T, w *world) { must(t, "WriteFile", os.WriteFile(w.anchor, []byte("x"), 0o600)) }, ledger.StateReplaced},
		{"open to others", func(t *testing.T, w *world) { must(t, "Chmod", os.Chmod(w.database(), 0o644)) }, ledger.StateUnreadable},
		{"another program's database", sql("PRAGMA application_id = 1"), ledger.StateUnreadable},
		{"newer schema", sql("PRAGMA user_version = 99"), ledger.StateUnreadable},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := &world{bench: newBench(t), old: filepath.Join(t.TempDir(), "old")}
			for n := range 6 {
				w.record(t, mail(n+1, 300))
			}
			must(t, "Close", w.w.Close())
			copyDir(t, w.dir, w.old)
			w.w = w.writer(t)
			for n := range 6 {
				w.record(t, mail(n+7, 300))
			}
			if h := w.r.Health(t.Context()); h.State != ledger.StateOK || h.Head != 12 || h.Entries != 12 {
				t.Fatalf("before: %+v", h)
			}
			must(t, "Close", w.w.Close())
			w.w = w.writer(t)
			c.do(t, w)
			w.clock.advance(time.Hour) // so that the whole chain is read again
			for name, r := range map[string]interface{ Health() ledger.Health }{
				"new process": healthOf(func() ledger.Health { return w.reader(t).Health(t.Context()) }),
				"same":        healthOf(func() ledger.Health { return w.r.Health(t.Context()) }),
			} {
				h := r.Health()
				if h.State != c.want {
					t.Errorf("%s: state = %q %q, want %q", name, h.State, h.Reasons, c.want)
				}
				if h.Alarming() != (c.want != ledger.StateOK) || h.Alarming() && len(h.Reasons) == 0 {
					t.Errorf("%s: %+v is alarming: %v", name, h, h.Alarming())
				}
			}
		})
	}
}

type healthOf func() ledger.Health

func (f healthOf) Health() ledger.Health { return f() }

// Without a remembered head, the file beside the book notices what was cut off its end.
func TestCutEndBeforeTheFirstQuestion(t *testing.T) {
	b := newBench(t)
	for n := range 5 {
		b.record(t, mail(n+1, 300))
	}
	change(t, b, "DELETE FROM log WHERE seq = 5", "DELETE FROM content WHERE seq = 5")
	if h := b.r.Health(t.Context()); h.State != ledger.StateRolledBack {
		t.Errorf("state = %q %q, want rolled back", h.State, h.Reasons)
	}
	// Writing on does not hide it.
	for n := range 5 {
		b.record(t, mail(n+10, 300))
	}
	if h := b.r.Health(t.Context()); h.State != ledger.StateRolledBack {
		t.Errorf("after more messages: state = %q %q, want rolled back", h.State, h.Reasons)
	}
	// A person who knows why says so.
	must(t, "writer.Accept", b.w.Accept(t.Context()))
	must(t, "reader.Accept", b.r.Accept(t.Context()))
	if h := b.r.Health(t.Context()); h.State != ledger.StateOK {
		t.Errorf("accepted: state = %q %q, want ok", h.State, h.Reasons)
	}
}

// An entry that vanishes after it was verified is missed at the next question, before the whole chain is read again.
func TestVanishedSinceTheLastQuestion(t *testing.T) {
	b := newBench(t)
	for n := range 5 {
		b.record(t, mail(n+1, 100))
	}
	if h := b.r.Health(t.Context()); h.State != ledger.StateOK {
		t.Fatalf("before: %q %q", h.State, h.Reasons)
	}
	change(t, b, "DELETE FROM log WHERE seq = 2", "DELETE FROM content WHERE seq = 2")
	b.record(t, mail(9, 100))
	if h := b.r.Health(t.Context()); h.State != ledger.StateGap {
		t.Errorf("state = %q %q, want gap", h.State, h.Reasons)
	}
}

// Content that was altered or exchanged is noticed when it is used, whatever the chain says.
func TestAlteredContent(t *testing.T) {
	for name, stmts := range map[string][]string{
		"altered":                {"UPDATE content SET head = zeroblob(200), body = zeroblob(200) WHERE seq = 2"},
		"exchanged":              {"UPDATE content SET (head, body) = (SELECT head, body FROM content WHERE seq = 3) WHERE seq = 2"},
		"run altered":            {"UPDATE run SET head = zeroblob(length(head))"},
		"block altered":          {"UPDATE block SET data = zeroblob(length(data))"},
		"range of a run altered": {"UPDATE run SET last = last + 1"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			for n := range 300 {
				b.record(t, mail(n+1, 200))
			}
			change(t, b, stmts...)
			_, err := b.reader(t).Matches(t.Context(), fingerprint.NewQuery(prose(2, 200)), 0)
			if !errors.Is(err, ledger.ErrCorrupt) {
				t.Errorf("Matches = %v, want ErrCorrupt", err)
			}
		})
	}
}

// What retention and forgetting say of themselves is part of the chain.
func TestAlteredEvents(t *testing.T) {
	const gone = "UPDATE log SET gone = (SELECT seq FROM log WHERE kind = 2), about = 0, mid = 0 WHERE seq = 7; DELETE FROM content WHERE seq = 7"
	for name, stmt := range map[string]string{
		"list of forgotten entries":           "UPDATE content SET head = x'0101' WHERE seq = (SELECT seq FROM log WHERE kind = 2)",
		"one more entry forgotten":            gone,
		"one more entry forgotten and listed": gone + "; UPDATE content SET head = x'0304' WHERE seq = (SELECT seq FROM log WHERE kind = 2)",
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			for n := range 8 {
				b.record(t, mail(n+1, 100))
			}
			if _, err := b.w.Forget(t.Context(), writer.Forget{Ref: ref(3)}); err != nil {
				t.Fatal(err)
			}
			if h := b.reader(t).Health(t.Context()); h.State != ledger.StateOK {
				t.Fatalf("before: %q %q", h.State, h.Reasons)
			}
			change(t, b, stmt)
			if h := b.reader(t).Health(t.Context()); h.State != ledger.StateGap {
				t.Errorf("state = %q %q, want gap", h.State, h.Reasons)
			}
		})
	}
}

// A run that is taken away hides nothing: what it covered is read from the log.
func TestMissingRun(t *testing.T) {
	b := newBench(t)
	for n := range 300 {
		b.record(t, mail(n+1, 200))
	}
	change(t, b, "DELETE FROM run", "DELETE FROM block")
	m, err := b.r.Matches(t.Context(), fingerprint.NewQuery(prose(2, 200)), 1)
	if err != nil || len(m) != 1 || m[0].Message.Ref != ref(2) {
		t.Errorf("Matches = %v, %v; want message 2", m, err)
	}
}

// A file that is put in the place of an open one is noticed by the writer: its records go to the new one.
func TestExchangedWhileOpen(t *testing.T) {
	b := newBench(t)
	m := mail(1, 300)
	b.record(t, m)
	must(t, "RemoveAll", os.RemoveAll(b.dir))
	b.record(t, m) // known to the old book alone
	got, ok, err := b.r.Message(t.Context(), ref(1))
	if err != nil || !ok || got.Prints == 0 {
		t.Errorf("Message = %+v, %v, %v; want it recorded in the new book", got, ok, err)
	}
}

// What a writer remembers of its own records is void when the book does not hold them.
func TestRolledBackUnderTheWriter(t *testing.T) {
	b := newBench(t)
	b.record(t, mail(1, 300))
	b.record(t, mail(2, 300))
	change(t, b, "DELETE FROM log WHERE seq = 2", "DELETE FROM content WHERE seq = 2")
	b.record(t, mail(2, 300))
	if _, ok, err := b.r.Message(t.Context(), ref(2)); !ok || err != nil {
		t.Errorf("Message = %v, %v; want it recorded again", ok, err)
	}
}

func TestKeyStore(t *testing.T) {
	b := newBench(t)
	keys := &memoryKeys{}
	w, err := writer.Open(b.dir, writer.Options{Keys: keys})
	must(t, "Open", err)
	defer w.Close()
	must(t, "Record", w.Record(t.Context(), []ledger.Record{mail(1, 300)}))
	if _, err := os.Stat(filepath.Join(b.dir, "ledger.key")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("key file: %v, want none", err)
	}
	if h := b.r.Health(t.Context()); h.State != ledger.StateForeignKey {
		t.Errorf("without the store: %q, want foreign key", h.State)
	}
	keys.err = errors.New("locked")
	other, err := writer.Open(b.dir, writer.Options{Keys: keys})
	must(t, "Open", err)
	defer other.Close()
	if err := other.Record(t.Context(), []ledger.Record{mail(2, 300)}); !errors.Is(err, ledger.ErrKey) {
		t.Errorf("Record with a locked store = %v, want ErrKey", err)
	}
}

type memoryKeys struct {
	key []byte
	err error
}

func (m *memoryKeys) Get(string, string) ([]byte, error) { return bytes.Clone(m.key), m.err }
func (m *memoryKeys) Set(_, _ string, key []byte) error {
	m.key = bytes.Clone(key)
	return m.err
}
