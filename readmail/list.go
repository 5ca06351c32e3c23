package readmail

import (
	"context"
	"errors"
	"slices"
	"time"

	"mailgap/readmail/session"
	"mailgap/sanitize"
)

const (
	maxScanned    = 2000    // messages whose facts are fetched for one page when the server cannot answer a filter
	scanChunk     = 200     // messages per fetch of such a scan
	maxDateSorted = 5000    // messages whose dates are fetched to order a mailbox that is not in order of arrival
	maxRescued    = 200     // newest messages whose headers are compared when a search finds nothing
	firstSlice    = 500     // UIDs of the first slice of a text search
	maxSlice      = 1 << 29 // UIDs of the largest one: four times that does not overflow
	quickSlice    = time.Second
	maxMailboxes  = 50 // mailboxes of one call
)

// lister gathers one page from one mailbox.
type lister struct {
	s        *Server
	c        *session.Conn
	q        *query
	items    session.Items
	want     int
	progress func(done, total float64, note sanitize.Clean)
	found    map[string]session.MailboxResult // searches that were made for several mailboxes in one flight
	deadline time.Time                        // of text searches; zero until the first begins
	ascii    bool                             // the server refused text outside ASCII
}

// boxPage is what one mailbox contributes to a page: messages newest first, and how far it was looked at.
type boxPage struct {
	owner    *Server // of the account
	mailbox  string
	state    session.State
	messages []*summaryFacts
	more     bool        // more may match below the last one
	pos      boxPosition // where this page began
	scan     boxPosition // the last message that was looked at
	matched  int         // messages that the server says match; -1: not counted
	back     time.Time
	partial  bool // the search stopped at back for lack of time
	order    orderWord
	notes    []coverNote
	err      error
	shown    int // how many of messages are part of the answer
}

// orderWord says how the messages of a mailbox are ordered.
type orderWord string

const (
	orderDate    orderWord = "received" // by INTERNALDATE, newest first
	orderArrival orderWord = "arrival"  // by UID; dates disagree and there are too many to sort
)

// Words implements mcpserve.Word.
func (orderWord) Words() []string { return []string{string(orderDate), string(orderArrival)} }

// coverNote says how far an answer about a mailbox can be trusted, in our own words.
type coverNote string

const (
	noteSearchBroken  coverNote = "server_search_broken" // the server's search misses messages; the newest headers were compared here
	noteCharset       coverNote = "charset_refused"      // the server cannot search outside ASCII; filtered here
	noteScanLimit     coverNote = "scan_limit"           // stopped after the newest 2,000 candidates
	noteCountsDiffer  coverNote = "counts_differ"        // STATUS and EXISTS disagree
	noteIgnoredUIDs   coverNote = "server_named_wrong_uids"
	noteCapped        coverNote = "too_many_matches"
	noteTimeLimit     coverNote = "time_limit"
	noteLeftOut       coverNote = "messages_left_out" // the server counts or names messages that it did not hand out
	noteZeroConfirmed coverNote = "zero_confirmed"    // nothing found, and the server's own counts and headers agree
)

// Words implements mcpserve.Word.
func (coverNote) Words() []string {
	return []string{string(noteSearchBroken), string(noteCharset), string(noteScanLimit), string(noteCountsDiffer),
		string(noteIgnoredUIDs), string(noteCapped), string(noteTimeLimit), string(noteLeftOut), string(noteZeroConfirmed)}
}

// page gathers up to want messages that sort after pos in mailbox. Pages that go on from another keep its order, whatever
// became known of the mailbox meanwhile: in a new order, messages would be lost or come twice.
func (l *lister) page(ctx context.Context, mailbox string, pos boxPosition) boxPage {
	pos.Mailbox = mailbox
	if pos.UID == 0 {
		pos.ByDate = l.s.orderOf(mailbox) == orderBroken && !l.q.readsBodies()
	}
	p := l.pageFrom(ctx, pos)
	if errors.Is(p.err, errDisorder) {
		pos.ByDate = true
		p = l.pageFrom(ctx, pos)
	}
	if !p.pos.ByDate && (l.s.orderOf(mailbox) == orderBroken || !falls(p.messages)) {
		p.order = orderArrival
	}
	return p
}

