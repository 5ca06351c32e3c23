package session

import (
	"context"
	"errors"
	"slices"
)

// ExamineFetch opens a mailbox and fetches from it in the same flight. If uidValidity is not 0 and differs from the
// server's, nothing is returned but ErrUIDValidityChanged.
func (c *Conn) ExamineFetch(ctx context.Context, mailbox string, uidValidity uint32, set Set, it Items) (State, []Message, error) {
	mailbox = canonicalName(mailbox)
	a, err := c.newAsk(it)
	if err == nil {
		err = checkName(mailbox)
	}
	if err != nil {
		return State{}, nil, err
	}
	st, rs, known, err := c.examineFetch(ctx, mailbox, set, &a)
	if (errors.Is(err, ErrNoMailbox) || c.condstoreRefused(err)) && !c.lost() {
		if st, err = c.Reexamine(ctx, mailbox); err != nil {
			return State{}, nil, err
		}
		rs, known, err = c.fetchOnce(ctx, set, &a)
	}
	if c.open == "" {
		return State{}, nil, err
	}
	if uidValidity != 0 && st.UIDValidity != uidValidity {
		return st, nil, ErrUIDValidityChanged
	}
	msgs, err := c.finish(ctx, set, &a, rs, known, err)
	return st, msgs, err
}

// examineFetch writes EXAMINE (or NOOP if the mailbox is open already) and FETCH in one flight.
func (c *Conn) examineFetch(ctx context.Context, mailbox string, set Set, a *ask) (State, []*reply, map[uint32]troubles, error) {
	c.news.collect(true)
	defer c.news.collect(false)
	c.link.TakeRepairs()
	var st State
	var rs []*reply
	var opened error
	err := c.flight(ctx, "FETCH", func() error {
		wait := c.sendOpen(mailbox)
		fetched := func() ([]*reply, error) { return nil, nil }
		if !set.IsEmpty() {
			fetched = c.sendFetch(set, a)
		}
		// Quirk: Dovecot puts off the answer to NOOP until it has answered the FETCH behind it. The library reads on only
		// if somebody takes the literals, so they come first.
		var err error
		rs, err = fetched()
		st, opened = wait()
		if opened != nil {
			rs, c.open = nil, ""
			return opened
		}
		return err
	})
	if opened != nil {
		if refused := serverError("EXAMINE", opened); refused != nil {
			return State{}, nil, nil, mailboxFault(refused)
		}
		return State{}, nil, nil, err
	}
	known := c.takeTroubles()
	c.join(rs, known, a)
	return st, rs, known, err
}

// sendOpen writes EXAMINE, or NOOP if the mailbox is open already.
func (c *Conn) sendOpen(mailbox string) func() (State, error) {
	if c.open == "" || c.open != mailbox {
		return c.sendExamine(mailbox)
	}
	cmd := c.client.Noop()
	return func() (State, error) {
		if err := cmd.Wait(); err != nil {
			return State{}, err
		}
		st := c.current()
		c.shared.remember(st)
		return st, nil
	}
}

// ExamineFetchNewest opens a mailbox and fetches the n messages with the highest sequence numbers (skip leaves out that
// many of the highest first), normally in one flight: the number of messages is guessed from earlier visits and a
// second flight corrects a wrong guess. Messages come in ascending sequence order. The order of UIDs and sequence numbers
// is the order of arrival in the mailbox, not of dates.
func (c *Conn) ExamineFetchNewest(ctx context.Context, mailbox string, n, skip int, it Items) (State, []Message, error) {
	mailbox = canonicalName(mailbox)
	n, skip = max(n, 0), max(skip, 0)
	c.news.expunge.Store(false)
	st, got, err := c.ExamineFetch(ctx, mailbox, 0, c.guess(mailbox, n, skip), it)
	if err != nil {
		return st, nil, err
	}
	st = c.current()
	from, to := window(st.Messages, n, skip)
	if to == 0 {
		return st, nil, nil
	}
	if c.news.expunge.Load() {
		got = nil // numbers have moved since they were fetched
	}
	if missing := gap(got, from, to); !missing.IsEmpty() {
		more, err := c.Fetch(ctx, missing, it)
		if err != nil {
			return st, nil, err
		}
		got = append(got, more...)
	}
	return st, clip(got, from, to), nil
}

// window returns the sequence numbers of the n newest of total messages after leaving out skip; 0, 0 for none.
func window(total uint32, n, skip int) (from, to uint32) {
	last := int64(total) - int64(skip)
	if last < 1 || n == 0 {
		return 0, 0
	}
	return uint32(max(last-int64(n)+1, 1)), uint32(last)
}

// guess returns the set that is probably wanted, empty without knowledge. A fresh guess for the newest has no upper end, so
// that messages that came since are in the answer.
func (c *Conn) guess(mailbox string, n, skip int) Set {
	st, known, fresh := c.shared.recall(mailbox)
	if !known {
		return Set{}
	}
	from, to := window(st.Messages, n, skip)
	switch {
	case to == 0:
		return Set{}
	case fresh && skip == 0:
		return SeqRange(from, 0)
	}
	return SeqRange(from, to)
}

// gap returns the range of wanted sequence numbers that did not come, as one range.
func gap(got []Message, from, to uint32) Set {
	have := make(map[uint32]bool, len(got))
	for _, m := range got {
		have[m.Seq] = true
	}
	lo, hi := from, to
	for lo <= hi && have[lo] {
		lo++
	}
	for hi >= lo && have[hi] {
		hi--
	}
	if lo > hi {
		return Set{}
	}
	return SeqRange(lo, hi)
}

// clip returns the messages with wanted sequence numbers in order, each once, those without a number last.
func clip(got []Message, from, to uint32) []Message {
	slices.SortStableFunc(got, func(x, y Message) int { return int(int64(x.Seq) - int64(y.Seq)) })
	seen := make(map[UID]bool, len(got))
	return slices.DeleteFunc(got, func(m Message) bool {
		out := seen[m.UID] || m.Seq != 0 && (m.Seq < from || m.Seq > to)
		seen[m.UID] = true
		return out
	})
}
