package session

import (
	"context"
	"errors"
	"time"
)

const (
	idleRestart = 9 * time.Minute  // below the ten minutes after which firewalls forget a connection; RFC 2177 §3 asks for under 29
	pollEvery   = 20 * time.Second // without IDLE
)

// Idle watches a mailbox on a connection of its own until ctx ends or the connection is lost (ErrConnLost), and calls fn for
// every change, one at a time. Without IDLE on the server it polls. At most two may run at a time; more get ErrLimited.
func (p *Pool) Idle(ctx context.Context, mailbox string, fn func(Event)) error {
	ctx, stop := p.bind(ctx)
	defer stop()
	select {
	case p.watchers <- struct{}{}:
		defer func() { <-p.watchers }()
	default:
		return ErrLimited
	}
	c, err := p.connect(ctx)
	if err != nil {
		return p.why(err)
	}
	defer p.retire(c)
	st, err := c.Examine(ctx, mailbox)
	if err != nil {
		return p.why(err)
	}
	fn(Event{Kind: EventReady, Messages: st.Messages, State: st})
	return p.why(c.watch(ctx, fn))
}

// watch reports changes until ctx ends or the connection is lost.
func (c *Conn) watch(ctx context.Context, fn func(Event)) error {
	last := c.state.Messages
	idle := c.HasCap("IDLE")
	for {
		var err error
		if idle {
			err = c.idleOnce(ctx, func() { last = c.tell(last, fn) })
		} else {
			err = c.pollOnce(ctx)
		}
		last = c.tell(last, fn)
		if refused := (&ServerError{}); idle && errors.As(err, &refused) && !c.lost() {
			idle = false // Quirk: servers that advertise IDLE and refuse it
			continue
		}
		if err != nil {
			return err
		}
	}
}

// tell calls fn for what is new and returns the number of messages that fn knows now.
func (c *Conn) tell(last uint32, fn func(Event)) uint32 {
	if c.news.expunge.Swap(false) {
		fn(Event{Kind: EventExpunge, Messages: c.news.exists.Load(), State: c.current()})
	}
	if c.news.flags.Swap(false) {
		fn(Event{Kind: EventFlags, Messages: c.news.exists.Load(), State: c.current()})
	}
	now := c.news.exists.Load()
	if now != last {
		fn(Event{Kind: EventExists, Messages: now, State: c.current()})
	}
	return now
}

// idleOnce runs one IDLE and calls changed whenever the server told something.
func (c *Conn) idleOnce(ctx context.Context, changed func()) error {
	return c.flight(ctx, "IDLE", func() error {
		cmd, err := c.client.Idle()
		if err != nil {
			return err
		}
		timer := time.NewTimer(idleRestart)
		defer timer.Stop()
		for {
			select {
			case <-c.news.poke:
				changed()
				continue
			case <-c.client.Closed():
				return ErrConnLost
			case <-ctx.Done():
				return ctx.Err()
			case <-timer.C:
			}
			if err := cmd.Close(); err != nil {
				return err
			}
			return cmd.Wait()
		}
	})
}

// pollOnce waits a while and asks for news.
func (c *Conn) pollOnce(ctx context.Context) error {
	timer := time.NewTimer(pollEvery)
	defer timer.Stop()
	select {
	case <-timer.C:
		return c.Noop(ctx)
	case <-c.client.Closed():
		return ErrConnLost
	case <-ctx.Done():
		c.abort(ctx.Err())
		return ctx.Err()
	}
}
