package imaptest

import (
	"slices"
	"sync"
	"time"
)

// Stats are totals over all connections of a server.
type Stats struct {
	Connections int
	Commands    int
	// RoundTrips counts the commands that were sent while no other was unanswered on the same connection: what is
	// pipelined counts once. The greeting and the TLS handshake are not counted.
	RoundTrips     int
	OctetsReceived int64 // from the client, within TLS, as compressed
	OctetsSent     int64 // to the client, within TLS, as compressed
}

// recorder keeps what a server saw. It is safe for concurrent use.
type recorder struct {
	mu         sync.Mutex
	stats      Stats
	commands   []Command
	violations []string
	open       map[int]map[string]bool // connection to unanswered tags
	since      map[int]time.Time       // when the round trip under way began
	changed    chan struct{}           // closed and replaced at each command and each tagged reply
}

func newRecorder() *recorder {
	return &recorder{open: map[int]map[string]bool{}, since: map[int]time.Time{}, changed: make(chan struct{})}
}

func (r *recorder) connect() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stats.Connections++
	r.open[r.stats.Connections] = map[string]bool{}
	return r.stats.Connections
}

func (r *recorder) command(c Command) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.commands = append(r.commands, c)
	r.stats.Commands++
	if why := violation(c); why != "" {
		r.violations = append(r.violations, why)
	}
	if c.Tag != "" {
		if len(r.open[c.Conn]) == 0 {
			r.stats.RoundTrips++
			r.since[c.Conn] = time.Now()
		}
		r.open[c.Conn][c.Tag] = true
	}
	r.wake()
}

// wake lets those who wait look again. The caller holds mu.
func (r *recorder) wake() {
	close(r.changed)
	r.changed = make(chan struct{})
}

// pending reports whether tag awaits its reply on the connection, and when its round trip began.
func (r *recorder) pending(conn int, tag string) (since time.Time, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.since[conn], r.open[conn][tag]
}

func (r *recorder) answered(conn int, tag string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.open[conn], tag)
	r.wake()
}

// waitTurn returns once no command but tag is unanswered on the connection, or when over is closed.
func (r *recorder) waitTurn(conn int, tag string, over <-chan struct{}) {
	for {
		r.mu.Lock()
		others := len(r.open[conn])
		if r.open[conn][tag] {
			others--
		}
		changed := r.changed
		r.mu.Unlock()
		if others == 0 {
			return
		}
		select {
		case <-changed:
		case <-over:
			return
		}
	}
}

func (r *recorder) violate(what string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.violations = append(r.violations, what)
}

func (r *recorder) received(n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stats.OctetsReceived += int64(n)
}

func (r *recorder) sent(n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stats.OctetsSent += int64(n)
}

// Commands returns every command received so far, in order of arrival. Safe for concurrent use.
func (r *recorder) Commands() []Command {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.commands)
}

// Verbs returns the verbs of Commands. Safe for concurrent use.
func (r *recorder) Verbs() []string {
	var verbs []string
	for _, c := range r.Commands() {
		verbs = append(verbs, c.Verb)
	}
	return verbs
}

// Stats returns the totals so far. Safe for concurrent use.
func (r *recorder) Stats() Stats {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.stats
}

// Reset forgets the commands and sets the totals to zero, so that a test can measure one step. Violations stay.
func (r *recorder) Reset() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.commands = nil
	r.stats = Stats{Connections: r.stats.Connections}
}

// Violations returns one line for each command received that does not belong to reading. Safe for concurrent use.
func (r *recorder) Violations() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.violations)
}

// waitCommand returns once a command satisfies match, or when done is closed.
func (r *recorder) waitCommand(done <-chan struct{}, match func(Command) bool) (Command, bool) {
	for {
		r.mu.Lock()
		i := slices.IndexFunc(r.commands, match)
		changed := r.changed
		if i >= 0 {
			c := r.commands[i]
			r.mu.Unlock()
			return c, true
		}
		r.mu.Unlock()
		select {
		case <-changed:
		case <-done:
			return Command{}, false
		}
	}
}
