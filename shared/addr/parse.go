package addr

import (
	"net/netip"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
	"golang.org/x/text/unicode/norm"
)

const (
	maxInputOctets  = 1024 // Limit: four times the longest address; longer input is not looked at
	maxPathOctets   = 254  // RFC 5321 §4.5.3.1.3, without the angle brackets
	maxLocalOctets  = 64   // RFC 5321 §4.5.3.1.1
	maxDomainOctets = 253  // RFC 1035 §2.3.4, as text; RFC 5321 §4.5.3.1.2 allows 255
	maxLabelOctets  = 63   // RFC 1035 §2.3.4
)

// ParseSpec parses one bare addr-spec, strictly: a dot-atom, @, a host name with at least two labels. It accepts a domain
// in U-label or A-label form (both give the same Address) and a local part in NFC UTF-8 (see NeedsUTF8). Anything else
// that RFC 5322 allows around an address (display name, comment, quotes, route, group, literal, white space, folding) is
// refused with the error that names it. Limits: 64 octets before the @, 254 in all (RFC 5321 §4.5.3.1).
func ParseSpec(s string) (Address, error) {
	if err := checkText(s); err != nil {
		return Address{}, err
	}
	if err := checkTricks(s); err != nil {
		return Address{}, err
	}
	local, domain, err := cut(s)
	if err != nil {
		return Address{}, err
	}
	if err := checkLocal(local); err != nil {
		return Address{}, err
	}
	ascii, err := parseDomain(domain)
	if err != nil {
		return Address{}, err
	}
	if len(local)+1+len(ascii) > maxPathOctets {
		return Address{}, ErrTooLong
	}
	return Address{LocalPart: local, Domain: ascii}, nil
}

// ParseDomain parses one host name with at least two labels and returns it in lower-case A-label form. Its errors are
// those of ParseSpec that concern a domain.
func ParseDomain(s string) (string, error) {
	if err := checkText(s); err != nil {
		return "", err
	}
	return parseDomain(s)
}

// checkText refuses what no part of an address may hold, whatever its place.
func checkText(s string) error {
	switch {
	case s == "":
		return ErrEmpty
	case len(s) > maxInputOctets:
		return ErrTooLong
	case !utf8.ValidString(s):
		return ErrNotUTF8
	}
	for _, r := range s {
		switch {
		case unicode.IsControl(r) || r == '\u2028' || r == '\u2029':
			return ErrControl
		case invisible(r):
			return ErrInvisible
		case unicode.IsSpace(r) && r != ' ':
			return ErrSpace
		}
	}
	return nil
}

// checkTricks names the RFC 5322 syntax around an address that is refused. The order makes the most telling name win.
func checkTricks(s string) error {
	has := func(chars string) bool { return strings.ContainsAny(s, chars) }
	switch {
	case strings.HasPrefix(strings.TrimLeft(s, " <"), "@") && has(":"):
		return ErrRoute
	case has(`"`):
		if has("<>") {
			return ErrDisplayName
		}
		return ErrQuoted
	case has("()"):
		return ErrComment
	case has(":") && has(";"):
		return ErrGroup
	case has(",;"):
		return ErrList
	case has("<>"):
		return ErrDisplayName
	case has(" "):
		return ErrSpace
	}
	return nil
}

func cut(s string) (local, domain string, err error) {
	local, domain, found := strings.Cut(s, "@")
	switch {
	case !found:
		return "", "", ErrNoAt
	case strings.Contains(domain, "@"):
		return "", "", ErrManyAts
	case local == "":
		return "", "", ErrNoLocal
	case domain == "":
		return "", "", ErrNoDomain
	}
	return local, domain, nil
}

// checkLocal: dot-atom-text of RFC 5322 §3.2.3, with the UTF8-non-ascii of RFC 6532 §3.2 narrowed to letters, marks, digits.
func checkLocal(local string) error {
	switch {
	case len(local) > maxLocalOctets:
		return ErrLocalTooLong
	case local[0] == '.' || local[len(local)-1] == '.' || strings.Contains(local, ".."):
		return ErrDots
	case !norm.NFC.IsNormalString(local):
		return ErrNotNFC
	case !norm.NFKC.IsNormalString(local):
		return ErrLocalChar
	case strings.ContainsAny(local, "%!"):
		// Security: "user%elsewhere@listed.example" is routed on by servers that still honour the old syntax.
		return ErrRoute
	}
	for atom := range strings.SplitSeq(local, ".") {
		if err := checkAtom(atom); err != nil {
			return err
		}
	}
	if mixedScripts(local) {
		return ErrMixedScript
	}
	return nil
}

