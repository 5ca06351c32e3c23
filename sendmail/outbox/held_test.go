package outbox

import (
	"errors"
	"testing"
	"time"
)

// A lock that a person asked for lasts until a person ends it, whatever the cooling period and the refusals after it.
func TestLockByPerson(t *testing.T) {
	c := newClock()
	dir := testDir(t)
	box := openTest(t, dir, Options{Clock: c.now, Cooling: time.Hour})
	open, late := begin(t, box, "a"), begin(t, box, "b")
	must(t, "Lock", box.Lock(t.Context()))
	must(t, "Declined", late.Declined(t.Context()))
	if err := open.Sending(t.Context(), frozen("a")); !errors.Is(err, ErrLocked) {
		t.Errorf("Sending of a question that was open: got %v, want ErrLocked", err)
	}
	c.add(48 * time.Hour)
	again := openTest(t, dir, Options{Clock: c.now, Cooling: time.Hour})
	_, _, err := again.Begin(t.Context(), intent("c"))
	var e *LockedError
	if !errors.As(err, &e) || !e.Until.IsZero() || e.Reason != lockReasonHeld {
		t.Fatalf("Begin = %v (%+v), want locked by the person, without an end", err, e)
	}
	must(t, "Unlock", again.Unlock(t.Context()))
	must(t, "Declined", begin(t, again, "c").Declined(t.Context()))
	begin(t, again, "d") // one refusal alone does not lock
}

// A no counts once, whoever records it first: the process that asked, or another one after its end.
func TestRefuseCountsOnce(t *testing.T) {
	dir := testDir(t)
	asker, other := openTest(t, dir, Options{}), openTest(t, dir, Options{})
	first := begin(t, asker, "a")
	must(t, "Refuse", other.Refuse(t.Context(), first.ID()))
	must(t, "Refuse again", other.Refuse(t.Context(), first.ID()))
	if err := first.Declined(t.Context()); !errors.Is(err, ErrTicketState) {
		t.Errorf("Declined after Refuse: got %v, want ErrTicketState", err)
	}
	if a := attempt(t, other, first.ID()); a.State != StateDeclined || a.Subject != "" {
		t.Errorf("got %+v, want declined and forgotten", a)
	}
	must(t, "Refuse of nothing", other.Refuse(t.Context(), 999))
	second := begin(t, asker, "b") // so far one refusal
	must(t, "Close", asker.Close())
	must(t, "Refuse after the end", other.Refuse(t.Context(), second.ID()))
	if u, err := other.Usage(t.Context()); err != nil || u.Lock == nil {
		t.Errorf("Usage = %+v, %v, want locked after two", u, err)
	}
}

// An attempt that went another way is not touched by a late no.
func TestRefuseIsTooLate(t *testing.T) {
	box := openTest(t, testDir(t), Options{})
	ticket := sending(t, box, "a")
	must(t, "Refuse", box.Refuse(t.Context(), ticket.ID()))
	must(t, "Sent", ticket.Sent(t.Context(), "250"))
	if a := attempt(t, box, ticket.ID()); a.State != StateSent {
		t.Errorf("got %+v, want sent", a)
	}
	if u, err := box.Usage(t.Context()); err != nil || u.Lock != nil {
		t.Errorf("Usage = %+v, %v, want no lock", u, err)
	}
}
