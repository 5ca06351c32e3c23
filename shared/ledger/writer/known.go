package writer

import (
	"bytes"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"mailgap/shared/addr"
	"mailgap/shared/fingerprint"
	"mailgap/shared/ledger"
	"mailgap/shared/ledger/internal/book"
)

const maxRefOctets = 8192 // Limit: twice what a reference may have

// known is what a week holds of a message.
type known struct {
	facts     ledger.Facts
	entries   int
	at        int64 // of the newest entry
	octets    int
	partly    bool
	prints    map[uint64]bool
	sightings map[fingerprint.Digest]bool
}

func newKnown() *known {
	return &known{prints: map[uint64]bool{}, sightings: map[fingerprint.Digest]bool{}}
}

// take adds an entry.
func (k *known) take(f ledger.Facts, b book.Body) {
	k.facts = f
	k.entries++
	k.octets, k.partly = b.Octets, k.partly || b.Partly
	for _, p := range b.Prints {
		k.prints[p.Hash] = true
	}
	for _, s := range b.Sightings {
		k.sightings[s.Digest] = true
	}
}

// add returns what r brings that is not known, and whether that is anything.
func (k *known) add(e *book.Epoch, r ledger.Record) (book.Body, ledger.Facts, bool) {
	facts := r.Facts
	if k.entries > 0 {
		facts = merge(k.facts, r.Facts)
	}
	before := k.partly
	b := book.Body{Octets: k.octets}
	for _, t := range addressTexts(r.Facts) {
		k.sight(&b, e, t)
	}
	for _, c := range correspondents(facts) {
		k.identify(&b, e, c.id, c.place)
	}
	places := ledger.Places()
	texts := slices.Clone(r.Texts)
	slices.SortStableFunc(texts, func(x, y ledger.Text) int { return slices.Index(places, x.Place) - slices.Index(places, y.Place) })
	for _, t := range texts {
		if !slices.Contains(places, t.Place) {
			t.Place = ledger.PlaceHeader
		}
		k.sight(&b, e, t)
		k.print(&b, e, t.Text)
	}
	b.Partly = k.partly
	changed := len(b.Prints) > 0 || len(b.Sightings) > 0 || before != k.partly || !same(facts, k.facts)
	return b, facts, changed
}

// same compares facts as they are written.
func same(x, y ledger.Facts) bool {
	a, err1 := book.EncodeFacts(x)
	b, err2 := book.EncodeFacts(y)
	return err1 == nil && err2 == nil && bytes.Equal(a, b)
}

// sight takes the identifiers of t that are new; the first place of each stays.
func (k *known) sight(b *book.Body, e *book.Epoch, t ledger.Text) {
	ids, partly := fingerprint.Identifiers(t.Text)
	k.partly = k.partly || partly
	for _, id := range ids {
		k.identify(b, e, id, t.Place)
	}
}

// identify takes one identifier if it is new.
func (k *known) identify(b *book.Body, e *book.Epoch, id fingerprint.Identifier, place ledger.Place) {
	d := id.Digest(e.ID)
	switch {
	case k.sightings[d]:
	case len(k.sightings) >= ledger.MaxSightings:
		k.partly = true
	default:
		k.sightings[d] = true
		b.Sightings = append(b.Sightings, book.Sighting{Digest: d, Place: place})
	}
}

// print takes the fingerprints of text that are new. Positions go on from one text to the next.
func (k *known) print(b *book.Body, e *book.Epoch, text string) {
	idx := fingerprint.NewIndex(text, e.Text)
	k.partly = k.partly || idx.Partly
	added := 0
	for _, p := range idx.Prints {
		switch {
		case k.prints[p.Hash]:
		case len(k.prints) >= ledger.MaxPrints:
			k.partly = true
		default:
			k.prints[p.Hash] = true
			b.Prints = append(b.Prints, fingerprint.Print{Hash: p.Hash, Pos: uint32(b.Octets) + p.Pos})
			added++
		}
	}
	if added > 0 {
		b.Octets += (idx.Octets*added + len(idx.Prints) - 1) / len(idx.Prints)
	}
}

// merge joins what was known of a message with what is read now: the fuller facts win, and the label and place of now.
func merge(old, now ledger.Facts) ledger.Facts {
	out := now
	if old.Complete && !now.Complete {
		out = old
	}
	out.Confidential, out.Own = now.Confidential, now.Own
	if out.Received.IsZero() {
		out.Received = old.Received
	}
	if out.Mailbox == "" {
		out.Mailbox = old.Mailbox
	}
	return out
}

