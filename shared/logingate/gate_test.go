package logingate

import (
	"errors"
	"testing"
	"time"
)

var errRefused = errors.New("refused")

func TestGateCountsThreePerWindow(t *testing.T) {
	g := New()
	now := time.Date(2026, 5, 1, 9, 0, 0, 0, time.UTC)
	end := now.Add(loginWindow)
	attempts := 0
	for ; now.Before(end); now = now.Add(time.Second) {
		if g.Check(now, Digest{1}) == nil {
			attempts++
			g.Refused(now, errRefused, false)
		}
	}
	if attempts != loginsPerWindow {
		t.Errorf("got %d attempts in ten minutes, want %d", attempts, loginsPerWindow)
	}
}

func TestTemporaryRefusalPausesBriefly(t *testing.T) {
	g := New()
	now := time.Date(2026, 5, 1, 9, 0, 0, 0, time.UTC)
	for range 10 {
		g.Refused(now, errRefused, true)
	}
	if err := g.Check(now.Add(longestBusyPause), Digest{}); err != nil {
		t.Errorf("got %v, want an attempt after a minute", err)
	}
}

func TestOtherCredentialsStartAfresh(t *testing.T) {
	g := New()
	now := time.Date(2026, 5, 1, 9, 0, 0, 0, time.UTC)
	first, second := g.Sum("plain", "u", "one"), g.Sum("plain", "u", "two")
	if first == second || first == New().Sum("plain", "u", "one") {
		t.Error("digests do not depend on the secret and the key")
	}
	if err := g.Check(now, first); err != nil {
		t.Fatal(err)
	}
	g.Refused(now, errRefused, false)
	var paused *PausedError
	if err := g.Check(now, first); !errors.As(err, &paused) || !errors.Is(err, errRefused) || !paused.Until.Equal(now.Add(firstLoginPause)) {
		t.Errorf("got %v, want a pause of %v", err, firstLoginPause)
	}
	if err := g.Check(now, second); err != nil {
		t.Errorf("got %v for other credentials, want none", err)
	}
	g.Refused(now, errRefused, false)
	g.Succeeded()
	if err := g.Check(now, second); err != nil {
		t.Errorf("got %v after a success, want none", err)
	}
}
