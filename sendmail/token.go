package sendmail

import (
	"context"
	"errors"
	"strings"

	"mailgap/confirm"
	"mailgap/sanitize"
	"mailgap/sendmail/outbox"
	"mailgap/shared/audit"
	"mailgap/shared/mcpserve"
)

// issueToken is the first call of the token path: the message is frozen and reserved, and the model is told that no person
// will have approved it.
func (s *Server) issueToken(ctx context.Context, p *pending) (mcpserve.Step[sendResult], error) {
	var none mcpserve.Step[sendResult]
	s.gate.Expire() // what is too old gives its reservation back first
	replay, err := s.reserve(ctx, p)
	switch {
	case err != nil:
		return none, err
	case replay != nil:
		return s.replayed(ctx, p, replay), nil
	}
	q := s.question(p)
	if p.level = q.Level(); p.level > confirm.LevelNormal && !s.cfg.ElevatedByForm { // the journal raised it
		s.release(p, confirm.AskFailed)
		return none, &refusal{code: refusedChanged, text: sanitize.Sprintf("A person has to approve this message: %s hint: call again; it is put to the person then.", reasonsOf(q, confirm.LevelElevated))}
	}
	token, err := s.gate.IssueToken(p.binding, p)
	if err != nil {
		s.release(p, confirm.AskFailed)
		return none, err
	}
	s.expireLater()
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
			text := strings.ReplaceAll(state.Text.SafeText(), ": nothing was sent", "")
			err = &refusal{code: refusedToken, text: sanitize.Sprintf("The token was refused: %s.", strings.TrimSuffix(text, "."))}
		}
		return mcpserve.Step[sendResult]{}, err
	}
	return s.approved(ctx, approval, nil)
}

// replayed answers a message that was accepted a moment ago.
func (s *Server) replayed(ctx context.Context, p *pending, replay *outbox.Replay) mcpserve.Step[sendResult] {
	e := s.entry(p, audit.OutcomeReplayed, "")
	e.MessageID, e.Digest, e.Attempt = replay.MessageID, "", replay.ID
	s.note(e)
	r := s.base(ctx, p)
	r.AlreadySent, r.MessageID = true, sanitize.Address(replay.MessageID)
	r.Next = sanitize.Sprintf("The same message was accepted at %s. It was not sent again, and nobody was asked.", clock(replay.AcceptedAt))
	if replay.Settled {
		r.Next = sanitize.Sprintf("A person settled the same message as sent at %s. It was not sent again, and nobody was asked.", clock(replay.AcceptedAt))
	}
	return mcpserve.Step[sendResult]{Result: mcpserve.Result[sendResult]{Structured: r, Text: r.Next}}
}
