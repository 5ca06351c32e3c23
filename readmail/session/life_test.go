package session

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"mailgap/readmail/imaptest"
)

// every runs each operation of Conn that sends a command.
func every() map[string]func(context.Context, *Conn) error {
	return map[string]func(context.Context, *Conn) error{
		"LIST":       func(ctx context.Context, c *Conn) error { _, err := c.List(ctx, ListOptions{}); return err },
		"STATUS":     func(ctx context.Context, c *Conn) error { _, err := c.Status(ctx, "INBOX"); return err },
		"EXAMINE":    func(ctx context.Context, c *Conn) error { _, err := c.Reexamine(ctx, "INBOX"); return err },
		"NOOP":       func(ctx context.Context, c *Conn) error { return c.Noop(ctx) },
		"UID SEARCH": func(ctx context.Context, c *Conn) error { _, err := c.Search(ctx, "INBOX", All()); return err },
		"UID FETCH": func(ctx context.Context, c *Conn) error {
			_, _, err := c.ExamineFetch(ctx, "INBOX", 0, UIDs(1), Items{Flags: true})
			return err
		},
		"UID SORT":   func(ctx context.Context, c *Conn) error { _, err := c.SortNewest(ctx, "INBOX", All()); return err },
		"UID THREAD": func(ctx context.Context, c *Conn) error { _, err := c.Thread(ctx, "INBOX", All()); return err },
	}
}

const lifeCaps = "IMAP4rev1 AUTH=PLAIN SORT THREAD=REFERENCES ID IDLE"

// fine answers the commands that imaptest does not know.
func fine() []imaptest.Step {
	return []imaptest.Step{imaptest.On("UID SORT").OK("* SORT"), imaptest.On("UID THREAD").OK("* THREAD")}
}

func TestSessionEndsAtAnyCommand(t *testing.T) {
	for verb, op := range every() {
		for name, end := range map[string]imaptest.Step{
			"bye":   imaptest.On(verb).Reply("* BYE autologout").Close(),
			"close": imaptest.On(verb).Close(),
			"half":  imaptest.On(verb).Raw("* 1 FETCH (UID 1 BODY[] {500}\r\nshort").Close(),
		} {
			t.Run(verb+" "+name, func(t *testing.T) {
				p, srv := scripted(t, nil,
					imaptest.Script{Caps: lifeCaps, Steps: append([]imaptest.Step{end}, fine()...)},
					imaptest.Script{Caps: lifeCaps, Steps: fine()})
				runs := 0
				err := p.Do(t.Context(), "", func(ctx context.Context, c *Conn) error { runs++; return op(ctx, c) })
				if err != nil || runs != 2 {
					t.Errorf("got %v after %d runs, want success after 2", err, runs)
				}
				if n := srv.Stats().Connections; n != 2 {
					t.Errorf("logged in %d times, want 2", n)
				}
			})
			t.Run(verb+" "+name+" always", func(t *testing.T) {
				p, srv := scripted(t, nil, imaptest.Script{Caps: lifeCaps, Steps: append([]imaptest.Step{end}, fine()...)})
				runs := 0
				err := p.Do(t.Context(), "", func(ctx context.Context, c *Conn) error { runs++; return op(ctx, c) })
				if !errors.Is(err, ErrConnLost) || runs != 2 {
					t.Errorf("got %v after %d runs, want ErrConnLost after 2", err, runs)
				}
				if n := srv.Stats().Connections; n != 2 {
					t.Errorf("logged in %d times, want 2", n)
				}
			})
		}
	}
}

func TestRefusalIsNotRetried(t *testing.T) {
	p, _ := scripted(t, nil, imaptest.Script{Steps: []imaptest.Step{imaptest.On("EXAMINE").Reply("{tag} NO [UNAVAILABLE] later")}})
	runs := 0
	err := p.Do(t.Context(), "", func(ctx context.Context, c *Conn) error {
		runs++
		_, err := c.Examine(ctx, "INBOX")
		return err
	})
	var refused *ServerError
	if runs != 1 || !errors.As(err, &refused) || refused.CodeRaw != "UNAVAILABLE" || errors.Is(err, ErrNoMailbox) {
		t.Errorf("got %v after %d runs, want the refusal after 1", err, runs)
	}
}

