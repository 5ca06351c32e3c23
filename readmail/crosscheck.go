package readmail

import (
	"context"
	"errors"

	"mailgap/readmail/session"
)

// maxChecked is how many mailboxes are looked at again when a search over several finds nothing at all.
const maxChecked = 5

// crossCheck looks again before zero is said. A mailbox that should have messages and lists none is compared with STATUS; a
// search that finds nothing in all mailboxes is compared with the newest headers, because some servers accept a
// search and find nothing (seen in practice: completion without a SEARCH line, string criteria that never match, words outside
// ASCII that are ignored).
func (l *lister) crossCheck(ctx context.Context, pages []boxPage) error {
	var check []*boxPage
	for i := range pages {
		p := &pages[i]
		if len(p.messages) > 0 || p.pos.UID != 0 || p.more {
			return nil
		}
		if p.err == nil && len(check) < maxChecked {
			check = append(check, p)
		}
	}
	for _, p := range check {
		if err := l.checkZero(ctx, p, maxRescued/len(check)); err != nil {
			if fatal(ctx, err) {
				return err
			}
			p.err = err
		}
	}
	return nil
}

func (l *lister) checkZero(ctx context.Context, p *boxPage, n int) error {
	if p.state.Messages == 0 {
		return l.checkEmpty(ctx, p)
	}
	if l.q.isEmpty() {
		return nil
	}
	items := l.q.scanItems(true)
	state, msgs, err := l.c.ExamineFetchNewest(ctx, p.mailbox, n, 0, items)
	if err != nil {
		return err
	}
	if err := fillHeaders(ctx, l.c, msgs); err != nil {
		return err
	}
	p.state = state
	scan := *l
	scan.items = items
	facts := scan.facts(msgs)
	for _, f := range facts {
		if l.q.matchHere(f) == yes {
			p.messages = append(p.messages, f)
			p.scan = p.at(f)
		}
	}
	if len(p.messages) == 0 {
		p.note(noteZeroConfirmed)
		return nil
	}
	p.note(noteSearchBroken)
	p.matched, p.partial, p.back = -1, int(state.Messages) > len(facts), facts[len(facts)-1].received
	if len(p.messages) > l.want {
		p.messages, p.more = p.messages[:l.want], true
	}
	return nil
}

// checkEmpty asks STATUS about a mailbox that EXAMINE calls empty, and lists it again if the two disagree.
func (l *lister) checkEmpty(ctx context.Context, p *boxPage) error {
	st, err := l.c.Status(ctx, p.mailbox)
	if err != nil {
		return err
	}
	if !st.HasMessages || st.Messages == 0 {
		p.note(noteZeroConfirmed)
		return nil
	}
	p.note(noteCountsDiffer)
	if _, err := l.c.Reexamine(ctx, p.mailbox); err != nil {
		return err
	}
	if l.q.isEmpty() {
		return l.newest(ctx, p)
	}
	return l.search(ctx, p)
}

// matchHere is match without trust in the server: a condition on a header field that was fetched is decided here.
func (q *query) matchHere(f *summaryFacts) truth {
	strict := *f
	strict.strict = true
	return q.match(&strict, true)
}

// fatal reports whether err concerns the connection or the account, not one mailbox.
func fatal(ctx context.Context, err error) bool {
	if err == nil {
		return false
	}
	for _, single := range []error{session.ErrNoMailbox, session.ErrUIDValidityChanged, session.ErrBadString, session.ErrBadCriteria,
		session.ErrCharsetRefused, session.ErrUnsupported} {
		if errors.Is(err, single) {
			return ctx.Err() != nil
		}
	}
	var server *session.ServerError
	return !(errors.As(err, &server) && server.Status != "BYE") || ctx.Err() != nil
}
