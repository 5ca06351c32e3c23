package confirm

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"time"
)

const (
	secretOctets = 32               // 256 random bits: cannot be guessed
	maxWrong     = 5                // answers that are not what the page asks for; then the question is void
	readTime     = time.Second      // Limit: nobody reads and decides faster; a double click meant for elsewhere does
	alarmTime    = 2 * time.Minute  // Limit: how long a person is told of an alarm who comes back to the page
	headerTime   = 5 * time.Second  // Limit: of a request's header; a browser on the same machine needs milliseconds
	requestTime  = 10 * time.Second // Limit: of a whole request
	responseTime = 30 * time.Second // Limit: of some megabytes to a browser on the same machine
	closeTime    = 3 * time.Second  // Limit: for responses on their way when the question has ended

	maxHeaderOctets = 8 << 10 // Limit: a browser without cookies sends less than one
	maxFormOctets   = 4 << 10 // Limit: two tokens and three domains
	maxConnections  = 32      // Limit: at once; a browser opens six
	maxLogged       = 5       // refused requests that are logged; the rest is counted
)

// sheet is the page for one question: its secrets, its listener and its state.
type sheet struct {
	o PageOptions
	d Pending

	capability string // good for one GET; handed to the browser from outside
	message    string // names the page after that; known to whoever used the capability, and to nobody else
	token      string // in the form
	digest     string // of what is shown, in the form
	host       string // the one Host that is served
	origin     string

	server *http.Server
	frame  frame
	ended  chan struct{} // closed when the question has ended

	mu      sync.Mutex
	reason  Reason    // "" while the question is open
	shown   time.Time // when the page was first shown
	used    bool      // the capability was used
	wrong   int
	refused int
}

// newSheet opens the listener and serves. Errors: ErrRandom, ErrNoBrowser.
func newSheet(o PageOptions, d Pending) (*sheet, error) {
	s := &sheet{o: o, d: d, ended: make(chan struct{}), frame: newFrame(d.View)}
	for _, secret := range []*string{&s.capability, &s.message, &s.token} {
		b := make([]byte, secretOctets)
		if _, err := io.ReadFull(o.Random, b); err != nil {
			return nil, fmt.Errorf("%w: %v", ErrRandom, err)
		}
		*secret = hex.EncodeToString(b)
	}
	sum := sha256.Sum256(append([]byte("mailgap approval page\n"), d.Binding.Digest[:]...))
	s.digest = hex.EncodeToString(sum[:])
	l, err := net.Listen("tcp4", "127.0.0.1:0") // Security: loopback alone, and one address family
	if err != nil {
		return nil, fmt.Errorf("%w: no port on the loopback interface", ErrNoBrowser)
	}
	s.host = l.Addr().String()
	s.origin = "http://" + s.host
	s.serve(l)
	return s, nil
}

// serve answers requests until close.
func (s *sheet) serve(l net.Listener) {
	s.server = &http.Server{
		Handler:           s,
		ReadHeaderTimeout: headerTime, ReadTimeout: requestTime, WriteTimeout: responseTime, MaxHeaderBytes: maxHeaderOctets,
		ErrorLog:                     log.New(io.Discard, "", 0), // it would write what others sent
		DisableGeneralOptionsHandler: true,
	}
	s.server.SetKeepAlivesEnabled(false)
	go s.server.Serve(&bounded{l, make(chan struct{}, maxConnections), s.stranger})
}

// close ends the listener when nothing needs it any more.
func (s *sheet) close() {
	if s.answer().Reason() == OpenedTwice {
		<-time.After(alarmTime)
	}
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	if s.server.Shutdown(ctx) != nil {
		s.server.Close()
	}
}

// end ends the question. The first end counts; it says whether this one did.
func (s *sheet) end(r Reason) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.endLocked(r)
}

func (s *sheet) endLocked(r Reason) bool {
	if s.reason != "" {
		return false
	}
	s.reason = r
	close(s.ended)
	if r == OpenedTwice {
		s.o.Logger.Warn("the one-time address of an approval page was used twice: the approval is void")
	}
	s.o.Logger.Info("approval page ended", "reason", string(r), "wrong_forms", s.wrong, "refused_requests", s.refused)
	return true
}

// answer is what came of it; a no while the question is open.
func (s *sheet) answer() Answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.reason == Approved {
		return Answer{Approved, PathPage}
	}
	return No(PathPage, s.reason)
}

// opened says whether the capability was used.
func (s *sheet) opened() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.used
}

// bounded is a listener that has few connections open at once, none of them from another user.
type bounded struct {
	net.Listener
	slots    chan struct{}
	stranger func(net.Conn) bool
}

// Accept waits for a free slot: a flood delays the person, for as long as a header may take, and does not lock them out.
func (b *bounded) Accept() (net.Conn, error) {
	b.slots <- struct{}{}
	for {
		c, err := b.Listener.Accept()
		if err != nil {
			<-b.slots
			return nil, err
		}
		if !b.stranger(c) {
			return &slotConn{Conn: c, free: func() { <-b.slots }}, nil
		}
		c.Close()
	}
}

// slotConn gives its slot back when it is closed.
type slotConn struct {
	net.Conn
	once sync.Once
	free func()
}

// Close implements net.Conn.
func (c *slotConn) Close() error {
	c.once.Do(c.free)
	return c.Conn.Close()
}