func TestDroppedWhileIdleIsInvisible(t *testing.T) {
	p, srv := scripted(t, nil, imaptest.Script{Steps: []imaptest.Step{examine(3)}})
	look := func(ctx context.Context, c *Conn) error { _, err := c.Refresh(ctx, "INBOX"); return err }
	for range 3 {
		if err := p.Do(t.Context(), "INBOX", look); err != nil {
			t.Fatal(err)
		}
		srv.DropConnections()
	}
	if n := srv.Stats().Connections; n != 3 {
		t.Errorf("logged in %d times, want 3", n)
	}
}

func TestCancelFreesConnection(t *testing.T) {
	p, srv := scripted(t, func(c *Config) { c.PoolSize = 1 },
		imaptest.Script{Steps: []imaptest.Step{imaptest.On("UID SEARCH").Stall(nil)}}, imaptest.Script{})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		srv.WaitCommand(t, "UID SEARCH")
		cancel()
	}()
	search := func(ctx context.Context, c *Conn) error { _, err := c.Search(ctx, "INBOX", All()); return err }
	if err := p.Do(ctx, "INBOX", search); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v, want Canceled", err)
	}
	if err := p.Do(t.Context(), "INBOX", search); err != nil {
		t.Errorf("the pool is not usable after a cancelled call: %v", err)
	}
}

// TestCancelWithUnreadAnswers waits for one command while nobody takes the answers to another, more of them than the library
// buffers: it reads no further then, not even the end of the connection.
func TestCancelWithUnreadAnswers(t *testing.T) {
	var many strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&many, "* %d FETCH (UID %d FLAGS ())\r\n", i+1, i+1)
	}
	p, _ := scripted(t, nil, imaptest.Script{Caps: lifeCaps, Steps: []imaptest.Step{
		examine(1000), imaptest.On("FETCH").Raw(many.String()).OK(), imaptest.On("NOOP").OK(),
	}}, imaptest.Script{})
	ctx, cancel := context.WithCancel(t.Context())
	var rs []*reply
	var fetchErr error
	err := p.Do(ctx, "INBOX", func(ctx context.Context, c *Conn) error {
		if _, err := c.Examine(ctx, "INBOX"); err != nil {
			return err
		}
		return c.flight(ctx, "NOOP", func() error {
			fetched := c.sendFetch(SeqRange(1, 0), &ask{Items: Items{Flags: true}})
			noop := c.client.Noop()
			cancel()
			err := noop.Wait()
			rs, fetchErr = fetched()
			return err
		})
	})
	if !errors.Is(err, context.Canceled) || !errors.Is(fetchErr, ErrConnLost) || len(rs) == 1000 {
		t.Errorf("got %v, and %d answers with %v, want Canceled and ErrConnLost", err, len(rs), fetchErr)
	}
	if err := p.Do(t.Context(), "", func(ctx context.Context, c *Conn) error { return c.Noop(ctx) }); err != nil {
		t.Errorf("the pool is not usable after a cancelled call: %v", err)
	}
}

