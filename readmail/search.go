package readmail

import (
	"context"
	"errors"
	"slices"
	"time"

	"mailgap/readmail/session"
	"mailgap/sanitize"
)

// search fills p by asking the server which messages match.
func (l *lister) search(ctx context.Context, p *boxPage) error {
	if l.q.readsBodies() {
		return l.searchSlices(ctx, p)
	}
	uids, err := l.candidates(ctx, p)
	if err != nil {
		return err
	}
	if err := l.collect(ctx, p, uids); err != nil {
		return err
	}
	if p.pos.UID == 0 && !p.pos.ByDate && !falls(p.messages) {
		l.s.setOrder(p.mailbox, p.state.UIDValidity, orderBroken)
		return errDisorder
	}
	return nil
}

// candidates returns the UIDs that match according to the server and sort after the position of p, in the order of the
// mailbox.
func (l *lister) candidates(ctx context.Context, p *boxPage) ([]session.UID, error) {
	switch {
	case p.pos.ByDate:
		return l.byDate(ctx, p)
	case p.pos.UID == 1:
		return nil, nil
	}
	r, err := l.ask(ctx, p, l.below(p))
	if err != nil {
		return nil, err
	}
	slices.Reverse(r)
	return r, nil
}

// below restricts a search to the messages under the position of p, in a mailbox whose UIDs follow the dates.
func (l *lister) below(p *boxPage) session.Criteria {
	if p.pos.UID <= 1 {
		return session.All()
	}
	return session.In(session.UIDRange(1, session.UID(p.pos.UID-1)))
}

// ask searches p's mailbox for the query and restrict. If the server refuses text outside ASCII, it is asked again
// without, and collect decides by the headers; a text in bodies cannot be decided like that, so that query fails.
func (l *lister) ask(ctx context.Context, p *boxPage, restrict session.Criteria) ([]session.UID, error) {
	if r, ok := l.found[p.mailbox]; ok && p.pos.UID == 0 {
		delete(l.found, p.mailbox)
		if !errors.Is(r.Err, session.ErrCharsetRefused) {
			return p.took(r.SearchResult, r.Err)
		}
		l.ascii = true // never for a text in bodies: such a query is not asked ahead
	}
	r, err := l.c.Search(ctx, p.mailbox, session.And(l.q.criteria(l.ascii), restrict))
	if errors.Is(err, session.ErrCharsetRefused) && !l.ascii && !l.q.readsForeignBodies() {
		l.ascii = true
		r, err = l.c.Search(ctx, p.mailbox, session.And(l.q.criteria(true), restrict))
	}
	return p.took(r, err)
}

// took notes what a search said about the mailbox and returns what it found.
func (p *boxPage) took(r session.SearchResult, err error) ([]session.UID, error) {
	if err != nil {
		return nil, err
	}
	if err := p.setState(r.State); err != nil {
		return nil, err
	}
	for _, n := range r.Notes {
		switch n {
		case session.NoteServerSearchBroken:
			p.note(noteSearchBroken)
		case session.NoteIgnoredUIDs:
			p.note(noteIgnoredUIDs)
		case session.NoteCapped:
			p.note(noteCapped)
		}
	}
	if p.pos.UID == 0 {
		p.matched = len(r.UIDs)
	}
	return slices.Clone(r.UIDs), nil
}

func (p *boxPage) note(n coverNote) {
	if !slices.Contains(p.notes, n) {
		p.notes = append(p.notes, n)
	}
}

// byDate orders matches by INTERNALDATE where UIDs do not follow it: by SORT, or by fetching the dates of at most
// maxDateSorted messages. Beyond that the order is that of arrival, and p says so.
func (l *lister) byDate(ctx context.Context, p *boxPage) ([]session.UID, error) {
	r, err := l.c.SortNewest(ctx, p.mailbox, l.q.criteria(l.ascii))
	if err == nil {
		uids, err := p.took(r, nil)
		if i := slices.Index(uids, session.UID(p.pos.UID)); i >= 0 {
			return uids[i+1:], err
		}
		if p.pos.UID == 0 || err != nil {
			return uids, err
		}
	}
	uids, err := l.ask(ctx, p, session.All())
	if err != nil {
		return nil, err
	}
	if len(uids) > maxDateSorted {
		p.order, p.pos.ByDate = orderArrival, false
		slices.Reverse(uids)
		return uids[firstBelow(uids, session.UID(p.pos.UID)):], nil
	}
	return l.sortFetched(ctx, p, uids)
}

// firstBelow returns the index of the first of the falling uids that is below anchor (all of them if anchor is 0).
func firstBelow(uids []session.UID, anchor session.UID) int {
	if anchor == 0 {
		return 0
	}
	i, _ := slices.BinarySearchFunc(uids, anchor-1, func(u, a session.UID) int { return int(int64(a) - int64(u)) })
	return i
}

// sortFetched orders uids by the dates that the server gives for them, newest first, and leaves out what sorts before the
// position of p.
func (l *lister) sortFetched(ctx context.Context, p *boxPage, uids []session.UID) ([]session.UID, error) {
	if len(uids) == 0 {
		return nil, nil
	}
	msgs, err := l.c.Fetch(ctx, session.UIDs(uids...), session.Items{InternalDate: true})
	if err != nil {
		return nil, err
	}
	last := &summaryFacts{uid: session.UID(p.pos.UID), received: p.pos.date()} // at() takes the server's date too
	var fs []*summaryFacts
	for _, m := range msgs {
		f := &summaryFacts{uid: m.UID, received: m.InternalDate.Truncate(time.Second)}
		if p.pos.UID == 0 || last.newer(f) < 0 {
			fs = append(fs, f)
		}
	}
	slices.SortFunc(fs, (*summaryFacts).newer)
	out := make([]session.UID, len(fs))
	for i, f := range fs {
		out[i] = f.uid
	}
	return out, nil
}

