package confirm

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"
)

// gateTest is a gate with a clock of its own, and a list of what was reported as ended.
type gateTest struct {
	*Gate[string]
	now   time.Time
	ended []Reason
}

func newGate(t testing.TB) *gateTest {
	t.Helper()
	g := &gateTest{now: time.Unix(1e9, 0)}
	var err error
	g.Gate, err = NewGate[string](GateOptions{Now: func() time.Time { return g.now }, Random: rand.Reader,
		Settled: func(_ Binding, r Reason) { g.ended = append(g.ended, r) }})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func (g *gateTest) open(t testing.TB, b Binding) string {
	t.Helper()
	h, err := g.Open(b, true, "frozen")
	if err != nil {
		t.Fatal(err)
	}
	return h
}

var (
	bound = Binding{"stdio", "send_mail", [32]byte{1}}
	yes   = Answer{Approved, PathElicitation}
)

func TestRedeem(t *testing.T) {
	other := func(change func(*Binding)) Binding {
		b := bound
		change(&b)
		return b
	}
	tests := []struct {
		name   string
		b      Binding
		a      Answer
		later  time.Duration
		want   error
		reason Reason
	}{
		{"yes", bound, yes, 0, nil, Approved},
		{"yes at the last moment", bound, yes, maxLifetime - 1, nil, Approved},
		{"expired", bound, yes, maxLifetime, ErrExpired, Expired},
		{"other message, first octet", other(func(b *Binding) { b.Digest[0] ^= 1 }), yes, 0, ErrOtherMessage, Mismatched},
		{"other message, last octet", other(func(b *Binding) { b.Digest[31] ^= 1 }), yes, 0, ErrOtherMessage, Mismatched},
		{"other tool", other(func(b *Binding) { b.Tool = "forward_mail" }), yes, 0, ErrOtherTool, Mismatched},
		{"other principal", other(func(b *Binding) { b.Principal = "http" }), yes, 0, ErrOtherPrincipal, Mismatched},
		{"no", bound, No(PathElicitation, Declined), 0, ErrNotApproved, Declined},
		{"no answer at all", bound, Answer{}, 0, ErrNotApproved, AskFailed},
		{"a no that claims to be a yes", bound, No(PathTerminal, Approved), 0, ErrNotApproved, AskFailed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g := newGate(t)
			h := g.open(t, bound)
			g.now = g.now.Add(tt.later)
			a, err := g.Redeem(h, tt.b, tt.a)
			if tt.want == nil && err != nil || tt.want != nil && (!errors.Is(err, tt.want) || !errors.Is(err, ErrNotApproved)) {
				t.Errorf("got %v, want %v", err, tt.want)
			}
			payload, ok := a.Payload()
			if ok != (tt.want == nil) || ok != (payload == "frozen") || a.ByPerson() != ok {
				t.Errorf("got payload %q, %t", payload, ok)
			}
			if !slices.Equal(g.ended, []Reason{tt.reason}) {
				t.Errorf("reported: got %v, want %v once", g.ended, tt.reason)
			}
			again := ErrSpent
			if tt.want == ErrExpired {
				again = ErrExpired
			}
			if _, err := g.Redeem(h, bound, yes); !errors.Is(err, again) {
				t.Errorf("second time: got %v, want %v", err, again)
			}
			if _, err := g.Open(bound, true, ""); err != nil {
				t.Errorf("next question: got %v, want nil", err)
			}
		})
	}
}

func TestRedeemInvented(t *testing.T) {
	g := newGate(t)
	h := g.open(t, bound)
	for _, invented := range []string{"", "x", strings.Repeat("0", 64), strings.ToUpper(h) + "0", h + "0", h[1:], h + "\x00", strings.Repeat("0", 1<<20)} {
		if _, err := g.Redeem(invented, bound, yes); !errors.Is(err, ErrUnknown) {
			t.Errorf("handle of %d octets: got %v, want ErrUnknown", len(invented), err)
		}
	}
	if _, err := g.RedeemToken(h[:32], bound); !errors.Is(err, ErrTokenWrong) {
		t.Errorf("handle as token: got %v", err)
	}
	if _, err := g.Redeem(h, bound, yes); err != nil {
		t.Errorf("the real one: got %v, want nil", err)
	}
	if len(h) != 64 {
		t.Errorf("handle: got %d digits, want 64", len(h))
	}
}

