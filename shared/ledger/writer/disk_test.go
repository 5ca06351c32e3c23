package writer

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"mailgap/shared/ledger"
)

func record(text string) []ledger.Record {
	return []ledger.Record{{Facts: ledger.Facts{Ref: "imap://default/INBOX;UIDVALIDITY=1/;UID=1"}, Texts: []ledger.Text{{Place: ledger.PlaceBody, Text: text}}}}
}

func testWriter(t *testing.T, dir string, o Options) *Writer {
	t.Helper()
	w, err := Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return w
}

// After a failure nothing counts as recorded, and once there is room again the same record succeeds.
func TestDiskFull(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "ledger")
	w := testWriter(t, dir, Options{maxPages: 40})
	var err error
	n := 0
	for ; n < 2000 && err == nil; n++ {
		err = w.Record(t.Context(), record(strings.Repeat(string(rune('a'+n%26)), n)+strings.Repeat(string(rune(0x4e00+n)), 20+n)+" there is one more word in each of these sentences, and no two of them are the same"))
	}
	if !errors.Is(err, ledger.ErrFull) {
		t.Fatalf("Record = %v, want ErrFull", err)
	}
	if err := w.Record(t.Context(), record(strings.Repeat("z", 5000)+strings.Repeat(" and more", 500))); !errors.Is(err, ledger.ErrFull) {
		t.Errorf("the next Record = %v, want ErrFull", err)
	}
	last := record(strings.Repeat(string(rune('a'+(n-1)%26)), n-1) + strings.Repeat(string(rune(0x4e00+n-1)), 20+n-1) + " there is one more word in each of these sentences, and no two of them are the same")
	if err := testWriter(t, dir, Options{}).Record(t.Context(), last); err != nil {
		t.Errorf("Record with room = %v", err)
	}
}

func TestUnusableDirectory(t *testing.T) {
	for _, c := range []struct {
		name string
		want error
		do   func(dir string) error
	}{
		{"a file", ledger.ErrNoDirectory, func(dir string) error { return os.WriteFile(dir, nil, 0o600) }},
		{"open to others", ledger.ErrNotPrivate, func(dir string) error { return os.Mkdir(dir, 0o755) }},
		{"database is a link", ledger.ErrNotPrivate, func(dir string) error {
			return errors.Join(os.Mkdir(dir, 0o700), os.Symlink(filepath.Join(dir, "x"), filepath.Join(dir, "ledger.db")))
		}},
		{"database open to others", ledger.ErrNotPrivate, func(dir string) error {
			return errors.Join(os.Mkdir(dir, 0o700), os.WriteFile(filepath.Join(dir, "ledger.db"), nil, 0o644))
		}},
		{"no database", ledger.ErrCorrupt, func(dir string) error {
			return errors.Join(os.Mkdir(dir, 0o700), os.WriteFile(filepath.Join(dir, "ledger.db"), []byte(strings.Repeat("no database\n", 1000)), 0o600))
		}},
		{"key open to others", ledger.ErrNotPrivate, func(dir string) error {
			return errors.Join(os.Mkdir(dir, 0o700), os.WriteFile(filepath.Join(dir, "ledger.key"), nil, 0o644))
		}},
		{"key damaged", ledger.ErrKey, func(dir string) error {
			return errors.Join(os.Mkdir(dir, 0o700), os.WriteFile(filepath.Join(dir, "ledger.key"), []byte("mailgap ledger key 1\nabc\n"), 0o600))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "ledger")
			if err := c.do(dir); err != nil {
				t.Fatal(err)
			}
			err := testWriter(t, dir, Options{}).Record(t.Context(), record("a word"))
			if !errors.Is(err, c.want) {
				t.Errorf("Record = %v, want %v", err, c.want)
			}
			if err != nil && strings.Contains(err.Error(), dir) {
				t.Errorf("Record names the path: %v", err)
			}
		})
	}
	if _, err := Open("", Options{}); !errors.Is(err, ledger.ErrNoDirectory) {
		t.Errorf("Open without a directory = %v", err)
	}
}

// A directory that cannot be written, also by whoever may write everywhere: it lies below a file.
func TestNoDirectory(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := testWriter(t, filepath.Join(file, "ledger"), Options{}).Record(t.Context(), record("a word")); !errors.Is(err, ledger.ErrNoDirectory) {
		t.Errorf("Record = %v, want ErrNoDirectory", err)
	}
}

func TestRandomSourceFails(t *testing.T) {
	w := testWriter(t, filepath.Join(t.TempDir(), "ledger"), Options{Random: iotest.ErrReader(io.ErrUnexpectedEOF)})
	if err := w.Record(t.Context(), record("a word")); !errors.Is(err, ledger.ErrFailed) {
		t.Errorf("Record = %v, want ErrFailed", err)
	}
}

// A commit in WAL mode reaches the disk before it returns, and what is deleted is overwritten.
func TestDurability(t *testing.T) {
	w := testWriter(t, filepath.Join(t.TempDir(), "ledger"), Options{})
	if err := w.Record(t.Context(), record("a word")); err != nil {
		t.Fatal(err)
	}
	for pragma, want := range map[string]string{"journal_mode": "wal", "synchronous": "2", "secure_delete": "1", "busy_timeout": "5000", "fullfsync": "1"} {
		var got string
		if err := w.book.DB.QueryRow("PRAGMA " + pragma).Scan(&got); err != nil || got != want {
			t.Errorf("%s = %s, %v; want %s", pragma, got, err, want)
		}
	}
}
