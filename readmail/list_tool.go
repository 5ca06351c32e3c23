package readmail

import (
	"context"
	"time"

	"mailgap/readmail/session"
	"mailgap/sanitize"
	"mailgap/shared/ledger"
	"mailgap/shared/mcpserve"
)

// listArgs are the arguments of list_messages.
type listArgs struct {
	Mailboxes []string `json:"mailboxes,omitempty"`
	filter
	AnyOf    []filter `json:"any_of,omitempty"`
	Not      *filter  `json:"not,omitempty"`
	GmailRaw string   `json:"gmail_raw,omitempty"`
	Snippets bool     `json:"snippets,omitempty"`
	Limit    int      `json:"limit,omitempty"`
	Cursor   string   `json:"cursor,omitempty"`
}

// listResult is the answer of list_messages.
type listResult struct {
	Messages   []messageSummary `json:"messages"`
	Coverage   []coverage       `json:"coverage"`
	NextCursor sanitize.Clean   `json:"next_cursor,omitzero" place:"-"`
	Zone       sanitize.Clean   `json:"time_zone" place:"-"`
}

// messageSummary is one entry of a list.
type messageSummary struct {
	Ref         sanitize.Clean `json:"ref" place:"-"`
	Received    time.Time      `json:"received,omitzero"`
	From        sanitize.Clean `json:"from,omitzero" place:"from"`
	To          sanitize.Clean `json:"to,omitzero" place:"to"`
	Subject     sanitize.Clean `json:"subject,omitzero" place:"subject"`
	Unread      bool           `json:"unread,omitempty"`
	Flagged     bool           `json:"flagged,omitempty"`
	Answered    bool           `json:"answered,omitempty"`
	Size        int64          `json:"size,omitempty"`
	Attachments int            `json:"attachments,omitempty"`
	Snippet     sanitize.Clean `json:"snippet,omitzero" place:"body"`
	Problems    []problem      `json:"problems,omitempty"`

	who sanitize.Clean // From, or To in outgoing mail, short enough for one line
	of  ledger.Facts
}

// origin implements handedOut.
func (m messageSummary) origin() ledger.Facts { return m.of }

// coverage says what of one mailbox an answer is about.
type coverage struct {
	// Account is set where several are configured.
	Account  sanitize.Clean `json:"account,omitzero" place:"-"`
	Mailbox  sanitize.Clean `json:"mailbox" place:"server"`
	Messages uint32         `json:"messages"`
	// Matched is how many messages match, if that was counted.
	Matched *int `json:"matched,omitempty"`
	// SearchedBackTo is set if older messages were not looked at.
	SearchedBackTo time.Time      `json:"searched_back_to,omitzero"`
	Order          orderWord      `json:"order,omitempty"`
	Notes          []coverNote    `json:"notes,omitempty"`
	Error          sanitize.Clean `json:"error,omitzero" place:"error"`
}

// listMessages is the handler of list_messages.
func (s *Server) listMessages(ctx context.Context, call *mcpserve.Call, a listArgs) (mcpserve.Result[listResult], error) {
	var none mcpserve.Result[listResult]
	q := a.query()
	if err := q.prepare(s.cfg.Zone); err != nil {
		return none, err
	}
	boxes, positions, digest, err := s.listScope(ctx, a, q)
	if err != nil {
		return none, explain(err)
	}
	limit := orDefault(a.Limit, defaultPageSize)
	pages, err := s.pages(ctx, call, q, boxes, positions, limit)
	if err != nil {
		return none, explain(err)
	}
	merged := mergePages(pages, limit)
	if a.Snippets {
		if err := s.addSnippets(ctx, merged); err != nil {
			return none, explain(err)
		}
	}
	return s.listAnswer(pages, merged, digest)
}

// listScope resolves which mailboxes a call is about and where it goes on.
func (s *Server) listScope(ctx context.Context, a listArgs, q *query) ([]string, map[string]boxPosition, string, error) {
	digest := queryDigest(struct {
		Boxes []string
		Query *query
	}{a.Mailboxes, q})
	positions := map[string]boxPosition{}
	if a.Cursor == "" {
		boxes, err := s.mailboxes(ctx, a.Mailboxes)
		return boxes, positions, digest, err
	}
	c, err := decodeListCursor(a.Cursor, digest)
	if err != nil {
		return nil, nil, "", err
	}
	var boxes []string
	for _, b := range c.Boxes {
		if !b.Done {
			boxes = append(boxes, b.Mailbox)
			positions[b.Mailbox] = b
		}
	}
	return boxes, positions, digest, nil
}

// pages gathers a page from each mailbox. The error of one mailbox is part of its page; only if all fail for the
// same kind of reason, or the account cannot be reached, there is an error.
func (s *Server) pages(ctx context.Context, call *mcpserve.Call, q *query, boxes []string, positions map[string]boxPosition, limit int) ([]boxPage, error) {
	var pages []boxPage
	hint := ""
	if len(boxes) > 0 {
		hint = boxes[0]
	}
	err := s.do(ctx, hint, func(ctx context.Context, c *session.Conn) error {
		pages = pages[:0]
		l := &lister{s: s, c: c, q: q, items: pageItems(), want: limit, progress: progressOf(call)}
		if err := l.searchAhead(ctx, boxes, positions); err != nil {
			return err
		}
		for _, box := range boxes {
			p := l.page(ctx, box, positions[box])
			if fatal(ctx, p.err) {
				return p.err
			}
			p.owner = s
			pages = append(pages, p)
		}
		return l.crossCheck(ctx, pages)
	})
	if err == nil && len(pages) == 1 && pages[0].err != nil {
		err = pages[0].err
	}
	return pages, err
}

