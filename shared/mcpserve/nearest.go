package mcpserve

import "strings"

// nearest returns the known name that s was most likely meant to be, or "" if none is close: at most a third of its
// letters differ, or one is the beginning of the other.
func nearest(s string, known []string) string {
	best, bestDist := "", 1<<30
	for _, k := range known {
		d := distance(fold(s), fold(k))
		if d < bestDist && d <= max(1, len(k)/3) {
			best, bestDist = k, d
		}
	}
	if best != "" || len(s) < 3 {
		return best
	}
	for _, k := range known {
		if strings.HasPrefix(fold(k), fold(s)) || strings.HasPrefix(fold(s), fold(k)) {
			return k
		}
	}
	return ""
}

// fold makes fromAddress, from-address and FROM_ADDRESS alike.
func fold(s string) string { return strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(s)) }

// maxCompared bounds the work of distance on a name from a client.
const maxCompared = 64

// distance counts insertions, deletions, substitutions and swaps of neighbours (optimal string alignment), in octets.
func distance(a, b string) int {
	if len(a) > maxCompared || len(b) > maxCompared {
		return 1 << 20
	}
	prev2, prev, cur := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], prev2[j-2]+1)
			}
		}
		prev2, prev, cur = prev, cur, prev2
	}
	return prev[len(b)]
}
