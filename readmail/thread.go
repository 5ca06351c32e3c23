package readmail

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"mailgap/readmail/decode"
	"mailgap/readmail/session"
	"mailgap/sanitize"
	"mailgap/shared/mcpserve"
)

const (
	defaultThreadSize  = 20
	maxThreadFound     = 500 // messages of one conversation that are looked at
	maxThreadRounds    = 4   // times that new ids lead to a new search
	maxIDsPerSearch    = 12  // ids that one search asks for
	defaultThreadChars = 2000
	maxSubjectReplies  = 50
	minSubjectChars    = 6                   // shorter ones ("Hello") say too little; see subjectWeight
	subjectReplyWindow = 60 * 24 * time.Hour // a reply without references comes within two months
)

// threadArgs are the arguments of get_thread.
type threadArgs struct {
	Ref      string `json:"ref"`
	Limit    int    `json:"limit,omitempty"`
	MaxChars int    `json:"max_chars,omitempty"`
}

// threadResult is the answer of get_thread.
type threadResult struct {
	Messages []threadMessage `json:"messages"`
	Found    int             `json:"found"`
	LeftOut  int             `json:"left_out,omitempty"`
	Coverage []coverage      `json:"coverage"`
	// BoxesLeftOut is how many mailboxes were not looked at, because the account has more than one call reads.
	BoxesLeftOut int          `json:"mailboxes_left_out,omitempty"`
	Method       threadMethod `json:"method"`
}

// threadMessage is one message of a conversation.
type threadMessage struct {
	messageSummary
	Author   authorVerdict    `json:"author"`
	AlsoIn   []sanitize.Clean `json:"also_in,omitempty" place:"server"`
	LinkedBy threadLink       `json:"linked_by"`
	Text     sanitize.Clean   `json:"text,omitzero" place:"body"`
	More     bool             `json:"more_text,omitempty"`
	Folded   int              `json:"folded_quote_chars,omitempty"`
}

// threadMethod says how a conversation was gathered; threadLink why a message is part of it.
type (
	threadMethod string
	threadLink   string
)

const (
	byReferences threadMethod = "references"
	byGmail      threadMethod = "gmail_thread_id"

	linkStart      threadLink = "asked_for"
	linkReferences threadLink = "references"
	linkSubject    threadLink = "subject" // no references at all, a reply prefix, and the same subject
	linkServer     threadLink = "server"
)

// Words implements mcpserve.Word.
func (threadMethod) Words() []string { return []string{string(byReferences), string(byGmail)} }

// Words implements mcpserve.Word.
func (threadLink) Words() []string {
	return []string{string(linkStart), string(linkReferences), string(linkSubject), string(linkServer)}
}

// threadItems adds the header fields that tie a conversation together to those of a page.
func threadItems() session.Items {
	return pageItems("Message-ID", "In-Reply-To", "References", "Authentication-Results", "Received", "Cc", "Reply-To", "List-Post", "List-Id")
}

// member is a message of a conversation in one or more mailboxes.
type member struct {
	page  *boxPage
	facts *summaryFacts
	id    string
	link  threadLink
	also  []string
}

// threader gathers a conversation.
type threader struct {
	s       *Server
	c       *session.Conn
	boxes   []string
	pages   map[string]*boxPage
	members []*member
	byID    map[string]*member
	asked   map[string]bool // ids that were searched for
	queue   []string        // ids to search for
	method  threadMethod
	capped  bool
}

// getThread is the handler of get_thread.
func (s *Server) getThread(ctx context.Context, call *mcpserve.Call, a threadArgs) (mcpserve.Result[threadResult], error) {
	var none mcpserve.Result[threadResult]
	ref, err := s.parseRef(a.Ref)
	if err != nil {
		return none, explain(err)
	}
	boxes, boxesLeft, err := s.threadBoxes(ctx, ref.Mailbox)
	if err != nil {
		return none, explain(err)
	}
	var t *threader
	var shown []*member
	var texts []bodyText
	err = s.do(ctx, ref.Mailbox, func(ctx context.Context, c *session.Conn) error {
		t = &threader{s: s, c: c, boxes: boxes, pages: map[string]*boxPage{}, byID: map[string]*member{}, asked: map[string]bool{}, method: byReferences}
		if err := t.gather(ctx, ref.Message()); err != nil {
			return err
		}
		shown = t.newest(orDefault(a.Limit, defaultThreadSize))
		texts, err = t.texts(ctx, shown)
		return err
	})
	if err != nil {
		return none, explain(err)
	}
	r := t.result(shown, texts, orDefault(a.MaxChars, defaultThreadChars))
	r.BoxesLeftOut = boxesLeft
	text, err := s.threadText(r)
	return mcpserve.Result[threadResult]{Structured: r, Text: text}, err
}

