//go:build linux || darwin

package outbox

import (
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
)

// settled makes a journal with one sent attempt and closes it.
func settled(t *testing.T, dir string) {
	t.Helper()
	box, err := Open(dir, Options{})
	must(t, "Open", err)
	ticket := sending(t, box, "a")
	must(t, "Sent", ticket.Sent(t.Context(), "250"))
	must(t, "Close", box.Close())
}

func TestOpenTouchesNothing(t *testing.T) {
	dir := testDir(t)
	box := openTest(t, dir, Options{})
	if list, err := box.List(t.Context(), 0); err != nil || list != nil {
		t.Errorf("List without a journal = %v, %v", list, err)
	}
	if u, err := box.Usage(t.Context()); err != nil || u != (Usage{Max: DefaultMaxPerHour}) {
		t.Errorf("Usage without a journal = %+v, %v", u, err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Stat = %v, want no directory", err)
	}
}

func TestModes(t *testing.T) {
	dir := testDir(t)
	box := openTest(t, dir, Options{})
	begin(t, box, "a")
	info, err := os.Stat(dir)
	must(t, "Stat", err)
	if info.Mode().Perm() != 0o700 {
		t.Errorf("directory %v, want 0700", info.Mode())
	}
	names, err := filepath.Glob(filepath.Join(dir, "*"))
	must(t, "Glob", err)
	if len(names) < 4 { // database, log, shared memory, lock, life
		t.Errorf("files = %v", names)
	}
	for _, name := range names {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v; want 0600", filepath.Base(name), info.Mode(), err)
		}
	}
}

func TestDurability(t *testing.T) {
	box := openTest(t, testDir(t), Options{})
	must(t, "Ready", box.Ready(t.Context()))
	for pragma, want := range map[string]string{"journal_mode": "wal", "synchronous": "2", "secure_delete": "1", "busy_timeout": "5000"} {
		var got string
		if err := box.db.QueryRow("PRAGMA " + pragma).Scan(&got); err != nil || got != want {
			t.Errorf("%s = %s, %v; want %s", pragma, got, err, want)
		}
	}
}

func TestUnusableState(t *testing.T) {
	database := func(dir string) string { return filepath.Join(dir, databaseName) }
	statement := func(stmt string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			settled(t, dir)
			db, err := sql.Open("sqlite", database(dir))
			must(t, "Open", err)
			_, err = db.Exec(stmt)
			must(t, "Exec", errors.Join(err, db.Close()))
		}
	}
	for _, c := range []struct {
		name   string
		want   error
		setup  func(t *testing.T, dir string)
		listed int // attempts that List still shows
	}{
		{"parent missing", ErrNoDirectory, func(t *testing.T, dir string) { must(t, "Remove", os.Remove(filepath.Dir(dir))) }, 0},
		{"file instead of directory", ErrNoDirectory, func(t *testing.T, dir string) { must(t, "WriteFile", os.WriteFile(dir, nil, 0o600)) }, 0},
		{"directory open to others", ErrNotPrivate, func(t *testing.T, dir string) {
			settled(t, dir)
			must(t, "Chmod", os.Chmod(dir, 0o750))
		}, 0},
		{"journal open to others", ErrNotPrivate, func(t *testing.T, dir string) {
			settled(t, dir)
			must(t, "Chmod", os.Chmod(database(dir), 0o640))
		}, 0},
		{"journal is a link", ErrNotPrivate, func(t *testing.T, dir string) {
			settled(t, dir)
			must(t, "Rename", os.Rename(database(dir), database(dir)+"x"))
			must(t, "Symlink", os.Symlink(database(dir)+"x", database(dir)))
		}, 0},
		{"not a database", ErrCorrupt, func(t *testing.T, dir string) {
			must(t, "Mkdir", os.Mkdir(dir, 0o700))
			must(t, "WriteFile", os.WriteFile(database(dir), []byte(strings.Repeat("no database\n", 1000)), 0o600))
		}, 0},
		{"damaged pages", ErrCorrupt, func(t *testing.T, dir string) {
			settled(t, dir)
			b, err := os.ReadFile(database(dir))
			must(t, "ReadFile", err)
			for i := 4096; i < len(b); i++ {
				b[i] ^= 0x5a
			}
			must(t, "WriteFile", os.WriteFile(database(dir), b, 0o600))
		}, 0},
		{"newer schema", ErrNewerSchema, statement("PRAGMA user_version=2"), 1},
		{"older schema than any", ErrCorrupt, statement("PRAGMA user_version=0"), 1},
		{"database of another program", ErrCorrupt, statement("PRAGMA application_id=1"), 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := testDir(t)
			c.setup(t, dir)
			box := openTest(t, dir, Options{})
			ticket, _, err := box.Begin(t.Context(), intent("b"))
			if !errors.Is(err, c.want) || ticket != nil {
				t.Errorf("Begin = %v, want %v", err, c.want)
			}
			if err != nil && strings.Contains(err.Error(), dir) {
				t.Errorf("Begin names the path: %v", err)
			}
			if list, err := box.List(t.Context(), 0); len(list) != c.listed {
				t.Errorf("List = %+v, %v; want %d", list, err, c.listed)
			}
		})
	}
}

func TestStateOfAnotherUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give a file away")
	}
	for _, name := range []string{".", databaseName} {
		dir := testDir(t)
		settled(t, dir)
		must(t, "Chown", os.Chown(filepath.Join(dir, name), nobody, nobody))
		if err := openTest(t, dir, Options{}).Ready(t.Context()); !errors.Is(err, ErrNotPrivate) {
			t.Errorf("%s of another user: Ready = %v, want ErrNotPrivate", name, err)
		}
	}
}

func TestProblemIsNotRemembered(t *testing.T) {
	dir := testDir(t)
	must(t, "Mkdir", os.Mkdir(dir, 0o755))
	box := openTest(t, dir, Options{})
	if err := box.Ready(t.Context()); !errors.Is(err, ErrNotPrivate) {
		t.Fatalf("Ready = %v", err)
	}
	must(t, "Chmod", os.Chmod(dir, 0o700))
	begin(t, box, "a")
}

func TestDiskFullBeforeSending(t *testing.T) {
	box := openTest(t, testDir(t), Options{maxPages: 40})
	ticket := begin(t, box, "a")
	f := Frozen{MessageID: "a@example.com", Octets: make([]byte, 1<<20)}
	if err := ticket.Sending(t.Context(), f); !errors.Is(err, ErrFull) {
		t.Fatalf("Sending = %v, want ErrFull", err)
	}
	if a := attempt(t, box, ticket.ID()); a.State != StateFailed {
		t.Errorf("state = %s, want failed", a.State)
	}
	must(t, "Failed", ticket.Failed(t.Context(), "disk full"))
}

func TestDiskFullInAChild(t *testing.T) {
	p := start(t, envRole+"=full", envDir+"="+testDir(t))
	out, _ := p.finish(t)
	if !strings.Contains(out, "sending: true") || !strings.Contains(out, "state: failed") {
		t.Errorf("child says %q, want a typed error and the attempt closed", out)
	}
}

func TestReadOnlyDirectory(t *testing.T) {
	dir := testDir(t)
	settled(t, dir)
	if os.Geteuid() == 0 {
		names, err := filepath.Glob(filepath.Join(dir, "*"))
		must(t, "Glob", err)
		for _, name := range append(names, dir) {
			must(t, "Chown", os.Chown(name, nobody, nobody))
		}
		must(t, "Chmod", os.Chmod(filepath.Dir(filepath.Dir(dir)), 0o755)) // the test's own directory is private
	}
	must(t, "Chmod", os.Chmod(dir, 0o500))
	must(t, "Chmod", os.Chmod(filepath.Join(dir, databaseName), 0o400))
	p := start(t, envRole+"=readonly", envDir+"="+dir)
	out, _ := p.finish(t)
	must(t, "Chmod", os.Chmod(dir, 0o700))
	if !strings.Contains(out, "begin: true") || !strings.Contains(out, "list: 1 <nil>") {
		t.Errorf("child says %q, want ErrReadOnly and one attempt listed", out)
	}
}

func TestRandomSourceFails(t *testing.T) {
	box := openTest(t, testDir(t), Options{Random: iotest.ErrReader(errors.New("no entropy"))})
	if err := box.Ready(t.Context()); !errors.Is(err, ErrJournal) {
		t.Errorf("Ready = %v, want ErrJournal", err)
	}
}

func TestClosed(t *testing.T) {
	box := openTest(t, testDir(t), Options{})
	ticket := begin(t, box, "a")
	must(t, "Close", box.Close())
	if err := ticket.Sending(t.Context(), frozen("a")); !errors.Is(err, ErrClosed) {
		t.Errorf("Sending = %v, want ErrClosed", err)
	}
}

// BenchmarkJournal is one send: reserve, sending, sent, each flushed to the disk.
func BenchmarkJournal(b *testing.B) {
	box := openTest(b, testDir(b), Options{MaxPerHour: 1 << 30})
	for i := 0; b.Loop(); i++ {
		name := string(rune('a'+i%26)) + strings.Repeat("x", i%50) + b.Name() + string(rune(0x4e00+i%20000))
		ticket, replay, err := box.Begin(b.Context(), intent(name))
		must(b, "Begin", err)
		if replay != nil {
			continue
		}
		must(b, "Sending", ticket.Sending(b.Context(), frozen("m")))
		must(b, "Sent", ticket.Sent(b.Context(), "250"))
	}
}
