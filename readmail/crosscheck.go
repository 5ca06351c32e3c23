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
	for i := range pages {
		if len(pages[i].messages) > 0 || pages[i].err != nil || pages[i].pos.UID != 0 || pages[i].more {
			return nil
		}
	}
	for i := range pages[:min(len(pages), maxChecked)] {
		if err := l.checkZero(ctx, &pages[i], maxRescued/min(len(pages), maxChecked)); err != nil {
			if fatal(ctx, err) {
				return err
			}
			pages[i].err = err
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

// checkEmpty asks STATUS about a mailbox that EXAMINE calls empty.
func (l *lister) checkEmpty(ctx context.Context, p *boxPage) error {
	state, err := l.c.Reexamine(ctx, p.mailbox)
	if err != nil {
		return err
	}
	p.state = state
	if state.Messages > 0 {
		p.note(noteCountsDiffer)
		p.err = l.newest(ctx, p)
		return p.err
	}
	p.note(noteZeroConfirmed)
	return nil
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
