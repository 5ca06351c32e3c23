package session

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"

	"mailgap/readmail/wire"
)

// Limits of listings.
const (
	maxMailboxes    = 10_000 // Limit: mailboxes returned; accounts with more are not known
	statusPerFlight = 100    // Limit: STATUS commands written before an answer is awaited
	maxNameOctets   = 1000   // Limit: the longest mailbox name that common servers accept is 255 octets per level
)

// canonicalName returns INBOX for any spelling of it (RFC 9051 §5.1).
func canonicalName(name string) string {
	if strings.EqualFold(name, "INBOX") {
		return "INBOX"
	}
	return name
}

// checkName refuses names that cannot be sent.
func checkName(name string) error {
	if name == "" || len(name) > maxNameOctets || strings.ContainsAny(name, "\r\n\x00") {
		return ErrBadString
	}
	return nil
}

// Examine opens a mailbox for reading by its Name or Raw name. If it is open already nothing is sent. Errors: ErrNoMailbox.
func (c *Conn) Examine(ctx context.Context, mailbox string) (State, error) {
	mailbox = canonicalName(mailbox)
	if c.open == mailbox && c.open != "" && !c.lost() {
		return c.current(), nil
	}
	return c.Reexamine(ctx, mailbox)
}

// Refresh opens a mailbox or, if it is open already, asks for news by NOOP. The state is up to date afterwards, except
// that UIDNext of an open mailbox is only a lower bound until Reexamine.
func (c *Conn) Refresh(ctx context.Context, mailbox string) (State, error) {
	mailbox = canonicalName(mailbox)
	if c.open == "" || c.open != mailbox {
		return c.Reexamine(ctx, mailbox)
	}
	if err := c.Noop(ctx); err != nil {
		return State{}, err
	}
	st := c.current()
	c.shared.remember(st)
	return st, nil
}

// Reexamine opens a mailbox anew even if it is open already, so that every field of the state is current.
func (c *Conn) Reexamine(ctx context.Context, mailbox string) (State, error) {
	mailbox = canonicalName(mailbox)
	if err := checkName(mailbox); err != nil {
		return State{}, err
	}
	st, err := c.examineOnce(ctx, mailbox)
	if c.condstoreRefused(err) {
		st, err = c.examineOnce(ctx, mailbox)
	}
	for _, other := range c.otherNames(ctx, mailbox, err) {
		if st, err = c.examineOnce(ctx, other); !errors.Is(err, ErrNoMailbox) {
			break
		}
	}
	return st, err
}

func (c *Conn) examineOnce(ctx context.Context, mailbox string) (State, error) {
	var st State
	err := c.flight(ctx, "EXAMINE", func() (err error) {
		st, err = c.sendExamine(mailbox)()
		return err
	})
	return st, mailboxFault(err)
}

// condstoreRefused reports whether EXAMINE failed in a way that may come from its CONDSTORE parameter, which is left out from
// now on. Quirk: servers that advertise CONDSTORE and do not know it.
func (c *Conn) condstoreRefused(err error) bool {
	var refused *ServerError
	if c.lost() || !errors.As(err, &refused) || refused.Status != "BAD" || refused.Command != "EXAMINE" || !c.HasCap("CONDSTORE") {
		return false
	}
	delete(c.caps, "CONDSTORE")
	delete(c.caps, "QRESYNC")
	return true
}

// otherNames says what else to try when a mailbox is not found: after a LIST the wire layer knows names that are no modified
// UTF-7; and the caller may have the name as it travels.
func (c *Conn) otherNames(ctx context.Context, mailbox string, err error) []string {
	if !errors.Is(err, ErrNoMailbox) || c.lost() {
		return nil
	}
	var names []string
	if !c.listed && c.shared.hasOddNames() {
		if _, err := c.List(ctx, ListOptions{}); err == nil {
			names = append(names, mailbox)
		}
	}
	if plain, ok := decodeUTF7(mailbox); ok && plain != mailbox {
		names = append(names, plain)
	}
	return names
}

func (s *shared) hasOddNames() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.oddNames
}

