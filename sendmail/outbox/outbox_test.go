package outbox

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// clock is a settable wall clock.
type clock struct {
	mu sync.Mutex
	t  time.Time
}

func newClock() *clock { return &clock{t: time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)} }

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.t
}

func (c *clock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.t = c.t.Add(d)
}

func testDir(tb testing.TB) string { return filepath.Join(tb.TempDir(), "state") }

func openTest(tb testing.TB, dir string, o Options) *Outbox {
	tb.Helper()
	box, err := Open(dir, o)
	if err != nil {
		tb.Fatalf("Open: %v", err)
	}
	tb.Cleanup(func() {
		if err := box.Close(); err != nil {
			tb.Errorf("Close: %v", err)
		}
	})
	return box
}

func intent(name string) Intent {
	return Intent{Identity: sha256.Sum256([]byte(name)), Tool: "send_mail", Subject: "Subject of " + name,
		Recipients: []string{"bob@example.org", "eve@example.net"}}
}

func frozen(name string) Frozen {
	return Frozen{MessageID: name + "@example.com", Octets: []byte("Subject: " + name + "\r\n\r\nbody of " + name + "\r\n")}
}

func begin(tb testing.TB, box *Outbox, name string) *Ticket {
	tb.Helper()
	ticket, replay, err := box.Begin(context.Background(), intent(name))
	if err != nil || replay != nil || ticket == nil {
		tb.Fatalf("Begin(%s) = %v, %v, %v; want a ticket", name, ticket, replay, err)
	}
	return ticket
}

func must(tb testing.TB, what string, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatalf("%s: %v", what, err)
	}
}

func sending(tb testing.TB, box *Outbox, name string) *Ticket {
	tb.Helper()
	ticket := begin(tb, box, name)
	must(tb, "Sending", ticket.Sending(context.Background(), frozen(name)))
	return ticket
}

func attempt(tb testing.TB, box *Outbox, id int64) Attempt {
	tb.Helper()
	list, err := box.List(context.Background(), 0)
	must(tb, "List", err)
	for _, a := range list {
		if a.ID == id {
			return a
		}
	}
	tb.Fatalf("attempt %d is not listed", id)
	return Attempt{}
}

func TestReplayWithinWindow(t *testing.T) {
	c := newClock()
	box := openTest(t, testDir(t), Options{Clock: c.now, MaxPerHour: 1})
	ticket := sending(t, box, "a")
	must(t, "Sent", ticket.Sent(t.Context(), "250 2.0.0"))
	c.add(DefaultReplayWindow - time.Second)
	in := intent("a")
	in.Tool = "reply_mail" // the tool is no part of the identity
	got, replay, err := box.Begin(t.Context(), in)
	if err != nil || got != nil || replay == nil || replay.MessageID != "a@example.com" {
		t.Fatalf("Begin = %v, %+v, %v; want the replay although the hour is full", got, replay, err)
	}
	if want := c.now().Add(time.Second - DefaultReplayWindow); !replay.AcceptedAt.Equal(want) {
		t.Errorf("AcceptedAt = %v, want %v", replay.AcceptedAt, want)
	}
	c.add(time.Hour)
	if begin(t, box, "a").Earlier != nil {
		t.Error("a fresh ticket after the window names an earlier attempt")
	}
}

func TestAttemptForgets(t *testing.T) {
	dir := testDir(t)
	box := openTest(t, dir, Options{})
	ticket := sending(t, box, "secretword")
	if a := attempt(t, box, ticket.ID()); !a.HasOctets || a.Subject == "" || len(a.Recipients) != 2 || a.State != StateSending {
		t.Fatalf("while sending: %+v; want octets, subject and recipients", a)
	}
	if !onDisk(t, dir, "body of secretword") {
		t.Fatal("octets are not on the disk while sending")
	}
	must(t, "Sent", ticket.Sent(t.Context(), "250"))
	a := attempt(t, box, ticket.ID())
	if a.HasOctets || a.Subject != "" || a.Recipients != nil || a.RecipientsCount != 2 || a.FirstDomain != "example.org" || a.State != StateSent {
		t.Errorf("after settlement: %+v; want only count and first domain", a)
	}
	for _, s := range []string{"body of secretword", "Subject of secretword", "bob@example.org"} {
		if onDisk(t, dir, s) {
			t.Errorf("%q is still on the disk after settlement", s)
		}
	}
}

func onDisk(t *testing.T, dir, s string) bool {
	t.Helper()
	entries, err := os.ReadDir(dir)
	must(t, "ReadDir", err)
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		must(t, "ReadFile", err)
		if bytes.Contains(b, []byte(s)) {
			return true
		}
	}
	return false
}

