package mutant

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Every target exists, every kind of change occurs, and what is written parses.
func TestPlant(t *testing.T) {
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	mutants, overlay, err := Plant(root, dir)
	if err != nil {
		t.Fatal(err)
	}
	kinds, files, ids := map[string]int{}, map[string]int{}, map[string]bool{}
	for _, m := range mutants {
		kinds[m.Kind]++
		files[m.Place[:strings.IndexByte(m.Place, ':')]]++
		if ids[m.ID] {
			t.Errorf("%s occurs twice", m.ID)
		}
		ids[m.ID] = true
	}
	for _, k := range []string{"negated", "dropped", "operand dropped", "off by one", "turned round", "early return"} {
		if kinds[k] == 0 {
			t.Errorf("no mutant is %s: %v", k, kinds)
		}
	}
	for _, target := range Targets() {
		if files[target.File] == 0 {
			t.Errorf("%s has no mutant: its functions were renamed", target.File)
		}
	}
	if _, err := os.Stat(overlay); err != nil {
		t.Error(err)
	}
	written, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(written) < 10 {
		t.Fatalf("got %d files, %v", len(written), err)
	}
	for _, name := range written {
		if _, err := parser.ParseFile(token.NewFileSet(), name, nil, 0); err != nil {
			t.Error(err)
		}
	}
}

func TestConditions(t *testing.T) {
	dir := t.TempDir()
	src := "package x\n\nfunc f(a, b int) bool {\n\tif a < b && b > 3 {\n\t\treturn true\n\t}\n\treturn a == b\n}\n"
	if err := os.WriteFile(filepath.Join(dir, "x.go"), []byte(src), 0o600); err != nil {
		t.Fatal(err)
	}
	text, mutants, err := plantFile(dir, "x.go", []Target{{Guard: "G", File: "x.go", Funcs: []string{"f"}}}, 7)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]int{}
	for _, m := range mutants {
		got[m.Kind]++
	}
	if got["early return"] != 1 || got["negated"] != 2 || got["dropped"] != 2 || got["operand dropped"] != 2 || got["off by one"] != 2 || got["turned round"] != 2 || mutants[0].ID != "m007" {
		t.Errorf("got %v", got)
	}
	for _, want := range []string{"return a <= b", "return a > b", "return *new(bool)", "mutation.Cond("} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}
