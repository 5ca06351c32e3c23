package sendmail

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"sync"
	"time"

	"mailgap/confirm"
	"mailgap/sanitize"
	"mailgap/sendmail/compose"
	"mailgap/sendmail/outbox"
	"mailgap/shared/audit"
)

// pending is a message that waits for an answer: frozen octets, what is known about them, and the reservation in the journal.
// However the question ends, the reservation is taken once: by deliver, or by release.
type pending struct {
	*prepared
	owner   *Server // of the identity
	binding confirm.Binding
	earlier *outbox.Earlier // attempts whose outcome is unknown
	attempt int64           // number in the journal; 0 before the reservation
	level   confirm.Level   // of the question that was put
	then    way             // what follows a yes in the client's form
	free    func()          // lets the next question be put; nil if this one keeps none from it

	mu     sync.Mutex
	ticket *outbox.Ticket
	ended  bool
}

// letNext lets the next question be put.
func (p *pending) letNext() {
	if p.free != nil {
		p.free()
		p.free = nil
	}
}

// hold gives p its reservation. It is false if the question ended meanwhile; the caller then gives the ticket back.
func (p *pending) hold(t *outbox.Ticket) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return false
	}
	p.ticket, p.earlier, p.attempt = t, t.Earlier, t.ID()
	return true
}

// take ends the wait and returns the reservation, if there is one and nobody took it before.
func (p *pending) take() *outbox.Ticket {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.ticket
	p.ticket, p.ended = nil, true
	return t
}

// reserve asks the journal for a slot. A message that was accepted a moment ago is answered from it; one whose outcome is
// unknown gets its earlier Message-ID and octets back, so that a receiver can drop the duplicate.
func (s *Server) reserve(ctx context.Context, p *pending) (*outbox.Replay, error) {
	intent := outbox.Intent{Identity: p.message.Identity, Tool: p.tool, Subject: p.subject, Recipients: p.message.Envelope.ForwardPaths}
	ticket, replay, err := s.outbox.Begin(ctx, intent)
	if err != nil {
		return nil, s.journalRefusal(err)
	}
	if replay != nil {
		return replay, nil
	}
	if !p.hold(ticket) {
		s.expire(ticket)
		return nil, notApproved(confirm.Superseded)
	}
	if !s.remember(p) {
		s.release(p, confirm.Disconnected)
		return nil, notApproved(confirm.Disconnected)
	}
	if ticket.Earlier == nil {
		return nil, nil
	}
	if err := s.reuse(ctx, p); err != nil {
		s.release(p, confirm.AskFailed)
		return nil, err
	}
	return nil, nil
}

// reuse gives p the octets of the earlier attempt, or at least its Message-ID where the octets are gone.
func (s *Server) reuse(ctx context.Context, p *pending) error {
	if p.earlier.Octets == nil {
		again, err := s.prepare(ctx, p.proposal, p.earlier.MessageID)
		if err != nil {
			return err
		}
		if again.message.Identity != p.message.Identity { // a file changed between the two readings
			return &refusal{code: refusedAttachment, text: sanitize.Literal("An attachment changed while it was read. hint: call again when nothing writes to it.")}
		}
		p.prepared = again
		return nil
	}
	facts, err := compose.ReadBack(p.earlier.Octets)
	if err != nil || facts.Identity(p.draft.Bcc) != p.message.Identity {
		return &refusal{code: refusedState, text: sanitize.Literal("The journal holds another message for the earlier attempt. hint: a person should look at smtp-mcp outbox.")}
	}
	m := *p.message
	m.Octets, m.MessageID, m.Facts, m.SHA256 = p.earlier.Octets, p.earlier.MessageID, facts, sha256.Sum256(p.earlier.Octets)
	p.message = &m
	return nil
}

// remember keeps p, so that the end of the process gives its reservation back. It is false if that end has begun.
func (s *Server) remember(p *pending) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing {
		return false
	}
	s.open[p] = true
	return true
}

func (s *Server) forget(p *pending) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, p)
}

// ended is called by the gate for each message that left it.
func (s *Server) ended(p *pending, r confirm.Reason) {
	if r != confirm.Approved { // deliver goes on with an approved one
		s.release(p, r)
	}
}

// release ends the reservation of a question that was not answered with a yes. A no costs its slot; two in a row lock sending.
func (s *Server) release(p *pending, r confirm.Reason) {
	ticket := p.take()
	s.forget(p)
	if ticket == nil {
		return
	}
	if r.IsRefusal() {
		// "smtp-mcp approve" records a no by itself, so it may have been first.
		if err := ticket.Declined(context.Background()); err != nil && !errors.Is(err, outbox.ErrTicketState) {
			s.log.Error("journal not written after a refusal", "error", err)
		}
	} else {
		s.expire(ticket)
	}
	e := s.entry(p, audit.OutcomeDeclined, "")
	e.Code = string(r)
	s.note(e)
	if r.IsRefusal() {
		s.lockAfter(p, r)
		s.noteLock(p)
	}
}

// expire ends a reservation without an answer.
func (s *Server) expire(t *outbox.Ticket) {
	if err := t.Expired(context.Background()); err != nil {
		s.log.Error("journal not written after a question without an answer", "error", err)
	}
}

// noteLock records that a refusal has locked sending.
func (s *Server) noteLock(p *pending) {
	u, err := s.outbox.Usage(context.Background())
	if err != nil || u.Lock == nil {
		return
	}
	s.note(audit.Record{Outcome: audit.OutcomeLocked, Tool: p.tool, Principal: p.binding.Principal, Code: string(refusedLocked)})
}

// expireLater ends what no running call waits for when its time is over, though nobody may come back for it.
func (s *Server) expireLater() { time.AfterFunc(s.lifetime(), s.gate.Expire) }

// lifetime is how long the gate keeps a message: a little longer than a client is waited for, so that the end of the wait
// is told as such. A token is good for the five minutes that its text states.
func (s *Server) lifetime() time.Duration {
	if s.cfg.Token {
		return maxQuestionTime
	}
	return min(s.cfg.QuestionTime+min(s.cfg.QuestionTime/2, 10*time.Second), maxQuestionTime)
}

// entry is the audit record of a message.
func (s *Server) entry(p *pending, o audit.Outcome, path confirm.PathName) audit.Record {
	detail := ""
	if p.level > confirm.LevelNormal {
		detail = "level " + p.level.String()
	}
	return audit.Record{
		Outcome: o, Detail: detail, Tool: p.tool, Principal: p.binding.Principal, From: p.message.Envelope.ReversePath,
		MessageID: p.message.MessageID, Digest: hex.EncodeToString(p.message.SHA256[:]), Subject: p.subject,
		Recipients: p.message.Envelope.ForwardPaths, Approval: string(path), Size: int64(len(p.message.Octets)), Attempt: p.attempt,
	}
}
