package readmail

import (
	"strings"
	"testing"
	"time"

	"mailgap/readmail/imaptest"
)

// A page of fifty ordinary messages costs less than 8,000 octets of text, and no address is cut before its domain.
func TestPageOfFiftyIsSmall(t *testing.T) {
	const limit = 8000 - 50*3 // the UIDs here have two digits, those of a large mailbox five
	people := []string{"Robin Sample <robin.sample@example.org>", "Accounts Receivable <accounts@example.com>",
		"newsletter@updates.shop.example", "\"Moreau, Camille\" <camille@research.example.net>", "=?UTF-8?Q?J=C3=BCrgen_Gro=C3=9F?= <j.gross@example.com>"}
	subjects := []string{"Re: Agenda for Thursday", "Your invoice 2026-0417 is ready", "Weekend offers: up to 30% off garden furniture and tools",
		"Fwd: Minutes of the project meeting on 3 March", "Question about the delivery of order 4711-220"}
	var msgs []imaptest.Message
	for i := range 50 {
		m := simple(subjects[i%5], epoch().Add(time.Duration(-i)*3*time.Hour))
		m.Raw = []byte(strings.Replace(string(m.Raw), "From: Accounts Team <accounts@example.com>", "From: "+people[i%5], 1))
		msgs = append(msgs, m)
	}
	o := imaptest.Options{Mailboxes: []imaptest.Mailbox{{Name: "INBOX", Messages: msgs}}, Rewrite: imaptest.ReplaceLine("* OK [UIDVALIDITY", "* OK [UIDVALIDITY 1764547199] valid")}
	s := newServer(t, imaptest.New(t, o))
	out := outcome(t, s, "list_messages", `{"limit":50}`)
	if out.IsError || len(out.Text) >= limit {
		t.Fatalf("a page of fifty has %d octets, want under %d:\n%s", len(out.Text), limit, out.Text)
	}
	for i, want := range []string{"<robin.sample@example.org>", "<accounts@example.com>", "newsletter@updates.shop.example", "<camille@research.example.net>", "<j.gross@example.com>"} {
		if got := strings.Count(out.Text, want); got != 10 {
			t.Errorf("address %d: found %d times, want 10", i, got)
		}
	}
	t.Logf("%d octets", len(out.Text))
}
