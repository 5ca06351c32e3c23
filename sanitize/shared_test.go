package sanitize

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// repoRoot walks up to the directory that holds go.mod.
func repoRoot(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			t.Fatal("no go.mod above the test's directory")
		}
		dir = parent
	}
}

// sharedPath is a file of the shared test data. Without it the test is skipped, in CI it fails.
func sharedPath(t testing.TB, name string) string {
	t.Helper()
	dir := os.Getenv("MAILGAP_SHARED")
	if dir == "" {
		dir = filepath.Join(repoRoot(t), "..", "shared")
	}
	path := filepath.Join(dir, name)
	if _, err := os.Stat(path); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("shared test data is missing: %v", err)
		}
		t.Skipf("shared test data is missing (%v); set MAILGAP_SHARED", err)
	}
	return path
}

func readJSON(t testing.TB, path string, into any) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

type mdVector struct {
	ID    string   `json:"id"`
	Class string   `json:"class"`
	Text  string   `json:"text"`
	Bad   []string `json:"must_not_survive"`
}

func mdVectors(t testing.TB) []mdVector {
	t.Helper()
	var all []mdVector
	readJSON(t, sharedPath(t, "vectors/markdown.json"), &all)
	return all
}
