package adapt

import (
	"encoding/base64"
	"math/rand/v2"
	"net/url"
	"strings"
	"unicode/utf8"
)

// at picks a place between two characters.
func at(r *rand.Rand, s string) int {
	i := r.IntN(len(s) + 1)
	for i > 0 && i < len(s) && !utf8.RuneStart(s[i]) {
		i--
	}
	return i
}

// insert puts one of the pieces somewhere.
func insert(name string, pieces ...string) Op {
	return Op{name, func(r *rand.Rand, s string) string {
		i := at(r, s)
		return s[:i] + pieces[r.IntN(len(pieces))] + s[i:]
	}}
}

// swap replaces one occurrence of something by something else.
func swap(name string, pairs ...string) Op {
	return Op{name, func(r *rand.Rand, s string) string {
		k := 2 * r.IntN(len(pairs)/2)
		n := strings.Count(s, pairs[k])
		if n == 0 {
			return s
		}
		skip, from := r.IntN(n), 0
		for range skip {
			from += strings.Index(s[from:], pairs[k]) + len(pairs[k])
		}
		i := from + strings.Index(s[from:], pairs[k])
		return s[:i] + pairs[k+1] + s[i+len(pairs[k]):]
	}}
}

// general are operators for any text.
func general() []Op {
	return []Op{
		insert("a space or break", " ", "\t", "\n", "\r\n", "\r", "\v", "\f", "\u0085", "\u2028", "\u00a0"),
		insert("something invisible", "\u200b", "\u200d", "\u00ad", "\u202e", "\u2066", "\ufe0f", "\U000e0041", "\x00", "\x1b"),
		swap("a look-alike letter", "a", "\u0430", "e", "\u0435", "o", "\u043e", "p", "\u0440", "c", "\u0441", "l", "1", "o", "0", ".", "\u3002", "@", "\uff20", ".", "\uff0e"),
		swap("the case", "a", "A", "e", "E", "s", "S", "i", "I"),
		swap("a percent sign", "/", "%2f", ".", "%2e", "@", "%40", "<", "%3c", ":", "%3a"),
		swap("a reference", "<", "&lt;", ":", "&#58;", "a", "&#97;", "@", "&#64;", "/", "&#x2f;", "s", "&#115;"),
		{"doubled", func(r *rand.Rand, s string) string {
			i, j := at(r, s), at(r, s)
			if i > j {
				i, j = j, i
			}
			return s[:j] + s[i:j] + s[j:]
		}},
		{"shortened", func(r *rand.Rand, s string) string {
			i, j := at(r, s), at(r, s)
			if i > j {
				i, j = j, i
			}
			return s[:i] + s[j:]
		}},
		{"base64", func(_ *rand.Rand, s string) string {
			if len(s) > 500 {
				return s
			}
			return "=?utf-8?b?" + base64.StdEncoding.EncodeToString([]byte(s)) + "?="
		}},
		{"escaped", func(_ *rand.Rand, s string) string {
			if len(s) > 500 {
				return s
			}
			return url.QueryEscape(s)
		}},
	}
}

func ops(more ...Op) []Op { return append(general(), more...) }
