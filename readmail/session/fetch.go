package session

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"

	"mailgap/readmail/wire"
)

// troubles is what the wire layer had to do to the response of one message.
type troubles struct {
	structure, date bool // dropped
	repairs         []string
}

// keep takes in a response that belongs to no command: it may complete one that does.
func (n *news) keep(m *imapclient.FetchMessageData) {
	r := readReply(m, chunkOctets)
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.want && len(n.stray) < maxStrays {
		n.stray = append(n.stray, r)
	}
	select {
	case n.kept <- struct{}{}:
	default:
	}
}

func (n *news) collect(on bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.want, n.stray = on, nil
}

// strays takes out the responses kept for a message.
func (n *news) strays(r *reply) []*reply {
	n.mu.Lock()
	defer n.mu.Unlock()
	var out, rest []*reply
	for _, s := range n.stray {
		if s.uid != 0 && s.uid == r.uid || s.seq != 0 && s.seq == r.seq && (s.uid == 0 || r.uid == 0) {
			out = append(out, s)
		} else {
			rest = append(rest, s)
		}
	}
	n.stray = rest
	return out
}

// sendFetch writes FETCH and returns what waits for the answers.
func (c *Conn) sendFetch(set Set, a *ask) func() ([]*reply, error) {
	answer := c.answers.add(c.client.Fetch(set.numSet(), a.options()))
	limit := int64(max(a.MaxHeader, chunkOctets)) + 1
	for _, p := range a.parts {
		limit = max(limit, p.section.Partial.Offset+p.section.Partial.Size) // for servers that ignore the range
	}
	limit = min(limit, maxPartOctets)
	return func() ([]*reply, error) {
		var out []*reply
		err := answer.read(func(m *imapclient.FetchMessageData) { out = append(out, readReply(m, limit)) })
		return out, err
	}
}

// fetchOnce runs one FETCH and completes what came in pieces.
func (c *Conn) fetchOnce(ctx context.Context, set Set, a *ask) ([]*reply, map[uint32]troubles, error) {
	if set.IsEmpty() {
		return nil, nil, nil
	}
	c.news.collect(true)
	defer c.news.collect(false)
	c.link.TakeRepairs()
	var out []*reply
	err := c.flight(ctx, "FETCH", func() (err error) {
		out, err = c.sendFetch(set, a)()
		return err
	})
	known := c.takeTroubles()
	c.join(out, known, a)
	return out, known, err
}

// lateStray is how long a response that lacks something waits for its other piece.
//
// Quirk: the library hands over responses that belong to no command in goroutines of their own, so the tagged OK may be seen
// first. Only servers that split or leave out data cost this time.
const lateStray = 50 * time.Millisecond

// join merges stray responses into those that lack something.
func (c *Conn) join(rs []*reply, known map[uint32]troubles, a *ask) {
	late := time.NewTimer(lateStray)
	defer late.Stop()
	for c.mergeStrays(rs, known, a) {
		select {
		case <-c.news.kept:
		case <-late.C:
			c.mergeStrays(rs, known, a)
			return
		}
	}
}

// mergeStrays merges what has arrived so far, and reports whether something is still lacking.
func (c *Conn) mergeStrays(rs []*reply, known map[uint32]troubles, a *ask) bool {
	lacking := false
	for _, r := range rs {
		if !a.lacks(r, known[r.seq]) {
			continue
		}
		for _, s := range c.news.strays(r) {
			r.merge(s)
		}
		lacking = lacking || a.lacks(r, known[r.seq])
	}
	return lacking
}

// takeTroubles sorts the repairs by sequence number.
func (c *Conn) takeTroubles() map[uint32]troubles {
	out := map[uint32]troubles{}
	for _, r := range c.link.TakeRepairs() {
		if r.Seq == 0 {
			continue
		}
		t := out[r.Seq]
		t.structure = t.structure || r.Kind.Unstructured()
		t.date = t.date || r.Kind == wire.RepairInternalDate
		t.repairs = append(t.repairs, repairWord(r.Kind))
		out[r.Seq] = t
	}
	return out
}

// Fetch fetches from the examined mailbox, in one round trip if all goes well. Messages come back in ascending UID order
// (sequence order for a SeqRange); those that do not exist are left out; those that the server fails on have
// TroubleUnreadable. Errors: ErrNotExamined, ErrBadString.
func (c *Conn) Fetch(ctx context.Context, set Set, it Items) ([]Message, error) {
	a, err := c.newAsk(it)
	if err != nil {
		return nil, err
	}
	if c.open == "" {
		return nil, ErrNotExamined
	}
	rs, known, err := c.fetchOnce(ctx, set, &a)
	return c.finish(ctx, set, &a, rs, known, err)
}

// finish turns the outcome of a first FETCH into messages, asking again where something is missing.
func (c *Conn) finish(ctx context.Context, set Set, a *ask, rs []*reply, known map[uint32]troubles, err error) ([]Message, error) {
	var refused *ServerError
	if err != nil && (!errors.As(err, &refused) || c.lost()) {
		return nil, err
	}
	s := &salvage{c: c, ctx: ctx, full: a, done: map[UID]*Message{}}
	again := s.sort(rs, known, a)
	if err != nil {
		missing, listErr := s.missing(set)
		if listErr != nil {
			return nil, listErr
		}
		if err := s.gather(missing, a); err != nil {
			return nil, err
		}
	} else if err := s.complete(again, a); err != nil {
		return nil, err
	}
	if err := s.chunks(); err != nil {
		return nil, err
	}
	return s.messages(set), nil
}

