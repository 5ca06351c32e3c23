package readmail

import (
	"slices"
	"strings"
	"time"

	"mailgap/readmail/decode"
	"mailgap/readmail/session"
	"mailgap/sanitize"
)

// Lengths of the one-line values of a list, in characters. Limit: 50 messages stay below 8 kB of text.
const (
	maxListNameChars    = 20
	maxListAddressChars = 48
	maxListSubjectChars = 50
	maxSnippetChars     = 160
	maxNameChars        = 200 // display names, file names and mailbox names elsewhere
	maxSubjectChars     = 500
	maxListHeader       = 32 << 10 // octets of header fields of one message; 50 mailboxes of 100 messages stay below 160 MB
)

// pageItems is what a page fetches of each message: flags, dates, size, structure and the header fields shown.
func pageItems(more ...string) session.Items {
	fields := []string{"From", "To", "Subject", "Date"}
	for _, m := range more {
		if !slices.ContainsFunc(fields, func(f string) bool { return strings.EqualFold(f, m) }) {
			fields = append(fields, m)
		}
	}
	return session.Items{Flags: true, InternalDate: true, Size: true, BodyStructure: true, HeaderFields: fields, MaxHeader: maxListHeader}
}

// problem names what is wrong with a message or its reply, in our own words.
type problem string

const (
	problemUnreadable    problem = "unreadable"     // the server fails on it; only its reference is known
	problemNoStructure   problem = "no_structure"   // structure unknown: parts and attachments cannot be listed from the server's description
	problemIncomplete    problem = "incomplete"     // the server left out something that was asked for
	problemDateInvalid   problem = "date_invalid"   // the Date field is missing or cannot be read; received is the server's
	problemReceivedGuess problem = "received_guess" // the server's INTERNALDATE is impossible; received is the Date field's
	problemNameAddress   problem = "name_shows_other_address"
	problemSeveralFrom   problem = "several_from"
	problemRepaired      problem = "reply_repaired" // the server's reply broke the protocol and was repaired
)

// Words implements mcpserve.Word.
func (problem) Words() []string {
	return []string{string(problemUnreadable), string(problemNoStructure), string(problemIncomplete), string(problemDateInvalid),
		string(problemReceivedGuess), string(problemNameAddress), string(problemSeveralFrom), string(problemRepaired)}
}

// summaryFacts are the raw facts of a message: what its list entry and match are made of. Strings are untrusted.
type summaryFacts struct {
	uid            session.UID
	seq            uint32
	internal       time.Time // INTERNALDATE; zero if it is impossible
	received       time.Time // INTERNALDATE, or the Date field's if that is impossible
	sent           time.Time // Date field; zero if it cannot be read
	from, to       []decode.Address
	subject        string
	header         decode.Header
	unread         bool
	flagged        bool
	answered       bool
	size           int64
	structure      *session.Part
	structureKnown bool
	body           decode.Body
	attachments    int
	problems       []problem
	fetched        []string // names of the header fields that were asked for
	strict         bool     // fields at hand decide, whatever the server said
}

// factsOf reads what was fetched by it.
func factsOf(m *session.Message, it session.Items) *summaryFacts {
	f := &summaryFacts{uid: m.UID, seq: m.Seq, size: m.Size, internal: m.InternalDate, received: m.InternalDate, structure: m.Structure, fetched: it.HeaderFields}
	f.header, _ = decode.ParseHeader(m.Header, decode.Limits{})
	for _, flag := range m.Flags {
		switch strings.ToLower(flag) {
		case `\flagged`:
			f.flagged = true
		case `\answered`:
			f.answered = true
		}
	}
	f.unread = m.HasFlags && !slices.ContainsFunc(m.Flags, func(s string) bool { return strings.EqualFold(s, `\Seen`) })
	f.readHeader()
	f.readStructure(m)
	f.note(m)
	return f
}

func (f *summaryFacts) readHeader() {
	f.from = decode.Addresses(strings.Join(f.header.All("From"), ", "))
	f.to = decode.Addresses(strings.Join(f.header.All("To"), ", "))
	subject, _ := f.header.Get("Subject")
	f.subject = decode.Unstructured(subject)
	if d, ok := f.header.Get("Date"); ok {
		f.sent, _ = decode.Date(d)
	}
}

func (f *summaryFacts) readStructure(m *session.Message) {
	if m.Structure == nil {
		return
	}
	f.structureKnown = !m.Has(session.TroubleNoStructure)
	f.body = decode.Bodies(nodeOf(m.Structure))
	f.attachments = len(f.body.Attachments)
}

