package provenance

import (
	"errors"
	"slices"
	"strings"

	"golang.org/x/net/publicsuffix"

	"mailgap/sanitize"
	"mailgap/shared/addr"
	"mailgap/shared/ledger"
)

// Choice says who an answer is to go to.
type Choice string

// The choices. The zero value is ChoiceAuthor.
const (
	ChoiceAuthor    Choice = "author"    // who wrote the message
	ChoiceAll       Choice = "all"       // the author, and in Cc who else was on it
	ChoiceRequested Choice = "requested" // where the author asks answers to go (Reply-To)
	ChoiceList      Choice = "list"      // the mailing list that it came through (List-Post)
)

// Reasons for which there is no target. None of them names an address.
var (
	ErrManyAuthors   = errors.New("provenance: message names several authors, or none")
	ErrAuthorForm    = errors.New("provenance: author is not written as a plain address")
	ErrNotComplete   = errors.New("provenance: only a list entry of the message was read")
	ErrNoRequest     = errors.New("provenance: message asks for no other address")
	ErrRequestForm   = errors.New("provenance: message asks for several addresses, or for one that is not plain")
	ErrNotConfirmed  = errors.New("provenance: author is not confirmed")
	ErrNoList        = errors.New("provenance: message did not come through a mailing list that takes answers")
	ErrListForm      = errors.New("provenance: address of the list is not plain")
	ErrListForeign   = errors.New("provenance: list is not confirmed by the domain that sent the message")
	ErrNobody        = errors.New("provenance: nobody is left to answer")
	ErrUnknownChoice = errors.New("provenance: unknown choice")
)

// Target is who an answer goes to.
type Target struct {
	To, Cc    []addr.Address
	Author    addr.Address // the zero value for the user's own message
	Confirmed bool         // the author is
	LeftOut   int          // participants that are no plain address, or a group
	Finding   Code         // what is to be raised about the choice; "" is nothing
	Asked     addr.Address // for CodeReplyTo and CodeList: where the answer goes instead of to the author
}

// Resolve says who an answer to m goes to: never to an address that the header does not give as exactly one plain author, unless the
// caller made the choice. own are the user's addresses, which are left out of the others. It is pure. Errors: the reasons
// above.
func Resolve(m ledger.Facts, choice Choice, own ...addr.Address) (Target, error) {
	t := Target{Confirmed: Confirmed(m)}
	author, err := Author(m)
	if err != nil {
		return t, err
	}
	t.Author = author
	mine := append(slices.Clone(own), addr.Address{})
	if m.Own || isOneOf(author, own) && t.Confirmed {
		return ownMessage(m, choice, own)
	}
	switch choice {
	case ChoiceAuthor, "":
		t.To = []addr.Address{author}
	case ChoiceAll:
		if !m.Complete {
			return t, ErrNotComplete
		}
		t.To = []addr.Address{author}
		t.others(append(mine, author), m.To, m.Cc)
	case ChoiceRequested:
		return t, t.requested(m)
	case ChoiceList:
		return t, t.list(m)
	default:
		return t, ErrUnknownChoice
	}
	if !t.Confirmed {
		t.Finding = CodeUnconfirmed
	}
	return t, nil
}

// Author is the one plain author of m. What cannot be read in exactly one way is no author: several From fields, several addresses
// in one, a group, quotation marks, comments, routes.
func Author(m ledger.Facts) (addr.Address, error) {
	if m.FromFields > 1 || len(m.From) != 1 {
		return addr.Address{}, ErrManyAuthors
	}
	a, ok := plain(m.From[0])
	if !ok || !plainField(m.FromRaw) {
		return addr.Address{}, ErrAuthorForm
	}
	return a, nil
}

