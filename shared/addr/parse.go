package addr

import "errors"

// ParseSpec parses one bare addr-spec, strictly: a dot-atom, @, a host name with at least two labels. It accepts a domain
// in U-label or A-label form (both give the same Address) and a local part in NFC UTF-8 (see NeedsUTF8). Anything else
// that RFC 5322 allows around an address (display name, comment, quotes, route, group, literal, white space, folding) is
// refused with the error that names it. Limits: 64 octets before the @, 254 in all (RFC 5321 §4.5.3.1).
func ParseSpec(s string) (Address, error) { return Address{}, errors.New("addr: not built yet") }

// ParseDomain parses one host name with at least two labels and returns it in lower-case A-label form. Its errors are
// those of ParseSpec that concern a domain.
func ParseDomain(s string) (string, error) { return "", errors.New("addr: not built yet") }

// Hint says what to write instead, for an error of this package, in one short sentence without the value refused.
func Hint(err error) string { return "" }

// NeedsUTF8 reports whether the local part is not ASCII, so that the address can be used only where the server offers
// SMTPUTF8 (RFC 6531).
func (a Address) NeedsUTF8() bool { return false }

// Key is the form for comparing two addresses: case-folded local part, @, A-label domain. Two addresses with the same
// key are treated as one recipient. Sub-addresses (name+tag) have keys of their own.
func (a Address) Key() string { return "" }

// DomainASCII is the domain in A-label form.
func (a Address) DomainASCII() string { return a.Domain }

// DomainUnicode is the domain in U-label form where every label decodes, otherwise as DomainASCII.
func (a Address) DomainUnicode() string { return a.Domain }

// Unicode is the address as people know it: local part, @, domain in U-label form.
func (a Address) Unicode() string { return a.LocalPart + "@" + a.DomainUnicode() }

// Skeleton maps a domain (U-label or A-label form) to what it looks like, in the manner of UTS #39 §4: two domains with
// one skeleton are easily mistaken for each other. The result is for comparing only, never for showing or sending.
func Skeleton(domain string) string { return domain }

// LooksLike reports whether domain is a different domain that a person may take for other: the same skeleton, the
// same letters with hyphens moved, or other carried as leading labels ("example.com.attacker.example"). Both
// arguments may be in U-label or A-label form. Equal domains, and subdomains of other, are not look-alikes.
func LooksLike(domain, other string) bool { return false }
