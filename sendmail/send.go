package sendmail

import (
	"context"
	"errors"
	"time"

	"mailgap/confirm"
	"mailgap/sanitize"
	"mailgap/sendmail/desk"
	"mailgap/shared/mcpserve"
)

// send is the one way to the mail server. It is run with a nil answer first and again with what came of the question. Each end
// of it is in the audit log: refusals are written here, the rest by release, replayed and settle.
func (s *Server) send(ctx context.Context, call *mcpserve.Call, p proposal, token string, a *mcpserve.Answer) (mcpserve.Step[sendResult], error) {
	step, err := s.sendStep(ctx, call, p, token, a)
	if err != nil {
		s.recordRefusal(call, p, err)
	}
	return step, toolError(err)
}

func (s *Server) sendStep(ctx context.Context, call *mcpserve.Call, p proposal, token string, a *mcpserve.Answer) (mcpserve.Step[sendResult], error) {
	var none mcpserve.Step[sendResult]
	if s.submit == nil {
		return none, s.unset()
	}
	if a != nil && errors.Is(a.Err, mcpserve.ErrAskCancelled) { // at once, so that the next message finds its place free
		s.gate.Close(a.State, reasonWithout(a))
		return none, notApproved(reasonWithout(a))
	}
	arguments := ctx
	if a != nil { // a call that ended while the question was open has an answer to settle all the same
		arguments = context.WithoutCancel(ctx)
	}
	ready, err := s.prepare(arguments, p, "")
	if err != nil {
		if a != nil { // the state is spent on first sight, whatever else is wrong
			s.gate.Close(a.State, reasonWithout(a))
		}
		return none, err
	}
	b := s.bind(call, ready)
	switch {
	case a != nil:
		if st := s.handedOver(b, a.State); st != nil {
			return s.opened(ctx, call, st, a)
		}
		return s.answered(ctx, call, b, a)
	case token != "":
		if !s.cfg.Token {
			return none, &refusal{code: refusedToken, text: sanitize.Literal("confirm_token is not taken here: a person is asked instead. hint: call again without confirm_token.")}
		}
		return s.redeemToken(ctx, b, token)
	}
	return s.propose(ctx, call, ready, b)
}

// reasonWithout is how a question ends whose message cannot be put together again: with its no if it is one, and never with a yes.
func reasonWithout(a *mcpserve.Answer) confirm.Reason {
	if r := confirm.FromElicitation(a).Reason(); r != confirm.Approved && r != confirm.Unanswered {
		return r
	}
	return confirm.Mismatched
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
	p := &pending{prepared: ready, owner: s, binding: b}
	q := s.question(p)
	s.recordRaised(call, p, q)
	w, err := s.wayOf(call, q)
	switch {
	case err != nil:
		return none, err
	case w.token:
		return s.issueToken(ctx, p)
	}
	if step, done, err := s.resume(ctx, call, b, q.Level()); done {
		return step, err
	}
	old, err := s.leftOver(ctx, p)
	if err != nil {
		return none, err
	}
	if old != nil && old.Status == desk.StatusWaiting && !w.outside { // the client can ask now
		s.endOnDesk(old.ID)
		old = nil
	}
	handle, err := s.takePlace(call, p, w, old)
	if err != nil {
		return none, openRefusal(err)
	}
	replay, err := s.reserve(ctx, p)
	switch {
	case err != nil:
		s.giveUp(p, handle)
		return none, err
	case replay != nil:
		s.giveUp(p, handle)
		if old != nil {
			s.endOnDesk(old.ID)
		}
		return s.replayed(ctx, p, replay), nil
	}
	return s.put(ctx, call, p, handle, old)
}

// takePlace takes the one place for a question: in the gate if the client or this terminal asks, else beside it. A message that was
// answered already needs none.
func (s *Server) takePlace(call *mcpserve.Call, p *pending, w way, old *desk.Message) (handle string, err error) {
	switch {
	case old != nil && old.Status == desk.StatusAnswered:
		return "", nil
	case w.form && old == nil, w.here:
		return s.openGate(call, p)
	}
	return "", s.occupy(p, w)
}