// progressOf reports to the client of call.
func progressOf(call *mcpserve.Call) func(done, total float64, note sanitize.Clean) {
	return func(done, total float64, note sanitize.Clean) { call.Progress(done, total, note) }
}

// searchAhead asks about all mailboxes in one flight where that is what each of them would ask for.
func (l *lister) searchAhead(ctx context.Context, boxes []string, positions map[string]boxPosition) error {
	if len(boxes) < 2 || l.q.isEmpty() || l.q.readsBodies() || l.q.GmailRaw != "" || len(positions) > 0 {
		return nil
	}
	var qs []session.MailboxCriteria
	for _, b := range boxes {
		qs = append(qs, session.MailboxCriteria{Mailbox: b, Criteria: l.q.criteria(false)})
	}
	results, err := l.c.SearchMany(ctx, qs)
	if err != nil {
		return err
	}
	l.found = map[string]session.MailboxResult{}
	for _, r := range results {
		l.found[r.Mailbox] = r
	}
	return nil
}

// mergePages takes the newest messages of all pages, at most limit, each page in its own order.
func mergePages(pages []boxPage, limit int) []picked {
	next := make([]int, len(pages))
	var out []picked
	for len(out) < limit {
		best := -1
		for i := range pages {
			if next[i] == len(pages[i].messages) {
				continue
			}
			if best < 0 || pages[i].messages[next[i]].received.After(pages[best].messages[next[best]].received) {
				best = i
			}
		}
		if best < 0 {
			break
		}
		out = append(out, picked{page: &pages[best], facts: pages[best].messages[next[best]]})
		next[best]++
	}
	for i := range pages {
		pages[i].shown = next[i]
	}
	return out
}

// picked is a message that is shown.
type picked struct {
	page    *boxPage
	facts   *summaryFacts
	snippet sanitize.Clean
}

// next is the position of the page after p, once p.shown of its messages were shown.
func (p *boxPage) next() boxPosition {
	switch {
	case p.shown < len(p.messages) && p.shown == 0:
		return p.pos
	case p.shown < len(p.messages):
		return p.at(p.messages[p.shown-1])
	}
	pos := p.pos
	if p.scan.UID != 0 {
		pos = p.scan
	}
	pos.Mailbox, pos.Done = p.mailbox, !p.more
	return pos
}

// listAnswer writes the result.
func (s *Server) listAnswer(pages []boxPage, merged []picked, digest string) (mcpserve.Result[listResult], error) {
	r := listResult{Messages: []messageSummary{}, Zone: s.zoneName()}
	for _, m := range merged {
		m.page.owner.remember(m.page.mailbox, m.page.state, m.facts)
		r.Messages = append(r.Messages, m.page.owner.summary(m.page, m.facts, m.snippet))
	}
	c := listCursor{V: cursorVersion, Query: digest}
	more := false
	for i := range pages {
		r.Coverage = append(r.Coverage, pages[i].owner.coverage(&pages[i]))
		if pages[i].err != nil {
			continue
		}
		if pos := pages[i].next(); !pos.Done {
			more = true
			pos.Account = pages[i].owner.accountMark()
			c.Boxes = append(c.Boxes, pos)
		}
	}
	if more {
		if r.NextCursor = encodeCursor(c); r.NextCursor.Len() > maxCursorOctets || len(c.Boxes) > maxMailboxes {
			return mcpserve.Result[listResult]{}, refuse(sanitize.Literal("These mailboxes are too many, or their names too long, for one cursor. hint: ask for fewer mailboxes at a time."))
		}
	}
	text, err := s.listText(r)
	return mcpserve.Result[listResult]{Structured: r, Text: text}, err
}

// summary writes one entry. To is shown where it says more than From: in mailboxes of sent mail and drafts.
func (s *Server) summary(p *boxPage, f *summaryFacts, snippet sanitize.Clean) messageSummary {
	ref := MessageRef{Account: s.cfg.Account, Mailbox: p.mailbox, UIDValidity: p.state.UIDValidity, UID: uint32(f.uid)}
	m := messageSummary{
		Ref: ref.Clean(), Received: f.received.In(s.cfg.Zone), Subject: sanitize.Line(f.subject, maxSubjectChars),
		Unread: f.unread, Flagged: f.flagged, Answered: f.answered, Size: f.size, Attachments: f.attachments,
		Snippet: snippet, Problems: f.problems, of: s.origin(ref, f, f.fullHeader()),
	}
	if f.received.IsZero() {
		m.Received = time.Time{}
	}
	if len(f.from) > 0 {
		m.From = person(f.from[0], maxNameChars)
		m.who = shortPerson(f.from[0])
	}
	if len(f.to) > 0 && s.isOutgoing(p.mailbox) {
		m.To = sanitize.Join(people(f.to, 3), ", ")
		m.who = sanitize.Sprintf("to %s", shortPerson(f.to[0]))
		if len(f.to) > 1 {
			m.who = sanitize.Sprintf("%s (+%d)", m.who, len(f.to)-1)
		}
	}
	return m
}

// coverage writes what a page is about.
func (s *Server) coverage(p *boxPage) coverage {
	c := coverage{Account: s.accountWord(), Mailbox: sanitize.Line(p.mailbox, maxNameChars), Messages: p.state.Messages, Order: p.order, Notes: p.notes}
	if p.err != nil {
		c.Order = ""
		c.Error = errorText(p.err)
		return c
	}
	if p.matched >= 0 {
		c.Matched = &p.matched
	}
	if p.partial && !p.back.IsZero() {
		c.SearchedBackTo = p.back.In(s.cfg.Zone)
	}
	return c
}
