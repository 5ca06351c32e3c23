package fingerprint

import (
	"strings"
	"unicode/utf8"
)

// maxIBANOctets is an account number with separators.
const maxIBANOctets = 60

// urls finds URLs with a scheme.
func (f *finder) urls(s string) {
	for i := 0; i < len(s); {
		k := strings.Index(s[i:], "://")
		if k < 0 {
			break
		}
		k += i
		scheme := schemeBefore(s[:k])
		end := k + 3
		for end < len(s) && end-k < maxURLOctets && !urlEnd(s[end]) {
			end++
		}
		if scheme != "" {
			f.url(scheme, strings.TrimRight(s[k+3:end], ".,;:!?"))
		}
		i = max(end, k+3)
	}
}

// schemeBefore reads the scheme that ends at the end of s. "hxxp" is how people write a link that is not to be opened.
func schemeBefore(s string) string {
	start := len(s)
	for start > 0 && len(s)-start < 12 && (s[start-1]|0x20 >= 'a' && s[start-1]|0x20 <= 'z') {
		start--
	}
	return strings.NewReplacer("hxxp", "http").Replace(strings.ToLower(s[start:]))
}

func urlEnd(c byte) bool { return c <= ' ' || strings.IndexByte("<>\"`|\\^{}", c) >= 0 || c == 0x7f }

// url adds a URL and its parts. rest is what follows "://".
func (f *finder) url(scheme, rest string) {
	rest, _, _ = strings.Cut(rest, "#")
	for _, open := range []string{"()", "[]"} {
		// A closing bracket that was not opened in the URL belongs to the text around it.
		if i := strings.IndexByte(rest, open[1]); i >= 0 && !strings.Contains(rest[:i], open[:1]) {
			rest = rest[:i]
		}
	}
	split := strings.IndexAny(rest, "/?")
	if split < 0 {
		split = len(rest)
	}
	host, path := rest[:split], rest[split:]
	damaged := strings.Contains(host, "[.]") || strings.Contains(host, "(.)")
	host = strings.NewReplacer("[.]", ".", "(.)", ".").Replace(host)
	if at := strings.LastIndexByte(host, '@'); at >= 0 {
		host = host[at+1:] // the part before it is a name to log in with
	}
	host = strings.ToLower(host)
	if host == "" {
		return
	}
	f.add(KindURL, scheme+"://"+host+path, damaged)
	f.add(KindOrigin, scheme+"://"+host, damaged)
	if len(path) >= minPathOctets {
		f.add(KindPath, path, damaged)
	}
	name, _, _ := strings.Cut(host, ":")
	f.domain(name, damaged)
}

// words finds bare domains and tokens.
func (f *finder) words(s string) {
	for i := 0; i < len(s); {
		start := i
		for i < len(s) && wordOctet(s[i]) {
			i++
		}
		if i > start {
			f.word(s[start:i])
			continue
		}
		i++
	}
}

// wordOctet is part of a domain or a token. Octets of other scripts are, so that a domain in one is a word.
func wordOctet(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' || c == '.' || c >= utf8.RuneSelf
}

func (f *finder) word(w string) {
	if bareDomain(w) {
		f.domain(w, false)
	}
	for piece := range strings.SplitSeq(w, ".") {
		f.token(piece)
	}
}

// bareDomain: two labels and more, the last one of letters, two to twenty-four of them.
func bareDomain(w string) bool {
	w = strings.Trim(w, ".-")
	dot := strings.LastIndexByte(w, '.')
	if dot < 1 || len(w) > maxDomainOctets || strings.Contains(w, "..") {
		return false
	}
	top := w[dot+1:]
	return len(top) >= 2 && len(top) <= 24 && !strings.ContainsAny(top, "0123456789_") && !strings.ContainsAny(w, "_")
}

// token adds a word of letters and digits that no dictionary holds.
func (f *finder) token(w string) {
	digits, kept := 0, make([]byte, 0, min(len(w), maxTokenOctets))
	for i := 0; i < len(w) && len(kept) < maxTokenOctets; i++ {
		switch c := w[i]; {
		case c >= '0' && c <= '9':
			digits++
			kept = append(kept, c)
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z':
			kept = append(kept, c|0x20)
		}
	}
	if digits > 0 && len(kept) >= minTokenOctets {
		f.add(KindToken, string(kept), false)
	}
}

// numbers finds telephone numbers and account numbers.
func (f *finder) numbers(s string) {
	for i := 0; i < len(s); {
		if i > 0 && alnum(s[i-1]) || !alnum(s[i]) && s[i] != '+' && s[i] != '(' {
			i++
			continue
		}
		if n := f.iban(s[i:]); n > 0 {
			i += n
			continue
		}
		if n := f.phone(s[i:]); n > 0 {
			i += n
			continue
		}
		i++
	}
}

func alnum(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// phone reads 7 to 15 digits (ITU-T E.164) with the separators that people use, and returns the octets they take.
func (f *finder) phone(s string) int {
	var digits []byte
	end := 0
scan:
	for i := 0; i < len(s) && i < 40; i++ {
		switch c := s[i]; {
		case c >= '0' && c <= '9':
			digits, end = append(digits, c), i+1
			continue
		case c == '+' && i == 0, strings.IndexByte(" ()-/.", c) >= 0 && (i == 0 || s[i-1] != c || c == ' '):
			continue
		}
		break scan
	}
	if end < len(s) && end > 0 && alnum(s[end]) || len(digits) < 7 || len(digits) > 15 {
		return 0
	}
	number := string(digits)
	f.add(KindPhone, strings.TrimPrefix(number, "00"), false)
	return end
}

// iban reads an account number (ISO 13616) with right check digits, and returns the octets it takes.
func (f *finder) iban(s string) int {
	if len(s) < 15 || !letter(s[0]) || !letter(s[1]) || nibble(s[2]) < 0 || nibble(s[2]) > 9 || nibble(s[3]) < 0 || nibble(s[3]) > 9 {
		return 0
	}
	kept, best, value := make([]byte, 0, 34), 0, ""
	for i := 0; i < min(len(s), maxIBANOctets) && len(kept) < 34; i++ {
		switch c := s[i]; {
		case alnum(c):
			kept = append(kept, upper(c))
		case c == ' ' || c == '-':
			continue
		default:
			i = maxIBANOctets
			continue
		}
		if len(kept) >= 15 && (i+1 == len(s) || !alnum(s[i+1])) && checked(kept) {
			best, value = i+1, string(kept)
		}
	}
	f.add(KindIBAN, value, false)
	return best
}

// upper is c as a capital letter.
func upper(c byte) byte {
	if c >= 'a' && c <= 'z' {
		return c - ('a' - 'A')
	}
	return c
}

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// checked reports that the number modulo 97 is 1, with the first four characters moved to the end and letters read as 10 to 35.
func checked(iban []byte) bool {
	m := 0
	for i := range iban {
		c := iban[(i+4)%len(iban)]
		switch {
		case c >= '0' && c <= '9':
			m = (m*10 + int(c-'0')) % 97
		default:
			m = (m*100 + int(c-'A') + 10) % 97
		}
	}
	return m == 1
}
