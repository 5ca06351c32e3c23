package cli

import (
	"context"
	"errors"
	"os"
	"runtime"

	"golang.org/x/term"
)

// ErrNoTerminal is returned by ReadSecret if nobody can be asked.
var ErrNoTerminal = errors.New("there is no terminal to ask on; run it in one, or name a file that holds the secret (_FILE)")

// ReadSecret asks on the controlling terminal, without echo, whatever standard input is: a secret that is piped in stands in a
// command line or a file anyway. When ctx ends it returns, with the terminal as it was.
func ReadSecret(ctx context.Context, prompt string) (string, error) {
	in, out := "/dev/tty", "/dev/tty"
	if runtime.GOOS == "windows" {
		in, out = "CONIN$", "CONOUT$"
	}
	r, err := os.OpenFile(in, os.O_RDWR, 0)
	if err != nil {
		return "", ErrNoTerminal
	}
	defer r.Close()
	w, err := os.OpenFile(out, os.O_WRONLY, 0)
	if err != nil {
		return "", ErrNoTerminal
	}
	defer w.Close()
	if _, err := w.WriteString(prompt); err != nil {
		return "", ErrNoTerminal
	}
	fd := int(r.Fd())
	before, err := term.GetState(fd)
	if err != nil {
		return "", ErrNoTerminal
	}
	type answer struct {
		text []byte
		err  error
	}
	typed := make(chan answer, 1)
	go func() {
		text, err := term.ReadPassword(fd)
		typed <- answer{text, err}
	}()
	select {
	case a := <-typed:
		_, _ = w.WriteString("\n")
		if a.err != nil {
			return "", ErrNoTerminal
		}
		return string(a.text), nil
	case <-ctx.Done():
		_ = term.Restore(fd, before)
		_, _ = w.WriteString("\n")
		return "", ctx.Err()
	}
}
