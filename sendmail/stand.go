package sendmail

import (
	"context"
	"errors"
	"time"

	"mailgap/confirm"
	"mailgap/sanitize"
	"mailgap/sendmail/desk"
	"mailgap/shared/audit"
	"mailgap/shared/mcpserve"
)

// stillEvery is how often a client hears that a question outside of it is open. Limit: clients that restart their timeout at
// progress give up after 60 s without.
const stillEvery = 15 * time.Second

// standing is a message on the desk that this process watches over: from the moment it is put down until its answer is taken, or
// its time is over, whether a call waits for it or not.
type standing struct {
	p        *pending
	id       int64
	shown    [32]byte
	expires  time.Time
	asking   bool          // the page is open, or the call waits for the terminal: no other question is put meanwhile
	over     chan struct{} // closed when it is answered or over
	noPage   chan struct{} // closed when the page could not be opened
	free     func()        // lets the next question be put
	state    string        // of a call that ended with the address of the page; "" when it is spent; guarded by Server.mu
	attached bool          // a call waits; guarded by Server.mu
}

// standOf returns what stands for a binding, and claims it for a call that waits. busy says that another call does.
func (s *Server) standOf(b confirm.Binding) (st *standing, busy bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	st = s.standing[b]
	if st == nil {
		return nil, false
	}
	busy = st.attached
	st.attached = true
	return st, busy
}

func (s *Server) detach(st *standing) {
	s.mu.Lock()
	defer s.mu.Unlock()
	st.attached = false
}

// putOutside puts the message on the desk, has the page opened, and waits.
func (s *Server) putOutside(ctx context.Context, call *mcpserve.Call, p *pending, q confirm.Question, w way) (mcpserve.Step[sendResult], error) {
	var none mcpserve.Step[sendResult]
	shown, err := q.Waiting()
	if err != nil {
		s.giveUp(p, "")
		return none, tooMuch()
	}
	m, err := s.desk.Put(ctx, desk.Entry{
		Binding: p.binding, Identity: p.message.Identity, Attempt: p.attempt, MessageID: p.message.MessageID,
		ReversePath: p.message.Envelope.ReversePath, ForwardPaths: p.message.Envelope.ForwardPaths, Octets: p.message.Octets,
		Level: shown.Level, Typed: shown.Typed, Text: shown.Text.SafeText(),
	})
	if err != nil {
		s.giveUp(p, "")
		return none, s.deskRefusal(err)
	}
	return s.stand(ctx, call, p, m, q, w)
}

// stand watches over m from now on, and lets the call wait for it.
func (s *Server) stand(ctx context.Context, call *mcpserve.Call, p *pending, m desk.Message, q confirm.Question, w way) (mcpserve.Step[sendResult], error) {
	st := &standing{p: p, id: m.ID, shown: m.Shown, expires: m.Expires, asking: w.waits, attached: true,
		over: make(chan struct{}), noPage: make(chan struct{}), free: func() {}}
	if p.free != nil {
		st.free = p.free
	}
	s.mu.Lock()
	s.standing[p.binding] = st
	s.mu.Unlock()
	s.log.Info("a message waits on the desk", "id", m.ID, "level", q.Level().String(), "page", w.page)
	s.watchers.Go(func() { s.watch(st) })
	if !w.page {
		return s.await(ctx, call, st)
	}
	asked := confirm.Pending{Question: q, Binding: p.binding, Expires: m.Expires, View: s.view(p)}
	if w.url {
		return s.handOver(st, asked)
	}
	s.watchers.Go(func() { s.page(s.cfg.Page, st, asked) })
	return s.await(ctx, call, st)
}

// watch follows the message on the desk until it is answered or its time is over.
func (s *Server) watch(st *standing) {
	defer st.free()
	defer close(st.over)
	m, err := s.desk.Wait(s.life, st.id)
	switch {
	case s.life.Err() != nil: // the process ends; the message goes on waiting for the next one
		return
	case err != nil:
		s.log.Error("waiting message not read", "error", err)
		s.drop(st, confirm.AskFailed)
	case m.Status == desk.StatusExpired:
		s.endOnDesk(st.id)
		s.drop(st, confirm.Expired)
	case m.Status != desk.StatusAnswered:
		s.drop(st, confirm.Superseded)
	case m.Reason == confirm.Approved:
		s.dropLater(st)
	default:
		s.release(st.p, m.Reason)
		s.dropLater(st)
	}
}

// dropLater ends the watch over an answered message when its time is over and nobody took the answer.
func (s *Server) dropLater(st *standing) {
	time.AfterFunc(st.expires.Sub(s.cfg.Now()), func() { s.drop(st, confirm.Expired) })
}

// drop ends the watch over a message that nobody will take any more.
func (s *Server) drop(st *standing, r confirm.Reason) {
	s.mu.Lock()
	if s.standing[st.p.binding] == st {
		delete(s.standing, st.p.binding)
	}
	s.mu.Unlock()
	s.release(st.p, r)
}

func (s *Server) endOnDesk(id int64) {
	if err := s.desk.End(context.Background(), id); err != nil {
		s.log.Error("waiting message not ended", "error", err)
	}
}