func TestRedeemAtOnce(t *testing.T) {
	for range 200 {
		g := newGate(t)
		g.o.Settled = nil
		h := g.open(t, bound)
		var wg sync.WaitGroup
		var mu sync.Mutex
		got := 0
		begin := make(chan struct{})
		for range 8 {
			wg.Go(func() {
				<-begin
				if a, err := g.Redeem(h, bound, yes); err == nil {
					if _, ok := a.Payload(); ok {
						mu.Lock()
						got++
						mu.Unlock()
					}
				}
			})
		}
		close(begin)
		wg.Wait()
		if got != 1 {
			t.Fatalf("approvals: got %d, want 1", got)
		}
	}
}

func TestOpenOneAtATime(t *testing.T) {
	g := newGate(t)
	other := bound
	other.Digest[5] = 9
	h := g.open(t, bound)
	g.now = g.now.Add(time.Minute)
	var open *QuestionOpenError
	for _, b := range []Binding{other, bound} { // a call waits, so not even the same message may take its place
		if _, err := g.Open(b, true, ""); !errors.As(err, &open) || open.Wait != 4*time.Minute {
			t.Errorf("second question: got %v, want *QuestionOpenError for four minutes", err)
		}
	}
	g.Close(h, CallEnded)
	g.Close(h, CallEnded)
	if !slices.Equal(g.ended, []Reason{CallEnded}) {
		t.Errorf("reported: got %v", g.ended)
	}
	h, err := g.Open(bound, false, "first")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := g.Open(other, false, ""); !errors.As(err, &open) {
		t.Errorf("other message: got %v, want *QuestionOpenError", err)
	}
	h2, err := g.Open(bound, false, "second")
	if err != nil {
		t.Fatalf("same message again: got %v, want nil", err)
	}
	if _, err := g.Redeem(h, bound, yes); !errors.Is(err, ErrSpent) {
		t.Errorf("superseded: got %v, want ErrSpent", err)
	}
	if a, err := g.Redeem(h2, bound, yes); err != nil || a.payload != "second" {
		t.Errorf("newer: got %v, %v", a, err)
	}
	g.open(t, bound)
	g.now = g.now.Add(maxLifetime)
	g.open(t, other) // the one before has expired
	if want := []Reason{CallEnded, Superseded, Approved, Expired}; !slices.Equal(g.ended, want) {
		t.Errorf("reported: got %v, want %v", g.ended, want)
	}
}

func TestExpire(t *testing.T) {
	g := newGate(t)
	h := g.open(t, bound)
	token, err := g.IssueToken(bound, "")
	if err != nil {
		t.Fatal(err)
	}
	g.now = g.now.Add(maxLifetime - 1)
	g.Expire()
	if len(g.ended) != 0 {
		t.Errorf("before its time: got %v", g.ended)
	}
	g.now = g.now.Add(1)
	g.Expire()
	g.Expire()
	if !slices.Equal(g.ended, []Reason{Expired, Expired}) || len(g.entries) != 0 {
		t.Errorf("reported: got %v, want both once", g.ended)
	}
	if _, err := g.Redeem(h, bound, yes); !errors.Is(err, ErrExpired) {
		t.Errorf("question: got %v, want ErrExpired", err)
	}
	if _, err := g.RedeemToken(token, bound); !errors.Is(err, ErrExpired) {
		t.Errorf("token: got %v, want ErrExpired", err)
	}
}

func TestCloseApproves(t *testing.T) {
	g := newGate(t)
	g.Close(g.open(t, bound), Approved)
	if !slices.Equal(g.ended, []Reason{AskFailed}) {
		t.Errorf("reported: got %v, want no approval", g.ended)
	}
}

func TestRenew(t *testing.T) {
	g := newGate(t)
	h := g.open(t, bound)
	g.now = g.now.Add(maxLifetime - 1)
	fresh, payload, err := g.Renew(h, bound)
	if err != nil || payload != "frozen" || fresh == h || len(g.ended) != 0 {
		t.Fatalf("got %q, %q, %v, reported %v", fresh, payload, err, g.ended)
	}
	if _, _, err := g.Renew(h, bound); !errors.Is(err, ErrSpent) {
		t.Errorf("old handle: got %v, want ErrSpent", err)
	}
	g.now = g.now.Add(1)
	if _, err := g.Redeem(fresh, bound, yes); !errors.Is(err, ErrExpired) {
		t.Errorf("after the first lifetime: got %v, want ErrExpired", err)
	}
	h = g.open(t, bound)
	if _, _, err := g.Renew(h, Binding{}); !errors.Is(err, ErrOtherPrincipal) {
		t.Errorf("other binding: got %v", err)
	}
	if _, err := g.Redeem(h, bound, yes); !errors.Is(err, ErrSpent) {
		t.Errorf("after that: got %v, want ErrSpent", err)
	}
}

