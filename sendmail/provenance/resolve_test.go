package provenance_test

import (
	"errors"
	"strings"
	"testing"

	"mailgap/sendmail/provenance"
	"mailgap/shared/addr"
	"mailgap/shared/ledger"
)

func specs(list []addr.Address) string {
	var out []string
	for _, a := range list {
		out = append(out, a.AddrSpec())
	}
	return strings.Join(out, " ")
}

func TestResolve(t *testing.T) {
	change := func(f func(*ledger.Facts)) ledger.Facts {
		m := letter(1, "kim@example.com", "me@example.net", "lee@example.org")
		m.Cc = people("pat@example.org", "ME@Example.net", "kim@example.com")
		m.ReplyTo, m.ReplyFields = people("desk@example.com"), 1
		m.ListPost = "<mailto:list@lists.example.com>"
		f(&m)
		return m
	}
	none := func(*ledger.Facts) {}
	tests := []struct {
		name    string
		facts   ledger.Facts
		choice  provenance.Choice
		to, cc  string
		finding provenance.Code
		err     error
	}{
		{"author", change(none), "", "kim@example.com", "", "", nil},
		{"author, asked for", change(none), provenance.ChoiceAuthor, "kim@example.com", "", "", nil},
		{"all", change(none), provenance.ChoiceAll, "kim@example.com", "lee@example.org pat@example.org", "", nil},
		{"requested", change(none), provenance.ChoiceRequested, "desk@example.com", "", provenance.CodeReplyTo, nil},
		{"requested, the author himself", change(func(m *ledger.Facts) { m.ReplyTo = people("KIM@example.com") }), provenance.ChoiceRequested, "KIM@example.com", "", "", nil},
		{"list", change(none), provenance.ChoiceList, "list@lists.example.com", "", provenance.CodeList, nil},
		{"not confirmed", change(func(m *ledger.Facts) { m.Author = ledger.AuthorUnknown }), "", "kim@example.com", "", provenance.CodeUnconfirmed, nil},
		{"denied", change(func(m *ledger.Facts) { m.Author = ledger.AuthorFailed }), "", "kim@example.com", "", provenance.CodeUnconfirmed, nil},
		{"only listed", change(func(m *ledger.Facts) { m.Author, m.Complete = "", false }), "", "kim@example.com", "", provenance.CodeUnconfirmed, nil},
		{"only listed, all", change(func(m *ledger.Facts) { m.Complete = false }), provenance.ChoiceAll, "", "", "", provenance.ErrNotComplete},
		{"another domain confirmed", change(func(m *ledger.Facts) { m.AuthorDomain = "evil.example" }), "", "kim@example.com", "", provenance.CodeUnconfirmed, nil},
		{"subdomain confirmed", change(func(m *ledger.Facts) { m.AuthorDomain = "mail.example.com" }), "", "kim@example.com", "", "", nil},
		{"same suffix is no owner", change(func(m *ledger.Facts) { m.From, m.AuthorDomain = people("kim@one.co.uk"), "two.co.uk" }), "", "kim@one.co.uk", "", provenance.CodeUnconfirmed, nil},
		{"name shows another address", change(func(m *ledger.Facts) { m.From[0].NameAddr = "boss@example.org" }), "", "kim@example.com", "", provenance.CodeUnconfirmed, nil},
		{"header is not in order", change(func(m *ledger.Facts) { m.Problems = []string{"control_bytes"} }), "", "kim@example.com", "", provenance.CodeUnconfirmed, nil},
		{"two From fields", change(func(m *ledger.Facts) { m.FromFields = 2 }), "", "", "", "", provenance.ErrManyAuthors},
		{"two addresses in From", change(func(m *ledger.Facts) { m.From = people("kim@example.com", "x@evil.example") }), "", "", "", "", provenance.ErrManyAuthors},
		{"no From", change(func(m *ledger.Facts) { m.From = nil }), "", "", "", "", provenance.ErrManyAuthors},
		{"group", change(func(m *ledger.Facts) { m.From[0].Group = "friends" }), "", "", "", "", provenance.ErrAuthorForm},
		{"route or quotation", change(func(m *ledger.Facts) { m.From[0].Raw = "<@a.example:kim@example.com>" }), "", "", "", "", provenance.ErrAuthorForm},
		{"route in the field", change(func(m *ledger.Facts) { m.FromRaw = "<@a.example:kim@example.com>" }), "", "", "", "", provenance.ErrAuthorForm},
		{"brackets within brackets", change(func(m *ledger.Facts) { m.FromRaw = "Kim <<kim@example.com>eve@evil.example>" }), "", "", "", "", provenance.ErrAuthorForm},
		{"text after the brackets", change(func(m *ledger.Facts) { m.FromRaw = "<kim@example.com> eve" }), "", "", "", "", provenance.ErrAuthorForm},
		{"quotation that does not end", change(func(m *ledger.Facts) { m.FromRaw = "\"Kim <kim@example.com>" }), "", "", "", "", provenance.ErrAuthorForm},
		{"signs in quotation marks and comments", change(func(m *ledger.Facts) { m.FromRaw = "\"Kim: <the; boss>, \\\"kim\\\"\" <kim@example.com> (a@b)" }), "", "kim@example.com", "", "", nil},
		{"route in a request", change(func(m *ledger.Facts) { m.ReplyToRaw = "<@a.example:desk@example.com>" }), provenance.ChoiceRequested, "", "", "", provenance.ErrRequestForm},
		{"quoted local part", change(func(m *ledger.Facts) { m.From[0].Local = `"kim@evil.example"` }), "", "", "", "", provenance.ErrAuthorForm},
		{"mixed script", change(func(m *ledger.Facts) { m.From = people("kim@exаmple.com") }), "", "", "", "", provenance.ErrAuthorForm},
		{"percent", change(func(m *ledger.Facts) { m.From = people("kim%evil.example@example.com") }), "", "", "", "", provenance.ErrAuthorForm},
		{"NUL", change(func(m *ledger.Facts) { m.From = people("kim\x00@example.com") }), "", "", "", "", provenance.ErrAuthorForm},
		{"a participant in a group is left out", change(func(m *ledger.Facts) { m.To[1].Group = "team" }), provenance.ChoiceAll, "kim@example.com", "pat@example.org", "", nil},
		{"no request", change(func(m *ledger.Facts) { m.ReplyTo, m.ReplyFields = nil, 0 }), provenance.ChoiceRequested, "", "", "", provenance.ErrNoRequest},
		{"several requests", change(func(m *ledger.Facts) { m.ReplyTo = people("a@example.com", "b@example.com") }), provenance.ChoiceRequested, "", "", "", provenance.ErrRequestForm},
		{"two Reply-To fields", change(func(m *ledger.Facts) { m.ReplyFields = 2 }), provenance.ChoiceRequested, "", "", "", provenance.ErrRequestForm},
		{"request with another address as its name", change(func(m *ledger.Facts) { m.ReplyTo[0].NameAddr = "kim@example.com" }), provenance.ChoiceRequested, "", "", "", provenance.ErrRequestForm},
		{"request of an author who is not confirmed", change(func(m *ledger.Facts) { m.Author = ledger.AuthorUnknown }), provenance.ChoiceRequested, "", "", "", provenance.ErrNotConfirmed},
		{"no list", change(func(m *ledger.Facts) { m.ListPost = "" }), provenance.ChoiceList, "", "", "", provenance.ErrNoList},
		{"list that takes no answers", change(func(m *ledger.Facts) { m.ListPost = "NO (posting not allowed)" }), provenance.ChoiceList, "", "", "", provenance.ErrNoList},
		{"list of somebody else", change(func(m *ledger.Facts) { m.ListPost = "<mailto:list@evil.example>" }), provenance.ChoiceList, "", "", "", provenance.ErrListForeign},
		{"list with a second recipient", change(func(m *ledger.Facts) { m.ListPost = "<mailto:list@example.com?bcc=x@evil.example>" }), provenance.ChoiceList, "", "", "", provenance.ErrListForm},
		{"list, not confirmed", change(func(m *ledger.Facts) { m.Author = ledger.AuthorUnknown }), provenance.ChoiceList, "", "", "", provenance.ErrNotConfirmed},
		{"own message", change(func(m *ledger.Facts) { m.Own, m.From = true, people("me@example.net") }), "", "lee@example.org", "", "", nil},
		{"own message, all", change(func(m *ledger.Facts) { m.Own, m.From = true, people("me@example.net") }), provenance.ChoiceAll, "lee@example.org", "pat@example.org kim@example.com", "", nil},
		{"own message to myself", change(func(m *ledger.Facts) { m.Own, m.To = true, people("me@example.net") }), "", "", "", "", provenance.ErrNobody},
		{"my address, forged", change(func(m *ledger.Facts) { m.From, m.Author = people("me@example.net"), ledger.AuthorFailed }), "", "me@example.net", "", provenance.CodeUnconfirmed, nil},
		{"unknown choice", change(none), "everybody", "", "", "", provenance.ErrUnknownChoice},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := provenance.Resolve(tt.facts, tt.choice, spec("me@example.net"))
			if !errors.Is(err, tt.err) {
				t.Fatalf("Resolve: %v, want %v", err, tt.err)
			}
			if err != nil {
				why, hint := provenance.WhyNot(err)
				if got.To != nil || why.IsZero() || hint.IsZero() || strings.Contains(why.String()+hint.String(), "@") {
					t.Errorf("target %v with an error; %q, %q", got.To, why, hint)
				}
				return
			}
			if specs(got.To) != tt.to || specs(got.Cc) != tt.cc || got.Finding != tt.finding {
				t.Errorf("to %q, cc %q, %q; want %q, %q, %q", specs(got.To), specs(got.Cc), got.Finding, tt.to, tt.cc, tt.finding)
			}
		})
	}
}
