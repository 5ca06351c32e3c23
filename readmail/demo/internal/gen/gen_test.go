package main

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestBuildIsReproducible(t *testing.T) {
	first, err := build()
	if err != nil {
		t.Fatal(err)
	}
	second, err := build()
	if err != nil {
		t.Fatal(err)
	}
	if !maps.EqualFunc(first, second, bytes.Equal) {
		t.Error("two builds differ")
	}
}

// What is embedded is what this program writes.
func TestFilesAreUpToDate(t *testing.T) {
	made, err := build()
	if err != nil {
		t.Fatal(err)
	}
	const dir = "../../mail"
	for _, name := range slices.Sorted(maps.Keys(made)) {
		got, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Error(err)
		} else if !bytes.Equal(got, made[name]) {
			t.Errorf("%s differs from what gen writes: run go run ./readmail/demo/internal/gen readmail/demo/mail", name)
		}
	}
	found, err := filepath.Glob(filepath.Join(dir, "*.eml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range found {
		if made[filepath.Base(path)] == nil {
			t.Errorf("%s is not made by gen", path)
		}
	}
}
