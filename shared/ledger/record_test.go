package ledger_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"mailgap/shared/fingerprint"
	"mailgap/shared/ledger"
	"mailgap/shared/ledger/reader"
	"mailgap/shared/ledger/writer"
)

func head(t *testing.T, b *bench) int64 {
	t.Helper()
	h := b.r.Health(t.Context())
	if h.State != ledger.StateOK {
		t.Fatalf("state = %q %q", h.State, h.Reasons)
	}
	return h.Head
}

func TestOpenTouchesNothing(t *testing.T) {
	b := newBench(t)
	if h := b.r.Health(t.Context()); h.State != ledger.StateNever || h.Alarming() || h.Trusted() {
		t.Errorf("state = %+v, want never existed", h)
	}
	if _, _, err := b.r.Message(t.Context(), ref(1)); !errors.Is(err, ledger.ErrNoLedger) {
		t.Errorf("Message = %v, want ErrNoLedger", err)
	}
	must(t, "Record of nothing", b.w.Record(t.Context(), nil))
	if _, err := os.Stat(b.dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("directory: %v, want none", err)
	}
}

func TestModes(t *testing.T) {
	b := newBench(t)
	b.record(t, mail(1, 300))
	names, err := filepath.Glob(filepath.Join(b.dir, "*"))
	must(t, "Glob", err)
	if len(names) < 5 {
		t.Errorf("files = %v, want database, log, shared memory, key, head, lock", names)
	}
	for _, name := range append(names, b.dir) {
		info, err := os.Stat(name)
		must(t, "Stat", err)
		if info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: mode %v, want nothing for others", filepath.Base(name), info.Mode())
		}
	}
}

// Nothing that was handed out can be read from the files without the key, nor guessed at: no text, no address, no file name.
func TestNothingInClear(t *testing.T) {
	b := newBench(t)
	m := mail(1, 300)
	m.Subject = "ZebraSubjectZebra"
	m.From[0].Local = "zebralocal"
	m.Mailbox = "ZebraMailbox"
	m.Texts = append(m.Texts, ledger.Text{Place: ledger.PlaceBody, Text: "zebrabody zebrabody zebrabody zebrabody"})
	b.record(t, m)
	names, err := filepath.Glob(filepath.Join(b.dir, "*"))
	must(t, "Glob", err)
	for _, name := range names {
		text, err := os.ReadFile(name)
		must(t, "ReadFile", err)
		for _, word := range []string{"ebra", "kim", "imap://", "INBOX", "example.com"} {
			if strings.Contains(strings.ToLower(string(text)), strings.ToLower(word)) {
				t.Errorf("%s holds %q", filepath.Base(name), word)
			}
		}
	}
}

func TestMessage(t *testing.T) {
	b := newBench(t)
	list := mail(1, 0)
	list.Complete, list.MessageID, list.Author, list.AuthorDomain, list.Cc = false, "", "", "", nil
	list.Texts = list.Texts[:1]
	b.record(t, list)
	b.clock.advance(time.Minute)
	full := mail(1, 600)
	full.References = []string{"a@example.com", "b@example.com"}
	full.ReplyTo = []ledger.Address{{Local: "elsewhere", Domain: "example.org"}}
	b.record(t, full)
	b.clock.advance(time.Minute)
	b.record(t, list) // seen in a list again: the fuller facts stay
	m, ok, err := b.r.Message(t.Context(), ref(1)+"/;SECTION=1.2")
	if err != nil || !ok {
		t.Fatalf("Message = %v, %v", ok, err)
	}
	if !m.Complete || m.MessageID != full.MessageID || m.Author != ledger.AuthorVerified || !slices.Equal(m.References, full.References) ||
		m.ReplyTo[0].AddrSpec() != "elsewhere@example.org" || m.From[0].Name != "Kim" || m.Mailbox != "INBOX" {
		t.Errorf("Message = %+v", m.Facts)
	}
	if !m.FirstRead.Equal(start()) || !m.LastRead.Equal(start().Add(time.Minute)) || m.Prints < 50 || m.Octets < 300 || m.Partly {
		t.Errorf("Message = %v, %v, %d prints, %d octets, partly %v", m.FirstRead, m.LastRead, m.Prints, m.Octets, m.Partly)
	}
	if _, ok, err := b.r.Message(t.Context(), ref(2)); ok || err != nil {
		t.Errorf("Message of what was not read = %v, %v", ok, err)
	}
	got, err := b.r.ByMessageID(t.Context(), full.MessageID)
	if err != nil || len(got) != 1 || got[0].Ref != ref(1) {
		t.Errorf("ByMessageID = %v, %v; want message 1", got, err)
	}
}

