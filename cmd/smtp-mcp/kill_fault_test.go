//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// faultFile names, in the environment of a program built with faults, the file that holds the journal step to die at.
const faultFile = "MAILGAP_TEST_FAULT_FILE"

// The journal calls a function at each of its steps, which does nothing outside its own tests. A build with faults is the same
// source with that one function replaced by go build -overlay, so that nothing of it is in the tree of the shipped program.
const (
	faultNothing = "o.step = func(string) {}"
	faultCall    = "o.step = dieAtFault"
	faultSource  = `package outbox

import (
	"os"
	"syscall"
)

// dieAtFault ends the process as kill -9 does if the file says so.
func dieAtFault(name string) {
	want, err := os.ReadFile(os.Getenv("` + faultFile + `"))
	if err == nil && string(want) == name {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	}
}
`
)

// faultyProgram builds smtp-mcp with a journal that dies where it is told to.
func faultyProgram(t *testing.T) string {
	t.Helper()
	outbox, err := filepath.Abs("../../sendmail/outbox")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile(filepath.Join(outbox, "outbox.go"))
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(source), faultNothing); n != 1 {
		t.Fatalf("the journal has %d places %q, want 1", n, faultNothing)
	}
	dir := t.TempDir()
	replace := map[string]string{}
	for name, text := range map[string]string{"outbox.go": strings.Replace(string(source), faultNothing, faultCall, 1), "fault_injected.go": faultSource} {
		replace[filepath.Join(outbox, name)] = filepath.Join(dir, name)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(name, overlay, 0o600); err != nil {
		t.Fatal(err)
	}
	return shippedProgram(t, "-overlay", name)
}

// The shipped program has no switch for faults.
func TestNoFaultsInTheShippedProgram(t *testing.T) {
	for _, c := range []struct {
		name, program string
		want          bool
	}{{"shipped", shippedProgram(t), false}, {"with faults", faultyProgram(t), true}} {
		octets, err := os.ReadFile(c.program)
		if err != nil {
			t.Fatal(err)
		}
		if got := bytes.Contains(octets, []byte(faultFile)); got != c.want {
			t.Errorf("%s: it knows %s: %t, want %t", c.name, faultFile, got, c.want)
		}
	}
}
