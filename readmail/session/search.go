package session

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"
)

// Limits of searches.
const (
	maxSearchUIDs = 1_000_000 // Limit: UIDs in one result; a mailbox of a million messages is the largest seen
	maxSearches   = 500       // mailboxes in one SearchMany
)

// Search finds messages in a mailbox, opening it in the same flight if need be. Errors: ErrNoMailbox, ErrBadString,
// ErrCharsetRefused, ErrBadCriteria, ErrUnsupported.
func (c *Conn) Search(ctx context.Context, mailbox string, q Criteria) (SearchResult, error) {
	rs, err := c.SearchMany(ctx, []MailboxCriteria{{mailbox, q}})
	if err != nil {
		return SearchResult{}, err
	}
	return rs[0].SearchResult, rs[0].Err
}

// SearchMany searches several mailboxes in one flight. The error concerns the connection; each result has its own.
func (c *Conn) SearchMany(ctx context.Context, qs []MailboxCriteria) ([]MailboxResult, error) {
	if len(qs) > maxSearches {
		return nil, fmt.Errorf("%w: too many mailboxes", ErrBadCriteria)
	}
	out := make([]MailboxResult, len(qs))
	jobs := make([]*searchJob, len(qs))
	for i, q := range qs {
		out[i].Mailbox = q.Mailbox
		jobs[i], out[i].Err = c.newSearch(q)
	}
	err := c.flight(ctx, "SEARCH", func() error { return c.runSearches(jobs, out) })
	if err != nil {
		return nil, err
	}
	for i, j := range jobs {
		if j != nil {
			c.afterSearch(ctx, j, &out[i])
		}
	}
	return out, ctx.Err()
}

// searchJob is one search on its way.
type searchJob struct {
	mailbox  string
	query    Criteria
	criteria *imap.SearchCriteria
	t        *translate
	opened   func() (State, error)
	found    *imapclient.SearchCommand
}

func (c *Conn) newSearch(q MailboxCriteria) (*searchJob, error) {
	name := canonicalName(q.Mailbox)
	if err := checkName(name); err != nil {
		return nil, err
	}
	criteria, t, err := c.criteria(q.Criteria)
	if err != nil {
		return nil, err
	}
	if t.nonASCII && c.shared.refusesCharset() {
		return nil, ErrCharsetRefused
	}
	return &searchJob{mailbox: name, query: q.Criteria, criteria: criteria, t: t}, nil
}

func (s *shared) refusesCharset() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.noCharset
}

// runSearches writes all commands and then reads the answers in their order.
func (c *Conn) runSearches(jobs []*searchJob, out []MailboxResult) error {
	open, sent := c.open, false
	for _, j := range jobs {
		if j == nil {
			continue
		}
		switch {
		case j.mailbox != open || open == "":
			j.opened = c.sendExamine(j.mailbox)
		case !sent:
			j.opened = c.sendOpen(j.mailbox) // open from before: NOOP brings news in the same flight
		default:
			j.opened = c.sendOpenAgain(j.mailbox)
		}
		open, sent = j.mailbox, true
		if j.t.gmailRaw == "" || j.t.nodes > 2 {
			j.found = c.client.UIDSearch(j.criteria, c.searchOptions())
		}
	}
	for i, j := range jobs {
		if j == nil {
			continue
		}
		if err := c.readSearch(j, &out[i]); err != nil {
			return err
		}
	}
	return nil
}

// sendOpenAgain counts on the mailbox being open when its turn comes, so nothing is written.
func (c *Conn) sendOpenAgain(mailbox string) func() (State, error) {
	open, state := c.open == mailbox, c.current() // before a later EXAMINE of the same flight closes it
	return func() (State, error) {
		if open {
			return state, nil
		}
		if c.open != mailbox {
			return State{}, &imap.Error{Type: imap.StatusResponseTypeNo, Text: "not open"}
		}
		return c.current(), nil
	}
}

func (c *Conn) searchOptions() *imap.SearchOptions {
	if c.HasCap("ESEARCH") {
		return &imap.SearchOptions{ReturnAll: true}
	}
	return nil
}

// readSearch waits for one search. A refusal goes into r, the loss of the connection is returned.
func (c *Conn) readSearch(j *searchJob, r *MailboxResult) error {
	st, opened := j.opened()
	var data *imap.SearchData
	var err error
	if j.found != nil {
		data, err = j.found.Wait()
	}
	if refused := serverError("EXAMINE", opened); refused != nil {
		c.open = ""
		r.Err = mailboxFault(refused)
		return nil
	}
	if opened != nil {
		return opened
	}
	r.State = st
	if refused := serverError("SEARCH", err); refused != nil {
		r.Err = c.searchFault(refused, j)
		return nil
	}
	if err == nil && data != nil {
		r.take(data)
	}
	return err
}

// searchFault recognises a server that cannot search for text outside ASCII (RFC 9051 §6.4.4).
func (c *Conn) searchFault(refused *ServerError, j *searchJob) error {
	if !j.t.nonASCII || isTemporary(refused.CodeRaw) {
		return refused
	}
	c.shared.mu.Lock()
	c.shared.noCharset = true
	c.shared.mu.Unlock()
	return errors.Join(ErrCharsetRefused, refused)
}

// take reads the UIDs. Ranges are unfolded up to a limit; numbers that no message can have are left out.
func (r *MailboxResult) take(data *imap.SearchData) {
	ranges, _ := data.All.(imap.UIDSet)
	var uids []UID
	for i := len(ranges) - 1; i >= 0; i-- {
		lo, hi := uint32(ranges[i].Start), uint32(ranges[i].Stop)
		if lo == 0 || hi == 0 || lo > hi {
			r.note(NoteIgnoredUIDs)
			continue
		}
		for n := hi; n >= lo; n-- {
			if len(uids) == maxSearchUIDs {
				r.note(NoteCapped)
				break
			}
			uids = append(uids, UID(n))
		}
	}
	r.UIDs = sortedUnique(uids)
}

func (r *SearchResult) note(n Note) {
	if !slices.Contains(r.Notes, n) {
		r.Notes = append(r.Notes, n)
	}
}

// afterSearch cross-checks one result and does what does not fit into the common flight.
func (c *Conn) afterSearch(ctx context.Context, j *searchJob, r *MailboxResult) {
	if !c.lost() {
		names := c.otherNames(ctx, j.mailbox, r.Err)
		if c.condstoreRefused(r.Err) {
			names = []string{j.mailbox}
		}
		c.searchElsewhere(ctx, j, r, names)
	}
	if r.Err == nil && j.t.gmailRaw != "" {
		c.gmailSearch(ctx, j, r)
	}
	if r.Err != nil {
		return
	}
	if len(r.UIDs) == 0 && r.State.Messages > 0 && j.query.everything() {
		r.note(NoteServerSearchBroken)
	}
}

// searchElsewhere tries the other names that a mailbox may have.
func (c *Conn) searchElsewhere(ctx context.Context, j *searchJob, r *MailboxResult, names []string) {
	for _, name := range names {
		again := []MailboxResult{{Mailbox: r.Mailbox}}
		j.mailbox = name
		err := c.flight(ctx, "SEARCH", func() error { return c.runSearches([]*searchJob{j}, again) })
		if err == nil && !errors.Is(again[0].Err, ErrNoMailbox) {
			*r = again[0]
			return
		}
	}
}
