package sanitize

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// Clean is text that passed this package and may stand in a tool result. Its zero value is the empty text.
// Only this package can make a non-empty Clean, so a raw string cannot reach a result by mistake.
// Clean is comparable and safe for concurrent use.
type Clean struct{ s string }

// String returns the text.
func (c Clean) String() string { return c.s }

// SafeText returns the text; tool results accept types that have this method.
func (c Clean) SafeText() string { return c.s }

// IsZero reports whether c is empty; encoding/json uses it for omitzero.
func (c Clean) IsZero() bool { return c.s == "" }

// Len returns the length in characters (code points).
func (c Clean) Len() int { return utf8.RuneCountInString(c.s) }

// MarshalJSON returns the text as a JSON string. It never fails.
func (c Clean) MarshalJSON() ([]byte, error) { return json.Marshal(c.s) }

// literal is unexported so that other packages can pass untyped string constants only: a string variable does
// not convert to it implicitly, and nobody outside can name it.
type literal string

// Literal returns our own words as Clean. It accepts a constant only.
func Literal(s literal) Clean { return Clean{string(s)} }

// Sprintf formats our own words around values, like fmt.Sprintf. Values of type Clean, booleans, numbers,
// time.Time and time.Duration print as they are; everything else (strings, errors, byte slices) is untrusted
// and passes Line with a limit of 500 characters first. Verbs and flags are those of fmt.
func Sprintf(format literal, args ...any) Clean {
	safe := make([]any, len(args))
	for i, a := range args {
		safe[i] = printable(a)
	}
	return Clean{fmt.Sprintf(string(format), safe...)}
}

// maxArgChars bounds one untrusted argument of Sprintf.
// Limit: long enough for a server's reply line (RFC 5321 §4.5.3.1.5 allows 512 octets).
const maxArgChars = 500

func printable(a any) any {
	switch v := a.(type) {
	case Clean:
		return v.s
	case bool, int, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64, float32, float64, time.Duration:
		return a
	case time.Time:
		return v
	case nil:
		return ""
	case string:
		return Line(v, maxArgChars).s
	case error:
		return Line(v.Error(), maxArgChars).s
	}
	return Line(fmt.Sprint(a), maxArgChars).s
}

// Join puts parts together with sep, one of our own constants, between them.
func Join(parts []Clean, sep literal) Clean {
	all := make([]string, len(parts))
	for i, p := range parts {
		all[i] = p.s
	}
	return Clean{strings.Join(all, string(sep))}
}