func (f *summaryFacts) note(m *session.Message) {
	add := func(when bool, p problem) {
		if when {
			f.problems = append(f.problems, p)
		}
	}
	add(m.Has(session.TroubleUnreadable), problemUnreadable)
	if m.Has(session.TroubleUnreadable) {
		return
	}
	add(m.Has(session.TroubleNoStructure), problemNoStructure)
	add(m.Has(session.TroubleIncomplete), problemIncomplete)
	add(len(m.Repairs) > 0, problemRepaired)
	add(f.sent.IsZero() && len(m.Header) > 0, problemDateInvalid)
	if f.received.IsZero() {
		f.received = f.sent
		f.problems = append(f.problems, problemReceivedGuess)
	}
	add(len(f.from) > 1, problemSeveralFrom)
	add(len(f.from) > 0 && f.from[0].NameAddr != "", problemNameAddress)
}

// field returns a header field that was fetched, decoded; all occurrences, one per line.
func (f *summaryFacts) field(name string) (string, bool) {
	if !slices.ContainsFunc(f.fetched, func(s string) bool { return strings.EqualFold(s, name) }) {
		return "", false
	}
	var out []string
	for _, body := range f.header.All(name) {
		out = append(out, decode.Unstructured(body))
	}
	return strings.Join(out, "\n"), true
}

// fullHeader reports whether all fields that matter for an answer were fetched.
func (f *summaryFacts) fullHeader() bool { return slices.Contains(f.fetched, "Reply-To") }

// newer compares for a list: negative if f comes first, because it was received later, or at the same time with the higher
// UID.
func (f *summaryFacts) newer(g *summaryFacts) int {
	if c := g.received.Compare(f.received); c != 0 {
		return c
	}
	return int(int64(g.uid) - int64(f.uid))
}

// nodeOf turns a server's body structure into the form that decode chooses bodies from.
func nodeOf(p *session.Part) decode.Node {
	params, _ := decode.ParamsFrom(p.Params)
	dparams, _ := decode.ParamsFrom(p.DispositionParams)
	n := decode.Node{
		PartNumber: p.Number, MediaType: p.MediaType, Params: params, Disposition: p.Disposition, DispositionParams: dparams,
		Encoding: p.Encoding, Size: p.Size, ContentID: p.ID, Description: p.Description,
	}
	for _, c := range p.Children {
		n.Children = append(n.Children, nodeOf(c))
	}
	return n
}

// person writes an address as a model may use it: "Name <local@domain>".
func person(a decode.Address, maxChars int) sanitize.Clean {
	spec := a.AddrSpec()
	switch {
	case spec == "" && a.DisplayName == "":
		return sanitize.Line(a.Raw, maxChars)
	case spec == "":
		return sanitize.Line(a.DisplayName, maxChars)
	case a.DisplayName == "" || strings.EqualFold(a.DisplayName, spec):
		return sanitize.Address(spec)
	}
	return sanitize.Sprintf("%s <%s>", sanitize.Line(a.DisplayName, maxChars), sanitize.Address(spec))
}

// shortPerson writes an address for one line of a list, so that it ends with ">" or "|": the name is cut, the address never
// before its domain, because the name is free text and may look like another address.
func shortPerson(a decode.Address) sanitize.Clean {
	spec := sanitize.Address(a.AddrSpec())
	if n := spec.Len(); n > maxListAddressChars {
		spec = sanitize.Sprintf("…%s", sanitize.Slice(spec, n-maxListAddressChars+1, maxListAddressChars))
	}
	switch {
	case spec.IsZero():
		return sanitize.Sprintf("%s |", sanitize.Ellipsis(person(a, maxNameChars), maxListNameChars))
	case a.DisplayName == "" || strings.EqualFold(a.DisplayName, a.AddrSpec()):
		return sanitize.Sprintf("<%s>", spec)
	}
	return sanitize.Sprintf("%s <%s>", sanitize.Line(a.DisplayName, maxListNameChars), spec)
}

// people writes at most max addresses, and how many more there are.
func people(list []decode.Address, max int) []sanitize.Clean {
	var out []sanitize.Clean
	for i, a := range list {
		if i == max {
			return append(out, sanitize.Sprintf("and %d more", len(list)-max))
		}
		out = append(out, person(a, maxNameChars))
	}
	return out
}

// zoneName names the zone of the times shown: by name if one was configured, else by its offset now.
func (s *Server) zoneName() sanitize.Clean {
	if s.cfg.Zone != time.Local {
		return sanitize.Sprintf("%s", s.cfg.Zone.String())
	}
	name, seconds := s.cfg.Now().In(time.Local).Zone()
	return sanitize.Sprintf("%s (UTC%s%02d:%02d)", name, pick(seconds < 0, "-", "+"), max(seconds, -seconds)/3600, max(seconds, -seconds)/60%60)
}

// stampOf writes an instant to the minute in zone.
func stampOf(t time.Time, zone *time.Location) sanitize.Clean {
	if t.IsZero() {
		return sanitize.Literal("date unknown")
	}
	t = t.In(zone)
	return sanitize.Sprintf("%04d-%02d-%02d %02d:%02d", t.Year(), int(t.Month()), t.Day(), t.Hour(), t.Minute())
}
