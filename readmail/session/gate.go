package session

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"sync"
	"time"
)

// Pauses after refused logins. Limit: providers lock accounts or addresses after five to ten refusals in a short time.
const (
	firstLoginPause  = 30 * time.Second // doubles with every refusal
	longestPause     = time.Hour
	loginWindow      = 10 * time.Minute // at most loginsPerWindow refused attempts within this time
	loginsPerWindow  = 3
	firstBusyPause   = 2 * time.Second // after "not now"; doubles
	longestBusyPause = time.Minute
)

// loginGate remembers refused logins. It keeps a keyed digest of the credentials, not the credentials.
type loginGate struct {
	key [32]byte

	mu      sync.Mutex
	digest  [32]byte
	refused []time.Time
	busy    int
	until   time.Time
	last    error
}

func newLoginGate() *loginGate {
	g := &loginGate{}
	rand.Read(g.key[:])
	return g
}

// sum returns the digest under which attempts with these credentials are counted.
func (g *loginGate) sum(method AuthMethod, user, secret string) [32]byte {
	h := hmac.New(sha256.New, g.key[:])
	for _, s := range []string{string(method), user, secret} {
		h.Write([]byte(s))
		h.Write([]byte{0})
	}
	return [32]byte(h.Sum(nil))
}

// check returns a LoginPausedError if no attempt may be made now. Other credentials than last time start afresh.
func (g *loginGate) check(now time.Time, digest [32]byte) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.digest != digest {
		g.digest, g.refused, g.busy, g.until, g.last = digest, nil, 0, time.Time{}, nil
	}
	if now.Before(g.until) {
		return &LoginPausedError{Until: g.until, Last: g.last}
	}
	return nil
}

// failed notes a refusal. Errors that say nothing about the credentials are not counted.
func (g *loginGate) failed(now time.Time, err error) {
	var auth *AuthError
	if !errors.As(err, &auth) {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.last = err
	if auth.Temporary {
		g.until = now.Add(min(firstBusyPause<<min(g.busy, 10), longestBusyPause))
		g.busy++
		return
	}
	g.refused = append(g.refused, now)
	n := len(g.refused)
	g.until = now.Add(min(firstLoginPause<<min(n-1, 10), longestPause))
	if n >= loginsPerWindow {
		if end := g.refused[n-loginsPerWindow].Add(loginWindow); end.After(g.until) {
			g.until = end
		}
	}
}

// succeeded forgets earlier refusals.
func (g *loginGate) succeeded() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.refused, g.busy, g.until, g.last = nil, 0, time.Time{}, nil
}
