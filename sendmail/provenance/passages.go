package provenance

import (
	"context"
	"strconv"
	"strings"

	"mailgap/confirm"
	"mailgap/shared/fingerprint"
	"mailgap/shared/ledger"
)

// The thresholds, in octets of normalised text. Measured on 1,013 unrelated texts: four reached 60, none 80.
const (
	shownOctets        = 60  // a line in the question
	raisedOctets       = 80  // the level is raised
	confidentialOctets = 40  // of a confidential mailbox, where no run is too common to count
	bulkOctets         = 400 // a large piece
	bulkLeast          = 200 // of a source of which half or more is copied
	spreadingLeast     = 200 // of a message that has itself sent on
)

// passage is what one recorded message has in common with the message that leaves.
type passage struct {
	message ledger.Message
	octets  int
	sample  fingerprint.Passage
	part    string // of the message that leaves
}

// passages looks for text of other messages and says what it discloses to whom.
func (a *assessment) passages(ctx context.Context) {
	found := a.collect(ctx)
	shown := 0
	for _, p := range found {
		outside := a.outsiders(p.message.Facts)
		if len(outside) == 0 {
			continue
		}
		if shown++; shown > maxShown {
			a.find(CodeDisclosure, confirm.Say("Text of further messages leaves to people who were not on them. Number of these messages:"), itoa(len(found)-maxShown))
			return
		}
		a.disclosed(p, outside)
	}
}

// collect asks for each part of the message and joins the answers by source, the largest first.
func (a *assessment) collect(ctx context.Context) []passage {
	var order []string
	byID := map[string]*passage{}
	add := func(part string, list []passage, sum bool) {
		for _, p := range list {
			p.part = part
			old := byID[p.message.Ref]
			switch {
			case old == nil:
				order = append(order, p.message.Ref)
				byID[p.message.Ref] = &p
			case sum: // attachments come on top of what the text has
				old.octets += p.octets
			case p.octets > old.octets:
				*old = p
			}
		}
	}
	add("text", a.sources(ctx, a.out.Subject+"\n\n"+withoutSignature(a.out.Text, a.o.Signature)), false)
	if a.out.HTML != "" && !sameText(a.out.HTML, a.out.Text) {
		add("HTML part", a.sources(ctx, a.out.HTML), false)
	}
	if files := a.files(); files != "" {
		add("attachments", a.sources(ctx, files), true)
	}
	var out []passage
	for _, id := range order {
		if p := byID[id]; p.octets >= shownOctets || p.message.Confidential && p.octets >= confidentialOctets {
			out = append(out, *p)
		}
	}
	return out
}

// sources says what each recorded message covers of a text. What the parent covers counts for those who were not on it only.
func (a *assessment) sources(ctx context.Context, text string) []passage {
	s := a.ask(ctx, text)
	if s.query == nil {
		return nil
	}
	parent := ""
	if p := a.out.Parent; p != nil && (len(a.outsiders(p.Facts)) == 0 || a.out.Forward) {
		parent = p.Ref
	}
	var out []passage
	for _, f := range s.query.Sources(s.list, parent, confidentialOctets) {
		p := passage{message: s.byID[f.Source.ID], octets: f.Octets}
		p.sample, _ = f.Passage(maxPassageOctets)
		out = append(out, p)
	}
	if p := a.out.Parent; a.out.Forward && p != nil && parent != "" {
		out = append(out, a.forwarded(s)...)
	}
	return out
}

// forwarded is what the message that is passed on covers; its text is not taken from the others it is quoted in.
func (a *assessment) forwarded(s sources) []passage {
	for _, f := range s.query.Sources(s.list, "", confidentialOctets) {
		if f.Source.ID == a.out.Parent.Ref {
			p := passage{message: s.byID[f.Source.ID], octets: f.Octets}
			p.sample, _ = f.Passage(maxPassageOctets)
			return []passage{p}
		}
	}
	return nil
}

