package toolsnap

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mailgap/shared/mcpserve"
)

// Options of Check.
type Options struct {
	// Dir holds one file per tool, NAME.json.
	Dir string
	// Update writes the files instead of comparing: the value of the test's own -update flag.
	Update bool
	// MaxListOctets bounds the tools/list result; 0 means no bound. Every conversation pays for that list.
	MaxListOctets int
}

// Check fails t if a tool of s differs from its file, has no file, if a file has no tool, if a hint is missing, or if the
// list is too long.
func Check(t testing.TB, s *mcpserve.Server, o Options) {
	t.Helper()
	if n := ListOctets(s); o.MaxListOctets > 0 && n > o.MaxListOctets {
		t.Errorf("tools/list: got %d octets, want at most %d", n, o.MaxListOctets)
	}
	want := map[string]bool{}
	for _, name := range s.ToolNames() {
		want[name+".json"] = true
		data := s.ToolJSON(name)
		checkHints(t, name, data)
		file := filepath.Join(o.Dir, name+".json")
		if o.Update {
			write(t, file, data)
			continue
		}
		compare(t, file, data)
	}
	checkStrays(t, o, want)
}

// ListOctets returns the length of the tools/list result of s.
func ListOctets(s *mcpserve.Server) int { return len(s.ToolList()) }

func checkHints(t testing.TB, name string, data []byte) {
	t.Helper()
	var tool struct {
		Annotations map[string]any `json:"annotations"`
	}
	if err := json.Unmarshal(data, &tool); err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	for _, h := range []string{"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"} {
		if _, ok := tool.Annotations[h].(bool); !ok {
			t.Errorf("%s: %s: got %v, want true or false", name, h, tool.Annotations[h])
		}
	}
}

func write(t testing.TB, file string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

func compare(t testing.TB, file string, got []byte) {
	t.Helper()
	want, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s is missing; run the test with -update and review the file", file)
		return
	}
	if err != nil {
		t.Error(err)
		return
	}
	if bytes.Equal(got, want) {
		return
	}
	n, g, w := firstDifference(string(got), string(want))
	t.Errorf("%s differs from line %d on:\n got %s\nwant %s\nrun with -update if the change is meant", file, n, g, w)
}

// firstDifference returns the first line that differs, counted from 1.
func firstDifference(got, want string) (n int, g, w string) {
	gs, ws := strings.Split(got, "\n"), strings.Split(want, "\n")
	for n = 0; n < len(gs) && n < len(ws) && gs[n] == ws[n]; n++ {
	}
	return n + 1, lineAt(gs, n), lineAt(ws, n)
}

func lineAt(lines []string, n int) string {
	if n < len(lines) {
		return lines[n]
	}
	return "(end)"
}

// checkStrays finds files of tools that are gone.
func checkStrays(t testing.TB, o Options, want map[string]bool) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(o.Dir, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if want[filepath.Base(f)] {
			continue
		}
		if o.Update {
			if err := os.Remove(f); err != nil {
				t.Error(err)
			}
			continue
		}
		t.Errorf("%s has no tool; run with -update to remove it", f)
	}
}
