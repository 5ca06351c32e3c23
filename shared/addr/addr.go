package addr

import (
	"errors"
	"strings"

	"golang.org/x/net/idna"
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Address is one mail address that passed the strict parser, or a configured identity. The zero value is no address.
// Values are immutable by convention and safe for concurrent use.
type Address struct {
	DisplayName string // for the From identity only; ParseSpec never sets it
	LocalPart   string // as written, in NFC; a dot-atom, so it never needs quoting
	Domain      string // lower case, in A-label (ASCII) form, without a trailing dot
}

// Reasons for a refusal. Every error of ParseSpec and ParseDomain wraps exactly one of them and never repeats the value.
var (
	ErrEmpty         = errors.New("addr: nothing there")
	ErrTooLong       = errors.New("addr: address longer than 254 octets")
	ErrLocalTooLong  = errors.New("addr: local part longer than 64 octets")
	ErrDomainTooLong = errors.New("addr: domain longer than 253 octets")
	ErrLabelTooLong  = errors.New("addr: domain label longer than 63 octets")
	ErrNotUTF8       = errors.New("addr: not valid UTF-8")
	ErrControl       = errors.New("addr: control character or line break")
	ErrInvisible     = errors.New("addr: invisible or direction-changing character")
	ErrSpace         = errors.New("addr: white space")
	ErrDisplayName   = errors.New("addr: display name or angle brackets")
	ErrComment       = errors.New("addr: comment in parentheses")
	ErrQuoted        = errors.New("addr: quoted local part")
	ErrRoute         = errors.New("addr: source route")
	ErrGroup         = errors.New("addr: group syntax")
	ErrList          = errors.New("addr: more than one address")
	ErrNoAt          = errors.New("addr: no @ sign")
	ErrManyAts       = errors.New("addr: more than one @ sign")
	ErrNoLocal       = errors.New("addr: nothing before the @ sign")
	ErrNoDomain      = errors.New("addr: nothing after the @ sign")
	ErrDots          = errors.New("addr: local part starts or ends with a dot, or has two dots in a row")
	ErrLocalChar     = errors.New("addr: character that an unquoted local part cannot hold")
	ErrLiteral       = errors.New("addr: IP address instead of a domain name")
	ErrTrailingDot   = errors.New("addr: trailing dot after the domain")
	ErrDomainChar    = errors.New("addr: not a host name")
	ErrSingleLabel   = errors.New("addr: domain without a dot")
	ErrNotNFC        = errors.New("addr: not in Unicode normalisation form C")
	ErrMixedScript   = errors.New("addr: letters of several scripts in one name")
	ErrIDN           = errors.New("addr: not a valid internationalised domain name")
	ErrALabel        = errors.New("addr: xn-- label that does not round-trip")
)

// AddrSpec is the address as it is written on the wire and in header fields: local part, @, domain in A-label form.
func (a Address) AddrSpec() string { return a.LocalPart + "@" + a.Domain }

// IsZero reports whether a is no address at all.
func (a Address) IsZero() bool { return a.LocalPart == "" && a.Domain == "" }

// NeedsUTF8 reports whether the local part is not ASCII, so that the address can be used only where the server offers
// SMTPUTF8 (RFC 6531).
func (a Address) NeedsUTF8() bool { return !isASCII(a.LocalPart) }

// Key is the form for comparing two addresses: case-folded local part, @, A-label domain. Two addresses with the same
// key are treated as one recipient. Sub-addresses (name+tag) have keys of their own. The key of a key's address is itself.
func (a Address) Key() string { return foldLocal(a.LocalPart) + "@" + strings.ToLower(a.Domain) }

// foldLocal folds until nothing changes: normalising can bring a character back that folds again.
func foldLocal(s string) string {
	if isASCII(s) {
		return strings.ToLower(s)
	}
	for range 4 {
		next := norm.NFC.String(cases.Fold().String(s))
		if next == s {
			break
		}
		s = next
	}
	return s
}

// DomainASCII is the domain in A-label form.
func (a Address) DomainASCII() string { return a.Domain }

// DomainUnicode is the domain in U-label form where every label decodes, otherwise as DomainASCII.
func (a Address) DomainUnicode() string { return domainUnicode(a.Domain) }

func domainUnicode(domain string) string {
	if u, err := idna.Display.ToUnicode(domain); err == nil {
		return u
	}
	return domain
}

// Unicode is the address as people know it: local part, @, domain in U-label form.
func (a Address) Unicode() string { return a.LocalPart + "@" + a.DomainUnicode() }

func isASCII(s string) bool {
	for k := range len(s) {
		if s[k] >= 0x80 {
			return false
		}
	}
	return true
}
