package sanitize

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// latinLike maps letters of Cyrillic, Greek, Armenian and Latin extensions to the ASCII letter they are drawn like.
// It is the part of the skeleton table of UTS #39 (confusables.txt, "MA" mappings) that can spell a Latin host name.
func latinLike(r rune) rune {
	switch r {
	case 'а', 'α', 'ɑ', 'ａ':
		return 'a'
	case 'Ь', 'ь':
		return 'b'
	case 'с', 'ϲ', 'ⅽ':
		return 'c'
	case 'ԁ', 'ⅾ':
		return 'd'
	case 'е', 'ҽ', 'ｅ':
		return 'e'
	case 'ք':
		return 'f'
	case 'ɡ', 'ց':
		return 'g'
	case 'һ', 'հ':
		return 'h'
	case 'і', 'ı', 'ι', 'ɩ', 'ⅰ':
		return 'i'
	case 'ј', 'ϳ':
		return 'j'
	case 'к', 'κ':
		return 'k'
	case 'ⅼ', 'ӏ', 'Ӏ':
		return 'l'
	case 'м', 'ⅿ':
		return 'm'
	case 'ո', 'п', 'η':
		return 'n'
	case 'о', 'ο', 'օ', 'σ':
		return 'o'
	case 'р', 'ρ':
		return 'p'
	case 'ԛ', 'զ':
		return 'q'
	case 'г':
		return 'r'
	case 'ѕ', 'ꜱ':
		return 's'
	case 'т', 'τ':
		return 't'
	case 'υ', 'ս', 'ᴜ':
		return 'u'
	case 'ѵ', 'ν', 'ⅴ':
		return 'v'
	case 'ԝ', 'ѡ', 'ա', 'ω':
		return 'w'
	case 'х', 'χ', 'ⅹ':
		return 'x'
	case 'у', 'γ', 'ү':
		return 'y'
	case 'ᴢ':
		return 'z'
	}
	if r < 0x80 {
		return unicode.ToLower(r)
	}
	return 0
}

// wordScripts reports which of the three scripts that share letter shapes a word uses.
func wordScripts(word string) (latin, cyrillic, greek bool) {
	for _, r := range word {
		switch {
		case r < 0x80:
			latin = latin || isAlpha(byte(r))
		case unicode.Is(unicode.Cyrillic, r):
			cyrillic = true
		case unicode.Is(unicode.Greek, r):
			greek = true
		case unicode.Is(unicode.Latin, r):
			latin = true
		}
	}
	return latin, cyrillic, greek
}

// skeleton is word in the ASCII letters it looks like; ok is false when a letter looks like none.
func skeleton(word string) (string, bool) {
	var b strings.Builder
	for _, r := range word {
		l := latinLike(r)
		if l == 0 {
			l = latinLike(unicode.ToLower(r))
		}
		if l == 0 {
			return "", false
		}
		b.WriteRune(l)
	}
	return b.String(), true
}

// confusableHost judges a host label by label: two look-alike scripts in one label, or a label under a Latin
// top-level domain made wholly of letters that look Latin. It returns the Latin reading.
func confusableHost(host string) (string, bool) {
	labels, odd := strings.Split(host, "."), false
	ascii := strings.IndexFunc(labels[len(labels)-1], func(r rune) bool { return r >= 0x80 }) < 0
	for k, label := range labels {
		latin, cyrillic, greek := wordScripts(label)
		if !cyrillic && !greek {
			continue
		}
		if like, ok := skeleton(label); ok && (latin || ascii || cyrillic && greek) {
			labels[k], odd = like, true
		} else if latin && (cyrillic || greek) || cyrillic && greek {
			odd = true
		}
	}
	if !odd {
		return "", false
	}
	return strings.Join(labels, "."), true
}

// confusableWords counts the words of a text that mix Latin with Cyrillic or Greek letters and can be read as Latin.
func confusableWords(s string) int {
	n := 0
	for i := 1; i < len(s); i++ {
		if s[i] < utf8.RuneSelf && s[i-1] < utf8.RuneSelf {
			i += firstOdd(s[i:]) // to the next octet that is no ASCII, or just before the end
			if i == len(s) {
				break
			}
		}
		if !(isAlpha(s[i-1]) && s[i] >= 0xCD && s[i] <= 0xD3 || isAlpha(s[i]) && s[i-1] >= utf8.RuneSelf) {
			continue
		}
		start, end := wordAround(s, i)
		if latin, cyrillic, greek := wordScripts(s[start:end]); latin && (cyrillic || greek) {
			if _, ok := skeleton(s[start:end]); ok {
				n++
			}
		}
		i = max(i, end)
	}
	return n
}

// wordAround is the run of letters around s[i], at most 80 octets to either side.
func wordAround(s string, i int) (start, end int) {
	start, end = i, i
	for start > 0 && i-start < 80 {
		r, size := utf8.DecodeLastRuneInString(s[:start])
		if !unicode.IsLetter(r) {
			break
		}
		start -= size
	}
	for end < len(s) && end-i < 80 {
		r, size := utf8.DecodeRuneInString(s[end:])
		if !unicode.IsLetter(r) {
			break
		}
		end += size
	}
	return start, end
}
