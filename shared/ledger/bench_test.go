package ledger_test

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"testing"
	"time"

	"mailgap/shared/fingerprint"
	"mailgap/shared/ledger"
)

// loop runs f as often as b wants and reports the processor time of one run.
func loop(b *testing.B, f func(n int)) {
	b.Helper()
	before := processTime()
	n := 0
	for ; b.Loop(); n++ {
		f(n)
	}
	b.ReportMetric(float64(processTime()-before)/1e6/float64(n), "cpu-ms/op")
}

// BenchmarkRecord is one message of each size, on the disk.
func BenchmarkRecord(b *testing.B) {
	for _, octets := range []int{5_000, 100_000} {
		b.Run(strconv.Itoa(octets), func(b *testing.B) {
			x := newBench(b)
			var records []ledger.Record
			for n := range 100 {
				records = append(records, mail(n+1, octets))
			}
			b.SetBytes(int64(octets))
			loop(b, func(n int) {
				r := records[n%len(records)]
				r.Ref = ref(n + 1)
				x.record(b, r)
			})
		})
	}
}

// BenchmarkRecordAgain is a message that is known.
func BenchmarkRecordAgain(b *testing.B) {
	x := newBench(b)
	m := mail(1, 5_000)
	x.record(b, m)
	loop(b, func(int) { x.record(b, m) })
}

// BenchmarkRecordList is a page of 50 entries in one transaction.
func BenchmarkRecordList(b *testing.B) {
	x := newBench(b)
	loop(b, func(n int) {
		var page []ledger.Record
		for i := range 50 {
			m := mail(50*n+i+1, 120)
			m.Complete, m.MessageID = false, ""
			page = append(page, m)
		}
		x.record(b, page...)
	})
}

// BenchmarkAsk asks for outgoing messages in all views. LEDGER_MESSAGES says how many messages are on record; they are spread over
// four weeks.
func BenchmarkAsk(b *testing.B) {
	size, err := strconv.Atoi(os.Getenv("LEDGER_MESSAGES"))
	if err != nil {
		size = 1_000
	}
	x := newBench(b)
	start := time.Now()
	fill(b, x, size)
	b.Logf("%d messages recorded in %v", size, time.Since(start).Round(time.Millisecond))
	total, err := x.r.Totals(b.Context())
	must(b, "Totals", err)
	r := x.reader(b)
	start = time.Now()
	h := r.Health(b.Context())
	b.Logf("%d entries, %d fingerprints, %.1f MB; whole chain verified in %v: %s", total.Entries, total.Prints, float64(total.Octets)/1e6, time.Since(start).Round(time.Millisecond), h.State)
	for _, octets := range []int{5_000, 100_000} {
		text := prose(3, octets/2) + prose(1<<40, octets/2)
		start = time.Now()
		used := processTime()
		m, err := r.Matches(b.Context(), fingerprint.NewQuery(text), 10)
		must(b, "Matches", err)
		b.Logf("%d octets, first question: %v, processor time %v, %d matches", octets, time.Since(start).Round(time.Millisecond), (processTime() - used).Round(time.Millisecond), len(m))
		b.Run(fmt.Sprintf("%d/%d", octets, size), func(b *testing.B) {
			loop(b, func(int) {
				if m, err := r.Matches(b.Context(), fingerprint.NewQuery(text), 10); err != nil || len(m) == 0 {
					b.Fatal(m, err)
				}
			})
		})
	}
	b.Run("health", func(b *testing.B) {
		loop(b, func(int) {
			if h := r.Health(b.Context()); h.State != ledger.StateOK {
				b.Fatal(h)
			}
		})
	})
	ids, _ := fingerprint.Identifiers("kim3@example.com someone@example.org https://example.net/path 12ab34cd")
	b.Run("sightings", func(b *testing.B) {
		loop(b, func(int) {
			if _, err := r.Sightings(b.Context(), ids); err != nil {
				b.Fatal(err)
			}
		})
	})
	runtime.GC()
	var mem runtime.MemStats
	runtime.ReadMemStats(&mem)
	b.Logf("heap in use %.1f MB", float64(mem.HeapInuse)/1e6)
}

// fill records messages of about 2 kB.
func fill(t testing.TB, x *bench, size int) {
	t.Helper()
	var page []ledger.Record
	for n := 1; n <= size; n++ {
		page = append(page, mail(n, 2_000))
		if len(page) == 50 || n == size {
			x.record(t, page...)
			page = page[:0]
			x.clock.advance(28 * 24 * time.Hour / time.Duration(size/50+2))
		}
	}
}