// correspondent is somebody with whom the user exchanges mail.
type correspondent struct {
	id    fingerprint.Identifier
	place ledger.Place
}

// correspondents are the author, if the mail server confirmed him and nothing in the header contradicts it, and the recipients of
// what the user wrote. The sender asks for these kinds to know whom the user knows, whoever else names the address first.
func correspondents(f ledger.Facts) []correspondent {
	var out []correspondent
	add := func(kind fingerprint.Kind, place ledger.Place, list []ledger.Address) {
		for _, a := range list {
			parsed, err := addr.ParseSpec(a.AddrSpec())
			if err == nil && a.Raw == "" && a.Group == "" && a.NameAddr == "" {
				out = append(out, correspondent{fingerprint.Identifier{Kind: kind, Value: parsed.Key()}, place})
			}
		}
	}
	if f.Own {
		add(fingerprint.KindWritten, ledger.PlaceTo, f.To)
		add(fingerprint.KindWritten, ledger.PlaceCc, f.Cc)
		return out
	}
	if f.Author == ledger.AuthorVerified && f.FromFields <= 1 && len(f.From) == 1 && len(f.Problems) == 0 {
		add(fingerprint.KindAuthor, ledger.PlaceFrom, f.From)
	}
	return out
}

// addressTexts are the addresses of the header, each as a text of its place.
func addressTexts(f ledger.Facts) []ledger.Text {
	var out []ledger.Text
	for _, l := range []struct {
		place ledger.Place
		list  []ledger.Address
	}{{ledger.PlaceFrom, f.From}, {ledger.PlaceReplyTo, f.ReplyTo}, {ledger.PlaceTo, f.To}, {ledger.PlaceCc, f.Cc}} {
		for _, a := range l.list {
			if spec := a.AddrSpec(); spec != "" {
				out = append(out, ledger.Text{Place: l.place, Text: spec})
			}
			if a.Name != "" || a.Raw != "" {
				out = append(out, ledger.Text{Place: l.place, Text: a.Name + "\n" + a.Raw})
			}
		}
	}
	if f.ListPost != "" {
		out = append(out, ledger.Text{Place: ledger.PlaceHeader, Text: f.ListPost})
	}
	return out
}

// bound cuts what is longer than the limits, and says so.
func bound(f ledger.Facts) ledger.Facts {
	for _, s := range []*string{&f.Account, &f.Mailbox, &f.MessageID, &f.FromRaw, &f.ReplyToRaw, &f.ListPost, &f.ListID, &f.Subject, &f.AuthorDomain, &f.AuthorMethod, &f.AuthorReason} {
		f.Cut = boundString(s) || f.Cut
	}
	for _, l := range []*[]ledger.Address{&f.From, &f.To, &f.Cc, &f.ReplyTo} {
		if len(*l) > ledger.MaxParticipants {
			*l, f.Cut = (*l)[:ledger.MaxParticipants], true
		}
		*l = slices.Clone(*l)
		for i := range *l {
			a := &(*l)[i]
			for _, s := range []*string{&a.Name, &a.Local, &a.Domain, &a.Raw, &a.Group, &a.NameAddr} {
				f.Cut = boundString(s) || f.Cut
			}
		}
	}
	for _, l := range []*[]string{&f.InReplyTo, &f.References, &f.Problems} {
		if n := len(*l); n > ledger.MaxReferences {
			*l, f.Cut = (*l)[n-ledger.MaxReferences:], true
		}
		*l = slices.Clone(*l)
		for i := range *l {
			f.Cut = boundString(&(*l)[i]) || f.Cut
		}
	}
	f.Date, f.Received = boundTime(f.Date), boundTime(f.Received)
	return f
}

// boundTime drops what JSON cannot hold.
func boundTime(t time.Time) time.Time {
	t = t.UTC().Round(0)
	if y := t.Year(); y < 1 || y > 9999 {
		return time.Time{}
	}
	return t
}

// boundString makes s valid UTF-8 of at most MaxFieldOctets.
func boundString(s *string) bool {
	*s = strings.ToValidUTF8(*s, "\uFFFD")
	if len(*s) > ledger.MaxFieldOctets {
		n := ledger.MaxFieldOctets
		for n > 0 && !utf8.RuneStart((*s)[n]) {
			n--
		}
		*s = (*s)[:n]
		return true
	}
	return false
}
