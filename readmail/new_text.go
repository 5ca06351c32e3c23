package readmail

import "mailgap/sanitize"

// newAnswer writes the result.
func (s *Server) newAnswer(news newsOf) newResult {
	r := newResult{Messages: []messageSummary{}, Mailboxes: []newCoverage{}, More: news.more}
	c := newCursor{V: cursorVersion, Kind: newCursorKind, Account: s.accountMark()}
	for i := range news.boxes {
		n := &news.boxes[i]
		for _, f := range n.page.messages {
			r.Messages = append(r.Messages, s.summary(&n.page, f, sanitize.Clean{}))
		}
		for _, f := range n.changes {
			ref := MessageRef{Account: s.cfg.Account, Mailbox: n.page.mailbox, UIDValidity: n.page.state.UIDValidity, UID: uint32(f.uid)}
			r.FlagChanges = append(r.FlagChanges, flagChange{ref.Clean(), f.unread, f.flagged, f.answered})
		}
		cov := newCoverage{Mailbox: sanitize.Line(n.page.mailbox, maxNameChars), Messages: n.page.state.Messages, Since: n.since, Flags: n.flags,
			FlagsLeftOut: n.flagsLeftOut, LeftOut: n.leftOut, NotMatching: n.notMatching}
		if n.err != nil {
			cov.Error = errorText(n.err)
		}
		r.Mailboxes = append(r.Mailboxes, cov)
		if n.next.UIDNext != 0 {
			c.Boxes = append(c.Boxes, n.next)
		}
	}
	if len(c.Boxes) > 0 {
		r.Cursor = encodeCursor(c)
	}
	return r
}

// newNotes says what of a mailbox is not shown.
func newNotes(head *lines, b newCoverage) {
	if b.LeftOut > 0 {
		head.add(sanitize.Sprintf("The server named %d new messages that it did not hand out.", b.LeftOut))
	}
	if b.NotMatching > 0 {
		head.add(sanitize.Sprintf("%d new messages do not match and are not shown; the cursor is past them.", b.NotMatching))
	}
	if b.FlagsLeftOut > 0 {
		head.add(sanitize.Sprintf("Flags of %d more messages changed; list the mailbox to see them.", b.FlagsLeftOut))
	}
}

// newText writes what is new for reading.
func (s *Server) newText(r newResult) (sanitize.Clean, error) {
	var head, body lines
	for _, b := range r.Mailboxes {
		switch {
		case !b.Error.IsZero():
			head.add(sanitize.Sprintf("Mailbox %s was not read: %s", b.Mailbox, b.Error))
		case b.Since == sinceNow:
			head.add(sanitize.Sprintf("Mailbox %s: %d messages; watching from now on. Pass the cursor to learn what is new.", b.Mailbox, b.Messages))
		case b.Since == sinceReset:
			head.add(sanitize.Sprintf("Mailbox %s was rebuilt on the server: earlier references are void; watching from now on. List it again.", b.Mailbox))
		default:
			head.add(sanitize.Sprintf("Mailbox %s: %d messages, compared with the cursor.", b.Mailbox, b.Messages))
		}
		newNotes(&head, b)
	}
	head.add(sanitize.Sprintf("%d new, oldest first, times in %s, * unread.", len(r.Messages), s.zoneName()))
	if r.TimedOut {
		head.add(sanitize.Literal("Nothing matched before the time was up."))
	}
	for _, m := range r.Messages {
		body.add(summaryLine(m))
	}
	for _, f := range r.FlagChanges {
		body.add(sanitize.Sprintf("flags changed: %s unread=%v flagged=%v answered=%v", f.Ref, f.Unread, f.Flagged, f.Answered))
	}
	if len(body) > 0 {
		fenced, err := s.fence(body.text())
		if err != nil {
			return sanitize.Clean{}, err
		}
		head.add(fenced)
	}
	if r.More {
		head.add(sanitize.Literal("There is more: call again with the cursor."))
	}
	if !r.Cursor.IsZero() {
		head.add(sanitize.Sprintf("cursor=%s", r.Cursor))
	}
	return head.text(), nil
}
