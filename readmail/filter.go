package readmail

import (
	"strings"
	"time"

	"mailgap/readmail/session"
	"mailgap/sanitize"
)

// filter is one set of conditions, all of which must hold. Its zero value matches every message.
type filter struct {
	From          string        `json:"from,omitempty"`
	To            string        `json:"to,omitempty"`
	Cc            string        `json:"cc,omitempty"`
	Subject       string        `json:"subject,omitempty"`
	Text          string        `json:"text,omitempty"`
	Body          string        `json:"body,omitempty"`
	Header        *headerFilter `json:"header,omitempty"`
	MessageID     string        `json:"message_id,omitempty"`
	Since         string        `json:"since,omitempty"`
	Before        string        `json:"before,omitempty"`
	Unread        *bool         `json:"unread,omitempty"`
	Flagged       *bool         `json:"flagged,omitempty"`
	HasAttachment *bool         `json:"has_attachment,omitempty"`
	Larger        *int64        `json:"larger,omitempty"`
	Smaller       *int64        `json:"smaller,omitempty"`

	since, before time.Time
}

// headerFilter matches a text in any header field; an empty value matches every message that has the field.
type headerFilter struct {
	Name  string `json:"name"`
	Value string `json:"value,omitempty"`
}

// query is what list_messages and wait_for_message look for: every condition of All, at least one of AnyOf if there are
// any, and not those of Not.
type query struct {
	All      filter   `json:"all"`
	AnyOf    []filter `json:"any_of,omitempty"`
	Not      *filter  `json:"not,omitempty"`
	GmailRaw string   `json:"gmail_raw,omitempty"`
}

// prepare reads the dates of q in zone.
func (q *query) prepare(zone *time.Location) error {
	for _, f := range q.filters() {
		var err error
		if f.since, err = optionalInstant(f.Since, zone); err != nil {
			return badDate("since")
		}
		if f.before, err = optionalInstant(f.Before, zone); err != nil {
			return badDate("before")
		}
		if f.Header != nil && !validFieldName(f.Header.Name) {
			return refuse(sanitize.Literal("header.name is not the name of a header field. hint: write a name such as List-Id, without colon."))
		}
	}
	return nil
}

func badDate(arg string) error {
	return refuse(sanitize.Sprintf("%s is not a date. hint: write 2026-11-30, 2026-11-30T09:30 or 2026-11-30T09:30:00+01:00.", arg))
}

func optionalInstant(s string, zone *time.Location) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	return parseInstant(s, zone)
}

// validFieldName reports whether s is field-name of RFC 5322 §3.6.8.
func validFieldName(s string) bool {
	return s != "" && len(s) <= 77 && !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' || r == ':' })
}

func (q *query) filters() []*filter {
	out := []*filter{&q.All}
	for i := range q.AnyOf {
		out = append(out, &q.AnyOf[i])
	}
	if q.Not != nil {
		out = append(out, q.Not)
	}
	return out
}

// isEmpty reports whether q matches every message.
func (q *query) isEmpty() bool {
	return q.All == filter{} && len(q.AnyOf) == 0 && q.Not == nil && q.GmailRaw == ""
}

// readsBodies reports whether the server has to read message bodies to answer q.
func (q *query) readsBodies() bool {
	for _, f := range q.filters() {
		if f.Text != "" || f.Body != "" {
			return true
		}
	}
	return false
}

// readsForeignBodies reports whether q looks for text outside ASCII in bodies.
func (q *query) readsForeignBodies() bool {
	for _, f := range q.filters() {
		if !isASCII(f.Text) || !isASCII(f.Body) {
			return true
		}
	}
	return false
}

// needsCheck reports whether q holds conditions that no server answers exactly: instants and attachments.
func (q *query) needsCheck() bool {
	for _, f := range q.filters() {
		if !f.since.IsZero() || !f.before.IsZero() || f.HasAttachment != nil {
			return true
		}
	}
	return false
}

// criteria is what the server is asked for: a superset of q. Where ascii is set, conditions on text outside ASCII
// are left out, and match decides about them.
func (q *query) criteria(ascii bool) session.Criteria {
	all := []session.Criteria{q.All.criteria(ascii, false)}
	if len(q.AnyOf) > 0 {
		var any []session.Criteria
		for i := range q.AnyOf {
			any = append(any, q.AnyOf[i].criteria(ascii, false))
		}
		all = append(all, session.Or(any...))
	}
	if q.Not != nil && q.Not.exact(ascii) {
		all = append(all, session.Not(q.Not.criteria(ascii, true)))
	}
	if q.GmailRaw != "" {
		all = append(all, session.GmailRaw(q.GmailRaw))
	}
	return session.And(all...)
}

// exact reports whether the server can answer f without widening it, up to the instants, which criteria narrows inside NOT.
func (f *filter) exact(ascii bool) bool {
	return f.HasAttachment == nil && (!ascii || f.isASCII())
}

func (f *filter) isASCII() bool {
	for _, s := range f.texts() {
		if !isASCII(s) {
			return false
		}
	}
	return true
}

func (f *filter) texts() []string {
	t := []string{f.From, f.To, f.Cc, f.Subject, f.Text, f.Body, f.MessageID}
	if f.Header != nil {
		t = append(t, f.Header.Value)
	}
	return t
}

// criteria returns a superset of f, or, inside NOT (narrow), a subset.
func (f *filter) criteria(ascii, narrow bool) session.Criteria {
	var cs []session.Criteria
	text := func(s string, make func(string) session.Criteria) {
		if s != "" && (!ascii || isASCII(s)) {
			cs = append(cs, make(s))
		}
	}
	text(f.From, session.From)
	text(f.To, session.To)
	text(f.Cc, session.Cc)
	text(f.Subject, session.Subject)
	text(f.Text, session.Text)
	text(f.Body, session.Body)
	text(f.MessageID, func(s string) session.Criteria { return session.Header("Message-ID", strings.Trim(s, "<> ")) })
	if h := f.Header; h != nil && (!ascii || isASCII(h.Value)) {
		cs = append(cs, session.Header(h.Name, h.Value))
	}
	return session.And(append(cs, f.facts(narrow)...)...)
}

// facts are the conditions on flags, sizes and dates.
func (f *filter) facts(narrow bool) []session.Criteria {
	var cs []session.Criteria
	if f.Unread != nil {
		cs = append(cs, pick(*f.Unread, session.Unseen(), session.Seen()))
	}
	if f.Flagged != nil {
		cs = append(cs, pick(*f.Flagged, session.Flagged(), session.Unflagged()))
	}
	if f.Larger != nil {
		cs = append(cs, session.Larger(*f.Larger))
	}
	if f.Smaller != nil {
		cs = append(cs, session.Smaller(*f.Smaller))
	}
	if !f.since.IsZero() {
		cs = append(cs, session.Since(pick(narrow, dayAfter(f.since), dayBefore(f.since))))
	}
	if !f.before.IsZero() {
		cs = append(cs, session.Before(pick(narrow, dayBefore(f.before), dayAfter(f.before))))
	}
	return cs
}

func pick[T any](cond bool, yes, no T) T {
	if cond {
		return yes
	}
	return no
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}
