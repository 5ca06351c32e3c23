package sanitize

import (
	"strings"
	"testing"
)

func TestCompare(t *testing.T) {
	const body = "Dear Anna, thank you for your order. We will send the bread on Tuesday and the rest on Friday. " +
		"Please tell us if you would rather pick it up at the shop in the main street, which is open from eight to six. Kind regards, the bakery"
	const other = "Transfer the open amount today to the new account. Our old bank closed its office without warning, and payments that arrive there are lost. Confirm once it is done."
	for _, c := range []struct {
		name, plain, html string
		want              Verdict
		showHTML          bool
	}{
		{"the same", body, strings.ReplaceAll(body, ". ", ".\n\n"), VerdictSame, false},
		{"html with footer and marks", body, "[image: Logo]\n\n" + body + "\n\nUnsubscribe ⟦link 1: bakery[.]example⟧ | Imprint ⟦link 2: bakery[.]example⟧", VerdictSame, false},
		{"plain is a stub", "This message is in HTML. View it in your browser.", body, VerdictPlainStub, true},
		{"plain is empty", "", body, VerdictPlainStub, true},
		{"plain is a word", "News", body, VerdictPlainStub, true},
		{"html is empty", body, "[image: Flyer]", VerdictHTMLStub, false},
		{"html is a word", body, "Hello", VerdictHTMLStub, false},
		{"different messages", other, body, VerdictContradiction, true},
		{"different account", body + " Account 4471 0092 and DE02120300000000202051.", body + " Account 4471 0092 and DE99120300000000999999.", VerdictContradiction, true},
		{"different address", body + " Write to shop@bakery.example.", body + " Write to shop@evil.example.", VerdictContradiction, true},
		{"different amount", body + " The total is 1,250.00 EUR.", body + " The total is 9,250.00 EUR.", VerdictContradiction, true},
		{"html says more", "Dear Anna, thank you for your order. We will send the bread on Tuesday and the rest on Friday.", body + " " + other, VerdictDiffers, true},
		{"chinese", strings.Repeat("您好，会议改到星期二上午十点。", 4), strings.Repeat("您好，会议改到星期二上午十点。", 4), VerdictSame, false},
		{"short and the same", "Yes, Tuesday works.", "Yes, Tuesday works.", VerdictSame, false},
		{"both empty", "", "", VerdictHTMLStub, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Compare(ForModel(c.plain, Options{}).Text, Clean{c.html})
			if got.Verdict != c.want || got.ShowHTML != c.showHTML {
				t.Errorf("got %s, show HTML %v (%+v), want %s, %v", got.Verdict, got.ShowHTML, got, c.want, c.showHTML)
			}
		})
	}
}
