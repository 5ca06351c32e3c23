package sendmail

import (
	"context"
	"errors"
	"strings"
	"time"

	"mailgap/confirm"
	"mailgap/sanitize"
	"mailgap/sendmail/outbox"
	"mailgap/sendmail/submit"
	"mailgap/shared/audit"
	"mailgap/shared/mcpserve"
)

// approved sends what an approval holds, or says why there is none.
func (s *Server) approved(ctx context.Context, approval confirm.Approval[*pending], err error) (mcpserve.Step[sendResult], error) {
	var none mcpserve.Step[sendResult]
	var no *confirm.NotApprovedError
	switch {
	case errors.As(err, &no):
		return none, notApproved(no.Reason)
	case err != nil:
		return none, err
	}
	p, ok := approval.Payload()
	if !ok {
		return none, errors.New("sendmail: approval without a message")
	}
	r, err := s.deliver(ctx, p, approval.Path())
	return mcpserve.Step[sendResult]{Result: r}, err
}

// deliver hands the frozen octets to the mail server, once. A call that is cancelled before the final dot aborts the
// transaction; after it the outcome is awaited and recorded. The end of the process cancels nothing that has begun.
func (s *Server) deliver(ctx context.Context, p *pending, path confirm.PathName) (mcpserve.Result[sendResult], error) {
	var none mcpserve.Result[sendResult]
	if !s.depart() {
		s.release(p, confirm.Disconnected)
		return none, &refusal{code: refusedEnding, text: sanitize.Literal("The server is ending. hint: propose the message again later.")}
	}
	defer s.arrive()
	if ctx.Err() != nil {
		s.release(p, confirm.CallEnded)
		return none, notApproved(confirm.CallEnded)
	}
	ticket := p.take()
	s.forget(p)
	if ticket == nil {
		return none, tooLate()
	}
	lasting := context.WithoutCancel(ctx)
	if err := s.begin(lasting, ticket, p, path); err != nil {
		if failed := ticket.Failed(lasting, "not begun"); failed != nil {
			s.log.Error("journal not written after a send that did not begin", "error", failed)
		}
		return none, err
	}
	// From the final dot on, and not before, the outcome of a process that dies is unknown.
	within, stop := s.untilCancelled(ctx)
	defer stop()
	env := submit.Envelope{ReversePath: p.message.Envelope.ReversePath, ForwardPaths: p.message.Envelope.ForwardPaths}
	outcome, err := s.submit.Send(within, env, p.message.Octets, submit.Hooks{BeforeDot: func() error { return ticket.Dot(lasting) }})
	s.settle(lasting, ticket, s.entry(p, auditOf(outcome.State), path), sent{outcome, err})
	return s.sendAnswer(lasting, p, path, outcome, err), nil
}

// begin puts on record, in the journal and in the audit log, that octets may leave from now on.
func (s *Server) begin(ctx context.Context, ticket *outbox.Ticket, p *pending, path confirm.PathName) error {
	if err := ticket.Sending(ctx, outbox.Frozen{MessageID: p.message.MessageID, Octets: p.message.Octets, AnnouncesDot: true}); err != nil {
		return s.sendingRefusal(err)
	}
	if err := s.record(s.entry(p, audit.OutcomeSending, path)); err != nil {
		return &refusal{code: refusedState, text: sanitize.Sprintf("The audit log cannot be written (%s), and without it nothing is sent. hint: a person should check SMTP_AUDIT_LOG: rights, room, damage.", reason(err))}
	}
	return nil
}

func (s *Server) sendingRefusal(err error) error {
	switch {
	case errors.Is(err, outbox.ErrChanged):
		return &refusal{code: refusedChanged, text: sanitize.Literal("The same message was sent or tried while the person was asked. hint: look at smtp-mcp outbox, then call again.")}
	case errors.Is(err, outbox.ErrReservation):
		return tooLate()
	}
	return s.journalRefusal(err)
}