func (s *Server) openGate(call *mcpserve.Call, p *pending) (handle string, err error) {
	waiting := call.Era() != mcpserve.EraModern
	if handle, err = s.gate.Open(p.binding, waiting, p); err == nil && !waiting {
		s.expireLater()
	}
	return handle, err
}

// occupy makes sure that no other question is put while this one is, if the call waits for it.
func (s *Server) occupy(p *pending, w way) (err error) {
	if w.waits && p.free == nil {
		p.free, err = s.gate.Occupy(p.binding, s.cfg.Now().Add(s.desk.Lifetime()))
	}
	return err
}

// giveUp ends what takePlace began, and the reservation if there is one.
func (s *Server) giveUp(p *pending, handle string) {
	p.letNext()
	s.gate.Close(handle, confirm.AskFailed)
	s.release(p, confirm.AskFailed)
}

// put asks about a message that is reserved: the journal may have raised its level, so the way is chosen again.
func (s *Server) put(ctx context.Context, call *mcpserve.Call, p *pending, handle string, old *desk.Message) (mcpserve.Step[sendResult], error) {
	q := s.question(p)
	p.level = q.Level()
	w, err := s.wayOf(call, q)
	if err != nil {
		s.giveUp(p, handle)
		return mcpserve.Step[sendResult]{}, err
	}
	if old != nil {
		if s.stillFits(p, q, old) {
			return s.goOn(ctx, call, p, old, q, w)
		}
		s.endOnDesk(old.ID)
	}
	if w.form && handle == "" { // what was left on the desk is not good any more
		p.letNext()
		handle, err = s.openGate(call, p)
	}
	switch {
	case err != nil:
	case w.here:
		return s.askHere(ctx, p, handle, q)
	case w.form:
		p.then = w
		return s.ask(p, handle, q)
	default:
		s.gate.Withdraw(handle)
		err = s.occupy(p, w)
	}
	if err != nil {
		s.giveUp(p, "")
		return mcpserve.Step[sendResult]{}, openRefusal(err)
	}
	return s.putOutside(ctx, call, p, q, w)
}

// ask puts the question through the client.
func (s *Server) ask(p *pending, handle string, q confirm.Question) (mcpserve.Step[sendResult], error) {
	ask, err := confirm.Ask(q, handle, s.cfg.QuestionTime)
	if err != nil {
		s.gate.Close(handle, confirm.AskFailed)
		return mcpserve.Step[sendResult]{}, tooMuch()
	}
	return mcpserve.Step[sendResult]{Ask: ask}, nil
}

// clock writes an instant to the minute with its zone.
func clock(t time.Time) sanitize.Clean {
	t = t.UTC()
	return sanitize.Sprintf("%04d-%02d-%02d %02d:%02d UTC", t.Year(), int(t.Month()), t.Day(), t.Hour(), t.Minute())
}

// answered takes the message out of the gate and sends it if the answer is a yes, or asks outside of the client too.
func (s *Server) answered(ctx context.Context, call *mcpserve.Call, b confirm.Binding, a *mcpserve.Answer) (mcpserve.Step[sendResult], error) {
	var none mcpserve.Step[sendResult]
	answer := confirm.FromElicitation(a)
	if answer.Reason() == confirm.Unanswered {
		handle, p, err := s.gate.Renew(a.State, b)
		if err != nil {
			return none, err
		}
		return s.ask(p, handle, s.question(p))
	}
	approval, err := s.gate.Redeem(a.State, b, answer)
	if p, ok := approval.Payload(); ok && p.then.outside {
		if err := s.occupy(p, p.then); err != nil {
			s.giveUp(p, "")
			return none, openRefusal(err)
		}
		return s.putOutside(ctx, call, p, s.question(p), p.then)
	}
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
