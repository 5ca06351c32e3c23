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
	"slices"
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
	maxFormOctets   = 8 << 10 // Limit: two tokens, three domains, and what a device answers
	maxPortTries    = 5
	maxConnections  = 32 // Limit: at once; a browser opens six
	maxLogged       = 5  // refused requests that are logged; the rest is counted
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

	enroller Enroller // of a page that enrols a device instead

	mu      sync.Mutex
	proof   Proof     // of the second factor, where it is required
	create  bool      // the proof enrols a device
	reason  Reason    // "" while the question is open
	shown   time.Time // when the page was first shown
	used    bool      // the capability was used
	wrong   int
	refused int
}

// newSheet opens the listener and serves. Errors: ErrRandom, ErrNoBrowser, and those of the second factor.
func newSheet(o PageOptions, d Pending, e Enroller) (*sheet, error) {
	s := &sheet{o: o, d: d, ended: make(chan struct{}), frame: newFrame(d.View), enroller: e}
	for _, secret := range []*string{&s.capability, &s.message, &s.token} {
		b := make([]byte, secretOctets)
		if _, err := io.ReadFull(o.Random, b); err != nil {
			return nil, fmt.Errorf("%w: %v", ErrRandom, err)
		}
		*secret = hex.EncodeToString(b)
	}
	sum := sha256.Sum256(append([]byte("mailgap approval page\n"), d.Binding.Digest[:]...))
	s.digest = hex.EncodeToString(sum[:])
	listeners, err := s.listen(e != nil || o.needsFactor(d.Question))
	if err != nil {
		return nil, err
	}
	if s.factor() {
		if err := s.newProof(); err != nil {
			closeListeners(listeners)
			return nil, err
		}
	}
	s.serve(listeners)
	return s, nil
}

// factor says whether a device is needed.
func (s *sheet) factor() bool { return s.enroller != nil || s.o.needsFactor(s.d.Question) }

// newProof begins an exchange with the device.
func (s *sheet) newProof() (err error) {
	factor, have := s.o.Factor, 1
	if s.enroller != nil {
		if factor = s.enroller; !s.create {
			have, err = s.enroller.Enrolled()
		}
	}
	switch {
	case err != nil:
	case s.create || have == 0:
		s.create = true
		s.proof, err = s.enroller.Enrol(s.origin)
	default:
		s.proof, err = factor.Assert(s.origin, s.d.Binding.Digest)
	}
	return err
}

// listen opens a port on the loopback interface and says under which one name it is served.
//
// Security: localhost is two addresses to a browser, and the first it tries is ::1. Another user could listen there; so both are
// taken, or neither.
func (s *sheet) listen(byName bool) ([]net.Listener, error) {
	for range maxPortTries {
		l, err := net.Listen("tcp4", "127.0.0.1:0") // Security: loopback alone
		if err != nil {
			break
		}
		s.host = l.Addr().String()
		all := []net.Listener{l}
		if byName {
			_, port, _ := net.SplitHostPort(s.host) // of our own listener
			s.host = "localhost:" + port
			six, err := net.Listen("tcp6", "[::1]:"+port)
			if err != nil && hasLoopback6() {
				closeListeners(all)
				continue
			}
			if err == nil {
				all = append(all, six)
			}
		}
		s.origin = "http://" + s.host
		return all, nil
	}
	return nil, fmt.Errorf("%w: no port on the loopback interface", ErrNoBrowser)
}

// hasLoopback6 says whether ::1 is there at all.
func hasLoopback6() bool {
	addrs, err := net.InterfaceAddrs()
	return err != nil || slices.ContainsFunc(addrs, func(a net.Addr) bool {
		n, ok := a.(*net.IPNet)
		return ok && n.IP.Equal(net.IPv6loopback)
	})
}

func closeListeners(all []net.Listener) {
	for _, l := range all {
		_ = l.Close() // nothing was accepted
	}
}

// serve answers requests until close.
func (s *sheet) serve(all []net.Listener) {
	s.server = &http.Server{
		Handler:           s,
		ReadHeaderTimeout: headerTime, ReadTimeout: requestTime, WriteTimeout: responseTime, MaxHeaderBytes: maxHeaderOctets,
		ErrorLog:                     log.New(io.Discard, "", 0), // it would write what others sent
		DisableGeneralOptionsHandler: true,
	}
	s.server.SetKeepAlivesEnabled(false)
	for _, l := range all {
		go s.server.Serve(&bounded{l, make(chan struct{}, maxConnections), s.stranger})
	}
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
