package mcpserve

import "log/slog"

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
	log *slog.Logger
}

// Progress tells the client how far the call is, if the client asked for that. total 0 means unknown. Notes are dropped
// when they come faster than a few in a second; they are comfort only and may arrive late or not at all.
func (c *Call) Progress(done, total float64, note SafeText) {}

// ClientElicitation says which kinds of questions the client declared. Direct calls have none.
func (c *Call) ClientElicitation() Elicitation { return Elicitation{} }

// Principal names who calls: on stdio the process that owns the pipe, so always the same; never empty.
func (c *Call) Principal() string { return "stdio" }

// Era returns the protocol era of the request.
func (c *Call) Era() Era { return EraDirect }

// Log returns a logger that carries the tool name and a number for this call. Never nil.
func (c *Call) Log() *slog.Logger { return slog.New(slog.DiscardHandler) }