// plainField reports that a field as it came names one address, in brackets or not, and nothing that parsers read in different ways: a
// route, a group, brackets within brackets, text after the brackets. An empty one was not recorded.
func plainField(raw string) bool {
	bare, ok := unquoted(raw)
	before, rest, bracket := strings.Cut(strings.TrimSpace(bare), "<")
	if !ok || strings.ContainsAny(bare, ":;\x00\r") || strings.Count(bare, "@") > 1 {
		return false
	}
	if !bracket {
		return !strings.Contains(before, ">") && !strings.Contains(before, ",")
	}
	inner, after, closed := strings.Cut(rest, ">")
	return closed && strings.TrimSpace(after) == "" && !strings.ContainsAny(inner, "<, \t")
}

// unquoted leaves quoted strings and comments out of a field (RFC 5322 §3.2.2 and §3.2.4); false if one does not end.
func unquoted(s string) (string, bool) {
	var b strings.Builder
	quoted, depth := false, 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\' && (quoted || depth > 0):
			i++
		case c == '"' && depth == 0:
			quoted = !quoted
		case c == '(' && !quoted:
			depth++
		case c == ')' && !quoted && depth > 0:
			depth--
		case !quoted && depth == 0:
			b.WriteByte(c)
		}
	}
	return b.String(), !quoted && depth == 0
}

// Confirmed reports that the account's own server confirmed the domain of the one author, and nothing in the header
// contradicts it.
func Confirmed(m ledger.Facts) bool {
	a, err := Author(m)
	if err != nil || m.Author != ledger.AuthorVerified || len(m.Problems) > 0 || m.From[0].NameAddr != "" {
		return false
	}
	return m.AuthorDomain == "" || aligned(a.Domain, m.AuthorDomain)
}

// plain reads a recorded address strictly. One that stood in a group, or was written in a form that is not plain, is none.
func plain(a ledger.Address) (addr.Address, bool) {
	if a.Raw != "" || a.Group != "" {
		return addr.Address{}, false
	}
	parsed, err := addr.ParseSpec(a.AddrSpec())
	return parsed, err == nil
}

// ownMessage resolves an answer to a message that the user wrote: it goes to whom that went.
func ownMessage(m ledger.Facts, choice Choice, own []addr.Address) (Target, error) {
	t := Target{Confirmed: true}
	if choice != ChoiceAuthor && choice != ChoiceAll && choice != "" {
		return t, ErrNoRequest
	}
	t.others(own, m.To)
	t.To, t.Cc = t.Cc, nil
	if choice == ChoiceAll {
		t.others(append(slices.Clone(own), t.To...), m.Cc)
	}
	if len(t.To) == 0 {
		return t, ErrNobody
	}
	return t, nil
}

// others adds the participants to Cc, each once, without those in except.
func (t *Target) others(except []addr.Address, lists ...[]ledger.Address) {
	for _, a := range slices.Concat(lists...) {
		parsed, ok := plain(a)
		switch {
		case !ok:
			t.LeftOut++
		case !isOneOf(parsed, except) && !isOneOf(parsed, t.Cc):
			t.Cc = append(t.Cc, parsed)
		}
	}
}

// requested sets where the author asks answers to go.
func (t *Target) requested(m ledger.Facts) error {
	switch {
	case !m.Complete:
		return ErrNotComplete
	case len(m.ReplyTo) == 0:
		return ErrNoRequest
	case m.ReplyFields > 1 || len(m.ReplyTo) != 1 || m.ReplyTo[0].NameAddr != "":
		return ErrRequestForm
	case !t.Confirmed:
		return ErrNotConfirmed
	}
	asked, ok := plain(m.ReplyTo[0])
	if !ok || !plainField(m.ReplyToRaw) {
		return ErrRequestForm
	}
	t.To = []addr.Address{asked}
	if asked.Key() != t.Author.Key() {
		t.Asked, t.Finding = asked, CodeReplyTo
	}
	return nil
}