// What is known costs no entry, in this process, in another one, and in parts.
func TestKnownIsNotWritten(t *testing.T) {
	b := newBench(t)
	m := mail(1, 2000)
	b.record(t, m)
	n := head(t, b)
	b.record(t, m)
	b.record(t, m, m)
	part := m
	part.Texts = []ledger.Text{{Place: ledger.PlaceBody, Text: m.Texts[1].Text}}
	b.record(t, part)
	other := b.writer(t)
	must(t, "Record", other.Record(t.Context(), []ledger.Record{m}))
	if got := head(t, b); got != n {
		t.Errorf("newest entry %d, want %d: what is known was written again", got, n)
	}
	part.Texts = []ledger.Text{{Place: ledger.PlaceBody, Text: prose(99, 500)}}
	b.record(t, part)
	if got := head(t, b); got != n+1 {
		t.Errorf("newest entry %d, want %d: what is new was not written", got, n+1)
	}
	b.clock.advance(ledger.Week)
	b.record(t, m)
	if got := head(t, b); got != n+2 {
		t.Errorf("newest entry %d, want %d: a new week did not record anew", got, n+2)
	}
}

func TestConfidential(t *testing.T) {
	b := newBench(t)
	b.record(t, mail(1, 300))
	since := b.clock.Now().Add(-8 * time.Hour)
	if _, _, ok, err := b.r.Confidential(t.Context(), since); ok || err != nil {
		t.Errorf("Confidential = %v, %v; want none", ok, err)
	}
	m := mail(2, 300)
	m.Confidential, m.Mailbox = true, "HR"
	b.record(t, m)
	for range 3 { // read again each half hour: it counts anew after an hour
		b.clock.advance(30 * time.Minute)
		b.record(t, m)
	}
	b.record(t, mail(3, 300))
	at, got, ok, err := b.r.Confidential(t.Context(), since)
	if err != nil || !ok || got.Ref != ref(2) || at.Before(start().Add(time.Hour)) {
		t.Errorf("Confidential = %v, %q, %v, %v; want message 2 about an hour after the start", at, got.Ref, ok, err)
	}
	if _, _, ok, err := b.r.Confidential(t.Context(), b.clock.Now().Add(time.Minute)); ok || err != nil {
		t.Errorf("Confidential after it = %v, %v; want none", ok, err)
	}
	m.Confidential = false // the operator changed his mind
	b.record(t, m)
	if got, _, err := b.r.Message(t.Context(), ref(2)); got.Confidential || err != nil {
		t.Errorf("the label stays: %v", err)
	}
}

func TestSightings(t *testing.T) {
	b := newBench(t)
	first := mail(1, 0)
	first.Texts = []ledger.Text{
		{Place: ledger.PlaceBody, Text: "Please write to pat@rebound.example or see https://rebound.example/pay?id=1 today."},
		{Place: ledger.PlaceLink, Text: "https://rebound.example/pay?id=1"},
	}
	b.record(t, first)
	b.clock.advance(40 * time.Second)
	second := mail(2, 0)
	second.From = []ledger.Address{{Local: "pat", Domain: "rebound.example"}}
	b.record(t, second)
	ids, _ := fingerprint.Identifiers("pat@rebound.example kim1@example.com kim2@example.com nobody@nowhere.example")
	got, err := b.r.Sightings(t.Context(), ids)
	must(t, "Sightings", err)
	if len(got) != len(ids) {
		t.Fatalf("%d sightings for %d identifiers", len(got), len(ids))
	}
	for i, id := range ids {
		if id.Kind != fingerprint.KindAddress {
			continue
		}
		s := got[i]
		switch id.Value {
		case "pat@rebound.example":
			if s == nil || s.Place != ledger.PlaceBody || s.Message.Ref != ref(1) || s.Others != 1 || !s.At.Equal(start()) {
				t.Errorf("%s: %+v, want the body of message 1 and one other", id.Value, s)
			}
		case "kim1@example.com":
			if s == nil || s.Place != ledger.PlaceFrom || s.Message.Author != ledger.AuthorVerified {
				t.Errorf("%s: %+v, want From of message 1", id.Value, s)
			}
		case "nobody@nowhere.example":
			if s != nil {
				t.Errorf("%s: %+v, want nothing", id.Value, s)
			}
		}
	}
}