// threadBoxes are all mailboxes with messages, the one of the message first, and how many were left out. Junk and trash
// count: a reply may lie there.
func (s *Server) threadBoxes(ctx context.Context, first string) (out []string, left int, err error) {
	boxes, err := s.list(ctx, true)
	if err != nil {
		return nil, 0, err
	}
	out = []string{first}
	for _, b := range boxes {
		empty := b.Status != nil && b.Status.HasMessages && b.Status.Messages == 0
		switch {
		case b.NoSelect || b.NonExist || empty || b.Name == first:
		case len(out) < maxMailboxes:
			out = append(out, b.Name)
		default:
			left++
		}
	}
	return out, left, nil
}

// gather finds the conversation of ref: by Gmail's own number where there is one, else by following Message-ID,
// References and In-Reply-To in both directions through all mailboxes.
func (t *threader) gather(ctx context.Context, ref MessageRef) error {
	state, msgs, err := t.c.ExamineFetch(ctx, ref.Mailbox, ref.UIDValidity, session.UIDs(session.UID(ref.UID)), threadItems())
	if err != nil {
		return err
	}
	if len(msgs) == 0 {
		return errGone
	}
	if err := fillHeaders(ctx, t.c, msgs); err != nil {
		return err
	}
	page := t.page(ref.Mailbox)
	page.state = state
	start := factsOf(&msgs[0], threadItems())
	t.add(page, start, linkStart)
	if t.c.HasCap("X-GM-EXT-1") {
		if ok, err := t.gmail(ctx, ref, start); ok || fatal(ctx, err) {
			return err
		}
	}
	for round := 0; round < maxThreadRounds && len(t.queue) > 0; round++ {
		if err := t.round(ctx); err != nil {
			return err
		}
	}
	t.capped = t.capped || len(t.queue) > 0
	return t.bySubject(ctx)
}

func (t *threader) page(mailbox string) *boxPage {
	p := t.pages[mailbox]
	if p == nil {
		p = &boxPage{mailbox: mailbox, matched: -1}
		t.pages[mailbox] = p
	}
	return p
}

// add takes a message into the conversation unless it is there already, and queues the ids that it names.
func (t *threader) add(p *boxPage, f *summaryFacts, link threadLink) {
	id, refs := threadIDs(f.header)
	if have := t.byID[id]; have != nil && id != "" {
		same := have.page.mailbox == p.mailbox && have.facts.uid == f.uid
		if !same && have.page.mailbox != p.mailbox && !slices.Contains(have.also, p.mailbox) {
			have.also = append(have.also, p.mailbox)
		}
		return
	}
	if slices.ContainsFunc(t.members, func(m *member) bool { return m.page.mailbox == p.mailbox && m.facts.uid == f.uid }) {
		return
	}
	if len(t.members) >= maxThreadFound {
		t.capped = true
		return
	}
	m := &member{page: p, facts: f, id: id, link: link}
	t.members = append(t.members, m)
	if id != "" {
		t.byID[id] = m
	}
	for _, r := range append([]string{id}, refs...) {
		if r != "" && !t.asked[r] && !slices.Contains(t.queue, r) {
			t.queue = append(t.queue, r)
		}
	}
}

// threadIDs returns the message's own id and those that it refers to.
func threadIDs(h decode.Header) (id string, refs []string) {
	first := func(name string) []string {
		body, _ := h.Get(name)
		return decode.MessageIDs(body)
	}
	if own := first("Message-ID"); len(own) > 0 {
		id = own[0]
	}
	return id, append(first("References"), first("In-Reply-To")...)
}

// round searches all mailboxes for the next queued ids, as the id of a message and in what messages refer to.
func (t *threader) round(ctx context.Context) error {
	n := min(len(t.queue), maxIDsPerSearch)
	ids := t.queue[:n]
	t.queue = t.queue[n:]
	var any []session.Criteria
	for _, id := range ids {
		t.asked[id] = true
		if strings.ContainsAny(id, "\r\n\x00") || !isASCII(id) {
			continue
		}
		any = append(any, session.Header("Message-ID", id), session.Header("References", id), session.Header("In-Reply-To", id))
	}
	if len(any) == 0 {
		return nil
	}
	return t.search(ctx, session.Or(any...), func(f *summaryFacts) threadLink { return linkReferences })
}

