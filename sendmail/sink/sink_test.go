package sink_test

import (
	"context"
	"errors"
	"net"
	"slices"
	"strings"
	"testing"

	"mailgap/sendmail/sink"
	"mailgap/sendmail/submit"
)

var (
	envelope = submit.Envelope{ReversePath: "me@example.com", ForwardPaths: []string{"a@example.org", "gr\u00fc\u00dfe@example.net"}}
	octets   = []byte("From: me@example.com\r\nSubject: gr\u00fc\u00dfe\r\n\r\n.\r\nx\r\n")
)

func newClient(t *testing.T, s *sink.Sink) *submit.Client {
	t.Helper()
	c, err := submit.New(submit.Config{Host: sink.Host, TLS: submit.TLSNone, Dial: s.Dialer()})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestSinkShowsWhatArrived(t *testing.T) {
	var seen []sink.Message
	s := sink.New(func(m sink.Message) { seen = append(seen, m) })
	defer s.Close()
	c := newClient(t, s)
	if _, err := c.Probe(t.Context()); err != nil {
		t.Fatalf("probe: %v", err)
	}
	out, err := c.Send(t.Context(), envelope, octets, submit.Hooks{})
	if err != nil || out.State != submit.StateSent {
		t.Fatalf("got %+v, %v, want sent", out, err)
	}
	got := s.Messages()
	if len(got) != 1 || len(seen) != 1 || string(got[0].Octets) != string(octets) || got[0].ReversePath != envelope.ReversePath ||
		!slices.Equal(got[0].ForwardPaths, envelope.ForwardPaths) || got[0].At.IsZero() {
		t.Errorf("got %+v, want what was sent", got)
	}
}

func TestStoppedMessageDoesNotArrive(t *testing.T) {
	s := sink.New(nil)
	defer s.Close()
	stop := errors.New("stop")
	out, err := newClient(t, s).Send(t.Context(), envelope, octets, submit.Hooks{BeforeDot: func() error { return stop }})
	if !errors.Is(err, stop) || out.State != submit.StateFailed || len(s.Messages()) != 0 {
		t.Errorf("got %+v, %v, %d messages, want nothing sent", out, err, len(s.Messages()))
	}
}

func TestKeepsTheLastHundred(t *testing.T) {
	s := sink.New(nil)
	defer s.Close()
	c := newClient(t, s)
	for i := range 103 {
		env := submit.Envelope{ReversePath: "me@example.com", ForwardPaths: []string{strings.Repeat("a", i%60+1) + "@example.org"}}
		if _, err := c.Send(t.Context(), env, octets, submit.Hooks{}); err != nil {
			t.Fatal(err)
		}
	}
	got := s.Messages()
	if len(got) != 100 || got[0].ForwardPaths[0] != "aaaa@example.org" {
		t.Errorf("got %d messages, first for %q, want the last 100", len(got), got[0].ForwardPaths)
	}
}

func TestClosedSinkRefuses(t *testing.T) {
	s := sink.New(nil)
	s.Close()
	if _, err := s.Dialer()(t.Context(), "tcp", "localhost:587"); !errors.Is(err, net.ErrClosed) {
		t.Errorf("got %v, want net.ErrClosed", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if out, err := newClient(t, s).Send(ctx, envelope, octets, submit.Hooks{}); err == nil || out.State != submit.StateFailed {
		t.Errorf("got %+v, %v, want failed", out, err)
	}
}

func TestServeOnAListener(t *testing.T) {
	s := sink.New(nil)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(l) }()
	c, err := submit.New(submit.Config{Host: "127.0.0.1", Port: l.Addr().(*net.TCPAddr).Port, TLS: submit.TLSNone})
	if err != nil {
		t.Fatal(err)
	}
	if out, err := c.Send(t.Context(), envelope, octets, submit.Hooks{}); err != nil || out.State != submit.StateSent {
		t.Fatalf("got %+v, %v, want sent", out, err)
	}
	if got := s.Messages(); len(got) != 1 || string(got[0].Octets) != string(octets) {
		t.Errorf("got %+v, want what was sent", got)
	}
	s.Close()
	<-ended
}
