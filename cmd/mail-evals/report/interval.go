package report

import "math"

// confidence is the level of every interval.
const confidence = 0.95

// Interval returns the exact two-sided interval of a share of k in n (Clopper and Pearson 1934); with k = 0 the upper bound is the
// one-sided one, which the rule of three approximates. n = 0 gives 0 and 1.
func Interval(k, n int) (low, high float64) {
	if n == 0 {
		return 0, 1
	}
	tail := (1 - confidence) / 2
	if k == 0 || k == n {
		tail = 1 - confidence
	}
	low, high = 0, 1
	if k > 0 {
		low = solve(func(p float64) bool { return 1-below(k, n, p) < tail })
	}
	if k < n {
		high = solve(func(p float64) bool { return below(k+1, n, p) > tail })
	}
	return low, high
}

// solve finds where ok turns from true to false between 0 and 1.
func solve(ok func(float64) bool) float64 {
	a, b := 0.0, 1.0
	for range 60 {
		if m := (a + b) / 2; ok(m) {
			a = m
		} else {
			b = m
		}
	}
	return (a + b) / 2
}

// below is the probability of fewer than k successes in n trials.
func below(k, n int, p float64) float64 {
	if p <= 0 {
		return 1
	}
	if p >= 1 {
		return 0
	}
	sum := 0.0
	lg := func(x int) float64 { v, _ := math.Lgamma(float64(x) + 1); return v }
	for i := range k {
		sum += math.Exp(lg(n) - lg(i) - lg(n-i) + float64(i)*math.Log(p) + float64(n-i)*math.Log1p(-p))
	}
	return min(sum, 1)
}
