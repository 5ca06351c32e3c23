package sendmail

import (
	"io"
	"strings"
)

// typed opens a terminal at which somebody types text.
func typed(text string) func() (io.ReadWriteCloser, error) {
	return func() (io.ReadWriteCloser, error) { return &keyboard{Reader: strings.NewReader(text)}, nil }
}

type keyboard struct {
	io.Reader
}

func (*keyboard) Write(p []byte) (int, error) { return len(p), nil }
func (*keyboard) Close() error                { return nil }