// list sets the address of the mailing list (RFC 2369 §3.4). The list has to belong to the domain that is confirmed to have sent
// the message: the field itself is signed by nobody.
func (t *Target) list(m ledger.Facts) error {
	if !m.Complete {
		return ErrNotComplete
	}
	post := strings.TrimSpace(m.ListPost)
	inner, isURL := strings.CutPrefix(post, "<")
	inner, closed := strings.CutSuffix(inner, ">")
	spec, isMail := cutPrefixFold(inner, "mailto:")
	if post == "" || !isURL || !closed || !isMail {
		return ErrNoList
	}
	asked, err := addr.ParseSpec(spec)
	if err != nil {
		return ErrListForm
	}
	if !t.Confirmed {
		return ErrNotConfirmed
	}
	if !aligned(asked.Domain, t.Author.Domain) {
		return ErrListForeign
	}
	t.To, t.Asked, t.Finding = []addr.Address{asked}, asked, CodeList
	return nil
}

// OnMessage reports that every one of the addresses is on m or in t.
func OnMessage(m ledger.Facts, t Target, list []string) bool {
	return !slices.ContainsFunc(list, func(spec string) bool {
		a, err := addr.ParseSpec(spec)
		return err != nil || !isReader(m, a) && !isOneOf(a, slices.Concat(t.To, t.Cc))
	})
}

func cutPrefixFold(s, prefix string) (string, bool) {
	if len(s) < len(prefix) || !strings.EqualFold(s[:len(prefix)], prefix) {
		return s, false
	}
	return s[len(prefix):], true
}

func isOneOf(a addr.Address, list []addr.Address) bool {
	return slices.ContainsFunc(list, func(o addr.Address) bool { return o.Key() == a.Key() })
}

// aligned reports that two domains have one owner, as far as the public suffix list tells.
func aligned(a, b string) bool {
	a, b = organisation(a), organisation(b)
	return a != "" && a == b
}

// organisation is the registrable domain of d, in A-label form; d itself where there is none.
func organisation(d string) string {
	ascii, err := addr.ParseDomain(strings.ToLower(d))
	if err != nil {
		return ""
	}
	if org, err := publicsuffix.EffectiveTLDPlusOne(ascii); err == nil {
		return org
	}
	return ascii
}

// WhyNot says in our words why there is no target, without naming an address. hint is what to do instead.
func WhyNot(err error) (why, hint sanitize.Clean) {
	explicit := sanitize.Literal("name the recipients in to yourself; the person sees that they are not taken from the message")
	read := sanitize.Literal("read the message with get_message first")
	switch {
	case errors.Is(err, ErrManyAuthors):
		return sanitize.Literal("The message names several authors, or none, so there is nobody whom an answer goes to."), explicit
	case errors.Is(err, ErrAuthorForm):
		return sanitize.Literal("The author of the message is not written as a plain address."), explicit
	case errors.Is(err, ErrNotComplete):
		return sanitize.Literal("Only a list entry of the message was read, which does not tell who else is on it."), read
	case errors.Is(err, ErrNoRequest):
		return sanitize.Literal("The message does not ask for answers to another address."), sanitize.Literal("leave reply_to out")
	case errors.Is(err, ErrRequestForm):
		return sanitize.Literal("The message asks for answers to several addresses, or to one that is not plain."), sanitize.Literal("leave reply_to out, or name the recipients in to yourself")
	case errors.Is(err, ErrNotConfirmed):
		return sanitize.Literal("The author of the message is not confirmed, so nothing that it asks for is followed."), sanitize.Literal("leave reply_to out, or name the recipients in to yourself")
	case errors.Is(err, ErrNoList):
		return sanitize.Literal("The message did not come through a mailing list that takes answers."), sanitize.Literal("leave reply_to out")
	case errors.Is(err, ErrListForm), errors.Is(err, ErrListForeign):
		return sanitize.Literal("The address of the mailing list is not confirmed by the domain that sent the message."), explicit
	case errors.Is(err, ErrNobody):
		return sanitize.Literal("Nobody but the user was on the message."), explicit
	}
	return sanitize.Literal("The choice of reply_to is unknown."), sanitize.Literal("write author, all, requested or list")
}
