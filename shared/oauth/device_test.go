package oauth

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

func TestDevice(t *testing.T) {
	for _, c := range []struct {
		name   string
		device []string
		want   error
		waits  string // between polls
	}{
		{"at once", nil, nil, "[5s]"},
		{"after a while", []string{"authorization_pending", "authorization_pending", ""}, nil, "[5s 5s 5s]"},
		{"too fast", []string{"slow_down", "authorization_pending", ""}, nil, "[5s 10s 10s]"},
		{"denied", []string{"authorization_pending", "access_denied"}, ErrDenied, "[5s 5s]"},
		{"denied by Microsoft", []string{"authorization_declined"}, ErrDenied, "[5s]"},
		{"expired", []string{"expired_token"}, ErrExpired, "[5s]"},
		{"wrong client", []string{"invalid_client"}, ErrClient, "[5s]"},
		{"unknown refusal", []string{"something"}, ErrIssuer, "[5s]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				i := newIssuer(t)
				i.device = c.device
				var shown []Prompt
				start := time.Now()
				g, err := SignInDevice(t.Context(), i.config(), func(p Prompt) { shown = append(shown, p) })
				noWords(t, err)
				if !errors.Is(err, c.want) || (err == nil) != (g.RefreshToken == "refresh-sEcReT-1") {
					t.Fatalf("got %v, want %v", err, c.want)
				}
				if len(shown) != 1 || shown[0].Code != "ABCD-EFGH" || shown[0].URL != issuerURL+"/activate" {
					t.Errorf("shown: %v", shown)
				}
				var waits []time.Duration
				for _, at := range i.polls {
					waits = append(waits, at.Sub(start))
					start = at
				}
				if got := fmt.Sprint(waits); got != c.waits {
					t.Errorf("polls: got %s, want %s", got, c.waits)
				}
			})
		})
	}
}

// A person who never decides ends the wait when the code expires, and a caller who gives up ends it at once.
func TestDeviceEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := newIssuer(t)
		for range 1000 {
			i.device = append(i.device, "authorization_pending")
		}
		start := time.Now()
		if _, err := SignInDevice(t.Context(), i.config(), func(Prompt) {}); !errors.Is(err, ErrExpired) || time.Since(start) != 10*time.Minute {
			t.Errorf("got %v after %v, want ErrExpired after the 10 minutes of the code", err, time.Since(start))
		}
		ctx, cancel := context.WithTimeout(t.Context(), 7*time.Second)
		defer cancel()
		if _, err := SignInDevice(ctx, i.config(), func(Prompt) {}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, want the error of the context", err)
		}
	})
}

// What a provider gives is looked at before it is kept.
func TestDeviceGrants(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*issuer)
		want   error
	}{
		{"without the mail scope", func(i *issuer) { i.scope = "profile offline_access" }, ErrScope},
		{"with it, in other letters", func(i *issuer) { i.scope = "MAIL" }, nil},
		{"without a refresh token", func(i *issuer) { i.noRefresh = true }, ErrNoRefresh},
		{"no device endpoint", func(i *issuer) { i.meta = func(m map[string]any) { delete(m, "device_authorization_endpoint") } }, ErrNoDevice},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				i := newIssuer(t)
				c.change(i)
				if _, err := SignInDevice(t.Context(), i.config(), func(Prompt) {}); !errors.Is(err, c.want) {
					t.Errorf("got %v, want %v", err, c.want)
				}
			})
		})
	}
	if _, err := SignInDevice(t.Context(), Config{Provider: Google, ClientID: "x"}, nil); !errors.Is(err, ErrNoDevice) {
		t.Errorf("Google: got %v, want ErrNoDevice", err)
	}
}
