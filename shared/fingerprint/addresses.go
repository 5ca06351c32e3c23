package fingerprint

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxPrefixes bounds how many shorter domains are read out of one that runs into the next word ("example.com.Please").
const maxPrefixes = 3

// addresses finds the addresses in s: what stands around each @ and around the ways to write one.
func (f *finder) addresses(s string) {
	for i := 0; i < len(s); {
		n := atSign(s, i)
		if n == 0 {
			i++
			continue
		}
		f.around(s[:i], s[i+n:], n > 1 || s[i] != '@')
		i += n
	}
}

// atSign returns how many octets at s[i] stand for an @, or 0: "@", "(at)", "[at]", " at ".
func atSign(s string, i int) int {
	switch s[i] {
	case '@':
		return 1
	case '(', '[', '{', '<':
		end := min(len(s), i+8)
		inner, _, closed := strings.Cut(s[i+1:end], string(closing(s[i])))
		switch strings.ToLower(strings.TrimSpace(inner)) {
		case "at", "@", "ät", "arroba", "a":
			if closed {
				return len(inner) + 2
			}
		}
	case ' ':
		if i+4 <= len(s) && strings.EqualFold(s[i:i+4], " at ") {
			return 4
		}
	}
	return 0
}

func closing(open byte) byte {
	switch open {
	case '(':
		return ')'
	case '[':
		return ']'
	case '{':
		return '}'
	}
	return '>'
}

// around reads the local part at the end of left and the domain at the start of right.
func (f *finder) around(left, right string, repaired bool) {
	local, spacedLeft := localBefore(left)
	domain, damaged := domainAfter(right)
	if local == "" || domain == "" || !strings.Contains(domain, ".") && !strings.Contains(local, ".") {
		return
	}
	repaired = repaired || spacedLeft || damaged
	f.address(local, domain, repaired)
	plain := asciiStart(domain) // a text of another script that runs into the address is not meant
	for _, core := range cores(local) {
		f.pair(core, strings.TrimRight(domain, ".-"), local, domain)
		f.pair(asciiEnd(core), plain, local, domain)
		labels := strings.Split(plain, ".")
		for n := len(labels) - 1; n >= 2 && n >= len(labels)-maxPrefixes; n-- {
			f.pair(asciiEnd(core), strings.Join(labels[:n], "."), local, domain)
		}
	}
}

// cores are what may be meant of a local part that runs into the text before it: without signs around it, what follows the last
// sign that is legal but rare, and what follows the last underscore.
func cores(local string) []string {
	const rare = "'`*/=~!#$&|?^{}%"
	out := []string{strings.Trim(local, rare+".-_")}
	for _, signs := range []string{rare, "_"} {
		if i := strings.LastIndexAny(out[0], signs); i >= 0 {
			out = append(out, out[0][i+1:])
		}
	}
	return out
}

// pair adds a repaired reading if it differs from what stands there.
func (f *finder) pair(local, domain, wasLocal, wasDomain string) {
	if (local != wasLocal || domain != wasDomain) && strings.Contains(local+domain, ".") {
		f.address(local, strings.Trim(domain, "."), true)
	}
}

// localBefore reads backwards from an @. repaired says that blanks were left out.
func localBefore(s string) (local string, repaired bool) {
	trimmed := strings.TrimRight(s, " \t\r\n")
	start := len(trimmed)
	for start > 0 && len(trimmed)-start < maxLocalOctets {
		r, n := utf8.DecodeLastRuneInString(trimmed[:start])
		if !localRune(r) {
			break
		}
		start -= n
	}
	local = trimmed[start:]
	if utf8.RuneCountInString(local) == 1 {
		if spaced := spacedBefore(trimmed); utf8.RuneCountInString(spaced) > 1 {
			return spaced, true
		}
	}
	return local, len(trimmed) != len(s)
}

// spacedBefore joins letters that stand alone before an @: "n a m e".
func spacedBefore(s string) string {
	out := ""
	for len(out) < maxLocalOctets && s != "" {
		r, n := utf8.DecodeLastRuneInString(s)
		before := s[:len(s)-n]
		if !localRune(r) || before != "" && !blankEnd(before) {
			break
		}
		out, s = string(r)+out, strings.TrimRight(before, " \t")
	}
	return out
}

