package sendmail

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"time"

	"mailgap/confirm"
	"mailgap/sanitize"
	"mailgap/sendmail/compose"
	"mailgap/sendmail/outbox"
	"mailgap/sendmail/submit"
	"mailgap/shared/audit"
	"mailgap/shared/mcpserve"
)

// pending is a message that waits for an answer: frozen octets, what is known about them, and the reservation in the journal.
type pending struct {
	*prepared
	binding confirm.Binding
	ticket  *outbox.Ticket
}

// send is the one way to the mail server. It is run with a nil answer first and again with what came of the question.
func (s *Server) send(ctx context.Context, call *mcpserve.Call, p proposal, token string, a *mcpserve.Answer) (mcpserve.Step[sendResult], error) {
	step, err := s.sendStep(ctx, call, p, token, a)
	var r *refusal
	if errors.As(err, &r) {
		s.recordRefusal(call, p, r)
	}
	return step, toolError(err)
}

func (s *Server) sendStep(ctx context.Context, call *mcpserve.Call, p proposal, token string, a *mcpserve.Answer) (mcpserve.Step[sendResult], error) {
	var none mcpserve.Step[sendResult]
	if s.submit == nil {
		return none, &refusal{refusedUnset, sanitize.Sprintf("No mail server is configured. hint: the operator sets %s.", joinMissing(s.cfg.Missing))}
	}
	ready, err := s.prepare(ctx, p, "")
	if err != nil {
		if a != nil { // the state is spent on first sight, whatever else is wrong
			s.gate.Close(a.State, confirm.Mismatched)
		}
		return none, err
	}
	b := s.bind(call, ready)
	switch {
	case a != nil:
		return s.answered(ctx, call, ready, b, a)
	case token != "":
		if !s.cfg.Token {
			return none, &refusal{refusedToken, sanitize.Literal("confirm_token is not taken here: a person is asked instead. hint: call again without confirm_token.")}
		}
		return s.redeemToken(ctx, b, token)
	}
	return s.propose(ctx, call, ready, b)
}

// bind says what an approval is good for: every field of the message, every attachment, sender, server, tool and caller. Date
// and Message-ID are left out, because the arguments are composed anew when the answer comes; the octets that leave are those
// that were frozen with the question.
func (s *Server) bind(call *mcpserve.Call, p *prepared) confirm.Binding {
	d := confirm.NewDigest().AddText("tool", p.tool).AddText("principal", call.Principal()).
		AddText("host", s.cfg.Submit.Host).AddText("reverse-path", p.message.Envelope.ReversePath).
		AddList("forward-paths", p.message.Envelope.ForwardPaths).Add("identity", p.message.Identity[:]).
		AddText("answers", p.answers).AddText("from", p.draft.From.DisplayName)
	return confirm.Binding{Principal: call.Principal(), Tool: p.tool, Digest: d.Sum()}
}

// propose reserves a slot and asks. Everything that can refuse does so before the journal is touched.
func (s *Server) propose(ctx context.Context, call *mcpserve.Call, ready *prepared, b confirm.Binding) (mcpserve.Step[sendResult], error) {
	var none mcpserve.Step[sendResult]
	path, err := s.path(call)
	if err != nil {
		return none, err
	}
	p := &pending{prepared: ready, binding: b}
	if path == confirm.PathToken {
		return s.issueToken(ctx, p)
	}
	handle, err := s.gate.Open(b, call.Era() != mcpserve.EraModern, p)
	if err != nil {
		return none, openRefusal(err)
	}
	replay, err := s.reserve(ctx, p)
	if err != nil || replay != nil {
		s.gate.Close(handle, confirm.AskFailed)
		return s.replayed(call, p, replay), err
	}
	q := s.question(p)
	if path == confirm.PathTerminal {
		return s.askHere(ctx, p, handle, q)
	}
	ask, err := confirm.Ask(q, handle, s.cfg.QuestionTime)
	if err != nil {
		s.gate.Close(handle, confirm.AskFailed)
		return none, &refusal{refusedNoPath, sanitize.Literal("The message cannot be put to the person in full. hint: make it shorter.")}
	}
	return mcpserve.Step[sendResult]{Ask: ask}, nil
}