// A server that never answers ID holds nobody longer than the call lasts.
func TestUnansweredID(t *testing.T) {
	p, srv := scripted(t, nil, imaptest.Script{Steps: []imaptest.Step{imaptest.On("ID").Raw("")}})
	ctx, cancel := context.WithCancel(t.Context())
	err := p.Do(ctx, "", func(ctx context.Context, c *Conn) error {
		go func() {
			srv.WaitCommand(t, "ID")
			cancel()
		}()
		c.Info(ctx)
		return ctx.Err()
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want Canceled", err)
	}
}

func TestPoolNeverExceedsItsSize(t *testing.T) {
	p, _ := scripted(t, func(c *Config) { c.PoolSize = 2 }, imaptest.Script{})
	var now, peak atomic.Int32
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			err := p.Do(t.Context(), "INBOX", func(ctx context.Context, c *Conn) error {
				if n := now.Add(1); n > peak.Load() {
					peak.Store(n)
				}
				defer now.Add(-1)
				_, err := c.Search(ctx, "INBOX", All())
				return err
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if peak.Load() > 2 {
		t.Errorf("got %d connections in use at a time, want at most 2", peak.Load())
	}
	if n := p.Stats().Connects; n > 2 {
		t.Errorf("got %d connects, want at most 2", n)
	}
}

func TestWaitingForConnectionEndsWithContext(t *testing.T) {
	p, _ := scripted(t, func(c *Config) { c.PoolSize = 1 }, imaptest.Script{})
	do(t, p, func(context.Context, *Conn) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		err := p.Do(ctx, "", func(context.Context, *Conn) error { t.Error("fn ran"); return nil })
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want Canceled", err)
		}
	})
}

func TestCloseEndsEverything(t *testing.T) {
	p, srv := scripted(t, nil, imaptest.Script{Steps: []imaptest.Step{imaptest.On("UID SEARCH").Stall(nil)}})
	go func() {
		srv.WaitCommand(t, "UID SEARCH")
		p.Close()
	}()
	err := p.Do(t.Context(), "", func(ctx context.Context, c *Conn) error { _, err := c.Search(ctx, "INBOX", All()); return err })
	if !errors.Is(err, ErrClosed) {
		t.Errorf("got %v, want ErrClosed", err)
	}
	if err := p.Do(t.Context(), "", func(context.Context, *Conn) error { return nil }); !errors.Is(err, ErrClosed) {
		t.Errorf("got %v, want ErrClosed", err)
	}
}

func TestKeepAliveAndIdleClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, srv := scripted(t, nil, imaptest.Script{})
		do(t, p, func(ctx context.Context, c *Conn) { c.Noop(ctx) })
		time.Sleep(13 * time.Minute) // a bubble's clock: no time passes
		synctest.Wait()
		if n := countVerb(srv, "NOOP"); n != 4 {
			t.Errorf("got %d NOOP after 13 minutes, want 1 + 3", n)
		}
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		if n := countVerb(srv, "NOOP"); n != 4 {
			t.Errorf("got %d NOOP after 23 minutes, want no further ones", n)
		}
		p.idleMu.Lock()
		left := len(p.idle)
		p.idleMu.Unlock()
		if left != 0 {
			t.Errorf("got %d connections kept after 23 minutes without use, want none", left)
		}
		do(t, p, func(ctx context.Context, c *Conn) { c.Noop(ctx) })
		p.Close()
		srv.Close()
	})
}

func TestSilentServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, srv := scripted(t, nil, imaptest.Script{Steps: []imaptest.Step{
			imaptest.On("EXAMINE").Once().OK("* 1 EXISTS"), imaptest.On("EXAMINE").Stall(nil),
		}})
		runs := 0
		look := func(ctx context.Context, c *Conn) error { runs++; _, err := c.Reexamine(ctx, "INBOX"); return err }
		if err := p.Do(t.Context(), "", look); err != nil {
			t.Fatal(err)
		}
		// A server that falls silent after it has just answered is slow, not gone: no second run.
		runs = 0
		fresh, other := scripted(t, nil, imaptest.Script{Steps: []imaptest.Step{
			imaptest.On("EXAMINE").Once().OK("* 1 EXISTS"), imaptest.On("EXAMINE").Stall(nil),
		}})
		err := fresh.Do(t.Context(), "", func(ctx context.Context, c *Conn) error {
			if err := look(ctx, c); err != nil {
				return err
			}
			return look(ctx, c)
		})
		if !errors.Is(err, ErrTimeout) || runs != 2 {
			t.Errorf("got %v after %d looks, want ErrTimeout after 2", err, runs)
		}
		fresh.Close()
		other.Close()
		// Silence after a rest may be a dead connection: one more try. That one works, its second command does not.
		runs = 0
		err = p.Do(t.Context(), "", func(ctx context.Context, c *Conn) error {
			if err := look(ctx, c); err != nil {
				return err
			}
			return look(ctx, c)
		})
		if !errors.Is(err, ErrTimeout) || runs != 3 {
			t.Errorf("got %v after %d looks, want ErrTimeout after 3", err, runs)
		}
		p.Close()
		srv.Close()
	})
}