func TestInProgress(t *testing.T) {
	dir := testDir(t)
	box, other := openTest(t, dir, Options{}), openTest(t, dir, Options{})
	ticket := begin(t, box, "a")
	for _, want := range []State{StateReserved, StateSending} {
		_, _, err := other.Begin(t.Context(), intent("a"))
		var e *InProgressError
		if !errors.As(err, &e) || !errors.Is(err, ErrInProgress) || e.State != want || e.ID != ticket.ID() {
			t.Fatalf("Begin while %s = %v", want, err)
		}
		if want == StateReserved {
			must(t, "Sending", ticket.Sending(t.Context(), frozen("a")))
		}
	}
	must(t, "Failed", ticket.Failed(t.Context(), "550 5.1.1"))
	if begin(t, other, "a").Earlier != nil {
		t.Error("a failed attempt is named as one that may have been accepted")
	}
}

func TestUnknownIsNeverSilent(t *testing.T) {
	c := newClock()
	box := openTest(t, testDir(t), Options{Clock: c.now})
	first := sending(t, box, "a")
	must(t, "Unknown", first.Unknown(t.Context(), "no reply"))
	c.add(72 * time.Hour) // no window ends this

	second := begin(t, box, "a")
	want := Earlier{MessageID: "a@example.com", Attempts: 1, Octets: frozen("a").Octets, At: newClock().now()}
	if e := second.Earlier; e == nil || e.MessageID != want.MessageID || e.Attempts != 1 || !bytes.Equal(e.Octets, want.Octets) || !e.At.Equal(want.At) {
		t.Fatalf("Earlier = %+v, want %+v", e, want)
	}
	for _, f := range []Frozen{{MessageID: "b@example.com", Octets: frozen("a").Octets}, {MessageID: "a@example.com", Octets: []byte("other")}} {
		if err := second.Sending(t.Context(), f); !errors.Is(err, ErrNotFrozen) {
			t.Errorf("Sending(%s) = %v, want ErrNotFrozen", f.MessageID, err)
		}
	}
	must(t, "Declined", second.Declined(t.Context()))

	third := begin(t, box, "a")
	must(t, "Sending", third.Sending(t.Context(), frozen("a")))
	must(t, "Failed", third.Failed(t.Context(), "connection refused"))
	fourth := begin(t, box, "a")
	if fourth.Earlier == nil || fourth.Earlier.Octets == nil {
		t.Fatal("a failed retry hides the unknown attempt before it")
	}
	must(t, "Sending", fourth.Sending(t.Context(), frozen("a")))
	must(t, "Unknown", fourth.Unknown(t.Context(), ""))
	fifth := begin(t, box, "a")
	if fifth.Earlier == nil || fifth.Earlier.Attempts != 2 {
		t.Fatalf("Earlier = %+v, want 2 attempts", fifth.Earlier)
	}
	must(t, "Sending", fifth.Sending(t.Context(), frozen("a")))
	must(t, "Sent", fifth.Sent(t.Context(), "250"))
	if a := attempt(t, box, first.ID()); a.State != StateUnknown || a.ResolvedBy != fifth.ID() || a.HasOctets {
		t.Errorf("first attempt = %+v, want unknown, resolved by %d, no octets", a, fifth.ID())
	}
	if err := first.Failed(t.Context(), ""); !errors.Is(err, ErrTicketState) {
		t.Errorf("Failed of a resolved attempt = %v, want ErrTicketState", err)
	}
	c.add(time.Hour)
	if begin(t, box, "a").Earlier != nil {
		t.Error("resolved attempts are still named")
	}
}

func TestSettle(t *testing.T) {
	box := openTest(t, testDir(t), Options{})
	for name, outcome := range map[string]State{"a": StateSent, "b": StateFailed} {
		ticket := sending(t, box, name)
		if err := box.Settle(t.Context(), ticket.ID(), outcome); !errors.Is(err, ErrNotUnknown) {
			t.Errorf("Settle while sending = %v, want ErrNotUnknown", err)
		}
		must(t, "Unknown", ticket.Unknown(t.Context(), ""))
		must(t, "Settle", box.Settle(t.Context(), ticket.ID(), outcome))
		if a := attempt(t, box, ticket.ID()); a.State != outcome || !a.SettledByPerson || a.HasOctets {
			t.Errorf("after Settle: %+v", a)
		}
		if err := ticket.Failed(t.Context(), ""); !errors.Is(err, ErrTicketState) {
			t.Errorf("Failed after Settle = %v, want ErrTicketState", err)
		}
		got, replay, err := box.Begin(t.Context(), intent(name))
		if err != nil || (replay != nil) != (outcome == StateSent) || (got != nil && got.Earlier != nil) {
			t.Errorf("Begin after %s = %+v, %+v, %v", outcome, got, replay, err)
		}
	}
	if err := box.Settle(t.Context(), 1, StateUnknown); !errors.Is(err, ErrWrongOutcome) {
		t.Errorf("Settle(unknown) = %v", err)
	}
	if err := box.Settle(t.Context(), 99, StateSent); !errors.Is(err, ErrNoAttempt) {
		t.Errorf("Settle(99) = %v", err)
	}
}

