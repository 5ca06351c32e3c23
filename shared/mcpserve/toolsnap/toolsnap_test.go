package toolsnap

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mailgap/shared/mcpserve"
)

// recorder notes failures instead of failing.
type recorder struct {
	testing.TB
	errors []string
}

func (r *recorder) Helper() {}
func (r *recorder) Errorf(format string, args ...any) {
	r.errors = append(r.errors, format)
}
func (r *recorder) Error(args ...any) { r.errors = append(r.errors, "error") }

func serverWith(t *testing.T, description string) *mcpserve.Server {
	t.Helper()
	tool := mcpserve.Define(mcpserve.Spec{
		Name: "get_thing", Description: description,
		InputSchema: json.RawMessage(`{"type":"object","additionalProperties":false}`),
	}, func(context.Context, *mcpserve.Call, struct{}) (mcpserve.Result[struct{}], error) {
		return mcpserve.Result[struct{}]{Text: mcpserve.Constant("ok")}, nil
	})
	s, err := mcpserve.NewServer(mcpserve.Config{Name: "x", Version: "1", Tools: []mcpserve.Tool{tool}})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestCheck(t *testing.T) {
	dir := t.TempDir()
	first := serverWith(t, "Gets a thing.")
	complaints := func(s *mcpserve.Server, o Options) []string {
		o.Dir = dir
		r := &recorder{TB: t}
		Check(r, s, o)
		return r.errors
	}
	steps := []struct {
		name string
		s    *mcpserve.Server
		o    Options
		want string // part of the only complaint; empty for none
	}{
		{"missing file fails", first, Options{}, "is missing"},
		{"update writes", first, Options{Update: true}, ""},
		{"same passes", first, Options{}, ""},
		{"changed description fails", serverWith(t, "Gets another."), Options{}, "differs"},
		{"too long a list fails", first, Options{MaxListOctets: 10}, "octets"},
	}
	for _, st := range steps {
		got := complaints(st.s, st.o)
		if (st.want == "") != (len(got) == 0) || st.want != "" && !strings.Contains(strings.Join(got, "\n"), st.want) {
			t.Errorf("%s: got %q, want %q", st.name, got, st.want)
		}
	}
	stray := filepath.Join(dir, "gone.json")
	if err := os.WriteFile(stray, []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := complaints(first, Options{}); len(got) != 1 || !strings.Contains(got[0], "has no tool") {
		t.Errorf("stray file: got %q, want one complaint", got)
	}
	if got := complaints(first, Options{Update: true}); len(got) != 0 {
		t.Errorf("update with stray file: got %q, want none", got)
	}
	if _, err := os.Stat(stray); !os.IsNotExist(err) {
		t.Errorf("stray file after update: got %v, want it gone", err)
	}
}