func tooLate() error {
	return &refusal{code: refusedChanged, text: sanitize.Literal("The answer came too late: the reservation was released. hint: call again to ask anew.")}
}

// untilCancelled ends with a call that the client cancelled, but not with one that ends because the process does: what was
// approved and has begun is finished, unless Close loses patience.
func (s *Server) untilCancelled(ctx context.Context) (context.Context, func()) {
	within, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stopCall := context.AfterFunc(ctx, func() {
		if !errors.Is(context.Cause(ctx), mcpserve.ErrEnding) {
			cancel()
		}
	})
	stopEnd := context.AfterFunc(s.life, cancel)
	return within, func() { stopCall(); stopEnd(); cancel() }
}

// sent is what package submit says of one attempt.
type sent struct {
	outcome submit.Outcome
	err     error
}

func auditOf(state submit.State) audit.Outcome {
	switch state {
	case submit.StateSent:
		return audit.OutcomeSent
	case submit.StateFailed:
		return audit.OutcomeFailed
	}
	return audit.OutcomeUnknown
}

// settle writes what became of the message to the journal and the audit log.
func (s *Server) settle(ctx context.Context, ticket *outbox.Ticket, e audit.Record, o sent) {
	write := ticket.Unknown
	switch o.outcome.State {
	case submit.StateSent:
		write = ticket.Sent
	case submit.StateFailed:
		write = ticket.Failed
	}
	code, _ := submit.Explain(s.cfg.Submit.Host, o.err)
	if err := write(ctx, string(code)); err != nil {
		s.log.Error("journal not written after a send", "state", string(o.outcome.State), "error", err)
	}
	e.Code, e.Detail = replyCode(o.outcome.Reply), strings.TrimSpace(string(code)+" "+e.Detail)
	s.note(e)
}

// depart counts a message on its way. It is false once Close has begun: nothing starts then.
func (s *Server) depart() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing {
		return false
	}
	if s.onTheWay++; s.onTheWay == 1 {
		s.idle = make(chan struct{})
	}
	return true
}

func (s *Server) arrive() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.onTheWay--; s.onTheWay == 0 {
		close(s.idle)
	}
}

// Drain waits until no message is on its way, or ctx ends.
func (s *Server) Drain(ctx context.Context) {
	for {
		s.mu.Lock()
		n, idle := s.onTheWay, s.idle
		s.mu.Unlock()
		if n == 0 {
			return
		}
		select {
		case <-idle:
		case <-ctx.Done():
			return
		}
	}
}

// closePatience is how long Close waits for a message whose transaction it has cancelled. Limit: before the final dot that
// ends at once; after it the server's reply may take minutes, and the journal says "sending", which is read as unknown.
const closePatience = 2 * time.Second

// Close gives back every reservation, cancels what has not reached the final dot, and closes the files. Call Drain first to
// let messages on their way arrive.
func (s *Server) Close() error {
	s.mu.Lock()
	s.closing = true
	var open []*pending
	for p := range s.open {
		open = append(open, p)
	}
	s.mu.Unlock()
	s.endLife()
	for _, p := range open {
		s.release(p, confirm.Disconnected)
	}
	ctx, cancel := context.WithTimeout(context.Background(), closePatience)
	defer cancel()
	s.Drain(ctx)
	s.endWatch(ctx)
	var errs []error
	if s.ledger != nil {
		errs = append(errs, s.ledger.Close())
	}
	if s.desk != nil {
		errs = append(errs, s.desk.Close())
	}
	if s.audit != nil {
		errs = append(errs, s.audit.Close())
	}
	if s.outbox != nil {
		errs = append(errs, s.outbox.Close())
	}
	return errors.Join(errs...)
}

// endWatch waits until the pages are closed and nobody reads the desk, or ctx ends.
func (s *Server) endWatch(ctx context.Context) {
	done := make(chan struct{})
	go func() {
		s.watchers.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done():
		s.log.Warn("an approval page did not close in time")
	}
}
