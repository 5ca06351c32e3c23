package ledger_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"mailgap/shared/fingerprint"
	"mailgap/shared/ledger"
	"mailgap/shared/ledger/reader"
	"mailgap/shared/ledger/writer"
)

// blobs reads all content of an entry as it lies on the disk.
func blobs(t *testing.T, b *bench, seq int) [][]byte {
	t.Helper()
	var out [][]byte
	db := open(t, b)
	var head, body []byte
	var about, mid int64
	must(t, "content", db.QueryRow("SELECT head, body FROM content WHERE seq = ?", seq).Scan(&head, &body))
	must(t, "log", db.QueryRow("SELECT about, mid FROM log WHERE seq = ?", seq).Scan(&about, &mid))
	for _, n := range []int64{about, mid} {
		raw := make([]byte, 8)
		for i := range raw {
			raw[i] = byte(n >> (8 * (7 - i)))
		}
		out = append(out, raw)
	}
	must(t, "Close", db.Close())
	return append(out, head[:40], body[:40], body[len(body)-40:])
}

// onDisk reports which of the values stand in any file of the directory.
func onDisk(t *testing.T, b *bench, values [][]byte) (found []int) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(b.dir, "*"))
	must(t, "Glob", err)
	for _, name := range names {
		text, err := os.ReadFile(name)
		must(t, "ReadFile", err)
		for i, v := range values {
			if bytes.Contains(text, v) {
				found = append(found, i)
			}
		}
	}
	return found
}

// runOf is the number of the run whose range holds an entry; 0 for none. Numbers are not used again.
func runOf(t *testing.T, b *bench, seq int) (id int) {
	t.Helper()
	db := open(t, b)
	must(t, "run", db.QueryRow("SELECT coalesce(max(id), 0) FROM run WHERE ? BETWEEN first AND last", seq).Scan(&id))
	must(t, "Close", db.Close())
	return id
}

func forget(t *testing.T, b *bench, f writer.Forget, want int) {
	t.Helper()
	if n, err := b.w.Forget(t.Context(), f); err != nil || n != want {
		t.Errorf("Forget(%+v) = %d, %v; want %d", f, n, err, want)
	}
}

func known(t *testing.T, b *bench, n int) bool {
	t.Helper()
	_, ok, err := b.r.Message(t.Context(), ref(n))
	must(t, "Message", err)
	m, err := b.r.Matches(t.Context(), fingerprint.NewQuery(prose(uint64(n), 300)), 5)
	must(t, "Matches", err)
	hit := len(m) > 0 && m[0].Message.Ref == ref(n) && len(m[0].Hits) > 5
	ids, err := b.r.ByMessageID(t.Context(), mail(n, 0).MessageID)
	must(t, "ByMessageID", err)
	if ok != hit || ok != (len(ids) > 0) {
		t.Errorf("message %d: known %v, found by text %v, by Message-ID %v", n, ok, hit, len(ids) > 0)
	}
	return ok
}

func healthy(t *testing.T, b *bench) {
	t.Helper()
	for name, r := range map[string]*reader.Reader{"new": b.reader(t), "same": b.r} {
		if h := r.Health(t.Context()); h.State != ledger.StateOK {
			t.Errorf("%s: state = %q %q, want ok", name, h.State, h.Reasons)
		}
	}
}

