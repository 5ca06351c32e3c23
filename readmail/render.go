package readmail

import (
	"errors"

	"mailgap/sanitize"
	"mailgap/shared/mcpserve"
)

// lines gathers the lines of a text.
type lines []sanitize.Clean

func (l *lines) add(c sanitize.Clean) { *l = append(*l, c) }

// text joins the lines.
func (l lines) text() sanitize.Clean { return sanitize.Join(l, "\n") }

// errorText is what explain says about err, for a place inside a result.
func errorText(err error) sanitize.Clean {
	var te *mcpserve.ToolError
	if errors.As(explain(err), &te) {
		if c, ok := te.Text.(sanitize.Clean); ok {
			return c
		}
	}
	return sanitize.Literal("internal error; details are in the log")
}

// listText writes a list for reading: what it covers, the messages in a fence, and how to go on.
func (s *Server) listText(r listResult) (sanitize.Clean, error) {
	var head, body lines
	for _, c := range r.Coverage {
		head.add(coverageText(c))
	}
	head.add(sanitize.Sprintf("%d shown, newest first, times in %s, * unread.", len(r.Messages), r.Zone))
	for _, m := range r.Messages {
		body.add(summaryLine(m))
		if !m.Snippet.IsZero() {
			body.add(sanitize.Sprintf("    %s", m.Snippet))
		}
	}
	if len(body) > 0 {
		fenced, err := s.fence(body.text())
		if err != nil {
			return sanitize.Clean{}, err
		}
		head.add(fenced)
	}
	if !r.NextCursor.IsZero() {
		head.add(sanitize.Sprintf("More: repeat the call with cursor=%s", r.NextCursor))
	}
	return head.text(), nil
}

// summaryLine writes one entry on one line. What we say about it comes before the first word of its sender, so that no
// subject or name can pass for it.
func summaryLine(m messageSummary) sanitize.Clean {
	line := []sanitize.Clean{m.Ref, stampOf(m.Received, m.Received.Location())}
	var marks []sanitize.Clean
	mark := func(when bool, c sanitize.Clean) {
		if when {
			marks = append(marks, c)
		}
	}
	mark(m.Flagged, sanitize.Literal("flagged"))
	mark(m.Attachments > 0, sanitize.Sprintf("%d att.", m.Attachments))
	for _, p := range m.Problems {
		mark(p != problemRepaired, sanitize.Sprintf("%s", string(p)))
	}
	if m.Unread {
		line = append(line, sanitize.Literal("*"))
	}
	if len(marks) > 0 {
		line = append(line, sanitize.Sprintf("(%s)", sanitize.Join(marks, ", ")))
	}
	return sanitize.Join(append(line, m.who, sanitize.Ellipsis(m.Subject, maxListSubjectChars)), " ")
}

// coverageText says in a sentence what of a mailbox was looked at.
func coverageText(c coverage) sanitize.Clean {
	name := sanitize.Sprintf("Mailbox %s", c.Mailbox)
	if !c.Account.IsZero() {
		name = sanitize.Sprintf("Account %s, mailbox %s", c.Account, c.Mailbox)
	}
	if !c.Error.IsZero() {
		return sanitize.Sprintf("%s was not read: %s", name, c.Error)
	}
	parts := []sanitize.Clean{sanitize.Sprintf("%s: %d messages", name, c.Messages)}
	if c.Matched != nil && *c.Matched != int(c.Messages) {
		parts = append(parts, sanitize.Sprintf("%d match", *c.Matched))
	}
	if !c.SearchedBackTo.IsZero() {
		parts = append(parts, sanitize.Sprintf("searched back to %s only", stampOf(c.SearchedBackTo, c.SearchedBackTo.Location())))
	}
	if c.Order == orderArrival {
		parts = append(parts, sanitize.Literal("in order of arrival, not of dates"))
	}
	for _, n := range c.Notes {
		parts = append(parts, coverNoteText(n))
	}
	return sanitize.Sprintf("%s.", sanitize.Join(parts, "; "))
}

func coverNoteText(n coverNote) sanitize.Clean {
	switch n {
	case noteSearchBroken:
		return sanitize.Literal("the server's search misses messages, so only the newest headers were compared here")
	case noteCharset:
		return sanitize.Literal("the server cannot search for text outside ASCII, so headers were compared here and bodies were not")
	case noteScanLimit:
		return sanitize.Sprintf("stopped after %d candidates; go on with the cursor", maxScanned)
	case noteCountsDiffer:
		return sanitize.Literal("the server's own counts disagree")
	case noteIgnoredUIDs:
		return sanitize.Literal("the server named messages that cannot exist; they were left out")
	case noteCapped:
		return sanitize.Literal("more messages match than are counted")
	case noteTimeLimit:
		return sanitize.Literal("stopped for lack of time; go on with the cursor")
	case noteLeftOut:
		return sanitize.Literal("the server counts or names messages that it did not hand out, so some are missing here")
	case noteZeroConfirmed:
		return sanitize.Literal("nothing found, and the server's counts and newest headers agree")
	}
	return sanitize.Clean{}
}
