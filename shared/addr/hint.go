package addr

import "errors"

// Hint says what to write instead, for an error of this package, in one short sentence without the value refused. It
// returns "" for other errors.
func Hint(err error) string {
	is := func(targets ...error) bool {
		for _, t := range targets {
			if errors.Is(err, t) {
				return true
			}
		}
		return false
	}
	switch {
	case is(ErrDisplayName, ErrComment, ErrGroup, ErrSpace):
		return "write the bare address only, such as name@example.com"
	case is(ErrList):
		return "write one address per entry"
	case is(ErrQuoted, ErrLocalChar, ErrDots):
		return "write the part before the @ as letters, digits and . _ - + only"
	case is(ErrRoute):
		return "write the final address only, without a route (no %, no !, no @relay:)"
	case is(ErrLiteral):
		return "write a domain name instead of an IP address"
	case is(ErrTrailingDot):
		return "leave out the dot at the end"
	case is(ErrSingleLabel, ErrDomainChar, ErrNoDomain):
		return "write the full domain name, such as example.com"
	case is(ErrNoAt, ErrManyAts, ErrNoLocal, ErrEmpty):
		return "write name@example.com"
	case is(ErrTooLong, ErrLocalTooLong, ErrDomainTooLong, ErrLabelTooLong):
		return "shorten it: 64 octets before the @, 63 in each part of the domain, 254 in all"
	case is(ErrControl, ErrInvisible, ErrNotUTF8, ErrNotNFC):
		return "type the address again instead of pasting it"
	case is(ErrMixedScript, ErrIDN, ErrALabel):
		return "write the domain as its owner registered it; one alphabet per name"
	}
	return ""
}
