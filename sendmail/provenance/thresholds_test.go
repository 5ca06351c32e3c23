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
	"mailgap/shared/fingerprint"
	"mailgap/shared/ledger"
	"mailgap/shared/ledger/reader"
)

// denseBook is a book that keeps every run of one message, so that what is covered is exact to the octet.
type denseBook struct {
	message ledger.Message
	text    string
	domains int
	failing error
	live    bool
}

func (b denseBook) Health(context.Context) ledger.Health { return ledger.Health{State: ledger.StateOK} }

func (b denseBook) Message(context.Context, string) (ledger.Message, bool, error) {
	return b.message, true, b.failing
}

func (b denseBook) ByMessageID(context.Context, string) ([]ledger.Message, error) {
	return nil, b.failing
}

// Sightings knows every address as somebody with whom the user exchanges mail.
func (b denseBook) Sightings(_ context.Context, ids []fingerprint.Identifier) ([]*reader.Sighting, error) {
	out := make([]*reader.Sighting, len(ids))
	for i, id := range ids {
		if id.Kind == fingerprint.KindAuthor {
			out[i] = &reader.Sighting{Place: ledger.PlaceFrom, Message: b.message}
		}
	}
	return out, b.failing
}

func (b denseBook) Matches(_ context.Context, q *fingerprint.Query, _ int) ([]reader.Match, error) {
	key := fingerprint.TextKey{1}
	hashed := q.Hash(key)
	text := fingerprint.Normalise(b.text)
	m := reader.Match{Message: b.message}
	for p := 0; p+fingerprint.GramOctets <= len(text); p++ {
		if g, ok := hashed.Find(fingerprint.SipHash(key, []byte(text[p:p+fingerprint.GramOctets]))); ok {
			m.Hits = append(m.Hits, reader.Hit{Hit: fingerprint.Hit{Gram: g, Pos: uint32(p)}, Domains: b.domains})
		}
	}
	return []reader.Match{m}, b.failing
}

func (b denseBook) Confidential(context.Context, time.Time) (time.Time, ledger.Message, bool, error) {
	return monday(), b.message, b.live, b.failing
}

// octets are n octets of normalised text in which no run comes twice.
func octets(n int) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		for k := 6; k >= 0; k-- {
			b.WriteByte("abcefghkopqrsuvxyz"[(i>>k&1)*7+k])
		}
	}
	return b.String()[:n]
}

// TestThresholds: each one from both sides.
func TestThresholds(t *testing.T) {
	tests := []struct {
		name         string
		copied       int // octets in the outgoing text
		total        int // octets of the source
		domains      int
		confidential bool
		to           string
		level        confirm.Level
		codes        string
		notes        int
	}{
		{"59 is silent", 59, 1000, 1, false, "pat@example.org", normal, "", 0},
		{"60 is a line", 60, 1000, 1, false, "pat@example.org", normal, "", 1},
		{"79 is a line", 79, 1000, 1, false, "pat@example.org", normal, "", 1},
		{"80 raises the level", 80, 1000, 1, false, "pat@example.org", elevated, "disclosure", 1},
		{"399 of a long message", 399, 1000, 1, false, "pat@example.org", elevated, "disclosure", 1},
		{"400 is a large piece", 400, 1000, 1, false, "pat@example.org", severe, "bulk_copy", 1},
		{"half of a message, less one", 209, 420, 1, false, "pat@example.org", elevated, "disclosure", 1},
		{"half of a message", 210, 420, 1, false, "pat@example.org", severe, "bulk_copy", 1},
		{"all of a short message", 199, 199, 1, false, "pat@example.org", elevated, "disclosure", 1},
		{"all of a message that is not short", 200, 200, 1, false, "pat@example.org", severe, "bulk_copy", 1},
		{"two domains use it", 200, 1000, 2, false, "pat@example.org", elevated, "disclosure", 1},
		{"three domains use it", 200, 1000, 3, false, "pat@example.org", normal, "", 0},
		{"confidential, 39 is silent", 39, 1000, 1, true, "pat@example.org", normal, "", 0},
		{"confidential, 40 to outside", 40, 1000, 1, true, "pat@example.org", severe, "confidential_out", 1},
		{"confidential, 40 inside", 40, 1000, 1, true, "ann@example.net", elevated, "confidential", 1},
		{"confidential, 39 inside", 39, 1000, 1, true, "ann@example.net", normal, "", 0},
		{"confidential, three domains use it", 40, 1000, 3, true, "pat@example.org", severe, "confidential_out", 1},
		{"to who was on it", 500, 1000, 1, true, "kim@example.com", normal, "", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text := octets(tt.total)
			m := ledger.Message{Facts: letter(1, "kim@example.com", "me@example.net"), Octets: tt.total}
			m.Confidential = tt.confidential
			tracker := provenance.New(denseBook{message: m, text: text, domains: tt.domains}, provenance.Options{Own: []addr.Address{spec("me@example.net")}, Clock: monday})
			r := tracker.Assess(t.Context(), provenance.Outgoing{Recipients: to(tt.to), Text: "zz: " + text[:tt.copied] + "\n"})
			check(t, r, tt.level, tt.codes)
			if got := len(r.Notes) - 1; got != tt.notes { // one says since when the recipient is known
				t.Errorf("%d notes, want %d:\n%s", got, tt.notes, said(r))
			}
			if tt.notes > 0 && !strings.Contains(said(r), fmt.Sprintf("%d characters", tt.copied)) {
				t.Errorf("the report does not say %d characters:\n%s", tt.copied, said(r))
			}
		})
	}
}

// TestSpreadingThresholds: what is passed on has to be most of a mail that is not short.
func TestSpreadingThresholds(t *testing.T) {
	for _, tt := range []struct {
		copied, total int
		codes         string
	}{{199, 199, "disclosure"}, {200, 200, "self_spreading"}, {299, 500, "disclosure"}, {300, 500, "self_spreading"}} {
		m := ledger.Message{Facts: letter(1, "eve@evil.example", "me@example.net"), Octets: tt.total}
		m.Author = ledger.AuthorUnknown
		tracker := provenance.New(denseBook{message: m, text: octets(tt.total), domains: 1}, provenance.Options{Own: []addr.Address{spec("me@example.net")}, Clock: monday})
		r := tracker.Assess(t.Context(), provenance.Outgoing{Recipients: to("pat@example.org"), Text: octets(tt.total)[:tt.copied], Parent: &m, Forward: true, Signals: true})
		level := elevated
		if tt.codes == "self_spreading" {
			level = severe
		}
		check(t, r, level, tt.codes)
	}
}

// TestLedgerThatFails: what cannot be asked is said once, and raises the level.
func TestLedgerThatFails(t *testing.T) {
	tracker := provenance.New(denseBook{failing: ledger.ErrCorrupt}, provenance.Options{Own: []addr.Address{spec("me@example.net")}, Clock: monday})
	r := tracker.Assess(t.Context(), provenance.Outgoing{Recipients: to("pat@example.org"), Text: "Hello.\n", Links: []string{"https://a.example/b"}})
	check(t, r, elevated, "first_contact ledger", "could not be asked about everything")
	if n := strings.Count(said(r), "could not be asked"); n != 1 {
		t.Errorf("it is said %d times", n)
	}
}
