package outbox

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// An attempt whose process ended is unknown from its final dot on, and failed before, if the dot was announced.
func TestEndedAroundTheDot(t *testing.T) {
	for _, c := range []struct {
		name          string
		announce, dot bool
		want          State
	}{
		{"announced, before", true, false, StateFailed},
		{"announced, from then on", true, true, StateUnknown},
		{"not announced", false, false, StateUnknown},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := testDir(t)
			box, err := Open(dir, Options{})
			must(t, "Open", err)
			ticket := begin(t, box, "a")
			f := frozen("a")
			f.AnnouncesDot = c.announce
			must(t, "Sending", ticket.Sending(t.Context(), f))
			if c.dot {
				must(t, "Dot", ticket.Dot(t.Context()))
			}
			must(t, "Close", box.Close()) // its life ends here, as that of a killed process does
			next := openTest(t, dir, Options{})
			if got := attempt(t, next, ticket.ID()); got.State != c.want || got.Detail != detailProcessEnded {
				t.Errorf("listed = %s (%s), want %s", got.State, got.Detail, c.want)
			}
			again := begin(t, next, "a")
			if (again.Earlier != nil) != (c.want == StateUnknown) {
				t.Errorf("the next ticket has the earlier attempt %+v, and that one is %s", again.Earlier, c.want)
			}
			if got := attempt(t, next, ticket.ID()); got.State != c.want || got.HasOctets != (c.want == StateUnknown) {
				t.Errorf("recorded = %+v, want %s", got, c.want)
			}
		})
	}
}

func TestDotIsRefused(t *testing.T) {
	dir := testDir(t)
	box := openTest(t, dir, Options{})
	plain := begin(t, box, "a")
	must(t, "Sending", plain.Sending(t.Context(), frozen("a")))
	if err := plain.Dot(t.Context()); !errors.Is(err, ErrTicketState) {
		t.Errorf("Dot that was not announced = %v, want ErrTicketState", err)
	}
	f := frozen("b")
	f.AnnouncesDot = true
	early := begin(t, box, "b")
	if err := early.Dot(t.Context()); !errors.Is(err, ErrTicketState) {
		t.Errorf("Dot before Sending = %v, want ErrTicketState", err)
	}
	must(t, "Sending", early.Sending(t.Context(), f))
	must(t, "Dot", early.Dot(t.Context()))
	if err := early.Dot(t.Context()); !errors.Is(err, ErrTicketState) {
		t.Errorf("second Dot = %v, want ErrTicketState", err)
	}
}

// Another process takes this one for dead, because its life file was removed, and may send the message afresh. Then this one must
// not let its dot leave.
func TestDotAfterOthersWentOn(t *testing.T) {
	dir := testDir(t)
	box := openTest(t, dir, Options{})
	f := frozen("a")
	f.AnnouncesDot = true
	ticket := begin(t, box, "a")
	must(t, "Sending", ticket.Sending(t.Context(), f))
	lives, err := filepath.Glob(filepath.Join(dir, "life-*"))
	must(t, "Glob", err)
	for _, name := range lives {
		must(t, "Remove", os.Remove(name))
	}
	if again := begin(t, openTest(t, dir, Options{}), "a"); again.Earlier != nil {
		t.Fatalf("the second ticket has the earlier attempt %+v, want none", again.Earlier)
	}
	if err := ticket.Dot(t.Context()); !errors.Is(err, ErrTicketState) {
		t.Errorf("Dot = %v, want ErrTicketState", err)
	}
	must(t, "Failed", ticket.Failed(t.Context(), "stopped"))
}
