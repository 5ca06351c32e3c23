package readmail

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"mailgap/readmail/session"
	"mailgap/sanitize"
	"mailgap/shared/mcpserve"
)

const maxListedMailboxes = 1000 // Limit: accounts with more exist; what is left out is counted

// mailboxArgs are the arguments of list_mailboxes.
type mailboxArgs struct {
	Counts *bool `json:"counts,omitempty"`
}

// mailboxResult is the answer of list_mailboxes.
type mailboxResult struct {
	Mailboxes []mailboxEntry `json:"mailboxes"`
	LeftOut   int            `json:"left_out,omitempty"`
}

// mailboxEntry is one mailbox. Counts are absent if the server did not give them.
type mailboxEntry struct {
	// Account is set where several are configured.
	Account     sanitize.Clean `json:"account,omitzero" place:"-"`
	Name        sanitize.Clean `json:"name" place:"server"`
	SpecialUse  specialUse     `json:"special_use,omitempty"`
	Guessed     bool           `json:"special_use_guessed,omitempty"`
	NoSelect    bool           `json:"not_selectable,omitempty"`
	Messages    *uint32        `json:"messages,omitempty"`
	Unread      *uint32        `json:"unread,omitempty"`
	UIDNext     uint32         `json:"uidnext,omitempty"`
	UIDValidity uint32         `json:"uidvalidity,omitempty"`
	Error       sanitize.Clean `json:"error,omitzero" place:"error"`
}

// specialUse is session.SpecialUse as a word of a result.
type specialUse session.SpecialUse

// Words implements mcpserve.Word.
func (specialUse) Words() []string {
	var out []string
	for _, u := range []session.SpecialUse{session.UseInbox, session.UseAll, session.UseArchive, session.UseDrafts, session.UseFlagged,
		session.UseImportant, session.UseJunk, session.UseSent, session.UseTrash} {
		out = append(out, string(u))
	}
	return out
}

// listMailboxes is the handler of list_mailboxes.
func (s *Server) listMailboxes(ctx context.Context, _ *mcpserve.Call, a mailboxArgs) (mcpserve.Result[mailboxResult], error) {
	boxes, err := s.list(ctx, a.Counts == nil || *a.Counts)
	if err != nil {
		return mcpserve.Result[mailboxResult]{}, explain(err)
	}
	r := mailboxResult{Mailboxes: []mailboxEntry{}}
	if len(boxes) > maxListedMailboxes {
		r.LeftOut = len(boxes) - maxListedMailboxes
		boxes = boxes[:maxListedMailboxes]
	}
	for _, b := range boxes {
		e := entryOf(b)
		e.Account = s.accountWord()
		r.Mailboxes = append(r.Mailboxes, e)
	}
	text, err := s.mailboxText(r)
	return mcpserve.Result[mailboxResult]{Structured: r, Text: text}, err
}

func entryOf(b session.Mailbox) mailboxEntry {
	e := mailboxEntry{Name: sanitize.Line(b.Name, maxMailboxOctets), SpecialUse: specialUse(b.SpecialUse), Guessed: b.Guessed, NoSelect: b.NoSelect || b.NonExist}
	if b.StatusErr != nil {
		e.Error = errorText(b.StatusErr)
	}
	if st := b.Status; st != nil {
		if st.HasMessages {
			e.Messages = &st.Messages
		}
		if st.HasUnseen {
			e.Unread = &st.Unseen
		}
		e.UIDNext, e.UIDValidity = uint32(st.UIDNext), st.UIDValidity
	}
	return e
}

