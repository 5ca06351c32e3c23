package policy

import (
	"errors"

	"mailgap/shared/addr"
)

// Allowlist says who may be written to. The zero value allows nobody. It is immutable and safe for concurrent use.
type Allowlist struct{}

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
	LookAlikeOf string // the listed domain that the address's domain resembles, in U-label form
}

// ParseAllowlist reads the entries: name@example.com, @example.com, "*" (no other allowing entry beside it),
// !name@example.com and !@example.com to deny. Every malformed entry is refused; the error counts the entry from 1, says what
// to write, and does not repeat it. A list without an allowing entry is refused.
func ParseAllowlist(entries []string) (Allowlist, error) {
	return Allowlist{}, errors.New("policy: not built yet")
}

// Len is the number of allowing entries and of denying ones.
func (a Allowlist) Len() (allow, deny int) { return 0, 0 }

// Everyone reports whether the entry "*" is in force.
func (a Allowlist) Everyone() bool { return false }

// Check decides about one address. A denying entry wins over every allowing one.
func (a Allowlist) Check(to addr.Address) Decision { return Decision{} }
