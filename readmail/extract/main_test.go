package extract

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// childEnv names the built child for the tests. A child of its own, because one built for the race detector needs more
// memory than a child may have.
const childEnv = "EXTRACT_TEST_CHILD"

// TestMain builds the child process of the tests once.
func TestMain(m *testing.M) {
	os.Exit(runTests(m))
}

func runTests(m *testing.M) int {
	dir, err := os.MkdirTemp("", "mailgap-extract-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	child := filepath.Join(dir, "child.exe")
	if out, err := exec.Command("go", "build", "-o", child, "./testdata/child").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build the child: %v\n%s", err, out)
		return 1
	}
	if err := os.Setenv(childEnv, child); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// childCommand is the command line of the child in one of its roles.
func childCommand(args ...string) []string {
	return append([]string{os.Getenv(childEnv)}, args...)
}

// newTestExtractor returns one over the real child. All tests share a cache of the compiled PDF engine.
func newTestExtractor(t testing.TB, o Options) *Extractor {
	t.Helper()
	if o.Command == nil {
		o.Command = childCommand(ChildCommand)
	}
	if o.CacheDir == "" {
		o.CacheDir = filepath.Join(filepath.Dir(os.Getenv(childEnv)), "cache")
	}
	return New(o)
}
