package provenance

import (
	"context"
	"slices"
	"strings"
	"time"

	"mailgap/confirm"
	"mailgap/shared/addr"
	"mailgap/shared/fingerprint"
	"mailgap/shared/ledger"
	"mailgap/shared/ledger/reader"
	"mailgap/shared/provider"
)

// answer says what there is to say about the choice of an answer's target.
func (a *assessment) answer() {
	t := a.out.Target
	if t == nil {
		return
	}
	switch t.Finding {
	case CodeUnconfirmed:
		a.find(CodeUnconfirmed, confirm.Say("The mail server did not confirm who wrote the message that is answered. The answer goes to the author that its header names:"), t.Author.Unicode())
	case CodeReplyTo:
		a.find(CodeReplyTo, confirm.Say("The answer goes to the address that the message asks for (Reply-To), not to its author. Address asked for, then author:"), t.Asked.Unicode(), t.Author.Unicode())
		if !aligned(t.Asked.Domain, t.Author.Domain) {
			a.find(CodeReplyTo, confirm.Say("These two belong to different domains."))
		}
	case CodeList:
		a.find(CodeList, confirm.Say("The answer goes to everybody on a mailing list. Address of the list, then author of the message:"), t.Asked.Unicode(), t.Author.Unicode())
	}
	if t.LeftOut > 0 {
		a.note(confirm.Say("Some participants of the message are left out, because they are groups or not written as plain addresses."))
	}
}

// recipients names the origin of each recipient.
func (a *assessment) recipients(ctx context.Context) {
	var ids []fingerprint.Identifier
	from := make([]int, len(a.out.Recipients)+1)
	for i, r := range a.out.Recipients {
		ids = append(ids, known(r.Address)...)
		ids = append(ids, fingerprint.AddressForms(r.Address)...)
		from[i+1] = len(ids)
	}
	seen, err := a.book.Sightings(ctx, ids)
	if a.fault(err) || len(seen) != len(ids) {
		seen = make([]*reader.Sighting, len(ids))
	}
	for i := range a.out.Recipients {
		a.recipient(i, ids[from[i]:from[i+1]], seen[from[i]:from[i+1]])
	}
}

// known are the questions whether the user wrote to an address before, or had confirmed mail from it.
func known(to addr.Address) []fingerprint.Identifier {
	return []fingerprint.Identifier{{Kind: fingerprint.KindWritten, Value: to.Key()}, {Kind: fingerprint.KindAuthor, Value: to.Key()}}
}

// recipient judges one recipient. ids begins with the two of known.
func (a *assessment) recipient(i int, ids []fingerprint.Identifier, seen []*reader.Sighting) {
	r, n := a.out.Recipients[i], &a.Report.Recipients[i]
	participant := a.out.Parent != nil && a.participates(r.Address)
	switch {
	case isOneOf(r.Address, a.o.Own):
		n.Origin = confirm.OriginOperator
	case r.Listed:
		n.Origin = confirm.OriginListed
	case participant && (Confirmed(a.out.Parent.Facts) || a.out.Parent.Own):
		n.Origin = confirm.OriginParent
	case !r.Written.IsZero():
		n.Origin = confirm.OriginKnown
		a.note(confirm.Say("A message to this recipient was approved before. Address, and day of the first one:"), r.Address.Unicode(), day(r.Written))
	case seen[0] != nil || seen[1] != nil:
		n.Origin = confirm.OriginKnown
		a.knownSince(r.Address, seen[0], seen[1])
	case participant:
		n.Origin = confirm.OriginParentUnconfirmed
		n.Level = a.unconfirmedParticipant(r.Address)
	default:
		a.firstContact(i, ids[2:], seen[2:])
	}
	if n.Origin != confirm.OriginListed && n.Origin != confirm.OriginOperator && n.Origin != confirm.OriginParent {
		a.lookAlike(i, ids[2:], seen[2:])
	}
}

// participates reports that the address is on the message that is answered.
func (a *assessment) participates(to addr.Address) bool {
	if t := a.out.Target; t != nil && t.Finding != CodeReplyTo && t.Finding != CodeList && isOneOf(to, slices.Concat(t.To, t.Cc)) {
		return true
	}
	return isReader(a.out.Parent.Facts, to)
}

// knownSince says since when an address is known.
func (a *assessment) knownSince(to addr.Address, written, author *reader.Sighting) {
	if written != nil {
		a.note(confirm.Say("You wrote to this recipient before. Address, and day of the first such message that was read:"), to.Unicode(), day(when(written.Message)))
		return
	}
	a.note(confirm.Say("This recipient wrote to you before, which the mail server confirmed. Address, and day of the first such message that was read:"), to.Unicode(), day(when(author.Message)))
}

// unconfirmedParticipant raises once for all of them; the finding about the author says it already where there is one.
func (a *assessment) unconfirmedParticipant(to addr.Address) confirm.Level {
	if contains(a.Raised, CodeUnconfirmed) {
		return a.levels().of(CodeUnconfirmed)
	}
	return a.find(CodeUnconfirmed, confirm.Say("This recipient is on the message that is answered, but the mail server did not confirm who wrote that message:"), to.Unicode())
}

