package mcpserve

import (
	"bytes"
	"net/http"
	"sync"
	"time"
)

// stream is the answer to one POST: JSON if the answer is all there is, else a stream of events. It begins as a stream with
// the first message before the answer, or when the call takes long.
type stream struct {
	w    http.ResponseWriter
	ctl  *http.ResponseController
	stop chan struct{}
	done sync.WaitGroup

	mu     sync.Mutex
	events bool // a stream of events has begun
	ended  bool
}

// newStream starts the signs of life. Close it.
func newStream(w http.ResponseWriter) *stream {
	s := &stream{w: w, ctl: http.NewResponseController(w), stop: make(chan struct{})}
	_ = s.ctl.SetReadDeadline(time.Time{}) // the request has been read; how long its answer takes is for the call to say
	s.done.Go(s.live)
	return s
}

// live keeps the connection from looking dead.
func (s *stream) live() {
	tick := time.NewTicker(streamInterval)
	defer tick.Stop()
	for {
		select {
		case <-s.stop:
			return
		case <-tick.C:
			if s.put([]byte(": running\n\n")) != nil {
				return
			}
		}
	}
}

// Write sends one message before the answer. It implements io.Writer for lineWriter.
func (s *stream) Write(line []byte) (int, error) {
	return len(line), s.put(event(line))
}

func event(line []byte) []byte {
	return append(append([]byte("event: message\ndata: "), bytes.TrimRight(line, "\n")...), "\n\n"...)
}

// put writes to the stream of events, and begins it if need be.
func (s *stream) put(text []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return http.ErrBodyNotAllowed
	}
	if !s.events {
		s.events = true
		s.w.Header().Set("Content-Type", "text/event-stream")
		s.w.Header().Set("X-Accel-Buffering", "no")
	}
	_ = s.ctl.SetWriteDeadline(time.Now().Add(writeTime)) // a transport without deadlines has none to miss
	if _, err := s.w.Write(text); err != nil {
		return err
	}
	return s.ctl.Flush()
}

// finish sends the answer; nothing follows it.
func (s *stream) finish(status int, data []byte) {
	s.mu.Lock()
	events := s.events
	if !events {
		s.ended = true
	}
	s.mu.Unlock()
	if events {
		_ = s.put(event(data)) // the client is gone, or slow beyond measure: nobody is left to tell
		return
	}
	writeJSON(s.w, status, data)
}

// close ends the signs of life.
func (s *stream) close() {
	close(s.stop)
	s.mu.Lock()
	s.ended = true
	s.mu.Unlock()
	s.done.Wait()
}

func writeJSON(w http.ResponseWriter, status int, data []byte) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeTime))
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(data) // the client is gone: nobody is left to tell
}

// writeMessage sends an answer that was made before anything ran.
func writeMessage(w http.ResponseWriter, status int, r response) {
	data, err := r.encode()
	if err != nil {
		status, data = http.StatusInternalServerError, nil
	}
	writeJSON(w, status, data)
}
