package sink

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/emersion/go-smtp"
)

// Host is the name to configure for a sink; Port does not matter. Nobody logs in and there is no TLS.
const Host = "localhost"

// Limits of a sink.
const (
	maxMessages      = 100
	maxMessageOctets = 30 << 20
	maxRecipients    = 100
	readTimeout      = 5 * time.Minute // RFC 5321 §4.5.3.2.7
)

// Message is one accepted message.
type Message struct {
	ReversePath  string
	ForwardPaths []string
	Octets       []byte // CRLF line ends, dot-stuffing removed
	At           time.Time
}

// Sink accepts messages inside the process. It is safe for concurrent use. Make one with New.
type Sink struct {
	onMessage func(Message)
	server    *smtp.Server
	queue     *queue

	mu       sync.Mutex
	messages []Message
}

// New returns an empty sink. onMessage, if not nil, is called for each message before it is acknowledged. Close ends it.
func New(onMessage func(Message)) *Sink {
	s := &Sink{onMessage: onMessage, queue: &queue{conns: make(chan net.Conn), done: make(chan struct{})}}
	s.server = smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) { return &session{sink: s}, nil }))
	s.server.Domain = Host
	s.server.MaxMessageBytes = maxMessageOctets
	s.server.MaxRecipients = maxRecipients
	s.server.EnableSMTPUTF8 = true
	s.server.ReadTimeout = readTimeout
	s.server.WriteTimeout = readTimeout
	s.server.ErrorLog = log.New(io.Discard, "", 0)
	go func() { _ = s.server.Serve(s.queue) }()
	return s
}

// Dialer returns what submit.Config.Dial needs. Each call of it opens a connection of its own; no port is opened.
func (s *Sink) Dialer() func(ctx context.Context, network, addr string) (net.Conn, error) {
	return func(ctx context.Context, _, _ string) (net.Conn, error) { return s.queue.dial(ctx) }
}

// Serve accepts messages on l as well, for clients in other processes, and blocks until Close or until l fails.
func (s *Sink) Serve(l net.Listener) error { return s.server.Serve(l) }

// Messages returns what was accepted so far, oldest first; the oldest beyond 100 are forgotten.
func (s *Sink) Messages() []Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.messages)
}

// Close ends all connections; dialling fails from then on.
func (s *Sink) Close() error {
	return errors.Join(s.queue.Close(), s.server.Close()) // the server may not know its listener yet
}

func (s *Sink) accept(m Message) {
	if s.onMessage != nil {
		s.onMessage(m)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.messages = append(s.messages, m)
	if n := len(s.messages) - maxMessages; n > 0 {
		s.messages = slices.Delete(s.messages, 0, n)
	}
}

// session is one SMTP session.
type session struct {
	sink *Sink
	from string
	to   []string
}

func (s *session) Reset()        { s.from, s.to = "", nil }
func (s *session) Logout() error { return nil }

func (s *session) Mail(from string, _ *smtp.MailOptions) error {
	s.from, s.to = from, nil
	return nil
}

func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.to = append(s.to, to)
	return nil
}

func (s *session) Data(r io.Reader) error {
	octets, err := io.ReadAll(r) // the server ends it at maxMessageOctets
	if err != nil {
		return err
	}
	s.sink.accept(Message{ReversePath: s.from, ForwardPaths: s.to, Octets: octets, At: time.Now()})
	return nil
}

// queue is a net.Listener whose connections are made by dial.
type queue struct {
	conns chan net.Conn
	once  sync.Once
	done  chan struct{}
}

func (q *queue) dial(ctx context.Context) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case q.conns <- server:
		return client, nil
	case <-q.done:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (q *queue) Accept() (net.Conn, error) {
	select {
	case c := <-q.conns:
		return c, nil
	case <-q.done:
		return nil, net.ErrClosed
	}
}

func (q *queue) Close() error {
	q.once.Do(func() { close(q.done) })
	return nil
}

func (q *queue) Addr() net.Addr { return queueAddr{} }

type queueAddr struct{}

func (queueAddr) Network() string { return "pipe" }
func (queueAddr) String() string  { return Host }
