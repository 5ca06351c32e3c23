package fingerprint

import (
	"cmp"
	"slices"
)

// CommonDomains is the number of confirmed sender domains beyond which a run of text is one that everybody uses: a template, a
// disclaimer. Measured: with two allowed, no unrelated text of 1,013 reached 80 octets; without a bound half of the mails
// written from templates did.
const CommonDomains = 2

// Source is a recorded text that shares runs with a query.
type Source struct {
	ID      string
	When    int64 // time of the message, in any unit that all sources share
	Own     bool  // written by the user: its words are no disclosure, nor are they those of a later message that quotes them
	Strict  bool  // confidential: its words count however many others use them
	Matches []Match
}

// Match is one run that a source shares with a query.
type Match struct {
	Hit
	Domains int // confirmed sender domains in whose messages the run was seen
}

// Found is what one source covers of a query.
type Found struct {
	*Cover
	Source Source
}

// Sources says what each source covers of q, the largest first, without those that cover less than least octets.
//
// What the source named except covers does not count (the message that is answered; "" is none). A run that more than
// CommonDomains use, or that the user wrote first, counts for strict sources only.
func (q *Query) Sources(sources []Source, except string, least int) []Found {
	own := ownRuns(sources)
	var parent *Cover
	for _, s := range sources {
		if s.ID == except && except != "" {
			parent = q.Cover(s.hits(func(Match) bool { return true }), nil)
		}
	}
	var out []Found
	for _, s := range sources {
		if s.Own || s.ID == except && except != "" {
			continue
		}
		c := q.Cover(s.hits(func(m Match) bool { return s.Strict || m.Domains <= CommonDomains && !own.before(m.Gram, s.When) }), parent)
		if c.Octets > 0 && c.Octets >= least {
			out = append(out, Found{Cover: c, Source: s})
		}
	}
	slices.SortFunc(out, func(a, b Found) int {
		return cmp.Or(cmp.Compare(b.Octets, a.Octets), cmp.Compare(a.Source.When, b.Source.When), cmp.Compare(a.Source.ID, b.Source.ID))
	})
	return out
}

// hits are the matches that count.
func (s Source) hits(counts func(Match) bool) []Hit {
	var out []Hit
	for _, m := range s.Matches {
		if counts(m) {
			out = append(out, m.Hit)
		}
	}
	return out
}

// runs says when the user first wrote a run.
type runs map[Gram]int64

func ownRuns(sources []Source) runs {
	out := runs{}
	for _, s := range sources {
		if !s.Own {
			continue
		}
		for _, m := range s.Matches {
			if when, known := out[m.Gram]; !known || s.When < when {
				out[m.Gram] = s.When
			}
		}
	}
	return out
}

// before reports whether the user had written g by the time of a message.
func (r runs) before(g Gram, when int64) bool {
	first, known := r[g]
	return known && first <= when
}
