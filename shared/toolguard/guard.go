package toolguard

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"
)

// Errors of Check. Both mean: do not make this call.
var (
	// ErrTool says that the task does not need this tool.
	ErrTool = errors.New("toolguard: the tool is not on the task's list")
	// ErrUnplanned says that foreign text was read, and the user's request did not plan this call.
	ErrUnplanned = errors.New("toolguard: foreign text was read, and the request did not plan this call")
)

// Call is one call that a model wants to make.
type Call struct {
	Tool string
	Args map[string]any // as decoded from JSON: strings, float64, bool, nil, []any, map[string]any
}

// Step is one call that the user's request plans.
type Step struct {
	Tool  string
	Fixed map[string]any // arguments that must be there with exactly this value, as decoded from JSON
	Free  []string       // arguments that may be there with any value: the attacker may choose them
	Times int            // how often; 0 means once
}

// Plan is what the user's request needs, written down before anything foreign was read.
type Plan struct {
	Tools   []string // tools that may be called at all
	Trusted []string // tools whose output no stranger can write; it does not taint
	Steps   []Step   // calls that stay possible once the context is tainted
}

// Guard watches the calls of one request. It is safe for concurrent use. Make one with New.
type Guard struct {
	plan Plan

	mu      sync.Mutex
	tainted bool
	left    []int // uses left per step
}

// New returns a guard for one request. It keeps the plan; the caller must not change it afterwards.
func New(p Plan) *Guard {
	g := &Guard{plan: p}
	for _, s := range p.Steps {
		g.left = append(g.left, max(s.Times, 1))
	}
	return g
}

// Check says whether the call may be made, and uses up the step that covers it. Call it before each call, for a repetition too.
// The error wraps ErrTool or ErrUnplanned, names the tool, and holds no argument.
func (g *Guard) Check(c Call) error {
	if !slices.Contains(g.plan.Tools, c.Tool) {
		return fmt.Errorf("%w: %q", ErrTool, c.Tool)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.cover(c) || !g.tainted {
		return nil
	}
	return fmt.Errorf("%w: %q", ErrUnplanned, c.Tool)
}

// cover uses up a step that c fits.
func (g *Guard) cover(c Call) bool {
	for i, s := range g.plan.Steps {
		if g.left[i] > 0 && s.covers(c) {
			g.left[i]--
			return true
		}
	}
	return false
}

// covers reports whether c is what s planned.
func (s Step) covers(c Call) bool {
	if c.Tool != s.Tool {
		return false
	}
	for name, want := range s.Fixed {
		got, there := c.Args[name]
		if !there || !reflect.DeepEqual(got, want) {
			return false
		}
	}
	for name := range c.Args {
		if _, fixed := s.Fixed[name]; !fixed && !slices.Contains(s.Free, name) {
			return false
		}
	}
	return true
}

// Saw tells the guard that output of the tool entered the model's context: errors and listings count as well.
func (g *Guard) Saw(tool string) {
	if slices.Contains(g.plan.Trusted, tool) {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.tainted = true
}

// Tainted reports whether something foreign was read.
func (g *Guard) Tainted() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.tainted
}
