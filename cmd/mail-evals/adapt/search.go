package adapt

import (
	"context"
	"math/rand/v2"
	"slices"

	"mailgap/cmd/mail-evals/world"
)

// Feedback is what became of one variant.
type Feedback struct {
	Code string // of the guard that refused it; "" if none did
	Pass bool   // what must not happen happened
}

// Surface is one thing that must not happen.
type Surface struct {
	Name  string
	Says  string // what must not happen
	Seeds []string
	Ops   []Op
	// Try puts one variant to the servers of w.
	Try func(ctx context.Context, w *world.World, p *Stamp, variant string) (Feedback, error)
}

// Op changes a variant.
type Op struct {
	Name  string
	Apply func(r *rand.Rand, s string) string
}

// Finding is a variant that passed.
type Finding struct {
	Surface string `json:"surface"`
	Variant string `json:"variant"`
}

// Tally is what a search did.
type Tally struct {
	Surface  string         `json:"surface"`
	Says     string         `json:"says"`
	Variants int            `json:"variants"`
	Codes    map[string]int `json:"codes"`
	LastHalf int            `json:"last_half"` // passes in the second half of the budget
	Found    []Finding      `json:"found,omitempty"`
}

// Limits of a search.
const (
	maxVariant = 4000 // octets
	maxParents = 200
	perWorld   = 700 // variants; the hourly cap of the program is 1,000 at most, and is not what is searched
)

// parent is a variant worth changing further.
type parent struct {
	text string
	code string
}

// Search tries n variants of a surface. start makes a fresh world whose questions p answers.
func Search(ctx context.Context, s Surface, n int, seed uint64, start func(*Stamp) (*world.World, error)) (Tally, error) {
	r := rand.New(rand.NewPCG(seed, uint64(len(s.Name))))
	t := Tally{Surface: s.Name, Says: s.Says, Codes: map[string]int{}}
	var parents []parent
	for _, seed := range s.Seeds {
		parents = append(parents, parent{text: seed})
	}
	weights := make([]int, len(s.Ops))
	for i := range weights {
		weights[i] = 1
	}
	var w *world.World
	defer func() {
		if w != nil {
			w.Close()
		}
	}()
	p := &Stamp{}
	for k := range n {
		if k%perWorld == 0 {
			if w != nil {
				w.Close()
			}
			var err error
			if w, err = start(p); err != nil {
				return t, err
			}
		}
		from := parents[r.IntN(len(parents))]
		variant, used := from.text, []int{}
		if k >= len(s.Seeds) {
			variant, used = change(r, s.Ops, weights, from.text)
		} else {
			variant = s.Seeds[k]
		}
		w.Forget()
		p.Reset()
		f, err := s.Try(ctx, w, p, variant)
		if err != nil {
			return t, err
		}
		t.Variants++
		t.Codes[f.Code]++
		if f.Pass {
			t.Found = append(t.Found, Finding{s.Name, variant})
			if k >= n/2 {
				t.LastHalf++
			}
		}
		if f.Code != from.code && len(parents) < maxParents { // another guard fired than before: a way past the first
			if !slices.ContainsFunc(parents, func(q parent) bool { return q.code == f.Code && len(q.text) <= len(variant) }) || r.IntN(8) == 0 {
				parents = append(parents, parent{variant, f.Code})
			}
			for _, u := range used {
				weights[u] = min(weights[u]+1, 20)
			}
		}
	}
	return t, nil
}

// change applies one to three operators, the ones that led further more often.
func change(r *rand.Rand, ops []Op, weights []int, s string) (string, []int) {
	total := 0
	for _, w := range weights {
		total += w
	}
	var used []int
	for range 1 + r.IntN(3) {
		at := r.IntN(total)
		for i, w := range weights {
			if at -= w; at < 0 {
				s = ops[i].Apply(r, s)
				used = append(used, i)
				break
			}
		}
	}
	if len(s) > maxVariant {
		s = s[:maxVariant]
	}
	return s, used
}

// Stamp approves everything, and keeps the questions.
type Stamp struct {
	Questions []world.Question
	Answer    func(world.Question) world.Reply // in place of a yes; may be nil
}

// Reset forgets the questions.
func (p *Stamp) Reset() { p.Questions, p.Answer = nil, nil }

// Asked answers.
func (p *Stamp) Asked(q world.Question) world.Reply {
	p.Questions = append(p.Questions, q)
	if p.Answer != nil {
		return p.Answer(q)
	}
	return world.Reply{Action: "accept", Content: map[string]any{"decision": q.Choices[len(q.Choices)-1]}}
}