// search runs one search over all mailboxes in one flight and takes what link accepts.
func (t *threader) search(ctx context.Context, q session.Criteria, link func(*summaryFacts) threadLink) error {
	var qs []session.MailboxCriteria
	for _, b := range t.boxes {
		qs = append(qs, session.MailboxCriteria{Mailbox: b, Criteria: q})
	}
	results, err := t.c.SearchMany(ctx, qs)
	if err != nil {
		return err
	}
	for _, r := range results {
		p := t.page(r.Mailbox)
		if errors.Is(r.Err, session.ErrCharsetRefused) {
			p.note(noteCharset) // only a subject can be outside ASCII, and it is the last thing that is looked for
			continue
		}
		if r.Err != nil {
			p.err = r.Err
			continue
		}
		p.state = r.State
		if err := t.take(ctx, p, r.UIDs, link); err != nil {
			return err
		}
	}
	return nil
}

// take fetches the headers of uids in p's mailbox.
func (t *threader) take(ctx context.Context, p *boxPage, uids []session.UID, link func(*summaryFacts) threadLink) error {
	var ask []session.UID
	for _, u := range uids {
		if !slices.ContainsFunc(t.members, func(m *member) bool { return m.page == p && m.facts.uid == u }) {
			ask = append(ask, u)
		}
	}
	if len(ask) > maxThreadFound {
		ask, t.capped = ask[len(ask)-maxThreadFound:], true
	}
	if len(ask) == 0 {
		return nil
	}
	items := threadItems()
	_, msgs, err := t.c.ExamineFetch(ctx, p.mailbox, p.state.UIDValidity, session.UIDs(ask...), items)
	if err == nil {
		err = fillHeaders(ctx, t.c, msgs)
	}
	if err != nil {
		p.err = err
		if fatal(ctx, err) {
			return err
		}
		return nil
	}
	for i := range msgs {
		f := factsOf(&msgs[i], items)
		if l := link(f); l != "" {
			t.add(p, f, l)
		}
	}
	return nil
}

// gmail gathers the conversation by X-GM-THRID. It reports whether that worked.
func (t *threader) gmail(ctx context.Context, ref MessageRef, start *summaryFacts) (bool, error) {
	ids, err := t.c.GmailThreadIDs(ctx, ref.Mailbox, []session.UID{start.uid})
	if err != nil || ids[start.uid] == 0 {
		return false, err
	}
	for _, box := range t.boxes {
		r, err := t.c.GmailThread(ctx, box, ids[start.uid])
		if err != nil {
			if fatal(ctx, err) {
				return false, err
			}
			t.page(box).err = err
			continue
		}
		p := t.page(box)
		p.state = r.State
		if err := t.take(ctx, p, r.UIDs, func(*summaryFacts) threadLink { return linkServer }); err != nil {
			return false, err
		}
	}
	t.method = byGmail
	return true, nil
}

// bySubject adds replies that name no message at all: same subject, a reply prefix, and not long after the last message.
//
// Quirk: some mobile and web clients send replies without In-Reply-To and References. The subject alone never joins
// messages that refer to others.
func (t *threader) bySubject(ctx context.Context) error {
	root := slices.MinFunc(t.members, func(a, b *member) int { return a.facts.received.Compare(b.facts.received) })
	base, first, last := baseSubject(root.facts.subject), root.facts.received, root.facts.received
	if subjectWeight(base) < minSubjectChars {
		return nil
	}
	for _, m := range t.members {
		if m.facts.received.After(last) {
			last = m.facts.received
		}
	}
	q := session.And(session.Subject(base), session.Since(dayBefore(first)), session.Before(dayAfter(last.Add(subjectReplyWindow))))
	added := 0
	return t.search(ctx, q, func(f *summaryFacts) threadLink {
		_, refs := threadIDs(f.header)
		ok := len(refs) == 0 && isReply(f.subject) && strings.EqualFold(baseSubject(f.subject), base) && !f.received.Before(first)
		if !ok || added == maxSubjectReplies {
			return ""
		}
		added++
		return linkSubject
	})
}

// newest returns at most n members in order of dates, the newest ones and always the one asked for.
func (t *threader) newest(n int) []*member {
	all := slices.Clone(t.members)
	slices.SortStableFunc(all, func(a, b *member) int { return a.facts.received.Compare(b.facts.received) })
	if len(all) <= n {
		return all
	}
	kept := all[len(all)-n:]
	if !slices.ContainsFunc(kept, func(m *member) bool { return m.link == linkStart }) {
		kept = append([]*member{t.members[0]}, kept[1:]...)
	}
	return kept
}
