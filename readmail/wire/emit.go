package wire

import "strconv"

// appendString writes a string in strict form: quoted if it is short printable ASCII, else a literal.
func appendString(out, s []byte) []byte {
	if len(s) > maxQuotedOctets || !quotable(s) {
		return appendLiteral(out, s)
	}
	return appendQuoted(out, s)
}

const maxQuotedOctets = 1 << 10

func quotable(s []byte) bool {
	for _, c := range s {
		if c < 0x20 || c > 0x7e {
			return false
		}
	}
	return true
}

func appendQuoted(out, s []byte) []byte {
	out = append(out, '"')
	for _, c := range s {
		if c == '"' || c == '\\' {
			out = append(out, '\\')
		}
		out = append(out, c)
	}
	return append(out, '"')
}

func appendLiteral(out, s []byte) []byte {
	out = append(out, '{')
	out = strconv.AppendInt(out, int64(len(s)), 10)
	out = append(out, "}\r\n"...)
	return append(out, s...)
}

// appendText writes the human-readable text of a response in one line.
func appendText(out, s []byte) []byte {
	for _, c := range s {
		if c == 0 || c == '\r' || c == '\n' {
			c = ' '
		}
		out = append(out, c)
	}
	return out
}

// isAtomOctet: RFC 9051 §9 ATOM-CHAR without the octets go-imap refuses.
func isAtomOctet(c byte) bool {
	switch c {
	case '(', ')', '{', ' ', '%', '*', '"', '\\', ']':
		return false
	}
	return c > 0x20 && c < 0x7f
}

func isAtom(b []byte) bool {
	for _, c := range b {
		if !isAtomOctet(c) {
			return false
		}
	}
	return len(b) > 0
}

// isFlag: atom with an optional backslash, or "\*".
func isFlag(b []byte) bool {
	if len(b) > 1 && b[0] == '\\' {
		b = b[1:]
		if len(b) == 1 && b[0] == '*' {
			return true
		}
	}
	return isAtom(b)
}
