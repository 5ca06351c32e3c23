package sendmail

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"

	"mailgap/confirm"
	"mailgap/sanitize"
	"mailgap/sendmail/compose"
	"mailgap/sendmail/desk"
	"mailgap/shared/audit"
	"mailgap/shared/mcpserve"
)

// resume lets the call wait for a message that an earlier call of this process put on the desk. done is false if there is none.
func (s *Server) resume(ctx context.Context, call *mcpserve.Call, b confirm.Binding, level confirm.Level) (step mcpserve.Step[sendResult], done bool, err error) {
	st, busy := s.standOf(b)
	switch {
	case st == nil:
		return step, false, nil
	case busy:
		return step, true, &refusal{code: refusedInProgress, text: sanitize.Sprintf("The same message is before the person right now. hint: wait for that answer, at most until %s.", clock(st.expires))}
	case level > st.p.level: // what is known of the message grew worse since the question was put
		s.endOnDesk(st.id)
		s.drop(st, confirm.Superseded)
		return step, false, nil
	}
	step, err = s.await(ctx, call, st)
	return step, true, err
}

// leftOver returns what a process that is gone left on the desk of the message, and gives p its frozen octets. A no is told, as
// the error.
func (s *Server) leftOver(ctx context.Context, p *pending) (*desk.Message, error) {
	m, err := s.desk.Find(ctx, p.binding)
	switch {
	case errors.Is(err, desk.ErrNone):
		return nil, nil
	case err != nil:
		return nil, s.deskRefusal(err)
	case m.Status == desk.StatusAnswered && m.Reason != confirm.Approved:
		return nil, s.tellNo(ctx, p, m)
	}
	facts, err := compose.ReadBack(m.Octets)
	if err != nil || facts.Identity(p.draft.Bcc) != p.message.Identity {
		s.endOnDesk(m.ID) // not what this version would send
		return nil, nil
	}
	frozen := *p.message
	frozen.Octets, frozen.MessageID, frozen.Facts, frozen.SHA256 = m.Octets, m.MessageID, facts, sha256.Sum256(m.Octets)
	p.message = &frozen
	return &m, nil
}

// tellNo tells a no that came when no call waited, once.
func (s *Server) tellNo(ctx context.Context, p *pending, m desk.Message) error {
	if _, err := s.desk.Take(context.WithoutCancel(ctx), m.ID, m.Shown); err != nil {
		return s.deskRefusal(err)
	}
	e := s.entry(p, audit.OutcomeDeclined, m.Path)
	e.Code, e.Attempt = string(m.Reason), m.Attempt
	s.note(e)
	if m.Reason.IsRefusal() {
		if err := s.outbox.Refuse(ctx, m.Attempt); err != nil {
			return s.journalRefusal(err)
		}
		s.lockAfter(p, m.Reason)
	}
	return notApproved(m.Reason)
}

// stillFits says whether the question that is on the desk is the one that would be put now. An answer to it is good as long as the
// message is the same and nothing made it worse; a question without an answer is put anew if it would read otherwise.
func (s *Server) stillFits(p *pending, q confirm.Question, m *desk.Message) bool {
	if !bytes.Equal(p.message.Octets, m.Octets) || q.Level() > m.Level {
		return false
	}
	if m.Status == desk.StatusAnswered {
		return true
	}
	shown, err := q.Waiting()
	return err == nil && shown.Text.SafeText() == m.Text && shown.Level == m.Level
}

// goOn takes the answer to a message that was left on the desk, or waits for it.
func (s *Server) goOn(ctx context.Context, call *mcpserve.Call, p *pending, m *desk.Message, q confirm.Question, w way) (mcpserve.Step[sendResult], error) {
	var none mcpserve.Step[sendResult]
	p.level = m.Level
	if m.Status == desk.StatusAnswered {
		return s.takeAnswer(ctx, &standing{p: p, id: m.ID, shown: m.Shown, expires: m.Expires})
	}
	if err := s.desk.Adopt(ctx, m.ID, p.attempt); err != nil {
		p.letNext()
		s.release(p, confirm.AskFailed)
		return none, s.deskRefusal(err)
	}
	return s.stand(ctx, call, p, *m, q, w)
}
