package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"mailgap/cmd/mail-evals/agent"
	"mailgap/cmd/mail-evals/mutant"
	"mailgap/cmd/mail-evals/report"
	"mailgap/cmd/mail-evals/suite"
	"mailgap/cmd/mail-evals/world"
)

// killedLeast is the share of mutants that the attacks have to notice, in percent.
const killedLeast = 95

// mutate breaks the guards and prints which mutants nobody noticed.
func (a *app) mutate(ctx context.Context) (int, error) {
	l, err := a.load(false)
	if err != nil {
		return exitFailed, err
	}
	dir, err := scratch()
	if err != nil {
		return exitFailed, err
	}
	defer os.RemoveAll(dir)
	mutants, overlay, err := mutant.Plant(l.root, dir)
	if err != nil {
		return exitFailed, err
	}
	fmt.Fprintf(a.stderr, "building the programs with %d mutants in them\n", len(mutants))
	p, err := world.Build(ctx, l.root, dir, "-overlay", overlay)
	if err != nil {
		return exitFailed, err
	}
	if !a.full {
		mutants = spread(mutants, a.sample)
	}
	state := filepath.Join(dir, "worlds")
	if err := os.Mkdir(state, 0o700); err != nil {
		return exitFailed, err
	}
	h := &mutant.Hunter{Attacks: l.attacks, Tasks: l.tasks,
		Runner: func(id string, m agent.Model) *suite.Runner {
			return &suite.Runner{Shipped: p, Switchable: p, Dir: state, Model: m, Workers: a.workers, Chunk: perWorld, Now: time.Now, Extra: []string{mutant.Variable + "=" + id}}
		},
		Progress: func(done, total int, r mutant.Result) {
			word := "SURVIVED"
			if r.Killed {
				word = "killed by " + r.By
			}
			fmt.Fprintf(a.stderr, "%d of %d  %s %s %s: %s: %s\n", done, total, r.ID, r.Guard, r.Place, r.Kind, word)
		}}
	results, err := h.Hunt(ctx, mutants)
	if err != nil && (len(results) == 0 || !errors.Is(err, context.Canceled)) {
		return exitFailed, err
	}
	if err != nil { // interrupted: what was found so far counts, and says out of how many
		fmt.Fprintf(a.stderr, "interrupted after %d of %d mutants\n", len(results), len(mutants))
	}
	if a.json != "" {
		if err := writeJSON(a.json, results); err != nil {
			return exitFailed, err
		}
	}
	if err := a.store(func(s *report.Summary) { s.Mutants = tally(results) }); err != nil {
		return exitFailed, err
	}
	return a.survivors(results), nil
}

// tally counts.
func tally(results []mutant.Result) *report.Mutants {
	m := &report.Mutants{Total: len(results)}
	for _, r := range results {
		if r.Killed {
			m.Killed++
		} else {
			m.Survivors = append(m.Survivors, r.Guard+" "+r.Place+": "+r.Kind+": "+r.Was)
		}
	}
	return m
}

// spread takes n of them, evenly.
func spread(all []mutant.Mutant, n int) []mutant.Mutant {
	if n >= len(all) {
		return all
	}
	var out []mutant.Mutant
	for i := range n {
		out = append(out, all[i*len(all)/n])
	}
	return out
}

// survivors prints the result.
func (a *app) survivors(results []mutant.Result) int {
	killed := 0
	for _, r := range results {
		if r.Killed {
			killed++
			continue
		}
		fmt.Fprintf(a.stdout, "survived: %s %s: %s: %s\n", r.Guard, r.Place, r.Kind, r.Was)
	}
	low, high := report.Interval(killed, len(results))
	fmt.Fprintf(a.stdout, "%d of %d mutants killed by attacks and tasks alone (95 %% interval %.1f to %.1f %%)\n", killed, len(results), 100*low, 100*high)
	if killed*100 < len(results)*killedLeast && a.full {
		return exitFailed
	}
	return exitOK
}
