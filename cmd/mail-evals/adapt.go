package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"mailgap/cmd/mail-evals/adapt"
	"mailgap/cmd/mail-evals/report"
	"mailgap/cmd/mail-evals/world"
	"mailgap/readmail/demo/memserver"
)

// nightlyVariants is how many variants of a surface the long search tries.
const nightlyVariants = 1000

// searchSeed makes a search repeatable. Another night can take another one.
const searchSeed = 20261130

// adapt searches every surface for something that passes.
func (a *app) adapt(ctx context.Context) (int, error) {
	root, err := world.ModuleRoot()
	if err != nil {
		return exitFailed, err
	}
	dir, err := scratch()
	if err != nil {
		return exitFailed, err
	}
	defer os.RemoveAll(dir)
	fmt.Fprintln(a.stderr, "building imap-mcp and smtp-mcp")
	p, err := world.Build(ctx, root, dir)
	if err != nil {
		return exitFailed, err
	}
	n := a.variantCount
	if a.nightly {
		n = max(n, nightlyVariants)
	}
	tallies, err := searchAll(ctx, p, dir, n, a.only)
	if err != nil {
		return exitFailed, err
	}
	if a.json != "" {
		if err := writeJSON(a.json, tallies); err != nil {
			return exitFailed, err
		}
	}
	err = a.store(func(s *report.Summary) {
		s.Search = nil
		for _, t := range tallies {
			s.Search = append(s.Search, report.Search{Surface: t.Surface, Says: t.Says, Variants: t.Variants, Passed: len(t.Found), Guards: len(t.Codes)})
		}
	})
	return a.tallies(tallies), err
}

// searchAll searches every surface whose name holds only.
func searchAll(ctx context.Context, p world.Programs, dir string, n int, only string) ([]adapt.Tally, error) {
	var out []adapt.Tally
	for _, s := range adapt.Surfaces() {
		if !strings.Contains(s.Name, only) {
			continue
		}
		t, err := adapt.Search(ctx, s, n, searchSeed, func(stamp *adapt.Stamp) (*world.World, error) {
			state, err := os.MkdirTemp(dir, "adapt-")
			if err != nil {
				return nil, err
			}
			return world.New(ctx, filepath.Clean(state), world.Settings{Programs: p, Allowed: adapt.Allowed}, world.Records{}, []memserver.Mailbox{{Name: "INBOX"}}, stamp.Asked)
		})
		if err != nil {
			return out, fmt.Errorf("%s: %w", s.Name, err)
		}
		out = append(out, t)
	}
	return out, nil
}

// tallies prints what was found.
func (a *app) tallies(all []adapt.Tally) int {
	status := exitOK
	for _, t := range all {
		_, high := report.Interval(len(t.Found), t.Variants)
		fmt.Fprintf(a.stdout, "%-11s %5d variants, %d passed (at most %.2f %% at 95 %%), %d in the second half; refused by %d different guards\n",
			t.Surface, t.Variants, len(t.Found), 100*high, t.LastHalf, len(t.Codes))
		for _, f := range t.Found[:min(len(t.Found), 5)] {
			status = exitFailed
			fmt.Fprintf(a.stdout, "  PASSED, %s: %q\n", t.Says, f.Variant)
		}
	}
	return status
}
