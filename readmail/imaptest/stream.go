package imaptest

import (
	"bufio"
	"compress/flate"
	"io"
	"net"
	"sync"
)

// stream is the plain-text side of a client's connection: what TLS and COMPRESS leave. Reads belong to one goroutine;
// writes are serialised and each is flushed.
type stream struct {
	conn net.Conn // within TLS, if any
	br   *bufio.Reader
	rec  *recorder

	mu   sync.Mutex
	comp *flate.Writer // nil until compress
}

func newStream(conn net.Conn, rec *recorder) *stream {
	s := &stream{conn: conn, rec: rec}
	s.br = bufio.NewReader(countingReader{conn, rec})
	return s
}

// write sends p whole, or fails.
func (s *stream) write(p []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.comp == nil {
		return writeCounted(s.conn, s.rec, p)
	}
	if _, err := s.comp.Write(p); err != nil {
		return err
	}
	return s.comp.Flush()
}

// compress sends reply in the clear and everything after it through DEFLATE, in both directions (RFC 4978 §3).
func (s *stream) compress(reply []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := writeCounted(s.conn, s.rec, reply); err != nil {
		return err
	}
	comp, err := flate.NewWriter(countingWriter{s.conn, s.rec}, flate.DefaultCompression)
	if err != nil {
		return err
	}
	s.comp = comp
	s.br = bufio.NewReader(flate.NewReader(s.br))
	return nil
}

func writeCounted(w io.Writer, rec *recorder, p []byte) error {
	_, err := countingWriter{w, rec}.Write(p)
	return err
}

type countingReader struct {
	r   io.Reader
	rec *recorder
}

func (c countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.rec.received(n)
	return n, err
}

type countingWriter struct {
	w   io.Writer
	rec *recorder
}

func (c countingWriter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.rec.sent(n)
	return n, err
}
