package cli

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const testUsage = `prog does things.

usage: prog [--demo] [command]

commands
  serve            do it (the default)
  call TOOL JSON   call a tool
                   (--json: as JSON)
  version, help

flags
  --demo           try it
  --http ADDRESS   serve

Try it:

  prog call
`

func TestWords(t *testing.T) {
	if got, want := strings.Join(words(testUsage), " "), "serve call version help --json --demo --http"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestCompletion asks each shell what it would offer.
func TestCompletion(t *testing.T) {
	for shell, ask := range map[string]string{
		"bash": `source "$1"; COMP_WORDS=(prog --h); COMP_CWORD=1; _prog; echo "${COMPREPLY[@]}"`,
		"zsh":  `source "$1"; setopt KSH_ARRAYS; COMP_WORDS=(prog --h); COMP_CWORD=1; _prog; echo "${COMPREPLY[@]}"`,
		"fish": `source $argv[1]; complete -C "prog --h"`,
	} {
		t.Run(shell, func(t *testing.T) {
			path, err := exec.LookPath(shell)
			if err != nil {
				if os.Getenv("CI") == "true" {
					t.Fatal(err)
				}
				t.Skipf("%s is not installed", shell)
			}
			script, err := Completion(shell, "prog", testUsage)
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(t.TempDir(), "script")
			if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
				t.Fatal(err)
			}
			args := []string{"-c", ask, "x", file}
			switch shell {
			case "zsh":
				args = []string{"-f", "-c", ask, "x", file}
			case "fish":
				args = []string{"--no-config", "-c", ask, file}
			}
			cmd := exec.CommandContext(t.Context(), path, args...)
			cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
			out, err := cmd.CombinedOutput()
			want := "--http"
			if shell == "zsh" { // it chooses among them by itself
				want = strings.Join(words(testUsage), " ")
			}
			if got := strings.TrimSpace(string(out)); err != nil || got != want {
				t.Errorf("got %q, %v, want %q", got, err, want)
			}
		})
	}
	if _, err := Completion("tcsh", "prog", testUsage); !errors.Is(err, ErrShell) {
		t.Errorf("got %v, want ErrShell", err)
	}
}
