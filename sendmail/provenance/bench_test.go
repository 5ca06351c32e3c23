package provenance_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"mailgap/sendmail/provenance"
	"mailgap/shared/addr"
	"mailgap/shared/ledger"
	"mailgap/shared/ledger/reader"
	"mailgap/shared/ledger/writer"
)

// prose is text of about so many octets, of syllables that hardly ever make the same run twice.
func prose(r *rand.Rand, octets int) string {
	var b strings.Builder
	for b.Len() < octets {
		for range 1 + r.IntN(3) {
			b.WriteString([]string{"ba", "ce", "di", "fo", "gu", "ha", "ke", "li", "mo", "nu", "pa", "re", "si", "to", "vu", "za"}[r.IntN(16)])
		}
		b.WriteByte(' ')
	}
	return b.String()
}

// recorded is a ledger with so many messages of 2 kB.
func recorded(b *testing.B, messages int) *reader.Reader {
	b.Helper()
	dir := b.TempDir() + "/ledger"
	w, err := writer.Open(dir, writer.Options{Clock: monday})
	if err != nil {
		b.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 1))
	var batch []ledger.Record
	for i := range messages {
		f := letter(i, fmt.Sprintf("p%d@d%d.example", i%500, i%200), "me@example.net")
		batch = append(batch, ledger.Record{Facts: f, Texts: []ledger.Text{{Place: ledger.PlaceBody, Text: prose(r, 2000)}}})
		if len(batch) == 500 || i == messages-1 {
			if err := w.Record(b.Context(), batch); err != nil {
				b.Fatal(err)
			}
			batch = batch[:0]
		}
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
	book, err := reader.Open(dir, reader.Options{Clock: monday})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := book.Close(); err != nil {
			b.Error(err)
		}
	})
	return book
}

// BenchmarkAssess asks about a message of 5 kB and of 100 kB, in all views, against 10,000 and 100,000 recorded messages.
func BenchmarkAssess(b *testing.B) {
	for _, messages := range []int{10_000, 100_000} {
		b.Run(fmt.Sprintf("%d", messages), func(b *testing.B) {
			tracker := provenance.New(recorded(b, messages), provenance.Options{Own: []addr.Address{spec("me@example.net")}, Clock: monday})
			for _, octets := range []int{5_000, 100_000} {
				out := provenance.Outgoing{Recipients: to("p1@d1.example", "new@far.example"), Subject: "Hello", Text: prose(rand.New(rand.NewPCG(2, 2)), octets), Links: []string{"https://a.example/b"}}
				b.Run(fmt.Sprintf("%dB", octets), func(b *testing.B) {
					for b.Loop() {
						if r := tracker.Assess(b.Context(), out); r.State != ledger.StateOK || len(r.Raised) != 1 {
							b.Fatalf("state %s, raised %v", r.State, r.Raised)
						}
					}
				})
			}
		})
	}
}