func TestReservationExpires(t *testing.T) {
	c := newClock()
	dir := testDir(t)
	box, other := openTest(t, dir, Options{Clock: c.now}), openTest(t, dir, Options{Clock: c.now})
	late := begin(t, box, "a")
	c.add(DefaultReservation)
	if err := late.Sending(t.Context(), frozen("a")); !errors.Is(err, ErrReservation) {
		t.Errorf("Sending after the reservation = %v, want ErrReservation", err)
	}
	if a := attempt(t, other, late.ID()); a.State != StateExpired {
		t.Errorf("listed as %s, want expired", a.State)
	}
	next := sending(t, other, "a")
	if err := late.Sending(t.Context(), frozen("a")); !errors.Is(err, ErrReservation) {
		t.Errorf("Sending after release = %v, want ErrReservation", err)
	}
	must(t, "Failed", late.Failed(t.Context(), "late"))
	must(t, "Sent", next.Sent(t.Context(), ""))
}

func TestChangedSinceTheQuestion(t *testing.T) {
	box := openTest(t, testDir(t), Options{})
	first := sending(t, box, "a")
	must(t, "Unknown", first.Unknown(t.Context(), ""))
	retry := begin(t, box, "a")
	must(t, "Sent", first.Sent(t.Context(), "250, late")) // the reply came after all
	if err := retry.Sending(t.Context(), frozen("a")); !errors.Is(err, ErrChanged) {
		t.Errorf("Sending = %v, want ErrChanged", err)
	}
}

func TestTicketOrder(t *testing.T) {
	box := openTest(t, testDir(t), Options{})
	ticket := begin(t, box, "a")
	if err := ticket.Sent(t.Context(), ""); !errors.Is(err, ErrTicketState) {
		t.Errorf("Sent before Sending = %v", err)
	}
	if err := ticket.Unknown(t.Context(), ""); !errors.Is(err, ErrTicketState) {
		t.Errorf("Unknown before Sending = %v", err)
	}
	must(t, "Sending", ticket.Sending(t.Context(), frozen("a")))
	if err := ticket.Sending(t.Context(), frozen("a")); !errors.Is(err, ErrTicketState) {
		t.Errorf("Sending twice = %v", err)
	}
	if a := attempt(t, box, ticket.ID()); a.State != StateSending {
		t.Errorf("after Sending twice: %s, want sending", a.State)
	}
	for _, f := range []func(context.Context) error{ticket.Declined, ticket.Expired} {
		if err := f(t.Context()); !errors.Is(err, ErrTicketState) {
			t.Errorf("decline or expiry while sending = %v", err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	must(t, "Sent in a cancelled call", ticket.Sent(ctx, "250 \x1b[2J\u202e"))
	if a := attempt(t, box, ticket.ID()); a.Detail != "250 ?[2J?" {
		t.Errorf("Detail = %q", a.Detail)
	}
	if err := ticket.Failed(t.Context(), ""); !errors.Is(err, ErrTicketState) {
		t.Errorf("Failed after Sent = %v", err)
	}
}

func TestRefusedInput(t *testing.T) {
	box := openTest(t, testDir(t), Options{})
	for name, in := range map[string]Intent{
		"no identity":    {Recipients: []string{"a@example.org"}},
		"no recipient":   {Identity: [32]byte{1}},
		"long recipient": {Identity: [32]byte{1}, Recipients: []string{string(make([]byte, 400))}},
		"too many":       {Identity: [32]byte{1}, Recipients: make([]string, maxRecipients+1)},
	} {
		if _, _, err := box.Begin(t.Context(), in); !errors.Is(err, ErrIntent) {
			t.Errorf("%s: Begin = %v, want ErrIntent", name, err)
		}
	}
	ticket := begin(t, box, "a")
	for _, f := range []Frozen{{}, {MessageID: "<a@b>", Octets: []byte("x")}, {MessageID: "a@b"}, {MessageID: "a\r\nb", Octets: []byte("x")}} {
		if err := ticket.Sending(t.Context(), f); !errors.Is(err, ErrIntent) {
			t.Errorf("Sending(%q) = %v, want ErrIntent", f.MessageID, err)
		}
	}
	if _, err := Open("", Options{}); !errors.Is(err, ErrOptions) {
		t.Errorf("Open without directory = %v", err)
	}
}

func TestRetention(t *testing.T) {
	c := newClock()
	dir := testDir(t)
	box := openTest(t, dir, Options{Clock: c.now, Retention: 24 * time.Hour})
	gone, kept := sending(t, box, "gone"), sending(t, box, "kept")
	must(t, "Sent", gone.Sent(t.Context(), ""))
	must(t, "Unknown", kept.Unknown(t.Context(), ""))
	c.add(25 * time.Hour)
	ticket := begin(t, box, "kept")
	if ticket.Earlier == nil || ticket.Earlier.Octets != nil || ticket.Earlier.MessageID != "kept@example.com" {
		t.Errorf("Earlier = %+v, want the message id without octets", ticket.Earlier)
	}
	f := frozen("kept")
	f.Octets = append(f.Octets, "composed again"...)
	must(t, "Sending", ticket.Sending(t.Context(), f))
	list, err := box.List(t.Context(), 0)
	must(t, "List", err)
	if len(list) != 2 || list[1].ID != kept.ID() {
		t.Errorf("List = %+v, want the unknown attempt and its retry", list)
	}
}
