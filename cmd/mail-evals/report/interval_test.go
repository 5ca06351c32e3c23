package report

import (
	"math"
	"testing"
)

// The values are those of the beta quantiles as statistics programs give them.
func TestInterval(t *testing.T) {
	for _, c := range []struct {
		k, n      int
		low, high float64
	}{
		{0, 981, 0, 0.003049}, {0, 100, 0, 0.029513}, {1, 10, 0.002529, 0.445016}, {5, 10, 0.187086, 0.812914}, {10, 10, 0.741134, 1}, {0, 0, 0, 1},
	} {
		low, high := Interval(c.k, c.n)
		if math.Abs(low-c.low) > 1e-5 || math.Abs(high-c.high) > 1e-5 {
			t.Errorf("%d of %d: got %.6f to %.6f, want %.6f to %.6f", c.k, c.n, low, high, c.low, c.high)
		}
	}
}
