package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"
)

// Limits of searches.
const (
	maxSearchUIDs    = 1_000_000 // Limit: UIDs in one result; a mailbox of a million messages is the largest seen
	maxCriteria      = 200       // nodes in one tree
	maxCriteriaDepth = 20
	maxSearchText    = 1000 // octets of one search word
	maxSearches      = 500  // mailboxes in one SearchMany
)

// translate turns the tree into the library's form.
type translate struct {
	nodes    int
	nonASCII bool
	gmailRaw string // set if GmailRaw was met where it may stand
}

// criteria checks q and translates it.
func (c *Conn) criteria(q Criteria) (*imap.SearchCriteria, *translate, error) {
	t := &translate{}
	out := &imap.SearchCriteria{}
	if err := t.add(out, q, 0, true); err != nil {
		return nil, nil, err
	}
	if t.gmailRaw != "" && !c.HasCap("X-GM-EXT-1") {
		return nil, nil, ErrUnsupported
	}
	return out, t, nil
}

// add puts q into out as one more condition. top is true as long as only And lies above.
func (t *translate) add(out *imap.SearchCriteria, q Criteria, depth int, top bool) error {
	if t.nodes++; t.nodes > maxCriteria || depth > maxCriteriaDepth {
		return fmt.Errorf("%w: too many conditions", ErrBadCriteria)
	}
	switch q.op {
	case opAll:
		return nil
	case opAnd:
		for _, k := range q.kids {
			if err := t.add(out, k, depth+1, top); err != nil {
				return err
			}
		}
		return nil
	case opOr:
		return t.addOr(out, q.kids, depth)
	case opNot:
		var inner imap.SearchCriteria
		err := t.add(&inner, q.kids[0], depth+1, false)
		out.Not = append(out.Not, inner)
		return err
	case opHeader, opText, opBody, opGmailRaw:
		return t.addText(out, q, top)
	case opFlag, opNotFlag:
		return addFlag(out, q)
	case opSet:
		return addSet(out, q.set)
	case opLarger:
		out.Larger = max(out.Larger, int64(min(q.num, 1<<32-1)))
		return nil
	case opSmaller:
		return addSmaller(out, q.num)
	case opModSeq:
		out.ModSeq = &imap.SearchCriteriaModSeq{ModSeq: q.num}
		return nil
	}
	return addDate(out, q)
}

// addOr builds a chain of two-way ORs. Nothing matches an OR of nothing.
func (t *translate) addOr(out *imap.SearchCriteria, kids []Criteria, depth int) error {
	switch len(kids) {
	case 0:
		out.Not = append(out.Not, imap.SearchCriteria{})
		return nil
	case 1:
		return t.add(out, kids[0], depth+1, false)
	}
	var left, right imap.SearchCriteria
	mid := len(kids) / 2 // halves keep the nesting low
	if err := t.add(&left, Or(kids[:mid]...), depth+1, false); err != nil {
		return err
	}
	if err := t.add(&right, Or(kids[mid:]...), depth+1, false); err != nil {
		return err
	}
	out.Or = append(out.Or, [2]imap.SearchCriteria{left, right})
	return nil
}

func (t *translate) addText(out *imap.SearchCriteria, q Criteria, top bool) error {
	// Security: these octets end a command or a string.
	if len(q.value) > maxSearchText || strings.ContainsAny(q.value, "\r\n\x00") {
		return ErrBadString
	}
	t.nonASCII = t.nonASCII || !isASCII(q.value)
	switch q.op {
	case opText:
		out.Text = append(out.Text, q.value)
	case opBody:
		out.Body = append(out.Body, q.value)
	case opHeader:
		if !validFieldName(q.name) {
			return ErrBadString
		}
		out.Header = append(out.Header, imap.SearchCriteriaHeaderField{Key: q.name, Value: q.value})
	case opGmailRaw:
		if !top || t.gmailRaw != "" || strings.TrimSpace(q.value) == "" {
			return fmt.Errorf("%w: a Gmail query may stand only once, beside the others", ErrBadCriteria)
		}
		t.gmailRaw = q.value
	}
	return nil
}

func addFlag(out *imap.SearchCriteria, q Criteria) error {
	if !validFlag(q.value) {
		return ErrBadString
	}
	flag := imap.Flag(q.value)
	for _, known := range []imap.Flag{imap.FlagSeen, imap.FlagAnswered, imap.FlagFlagged, imap.FlagDeleted, imap.FlagDraft} {
		if strings.EqualFold(q.value, string(known)) {
			flag = known
		}
	}
	if q.op == opFlag {
		out.Flag = append(out.Flag, flag)
	} else {
		out.NotFlag = append(out.NotFlag, flag)
	}
	return nil
}

// validFlag accepts keywords (atoms) and the five system flags that can be searched for.
func validFlag(s string) bool {
	name, system := strings.CutPrefix(s, `\`)
	if system {
		return slices.Contains([]string{"seen", "answered", "flagged", "deleted", "draft"}, strings.ToLower(name))
	}
	return name != "" && len(name) <= 100 && strings.IndexFunc(name, func(r rune) bool {
		return r <= ' ' || r >= 0x7f || strings.ContainsRune(`(){}%*"\]`, r)
	}) < 0
}

func addSet(out *imap.SearchCriteria, s Set) error {
	switch {
	case s.seq:
		return fmt.Errorf("%w: sequence numbers", ErrBadCriteria)
	case s.IsEmpty():
		out.Not = append(out.Not, imap.SearchCriteria{})
	default:
		out.UID = append(out.UID, s.uidSet())
	}
	return nil
}

// addSmaller: SMALLER 0 cannot be sent and matches nothing.
func addSmaller(out *imap.SearchCriteria, n uint64) error {
	if n == 0 {
		out.Not = append(out.Not, imap.SearchCriteria{})
		return nil
	}
	v := int64(min(n, 1<<32-1))
	if out.Smaller == 0 || v < out.Smaller {
		out.Smaller = v
	}
	return nil
}

// addDate narrows the day range of out.
func addDate(out *imap.SearchCriteria, q Criteria) error {
	y, m, d := q.date.Date()
	if y < 1 || y > 9999 {
		return fmt.Errorf("%w: date", ErrBadCriteria)
	}
	day := time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
	next := day.AddDate(0, 0, 1)
	switch q.op {
	case opSince:
		out.Since = later(out.Since, day)
	case opBefore:
		out.Before = earlier(out.Before, day)
	case opOn:
		out.Since, out.Before = later(out.Since, day), earlier(out.Before, next)
	case opSentSince:
		out.SentSince = later(out.SentSince, day)
	case opSentBefore:
		out.SentBefore = earlier(out.SentBefore, day)
	case opSentOn:
		out.SentSince, out.SentBefore = later(out.SentSince, day), earlier(out.SentBefore, next)
	}
	return nil
}

func later(a, b time.Time) time.Time {
	if a.IsZero() || b.After(a) {
		return b
	}
	return a
}

func earlier(a, b time.Time) time.Time {
	if a.IsZero() || b.Before(a) {
		return b
	}
	return a
}

// everything reports whether q matches every message.
func (q Criteria) everything() bool {
	return q.op == opAll || q.op == opAnd && !slices.ContainsFunc(q.kids, func(k Criteria) bool { return !k.everything() })
}

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
	open := c.open
	for _, j := range jobs {
		if j == nil {
			continue
		}
		if j.mailbox != open || open == "" {
			j.opened = c.sendExamine(j.mailbox)
			open = j.mailbox
		} else {
			j.opened = c.sendOpenAgain(j.mailbox)
		}
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