// firstContact raises the level for a recipient that nothing speaks for, and says where the address was seen.
func (a *assessment) firstContact(i int, ids []fingerprint.Identifier, seen []*reader.Sighting) {
	n, to := &a.Report.Recipients[i], a.out.Recipients[i].Address
	a.strange[i] = true
	if s := exactly(ids, seen); s != nil {
		n.Origin = confirm.OriginMail
		n.Level = a.find(CodeFirstContact, confirm.Say("First message to this recipient. The address was read in a mail:"), append([]string{to.Unicode()}, a.place(s)...)...)
		return
	}
	if s := turned(ids, seen); s != nil {
		n.Origin = confirm.OriginMail
		n.Level = a.find(CodeFirstContact, confirm.Say("First message to this recipient. The address was read in a mail, written backwards or with turned letters:"), append([]string{to.Unicode()}, a.place(s)...)...)
		return
	}
	if s := domainSeen(ids, seen, to); s != nil && !a.ordinary(to.Domain) {
		n.Level = a.find(CodeFirstContact, confirm.Say("First message to this recipient. The address was not read in any mail, but its domain was:"), append([]string{to.Unicode()}, a.place(s)...)...)
		return
	}
	n.Level = a.find(CodeFirstContact, confirm.Say("First message to this recipient. The address was not read in any mail; the AI assistant wrote it:"), to.Unicode())
}

// exactly is the first sighting of the address itself.
func exactly(ids []fingerprint.Identifier, seen []*reader.Sighting) *reader.Sighting {
	return sighting(ids, seen, func(id fingerprint.Identifier) bool { return id.View == "" && id.Kind == fingerprint.KindAddress })
}

// turned is the first sighting of the address in another way of reading it.
func turned(ids []fingerprint.Identifier, seen []*reader.Sighting) *reader.Sighting {
	return sighting(ids, seen, func(id fingerprint.Identifier) bool { return id.View != "" && id.Kind == fingerprint.KindAddress })
}

func domainSeen(ids []fingerprint.Identifier, seen []*reader.Sighting, to addr.Address) *reader.Sighting {
	return sighting(ids, seen, func(id fingerprint.Identifier) bool {
		return id.Kind == fingerprint.KindDomain && id.View == "" && id.Value == to.Domain
	})
}

func sighting(ids []fingerprint.Identifier, seen []*reader.Sighting, want func(fingerprint.Identifier) bool) *reader.Sighting {
	var first *reader.Sighting
	for k, id := range ids {
		if s := seen[k]; s != nil && want(id) && (first == nil || s.At.Before(first.At)) {
			first = s
		}
	}
	return first
}

// ordinary reports a domain that says nothing: the user's own, or that of a large provider.
func (a *assessment) ordinary(domain string) bool {
	return a.public(domain) || slices.ContainsFunc(a.o.Own, func(o addr.Address) bool { return aligned(o.Domain, domain) })
}

// public reports a domain at which anybody can have an address.
func (a *assessment) public(domain string) bool { return provider.Of(domain) != provider.Other }

// lookAlike raises the level if an address that is taken for this one was read, and this one was not before it.
func (a *assessment) lookAlike(i int, ids []fingerprint.Identifier, seen []*reader.Sighting) {
	shape := sighting(ids, seen, func(id fingerprint.Identifier) bool { return id.Kind == fingerprint.KindShape && id.View == "" })
	exact := exactly(ids, seen)
	if shape == nil || exact != nil && !exact.At.After(shape.At) {
		return
	}
	to := a.out.Recipients[i].Address
	level := a.find(CodeLookAlike, confirm.Say("An address that is easily taken for this recipient was read in a mail. Recipient, and where the other one was read:"), append([]string{to.Unicode()}, a.place(shape)...)...)
	a.Report.Recipients[i].Level = max(a.Report.Recipients[i].Level, level)
}

// place says where something was read: part and age, the message's subject, its author and what is known of him.
func (a *assessment) place(s *reader.Sighting) []string {
	return []string{
		"first read in the " + string(s.Place) + ", on " + at(s.At),
		"message: " + a.title(s.Message),
		"author: " + authorWords(s.Message.Facts),
	}
}

// title names a message for the person.
func (a *assessment) title(m ledger.Message) string {
	title := quoted(m.Subject, 200)
	if m.Mailbox != "" {
		title += " in mailbox " + quoted(m.Mailbox, 100)
	}
	if !m.Date.IsZero() {
		title += " of " + day(m.Date)
	}
	return title
}

// authorWords says who wrote a message, and whether that is known.
func authorWords(m ledger.Facts) string {
	author, err := Author(m)
	switch {
	case m.Own:
		return "you"
	case err != nil:
		return "cannot be told"
	case Confirmed(m):
		return author.Unicode() + ", confirmed by the mail server"
	case m.Author == ledger.AuthorFailed:
		return author.Unicode() + ", which the mail server says is FALSE"
	}
	return author.Unicode() + ", not confirmed"
}

// quoted cuts s to n octets at a character. What would act in it is made visible by package confirm.
func quoted(s string, n int) string {
	s = strings.ToValidUTF8(strings.Join(strings.Fields(s), " "), "\ufffd")
	if s == "" {
		return "(none)"
	}
	if len(s) > n {
		s = strings.ToValidUTF8(s[:n], "") + "…"
	}
	return "\"" + s + "\""
}

func when(m ledger.Message) time.Time {
	if !m.Date.IsZero() {
		return m.Date
	}
	return m.FirstRead
}

func day(t time.Time) string { return t.UTC().Format("2 January 2006") }

// at is an instant, exact and the same whenever the question is asked again.
func at(t time.Time) string { return t.UTC().Format("2 January 2006 15:04 UTC") }