// sendExamine writes EXAMINE and returns what waits for the answer. While it is under way no mailbox counts as open.
func (c *Conn) sendExamine(mailbox string) func() (State, error) {
	c.open = ""
	c.news.hasNews.Store(false)
	cmd := c.client.Select(mailbox, &imap.SelectOptions{ReadOnly: true, CondStore: c.HasCap("CONDSTORE")})
	return func() (State, error) {
		data, err := cmd.Wait()
		if err != nil {
			return State{}, err
		}
		c.open = mailbox
		c.state = State{
			Name: mailbox, UIDValidity: data.UIDValidity, UIDNext: UID(data.UIDNext),
			Messages: data.NumMessages, HighestModSeq: data.HighestModSeq,
		}
		c.news.exists.Store(data.NumMessages)
		c.shared.remember(c.state)
		return c.state, nil
	}
}

// current returns the state of the open mailbox with what the server told since.
func (c *Conn) current() State {
	if c.news.hasNews.Load() {
		c.state.Messages = c.news.exists.Load()
	}
	return c.state
}

// mailboxFault turns the refusal of EXAMINE or STATUS into ErrNoMailbox, unless it is about something else.
func mailboxFault(err error) error {
	var refused *ServerError
	if !errors.As(err, &refused) || refused.Status != "NO" || isTemporary(refused.CodeRaw) {
		return err
	}
	// Quirk: NetEase refuses EXAMINE with these words when it distrusts the client.
	if strings.Contains(refused.TextRaw, "Unsafe Login") {
		return err
	}
	return errors.Join(ErrNoMailbox, refused)
}

// statusItems says which counts are asked for.
func (c *Conn) statusItems() *imap.StatusOptions {
	return &imap.StatusOptions{
		NumMessages: true, NumUnseen: true, UIDNext: true, UIDValidity: true, HighestModSeq: c.HasCap("CONDSTORE"),
	}
}

func newStatus(d *imap.StatusData) *Status {
	s := &Status{UIDNext: UID(d.UIDNext), UIDValidity: d.UIDValidity, HighestModSeq: d.HighestModSeq}
	if d.NumMessages != nil {
		s.Messages, s.HasMessages = *d.NumMessages, true
	}
	if d.NumUnseen != nil {
		s.Unseen, s.HasUnseen = *d.NumUnseen, true
	}
	return s
}

// Status returns the counts of one mailbox, by STATUS, which does not open it.
func (c *Conn) Status(ctx context.Context, mailbox string) (Status, error) {
	mailbox = canonicalName(mailbox)
	if err := checkName(mailbox); err != nil {
		return Status{}, err
	}
	var out Status
	err := c.flight(ctx, "STATUS", func() error {
		data, err := c.client.Status(mailbox, c.statusItems()).Wait()
		if err == nil {
			out = *newStatus(data)
		}
		return err
	})
	return out, mailboxFault(err)
}

// List returns the mailboxes of the account, in one round trip if the server has LIST-STATUS or no counts are wanted, else
// two. A mailbox whose counts cannot be had has StatusErr set.
func (c *Conn) List(ctx context.Context, o ListOptions) ([]Mailbox, error) {
	pattern := orElse(o.Pattern, "*")
	if err := checkName(pattern); err != nil {
		return nil, err
	}
	c.link.TakeRepairs()
	data, err := c.list(ctx, pattern, c.listReturn(o))
	if refused := (&ServerError{}); errors.As(err, &refused) && c.listReturn(o) != nil {
		data, err = c.list(ctx, pattern, nil) // Quirk: servers that advertise LIST-EXTENDED and refuse RETURN
	}
	if err != nil {
		return nil, err
	}
	c.noteOddNames(pattern)
	boxes := c.mailboxes(data)
	c.guessSpecialUse(boxes)
	if o.Status {
		if err := c.fillStatus(ctx, boxes); err != nil {
			return nil, err
		}
	}
	return boxes, nil
}

// listReturn returns the RETURN options, nil for a plain LIST.
func (c *Conn) listReturn(o ListOptions) *imap.ListOptions {
	if !c.HasCap("LIST-EXTENDED") && !c.HasCap("LIST-STATUS") {
		return nil
	}
	r := &imap.ListOptions{ReturnSubscribed: o.Subscribed, ReturnSpecialUse: c.HasCap("SPECIAL-USE")}
	if o.Status && c.HasCap("LIST-STATUS") {
		r.ReturnStatus = c.statusItems()
	}
	if !r.ReturnSubscribed && !r.ReturnSpecialUse && r.ReturnStatus == nil {
		return nil
	}
	return r
}

