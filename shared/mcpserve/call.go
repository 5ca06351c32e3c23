package mcpserve

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// Era says which family of protocol revisions a request belongs to.
type Era int

// The eras.
const (
	EraDirect Era = iota // called in-process, no protocol
	EraLegacy            // 2024-11-05 to 2025-11-25
	EraModern            // 2026-07-28 and later
)

// Elicitation says which kinds of questions the client declared for this call.
type Elicitation struct{ Form, URL bool }

// Call is one running tool call. All methods work on a nil *Call and may be called from several goroutines.
type Call struct {
	log       *slog.Logger
	era       Era
	elicit    Elicitation
	principal string
	notify    func(done, total float64, note string)                      // nil if the client wants no progress
	ask       func(ctx context.Context, a *Ask, still func(n int)) Answer // nil for direct calls, which have no client
	answer    *Answer                                                     // brought by a repeated call of the modern era

	mu    sync.Mutex
	now   func() time.Time
	last  time.Time
	done  float64
	sent  bool
	ended bool
}

const (
	progressInterval   = 250 * time.Millisecond // a person cannot read faster; clients may reset a timeout at each
	maxProgressOctets  = 300                    // of one note
	principalStdio     = "stdio"
	principalInProcess = "in-process"
)

// Progress tells the client how far the call is, if the client asked for that. total 0 means unknown. Notes are dropped
// when they come faster than four in a second, when done does not grow, or when the client does not read; they are comfort
// only.
func (c *Call) Progress(done, total float64, note SafeText) {
	if c == nil || c.notify == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.now()
	if c.ended || c.sent && (done <= c.done || now.Sub(c.last) < progressInterval) {
		return
	}
	c.sent, c.last, c.done = true, now, done
	text := ""
	if note != nil {
		text = cut(note.SafeText(), maxProgressOctets)
	}
	c.notify(done, total, text)
}

// end stops progress notes, so that none follows the response.
func (c *Call) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
}

// ClientElicitation says which kinds of questions the client declared. Direct calls have none.
func (c *Call) ClientElicitation() Elicitation {
	if c == nil {
		return Elicitation{}
	}
	return c.elicit
}

// Principal names who calls: on stdio the process that owns the pipe, so always the same; never empty.
func (c *Call) Principal() string {
	if c == nil || c.principal == "" {
		return principalInProcess
	}
	return c.principal
}

// Era returns the protocol era of the request.
func (c *Call) Era() Era {
	if c == nil {
		return EraDirect
	}
	return c.era
}

// Log returns a logger that carries the tool name and a number for this call. Never nil.
func (c *Call) Log() *slog.Logger {
	if c == nil || c.log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return c.log
}