func blankEnd(s string) bool { return s[len(s)-1] == ' ' || s[len(s)-1] == '\t' || s[len(s)-1] == '\n' }

func localRune(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("!#$%&'*+-/=?^_`{|}~.", r)
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}

func labelRune(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_'
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}

// domainAfter reads forwards from an @. damaged says that blanks were left out, or that something else stood for a dot.
func domainAfter(s string) (domain string, damaged bool) {
	var b strings.Builder
	trimmed := strings.TrimLeft(s, " \t\r\n")
	damaged = len(trimmed) != len(s)
	s = trimmed
	for b.Len() < maxDomainOctets {
		label := labelAt(s)
		if label == "" {
			break
		}
		rest := s[len(label):]
		if utf8.RuneCountInString(label) == 1 {
			if spaced, after := spacedAfter(s); utf8.RuneCountInString(spaced) > 1 {
				label, rest, damaged = spaced, after, true
			}
		}
		b.WriteString(label)
		n, clean := dot(rest)
		if n == 0 || labelAt(rest[n:]) == "" {
			break
		}
		b.WriteByte('.')
		s, damaged = rest[n:], damaged || !clean
	}
	return b.String(), damaged
}

func labelAt(s string) string {
	for i, r := range s {
		if !labelRune(r) || i > maxDomainOctets {
			return s[:i]
		}
	}
	return s
}

// spacedAfter joins letters that stand alone: "n a m e . c o m" gives "name" and what follows.
func spacedAfter(s string) (label, rest string) {
	for len(label) < maxDomainOctets {
		r, n := utf8.DecodeRuneInString(s)
		if n == 0 || !labelRune(r) {
			break
		}
		after := s[n:]
		if next, _ := utf8.DecodeRuneInString(after); after != "" && labelRune(next) {
			break // a word, not a letter
		}
		label, rest = label+string(r), after
		s = strings.TrimLeft(after, " \t")
	}
	return label, rest
}

// dot returns how many octets at the start of s stand for a dot between two labels, 0 if none. clean: it is a plain one.
func dot(s string) (n int, clean bool) {
	blanks := leadingBlanks(s)
	t := s[blanks:]
	if t == "" {
		return 0, false
	}
	mark := 0
	switch t[0] {
	case '.':
		if blanks == 0 && (len(t) == 1 || !strings.ContainsRune(" \t\r\n", rune(t[1]))) {
			return 1, true
		}
		if blanks == 0 {
			return wrapped(t)
		}
		mark = 1
	case ',':
		if blanks > 0 || len(t) > 1 && strings.ContainsRune(" \t\r\n", rune(t[1])) {
			return 0, false // a comma in a sentence
		}
		return 1, false
	case '(', '[', '{':
		inner, _, closed := strings.Cut(t[1:min(len(t), 9)], string(closing(t[0])))
		switch strings.ToLower(strings.TrimSpace(inner)) {
		case "dot", ".", "punkt", "point", "punto":
			if closed {
				mark = len(inner) + 2
			}
		}
	case 'd', 'D':
		if blanks > 0 && len(t) > 4 && strings.EqualFold(t[:4], "dot ") {
			mark = 3
		}
	}
	if mark == 0 {
		return 0, false
	}
	return blanks + mark + leadingBlanks(t[mark:]), false
}

// wrapped is a dot at the end of a line or of a sentence. Only a line that goes on with a short lower-case label is a name.
func wrapped(t string) (int, bool) {
	n := 1 + leadingBlanks(t[1:])
	label := labelAt(t[n:])
	if len(label) < 2 || len(label) > 6 || strings.ToLower(label) != label || strings.ContainsAny(label, "0123456789_") {
		return 0, false
	}
	return n, false
}

func leadingBlanks(s string) int {
	n := 0
	for n < len(s) && n < 4 && strings.IndexByte(" \t\r\n", s[n]) >= 0 {
		n++
	}
	return n
}

// asciiEnd is the ASCII at the end of s.
func asciiEnd(s string) string {
	i := len(s)
	for i > 0 && s[i-1] < utf8.RuneSelf {
		i--
	}
	return s[i:]
}

// asciiStart is the ASCII at the start of s.
func asciiStart(s string) string {
	i := 0
	for i < len(s) && s[i] < utf8.RuneSelf {
		i++
	}
	return s[:i]
}
