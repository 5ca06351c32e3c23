package setup

import (
	"context"
	"errors"
	"io"
	"os"
	"runtime"

	"golang.org/x/term"
)

// maxLineOctets bounds what is typed. Limit: terminals cut lines at 4096 octets.
const maxLineOctets = 4096

// ErrNoTerminal is returned by OpenTerminal if nobody can be asked.
var ErrNoTerminal = errors.New("there is no terminal to ask on")

// tty is the controlling terminal, whatever standard input is.
type tty struct{ in, out *os.File }

// OpenTerminal opens the controlling terminal. Close it.
func OpenTerminal() (interface {
	Terminal
	io.Closer
}, error) {
	in, out := "/dev/tty", "/dev/tty"
	if runtime.GOOS == "windows" {
		in, out = "CONIN$", "CONOUT$"
	}
	r, err := os.OpenFile(in, os.O_RDWR, 0)
	if err != nil {
		return nil, ErrNoTerminal
	}
	w, err := os.OpenFile(out, os.O_WRONLY, 0)
	if err != nil || !term.IsTerminal(int(r.Fd())) {
		return nil, errors.Join(ErrNoTerminal, r.Close())
	}
	return &tty{r, w}, nil
}

// Close implements io.Closer.
func (t *tty) Close() error { return errors.Join(t.in.Close(), t.out.Close()) }

// Write implements io.Writer.
func (t *tty) Write(p []byte) (int, error) { return t.out.Write(p) }

// typed is what a read gave.
type typed struct {
	text string
	err  error
}

// ReadLine implements Terminal.
func (t *tty) ReadLine(ctx context.Context) (string, error) {
	return wait(ctx, t.line)
}

// wait runs a read that cannot be interrupted, and returns early with ctx; the process ends then.
func wait(ctx context.Context, read func() (string, error)) (string, error) {
	done := make(chan typed, 1)
	go func() {
		text, err := read()
		done <- typed{text, err}
	}()
	select {
	case got := <-done:
		return got.text, got.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// line reads octet by octet, so that nothing of the next answer is taken.
func (t *tty) line() (string, error) {
	var text []byte
	var b [1]byte
	for {
		n, err := t.in.Read(b[:])
		switch {
		case n == 1 && b[0] == '\n':
			return string(trimReturn(text)), nil
		case n == 1 && len(text) < maxLineOctets:
			text = append(text, b[0])
		case n == 1:
		case err == nil || errors.Is(err, io.EOF):
			return "", io.EOF
		default:
			return "", ErrNoTerminal
		}
	}
}

func trimReturn(text []byte) []byte {
	if n := len(text); n > 0 && text[n-1] == '\r' {
		return text[:n-1]
	}
	return text
}

// ReadSecret implements Terminal. When ctx ends, the terminal is as it was.
func (t *tty) ReadSecret(ctx context.Context) (string, error) {
	fd := int(t.in.Fd())
	before, err := term.GetState(fd)
	if err != nil {
		return "", ErrNoTerminal
	}
	text, err := wait(ctx, func() (string, error) {
		text, err := term.ReadPassword(fd)
		return string(text), err
	})
	if ctx.Err() != nil {
		_ = term.Restore(fd, before)
	}
	return text, err
}
