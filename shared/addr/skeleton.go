package addr

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Skeleton maps a domain (U-label or A-label form) to what it looks like, in the manner of UTS #39 §4: two domains with
// one skeleton are easily mistaken for each other. The result is for comparing only, never for showing or sending.
func Skeleton(domain string) string {
	domain = strings.TrimSuffix(domain, ".")
	// ß and final sigma are characters of their own in a domain name (RFC 5894 §7.2), so the name is not folded, only lowered.
	lower := strings.ToLower(domainUnicode(strings.ToLower(domain)))
	var b strings.Builder
	for _, r := range norm.NFD.String(lower) {
		switch {
		case unicode.Is(unicode.Mn, r) || invisible(r):
		case r < 0x80:
			b.WriteByte(byte(r))
		default:
			b.WriteString(drawnLike(r))
		}
	}
	return strings.Map(asciiLike, pairs(b.String()))
}

func asciiLike(r rune) rune {
	switch r {
	case '0':
		return 'o'
	case '1', 'i', '|':
		return 'l'
	}
	return r
}

// pairs reads two letters that are drawn like one.
func pairs(s string) string {
	return strings.NewReplacer("rn", "m", "vv", "w", "cl", "d").Replace(s)
}

// LooksLike reports whether domain is a different domain that a person may take for other: the same skeleton, the
// same letters with hyphens moved, or other carried as leading labels ("example.com.attacker.example"). Both
// arguments may be in U-label or A-label form. Equal domains, and subdomains of other, are not look-alikes.
func LooksLike(domain, other string) bool { return NewShape(domain).LooksLike(NewShape(other)) }

// Shape is a domain prepared for many comparisons. The zero value looks like nothing. Safe for concurrent use.
type Shape struct{ name, bare, dotted string }

// NewShape prepares domain (U-label or A-label form).
func NewShape(domain string) Shape {
	name := canonical(domain)
	if name == "" {
		return Shape{}
	}
	skeleton := Skeleton(name)
	return Shape{name: name, bare: strings.ReplaceAll(skeleton, "-", ""), dotted: "." + strings.ReplaceAll(skeleton, "-", ".") + "."}
}

// LooksLike is as the function LooksLike.
func (s Shape) LooksLike(other Shape) bool {
	if s.name == "" || other.name == "" || s.name == other.name || strings.HasSuffix(s.name, "."+other.name) {
		return false
	}
	if s.bare == other.bare || strings.HasSuffix(s.bare, "."+other.bare) {
		return true
	}
	// Security: the first labels are what people read, and "listed-com" does for "listed.com".
	return strings.Contains(s.dotted, other.dotted)
}

// canonical is the A-label form where the domain has one, so that two spellings of one name are equal.
func canonical(domain string) string {
	domain = strings.ToLower(strings.TrimSuffix(domain, "."))
	if ascii, err := parseDomain(norm.NFC.String(domain)); err == nil {
		return ascii
	}
	return domain
}
