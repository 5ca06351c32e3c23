package sanitize

import "strings"

const referenceScheme = "imap://"

// Reference returns ref, a message reference as readmail writes it, unchanged: it must begin with "imap://" and consist of
// the unreserved characters of RFC 3986 §2.3, "%", "/", ";" and "=". Anything else goes through Line.
//
// Security: the scheme keeps a web address from passing unbroken, and no character of the set begins markup.
func Reference(ref string) Clean {
	rest, ok := strings.CutPrefix(ref, referenceScheme)
	if !ok || strings.ContainsFunc(rest, notInReference) {
		return Line(ref, 0)
	}
	return Clean{ref}
}

func notInReference(r rune) bool {
	switch {
	case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
		return false
	}
	return !strings.ContainsRune("-._~%/;=", r)
}

// Opaque returns token, an opaque value that we made ourselves (a cursor, a digest), unchanged if it consists of
// letters, digits, "-" and "_" only; anything else goes through Line.
func Opaque(token string) Clean {
	if strings.ContainsFunc(token, func(r rune) bool { return notInReference(r) && r != '_' || strings.ContainsRune(".~%/;=", r) }) {
		return Line(token, 0)
	}
	return Clean{token}
}

// Ellipsis returns c, cut to maxChars characters with "…" at the end if it is longer.
func Ellipsis(c Clean, maxChars int) Clean {
	if c.Len() <= maxChars {
		return c
	}
	return Clean{Slice(c, 0, maxChars-1).s + "…"}
}

// OneLine returns c with every run of white space, line ends included, as one space.
func OneLine(c Clean) Clean { return Clean{strings.Join(strings.Fields(c.s), " ")} }
