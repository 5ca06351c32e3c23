package confirm

import (
	"errors"
	"testing"
	"time"
)

// A record gives a message out only if everything fits and it is a yes of page or terminal.
func TestRedeemRecord(t *testing.T) {
	now := time.Unix(1000, 0)
	g, err := NewGate[string](GateOptions{Now: func() time.Time { return now }, Random: zeroes{}})
	if err != nil {
		t.Fatal(err)
	}
	b, shown := Binding{"stdio", "send_mail", [32]byte{1}}, [32]byte{2}
	good := Answer{Approved, PathPage}.Record(b, shown, now.Add(time.Minute))
	tests := []struct {
		name   string
		change func(*Record)
		want   error
	}{
		{"good", func(*Record) {}, nil},
		{"terminal", func(r *Record) { r.Path = PathTerminal }, nil},
		{"other principal", func(r *Record) { r.Binding.Principal = "x" }, ErrOtherPrincipal},
		{"other tool", func(r *Record) { r.Binding.Tool = "x" }, ErrOtherTool},
		{"other message", func(r *Record) { r.Binding.Digest[0]++ }, ErrOtherMessage},
		{"shown otherwise", func(r *Record) { r.Shown[0]++ }, ErrOtherMessage},
		{"expired", func(r *Record) { r.Expires = now }, ErrExpired},
		{"no", func(r *Record) { r.Reason = DoNotSend }, ErrNotApproved},
		{"nothing", func(r *Record) { r.Reason = "" }, ErrNotApproved},
		{"invented reason", func(r *Record) { r.Reason = "yes" }, ErrNotApproved},
		{"the client's form", func(r *Record) { r.Path = PathElicitation }, ErrNotApproved},
		{"a token", func(r *Record) { r.Path = PathToken }, ErrNotApproved},
		{"no path", func(r *Record) { r.Path = "" }, ErrNotApproved},
	}
	for _, tt := range tests {
		r := good
		tt.change(&r)
		a, err := g.RedeemRecord(r, b, shown, "message")
		if message, ok := a.Payload(); !errors.Is(err, tt.want) || ok != (tt.want == nil) || ok && (message != "message" || a.Path() != r.Path || !a.ByPerson()) {
			t.Errorf("%s: got %q %t, %v, want %v", tt.name, message, ok, err, tt.want)
		}
	}
}

// zeroes is a random source for a gate that opens nothing twice.
type zeroes struct{}

func (zeroes) Read(p []byte) (int, error) { return len(p), nil }

// A question outside of the gate keeps others from being put, and the other way round, until it is over.
func TestOccupy(t *testing.T) {
	now := time.Unix(1000, 0)
	g, err := NewGate[string](GateOptions{Now: func() time.Time { return now }, Random: zeroes{}})
	if err != nil {
		t.Fatal(err)
	}
	b, other := Binding{"stdio", "send_mail", [32]byte{1}}, Binding{"stdio", "send_mail", [32]byte{2}}
	var open *QuestionOpenError
	free, err := g.Occupy(b, now.Add(10*time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := g.Open(other, true, "x"); !errors.As(err, &open) || open.Wait != 10*time.Minute {
		t.Errorf("open: got %v, want to wait ten minutes", err)
	}
	if _, err := g.Occupy(b, now.Add(time.Hour)); !errors.As(err, &open) {
		t.Errorf("occupied twice: got %v", err)
	}
	free()
	handle, err := g.Open(other, true, "x")
	if err != nil {
		t.Fatalf("after it was freed: %v", err)
	}
	free() // once more does nothing
	if _, err := g.Occupy(b, now.Add(time.Hour)); !errors.As(err, &open) {
		t.Errorf("beside an open question: got %v", err)
	}
	reported := false
	g.Watch(func(string, Reason) { reported = true })
	g.Withdraw(handle)
	if _, err := g.Occupy(b, now.Add(time.Minute)); err != nil || reported {
		t.Errorf("after it was withdrawn: %v, reported %t", err, reported)
	}
	now = now.Add(time.Minute)
	if _, err := g.Open(other, true, "y"); errors.As(err, &open) {
		t.Errorf("after its time: got %v", err)
	}
}

func TestReasons(t *testing.T) {
	q := Question{Notes: []Note{{Text: Say("a")}, {Level: LevelElevated, Text: Say("b")}, {Level: LevelSevere, Text: Say("c"), Values: []string{"secret"}}, {Level: LevelSevere, Text: Say("c")}}}
	if got := q.Reasons(LevelElevated); len(got) != 2 || got[0].SafeText() != "b" || got[1].SafeText() != "c" {
		t.Errorf("got %v", got)
	}
}