// messages returns what was gathered, in order.
func (s *salvage) messages(set Set) []Message {
	out := make([]Message, 0, len(s.done))
	for _, m := range s.done {
		out = append(out, *m)
	}
	slices.SortFunc(out, func(x, y Message) int {
		if set.seq {
			return cmp.Or(cmp.Compare(x.Seq, y.Seq), cmp.Compare(x.UID, y.UID))
		}
		return cmp.Compare(x.UID, y.UID)
	})
	return out
}

// salvageFlights bounds the extra FETCH commands spent on messages that the server fails on, per kind of request.
const salvageFlights = 32

// salvage gathers messages and works around those that the server cannot deliver.
type salvage struct {
	c    *Conn
	ctx  context.Context
	full *ask
	done map[UID]*Message
}

// sort files complete replies and returns the UIDs of the others, whose replies are filed as far as they go.
func (s *salvage) sort(rs []*reply, known map[uint32]troubles, a *ask) (incomplete []UID) {
	for _, r := range rs {
		if r.uid == 0 {
			continue
		}
		m := a.message(r, s.full, known[r.seq])
		s.done[r.uid] = &m
		if a.lacks(r, known[r.seq]) {
			incomplete = append(incomplete, r.uid)
		}
	}
	return incomplete
}

// complete asks once more for messages of which something did not come.
func (s *salvage) complete(uids []UID, a *ask) error {
	if len(uids) == 0 {
		return nil
	}
	rs, known, err := s.c.fetchOnce(s.ctx, UIDs(uids...), a)
	if err != nil && s.c.lost() {
		return err
	}
	for _, r := range rs {
		if old := s.done[r.uid]; old != nil && (!a.lacks(r, known[r.seq]) || a.richer(r, old)) {
			m := a.message(r, s.full, known[r.seq])
			s.done[r.uid] = &m
		}
	}
	return s.ctx.Err()
}

// richer reports whether r holds a structure or header where old has none.
func (a *ask) richer(r *reply, old *Message) bool {
	return r.structure != nil && old.Structure == nil || len(r.sections) > 0 && old.Header == nil && old.Parts == nil
}

// missing returns the UIDs of a set for which nothing came. Ranges are resolved by asking for UIDs alone.
func (s *salvage) missing(set Set) ([]UID, error) {
	uids, ok := set.list(maxSearchUIDs)
	if !ok {
		rs, _, err := s.c.fetchOnce(s.ctx, set, &ask{})
		if err != nil {
			return nil, err
		}
		for _, r := range rs {
			uids = append(uids, r.uid)
		}
	}
	return slices.DeleteFunc(sortedUnique(uids), func(u UID) bool { return s.done[u] != nil }), nil
}

// gather fetches uids. Where the server refuses, the set is split until the messages at fault stand alone; these are asked
// for less and less, and given up in the end.
func (s *salvage) gather(uids []UID, a *ask) error {
	for {
		bad, err := s.split(uids, a)
		if err != nil || len(bad) == 0 {
			return err
		}
		simple, ok := a.simpler(s.full)
		if !ok {
			for _, u := range bad {
				s.done[u] = &Message{UID: u, Troubles: []Trouble{TroubleUnreadable}}
			}
			return nil
		}
		uids, a = bad, &simple
	}
}

// split fetches uids in halves of halves and returns those that the server refuses to deliver this way, and those that
// were not reached within the budget.
func (s *salvage) split(uids []UID, a *ask) (bad []UID, err error) {
	pending := [][]UID{uids}
	for flights := 0; len(pending) > 0; flights++ {
		set := pending[len(pending)-1]
		pending = pending[:len(pending)-1]
		if flights >= salvageFlights {
			bad = append(bad, set...)
			continue
		}
		rs, known, err := s.c.fetchOnce(s.ctx, UIDs(set...), a)
		if err != nil && (s.c.lost() || s.ctx.Err() != nil) {
			return nil, err
		}
		s.sort(rs, known, a)
		if err == nil {
			continue
		}
		set = slices.DeleteFunc(slices.Clone(set), func(u UID) bool { return s.done[u] != nil })
		if len(set) == 1 {
			bad = append(bad, set...)
		} else if mid := len(set) / 2; mid > 0 {
			pending = append(pending, set[mid:], set[:mid])
		}
	}
	return bad, nil
}

// chunkGroup is how many further pieces are asked for in one command.
const chunkGroup = 4

// chunks fetches the rest of parts that are wanted beyond their first piece.
func (s *salvage) chunks() error {
	for _, p := range s.full.parts {
		if p.max <= chunkOctets {
			continue
		}
		for _, m := range s.done {
			if err := s.rest(m, p); err != nil {
				return err
			}
		}
	}
	return nil
}

// rest appends the pieces of one part until the server has no more or enough is there.
func (s *salvage) rest(m *Message, p partAsk) error {
	data := m.Parts[p.key]
	for data.Truncated && len(data.Octets) < p.max {
		a := ask{Items: Items{MaxHeader: defaultMaxHeader}}
		for n := len(data.Octets); n < p.max && len(a.parts) < chunkGroup; n += chunkOctets {
			next := *p.section
			next.Partial = &imap.SectionPartial{Offset: p.key.Offset + int64(n), Size: int64(min(chunkOctets, p.max-n))}
			a.parts = append(a.parts, partAsk{section: &next})
		}
		rs, _, err := s.c.fetchOnce(s.ctx, UIDs(m.UID), &a)
		if err != nil || len(rs) == 0 {
			return err
		}
		for _, q := range a.parts {
			piece := q.data(rs[0])
			data.Octets, data.Truncated = append(data.Octets, piece.Octets...), piece.Truncated
			if !piece.Truncated {
				break
			}
		}
	}
	m.Parts[p.key] = data
	return nil
}
