package outbox

import (
	"errors"
	"testing"
	"time"
)

func TestCap(t *testing.T) {
	c := newClock()
	dir := testDir(t)
	box := openTest(t, dir, Options{Clock: c.now, MaxPerHour: 3, LockAfter: 100})
	start := c.now()
	must(t, "Declined", begin(t, box, "a").Declined(t.Context()))
	c.add(time.Minute)
	must(t, "Expired", begin(t, box, "b").Expired(t.Context()))
	begin(t, box, "c")
	again := openTest(t, dir, Options{Clock: c.now, MaxPerHour: 3}) // a restart resets nothing
	_, _, err := again.Begin(t.Context(), intent("d"))
	var e *CapError
	if !errors.As(err, &e) || !errors.Is(err, ErrCapReached) || e.Max != 3 || !e.FreesAt.Equal(start.Add(time.Hour)) {
		t.Fatalf("Begin = %v (%+v), want CapError until %v", err, e, start.Add(time.Hour))
	}
	if u, err := again.Usage(t.Context()); err != nil || u.Used != 3 || u.Max != 3 {
		t.Errorf("Usage = %+v, %v", u, err)
	}
	c.add(time.Hour - time.Minute - time.Microsecond)
	if _, _, err := box.Begin(t.Context(), intent("d")); !errors.Is(err, ErrCapReached) {
		t.Errorf("Begin a microsecond early = %v, want ErrCapReached", err)
	}
	c.add(time.Microsecond)
	begin(t, box, "d")
}

func TestSmallerCapElsewhereIsKeptAfterTheQuestion(t *testing.T) {
	dir := testDir(t)
	small, large := openTest(t, dir, Options{MaxPerHour: 1}), openTest(t, dir, Options{})
	ticket := begin(t, small, "a")
	begin(t, large, "b")
	if err := ticket.Sending(t.Context(), frozen("a")); !errors.Is(err, ErrCapReached) {
		t.Errorf("Sending = %v, want ErrCapReached", err)
	}
	if a := attempt(t, small, ticket.ID()); a.State != StateFailed || a.Detail != detailNotSent {
		t.Errorf("after the refusal: %+v, want failed", a)
	}
	must(t, "Failed", ticket.Failed(t.Context(), "cap"))
}

func TestClockGoesBack(t *testing.T) {
	c := newClock()
	box := openTest(t, testDir(t), Options{Clock: c.now, MaxPerHour: 1})
	ticket := sending(t, box, "a")
	must(t, "Sent", ticket.Sent(t.Context(), ""))
	c.add(-48 * time.Hour)
	if _, replay, err := box.Begin(t.Context(), intent("a")); replay == nil {
		t.Errorf("Begin = %v, want the replay", err)
	}
	c.add(3 * time.Hour) // still before the slot
	if _, _, err := box.Begin(t.Context(), intent("b")); !errors.Is(err, ErrCapReached) {
		t.Errorf("Begin = %v, want ErrCapReached", err)
	}
	must(t, "Unlock", box.Unlock(t.Context()))
	c.add(time.Hour)
	begin(t, box, "b")
}

func TestLock(t *testing.T) {
	dir := testDir(t)
	box, other := openTest(t, dir, Options{}), openTest(t, dir, Options{})
	waiting := begin(t, other, "waiting")
	must(t, "Declined", begin(t, box, "a").Declined(t.Context()))
	accepted := sending(t, box, "b") // an accepted question ends the row
	must(t, "Failed", accepted.Failed(t.Context(), ""))
	must(t, "Declined", begin(t, box, "c").Declined(t.Context()))
	must(t, "Expired", begin(t, box, "d").Expired(t.Context()))
	must(t, "Declined", begin(t, other, "e").Declined(t.Context()))
	_, _, err := box.Begin(t.Context(), intent("f"))
	var e *LockedError
	if !errors.As(err, &e) || !errors.Is(err, ErrLocked) || !e.Until.IsZero() || e.Since.IsZero() {
		t.Fatalf("Begin = %v, want LockedError", err)
	}
	if err := waiting.Sending(t.Context(), frozen("waiting")); !errors.Is(err, ErrLocked) {
		t.Errorf("Sending of a question asked before the lock = %v, want ErrLocked", err)
	}
	if u, err := box.Usage(t.Context()); err != nil || u.Lock == nil {
		t.Errorf("Usage = %+v, %v; want the lock", u, err)
	}
	must(t, "Unlock", other.Unlock(t.Context()))
	must(t, "Declined", begin(t, box, "f").Declined(t.Context()))
	begin(t, box, "g")
}

func TestLockCools(t *testing.T) {
	c := newClock()
	box := openTest(t, testDir(t), Options{Clock: c.now, LockAfter: 1, Cooling: time.Hour})
	must(t, "Declined", begin(t, box, "a").Declined(t.Context()))
	c.add(time.Hour - time.Microsecond)
	var e *LockedError
	if _, _, err := box.Begin(t.Context(), intent("b")); !errors.As(err, &e) || !e.Until.Equal(c.now().Add(time.Microsecond)) {
		t.Fatalf("Begin = %v, want LockedError with its end", err)
	}
	c.add(time.Microsecond)
	begin(t, box, "b")
}
