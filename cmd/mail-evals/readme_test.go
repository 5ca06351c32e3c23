package main

import (
	"encoding/json"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"mailgap/cmd/mail-evals/attack"
	"mailgap/cmd/mail-evals/report"
	"mailgap/cmd/mail-evals/suite"
)

var updateReadme = flag.Bool("update-readme", false, "write the tables of README.md from results.json")

const (
	resultsBegin = "<!-- results:begin -->\n"
	resultsEnd   = "<!-- results:end -->"
	readmeFile   = "../../README.md"
)

func stored(t *testing.T) report.Summary {
	t.Helper()
	text, err := os.ReadFile("results.json")
	if err != nil {
		t.Fatal(err)
	}
	var s report.Summary
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	return s
}

// The tables of the README are those of results.json, and results.json is about the cases that there are.
func TestREADMEResults(t *testing.T) {
	s := stored(t)
	text, err := os.ReadFile(readmeFile)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), resultsBegin)
	got, after, ok2 := strings.Cut(rest, resultsEnd)
	if !ok || !ok2 {
		t.Fatal("README.md has no results marks")
	}
	want := report.Markdown(s)
	if *updateReadme && got != want {
		if err := os.WriteFile(readmeFile, []byte(before+resultsBegin+want+resultsEnd+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got != want {
		t.Error("the results in README.md are not those of results.json: go test ./cmd/mail-evals -run README -update-readme")
	}
	own, err := attack.Own("../..")
	if err != nil {
		t.Fatal(err)
	}
	tasks, err := attack.Benign("../..")
	if err != nil {
		t.Fatal(err)
	}
	if s.Of != len(own) || s.Tasks != len(tasks) {
		t.Errorf("results.json is about %d attacks and %d tasks, there are %d and %d: run mail-evals --summary cmd/mail-evals/results.json", s.Of, s.Tasks, len(own), len(tasks))
	}
}

// agree holds outcomes of a few cases against the stored figures, so that those cannot grow old unnoticed.
func agree(t *testing.T, out []suite.Outcome) {
	t.Helper()
	s, rows := stored(t), map[string]report.Row{}
	for _, r := range s.Rows {
		rows[r.Config] = r
	}
	for _, o := range out {
		r, there := rows[o.Config]
		if !slices.Contains(s.Cases, o.Case) {
			continue
		}
		if got, want := o.Reached(), slices.Contains(r.Reached, o.Case); there && got != want {
			t.Errorf("%s under %q: reached %v, results.json says %v: run mail-evals again", o.Case, o.Config, got, want)
		}
	}
}
