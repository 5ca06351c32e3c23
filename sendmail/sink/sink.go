package sink

import (
	"context"
	"errors"
	"net"
	"time"
)

// Host is the name to configure for a sink; Port does not matter. Nobody logs in and there is no TLS.
const Host = "localhost"

// Message is one accepted message.
type Message struct {
	ReversePath  string
	ForwardPaths []string
	Octets       []byte // CRLF line ends, dot-stuffing removed
	At           time.Time
}

// Sink accepts messages inside the process. It is safe for concurrent use.
type Sink struct{ OnMessage func(Message) }

// New returns an empty sink. onMessage, if not nil, is called for each message before it is acknowledged.
func New(onMessage func(Message)) *Sink { return &Sink{OnMessage: onMessage} }

// Dialer returns what submit.Config.Dial needs. Each call of it opens a connection of its own; no port is opened.
func (s *Sink) Dialer() func(ctx context.Context, network, addr string) (net.Conn, error) {
	return func(context.Context, string, string) (net.Conn, error) { return nil, errors.New("sink: not built yet") }
}

// Messages returns what was accepted so far, oldest first; the oldest beyond 100 are forgotten.
func (s *Sink) Messages() []Message { return nil }

// Close ends all connections.
func (s *Sink) Close() error { return nil }
