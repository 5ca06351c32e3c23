package sendmail

import (
	"context"
	"crypto/subtle"
	"encoding/hex"
	"io"

	"mailgap/confirm"
	"mailgap/sanitize"
	"mailgap/shared/mcpserve"
)

const stateOctets = 32 // 256 random bits: cannot be guessed

// handOver has the client open the page: it is given the address, which no tool result, log or progress note holds. The call of a
// client of 2026-07-28 ends with that, and is repeated when the page was opened.
//
// Security: this is off unless the operator wants it. MCP advises against addresses that need no login, and whoever reads what
// the client writes down could approve; a form of the client proves no more.
func (s *Server) handOver(st *standing, asked confirm.Pending) (mcpserve.Step[sendResult], error) {
	var none mcpserve.Step[sendResult]
	secret := make([]byte, stateOctets)
	if _, err := io.ReadFull(s.cfg.Random, secret); err != nil {
		s.detach(st)
		return none, confirm.ErrRandom
	}
	address := make(chan string, 1)
	asked.Open = func(_ context.Context, url string) error {
		address <- url
		return nil
	}
	s.watchers.Go(func() { s.page(s.cfg.URLPage, st, asked) })
	defer s.detach(st)
	select {
	case url := <-address:
		state := hex.EncodeToString(secret)
		s.mu.Lock()
		st.state = state
		s.mu.Unlock()
		return mcpserve.Step[sendResult]{Ask: &mcpserve.Ask{State: state, Wait: s.cfg.QuestionTime, URL: url, Form: mcpserve.Form{
			Message: mcpserve.Constant("smtp-mcp asks you to approve or refuse a message on a page of this computer. Nothing is sent unless you choose so there."),
		}}}, nil
	case <-st.noPage:
		return none, s.kept(st)
	case <-s.life.Done():
		return none, &refusal{code: refusedEnding, text: sanitize.Literal("The server is ending. hint: propose the message again later.")}
	}
}

// handedOver returns what stands for the binding if state is the one that went out with its page, and spends that.
func (s *Server) handedOver(b confirm.Binding, state string) *standing {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := s.standing[b]
	if st == nil || st.attached || st.state == "" || subtle.ConstantTimeCompare([]byte(st.state), []byte(state)) != 1 {
		return nil
	}
	st.state, st.attached = "", true
	return st
}

// opened goes on after the client says what it did with the address. Security: that it was opened is no answer; the answer comes
// from the desk.
func (s *Server) opened(ctx context.Context, call *mcpserve.Call, st *standing, a *mcpserve.Answer) (mcpserve.Step[sendResult], error) {
	if a.Err == nil && a.Action == mcpserve.ActionAccept || closed(st.over) {
		return s.await(ctx, call, st)
	}
	s.detach(st)
	if ctx.Err() != nil {
		return mcpserve.Step[sendResult]{}, s.stillWaits(st)
	}
	return mcpserve.Step[sendResult]{}, s.kept(st)
}
