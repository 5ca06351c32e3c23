package writer

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mailgap/shared/fingerprint"
	"mailgap/shared/ledger"
	"mailgap/shared/ledger/reader"
)

// The files as a process leaves them that is killed at any change of them: the book is whole, all that was acknowledged is in it,
// and it can be written on.
func TestKilledAtEveryWrite(t *testing.T) {
	tmp := t.TempDir()
	dir := filepath.Join(tmp, "ledger")
	now := time.Date(2026, 11, 26, 9, 0, 0, 0, time.UTC)
	clock := func() time.Time { return now }
	type image struct {
		dir, step    string
		acknowledged int
	}
	var images []image
	acknowledged := 0
	seen := map[string]int{}
	keep := func(step string) {
		if seen[step]++; strings.HasPrefix(step, "entries") && seen[step] > 12 && acknowledged%20 != 0 && acknowledged < 299 {
			return
		}
		im := image{filepath.Join(tmp, fmt.Sprint("image", len(images))), step, acknowledged}
		copyFiles(t, dir, im.dir)
		images = append(images, im)
	}
	w := testWriter(t, dir, Options{Clock: clock, step: keep})
	text := func(n int) string { return strings.Repeat(string(rune('a'+n%26)), 3+n) + sentence(n) }
	rec := func(n int) []ledger.Record {
		return []ledger.Record{{Facts: ledger.Facts{Ref: fmt.Sprintf("imap://default/INBOX;UIDVALIDITY=1/;UID=%d", n+1)}, Texts: []ledger.Text{{Place: ledger.PlaceBody, Text: sentence(n)}}}}
	}
	for n := range 310 {
		if err := w.Record(t.Context(), rec(n)); err != nil {
			t.Fatal(err)
		}
		acknowledged = n + 1
		if n == 150 {
			now = now.Add(ledger.Week)
		}
	}
	if seen["index, after the commit"] < 1 {
		t.Errorf("no index was made: %v", seen)
	}
	for _, im := range images {
		r, err := reader.Open(im.dir, reader.Options{Clock: clock})
		if err != nil {
			t.Fatal(err)
		}
		if h := r.Health(t.Context()); h.State != ledger.StateOK {
			t.Errorf("killed at %q after %d records: %q %q", im.step, im.acknowledged, h.State, h.Reasons)
		}
		for _, n := range []int{0, im.acknowledged / 2, im.acknowledged - 1} {
			if n < 0 || n >= im.acknowledged {
				continue
			}
			m, err := r.Matches(t.Context(), fingerprint.NewQuery(text(n)), 1)
			if err != nil || len(m) == 0 || m[0].Message.Ref != rec(n)[0].Ref {
				t.Errorf("killed at %q after %d records: record %d: %d matches, %v", im.step, im.acknowledged, n, len(m), err)
			}
		}
		next := testWriter(t, im.dir, Options{Clock: clock})
		if err := next.Record(t.Context(), rec(1000)); err != nil {
			t.Errorf("killed at %q: the next record: %v", im.step, err)
		}
		if h := r.Health(t.Context()); h.State != ledger.StateOK {
			t.Errorf("killed at %q, and written on: %q %q", im.step, h.State, h.Reasons)
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d images", len(images))
}

// sentence is text that no other number gives.
func sentence(n int) string {
	var b strings.Builder
	for i := range 30 {
		fmt.Fprintf(&b, "%c%c%c%c ", 'a'+(n*7+i*3)%26, 'a'+(n/26+i*11)%26, 'a'+(n*n+i)%26, 'a'+(n*31+i*i)%26)
	}
	return b.String()
}

func copyFiles(t *testing.T, from, to string) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(from, "*"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(to, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err == nil && !strings.HasSuffix(name, "-shm") { // it is made anew from the log, as after a kill
			err = os.WriteFile(filepath.Join(to, filepath.Base(name)), b, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
