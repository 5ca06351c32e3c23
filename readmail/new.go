package readmail

import (
	"context"
	"fmt"
	"slices"

	"mailgap/readmail/session"
	"mailgap/sanitize"
	"mailgap/shared/mcpserve"
)

const (
	defaultNewLimit = 50
	maxFlagChanges  = 200               // messages whose flags changed that are listed
	firstNewRange   = session.UID(5000) // UIDs asked for at once; later ranges are larger, since UIDs may have gaps
)

// newArgs are the arguments of list_new_messages.
type newArgs struct {
	Mailboxes []string `json:"mailboxes,omitempty"`
	Cursor    string   `json:"cursor,omitempty"`
	Limit     int      `json:"limit,omitempty"`
}

// newResult is the answer of list_new_messages and wait_for_message.
type newResult struct {
	Messages    []messageSummary `json:"messages"`
	FlagChanges []flagChange     `json:"flag_changes,omitempty"`
	Mailboxes   []newCoverage    `json:"mailboxes"`
	Cursor      sanitize.Clean   `json:"cursor,omitzero" place:"-"`
	More        bool             `json:"more,omitempty"`
	TimedOut    bool             `json:"timed_out,omitempty"`
}

// flagChange is a message from before the cursor whose flags changed.
type flagChange struct {
	Ref      sanitize.Clean `json:"ref" place:"-"`
	Unread   bool           `json:"unread"`
	Flagged  bool           `json:"flagged"`
	Answered bool           `json:"answered"`
}

// newCoverage says what was compared in one mailbox.
type newCoverage struct {
	Mailbox  sanitize.Clean `json:"mailbox" place:"server"`
	Messages uint32         `json:"messages"`
	Since    sinceWord      `json:"since"`
	Flags    bool           `json:"flag_changes_known"`
	// FlagsLeftOut is how many flag changes are not listed, the oldest messages; list the mailbox to see their flags.
	FlagsLeftOut int `json:"flag_changes_left_out,omitempty"`
	// LeftOut is how many new messages the server named and did not hand out.
	LeftOut int `json:"messages_left_out,omitempty"`
	// NotMatching is how many new messages wait_for_message passed over because they do not match.
	NotMatching int            `json:"not_matching,omitempty"`
	Error       sanitize.Clean `json:"error,omitzero" place:"error"`
}

// sinceWord says what "new" means for a mailbox in this answer.
type sinceWord string

const (
	sinceCursor sinceWord = "cursor"  // since the cursor that was passed
	sinceNow    sinceWord = "now"     // no cursor: from now on
	sinceReset  sinceWord = "rebuilt" // the mailbox was rebuilt (UIDVALIDITY changed): old references are void, from now on
)

// Words implements mcpserve.Word.
func (sinceWord) Words() []string {
	return []string{string(sinceCursor), string(sinceNow), string(sinceReset)}
}

// newCursor is the cursor of list_new_messages: for each mailbox the first UID that is new, and the modification sequence
// up to which flags are known (RFC 7162; 0 without CONDSTORE).
type newCursor struct {
	V       int      `json:"v"`
	Kind    string   `json:"k"`
	Account string   `json:"a,omitempty"` // where several are configured
	Boxes   []newBox `json:"b"`
}

type newBox struct {
	Mailbox     string `json:"m"`
	UIDValidity uint32 `json:"u"`
	UIDNext     uint32 `json:"n"`
	ModSeq      uint64 `json:"q,omitempty"`
}

const newCursorKind = "new"

func decodeNewCursor(token string) (newCursor, error) {
	var c newCursor
	if err := decodeCursor(token, &c); err != nil {
		return c, err
	}
	if c.V != cursorVersion || c.Kind != newCursorKind || len(c.Boxes) == 0 || len(c.Boxes) > maxMailboxes {
		return c, fmt.Errorf("%w: not a cursor of list_new_messages", ErrBadCursor)
	}
	seen := map[string]bool{}
	for _, b := range c.Boxes {
		if b.UIDNext == 0 || b.UIDValidity == 0 || !cursorName(c.Account, b.Mailbox, seen) {
			return c, fmt.Errorf("%w: unexpected content", ErrBadCursor)
		}
	}
	return c, nil
}