// ask asks the ledger about a text, once.
func (a *assessment) ask(ctx context.Context, text string) sources {
	if s, done := a.asked[text]; done {
		return s
	}
	s := sources{query: fingerprint.NewQuery(text), byID: map[string]ledger.Message{}}
	matches, err := a.book.Matches(ctx, s.query, maxMatches)
	if a.fault(err) {
		return sources{}
	}
	for _, m := range matches {
		src := fingerprint.Source{ID: m.Message.Ref, When: when(m.Message).Unix(), Own: m.Message.Own, Strict: m.Message.Confidential}
		for _, h := range m.Hits {
			src.Matches = append(src.Matches, fingerprint.Match{Hit: h.Hit, Domains: h.Domains})
		}
		s.list, s.byID[src.ID] = append(s.list, src), m.Message
	}
	if s.query.Partly {
		a.note(confirm.Say("A part of the message is longer, or encoded more deeply, than is compared with the mail that was read."))
	}
	a.asked[text] = s
	return s
}

// disclosed says what leaves to whom, at the level that it deserves.
func (a *assessment) disclosed(p passage, outside []int) {
	values := a.disclosure(p, outside)
	m := p.message
	parent := a.out.Parent != nil && a.out.Parent.Ref == m.Ref
	switch {
	case m.Confidential && a.abroad(outside):
		a.find(CodeConfidentialOut, confirm.Say("Text of a confidential mailbox would leave the organisation:"), values...)
	case m.Confidential:
		a.find(CodeConfidential, confirm.Say("Text of a confidential mailbox goes to people who were not on that message:"), values...)
	case a.spreads(p, parent, outside):
		a.find(CodeSpreading, confirm.Say("The message is a copy of a mail that was read, for new recipients, with the shape of instructions to an AI assistant: it may spread itself."), values...)
	case !parent && bulk(p):
		a.find(CodeBulk, confirm.Say("A large piece of a message goes to people who were not on it:"), values...)
	case p.octets >= raisedOctets:
		a.find(CodeDisclosure, confirm.Say("Text of a message goes to people who were not on it:"), values...)
	default:
		a.note(confirm.Say("A little text of a message goes to people who were not on it:"), values...)
	}
}

// disclosure writes what leaves: how much, from where, to whom, and its beginning.
func (a *assessment) disclosure(p passage, outside []int) []string {
	first := itoa(p.octets) + " characters of the " + p.part + " come from " + a.title(p.message) + ", author " + authorWords(p.message.Facts)
	if p.sample.View != "" {
		first += " (written in another way: " + p.sample.View + ")"
	}
	out := append([]string{first}, a.names(outside)...)
	out[1] = "not on that message: " + out[1]
	return append(out, "it begins: "+quoted(p.sample.Text, maxPassageOctets))
}

// bulk reports a large piece, or half of a text that is not short.
func bulk(p passage) bool {
	total := p.message.Octets
	return p.octets >= bulkOctets || total >= bulkLeast && p.octets >= bulkLeast && 2*p.octets >= total
}

// spreads reports a copy of most of one mail with instructions, for people who have nothing to do with it. Passing a mail on as such, to
// people that the operator listed, is no spreading.
func (a *assessment) spreads(p passage, parent bool, outside []int) bool {
	if p.octets < spreadingLeast || 5*p.octets < 3*p.message.Octets || p.message.Own {
		return false
	}
	fresh := 0
	for _, i := range outside {
		if !a.out.Recipients[i].Listed {
			fresh++
		}
	}
	return fresh > 0 && a.out.Signals && (!parent || !Confirmed(p.message.Facts))
}

// sameText reports that one text is the other one in another layout.
func sameText(x, y string) bool {
	x, y = fingerprint.Normalise(x), fingerprint.Normalise(y)
	return x == y || strings.Contains(y, x)
}

// withoutSignature takes the configured signature away.
func withoutSignature(text, signature string) string {
	signature = strings.TrimSpace(signature)
	if signature == "" {
		return text
	}
	return strings.Replace(text, signature, "", 1)
}

func itoa(n int) string { return strconv.Itoa(n) }
