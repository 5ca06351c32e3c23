package readmail

import (
	"context"
	"errors"
	"time"

	"mailgap/readmail/session"
	"mailgap/sanitize"
	"mailgap/shared/mcpserve"
)

// waitArgs are the arguments of wait_for_message.
type waitArgs struct {
	Mailbox string `json:"mailbox,omitempty"`
	From    string `json:"from,omitempty"`
	To      string `json:"to,omitempty"`
	Subject string `json:"subject,omitempty"`
	Cursor  string `json:"cursor,omitempty"`
	Seconds int    `json:"timeout_seconds,omitempty"`
}

// waitNote is how often a waiting call tells the client that it still waits.
const waitNote = 10 * time.Second

// waitForMessage is the handler of wait_for_message.
func (s *Server) waitForMessage(ctx context.Context, call *mcpserve.Call, a waitArgs) (mcpserve.Result[newResult], error) {
	var none mcpserve.Result[newResult]
	var names []string
	if a.Mailbox != "" {
		names = []string{a.Mailbox}
	}
	start, err := s.newStart(ctx, names, a.Cursor)
	if err != nil {
		return none, explain(err)
	}
	if len(start) != 1 {
		return none, refuse(sanitize.Literal("wait_for_message watches one mailbox. hint: pass mailbox, and a cursor of that mailbox alone or none."))
	}
	timeout := orDefault(time.Duration(a.Seconds)*time.Second, defaultIdleTimeout)
	w := &waiter{s: s, q: &query{All: filter{From: a.From, To: a.To, Subject: a.Subject}}, at: start[0], call: call, began: s.cfg.Now(), timeout: timeout}
	news, err := w.wait(ctx)
	if err != nil {
		return none, explain(err)
	}
	r := s.newAnswer(news)
	r.TimedOut = len(r.Messages) == 0
	text, err := s.newText(r)
	return mcpserve.Result[newResult]{Structured: r, Text: text}, err
}

// waiter watches one mailbox.
type waiter struct {
	s       *Server
	q       *query
	at      newBox
	call    *mcpserve.Call
	began   time.Time
	timeout time.Duration
}

// wait returns as soon as a matching message is there, or what it knows when the time is up.
func (w *waiter) wait(ctx context.Context) (newsOf, error) {
	if w.s.pool == nil {
		return newsOf{}, &notConfiguredError{w.s.cfg.Missing}
	}
	within, cancel := context.WithTimeout(ctx, w.timeout)
	defer cancel()
	changed := make(chan struct{}, 1)
	lost := make(chan error, 1)
	go func() {
		lost <- w.s.pool.Idle(within, w.at.Mailbox, func(session.Event) {
			select {
			case changed <- struct{}{}:
			default:
			}
		})
	}()
	news, err := w.loop(within, changed, lost)
	cancel()
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		err = nil
	}
	return news, err
}

func (w *waiter) loop(ctx context.Context, changed <-chan struct{}, lost <-chan error) (newsOf, error) {
	tick := time.NewTicker(waitNote)
	defer tick.Stop()
	news, err := w.look(ctx)
	for err == nil && len(news.boxes[0].page.messages) == 0 {
		select {
		case <-changed:
			var next newsOf
			if next, err = w.look(ctx); err == nil {
				news = next
			}
		case <-tick.C:
			w.call.Progress(w.s.cfg.Now().Sub(w.began).Seconds(), w.timeout.Seconds(), sanitize.Literal("waiting"))
		case err = <-lost:
			if ctx.Err() != nil {
				return news, ctx.Err()
			}
			if err == nil {
				err = session.ErrConnLost
			}
		case <-ctx.Done():
			return news, ctx.Err()
		}
	}
	return news, err
}

// look compares the mailbox with where it was last looked at.
func (w *waiter) look(ctx context.Context) (newsOf, error) {
	var news newsOf
	err := w.s.do(ctx, w.at.Mailbox, func(ctx context.Context, c *session.Conn) error {
		var err error
		news, err = w.s.news(ctx, c, []newBox{w.at}, maxPageSize, func(f *summaryFacts) bool { return w.q.matchHere(f) == yes })
		if err == nil {
			err = news.boxes[0].err
		}
		return err
	})
	if err != nil {
		return newsOf{boxes: []newsBox{{page: boxPage{mailbox: w.at.Mailbox}, next: w.at, since: sinceCursor}}}, err
	}
	w.at = news.boxes[0].next
	return news, nil
}
