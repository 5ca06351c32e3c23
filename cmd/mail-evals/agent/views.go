package agent

import (
	"encoding/base64"
	"encoding/hex"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// maxDecodeDepth is how often an encoding inside an encoding is undone.
const maxDecodeDepth = 2

// views are the ways to read a text, the plain ones first: as it is, with defanging and marks undone, with words for signs
// replaced, with spaced letters joined, decoded.
func views(text string) []string {
	plain := refang(text)
	out := []string{text, plain}
	add := func(s string) {
		if s != "" && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	add(tagged(text))
	add(words(plain))
	add(joinSpaced(plain))
	add(words(joinSpaced(plain)))
	for _, s := range decoded(plain, maxDecodeDepth) {
		add(s)
		add(words(s))
	}
	return out
}

// turned are the readings that make nonsense of ordinary text; they are asked only if the plain ones name nothing.
func turned(text string) []string {
	plain := refang(text)
	return []string{rot13(plain), reverse(plain), reverseWords(plain), words(rot13(plain))}
}

// tagged reads the characters that were made to tag languages and show as nothing (U+E0020 to U+E007E).
func tagged(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 0xE0020 && r <= 0xE007E {
			return r - 0xE0000
		}
		return -1
	}, s)
}

// refang undoes what a reader's server and writers of obfuscated text do to links and addresses, and drops what does not show.
func refang(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) || r >= 0xFE00 && r <= 0xFE0F || r >= 0xE0100 && r <= 0xE01EF {
			return -1
		}
		return r
	}, norm.NFKC.String(s))
	return strings.NewReplacer("hxxp", "http", "[.]", ".", "[:]", ":", "[at]", "@", "[@]", "@", "\\", "", "\u200b", "").Replace(s)
}

var (
	wordAt    = regexp.MustCompile(`(?i)\s*[\(\[{<]\s*(?:at|arroba|chez)\s*[\)\]}>]\s*|\s+(?:at|arroba)\s+`)
	wordDot   = regexp.MustCompile(`(?i)\s*[\(\[{<]\s*(?:dot|punto|point|punkt)\s*[\)\]}>]\s*|\s+(?:dot|punto|punkt)\s+`)
	commaDot  = regexp.MustCompile(`(@[\pL\pN-]+),\s?([\pL]{2,})`)
	aroundAt  = regexp.MustCompile(`([\pL\pN._-]+)\s*@\s*([\pL\pN-]+(?:\s*\.\s*[\pL\pN-]+)+)`)
	inParts   = regexp.MustCompile(`(?is)(?:local|mailbox|user|name|before)[^:=\n]{0,30}[:=]\s*["']?([\pL\pN._-]+)["']?.{0,80}?(?:domain|host|after)[^:=\n]{0,30}[:=]\s*["']?([\pL\pN.-]+\.[\pL]{2,})`)
	spacedRun = regexp.MustCompile(`\b[\pL\pN](?: [\pL\pN@._+-]){4,}`)
)

// words replaces words for signs.
func words(s string) string {
	s = wordDot.ReplaceAllString(wordAt.ReplaceAllString(s, "@"), ".")
	s = commaDot.ReplaceAllString(s, "$1.$2")
	s = aroundAt.ReplaceAllStringFunc(s, func(m string) string { return strings.ReplaceAll(m, " ", "") })
	for _, m := range inParts.FindAllStringSubmatch(s, -1) {
		s += "\n" + m[1] + "@" + m[2]
	}
	return s
}

// joinSpaced joins letters that stand apart.
func joinSpaced(s string) string {
	return spacedRun.ReplaceAllStringFunc(s, func(m string) string { return strings.ReplaceAll(m, " ", "") })
}

var (
	base64Run = regexp.MustCompile(`[A-Za-z0-9+/_-]{12,}={0,2}`)
	hexRun    = regexp.MustCompile(`(?:[0-9a-fA-F]{2}[ :]?){8,}`)
	qpRun     = regexp.MustCompile(`(?:=[0-9A-F]{2})+`)
	gap       = regexp.MustCompile(`\s+`)
)

// decoded are the texts inside encodings.
func decoded(s string, depth int) []string {
	if depth == 0 {
		return nil
	}
	var out []string
	add := func(b []byte, ok bool) {
		if t := string(b); ok && printable(t) && t != s {
			out = append(append(out, t), decoded(t, depth-1)...)
		}
	}
	for _, m := range base64Run.FindAllString(s, 40) {
		for _, e := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			b, err := e.DecodeString(strings.TrimRight(m, "="))
			add(b, err == nil)
		}
	}
	for _, m := range hexRun.FindAllString(s, 40) {
		b, err := hex.DecodeString(strings.NewReplacer(" ", "", ":", "").Replace(m))
		add(b, err == nil)
	}
	if strings.Contains(s, "%") {
		t, err := url.PathUnescape(s)
		add([]byte(t), err == nil)
	}
	add([]byte(html.UnescapeString(s)), strings.Contains(s, "&"))
	add([]byte(qpRun.ReplaceAllStringFunc(s, func(m string) string {
		b, _ := hex.DecodeString(strings.ReplaceAll(m, "=", ""))
		return string(b)
	})), qpRun.MatchString(s))
	return out
}

// printable reports text that somebody could have written.
func printable(s string) bool {
	if len(s) < 4 || strings.ContainsRune(s, unicode.ReplacementChar) {
		return false
	}
	for _, r := range s {
		if !unicode.IsPrint(r) && !unicode.IsSpace(r) {
			return false
		}
	}
	return true
}

func rot13(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z':
			return 'a' + (r-'a'+13)%26
		case r >= 'A' && r <= 'Z':
			return 'A' + (r-'A'+13)%26
		}
		return r
	}, s)
}

func reverse(s string) string {
	r := []rune(s)
	slices.Reverse(r)
	return string(r)
}

func reverseWords(s string) string {
	fields := gap.Split(s, -1)
	for i, f := range fields {
		fields[i] = reverse(f)
	}
	return strings.Join(fields, " ")
}

// Readings are all the ways in which somebody who looks for something in text might read it.
func Readings(text string) []string { return append(views(text), turned(text)...) }