// listNewMessages is the handler of list_new_messages.
func (s *Server) listNewMessages(ctx context.Context, _ *mcpserve.Call, a newArgs) (mcpserve.Result[newResult], error) {
	var none mcpserve.Result[newResult]
	start, err := s.newStart(ctx, a.Mailboxes, a.Cursor)
	if err != nil {
		return none, explain(err)
	}
	var news newsOf
	err = s.do(ctx, start[0].Mailbox, func(ctx context.Context, c *session.Conn) error {
		var err error
		news, err = s.news(ctx, c, start, orDefault(a.Limit, defaultNewLimit), nil)
		return err
	})
	if err == nil && len(news.boxes) == 1 && news.boxes[0].err != nil {
		err = news.boxes[0].err
	}
	if err != nil {
		return none, explain(err)
	}
	r := s.newAnswer(news)
	text, err := s.newText(r)
	return mcpserve.Result[newResult]{Structured: r, Text: text}, err
}

// newStart says from where on each mailbox is compared: the cursor, or from now on.
func (s *Server) newStart(ctx context.Context, names []string, cursor string) ([]newBox, error) {
	if cursor == "" {
		boxes, err := s.mailboxes(ctx, names)
		var out []newBox
		for _, b := range boxes {
			out = append(out, newBox{Mailbox: b})
		}
		return out, err
	}
	c, err := decodeNewCursor(cursor)
	if err != nil {
		return nil, err
	}
	if c.Account != s.accountMark() {
		return nil, ErrOtherQuery
	}
	if len(names) == 0 {
		return c.Boxes, nil
	}
	boxes, err := s.mailboxes(ctx, names)
	if err != nil {
		return nil, err
	}
	if len(boxes) != len(c.Boxes) || slices.ContainsFunc(c.Boxes, func(b newBox) bool { return !slices.Contains(boxes, b.Mailbox) }) {
		return nil, ErrOtherQuery
	}
	return c.Boxes, nil
}

// newsOf is what happened in mailboxes since a cursor.
type newsOf struct {
	boxes []newsBox
	more  bool
}

type newsBox struct {
	page    boxPage // its messages are in ascending order of UIDs
	since   sinceWord
	next    newBox
	changes []*summaryFacts
	flags   bool
	err     error

	flagsLeftOut, leftOut, notMatching int
}

// news compares each mailbox with its place in start. At most limit messages are returned in all, oldest first, and the
// next cursors stop before the first that did not fit, so that none is lost. accept, if not nil, picks messages.
func (s *Server) news(ctx context.Context, c *session.Conn, start []newBox, limit int, accept func(*summaryFacts) bool) (newsOf, error) {
	var out newsOf
	for _, b := range start {
		n := s.newsIn(ctx, c, b, limit, accept)
		if fatal(ctx, n.err) {
			return out, n.err
		}
		limit -= len(n.page.messages)
		out.more = out.more || n.page.more
		out.boxes = append(out.boxes, n)
	}
	return out, nil
}

// newsIn compares one mailbox.
func (s *Server) newsIn(ctx context.Context, c *session.Conn, b newBox, limit int, accept func(*summaryFacts) bool) newsBox {
	n := newsBox{page: boxPage{mailbox: b.Mailbox}, next: b, since: sinceCursor}
	state, err := c.Reexamine(ctx, b.Mailbox)
	if err != nil {
		n.err = err
		return n
	}
	n.page.state = state
	if b.UIDNext == 0 || b.UIDValidity != state.UIDValidity {
		n.since = pick(b.UIDNext == 0, sinceNow, sinceReset)
		n.next = newBox{b.Mailbox, state.UIDValidity, uint32(state.UIDNext), state.HighestModSeq}
		if state.UIDNext == 0 {
			n.next.UIDNext, n.err = s.highest(ctx, c, state)
		}
		return n
	}
	n.err = s.fetchNews(ctx, c, b, limit, accept, &n)
	if n.err == nil {
		n.err = s.flagChanges(ctx, c, b, &n)
	}
	return n
}

// highest finds the first free UID where the server does not tell UIDNEXT.
func (s *Server) highest(ctx context.Context, c *session.Conn, state session.State) (uint32, error) {
	if state.Messages == 0 {
		return 1, nil
	}
	msgs, err := c.Fetch(ctx, session.SeqRange(state.Messages, state.Messages), session.Items{})
	if err != nil || len(msgs) == 0 {
		return 1, err
	}
	return after(msgs[len(msgs)-1].UID), nil
}

