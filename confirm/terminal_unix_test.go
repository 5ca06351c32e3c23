//go:build unix

package confirm

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// TestTerminalNone runs without a controlling terminal, with the word waiting on standard input.
func TestTerminalNone(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), envTerminal+"=1")
	cmd.Stdin = strings.NewReader(TerminalWord + "\n")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	out, err := cmd.Output()
	if err != nil || !strings.HasPrefix(string(out), string(CannotAsk)+" "+ErrNoTerminal.Error()) {
		t.Errorf("got %q, %v, want a refusal", out, err)
	}
}
