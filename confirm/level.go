package confirm

import (
	"strings"
)

// maxTypedDomains is how many domains a person types at most. Limit: more is copied without being read.
const maxTypedDomains = 3

// Level is how much care the message needs: the highest level of its notes and recipients.
func (q Question) Level() Level {
	level := LevelNormal
	for _, n := range q.Notes {
		level = max(level, n.Level)
	}
	for _, r := range q.recipients() {
		level = max(level, r.Level)
	}
	return level
}

// TypedDomains are the domains that a person types by hand before an elevated or severe message leaves; nil for a normal one.
// They are the distinct domains of the recipients that raise the level, at most maxTypedDomains in the order shown, each of them
// needed. If no recipient does (a note about the text, say), it is the domain of the first recipient outside the domain of
// the sender, or of the first recipient.
func (q Question) TypedDomains() []Recipient {
	if q.Level() == LevelNormal {
		return nil
	}
	var typed []Recipient
	seen := map[string]bool{}
	for _, r := range q.recipients() {
		if d := r.domain(); r.Level > LevelNormal && !seen[d] && len(typed) < maxTypedDomains {
			seen[d], typed = true, append(typed, r)
		}
	}
	if typed != nil {
		return typed
	}
	all := q.recipients()
	for _, r := range all {
		if !strings.EqualFold(r.domain(), domainOf(strings.TrimSuffix(q.From, ">"))) {
			return []Recipient{r}
		}
	}
	return all[:min(1, len(all))]
}

// Typed says whether what a person typed is the domain of r: as it is shown or as the network writes it, in either case. A
// letter of another script that looks alike is another letter, so a domain that imitates one is not typed by accident.
func (r Recipient) Typed(s string) bool {
	s = strings.ToLower(strings.TrimSpace(s))
	s = strings.TrimPrefix(s, "@")
	return s != "" && (s == strings.ToLower(r.domain()) || s == strings.ToLower(domainOf(r.ASCII)))
}

// domain is the domain as it is shown.
func (r Recipient) domain() string { return domainOf(r.Address) }

func domainOf(address string) string { return address[strings.LastIndexByte(address, '@')+1:] }
