package world

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// GuardTag is the build tag of programs whose guards can be switched off.
const GuardTag = "evalguards"

// Programs are the paths of the two programs under test.
type Programs struct{ Reader, Sender string }

// Build compiles imap-mcp and smtp-mcp of the module at root into dir, with further flags of go build. Without any, those are the
// programs as shipped.
func Build(ctx context.Context, root, dir string, flags ...string) (Programs, error) {
	args := append([]string{"build", "-o", dir + string(filepath.Separator)}, flags...)
	cmd := exec.CommandContext(ctx, "go", append(args, "./cmd/imap-mcp", "./cmd/smtp-mcp")...)
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		return Programs{}, fmt.Errorf("world: go build: %w\n%s", err, out)
	}
	suffix := ""
	if runtime.GOOS == "windows" {
		suffix = ".exe"
	}
	return Programs{Reader: filepath.Join(dir, "imap-mcp"+suffix), Sender: filepath.Join(dir, "smtp-mcp"+suffix)}, nil
}

// ModuleRoot finds the directory of go.mod, from the working directory upwards.
func ModuleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && strings.HasPrefix(string(text), "module mailgap\n") {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", fmt.Errorf("world: no mailgap module here; hint: run mail-evals inside the source tree")
		}
		dir = up
	}
}

// run runs one command of a program to its end.
func run(ctx context.Context, program string, env []string, args ...string) error {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = env
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("world: %s %s: %w\n%s", filepath.Base(program), strings.Join(args, " "), err, out)
	}
	return nil
}
