package extract

import (
	"context"
	"os"
	"testing"
)

// TestMain makes the test binary its own child.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == ChildCommand {
		os.Exit(Child(context.Background(), os.Stdin, os.Stdout))
	}
	os.Exit(m.Run())
}