// path picks the way to ask. A client that cannot ask is refused before anything is reserved.
func (s *Server) path(call *mcpserve.Call) (confirm.PathName, error) {
	switch {
	case call.Era() == mcpserve.EraDirect && s.cfg.Terminal != nil:
		return confirm.PathTerminal, nil
	case s.cfg.Token:
		return confirm.PathToken, nil
	case call.ClientElicitation().Form:
		return confirm.PathElicitation, nil
	}
	return "", &refusal{refusedNoPath, sanitize.Literal("This client cannot show the person a form (it declares no elicitation), so nobody can approve the message. " +
		"hint: a person can send it with smtp-mcp call in a terminal, or use a client that supports elicitation.")}
}

func openRefusal(err error) error {
	var open *confirm.QuestionOpenError
	if errors.As(err, &open) {
		return &refusal{refusedInProgress, sanitize.Sprintf("Another message is before the person. hint: wait for that answer (at most %d seconds), then call again.", int(open.Wait.Seconds())+1)}
	}
	return err
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
	p.ticket = ticket
	s.track(p)
	if ticket.Earlier == nil {
		return nil, nil
	}
	if err := s.reuse(ctx, p); err != nil {
		s.settle(p.binding, confirm.AskFailed)
		return nil, err
	}
	return nil, nil
}

// reuse gives p the octets of the earlier attempt, or at least its Message-ID where the octets are gone.
func (s *Server) reuse(ctx context.Context, p *pending) error {
	earlier := p.ticket.Earlier
	if earlier.Octets == nil {
		again, err := s.prepare(ctx, p.proposal, earlier.MessageID)
		if err == nil {
			p.prepared = again
		}
		return err
	}
	facts, err := compose.ReadBack(earlier.Octets)
	if err != nil || facts.Identity(p.draft.Bcc) != p.message.Identity {
		return &refusal{refusedState, sanitize.Literal("The journal holds another message for the earlier attempt. hint: a person should look at smtp-mcp outbox.")}
	}
	m := *p.message
	m.Octets, m.MessageID, m.Facts, m.SHA256 = earlier.Octets, earlier.MessageID, facts, sha256.Sum256(earlier.Octets)
	p.message = &m
	return nil
}

// journalRefusal explains why the journal said no.
func (s *Server) journalRefusal(err error) error {
	var (
		capped *outbox.CapError
		locked *outbox.LockedError
		busy   *outbox.InProgressError
	)
	switch {
	case errors.As(err, &capped):
		return &refusal{refusedCap, sanitize.Sprintf("The hourly limit of %d messages is reached. hint: the next one can be proposed at %s.", capped.Max, clock(capped.FreesAt))}
	case errors.As(err, &locked):
		return &refusal{refusedLocked, sanitize.Sprintf("Sending is locked since %s: %s. hint: do not retry; a person unlocks it with smtp-mcp unlock.", clock(locked.Since), locked.Reason)}
	case errors.As(err, &busy):
		return &refusal{refusedInProgress, sanitize.Literal("The same message is being asked about or sent right now. hint: wait for that to end.")}
	}
	s.log.Error("journal refused", "error", err)
	return &refusal{refusedState, sanitize.Sprintf("The journal of sent messages cannot be used (%s), and without it nothing is sent. hint: a person should check SMTP_STATE_DIR: rights, room, damage.", reason(err))}
}

// clock writes an instant to the minute with its zone.
func clock(t time.Time) sanitize.Clean {
	t = t.UTC()
	return sanitize.Sprintf("%04d-%02d-%02d %02d:%02d UTC", t.Year(), int(t.Month()), t.Day(), t.Hour(), t.Minute())
}

// answered takes the message out of the gate and sends it if the answer is a yes.
func (s *Server) answered(ctx context.Context, call *mcpserve.Call, ready *prepared, b confirm.Binding, a *mcpserve.Answer) (mcpserve.Step[sendResult], error) {
	var none mcpserve.Step[sendResult]
	answer := confirm.FromElicitation(a)
	if answer.Reason() == confirm.Unanswered {
		handle, p, err := s.gate.Renew(a.State, b)
		if err != nil {
			return none, err
		}
		ask, err := confirm.Ask(s.question(p), handle, s.cfg.QuestionTime)
		return mcpserve.Step[sendResult]{Ask: ask}, err
	}
	approval, err := s.gate.Redeem(a.State, b, answer)
	return s.approved(ctx, approval, err)
}

