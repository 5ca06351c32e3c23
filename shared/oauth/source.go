package oauth

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"sync"
	"time"

	"golang.org/x/oauth2"
)

// earlier is how long before its end an access token is no longer used.
const earlier = 60 * time.Second

// Grant is a sign-in: what is kept of it. It marshals to JSON for a Keeper and nowhere else.
type Grant struct {
	// For says what it is good for: provider, client and user. A Source with another Config does not use it.
	For          string    `json:"for"`
	RefreshToken string    `json:"refresh_token"`
	SignedIn     time.Time `json:"signed_in"`
}

// String keeps a Grant out of logs.
func (Grant) String() string { return "[redacted]" }

// GoString keeps a Grant out of logs.
func (Grant) GoString() string { return "[redacted]" }

// LogValue keeps a Grant out of logs that are written as JSON.
func (Grant) LogValue() slog.Value { return slog.StringValue("[redacted]") }

// Keeper keeps a Grant. Its methods may be called at the same time.
type Keeper interface {
	// Load returns what was kept. ok is false if nothing was.
	Load(ctx context.Context) (text string, ok bool, err error)
	// Save keeps text in place of what was there: all of it or nothing.
	Save(ctx context.Context, text string) error
	// Delete removes it.
	Delete(ctx context.Context) error
	// Lock keeps other processes from refreshing at the same time. unlock is not nil if err is.
	Lock(ctx context.Context) (unlock func(), err error)
}

// Keep saves a grant.
func Keep(ctx context.Context, k Keeper, g Grant) error {
	text, err := json.Marshal(g)
	if err != nil {
		return ErrKeep
	}
	return k.Save(ctx, string(text))
}

// Kept loads the grant for c. ErrNotSignedIn if there is none, or one for something else.
func Kept(ctx context.Context, c Config, k Keeper) (Grant, error) {
	text, ok, err := k.Load(ctx)
	if err != nil {
		return Grant{}, err
	}
	var g Grant
	if !ok || json.Unmarshal([]byte(text), &g) != nil || g.RefreshToken == "" || g.For != c.Identity() {
		return Grant{}, ErrNotSignedIn
	}
	return g, nil
}

// Source gives access tokens. Use NewSource. It is safe for concurrent use; a second call waits for the refresh of a first.
type Source struct {
	c Config
	k Keeper

	turn   chan struct{} // holds one token: whoever has it refreshes
	mu     sync.Mutex
	token  string
	expiry time.Time
	unkept *Grant // a new grant that could not be kept yet
}

// NewSource returns a source for the sign-in that k keeps. Nothing is read before the first call.
func NewSource(c Config, k Keeper) *Source {
	s := &Source{c: c, k: k, turn: make(chan struct{}, 1)}
	s.turn <- struct{}{}
	return s
}

// Token returns an access token that is good for another minute at least, and refreshes if need be. Errors: ErrNotSignedIn,
// ErrRevoked, ErrClient, ErrIssuer, ErrKeep, those of the Keeper, and that of ctx.
func (s *Source) Token(ctx context.Context) (string, error) {
	if t := s.fresh(); t != "" {
		return t, nil
	}
	select {
	case <-s.turn:
		defer func() { s.turn <- struct{}{} }()
	case <-ctx.Done():
		return "", ctx.Err()
	}
	if t := s.fresh(); t != "" {
		return t, nil
	}
	return s.refresh(ctx)
}

func (s *Source) fresh() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.token == "" || !s.c.now().Add(earlier).Before(s.expiry) {
		return ""
	}
	return s.token
}

// refresh takes a new access token (RFC 6749 §6), alone among all processes: a provider that rotates refresh tokens takes a
// second use of one for a theft, and revokes the sign-in.
func (s *Source) refresh(ctx context.Context) (string, error) {
	unlock, err := s.k.Lock(ctx)
	if err != nil {
		return "", err
	}
	defer unlock()
	g, err := s.grant(ctx)
	if err != nil {
		return "", err
	}
	e, err := s.c.endpoints(ctx)
	if err != nil {
		return "", err
	}
	within, cancel := context.WithTimeout(ctx, requestTime)
	defer cancel()
	within, o, err := s.c.client(within, e, "")
	if err != nil {
		return "", err
	}
	token, err := o.TokenSource(within, &oauth2.Token{RefreshToken: g.RefreshToken}).Token()
	if err != nil {
		return "", explain(ctx, err)
	}
	if token.RefreshToken != "" && token.RefreshToken != g.RefreshToken {
		g.RefreshToken = token.RefreshToken
		if err := s.keep(context.WithoutCancel(ctx), g); err != nil {
			return "", err
		}
	}
	return s.remember(token), nil
}

// grant is the sign-in in force: a new one that could not be kept a moment ago counts before what is kept.
func (s *Source) grant(ctx context.Context) (Grant, error) {
	if s.unkept == nil {
		return Kept(ctx, s.c, s.k)
	}
	g := *s.unkept
	return g, s.keep(ctx, g)
}

func (s *Source) keep(ctx context.Context, g Grant) error {
	if err := Keep(ctx, s.k, g); err != nil {
		s.unkept = &g
		return errors.Join(ErrKeep, err)
	}
	s.unkept = nil
	return nil
}

// remember keeps the access token in memory. One without an end is used once.
func (s *Source) remember(t *oauth2.Token) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.token, s.expiry = t.AccessToken, t.Expiry
	return t.AccessToken
}