func checkAtom(atom string) error {
	for k, r := range atom {
		switch {
		case r < 0x80:
			if !isAtext(byte(r)) {
				return ErrLocalChar
			}
		case !unicode.In(r, unicode.L, unicode.M, unicode.Nd):
			return ErrLocalChar
		case k == 0 && unicode.Is(unicode.M, r):
			return ErrLocalChar
		}
	}
	return nil
}

// isAtext: RFC 5322 §3.2.3.
func isAtext(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("!#$%&'*+-/=?^_`{|}~", c) >= 0
}

func parseDomain(s string) (string, error) {
	switch {
	case strings.HasPrefix(s, "[") || strings.HasSuffix(s, "]"):
		return "", ErrLiteral
	case strings.HasSuffix(s, "."):
		return "", ErrTrailingDot
	case !norm.NFC.IsNormalString(s):
		return "", ErrNotNFC
	}
	if _, err := netip.ParseAddr(s); err == nil {
		return "", ErrLiteral
	}
	ascii, err := toASCII(strings.ToLower(s))
	if err != nil {
		return "", err
	}
	if len(ascii) > maxDomainOctets {
		return "", ErrDomainTooLong
	}
	return ascii, checkTopLabel(ascii)
}

// checkTopLabel wants a second label, and a top label that is no number (RFC 3696 §2): "1.2.3" is half an address.
func checkTopLabel(ascii string) error {
	dot := strings.LastIndexByte(ascii, '.')
	if dot < 0 {
		return ErrSingleLabel
	}
	if strings.Trim(ascii[dot+1:], "0123456789") == "" {
		return ErrLiteral
	}
	return nil
}

func toASCII(domain string) (string, error) {
	labels := strings.Split(domain, ".")
	for k, label := range labels {
		ascii, err := labelASCII(label)
		if err != nil {
			return "", err
		}
		labels[k] = ascii
	}
	joined := strings.Join(labels, ".")
	// The rules for right-to-left text concern the whole name (RFC 5893 §1.4).
	if _, err := strictIDNA().ToUnicode(joined); err != nil {
		return "", ErrIDN
	}
	return joined, nil
}

// labelASCII turns one lower-case label into its A-label, and back, to be sure that both name the same.
func labelASCII(label string) (string, error) {
	if isASCII(label) && !strings.HasPrefix(label, "xn--") {
		return label, checkLDH(label)
	}
	ulabel, encoded := label, strings.HasPrefix(label, "xn--")
	if encoded {
		if len(label) > maxLabelOctets {
			return "", ErrLabelTooLong
		}
		decoded, err := strictIDNA().ToUnicode(label)
		if err != nil || isASCII(decoded) {
			return "", ErrALabel
		}
		ulabel = decoded
	}
	switch {
	case mixedScripts(ulabel):
		return "", ErrMixedScript
	case !isULabel(ulabel) && encoded:
		return "", ErrALabel
	case !isULabel(ulabel):
		return "", ErrIDN
	}
	ascii, err := strictIDNA().ToASCII(ulabel)
	switch {
	case encoded && (err != nil || ascii != label):
		return "", ErrALabel
	case len(ascii) > maxLabelOctets:
		return "", ErrLabelTooLong
	case err != nil:
		return "", ErrIDN
	}
	return ascii, checkLDH(ascii)
}

// isULabel keeps to what RFC 5892 §2 allows in a label, which the tables of UTS #46 exceed: letters, marks, digits, the
// hyphen, and the middle dot between two l and the katakana one (RFC 5892 appendices A.3 and A.7).
func isULabel(label string) bool {
	runes := []rune(label)
	for k, r := range runes {
		switch {
		case r == '-' || r == '・' || unicode.In(r, unicode.L, unicode.M, unicode.Nd):
		case r == '·' && k > 0 && k < len(runes)-1 && runes[k-1] == 'l' && runes[k+1] == 'l':
		default:
			return false
		}
	}
	return true
}

// strictIDNA maps nothing (RFC 5891 §4): what is not a valid label as written is refused, not read as another one.
func strictIDNA() *idna.Profile {
	return idna.New(idna.ValidateLabels(true), idna.StrictDomainName(true), idna.CheckHyphens(true), idna.CheckJoiners(true),
		idna.BidiRule(), idna.Transitional(false))
}

// checkLDH: letters, digits, inner hyphens (RFC 1123 §2.1), and no "--" in third place but for A-labels (RFC 5891 §4.2.3.1).
func checkLDH(label string) error {
	switch {
	case label == "":
		return ErrDomainChar
	case len(label) > maxLabelOctets:
		return ErrLabelTooLong
	case label[0] == '-' || label[len(label)-1] == '-':
		return ErrDomainChar
	case len(label) > 3 && label[2:4] == "--" && !strings.HasPrefix(label, "xn--"):
		return ErrDomainChar
	}
	for k := range len(label) {
		c := label[k]
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' {
			return ErrDomainChar
		}
	}
	return nil
}
