package logingate

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
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

// PausedError says that no login is tried before Until, because earlier ones with the same credentials were refused.
// Last is the refusal.
type PausedError struct {
	Until time.Time
	Last  error
}

func (e *PausedError) Error() string {
	return "login was refused before, next attempt after " + e.Until.UTC().Format(time.RFC3339)
}

// Unwrap returns the refusal that started the pause.
func (e *PausedError) Unwrap() error { return e.Last }

// Digest stands for credentials in a Gate.
type Digest [sha256.Size]byte

// Gate is safe for concurrent use. Make one with New.
type Gate struct {
	key [32]byte

	mu      sync.Mutex
	digest  Digest
	refused []time.Time
	busy    int
	until   time.Time
	last    error
}

// New returns a gate that has seen no refusal.
func New() *Gate {
	g := &Gate{}
	rand.Read(g.key[:])
	return g
}

// Sum returns the digest under which attempts with these credentials are counted.
func (g *Gate) Sum(method, user, secret string) Digest {
	h := hmac.New(sha256.New, g.key[:])
	for _, s := range []string{method, user, secret} {
		h.Write([]byte(s))
		h.Write([]byte{0})
	}
	return Digest(h.Sum(nil))
}

// Check returns a PausedError if no attempt may be made now. Other credentials than last time start afresh.
func (g *Gate) Check(now time.Time, digest Digest) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.digest != digest {
		g.digest, g.refused, g.busy, g.until, g.last = digest, nil, 0, time.Time{}, nil
	}
	if now.Before(g.until) {
		return &PausedError{Until: g.until, Last: g.last}
	}
	return nil
}

// Refused notes that a login was refused with err. temporary means that the server could not decide: the pause is short
// then and nothing is counted.
func (g *Gate) Refused(now time.Time, err error, temporary bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.last = err
	if temporary {
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

// Succeeded forgets earlier refusals.
func (g *Gate) Succeeded() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.refused, g.busy, g.until, g.last = nil, 0, time.Time{}, nil
}