func TestIdle(t *testing.T) {
	release := make(chan struct{})
	p, srv := scripted(t, nil, imaptest.Script{Caps: lifeCaps, Steps: []imaptest.Step{
		examine(3), imaptest.On("IDLE").Reply("+ idling").Stall(release).Reply("* 4 EXISTS", "* 2 FETCH (FLAGS (\\Seen))", "* 1 EXPUNGE"),
	}})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var kinds []string
	err := p.Idle(ctx, "INBOX", func(e Event) {
		kinds = append(kinds, string(e.Kind))
		if e.Kind == EventReady {
			close(release)
		}
		if all := strings.Join(kinds, " "); strings.Contains(all, "expunge") && strings.Contains(all, "flags") {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want Canceled", err)
	}
	if kinds[0] != "ready" {
		t.Errorf("got events %v, want ready first", kinds)
	}
	if countVerb(srv, "IDLE") != 1 {
		t.Error("IDLE was not sent")
	}
}

func TestIdleEndsWithConnection(t *testing.T) {
	p, _ := scripted(t, nil, imaptest.Script{Caps: lifeCaps, Steps: []imaptest.Step{examine(3), imaptest.On("IDLE").Reply("+ idling", "* BYE bye").Close()}})
	if err := p.Idle(t.Context(), "INBOX", func(Event) {}); !errors.Is(err, ErrConnLost) {
		t.Errorf("got %v, want ErrConnLost", err)
	}
}

func TestIdlePolls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, srv := scripted(t, nil, imaptest.Script{Caps: "IMAP4rev1 AUTH=PLAIN", Steps: []imaptest.Step{
			examine(3), imaptest.On("NOOP").Times(2).OK(), imaptest.On("NOOP").OK("* 5 EXISTS"),
		}})
		ctx, cancel := context.WithCancel(t.Context())
		var last uint32
		err := p.Idle(ctx, "INBOX", func(e Event) {
			if last = e.Messages; e.Kind == EventExists {
				cancel()
			}
		})
		if !errors.Is(err, context.Canceled) || last != 5 {
			t.Errorf("got %v, %d messages, want Canceled after 5", err, last)
		}
		if n := countVerb(srv, "NOOP"); n != 3 {
			t.Errorf("got %d NOOP, want 3", n)
		}
		cancel()
		p.Close()
		srv.Close()
	})
}

func TestCapabilitiesAfterLogin(t *testing.T) {
	after := imaptest.On("CAPABILITY").OK("* CAPABILITY IMAP4rev1 ESEARCH")
	for name, script := range map[string]imaptest.Script{
		"asked for":     {Caps: "IMAP4rev1 SASL-IR AUTH=PLAIN", Auth: []string{"{tag} OK in"}, Steps: []imaptest.Step{after}},
		"in the answer": {Caps: "IMAP4rev1 SASL-IR AUTH=PLAIN", Auth: []string{"{tag} OK [CAPABILITY IMAP4rev1 ESEARCH] in"}},
		"untagged":      {Caps: "IMAP4rev1 SASL-IR AUTH=PLAIN", Auth: []string{"* CAPABILITY IMAP4rev1 ESEARCH", "{tag} OK in"}, Steps: []imaptest.Step{after}},
		"preauth":       {Greeting: "* PREAUTH [CAPABILITY IMAP4rev1 ESEARCH] in"},
	} {
		for range 20 {
			p, _ := scripted(t, nil, script)
			do(t, p, func(ctx context.Context, c *Conn) {
				if !c.HasCap("esearch") || c.HasCap("AUTH=PLAIN") {
					t.Errorf("%s: got %v, want those after the login", name, c.Info(ctx).Caps)
				}
			})
		}
	}
}