func TestTableIsBounded(t *testing.T) {
	g := newGate(t)
	var tokens []string
	for i := range maxPending + 3 {
		token, err := g.IssueToken(bound, fmt.Sprint(i))
		if err != nil {
			t.Fatal(err)
		}
		tokens = append(tokens, token)
	}
	if len(g.entries) != maxPending || len(g.order) != maxPending {
		t.Errorf("kept: got %d, want %d", len(g.entries), maxPending)
	}
	for i, token := range tokens {
		if _, err := g.RedeemToken(token, bound); (err == nil) != (i >= 3) {
			t.Errorf("token %d: got %v, want the three oldest gone", i, err)
		}
	}
	for range 10 * maxSpent {
		g.Close(g.open(t, bound), CallEnded)
	}
	if len(g.spent) > maxSpent || len(g.entries) != 0 || len(g.order) != 0 {
		t.Errorf("left: %d spent, %d entries", len(g.spent), len(g.entries))
	}
}

func TestRandomFails(t *testing.T) {
	for name, r := range map[string]io.Reader{"error": iotest.ErrReader(errors.New("x")), "short": strings.NewReader("short")} {
		g := newGate(t)
		g.o.Random = r
		h, err := g.Open(bound, true, "")
		if !errors.Is(err, ErrRandom) || h != "" || len(g.entries) != 0 {
			t.Errorf("%s: got %q, %v, want ErrRandom", name, h, err)
		}
		if token, err := g.IssueToken(bound, ""); !errors.Is(err, ErrRandom) || token != "" {
			t.Errorf("%s: got %q, %v, want ErrRandom", name, token, err)
		}
	}
	g := newGate(t)
	g.o.Random = zeroReader{}
	if _, err := g.IssueToken(bound, "first"); err != nil {
		t.Fatal(err)
	}
	if _, err := g.IssueToken(bound, "second"); !errors.Is(err, ErrRandom) {
		t.Errorf("a source that repeats itself: got %v, want ErrRandom", err)
	}
	for _, o := range []GateOptions{{}, {Now: time.Now}, {Random: rand.Reader}} {
		if _, err := NewGate[string](o); err == nil {
			t.Errorf("gate with %v: got nil, want an error", o)
		}
	}
}

type zeroReader struct{}

func (zeroReader) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func TestZeroApproval(t *testing.T) {
	if _, ok := (Approval[string]{}).Payload(); ok || (Approval[string]{}).ByPerson() || (Answer{}).Yes() {
		t.Error("a zero value approves")
	}
}

func TestDigest(t *testing.T) {
	sums := map[[32]byte]string{}
	for name, d := range map[string]*Digest{
		"empty": NewDigest(), "a=b": NewDigest().AddText("a", "b"), "ab=": NewDigest().AddText("ab", ""), "=ab": NewDigest().AddText("", "ab"),
		"two": NewDigest().AddText("a", "b").AddText("a", "b"), "list of one": NewDigest().AddList("a", []string{"b"}), "list of none": NewDigest().AddList("a", nil),
		"list of two": NewDigest().AddList("a", []string{"b", ""}), "order": NewDigest().AddList("a", []string{"", "b"}),
		"shift": NewDigest().AddList("a", []string{"b"}).AddList("c", nil), "shifted": NewDigest().AddList("a", nil).AddList("c", []string{"b"}),
	} {
		if other, twice := sums[d.Sum()]; twice {
			t.Errorf("%s and %s have the same digest", name, other)
		}
		sums[d.Sum()] = name
	}
	if NewDigest().AddText("a", "b").Sum() != NewDigest().Add("a", []byte("b")).Sum() {
		t.Error("the same fields have two digests")
	}
}

func BenchmarkGate(b *testing.B) {
	g, err := NewGate[string](GateOptions{Now: time.Now, Random: rand.Reader})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		h, err := g.Open(bound, true, "frozen")
		if err != nil {
			b.Fatal(err)
		}
		if _, err := g.Redeem(h, bound, yes); err != nil {
			b.Fatal(err)
		}
	}
}