// What is forgotten is in no file any more: neither sealed content nor keyed names, in the database, its log or the index.
func TestForget(t *testing.T) {
	b := newBench(t)
	for n := range 300 { // some of them are in a run
		m := mail(n+1, 300)
		if n%2 == 1 {
			m.Mailbox, m.Ref = "Archive", ref(n+1)
		}
		b.record(t, m)
	}
	gone, tail := blobs(t, b, 7), blobs(t, b, 299)
	if got := onDisk(t, b, append(gone, tail...)); len(got) < 10 {
		t.Fatalf("before, the files hold only %v of the ten values", got)
	}
	healthy(t, b)
	indexed := runOf(t, b, 7)
	forget(t, b, writer.Forget{Ref: ref(7)}, 1)
	if got := runOf(t, b, 7); got == indexed || indexed == 0 {
		t.Errorf("the index that holds message 7 is run %d before and %d after", indexed, got)
	}
	forget(t, b, writer.Forget{Ref: ref(299)}, 1)
	forget(t, b, writer.Forget{Ref: ref(299)}, 0)
	if got := onDisk(t, b, append(gone, tail...)); got != nil {
		t.Errorf("files still hold values %v", got)
	}
	if known(t, b, 7) || known(t, b, 299) || !known(t, b, 8) || !known(t, b, 300) {
		t.Error("the wrong messages were forgotten")
	}
	db := open(t, b)
	var orphans int
	must(t, "block", db.QueryRow("SELECT count(*) FROM block WHERE id / 1048576 NOT IN (SELECT id FROM run)").Scan(&orphans))
	must(t, "Close", db.Close())
	if orphans > 0 {
		t.Errorf("%d blocks of dropped runs are left", orphans)
	}
	healthy(t, b)
	forget(t, b, writer.Forget{Mailbox: "Archive"}, 150)
	if known(t, b, 8) || !known(t, b, 9) {
		t.Error("the wrong mailbox was forgotten")
	}
	healthy(t, b)
	b.record(t, mail(7, 300)) // reading it again records it again
	if !known(t, b, 7) {
		t.Error("a message that is read again after it was forgotten is not recorded")
	}
	left := blobs(t, b, 1)
	forget(t, b, writer.Forget{All: true}, 149)
	if got := onDisk(t, b, left); got != nil || known(t, b, 9) {
		t.Errorf("files still hold values %v", got)
	}
	healthy(t, b)
	b.record(t, mail(1, 300))
	if !known(t, b, 1) {
		t.Error("nothing is recorded after everything was forgotten")
	}
	healthy(t, b)
}

func TestForgetNothing(t *testing.T) {
	b := newBench(t)
	if _, err := b.w.Forget(t.Context(), writer.Forget{All: true}); !errors.Is(err, ledger.ErrNoLedger) {
		t.Errorf("Forget = %v, want ErrNoLedger", err)
	}
	b.record(t, mail(1, 300))
	if _, err := b.w.Forget(t.Context(), writer.Forget{}); !errors.Is(err, ledger.ErrRecord) {
		t.Errorf("Forget of nothing = %v, want ErrRecord", err)
	}
}

// After thirty days an entry is not used any more, within a day of the next record it is gone, and the key of its week with the
// last of them. The chain holds throughout, also for who has not looked in between.
func TestRetention(t *testing.T) {
	b := newBench(t)
	for n := range 40 {
		b.record(t, mail(n+1, 300)) // two a day
		b.clock.advance(12 * time.Hour)
	}
	if !known(t, b, 1) {
		t.Fatal("message 1 is not known after twenty days")
	}
	old := blobs(t, b, 1)
	var wrapped []byte
	db := open(t, b)
	must(t, "epoch", db.QueryRow("SELECT wrapped FROM epoch ORDER BY n LIMIT 1").Scan(&wrapped))
	must(t, "Close", db.Close())
	b.clock.advance(10*24*time.Hour + time.Hour)
	if known(t, b, 1) || !known(t, b, 4) {
		t.Error("after thirty days message 1 is still used, or message 4 is not")
	}
	b.clock.advance(26 * time.Hour)
	b.record(t, mail(100, 300))
	if got := onDisk(t, b, old); got != nil {
		t.Errorf("files still hold values %v of the first message", got)
	}
	if got := onDisk(t, b, [][]byte{wrapped}); got == nil {
		t.Error("the key of the first week is gone before its entries are")
	}
	healthy(t, b)
	b.clock.advance(7 * 24 * time.Hour)
	b.record(t, mail(101, 300))
	b.record(t, mail(102, 300))
	if got := onDisk(t, b, [][]byte{wrapped}); got != nil {
		t.Error("the key of the first week is still there")
	}
	if known(t, b, 10) || !known(t, b, 40) || !known(t, b, 102) {
		t.Error("the wrong messages are gone")
	}
	healthy(t, b)
	b.clock.advance(365 * 24 * time.Hour)
	b.record(t, mail(200, 300))
	if known(t, b, 102) || !known(t, b, 200) {
		t.Error("after a year the old messages are still there, or the new one is not")
	}
	healthy(t, b)
}

// Time never goes back in the book, whatever the clock does.
func TestClockGoesBack(t *testing.T) {
	b := newBench(t)
	b.record(t, mail(1, 300))
	b.clock.advance(-20 * 24 * time.Hour)
	b.record(t, mail(2, 300))
	m, ok, err := b.r.Message(t.Context(), ref(2))
	if err != nil || !ok || m.FirstRead.Before(start()) {
		t.Errorf("Message = %v, %v, %v; want it not before message 1", m.FirstRead, ok, err)
	}
	healthy(t, b)
}
