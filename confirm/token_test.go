package confirm

import (
	"errors"
	"strings"
	"testing"
)

func TestToken(t *testing.T) {
	g := newGate(t)
	issue := func() string {
		token, err := g.IssueToken(bound, "frozen")
		if err != nil || len(token) != 32 {
			t.Fatalf("got %q, %v", token, err)
		}
		return token
	}
	token, zeros := issue(), strings.Repeat("0", 32)
	for _, bad := range []string{"", token[1:], token + "0", strings.ToUpper(token[:31]) + "G", " " + token, token + "\n"} {
		if _, err := g.RedeemToken(bad, bound); !errors.Is(err, ErrTokenForm) {
			t.Errorf("%q: got %v, want ErrTokenForm", bad, err)
		}
	}
	if _, err := g.Redeem(token, bound, yes); !errors.Is(err, ErrUnknown) {
		t.Errorf("token as handle: got %v, want ErrUnknown", err)
	}
	for range maxWrongTokens - 1 {
		if _, err := g.RedeemToken(zeros, bound); !errors.Is(err, ErrTokenWrong) {
			t.Errorf("wrong token: got %v, want ErrTokenWrong", err)
		}
	}
	a, err := g.RedeemToken(token, bound)
	if payload, ok := a.Payload(); err != nil || !ok || payload != "frozen" || a.ByPerson() || a.Path() != PathToken {
		t.Errorf("right token after wrong ones: got %v, %v", a, err)
	}
	if _, err := g.RedeemToken(token, bound); !errors.Is(err, ErrSpent) {
		t.Errorf("again: got %v, want ErrSpent", err)
	}
	other := bound
	other.Digest[0]++
	token = issue()
	if _, err := g.RedeemToken(token, other); !errors.Is(err, ErrOtherMessage) {
		t.Errorf("other message: got %v", err)
	}
	if _, err := g.RedeemToken(token, bound); !errors.Is(err, ErrSpent) {
		t.Errorf("after that: got %v, want ErrSpent", err)
	}
	token = issue()
	g.now = g.now.Add(maxLifetime)
	if _, err := g.RedeemToken(token, bound); !errors.Is(err, ErrExpired) {
		t.Errorf("late: got %v, want ErrExpired", err)
	}
	token = issue()
	h := g.open(t, bound)
	for i := range maxWrongTokens {
		want := ErrTokenWrong
		if i == maxWrongTokens-1 {
			want = ErrTokenAttempts
		}
		if _, err := g.RedeemToken(zeros, bound); !errors.Is(err, want) {
			t.Errorf("wrong token %d: got %v, want %v", i+1, err, want)
		}
	}
	if _, err := g.RedeemToken(token, bound); !errors.Is(err, ErrSpent) {
		t.Errorf("right token after too many wrong ones: got %v, want it dropped", err)
	}
	if _, err := g.Redeem(h, bound, yes); err != nil {
		t.Errorf("a question meanwhile: got %v, want nil", err)
	}
}
