package session

import "slices"

// UIDs returns the set of these UIDs, in any order; zeros and duplicates are left out.
func UIDs(uids ...UID) Set {
	var s Set
	return s.add(uids)
}

// UIDRange returns the set of UIDs from first to last, both included. last 0 means the highest there is.
func UIDRange(first, last UID) Set {
	return Set{ranges: []numRange{{uint32(max(first, 1)), uint32(last)}}}
}

// SeqRange returns the set of messages by sequence number, both included. last 0 means the highest there is. Sequence
// numbers are only good for the call they are passed to.
func SeqRange(first, last uint32) Set {
	return Set{seq: true, ranges: []numRange{{max(first, 1), last}}}
}

// IsEmpty reports whether the set names no message.
func (s Set) IsEmpty() bool { return len(s.ranges) == 0 }

func (s Set) add(uids []UID) Set {
	sorted := sortedUnique(uids)
	for _, u := range sorted {
		n := uint32(u)
		if k := len(s.ranges); k > 0 && s.ranges[k-1].to+1 == n {
			s.ranges[k-1].to = n
			continue
		}
		s.ranges = append(s.ranges, numRange{n, n})
	}
	return s
}

// sortedUnique returns the non-zero UIDs in ascending order, each once, without touching its argument.
func sortedUnique(uids []UID) []UID {
	out := slices.Clone(uids)
	slices.Sort(out)
	out = slices.Compact(out)
	if len(out) > 0 && out[0] == 0 {
		out = out[1:]
	}
	return out
}
