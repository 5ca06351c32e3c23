package sendmail

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"sync"
	"time"

	"mailgap/confirm"
	"mailgap/sendmail/outbox"
	"mailgap/sendmail/submit"
	"mailgap/shared/audit"
)

// Server answers the tools of smtp-mcp. Use New. It is safe for concurrent use.
type Server struct {
	cfg    Config
	submit *submit.Client // nil if no server is configured
	outbox *outbox.Outbox
	gate   *confirm.Gate[*pending]
	log    *slog.Logger

	mu     sync.Mutex
	audit  *audit.Log                   // opened at the start if sending is on, so that an unwritable log is known at once
	open   map[confirm.Binding]*pending // questions that wait for an answer
	probed time.Time                    // when test_connection last tried
	inWork sync.WaitGroup
}

// ErrNoSender is returned by New if sending is on and no sender is configured.
var ErrNoSender = errors.New("sendmail: SMTP_FROM is required with SMTP_ALLOW_SEND=true: write the address that mail is sent from")

// New checks cfg and returns a server. With sending off it touches nothing. With sending on it opens the audit log and
// fails if that cannot be written. It makes no connection. Close it.
func New(cfg Config) (*Server, error) {
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.Random == nil {
		cfg.Random = rand.Reader
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Version == "" {
		cfg.Version = "devel"
	}
	if cfg.QuestionTime == 0 {
		cfg.QuestionTime = defaultQuestionTime
	}
	s := &Server{cfg: cfg, log: cfg.Logger, open: map[confirm.Binding]*pending{}}
	cfg.Submit.Logger = cfg.Logger
	if cfg.Submit.Host != "" {
		client, err := submit.New(cfg.Submit)
		if err != nil {
			return nil, err
		}
		s.submit = client
	}
	if !cfg.AllowSend {
		return s, nil
	}
	if allow, _ := cfg.Allowlist.Len(); allow == 0 {
		return nil, errors.New("sendmail: SMTP_ALLOWED_RECIPIENTS is required with SMTP_ALLOW_SEND=true")
	}
	if cfg.From.IsZero() {
		return nil, ErrNoSender
	}
	var err error
	s.gate, err = confirm.NewGate[*pending](confirm.GateOptions{Now: cfg.Now, Random: cfg.Random, Lifetime: cfg.QuestionTime, Settled: s.settle})
	if err != nil {
		return nil, err
	}
	return s, s.openState()
}

// openState opens what sending needs on disk.
func (s *Server) openState() error {
	var err error
	s.outbox, err = outbox.Open(s.cfg.StateDir, outbox.Options{
		ReplayWindow: s.cfg.ReplayWindow, MaxPerHour: s.cfg.MaxPerHour, Cooling: s.cfg.LockCooling, Clock: s.cfg.Now,
	})
	if err != nil {
		return err
	}
	if s.audit, err = audit.Open(s.cfg.AuditLog, audit.Options{Clock: s.cfg.Now}); err != nil {
		return errors.Join(err, s.outbox.Close())
	}
	return nil
}

// Close ends what is open. A message on its way is waited for; see Drain.
func (s *Server) Close() error {
	s.inWork.Wait()
	var errs []error
	if s.audit != nil {
		errs = append(errs, s.audit.Close())
	}
	if s.outbox != nil {
		errs = append(errs, s.outbox.Close())
	}
	return errors.Join(errs...)
}

// Drain waits until no message is on its way, or ctx ends.
func (s *Server) Drain(ctx context.Context) {
	done := make(chan struct{})
	go func() {
		s.inWork.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done():
	}
}

// record writes to the audit log. A message that is on its way is not stopped by a full disk; everything else is.
func (s *Server) record(r audit.Record) error {
	if s.audit == nil {
		return nil
	}
	err := s.audit.Append(r)
	if err != nil {
		s.log.Error("audit log not written", "outcome", string(r.Outcome), "error", err)
	}
	return err
}
