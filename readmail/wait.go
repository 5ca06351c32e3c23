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

const (
	waitNote        = 10 * time.Second // between notes to the client that the call still waits
	maxIdleRestarts = 5                // new connections of one call, after the server dropped one
)

// errBusy says that as many calls wait as may.
var errBusy = errors.New("readmail: too many calls wait")

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
	w := &waiter{s: s, q: &query{All: filter{From: a.From, To: a.To, Subject: a.Subject}}, at: start[0], note: progressOf(call), began: s.cfg.Now(), timeout: timeout}
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
	note    func(done, total float64, note sanitize.Clean)
	began   time.Time
	timeout time.Duration

	notMatching, leftOut int // messages passed over so far
}

// wait returns as soon as a matching message is there, or what it knows when the time is up. The watching connection is
// free when it returns.
func (w *waiter) wait(ctx context.Context) (newsOf, error) {
	within, cancel := context.WithTimeout(ctx, w.timeout)
	defer cancel()
	news, err := w.look(within) // what counts as new is settled before anything is watched
	if err == nil && len(news.boxes[0].page.messages) == 0 {
		changed := make(chan struct{}, 1)
		lost := make(chan error, 1)
		mailbox := w.at.Mailbox // the watching goroutine reads nothing of w that look writes
		go func() {
			lost <- w.watch(within, mailbox, changed)
			close(lost)
		}()
		news, err = w.loop(within, news, changed, lost)
		cancel()
		for range lost {
		}
	}
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		err = nil
	}
	return news, err
}

// watch tells changed about every event in mailbox until ctx ends. A lost connection is made anew a few times: servers
// drop idle ones, and the first event of a new one makes the caller look at what it missed.
func (w *waiter) watch(ctx context.Context, mailbox string, changed chan<- struct{}) error {
	for try := 0; ; try++ {
		err := w.s.pool.Idle(ctx, mailbox, func(session.Event) {
			select {
			case changed <- struct{}{}:
			default:
			}
		})
		switch {
		case errors.Is(err, session.ErrLimited) && !errors.Is(err, session.ErrConnLost):
			return errBusy
		case ctx.Err() != nil:
			return ctx.Err()
		case err == nil:
			err = session.ErrConnLost
		}
		if !errors.Is(err, session.ErrConnLost) || try == maxIdleRestarts {
			return err
		}
	}
}

// loop looks at the mailbox again after each change, and as long as there are more messages than one look takes.
func (w *waiter) loop(ctx context.Context, news newsOf, changed <-chan struct{}, lost <-chan error) (newsOf, error) {
	tick := time.NewTicker(waitNote)
	defer tick.Stop()
	for len(news.boxes[0].page.messages) == 0 {
		if !news.more {
			select {
			case <-changed:
			case <-tick.C:
				w.note(w.s.cfg.Now().Sub(w.began).Seconds(), w.timeout.Seconds(), sanitize.Literal("waiting"))
				continue
			case err := <-lost:
				return news, err
			case <-ctx.Done():
				return news, ctx.Err()
			}
		}
		next, err := w.look(ctx)
		if err != nil {
			return news, err
		}
		news = next
	}
	return news, nil
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
	box := &news.boxes[0]
	w.at = box.next
	w.notMatching += box.notMatching
	w.leftOut += box.leftOut
	box.notMatching, box.leftOut = w.notMatching, w.leftOut
	return news, nil
}
