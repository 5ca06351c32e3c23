package fingerprint_test

import (
	"fmt"
	"strings"
	"testing"

	"mailgap/shared/fingerprint"
)

func textOf(octets int) string {
	var b strings.Builder
	for i := 0; b.Len() < octets; i++ {
		fmt.Fprintf(&b, "%d. %s\n", i, ownTexts()[i%3])
	}
	return b.String()[:octets]
}

func BenchmarkIndex(b *testing.B) {
	for _, n := range []int{5_000, 100_000} {
		b.Run(fmt.Sprintf("%dB", n), func(b *testing.B) {
			text := textOf(n)
			b.SetBytes(int64(n))
			for b.Loop() {
				fingerprint.NewIndex(text, fingerprint.TextKey{1})
			}
		})
	}
}

// BenchmarkQuery prepares a text in all views and hashes it for five weeks.
func BenchmarkQuery(b *testing.B) {
	for _, n := range []int{5_000, 100_000} {
		b.Run(fmt.Sprintf("%dB", n), func(b *testing.B) {
			text := textOf(n)
			b.SetBytes(int64(n))
			for b.Loop() {
				q := fingerprint.NewQuery(text)
				for week := range 5 {
					q.Hash(fingerprint.TextKey{byte(week)})
				}
			}
		})
	}
}

func BenchmarkIdentifiers(b *testing.B) {
	for _, n := range []int{5_000, 100_000} {
		b.Run(fmt.Sprintf("%dB", n), func(b *testing.B) {
			text := textOf(n)
			b.SetBytes(int64(n))
			for b.Loop() {
				fingerprint.Identifiers(text)
			}
		})
	}
}