// page asks on the page, and puts the answer on the desk, unless the terminal was first.
func (s *Server) page(path confirm.Path, st *standing, p confirm.Pending) {
	ctx, cancel := context.WithCancel(s.life)
	defer cancel()
	go func() { // the page closes when the message is answered elsewhere
		select {
		case <-st.over:
			cancel()
		case <-ctx.Done():
		}
	}()
	answer, err := path.Ask(ctx, p)
	if err != nil {
		s.log.Warn("the approval page could not be opened", "error", err)
		close(st.noPage)
		st.free() // nobody is asked: another message may be proposed
		return
	}
	switch err := s.desk.Answer(context.Background(), st.id, st.shown, answer); {
	case err == nil:
		e := s.entry(st.p, audit.OutcomeAnswered, confirm.PathPage)
		e.Code = string(answer.Reason())
		s.note(e)
	case errors.Is(err, desk.ErrEntry): // nobody answered; the message waits until its time is over
		s.log.Info("the approval page ended without an answer", "reason", string(answer.Reason()))
	case errors.Is(err, desk.ErrAnswered), errors.Is(err, desk.ErrEnded), errors.Is(err, desk.ErrExpired):
		s.log.Info("the answer of the page came after the message was over")
	default:
		s.log.Error("answer of the page not kept", "error", err)
	}
}

// await waits until the message is answered, the call ends, or it is plain that nobody is asked.
func (s *Server) await(ctx context.Context, call *mcpserve.Call, st *standing) (mcpserve.Step[sendResult], error) {
	var none mcpserve.Step[sendResult]
	defer s.detach(st)
	if !st.asking && !closed(st.over) {
		return none, s.kept(st)
	}
	tick := time.NewTicker(stillEvery)
	defer tick.Stop()
	for n := 1; ; n++ {
		call.Progress(float64(n), 0, sanitize.Sprintf("Waiting for the person's answer outside of this client, until %s.", clock(st.expires)))
		select {
		case <-st.over:
			if s.life.Err() != nil {
				return none, &refusal{code: refusedEnding, text: sanitize.Sprintf("The server is ending. The message waits until %s. hint: propose the message again with the same arguments.", clock(st.expires))}
			}
			if ctx.Err() == nil {
				return s.takeAnswer(ctx, st)
			}
			return none, s.stillWaits(st) // not taken, so that the next call gets it
		case <-st.noPage:
			if !closed(st.over) {
				return none, s.kept(st)
			}
		case <-ctx.Done():
			return none, s.stillWaits(st)
		case <-tick.C:
		}
	}
}

// stillWaits tells that a call ended and its message waits on. Few clients read it; the audit log does.
func (s *Server) stillWaits(st *standing) error {
	return &refusal{code: refusedStillWaits, text: sanitize.Sprintf("The call ended before the person answered. The message waits until %s. "+
		"hint: repeat the call with the same arguments to get the answer.", clock(st.expires))}
}

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// kept tells that nobody is asked, and what a person can do.
func (s *Server) kept(st *standing) error {
	return &refusal{code: refusedNoPath, text: sanitize.Sprintf("Nobody can be asked from here: %s. The message is kept as number %d until %s. "+
		"hint: a person runs smtp-mcp approve in a terminal on this machine, with the same settings; then repeat the call with the same arguments.", s.whyNobody(), st.id, clock(st.expires))}
}

// whyNobody says why no page is before the person.
func (s *Server) whyNobody() sanitize.Clean {
	if s.cfg.Page == nil {
		return sanitize.Literal("the message is not one to approve in a form of this client, and there is no browser (on Linux: neither DISPLAY nor WAYLAND_DISPLAY nor SMTP_BROWSER is set)")
	}
	return sanitize.Literal("the browser with the approval page could not be started")
}

// takeAnswer takes the answer from the desk, once, and sends if it is a yes.
func (s *Server) takeAnswer(ctx context.Context, st *standing) (mcpserve.Step[sendResult], error) {
	rec, err := s.desk.Take(context.WithoutCancel(ctx), st.id, st.shown)
	s.mu.Lock()
	delete(s.standing, st.p.binding)
	s.mu.Unlock()
	switch {
	case errors.Is(err, desk.ErrExpired), errors.Is(err, desk.ErrUnanswered): // not answered when its time was over
		s.release(st.p, confirm.Expired)
		return mcpserve.Step[sendResult]{}, notApproved(confirm.Expired)
	case errors.Is(err, desk.ErrEnded):
		s.release(st.p, confirm.Superseded)
		return mcpserve.Step[sendResult]{}, notApproved(confirm.Superseded)
	case err != nil:
		s.release(st.p, confirm.AskFailed)
		return mcpserve.Step[sendResult]{}, s.deskRefusal(err)
	}
	approval, err := s.gate.RedeemRecord(rec, st.p.binding, st.shown, st.p)
	if err != nil { // a no was released when it came; what is left is a yes that is not good for this message
		s.release(st.p, confirm.Mismatched)
	}
	return s.approved(ctx, approval, err)
}

// deskRefusal explains why the desk said no.
func (s *Server) deskRefusal(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if errors.Is(err, desk.ErrFull) {
		return &refusal{code: refusedState, text: sanitize.Literal("Too many messages wait for an answer, or there is no room on the disk. hint: a person answers them with smtp-mcp approve.")}
	}
	s.log.Error("desk refused", "error", err)
	return &refusal{code: refusedState, text: sanitize.Sprintf("The file of waiting messages cannot be used (%s), and without it nobody is asked. hint: a person should check SMTP_STATE_DIR: rights, room, damage.", reason(err))}
}

func tooMuch() error {
	return &refusal{code: refusedNoPath, text: sanitize.Literal("The message cannot be put to the person in full. hint: fewer recipients or attachments, a shorter subject.")}
}

// lockAfter locks sending if the person asked for that with the answer.
func (s *Server) lockAfter(p *pending, r confirm.Reason) {
	if !r.Locks() {
		return
	}
	// Security: not by itself in the answer's transaction, but before anything else can be proposed by this process.
	if err := s.outbox.Lock(context.Background()); err != nil {
		s.log.Error("sending not locked after the person asked for it", "error", err)
	}
	s.note(audit.Record{Outcome: audit.OutcomeLocked, Tool: p.tool, Principal: p.binding.Principal, Code: string(r)})
}
