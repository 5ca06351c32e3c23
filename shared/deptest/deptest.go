// Package deptest checks what a package links. It is for tests only: it runs the go command.
//
// Call Check from a test in the directory of the package that is checked. Placed elsewhere, go test would report a
// cached pass after a forbidden import was added, because the cache does not see what a child process read.
package deptest

import (
	"os/exec"
	"strings"
	"testing"
)

// Check fails t if the package in the current directory links a package in bad (a path or one of its
// subpackages, to the reason why not) or lacks one in want; want keeps a stale list from passing.
func Check(t *testing.T, want []string, bad map[string]string) {
	t.Helper()
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatalf("go list -deps: %v", err)
	}
	have := map[string]bool{}
	for dep := range strings.FieldsSeq(string(out)) {
		have[dep] = true
		for b, why := range bad {
			if dep == b || strings.HasPrefix(dep, b+"/") {
				t.Errorf("links %s: %s", dep, why)
			}
		}
	}
	for _, w := range want {
		if !have[w] {
			t.Errorf("does not link %s: is this list stale?", w)
		}
	}
}