// pageFrom gathers a page in the order that pos asks for.
func (l *lister) pageFrom(ctx context.Context, pos boxPosition) boxPage {
	p := boxPage{mailbox: pos.Mailbox, matched: -1, pos: pos, order: orderDate}
	if l.q.isEmpty() && !pos.ByDate {
		p.err = l.newest(ctx, &p)
	} else {
		p.err = l.search(ctx, &p)
	}
	return p
}

// errDisorder says that a mailbox turned out not to be in order of dates.
var errDisorder = errors.New("readmail: mailbox is not in order of dates")

// newest takes the messages with the highest sequence numbers, without a search: one flight.
func (l *lister) newest(ctx context.Context, p *boxPage) error {
	skip := int(p.pos.Seq) // messages above the one where the last page ended, that one included, when it was fetched
	anchor := session.UID(p.pos.UID)
	if anchor > 0 && skip == 0 {
		return l.search(ctx, p)
	}
	n := l.want
	if anchor > 0 {
		skip, n = skip-1, n+1
	}
	state, msgs, err := l.c.ExamineFetchNewest(ctx, p.mailbox, n, skip, l.items)
	if refused := (*session.ServerError)(nil); errors.As(err, &refused) && refused.Command == "FETCH" && !fatal(ctx, err) {
		return l.search(ctx, p) // by UID the message that the server fails on can be found, and the others listed
	}
	if err != nil {
		return err
	}
	if err := p.setState(state); err != nil {
		return err
	}
	if err := fillHeaders(ctx, l.c, msgs); err != nil {
		return err
	}
	if int64(len(msgs)) < min(int64(n), int64(state.Messages)-int64(skip)) {
		p.note(noteLeftOut)
	}
	facts := l.facts(msgs)
	if anchor > 0 && (len(facts) == 0 || facts[0].uid < anchor) {
		return l.search(ctx, p) // messages above went away: the place is found by UID
	}
	if l.s.checkOrder(p.mailbox, state, facts) == orderBroken && anchor == 0 {
		return errDisorder
	}
	below := facts[:0]
	for _, f := range facts {
		if anchor == 0 || f.uid < anchor {
			below = append(below, f)
		}
	}
	if len(below) < l.want && int64(state.Messages) > int64(skip+n) {
		return l.search(ctx, p) // messages arrived above: part of the page lies below what was fetched
	}
	p.take(below, l.want)
	p.more = p.more || int64(state.Messages) > int64(skip+n)
	p.matched = int(state.Messages)
	if len(p.messages) > 0 {
		p.scan = p.at(p.messages[len(p.messages)-1])
	}
	return nil
}

// facts reads fetched messages, newest first by UID.
func (l *lister) facts(msgs []session.Message) []*summaryFacts {
	out := make([]*summaryFacts, 0, len(msgs))
	for i := range msgs {
		out = append(out, factsOf(&msgs[i], l.items))
	}
	slices.SortFunc(out, func(a, b *summaryFacts) int { return int(int64(b.uid) - int64(a.uid)) })
	return out
}

// setState notes the state of the mailbox and refuses a place in an older incarnation of it.
func (p *boxPage) setState(state session.State) error {
	p.state = state
	if p.pos.UIDValidity != 0 && p.pos.UIDValidity != state.UIDValidity {
		return session.ErrUIDValidityChanged
	}
	p.pos.UIDValidity = state.UIDValidity
	return nil
}

// take keeps the first want of fs, which are in the order of the mailbox.
func (p *boxPage) take(fs []*summaryFacts, want int) {
	if len(fs) > want {
		fs, p.more = fs[:want], true
	}
	p.messages = fs
}

// at is the position of f, the last message shown.
func (p *boxPage) at(f *summaryFacts) boxPosition {
	pos := p.pos
	pos.UID, pos.Date = uint32(f.uid), f.internal.Unix()
	pos.Seq = 0
	if f.seq > 0 && f.seq <= p.state.Messages {
		pos.Seq = p.state.Messages - f.seq + 1
	}
	return pos
}
