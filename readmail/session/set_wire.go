package session

import "github.com/emersion/go-imap/v2"

// numSet returns the set as the IMAP library wants it.
func (s Set) numSet() imap.NumSet {
	if s.seq {
		return s.seqSet()
	}
	return s.uidSet()
}

func (s Set) uidSet() imap.UIDSet {
	var out imap.UIDSet
	for _, r := range s.ranges {
		out = append(out, imap.UIDRange{Start: imap.UID(r.from), Stop: imap.UID(r.to)})
	}
	return out
}

func (s Set) seqSet() imap.SeqSet {
	var out imap.SeqSet
	for _, r := range s.ranges {
		out = append(out, imap.SeqRange{Start: r.from, Stop: r.to})
	}
	return out
}

// list returns the UIDs of a set without open ranges. It reports false for sequence sets, open ones, and beyond limit.
func (s Set) list(limit int) ([]UID, bool) {
	if s.seq {
		return nil, false
	}
	var out []UID
	for _, r := range s.ranges {
		if r.to == 0 || int64(r.to)-int64(r.from) >= int64(limit-len(out)) {
			return nil, false
		}
		for n := r.from; ; n++ {
			out = append(out, UID(n))
			if n == r.to {
				break
			}
		}
	}
	return out, true
}