// The right message is named, wherever it lies: in a run, in a merged one, in the tail, in another week.
func TestMatches(t *testing.T) {
	b := newBench(t)
	const messages = 2600
	var page []ledger.Record
	for n := 1; n <= messages; n++ {
		page = append(page, mail(n, 300))
		if len(page) == 50 {
			b.record(t, page...)
			page = nil
			if n == 2200 || n == 2400 {
				b.clock.advance(ledger.Week)
			}
		}
	}
	for name, r := range map[string]interface {
		Matches(context.Context, *fingerprint.Query, int) ([]reader.Match, error)
	}{"same": b.r, "new": b.reader(t)} {
		for _, n := range []int{1, 255, 256, 257, 2000, 2048, 2199, 2201, 2399, 2401, 2599, 2600} {
			text := "Hello, as it was said: " + prose(uint64(n), 300)[20:180]
			q := fingerprint.NewQuery(text)
			m, err := r.Matches(t.Context(), q, 3)
			if err != nil || len(m) == 0 || m[0].Message.Ref != ref(n) {
				t.Errorf("%s, message %d: %d matches, %v", name, n, len(m), err)
				continue
			}
			var hits []fingerprint.Hit
			for _, h := range m[0].Hits {
				hits = append(hits, h.Hit)
				if h.Domains != 1 || h.Own {
					t.Errorf("message %d: hit %+v, want one domain", n, h)
				}
			}
			if c := q.Cover(hits, nil); c.Octets < 80 {
				t.Errorf("message %d: %d octets covered, want 80 and more", n, c.Octets)
			}
		}
		if m, err := r.Matches(t.Context(), fingerprint.NewQuery(prose(1<<50, 2000)), 3); len(m) != 0 || err != nil {
			t.Errorf("%s: foreign text has %d matches, %v", name, len(m), err)
		}
	}
}

// How common a passage is, is counted in confirmed domains, and the user's own words are told apart.
func TestCommonPassages(t *testing.T) {
	b := newBench(t)
	const disclaimer = "This message is meant for the person it is addressed to and for nobody else, whoever that may be."
	for n := range 12 {
		m := mail(n+1, 0)
		m.Texts = []ledger.Text{{Place: ledger.PlaceBody, Text: disclaimer}}
		m.AuthorDomain = fmt.Sprintf("d%d.example", n)
		if n >= 2 {
			m.Author = ledger.AuthorUnknown // an attacker who wants to make it common
		}
		b.record(t, m)
	}
	domains := func() (least, most int, own bool) {
		m, err := b.r.Matches(t.Context(), fingerprint.NewQuery(disclaimer), 1)
		must(t, "Matches", err)
		least = 99
		for _, h := range m[0].Hits {
			least, most, own = min(least, h.Domains), max(most, h.Domains), own || h.Own
		}
		return least, most, own
	}
	if least, most, own := domains(); least != 2 || most != 2 || own {
		t.Errorf("domains %d to %d, own %v; want 2, not own", least, most, own)
	}
	mine := mail(50, 0)
	mine.Own, mine.AuthorDomain = true, "d3.example"
	mine.Texts = []ledger.Text{{Place: ledger.PlaceBody, Text: disclaimer}}
	b.record(t, mine)
	if least, most, own := domains(); least != 3 || most != 3 || !own {
		t.Errorf("domains %d to %d, own %v; want 3 and own", least, most, own)
	}
}

// A message that was only listed counts with the verdict that a later reading brings.
func TestVerdictOfALaterReading(t *testing.T) {
	b := newBench(t)
	m := mail(1, 300)
	early := m
	early.Complete, early.Author, early.AuthorDomain = false, "", ""
	b.record(t, early)
	if _, err := b.r.Matches(t.Context(), fingerprint.NewQuery(prose(1, 300)), 1); err != nil {
		t.Fatal(err)
	}
	b.record(t, m)
	got, err := b.r.Matches(t.Context(), fingerprint.NewQuery(prose(1, 300)), 1)
	if err != nil || len(got) == 0 || got[0].Hits[0].Domains != 1 {
		t.Errorf("Matches = %+v, %v; want one confirmed domain", got, err)
	}
}

