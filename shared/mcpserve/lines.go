package mcpserve

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"regexp"
	"sync"
)

const (
	defaultMaxLineOctets = 1 << 20 // arguments of reading tools are a few hundred octets
	keptHeadOctets       = 4096    // of an oversized line, to find its id
	keptTailOctets       = 512
)

// lineReader reads lines of bounded length.
type lineReader struct {
	r   *bufio.Reader
	max int
}

func newLineReader(r io.Reader, max int) *lineReader {
	return &lineReader{bufio.NewReaderSize(r, 64<<10), max}
}

// oversized is a line that was dropped. Its id is nil if it was not found cheaply.
type oversized struct{ id []byte }

func (o *oversized) Error() string { return "mcpserve: line too long" }

// next returns the next line without its end. A line beyond the limit is read to its end, kept nowhere, and reported as
// *oversized; reading may go on. The last line may lack its end. io.EOF ends the input.
func (l *lineReader) next() ([]byte, error) {
	var line, tail []byte
	over := false
	for {
		part, err := l.r.ReadSlice('\n')
		if over = over || len(line)+len(part) > l.max; over {
			tail = keepTail(tail, part)
			if len(line) < keptHeadOctets {
				line = append(line, part...)
			}
			line = line[:min(len(line), keptHeadOctets)]
		} else {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && len(line) == 0:
			return nil, err
		case err != nil && !errors.Is(err, io.EOF):
			return nil, err
		}
		if over {
			return nil, &oversized{id: findID(line, tail)}
		}
		return bytes.TrimSpace(line), nil
	}
}

// keepTail returns the last octets of tail and part together, in place.
func keepTail(tail, part []byte) []byte {
	part = part[max(0, len(part)-keptTailOctets):]
	if drop := len(tail) + len(part) - keptTailOctets; drop > 0 {
		tail = tail[:copy(tail, tail[drop:])]
	}
	return append(tail, part...)
}

var (
	headID = regexp.MustCompile(`"id"\s*:\s*("[^"\\]{1,64}"|-?[0-9]{1,18})\s*,`)
	tailID = regexp.MustCompile(`,\s*"id"\s*:\s*("[^"\\]{1,64}"|-?[0-9]{1,18})\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$`)
)

// findID looks for the id of a request before its parameters, or at its very end. A wrong guess harms only the client that
// wrote such a line.
func findID(head, tail []byte) []byte {
	if i := bytes.Index(head, []byte(`"params"`)); i >= 0 {
		head = head[:i]
	}
	for _, m := range [][][]byte{headID.FindSubmatch(head), tailID.FindSubmatch(tail)} {
		if m != nil {
			return bytes.Clone(m[1])
		}
	}
	return nil
}

// lineWriter writes whole lines, one at a time.
type lineWriter struct {
	mu     sync.Mutex
	w      io.Writer
	failed func() // called once, when the client no longer reads
	broken bool
}

// write writes data and a line end in one Write.
func (l *lineWriter) write(data []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.locked(data)
}

// tryWrite drops data, and says so, if another line is being written.
func (l *lineWriter) tryWrite(data []byte) (written bool) {
	if !l.mu.TryLock() {
		return false
	}
	defer l.mu.Unlock()
	l.locked(data)
	return true
}

func (l *lineWriter) locked(data []byte) {
	if l.broken {
		return
	}
	if _, err := l.w.Write(append(data, '\n')); err != nil {
		l.broken = true
		l.failed()
	}
}