// askHere asks on a path that ends within the call.
func (s *Server) askHere(ctx context.Context, p *pending, handle string, q confirm.Question) (mcpserve.Step[sendResult], error) {
	within, cancel := context.WithTimeout(ctx, s.cfg.QuestionTime)
	defer cancel()
	answer, err := s.cfg.Terminal.Ask(within, confirm.Pending{Question: q, Binding: p.binding, Expires: s.cfg.Now().Add(s.cfg.QuestionTime)})
	if err != nil {
		answer = confirm.No(confirm.PathTerminal, confirm.CannotAsk)
	}
	approval, err := s.gate.Redeem(handle, p.binding, answer)
	return s.approved(ctx, approval, err)
}

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
	if !ok || p.ticket == nil {
		return none, errors.New("sendmail: approval without a message")
	}
	r, err := s.deliver(ctx, p, approval.Path())
	return mcpserve.Step[sendResult]{Result: r}, err
}

func notApproved(r confirm.Reason) error {
	words := sanitize.Literal("Nobody approved the message")
	if r.IsRefusal() {
		words = sanitize.Literal("The person did not approve the message")
	}
	return &refusal{refusedNotApproved, sanitize.Sprintf("%s (%s). hint: do not propose it again unless the person asks for it.", words, string(r))}
}

// deliver hands the frozen octets to the mail server, once. From here on the call's end does not stop what has begun: before
// the final dot it aborts the transaction, after it the outcome is awaited and recorded.
func (s *Server) deliver(ctx context.Context, p *pending, path confirm.PathName) (mcpserve.Result[sendResult], error) {
	var none mcpserve.Result[sendResult]
	s.inWork.Add(1)
	defer s.inWork.Done()
	s.untrack(p.binding)
	lasting := context.WithoutCancel(ctx)
	if ctx.Err() != nil {
		return none, errors.Join(ctx.Err(), p.ticket.Expired(lasting))
	}
	if err := p.ticket.Sending(ctx, outbox.Frozen{MessageID: p.message.MessageID, Octets: p.message.Octets}); err != nil {
		return none, s.sendingRefusal(err)
	}
	if err := s.record(s.entry(p, audit.OutcomeSending, path)); err != nil {
		return none, errors.Join(&refusal{refusedState, sanitize.Literal("The audit log cannot be written, and without it nothing is sent. hint: a person should check SMTP_AUDIT_LOG.")},
			p.ticket.Failed(lasting, "audit log not written"))
	}
	env := submit.Envelope{ReversePath: p.message.Envelope.ReversePath, ForwardPaths: p.message.Envelope.ForwardPaths}
	outcome, err := s.submit.Send(ctx, env, p.message.Octets, submit.Hooks{})
	s.settleOutcome(lasting, p, path, outcome, err)
	return s.sendAnswer(lasting, p, path, outcome, err), nil
}

func (s *Server) sendingRefusal(err error) error {
	if errors.Is(err, outbox.ErrChanged) {
		return &refusal{refusedChanged, sanitize.Literal("The same message was sent or tried while the person was asked. hint: look at smtp-mcp outbox, then call again.")}
	}
	if errors.Is(err, outbox.ErrReservation) {
		return &refusal{refusedChanged, sanitize.Literal("The answer came too late: the reservation was released. hint: call again to ask anew.")}
	}
	return s.journalRefusal(err)
}

// settleOutcome writes what became of the message to the journal and the audit log.
func (s *Server) settleOutcome(ctx context.Context, p *pending, path confirm.PathName, o submit.Outcome, sendErr error) {
	outcome, write := audit.OutcomeUnknown, p.ticket.Unknown
	switch o.State {
	case submit.StateSent:
		outcome, write = audit.OutcomeSent, p.ticket.Sent
	case submit.StateFailed:
		outcome, write = audit.OutcomeFailed, p.ticket.Failed
	}
	code, _ := submit.Explain(s.cfg.Submit.Host, sendErr)
	if err := write(ctx, string(code)); err != nil {
		s.log.Error("journal not written after a send", "state", string(o.State), "error", err)
	}
	e := s.entry(p, outcome, path)
	e.Code = replyCode(o.Reply)
	if err := s.record(e); err != nil {
		s.log.Error("a send is missing in the audit log", "state", string(o.State))
	}
}

// entry is the audit record of a message.
func (s *Server) entry(p *pending, o audit.Outcome, path confirm.PathName) audit.Record {
	r := audit.Record{
		Outcome: o, Tool: p.tool, Principal: p.binding.Principal, From: p.message.Envelope.ReversePath,
		MessageID: p.message.MessageID, Digest: hex.EncodeToString(p.message.SHA256[:]), Subject: p.subject,
		Recipients: p.message.Envelope.ForwardPaths, Approval: string(path), Size: int64(len(p.message.Octets)),
	}
	if p.ticket != nil {
		r.Attempt = p.ticket.ID()
	}
	return r
}
