package sendmail

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"mailgap/confirm"
	"mailgap/sendmail/desk"
	"mailgap/sendmail/outbox"
	"mailgap/sendmail/provenance"
	"mailgap/sendmail/submit"
	"mailgap/shared/audit"
	"mailgap/shared/ledger/reader"
)

// reservationMargin is how much longer the journal reserves a message than the desk keeps it.
const reservationMargin = 2 * time.Minute

// Server answers the tools of smtp-mcp. Use New. It is safe for concurrent use.
type Server struct {
	cfg     Config
	submit  *submit.Client // nil if no server is configured
	outbox  *outbox.Outbox
	ledger  *reader.Reader // nil if it is switched off
	tracker *provenance.Tracker
	written correspondents
	desk    *desk.Desk
	gate    *confirm.Gate[*pending]
	log     *slog.Logger
	// identities are all names, where the server is one of several; see Group.
	identities []string

	life    context.Context // ends when Close begins
	endLife context.CancelFunc

	mu       sync.Mutex
	audit    *audit.Log                    // opened at the start if sending is on, so that an unwritable log is known at once
	standing map[confirm.Binding]*standing // messages on the desk that this process watches over
	open     map[*pending]bool             // reservations of questions and tokens that wait
	closing  bool                          // nothing new begins
	onTheWay int                           // messages between approval and outcome
	idle     chan struct{}                 // closed when onTheWay is 0 again
	probed   time.Time                     // when test_connection last tried

	watchers sync.WaitGroup // goroutines that watch over the desk and the page
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
	if cfg.QuestionTime <= 0 {
		cfg.QuestionTime = defaultQuestionTime
	}
	cfg.QuestionTime = min(cfg.QuestionTime, maxQuestionTime)
	if cfg.PendingTime <= 0 {
		cfg.PendingTime = desk.DefaultLifetime
	}
	cfg.PendingTime = min(cfg.PendingTime, desk.MaxLifetime)
	if cfg.Confirm == "" {
		cfg.Confirm = ConfirmAuto
	}
	cfg.Submit.Logger = cfg.Logger
	s := &Server{cfg: cfg, log: cfg.Logger, open: map[*pending]bool{}, standing: map[confirm.Binding]*standing{}}
	s.life, s.endLife = context.WithCancel(context.Background())
	if cfg.Submit.Host != "" {
		client, err := submit.New(cfg.Submit)
		if err != nil {
			return nil, err
		}
		s.submit = client
	}
	if err := s.openLedger(); err != nil {
		return nil, err
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
	if s.gate = cfg.gate; s.gate == nil {
		s.gate, err = confirm.NewGate[*pending](confirm.GateOptions{Now: cfg.Now, Random: cfg.Random, Lifetime: s.lifetime()})
		if err != nil {
			return nil, err
		}
		s.gate.Watch(func(p *pending, r confirm.Reason) { p.owner.ended(p, r) })
	}
	return s, s.openState()
}

// openState opens what sending needs on disk.
func (s *Server) openState() error {
	var err error
	s.outbox, err = outbox.Open(s.cfg.StateDir, outbox.Options{
		ReplayWindow: s.cfg.ReplayWindow, MaxPerHour: s.cfg.MaxPerHour, Cooling: s.cfg.LockCooling, Clock: s.cfg.Now,
		Reservation: max(outbox.DefaultReservation, s.cfg.PendingTime+reservationMargin),
	})
	if err != nil {
		return err
	}
	if s.desk, err = desk.Open(s.cfg.StateDir, desk.Options{Lifetime: s.cfg.PendingTime, Clock: s.cfg.Now}); err != nil {
		return errors.Join(err, s.outbox.Close())
	}
	if s.audit, err = audit.Open(s.cfg.AuditLog, audit.Options{Clock: s.cfg.Now}); err != nil {
		return errors.Join(err, s.outbox.Close(), s.desk.Close())
	}
	return nil
}

// Announce writes to the audit log what is in force. For a server that starts to take calls. If that cannot be written,
// nothing can be sent, because each message is recorded before it leaves; the other tools work.
func (s *Server) Announce() {
	if !s.cfg.AllowSend {
		return
	}
	allow, deny := s.cfg.Allowlist.Len()
	s.note(audit.Record{Outcome: audit.OutcomeConfig, From: s.cfg.From.AddrSpec(), Approval: s.Approval(),
		Detail: fmt.Sprintf("sending on, allow %d, deny %d, everybody %t, per hour %d, recipients %d", allow, deny, s.cfg.Allowlist.Everyone(), s.cfg.MaxPerHour, s.cfg.Limits.MaxRecipients)})
}

// Approval says how messages of clients are approved, in one word: a path of package confirm, or the mode that chooses one.
func (s *Server) Approval() string {
	if s.cfg.Token {
		return string(confirm.PathToken)
	}
	return string(s.cfg.Confirm)
}

// note is record where the answer is the same whether it succeeds or not.
func (s *Server) note(r audit.Record) { _ = s.record(r) }

// record writes to the audit log, and to the log of the process if that fails.
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
