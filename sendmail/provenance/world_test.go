package provenance_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"mailgap/confirm"
	"mailgap/sendmail/provenance"
	"mailgap/shared/addr"
	"mailgap/shared/ledger"
	"mailgap/shared/ledger/reader"
	"mailgap/shared/ledger/writer"
)

// monday is when the tests take place.
func monday() time.Time { return time.Date(2026, 5, 4, 9, 0, 0, 0, time.UTC) }

const payslip = "The gross salary for the month of May comes to 4,812.40; after tax and insurance 2,977.15 are paid out to the account that ends in 4471. The bonus for the spring quarter is not part of it and follows with the next statement. Please keep this sheet, a second one costs a fee. Questions go to the pay office on the second floor between nine and eleven."

const minutes = "Minutes of the meeting on the roof: the leak above the east stairs comes from a cracked flashing, not from the tiles. Two offers are on the table, one for a repair that lasts five winters and one for a new layer that lasts thirty. The board leans to the second and will ask the owners before the end of the month. Scaffolding has to be shared with the neighbours."

func spec(s string) addr.Address {
	a, err := addr.ParseSpec(s)
	if err != nil {
		panic(err)
	}
	return a
}

// people turns addresses into recorded ones.
func people(specs ...string) []ledger.Address {
	var out []ledger.Address
	for _, s := range specs {
		local, domain, _ := strings.Cut(s, "@")
		out = append(out, ledger.Address{Local: local, Domain: domain})
	}
	return out
}

// letter is a whole message with a confirmed author.
func letter(n int, from string, to ...string) ledger.Facts {
	_, domain, _ := strings.Cut(from, "@")
	return ledger.Facts{
		Ref: fmt.Sprintf("imap://me/INBOX;UIDVALIDITY=1/;UID=%d", n), Mailbox: "INBOX", Complete: true, MessageID: fmt.Sprintf("m%d@%s", n, domain),
		From: people(from), FromFields: 1, To: people(to...), Subject: fmt.Sprintf("Letter %d", n), Date: monday().Add(-48 * time.Hour), Received: monday().Add(-48 * time.Hour),
		Author: ledger.AuthorVerified, AuthorDomain: domain, AuthorMethod: "dmarc",
	}
}

// world is a ledger on disk and a tracker that asks it.
type world struct {
	t       *testing.T
	dir     string
	now     time.Time
	writer  *writer.Writer
	reader  *reader.Reader
	tracker *provenance.Tracker
}

func newWorld(t *testing.T, o provenance.Options) *world {
	t.Helper()
	w := &world{t: t, dir: t.TempDir() + "/ledger", now: monday()}
	clock := func() time.Time { return w.now }
	var err error
	if w.writer, err = writer.Open(w.dir, writer.Options{Clock: clock}); err != nil {
		t.Fatal(err)
	}
	if w.reader, err = reader.Open(w.dir, reader.Options{Clock: clock}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.writer.Close(); err != nil {
			t.Error(err)
		}
		if err := w.reader.Close(); err != nil {
			t.Error(err)
		}
	})
	o.Clock = clock
	if o.Own == nil {
		o.Own = []addr.Address{spec("me@example.net")}
	}
	w.tracker = provenance.New(w.reader, o)
	return w
}

// read records that a message was handed out.
func (w *world) read(f ledger.Facts, texts ...string) ledger.Message {
	w.t.Helper()
	r := ledger.Record{Facts: f, Texts: []ledger.Text{{Place: ledger.PlaceSubject, Text: f.Subject}}}
	for _, text := range texts {
		r.Texts = append(r.Texts, ledger.Text{Place: ledger.PlaceBody, Text: text})
	}
	if err := w.writer.Record(w.t.Context(), []ledger.Record{r}); err != nil {
		w.t.Fatal(err)
	}
	w.now = w.now.Add(time.Minute)
	m, ok, err := w.reader.Message(w.t.Context(), f.Ref)
	if err != nil || !ok {
		w.t.Fatalf("message %s: %t, %v", f.Ref, ok, err)
	}
	return m
}

// to are recipients that no exact entry lists.
func to(specs ...string) []provenance.Recipient {
	var out []provenance.Recipient
	for _, s := range specs {
		out = append(out, provenance.Recipient{Address: spec(s)})
	}
	return out
}

func (w *world) assess(out provenance.Outgoing) provenance.Report {
	w.t.Helper()
	return w.tracker.Assess(context.WithoutCancel(w.t.Context()), out)
}

// answer is an answer to m at the choice of its author.
func answer(t *testing.T, m ledger.Message, choice provenance.Choice, text string) provenance.Outgoing {
	t.Helper()
	target, err := provenance.Resolve(m.Facts, choice, spec("me@example.net"))
	if err != nil {
		t.Fatal(err)
	}
	out := provenance.Outgoing{Subject: "Re: " + m.Subject, Text: text, Parent: &m, Target: &target, Choice: choice}
	for _, a := range append(target.To, target.Cc...) {
		out.Recipients = append(out.Recipients, provenance.Recipient{Address: a})
	}
	return out
}

// said joins everything that a report says.
func said(r provenance.Report) string {
	var b strings.Builder
	for _, n := range r.Notes {
		fmt.Fprintf(&b, "%s: %v %q\n", n.Level, n.Text, n.Values)
	}
	return b.String()
}

// check compares codes, level and words of a report.
func check(t *testing.T, r provenance.Report, level confirm.Level, codes string, words ...string) {
	t.Helper()
	var raised []string
	for _, c := range r.Raised {
		raised = append(raised, string(c))
	}
	if got := strings.Join(raised, " "); got != codes || r.Level() != level {
		t.Errorf("raised %q at level %v, want %q at %v:\n%s", got, r.Level(), codes, level, said(r))
	}
	for _, word := range words {
		if !strings.Contains(said(r), word) {
			t.Errorf("the report does not say %q:\n%s", word, said(r))
		}
	}
}
