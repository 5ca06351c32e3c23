package sanitize

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// This file finds the tokens of a text that could be codes, by their shape alone.

// nextCandidate finds the next token that could be a code, in one piece or in groups joined by single spaces or hyphens.
func nextCandidate(s string, i int) (start, end int) {
	for from := i; i < len(s); {
		k := strings.IndexFunc(s[i:], func(r rune) bool { return r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' })
		if k < 0 {
			return -1, -1
		}
		start = i + k
		for start > from && i+k-start < maxCodeChars && isAlpha(s[start-1]) {
			start-- // "k7f3q9" begins before its first digit
		}
		if before, _ := utf8.DecodeLastRuneInString(s[:start]); partOfWord(before) {
			i = max(i+k, start+tokenLen(s[start:]))
			continue
		}
		end = start + groupedLen(s[start:])
		if shapeOf(s[start:end]) != noShape && !inNumber(s, start, end) {
			return start, end
		}
		i = start + max(1, tokenLen(s[start:]))
	}
	return -1, -1
}

// partOfWord reports characters that make what follows a part of something longer. Han and kana do not: they stand
// beside a number without a space.
func partOfWord(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) && !unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai) || unicode.IsDigit(r) || r == '_')
}

func tokenLen(s string) int {
	k := 0
	for k < len(s) && (isAlnum(s[k]) || s[k] == '_') {
		k++
	}
	return max(k, 1)
}

// groupedLen is the length of a token and of the digit or capital groups that follow it after one space or hyphen.
func groupedLen(s string) int {
	end := tokenLen(s)
	first := s[:end]
	digits := strings.Trim(first, "0123456789") == ""
	for end < len(s)-1 && end < 20 && (s[end] == ' ' || s[end] == '-') {
		n := tokenLen(s[end+1:])
		group := s[end+1 : end+1+n]
		if digits && (strings.Trim(group, "0123456789") != "" || n > 4 || len(first) > 4) {
			break
		}
		if !digits && (s[end] != '-' || strings.ToUpper(group) != group || n < 2) {
			break
		}
		end += 1 + n
	}
	return end
}

// How much a token looks like a code.
type codeShape uint8

const (
	noShape   codeShape = iota
	weakShape           // small letters and digits, or groups of capitals: a code only where it stands alone
	fullShape           // 4 to 8 digits, or 5 to 12 capitals and digits with at least two digits or a hyphen
)

// maxCodeChars is the length of the longest code of letters and digits.
const maxCodeChars = 12

func shapeOf(s string) codeShape {
	var digits, capitals, small int
	groups := 1
	for k := 0; k < len(s); k++ {
		switch {
		case s[k] >= '0' && s[k] <= '9':
			digits++
		case s[k] >= 'A' && s[k] <= 'Z':
			capitals++
		case s[k] >= 'a' && s[k] <= 'z':
			small++
		case s[k] == '-' || s[k] == ' ':
			groups++
		default:
			return noShape
		}
	}
	n := digits + capitals + small
	switch {
	case capitals+small == 0:
		if digits >= 4 && digits <= 8 && (groups <= 2 || groups == digits || groups == 3 && digits == 6) {
			return fullShape
		}
	case n < 5 || n > maxCodeChars || groups > 3:
	case small > 0:
		if digits >= 2 && groups == 1 {
			return weakShape
		}
	case digits >= 2, digits >= 1 && groups > 1:
		return fullShape
	case digits == 0 && groups == 2 && n%2 == 0 && n >= 8 && strings.IndexAny(s, "- ") == n/2:
		return weakShape
	}
	return noShape
}

// inNumber reports that the token is a piece of a longer number, a price, a date, a time, a telephone number or an address.
func inNumber(s string, start, end int) bool {
	if mark := clip(s, max(0, start-90), start); strings.LastIndex(mark, markOpen) > strings.LastIndex(mark, markClose) {
		return true
	}
	before, _ := utf8.DecodeLastRuneInString(s[:start])
	after, _ := utf8.DecodeRuneInString(s[end:])
	if start > 0 && strings.ContainsRune("$€£¥₹₽₺₩₴.,/+#%@=&_-\\'", before) && !(before == '-' && strings.HasSuffix(s[:start], "G-")) {
		if before != '.' && before != ',' || start < 2 || isDigit(s[start-2]) {
			return before != '\''
		}
	}
	if end < len(s) {
		if unicode.In(after, unicode.Sc) || after == '%' || after == '@' || after == '/' || after == '_' || after == '°' || partOfWord(after) {
			return true
		}
		if (after == '.' || after == ',' || after == ':' || after == '-' || after == '/') && end+1 < len(s) && isDigit(s[end+1]) {
			return true
		}
	}
	if start >= 2 && (before == ' ' || before == '(' || before == ')') && (isDigit(s[start-2]) || s[start-2] == '+' || s[start-2] == ')') {
		return true
	}
	return end+1 < len(s) && s[end] == ' ' && isDigit(s[end+1])
}