// collect fetches the facts of candidates in their order until the page is full. Where the server's answer is a superset,
// each message is checked here, and at most maxScanned are looked at.
func (l *lister) collect(ctx context.Context, p *boxPage, uids []session.UID) error {
	check := l.q.needsCheck() || l.ascii
	if l.ascii {
		p.note(noteCharset)
	}
	items, chunk, scanned := l.items, l.want, 0
	if check {
		items, chunk = l.q.scanItems(true), max(l.want, scanChunk)
		p.matched = -1
	}
	for len(uids) > 0 && len(p.messages) < l.want {
		if scanned >= maxScanned {
			p.note(noteScanLimit)
			p.partial, p.more = true, true
			return nil
		}
		n := min(chunk, len(uids))
		fs, err := l.fetchOrdered(ctx, p, uids[:n], items)
		if err != nil {
			return err
		}
		for i, f := range fs {
			p.back = f.received
			p.scan = p.at(f)
			if check && l.q.match(f, l.ascii) == no {
				continue
			}
			p.messages = append(p.messages, f)
			if len(p.messages) == l.want {
				p.more = i+1 < len(fs) || n < len(uids)
				return nil
			}
		}
		uids, scanned = uids[n:], scanned+n
	}
	if slices.Contains(p.notes, noteCapped) && !p.pos.ByDate && p.scan.UID > 1 {
		p.more = true // the highest UIDs were named; below them there are more
	}
	return nil
}

// fetchOrdered fetches uids of p's mailbox and returns their facts in the same order. What the server does not hand out is
// left out, and p says so.
func (l *lister) fetchOrdered(ctx context.Context, p *boxPage, uids []session.UID, items session.Items) ([]*summaryFacts, error) {
	_, msgs, err := l.c.ExamineFetch(ctx, p.mailbox, p.state.UIDValidity, session.UIDs(uids...), items)
	if err != nil {
		return nil, err
	}
	if err := fillHeaders(ctx, l.c, msgs); err != nil {
		return nil, err
	}
	if len(msgs) < len(uids) {
		p.note(noteLeftOut)
	}
	byUID := make(map[session.UID]*summaryFacts, len(msgs))
	for i := range msgs {
		byUID[msgs[i].UID] = factsOf(&msgs[i], items)
	}
	out := make([]*summaryFacts, 0, len(msgs))
	for _, u := range uids {
		if f := byUID[u]; f != nil {
			out = append(out, f)
		}
	}
	return out, nil
}

// searchSlices answers a query that makes the server read message bodies: newest first in slices of UIDs, until the page is
// full or the time is up. Slices grow as long as the server is quick, so an indexed mailbox costs few of them.
func (l *lister) searchSlices(ctx context.Context, p *boxPage) error {
	state, err := l.c.Examine(ctx, p.mailbox)
	if err != nil {
		return err
	}
	if err := p.setState(state); err != nil {
		return err
	}
	high := topUID(state)
	if p.pos.UID > 1 {
		high = session.UID(p.pos.UID - 1)
	} else if p.pos.UID == 1 {
		return nil
	}
	deadline := l.searchDeadline()
	for width := session.UID(firstSlice); high > 0; {
		low := session.UID(1)
		if high > width {
			low = high - width + 1
		}
		began := l.s.cfg.Now()
		uids, err := l.ask(ctx, p, session.In(session.UIDRange(low, high)))
		if err != nil {
			return err
		}
		slices.Reverse(uids)
		if err := l.collect(ctx, p, uids); err != nil || p.more || len(p.messages) >= l.want && low > 1 {
			p.more, p.matched = true, -1
			return err
		}
		high = low - 1
		if high == 0 {
			break
		}
		l.report(p, low, state)
		if l.s.cfg.Now().After(deadline) {
			return l.outOfTime(ctx, p, low)
		}
		if l.s.cfg.Now().Sub(began) < quickSlice {
			width = min(width*4, maxSlice)
		}
	}
	p.matched, p.partial = pick(p.pos.UID == 0, len(p.messages), -1), false
	return nil
}

// searchDeadline is when text searches of this call end: one budget for all its mailboxes.
func (l *lister) searchDeadline() time.Time {
	if l.deadline.IsZero() {
		l.deadline = l.s.cfg.Now().Add(l.s.cfg.SearchTime)
	}
	return l.deadline
}

// topUID is the highest UID that a mailbox can hold now.
func topUID(state session.State) session.UID {
	if state.UIDNext > 1 {
		return state.UIDNext - 1
	}
	return session.UID(^uint32(0))
}

func (l *lister) report(p *boxPage, low session.UID, state session.State) {
	if l.progress != nil {
		top := float64(topUID(state))
		l.progress(top-float64(low), top, sanitize.Sprintf("%d found so far, going back", len(p.messages)))
	}
}

// outOfTime ends a text search at the messages from low on, and finds out how far back in time that is.
func (l *lister) outOfTime(ctx context.Context, p *boxPage, low session.UID) error {
	p.partial, p.more, p.matched = true, true, -1
	p.note(noteTimeLimit)
	p.scan = p.pos
	p.scan.UID, p.scan.Seq = uint32(low), 0
	msgs, err := l.c.Fetch(ctx, session.UIDRange(low, low+maxRescued), session.Items{InternalDate: true})
	if err != nil {
		return err
	}
	if len(msgs) > 0 {
		p.back = msgs[0].InternalDate
	}
	return nil
}
