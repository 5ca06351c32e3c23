package smtptest

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log"
	"net"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
)

// TLSMode says how a test server protects its connections.
type TLSMode int

// The TLS modes.
const (
	PlainText TLSMode = iota
	StartTLS
	ImplicitTLS
)

// Options of a Server. The zero value is a server without TLS that lets anybody send anything.
type Options struct {
	TLS TLSMode
	// Mechanisms to offer: PLAIN, LOGIN, XOAUTH2, OAUTHBEARER, SCRAM-SHA-256. If there are any, MAIL needs a login.
	Mechanisms      []string
	MaxMessageBytes int64
	SMTPUTF8        bool
	// Rcpt, if not nil, may refuse a recipient, best with an *smtp.SMTPError.
	Rcpt func(address string) error
	// Data, if not nil, may refuse a message after the final dot, or play with the connection. A refused message does
	// not count as accepted.
	Data func(m Message, conn net.Conn) error
}

// Server is a real SMTP server on 127.0.0.1. It is safe for concurrent use.
type Server struct {
	store
	opt  Options
	Cert *Certificate // nil for PlainText
	addr string
}

// New starts a server that ends with the test.
func New(t testing.TB, opt Options) *Server {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("smtptest: %v", err)
	}
	s := &Server{opt: opt, addr: l.Addr().String()}
	srv := smtp.NewServer(smtp.BackendFunc(s.session))
	srv.Domain, srv.AllowInsecureAuth, srv.EnableSMTPUTF8 = Hostname, true, opt.SMTPUTF8
	srv.MaxMessageBytes, srv.ReadTimeout, srv.WriteTimeout = opt.MaxMessageBytes, time.Minute, time.Minute
	srv.ErrorLog = log.New(io.Discard, "", 0)
	if opt.TLS != PlainText {
		s.Cert = NewCertificate(t)
		srv.TLSConfig = s.Cert.config
	}
	if opt.TLS == ImplicitTLS {
		l = tls.NewListener(l, s.Cert.config)
	}
	done := make(chan error, 1)
	go func() { done <- srv.Serve(l) }()
	t.Cleanup(func() {
		_ = srv.Close()
		if err := <-done; err != nil && !errors.Is(err, net.ErrClosed) {
			t.Errorf("smtptest: %v", err)
		}
	})
	return s
}

// Addr is the address it listens on.
func (s *Server) Addr() string { return s.addr }

// Dialer connects to the server whatever address is asked for.
func (s *Server) Dialer() func(ctx context.Context, network, addr string) (net.Conn, error) {
	return func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "tcp", s.addr)
	}
}

func (s *Server) session(c *smtp.Conn) (smtp.Session, error) {
	s.count(func(n *Counts) { n.Connections++ })
	return &session{srv: s, conn: c}, nil
}

// session is one SMTP session.
type session struct {
	srv  *Server
	conn *smtp.Conn
	user string
	m    Message
}

func (s *session) Reset()                   { s.m = Message{} }
func (s *session) Logout() error            { return nil }
func (s *session) AuthMechanisms() []string { return s.srv.opt.Mechanisms }

func (s *session) Auth(name string) (sasl.Server, error) {
	s.srv.count(func(n *Counts) { n.Logins++ })
	for _, have := range s.srv.opt.Mechanisms {
		if have == name {
			return &login{Server: mechanism(name), s: s}, nil
		}
	}
	return nil, smtp.ErrAuthUnknownMechanism
}

// login notes who has logged in.
type login struct {
	sasl.Server
	s *session
}

func (l *login) Next(response []byte) ([]byte, bool, error) {
	challenge, done, err := l.Server.Next(response)
	if done && err == nil {
		l.s.user = User
	}
	return challenge, done, err
}

func (s *session) Mail(from string, opt *smtp.MailOptions) error {
	s.srv.count(func(n *Counts) { n.Transactions++ })
	if len(s.srv.opt.Mechanisms) > 0 && s.user == "" {
		return &smtp.SMTPError{Code: 530, EnhancedCode: smtp.EnhancedCode{5, 7, 0}, Message: "authentication required"}
	}
	s.m = Message{ReversePath: from, SMTPUTF8: opt.UTF8, Body: string(opt.Body), User: s.user}
	return nil
}

func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.srv.count(func(n *Counts) { n.Recipients++ })
	if s.srv.opt.Rcpt != nil {
		if err := s.srv.opt.Rcpt(to); err != nil {
			return err
		}
	}
	s.m.ForwardPaths = append(s.m.ForwardPaths, to)
	return nil
}

func (s *session) Data(r io.Reader) error {
	s.srv.count(func(n *Counts) { n.Data++ })
	octets, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	s.m.Octets = octets
	if s.srv.opt.Data != nil {
		if err := s.srv.opt.Data(s.m, s.conn.Conn()); err != nil {
			return err
		}
	}
	s.srv.add(s.m)
	return nil
}
