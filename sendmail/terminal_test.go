package sendmail

import (
	"io"
	"strings"
)

// typed opens a terminal at which somebody types text, a line at each prompt.
func typed(text string) func() (io.ReadWriteCloser, error) {
	return func() (io.ReadWriteCloser, error) { return &keyboard{strings.SplitAfter(text, "\n")}, nil }
}

type keyboard struct{ lines []string }

func (k *keyboard) Read(p []byte) (int, error) {
	if len(k.lines) == 0 {
		return 0, io.EOF
	}
	n := copy(p, k.lines[0])
	if k.lines[0] = k.lines[0][n:]; k.lines[0] == "" {
		k.lines = k.lines[1:]
	}
	return n, nil
}

func (*keyboard) Write(p []byte) (int, error) { return len(p), nil }
func (*keyboard) Close() error                { return nil }