func TestPartlyRecorded(t *testing.T) {
	b := newBench(t)
	b.record(t, mail(1, 150_000))
	m, _, err := b.r.Message(t.Context(), ref(1))
	if err != nil || !m.Partly || m.Prints != ledger.MaxPrints {
		t.Errorf("Message = partly %v, %d prints, %v; want partly and %d", m.Partly, m.Prints, err, ledger.MaxPrints)
	}
}

func TestLimitsOfFacts(t *testing.T) {
	b := newBench(t)
	m := mail(1, 0)
	m.Subject = strings.Repeat("ä", 3000)
	m.Date = time.Date(12345, 1, 1, 0, 0, 0, 0, time.UTC)
	m.MessageID = "broken\xff"
	for n := range 700 {
		m.To = append(m.To, ledger.Address{Local: fmt.Sprint("x", n), Domain: "example.net"})
		m.References = append(m.References, fmt.Sprint(n, "@example.net"))
	}
	b.record(t, m)
	n := head(t, b)
	b.record(t, m)
	must(t, "Record", b.writer(t).Record(t.Context(), []ledger.Record{m}))
	if got := head(t, b); got != n {
		t.Errorf("newest entry %d, want %d: cut facts are taken for new ones", got, n)
	}
	got, _, err := b.r.Message(t.Context(), ref(1))
	if err != nil || !got.Cut || len(got.Subject) != ledger.MaxFieldOctets || len(got.To) != ledger.MaxParticipants || got.References[len(got.References)-1] != "699@example.net" {
		t.Errorf("facts: cut %v, subject %d octets, %d recipients, %v", got.Cut, len(got.Subject), len(got.To), err)
	}
	for _, bad := range []string{"", strings.Repeat("x", 10_000)} {
		if err := b.w.Record(t.Context(), []ledger.Record{{Facts: ledger.Facts{Ref: bad}}}); !errors.Is(err, ledger.ErrRecord) {
			t.Errorf("Record with a reference of %d octets = %v, want ErrRecord", len(bad), err)
		}
	}
}

func TestParallelWriters(t *testing.T) {
	b := newBench(t)
	const writers, each = 6, 30
	var wg sync.WaitGroup
	errs := make(chan error, writers*each)
	for i := range writers {
		w, err := writer.Open(b.dir, writer.Options{Clock: b.clock.Now})
		must(t, "Open", err)
		t.Cleanup(func() { must(t, "Close", w.Close()) })
		wg.Go(func() {
			for n := range each {
				errs <- w.Record(t.Context(), []ledger.Record{mail(1000*i+n, 200), mail(n, 200)})
			}
		})
	}
	readers := make(chan ledger.Health, 50)
	wg.Go(func() {
		for range cap(readers) {
			readers <- b.r.Health(t.Context())
		}
	})
	wg.Wait()
	close(errs)
	close(readers)
	for err := range errs {
		must(t, "Record", err)
	}
	for h := range readers {
		if h.Alarming() {
			t.Errorf("meanwhile: %+v", h)
		}
	}
	if n := head(t, b); n != writers*each { // message n of each writer, and those that all of them have; those of writer 0 are the same
		t.Errorf("newest entry %d, want %d", n, writers*each)
	}
	for i := range writers {
		if !known(t, b, 1000*i+each-1) {
			t.Errorf("a message of writer %d is missing", i)
		}
	}
}

func TestClosed(t *testing.T) {
	b := newBench(t)
	b.record(t, mail(1, 300))
	head(t, b)
	must(t, "Close", b.w.Close())
	must(t, "Close", b.r.Close())
	if err := b.w.Record(t.Context(), []ledger.Record{mail(2, 300)}); !errors.Is(err, ledger.ErrClosed) {
		t.Errorf("Record = %v, want ErrClosed", err)
	}
	if _, _, err := b.r.Message(t.Context(), ref(1)); !errors.Is(err, ledger.ErrClosed) {
		t.Errorf("Message = %v, want ErrClosed", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := b.writer(t).Record(ctx, []ledger.Record{mail(2, 300)}); !errors.Is(err, context.Canceled) {
		t.Errorf("Record of a cancelled call = %v, want Canceled", err)
	}
}
