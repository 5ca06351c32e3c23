package config

import "strings"

// nearMiss says whether name was most likely meant to be known: the same letters but for case or separators, or one or two
// slips (a letter too many, missing, wrong, or two swapped). Short names allow one slip only.
func nearMiss(name, known string) bool {
	a, b := bare(name), bare(known)
	if a == b {
		return true
	}
	slips := 1
	if len(b) >= minLettersForTwoSlips {
		slips = 2
	}
	return distance(a, b) <= slips
}

// minLettersForTwoSlips: HOST and PORT differ by two, PASSWORD and PASWORDD should not.
const minLettersForTwoSlips = 8

// bare removes case, separators and a plural s, and writes usual short forms in full.
func bare(s string) string {
	s = strings.NewReplacer("_", "", "-", "", ".", "").Replace(strings.ToUpper(s))
	s = strings.NewReplacer("CMD", "COMMAND", "PASSWD", "PASSWORD", "DIRECTORY", "DIR").Replace(s)
	return strings.TrimSuffix(s, "S")
}

// nearest returns the known name with the smallest distance to s, or "" if all differ in more than half of their letters.
func nearest(s string, known []string) string {
	best, bestDist := "", 1<<30
	for _, k := range known {
		if d := distance(bare(s), bare(k)); d < bestDist && d <= len(k)/2 {
			best, bestDist = k, d
		}
	}
	return best
}

// maxCompared bounds the work of distance; no setting has a name that long.
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
