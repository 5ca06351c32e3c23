package sendmail

import (
	"context"
	"time"

	"mailgap/confirm"
	"mailgap/sanitize"
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
		return s.answered(ctx, b, a)
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
	path, err := s.path(call)
	if err != nil {
		return none, err
	}
	p := &pending{prepared: ready, owner: s, binding: b}
	if path == confirm.PathToken {
		return s.issueToken(ctx, p)
	}
	waiting := call.Era() != mcpserve.EraModern
	handle, err := s.gate.Open(b, waiting, p)
	if err != nil {
		return none, openRefusal(err)
	}
	if !waiting {
		s.expireLater()
	}
	replay, err := s.reserve(ctx, p)
	switch {
	case err != nil:
		s.gate.Close(handle, confirm.AskFailed)
		return none, err
	case replay != nil:
		s.gate.Close(handle, confirm.AskFailed)
		return s.replayed(ctx, p, replay), nil
	}
	q := s.question(p)
	if path == confirm.PathTerminal {
		return s.askHere(ctx, p, handle, q)
	}
	return s.ask(p, handle, q)
}

// ask puts the question through the client.
func (s *Server) ask(p *pending, handle string, q confirm.Question) (mcpserve.Step[sendResult], error) {
	ask, err := confirm.Ask(q, handle, s.cfg.QuestionTime)
	if err != nil {
		s.gate.Close(handle, confirm.AskFailed)
		return mcpserve.Step[sendResult]{}, &refusal{code: refusedNoPath, text: sanitize.Literal("The message cannot be put to the person in full. hint: fewer recipients or attachments, a shorter subject.")}
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
	if call.Era() == mcpserve.EraDirect {
		return "", &refusal{code: refusedNoPath, text: sanitize.Literal("There is no terminal to ask a person on. hint: run the command in a terminal.")}
	}
	return "", &refusal{code: refusedNoPath, text: sanitize.Literal("This client cannot show the person a form (it declares no elicitation), so nobody can approve the message. " +
		"hint: a person can send it with smtp-mcp call in a terminal, or use a client that supports elicitation.")}
}

// clock writes an instant to the minute with its zone.
func clock(t time.Time) sanitize.Clean {
	t = t.UTC()
	return sanitize.Sprintf("%04d-%02d-%02d %02d:%02d UTC", t.Year(), int(t.Month()), t.Day(), t.Hour(), t.Minute())
}

// answered takes the message out of the gate and sends it if the answer is a yes.
func (s *Server) answered(ctx context.Context, b confirm.Binding, a *mcpserve.Answer) (mcpserve.Step[sendResult], error) {
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
