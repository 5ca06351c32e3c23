package sendmail

import (
	"context"
	"errors"

	"mailgap/confirm"
	"mailgap/sanitize"
	"mailgap/sendmail/outbox"
	"mailgap/shared/audit"
	"mailgap/shared/mcpserve"
)

// track remembers the reservation of an open question, so that it is settled however the question ends.
func (s *Server) track(p *pending) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open[p.binding] = p
}

// untrack forgets a reservation that is about to be used.
func (s *Server) untrack(b confirm.Binding) *pending {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.open[b]
	delete(s.open, b)
	return p
}

// settle is called by the gate for each question that ended. A no costs its slot; two in a row lock sending.
func (s *Server) settle(b confirm.Binding, r confirm.Reason) {
	if r == confirm.Approved || r == confirm.Unanswered {
		return // deliver goes on with it, or the question is put again
	}
	p := s.untrack(b)
	if p == nil || p.ticket == nil {
		return
	}
	end := p.ticket.Expired
	if r.IsRefusal() {
		end = p.ticket.Declined
	}
	if err := end(context.Background()); err != nil {
		s.log.Error("journal not written after a refusal", "reason", string(r), "error", err)
	}
	e := s.entry(p, audit.OutcomeDeclined, "")
	e.Code = string(r)
	if err := s.record(e); err != nil {
		s.log.Error("a refusal is missing in the audit log")
	}
}

// recordRefusal writes a refusal before the question to the audit log: what was proposed in counts, never its text.
func (s *Server) recordRefusal(call *mcpserve.Call, p proposal, r *refusal) {
	if r.code == refusedNotApproved {
		return // settle wrote it
	}
	outcome := audit.OutcomeRefused
	switch r.code {
	case refusedLocked:
		outcome = audit.OutcomeLocked
	case refusedToken:
		outcome = audit.OutcomeTokenRefused
	}
	err := s.record(audit.Record{Outcome: outcome, Tool: p.tool, Principal: call.Principal(), Code: string(r.code),
		Recipients: nil, RecipientsCount: len(p.to) + len(p.cc) + len(p.bcc)})
	if err != nil {
		s.log.Error("a refusal is missing in the audit log")
	}
}

// issueToken is the first call of the token path: the message is frozen and reserved, and the model is told that no person
// will have approved it.
func (s *Server) issueToken(ctx context.Context, p *pending) (mcpserve.Step[sendResult], error) {
	var none mcpserve.Step[sendResult]
	replay, err := s.reserve(ctx, p)
	if err != nil || replay != nil {
		return s.replayed(nil, p, replay), err
	}
	token, err := s.gate.IssueToken(p.binding, p)
	if err != nil {
		s.settle(p.binding, confirm.AskFailed)
		return none, err
	}
	r := s.base(ctx, p)
	r.Token = sanitize.Opaque(token)
	r.Next = sanitize.Sprintf("Nothing was sent yet. %s To send it, repeat the call with the same arguments and confirm_token=%s within five minutes.", confirm.TokenNotice().SafeText(), r.Token)
	return mcpserve.Step[sendResult]{Result: mcpserve.Result[sendResult]{Structured: r, Text: r.Next}}, nil
}

// redeemToken is the second call of the token path.
func (s *Server) redeemToken(ctx context.Context, b confirm.Binding, token string) (mcpserve.Step[sendResult], error) {
	approval, err := s.gate.RedeemToken(token, b)
	if err != nil {
		var state *mcpserve.StateError
		if errors.As(err, &state) {
			err = &refusal{refusedToken, sanitize.Sprintf("%s", state.Text.SafeText())}
		}
		return mcpserve.Step[sendResult]{}, err
	}
	return s.approved(ctx, approval, nil)
}

// replayed answers a message that was accepted a moment ago.
func (s *Server) replayed(call *mcpserve.Call, p *pending, replay *outbox.Replay) mcpserve.Step[sendResult] {
	if replay == nil {
		return mcpserve.Step[sendResult]{}
	}
	r := s.base(context.Background(), p)
	r.AlreadySent, r.MessageID = true, sanitize.Address(replay.MessageID)
	r.Next = sanitize.Sprintf("The same message was accepted at %s. It was not sent again, and nobody was asked.", clock(replay.AcceptedAt))
	e := s.entry(p, audit.OutcomeReplayed, "")
	e.MessageID = replay.MessageID
	if err := s.record(e); err != nil {
		s.log.Error("a replay is missing in the audit log")
	}
	return mcpserve.Step[sendResult]{Result: mcpserve.Result[sendResult]{Structured: r, Text: r.Next}}
}