func (s *Server) mailboxText(r mailboxResult) (sanitize.Clean, error) {
	var body lines
	for _, e := range r.Mailboxes {
		parts := []sanitize.Clean{e.Name}
		if !e.Account.IsZero() {
			parts = []sanitize.Clean{e.Account, e.Name}
		}
		if e.SpecialUse != "" {
			parts = append(parts, sanitize.Sprintf("[%s%s]", string(e.SpecialUse), pick(e.Guessed, "?", "")))
		}
		switch {
		case !e.Error.IsZero():
			parts = append(parts, sanitize.Sprintf("counts not available: %s", e.Error))
		case e.NoSelect:
			parts = append(parts, sanitize.Literal("holds no messages itself"))
		case e.Messages != nil:
			parts = append(parts, sanitize.Sprintf("%d messages", *e.Messages))
		}
		if e.Unread != nil && *e.Unread > 0 {
			parts = append(parts, sanitize.Sprintf("%d unread", *e.Unread))
		}
		body.add(sanitize.Join(parts, "  "))
	}
	fenced, err := s.fence(body.text())
	head := lines{sanitize.Sprintf("%d mailboxes.", len(r.Mailboxes)+r.LeftOut), fenced}
	if r.LeftOut > 0 {
		head.add(sanitize.Sprintf("%d more are left out.", r.LeftOut))
	}
	return head.text(), err
}

// list asks for all mailboxes, INBOX first, then those with a special use, then by name; and remembers their uses.
func (s *Server) list(ctx context.Context, counts bool) ([]session.Mailbox, error) {
	var boxes []session.Mailbox
	err := s.do(ctx, "", func(ctx context.Context, c *session.Conn) error {
		var err error
		boxes, err = c.List(ctx, session.ListOptions{Status: counts})
		return err
	})
	if err != nil {
		return nil, err
	}
	rank := func(b session.Mailbox) int {
		switch b.SpecialUse {
		case session.UseInbox:
			return 0
		case "":
			return 2
		}
		return 1
	}
	slices.SortStableFunc(boxes, func(a, b session.Mailbox) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)))
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.uses)
	for _, b := range boxes {
		s.uses[b.Name] = b.SpecialUse
	}
	return boxes, nil
}

// isOutgoing reports whether a mailbox holds mail of the account itself, as far as that is known.
func (s *Server) isOutgoing(mailbox string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	use, known := s.uses[mailbox]
	if !known {
		return slices.ContainsFunc([]string{"Sent", "Drafts", "Sent Items", "Sent Messages", "INBOX.Sent", "[Gmail]/Sent Mail"},
			func(n string) bool { return strings.EqualFold(n, mailbox) })
	}
	return use == session.UseSent || use == session.UseDrafts
}

// mailboxes resolves the mailboxes argument: none means the configured one, "*" all that can be opened.
func (s *Server) mailboxes(ctx context.Context, names []string) ([]string, error) {
	if len(names) == 0 {
		return []string{s.cfg.Mailbox}, nil
	}
	var out []string
	for _, n := range names {
		if n == "*" {
			return s.allMailboxes(ctx)
		}
		if err := checkName(n); err != nil {
			return nil, session.ErrBadString
		}
		if strings.EqualFold(n, "INBOX") {
			n = "INBOX"
		}
		if !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out, nil
}

// allMailboxes are the mailboxes that can be opened and are not known to be empty. Where the server shows all mail in one
// (Gmail), that one, junk and trash are enough.
func (s *Server) allMailboxes(ctx context.Context) ([]string, error) {
	boxes, err := s.list(ctx, true)
	if err != nil {
		return nil, err
	}
	all := slices.ContainsFunc(boxes, func(b session.Mailbox) bool { return b.SpecialUse == session.UseAll && !b.Guessed })
	var out []string
	for _, b := range boxes {
		switch {
		case b.NoSelect, b.NonExist, b.Status != nil && b.Status.HasMessages && b.Status.Messages == 0:
			continue
		case all && b.SpecialUse != session.UseAll && b.SpecialUse != session.UseJunk && b.SpecialUse != session.UseTrash:
			continue
		}
		out = append(out, b.Name)
	}
	if len(out) > maxMailboxes {
		return nil, refuse(sanitize.Sprintf("The account has %d mailboxes with messages, and one call reads at most %d. hint: name the mailboxes that matter, from list_mailboxes.", len(out), maxMailboxes))
	}
	if len(out) == 0 {
		out = []string{s.cfg.Mailbox}
	}
	return out, nil
}
