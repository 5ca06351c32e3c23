package provenance

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"mailgap/confirm"
	"mailgap/shared/fingerprint"
	"mailgap/shared/ledger/reader"
)

const (
	maxLinks       = 200 // looked at
	dataLeast      = 20  // octets of a piece of a link that may carry data
	tokenLeast     = 8   // octets of a token that is worth a line
	digitsOfChoice = 3   // digits in a word that no person reads
)

// links says which links were read in mail, and which can carry data. A link that all recipients have seen already is no news, nor
// is one in a quote that they are entitled to.
func (a *assessment) links(ctx context.Context) {
	var ids []fingerprint.Identifier
	var list []string
	for _, l := range a.out.Links[:min(len(a.out.Links), maxLinks)] {
		found, _ := fingerprint.Identifiers(l)
		if k := slices.IndexFunc(found, func(i fingerprint.Identifier) bool { return i.Kind == fingerprint.KindURL }); k >= 0 {
			ids, list = append(ids, found[k]), append(list, l)
		}
	}
	if len(ids) == 0 {
		return
	}
	seen, err := a.book.Sightings(ctx, ids)
	if a.fault(err) || len(seen) != len(ids) {
		seen = make([]*reader.Sighting, len(ids))
	}
	shown := 0
	for i, l := range list {
		if shown < maxShown && a.link(l, seen[i]) {
			shown++
		}
	}
}

// link judges one link, and reports whether there was something to say.
func (a *assessment) link(l string, s *reader.Sighting) bool {
	if s != nil {
		if s.Message.Own || len(a.outsiders(s.Message.Facts)) == 0 {
			return false
		}
		if Confirmed(s.Message.Facts) {
			a.note(confirm.Say("A link was read in a mail:"), append([]string{l}, a.place(s)...)...)
		} else {
			a.find(CodeLinkFromMail, confirm.Say("A link was read in a mail whose author is not confirmed, and goes to people who were not on it:"), append([]string{l}, a.place(s)...)...)
		}
		return true
	}
	if piece := carries(l); piece != "" {
		a.find(CodeLinkData, confirm.Say("A link that was not read in any mail can carry data to the site that it leads to. Link, and the part that may be data:"), cut(l, 300), cut(piece, 100))
		return true
	}
	return false
}

// carries returns the first piece of a link's path, query or host that no person would have written by hand; "" if there is none.
func carries(link string) string {
	u, err := url.Parse(link)
	if err != nil {
		return link
	}
	pieces := strings.FieldsFunc(u.EscapedPath(), func(r rune) bool { return r == '/' || r == '.' })
	for _, values := range strings.FieldsFunc(u.RawQuery, func(r rune) bool { return r == '&' || r == ';' }) {
		_, value, _ := strings.Cut(values, "=")
		pieces = append(pieces, value)
	}
	pieces = append(pieces, strings.Split(u.Hostname(), ".")...)
	pieces = append(pieces, u.Fragment)
	if u.User != nil {
		pieces = append(pieces, u.User.String())
	}
	for _, p := range pieces {
		if isData(p) {
			return p
		}
	}
	return ""
}

// isData reports a piece that is long and not made of words: digits among letters, capitals within, or much that is escaped.
func isData(p string) bool {
	if len(p) < dataLeast {
		return false
	}
	if 9*strings.Count(p, "%") >= len(p) {
		return true
	}
	for word := range strings.FieldsFuncSeq(p, func(r rune) bool { return r == '-' || r == '_' || r == '+' || r == ',' }) {
		digits, capitals := 0, 0
		for i := range len(word) {
			switch c := word[i]; {
			case c >= '0' && c <= '9':
				digits++
			case c >= 'A' && c <= 'Z' && i > 0:
				capitals++
			}
		}
		if len(word) >= dataLeast || len(word) >= tokenLeast && (digits >= digitsOfChoice && digits < len(word) || capitals >= digitsOfChoice) {
			return true
		}
	}
	// Many short pieces of words are a sentence in the place of a name.
	return len(p) >= 4*dataLeast
}

// tokens names numbers and codes that were read in mail which the recipients were not on.
func (a *assessment) tokens(ctx context.Context) {
	found, _ := fingerprint.IdentifiersToAsk(a.out.Subject + "\n" + withoutSignature(a.out.Text, a.o.Signature) + "\n" + a.out.HTML + "\n" + a.files())
	ids := slices.DeleteFunc(found, func(i fingerprint.Identifier) bool { return !worthALine(i) })
	if len(ids) == 0 {
		return
	}
	seen, err := a.book.Sightings(ctx, ids)
	if a.fault(err) || len(seen) != len(ids) {
		return
	}
	shown := 0
	for i, s := range seen {
		if s == nil || s.Message.Own || a.out.Parent != nil && s.Message.Ref == a.out.Parent.Ref && a.out.Forward {
			continue
		}
		outside := a.outsiders(s.Message.Facts)
		if len(outside) == 0 || shown == maxShown {
			continue
		}
		shown++
		a.token(ids[i], s, outside)
	}
}

func worthALine(i fingerprint.Identifier) bool {
	switch i.Kind {
	case fingerprint.KindIBAN, fingerprint.KindPhone:
		return true
	case fingerprint.KindToken:
		return len(i.Value) >= tokenLeast
	}
	return false
}

// token says where one number was read.
func (a *assessment) token(id fingerprint.Identifier, s *reader.Sighting, outside []int) {
	values := append([]string{cut(id.Value, 100)}, a.place(s)...)
	switch {
	case s.Message.Confidential && a.abroad(outside):
		a.find(CodeConfidentialOut, confirm.Say("A number or code of a confidential mailbox would leave the organisation:"), values...)
	case s.Message.Confidential:
		a.find(CodeConfidential, confirm.Say("A number or code of a confidential mailbox goes to people who were not on that message:"), values...)
	default:
		a.note(confirm.Say("A number or code was read in a mail that not all recipients were on:"), values...)
	}
}

// cut shortens s to n octets at a character.
func cut(s string, n int) string {
	if len(s) <= n {
		return strings.ToValidUTF8(s, "\ufffd")
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}
