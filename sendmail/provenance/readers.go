package provenance

import (
	"slices"

	"mailgap/shared/addr"
	"mailgap/shared/ledger"
)

// isReader reports that text of m may go to an address: it was on that message as author, in To or in Cc. What one message says
// about another (References, a thread) is not asked: anybody can write himself into a thread.
func isReader(m ledger.Facts, to addr.Address) bool {
	return slices.ContainsFunc(slices.Concat(m.From, m.To, m.Cc), func(a ledger.Address) bool {
		parsed, err := addr.ParseSpec(a.AddrSpec())
		return err == nil && parsed.Key() == to.Key()
	})
}

// outsiders are the recipients that were not on m. The user is on everything that he reads.
func (a *assessment) outsiders(m ledger.Facts) []int {
	var out []int
	for i, r := range a.out.Recipients {
		if !isOneOf(r.Address, a.o.Own) && !isReader(m, r.Address) {
			out = append(out, i)
		}
	}
	return out
}

// abroad reports that one of the recipients is outside of the user's organisation. Addresses at a large provider make no
// organisation: there everybody but the user is outside.
func (a *assessment) abroad(which []int) bool {
	return slices.ContainsFunc(which, func(i int) bool {
		to := a.out.Recipients[i].Address
		return a.public(to.Domain) || !slices.ContainsFunc(a.o.Own, func(o addr.Address) bool { return aligned(o.Domain, to.Domain) })
	})
}

// names are the addresses of recipients, for a note.
func (a *assessment) names(which []int) []string {
	var out []string
	for _, i := range which[:min(len(which), maxShown)] {
		out = append(out, a.out.Recipients[i].Address.Unicode())
	}
	if more := len(which) - maxShown; more > 0 {
		out = append(out, "and "+itoa(more)+" more")
	}
	return out
}
