package policy

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"mailgap/shared/addr"
)

// Limit: far beyond a list that a person can oversee, small enough to be searched for every recipient.
const maxAllowlistEntries = 10_000

// Allowlist says who may be written to. The zero value allows nobody. It is immutable and safe for concurrent use.
type Allowlist struct {
	everyone                  bool
	allowAddress, denyAddress map[string]bool // addr.Address.Key
	allowDomain, denyDomain   map[string]bool // A-label form
	listed                    []addr.Shape    // every domain of an allowing entry, for look-alikes
	listedNames               []string
	allowEntries, denyEntries int
}

// Rule is the kind of allowlist entry that decided about an address.
type Rule string

// Rules, by entry.
const (
	RuleNone     Rule = ""                        // no entry matches
	RuleAddress  Rule = "listed by exact address" // name@example.com
	RuleDomain   Rule = "listed by its domain"    // @example.com
	RuleEveryone Rule = "every address is allowed"
	RuleDenied   Rule = "denied" // !name@example.com or !@example.com
)

// Decision is the allowlist's word on one address. Only Allowed and Code may reach a model; Rule and LookAlikeOf are for
// the operator and the person asked.
type Decision struct {
	Allowed     bool
	Code        Code // "" if Allowed, otherwise CodeRecipientNotAllowed or CodeLookAlike
	Rule        Rule
	LookAlikeOf string // the listed domain that the address's domain resembles, in A-label form
}

// ErrAllowlist is what every error of ParseAllowlist wraps.
var ErrAllowlist = errors.New("policy: allowlist refused")

// ParseAllowlist reads the entries: name@example.com, @example.com, "*" (no other allowing entry beside it, denying ones may
// be), !name@example.com and !@example.com to deny. White space around an entry is dropped. Every malformed entry is refused; the
// error wraps ErrAllowlist, counts the entry from 1, says what to write, and does not repeat it. A list without an allowing entry is refused.
func ParseAllowlist(entries []string) (Allowlist, error) {
	list := Allowlist{allowAddress: map[string]bool{}, denyAddress: map[string]bool{}, allowDomain: map[string]bool{}, denyDomain: map[string]bool{}}
	if len(entries) > maxAllowlistEntries {
		return Allowlist{}, fmt.Errorf("%w: more than %d entries; list domains instead, such as @example.com", ErrAllowlist, maxAllowlistEntries)
	}
	for k, entry := range entries {
		if hint := list.add(strings.TrimSpace(entry)); hint != "" {
			return Allowlist{}, fmt.Errorf("%w: entry %d of %d: %s", ErrAllowlist, k+1, len(entries), hint)
		}
	}
	switch {
	case list.allowEntries == 0:
		return Allowlist{}, fmt.Errorf("%w: no entry allows anybody; write name@example.com, @example.com, or * alone for everybody", ErrAllowlist)
	case list.everyone && list.allowEntries > 1:
		return Allowlist{}, fmt.Errorf("%w: * stands beside other allowing entries; write * alone, or leave it out", ErrAllowlist)
	}
	list.index()
	return list, nil
}

// add reads one entry and returns what to write instead, or "".
func (a *Allowlist) add(entry string) string {
	rest, deny := strings.CutPrefix(entry, "!")
	domain, isDomain := strings.CutPrefix(rest, "@")
	switch {
	case rest == "":
		return "it is empty; leave out the comma, or write name@example.com"
	case rest == "*" && deny:
		return "denying everybody is done by leaving sending switched off; write !name@example.com or !@example.com"
	case rest == "*":
		a.everyone = true
		a.allowEntries++
		return ""
	case strings.Contains(rest, "*"):
		return "* is no wildcard inside an entry; write @example.com for all of one domain, and each subdomain by itself"
	case isDomain:
		return a.addDomain(domain, deny)
	case !strings.Contains(rest, "@"):
		return "it has no @ sign; write @example.com for all of a domain, or name@example.com for one address"
	}
	return a.addAddress(rest, deny)
}

func (a *Allowlist) addDomain(domain string, deny bool) string {
	ascii, err := addr.ParseDomain(domain)
	if err != nil {
		return entryHint(err, "@example.com")
	}
	if deny {
		a.denyDomain[ascii] = true
		a.denyEntries++
		return ""
	}
	a.allowDomain[ascii] = true
	a.allowEntries++
	return ""
}

func (a *Allowlist) addAddress(spec string, deny bool) string {
	parsed, err := addr.ParseSpec(spec)
	if err != nil {
		return entryHint(err, "name@example.com")
	}
	if deny {
		a.denyAddress[parsed.Key()] = true
		a.denyEntries++
		return ""
	}
	a.allowAddress[parsed.Key()] = true
	a.allowEntries++
	return ""
}

func entryHint(err error, shape string) string {
	if hint := addr.Hint(err); hint != "" {
		return fmt.Sprintf("%s; %s", strings.TrimPrefix(err.Error(), "addr: "), hint)
	}
	return "write " + shape
}

// index prepares the listed domains for the look-alike check, once, in a stable order.
func (a *Allowlist) index() {
	names := map[string]bool{}
	for d := range a.allowDomain {
		names[d] = true
	}
	for key := range a.allowAddress {
		names[key[strings.LastIndexByte(key, '@')+1:]] = true
	}
	for d := range names {
		a.listedNames = append(a.listedNames, d)
	}
	slices.Sort(a.listedNames)
	for _, d := range a.listedNames {
		a.listed = append(a.listed, addr.NewShape(d))
	}
}

// Len is the number of allowing entries and of denying ones.
func (a Allowlist) Len() (allow, deny int) { return a.allowEntries, a.denyEntries }

// Everyone reports whether the entry "*" is in force.
func (a Allowlist) Everyone() bool { return a.everyone }

// Check decides about one address. A denying entry wins over every allowing one.
func (a Allowlist) Check(to addr.Address) Decision {
	switch {
	case to.IsZero() || a.denied(to):
		rule := RuleDenied
		if to.IsZero() {
			rule = RuleNone
		}
		return Decision{Code: CodeRecipientNotAllowed, Rule: rule}
	case a.allowAddress[to.Key()]:
		return Decision{Allowed: true, Rule: RuleAddress}
	case a.allowDomain[to.Domain]:
		return Decision{Allowed: true, Rule: RuleDomain}
	case a.everyone:
		return Decision{Allowed: true, Rule: RuleEveryone}
	}
	shape := addr.NewShape(to.Domain)
	for k, listed := range a.listed {
		if shape.LooksLike(listed) {
			return Decision{Code: CodeLookAlike, LookAlikeOf: a.listedNames[k]}
		}
	}
	return Decision{Code: CodeRecipientNotAllowed}
}

// denied: Security: servers deliver name+tag to name, and mail for a subdomain often ends where the domain's does, so a
// denying entry covers both.
func (a Allowlist) denied(to addr.Address) bool {
	key := to.Key()
	local, _, tagged := strings.Cut(key, "+")
	if a.denyAddress[key] || tagged && a.denyAddress[local+"@"+to.Domain] {
		return true
	}
	for domain := to.Domain; domain != ""; {
		if a.denyDomain[domain] {
			return true
		}
		_, domain, _ = strings.Cut(domain, ".")
	}
	return false
}
