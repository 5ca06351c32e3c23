package compose

import (
	"encoding/base64"
	"strings"
	"unicode/utf8"

	"mailgap/shared/addr"
)

// field is one header field before folding: words that are separated by one space each.
type field struct {
	name  string
	words []string
}

// fold writes the field with lines of at most 76 octets, as far as its words allow (RFC 5322 §2.2.3). Folding happens between words
// only, and the first word stays beside the name.
func (f field) fold() []byte {
	var b strings.Builder
	b.WriteString(f.name + ":")
	used := b.Len()
	for k, word := range f.words {
		if k > 0 && used+1+len(word) > maxFieldLine {
			b.WriteString("\r\n")
			used = 0
		}
		b.WriteString(" " + word)
		used += 1 + len(word)
	}
	b.WriteString("\r\n")
	return []byte(b.String())
}

// addressWords: bare addr-specs with a comma behind all but the last. Only From has a name.
func addressWords(list []addr.Address) []string {
	words := make([]string, len(list))
	for k, a := range list {
		words[k] = a.AddrSpec()
		if k < len(list)-1 {
			words[k] += ","
		}
	}
	return words
}

// fromWords: the display name as atoms, as a quoted string or as encoded-words, then the address in angle brackets.
func fromWords(a addr.Address) []string {
	if a.DisplayName == "" {
		return []string{a.AddrSpec()}
	}
	return append(phraseWords(a.DisplayName), "<"+a.AddrSpec()+">")
}

func phraseWords(name string) []string {
	words := strings.Split(name, " ")
	plain := true
	for _, w := range words {
		if !isASCII(w) || len(w) > maxWordOctets {
			return encodedWords(name)
		}
		plain = plain && strings.Trim(w, atomOctets) == ""
	}
	if plain {
		return words
	}
	quoted := `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(name) + `"`
	if len(quoted) > maxWordOctets {
		return encodedWords(name)
	}
	return strings.Split(quoted, " ")
}

// subjectWords: the subject as it is if it is ASCII and every reader will leave its words and spaces alone.
func subjectWords(subject string) []string {
	if subject == "" {
		return nil
	}
	words := strings.Split(subject, " ")
	for _, w := range words {
		if w == "" || len(w) > maxWordOctets || !isASCII(w) || strings.Contains(w, "=?") {
			return encodedWords(subject)
		}
	}
	return words
}

const (
	maxWordOctets  = 64 // Limit: an encoded-word may have 75 (RFC 2047 §2); this one fits beside "Subject:"
	atomOctets     = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-"
	wordFrame      = len("=?utf-8?q?") + len("?=")
	maxWordPayload = maxWordOctets - wordFrame
)

// encodedWords is s in RFC 2047 words of whole characters, in the shorter of the two encodings. Decoders drop the space
// between two of them (§6.2).
func encodedWords(s string) []string {
	q, b := cutWords(s, qLen, maxWordPayload), cutWords(s, utf8.RuneLen, maxWordPayload/4*3)
	total := 0
	for _, w := range q {
		for _, r := range w {
			total += qLen(r)
		}
	}
	words := make([]string, 0, len(q))
	if total <= base64.StdEncoding.EncodedLen(len(s)) {
		for _, w := range q {
			words = append(words, "=?utf-8?q?"+qEncode(w)+"?=")
		}
		return words
	}
	for _, w := range b {
		words = append(words, "=?utf-8?b?"+base64.StdEncoding.EncodeToString([]byte(w))+"?=")
	}
	return words
}

// cutWords cuts s at character borders so that no piece costs more than limit.
func cutWords(s string, cost func(rune) int, limit int) []string {
	var out []string
	start, used := 0, 0
	for k, r := range s {
		c := cost(r)
		if used+c > limit {
			out = append(out, s[start:k])
			start, used = k, 0
		}
		used += c
	}
	return append(out, s[start:])
}

func qLen(r rune) int {
	if r == ' ' || r < 0x80 && strings.ContainsRune(atomOctets, r) {
		return 1
	}
	return 3 * utf8.RuneLen(r)
}

// qEncode: RFC 2047 §4.2, everything but letters, digits and the hyphen encoded, so that it fits a phrase too.
func qEncode(s string) string {
	const hexDigits = "0123456789ABCDEF"
	var b strings.Builder
	for k := range len(s) {
		switch c := s[k]; {
		case c == ' ':
			b.WriteByte('_')
		case strings.IndexByte(atomOctets, c) >= 0:
			b.WriteByte(c)
		default:
			b.Write([]byte{'=', hexDigits[c>>4], hexDigits[c&15]})
		}
	}
	return b.String()
}

func isASCII(s string) bool {
	for k := range len(s) {
		if s[k] >= 0x80 {
			return false
		}
	}
	return true
}