func (c *Conn) list(ctx context.Context, pattern string, r *imap.ListOptions) ([]*imap.ListData, error) {
	var out []*imap.ListData
	err := c.flight(ctx, "LIST", func() error {
		cmd := c.client.List("", pattern, r)
		for d := cmd.Next(); d != nil; d = cmd.Next() {
			if len(out) < maxMailboxes {
				out = append(out, d)
			}
		}
		return cmd.Close()
	})
	return out, err
}

// noteOddNames remembers that some names are understood only on connections that have seen a LIST.
func (c *Conn) noteOddNames(pattern string) {
	c.listed = c.listed || pattern == "*"
	for _, r := range c.link.TakeRepairs() {
		if r.Kind == wire.RepairMailboxName {
			c.shared.mu.Lock()
			c.shared.oddNames = true
			c.shared.mu.Unlock()
			return
		}
	}
}

// mailboxes turns LIST data into ours, each name once.
func (c *Conn) mailboxes(data []*imap.ListData) []Mailbox {
	var out []Mailbox
	seen := map[string]bool{}
	for _, d := range data {
		name := canonicalName(d.Mailbox)
		if name == "" || seen[name] {
			continue
		}
		seen[name] = true
		out = append(out, newMailbox(name, d))
	}
	return out
}

func newMailbox(name string, d *imap.ListData) Mailbox {
	m := Mailbox{Name: name}
	if raw := encodeUTF7(name); raw != name {
		m.Raw = raw
	}
	if d.Delim != 0 {
		m.Delimiter = string(d.Delim)
	}
	for _, a := range d.Attrs {
		m.Attrs = append(m.Attrs, string(a))
		switch strings.ToLower(string(a)) {
		case `\noselect`:
			m.NoSelect = true
		case `\nonexistent`:
			m.NoSelect, m.NonExist = true, true
		case `\subscribed`:
			m.Subscribed = true
		}
		if use := useOfAttr(string(a)); use != "" && m.SpecialUse == "" {
			m.SpecialUse = use
		}
	}
	if name == "INBOX" {
		m.SpecialUse = UseInbox
	}
	if d.Status != nil {
		m.Status = newStatus(d.Status)
	}
	return m
}

// useOfAttr reads a special-use attribute (RFC 6154 §2, RFC 8457, and Gmail's older names).
func useOfAttr(attr string) SpecialUse {
	use := SpecialUse(strings.ToLower(strings.TrimPrefix(attr, `\`)))
	switch use {
	case UseAll, UseArchive, UseDrafts, UseFlagged, UseImportant, UseJunk, UseSent, UseTrash:
		return use
	case "allmail":
		return UseAll
	case "spam":
		return UseJunk
	case "starred":
		return UseFlagged
	}
	return ""
}

// fillStatus asks for the counts that LIST did not bring. A refusal concerns its mailbox alone.
func (c *Conn) fillStatus(ctx context.Context, boxes []Mailbox) error {
	var missing []*Mailbox
	for i := range boxes {
		if b := &boxes[i]; b.Status == nil && !b.NoSelect {
			missing = append(missing, b)
		}
	}
	for chunk := range slices.Chunk(missing, statusPerFlight) {
		if err := c.statusFlight(ctx, chunk); err != nil {
			return err
		}
	}
	c.rememberStatus(boxes)
	return nil
}

func (c *Conn) statusFlight(ctx context.Context, boxes []*Mailbox) error {
	return c.flight(ctx, "STATUS", func() error {
		cmds := make([]*imapclient.StatusCommand, len(boxes))
		for i, b := range boxes {
			cmds[i] = c.client.Status(b.Name, c.statusItems())
		}
		for i, b := range boxes {
			data, err := cmds[i].Wait()
			if refused := serverError("STATUS", err); refused != nil {
				b.StatusErr = mailboxFault(refused)
			} else if err != nil {
				return err
			} else {
				b.Status = newStatus(data)
			}
		}
		return nil
	})
}

// rememberStatus makes later guesses about these mailboxes better.
func (c *Conn) rememberStatus(boxes []Mailbox) {
	for _, b := range boxes {
		if s := b.Status; s != nil && s.HasMessages && s.UIDValidity != 0 {
			c.shared.remember(State{
				Name: b.Name, UIDValidity: s.UIDValidity, UIDNext: s.UIDNext,
				Messages: s.Messages, HighestModSeq: s.HighestModSeq,
			})
		}
	}
}
