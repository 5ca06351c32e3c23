package provenance

import (
	"context"

	"mailgap/confirm"
	"mailgap/shared/fingerprint"
)

// quoteLeast is the shortest quote that is compared, in normalised octets.
const quoteLeast = 3 * fingerprint.SharedOctets

// quote compares what the message quotes with what was read.
func (a *assessment) quote(ctx context.Context) {
	if a.out.Quote == "" || a.out.Parent == nil {
		return
	}
	s := a.ask(ctx, a.out.Quote)
	if s.query == nil || s.query.Octets() < quoteLeast {
		return
	}
	var hits []fingerprint.Hit
	for _, src := range s.list {
		if src.ID == a.out.Parent.Ref {
			for _, m := range src.Matches {
				hits = append(hits, m.Hit)
			}
		}
	}
	gap, altered := s.query.Cover(hits, nil).Gap(maxPassageOctets)
	switch {
	case !altered:
		a.note(confirm.Say("The quote matches the original message."))
	case a.out.Parent.Partly || !a.out.Parent.Complete:
		a.note(confirm.Say("The quote could not be compared with the whole original message, of which only a part was read."))
	default:
		a.find(CodeQuoteAltered, confirm.Say("The quote was ALTERED: it says what the original message does not. The first such place:"), quoted(gap, maxPassageOctets))
	}
}