// fetchNews fetches the messages from b.UIDNext on, at most limit.
func (s *Server) fetchNews(ctx context.Context, c *session.Conn, b newBox, limit int, accept func(*summaryFacts) bool, n *newsBox) error {
	if n.page.state.UIDNext != 0 && uint32(n.page.state.UIDNext) <= b.UIDNext {
		return nil
	}
	uids, err := newUIDs(ctx, c, b, n.page.state, limit)
	if err != nil {
		return err
	}
	if len(uids) > limit {
		uids, n.page.more = uids[:max(limit, 0)], true
	}
	if err := s.takeNews(ctx, c, uids, accept, n); err != nil {
		return err
	}
	if len(uids) > 0 {
		n.next.UIDNext = after(uids[len(uids)-1])
	}
	if !n.page.more {
		n.next.UIDNext = max(n.next.UIDNext, uint32(n.page.state.UIDNext))
	}
	return nil
}

// after is the UID that follows u; the highest there can be follows itself.
func after(u session.UID) uint32 { return uint32(max(u+1, u)) }

// newUIDs returns the lowest UIDs from b.UIDNext on: all of them, or more than limit. It asks for ranges, so that a server
// that returns only the highest of very many cannot make the lowest disappear.
func newUIDs(ctx context.Context, c *session.Conn, b newBox, state session.State, limit int) ([]session.UID, error) {
	var uids []session.UID
	low, top := session.UID(b.UIDNext), topUID(state)
	for width := firstNewRange; len(uids) <= limit; width = min(width, 1<<28) * 8 {
		high := top
		if top-low >= width {
			high = low + width - 1
		}
		r, err := c.Search(ctx, b.Mailbox, session.In(session.UIDRange(low, pick(high == top, 0, high))))
		if err != nil {
			return nil, err
		}
		for _, u := range r.UIDs { // Quirk: "n:*" names the last message even if it is below n (RFC 9051 §6.4.8)
			if u >= low {
				uids = append(uids, u)
			}
		}
		if high == top {
			break
		}
		low = high + 1
	}
	return uids, nil
}

// takeNews fetches uids and keeps those that are accepted.
func (s *Server) takeNews(ctx context.Context, c *session.Conn, uids []session.UID, accept func(*summaryFacts) bool, n *newsBox) error {
	if len(uids) == 0 {
		return nil
	}
	items := pageItems()
	msgs, err := c.Fetch(ctx, session.UIDs(uids...), items)
	if err != nil {
		return err
	}
	if err := fillHeaders(ctx, c, msgs); err != nil {
		return err
	}
	n.leftOut += len(uids) - len(msgs)
	for i := range msgs {
		f := factsOf(&msgs[i], items)
		s.remember(n.page.mailbox, n.page.state, f)
		if accept == nil || accept(f) {
			n.page.messages = append(n.page.messages, f)
		} else {
			n.notMatching++
		}
	}
	return nil
}

// remember keeps the structure of a listed message.
func (s *Server) remember(mailbox string, state session.State, f *summaryFacts) {
	if f.structureKnown && !anyCutName(f.structure) {
		s.structures.put(MessageRef{Account: s.cfg.Account, Mailbox: mailbox, UIDValidity: state.UIDValidity, UID: uint32(f.uid)}, f.structure)
	}
}

// flagChanges finds the messages from before the cursor whose flags changed, where the server counts changes.
func (s *Server) flagChanges(ctx context.Context, c *session.Conn, b newBox, n *newsBox) error {
	state := n.page.state
	if b.ModSeq == 0 || state.HighestModSeq == 0 || b.UIDNext <= 1 {
		n.next.ModSeq = state.HighestModSeq
		return nil
	}
	n.flags, n.next.ModSeq = true, state.HighestModSeq
	if state.HighestModSeq <= b.ModSeq {
		return nil
	}
	r, err := c.Search(ctx, b.Mailbox, session.And(session.In(session.UIDRange(1, session.UID(b.UIDNext-1))), session.ModSeq(b.ModSeq+1)))
	if err != nil || len(r.UIDs) == 0 {
		return err
	}
	uids := r.UIDs
	if len(uids) > maxFlagChanges {
		n.flagsLeftOut = len(uids) - maxFlagChanges
		uids = uids[n.flagsLeftOut:]
	}
	items := session.Items{Flags: true}
	msgs, err := c.Fetch(ctx, session.UIDs(uids...), items)
	for i := range msgs {
		n.changes = append(n.changes, factsOf(&msgs[i], items))
	}
	return err
}
