package readmail

import (
	"strings"

	"mailgap/readmail/session"
)

// truth is a logical value that may be open: what only the server can know.
type truth int

const (
	no truth = iota
	open
	yes
)

func truthOf(b bool) truth { return pick(b, yes, no) }

// match decides about a message that the server returned for q: yes, no, or open where the answer depends on text that was
// not fetched. Where ascii is set the server left out conditions on text outside ASCII.
func (q *query) match(m *summaryFacts, ascii bool) truth {
	result := q.All.match(m, ascii)
	if len(q.AnyOf) > 0 {
		any := no
		for i := range q.AnyOf {
			any = max(any, q.AnyOf[i].match(m, ascii))
		}
		result = min(result, any)
	}
	if q.Not != nil {
		result = min(result, yes-q.Not.match(m, ascii))
	}
	return result
}

func (f *filter) match(m *summaryFacts, ascii bool) truth {
	result := yes
	and := func(t truth) { result = min(result, t) }
	if !f.since.IsZero() {
		and(truthOf(!m.received.Before(f.since)))
	}
	if !f.before.IsZero() {
		and(truthOf(m.received.Before(f.before)))
	}
	if f.HasAttachment != nil {
		and(pick(m.structureKnown, truthOf(*f.HasAttachment == (m.attachments > 0)), open))
	}
	if f.Unread != nil {
		and(truthOf(*f.Unread == m.unread))
	}
	if f.Flagged != nil {
		and(truthOf(*f.Flagged == m.flagged))
	}
	if f.Larger != nil {
		and(truthOf(m.size > *f.Larger))
	}
	if f.Smaller != nil {
		and(truthOf(m.size < *f.Smaller))
	}
	for _, c := range f.textConditions() {
		and(m.contains(c, ascii))
	}
	return result
}

// textCondition is one condition on text: field is a header field name, "TEXT" or "BODY".
type textCondition struct{ field, value string }

func (f *filter) textConditions() []textCondition {
	var out []textCondition
	for _, c := range []textCondition{
		{"From", f.From}, {"To", f.To}, {"Cc", f.Cc}, {"Subject", f.Subject}, {"TEXT", f.Text}, {"BODY", f.Body},
		{"Message-ID", strings.Trim(f.MessageID, "<> ")},
	} {
		if c.value != "" {
			out = append(out, c)
		}
	}
	if f.Header != nil {
		out = append(out, textCondition{f.Header.Name, f.Header.Value})
	}
	return out
}

// contains decides one condition on text. What the server was asked about stays open unless the field is at hand, because
// servers match encoded text in ways of their own; a field at hand is compared without regard to case.
func (m *summaryFacts) contains(c textCondition, ascii bool) truth {
	value, fetched := m.field(c.field)
	present := fetched && len(m.header.All(c.field)) > 0
	switch {
	case present && strings.Contains(strings.ToLower(value), strings.ToLower(c.value)):
		return yes
	case fetched && (m.strict || ascii && !isASCII(c.value)):
		return no
	}
	return open
}

// searchFields are the header fields that match looks at beyond those of a page.
func (q *query) searchFields() []string {
	var out []string
	for _, f := range q.filters() {
		for _, c := range f.textConditions() {
			if c.field != "TEXT" && c.field != "BODY" {
				out = append(out, c.field)
			}
		}
	}
	return out
}

// scanItems are what a scan of headers fetches: enough for match.
func (q *query) scanItems(structure bool) session.Items {
	it := pageItems(q.searchFields()...)
	it.BodyStructure = structure
	return it
}
