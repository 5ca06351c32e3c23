package addr

import (
	"unicode"

	"mailgap/shared/guardswitch"
)

// invisible reports format characters and everything else that draws nothing or turns the direction of text.
func invisible(r rune) bool {
	if r < 0xAD {
		return false
	}
	switch {
	case unicode.In(r, unicode.Cf, unicode.Co, unicode.Cs), unicode.Is(unicode.Variation_Selector, r),
		unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r), unicode.Is(unicode.Noncharacter_Code_Point, r):
		return true
	}
	return r == 0x2800 // the blank braille pattern
}

// mixedScripts reports a name that is not "highly restrictive" in the sense of UTS #39 §5.2: letters of one script, or of
// Latin with the scripts that Japanese, Chinese and Korean are written in. Digits and hyphens belong to every script.
func mixedScripts(name string) bool {
	if guardswitch.Off(guardswitch.Recipients) {
		return false
	}
	seen := map[string]bool{}
	for _, r := range name {
		if s := scriptOf(r); s != "" {
			seen[s] = true
		}
	}
	if len(seen) <= 1 {
		return false
	}
	return !within(seen, "Latin", "Han", "Hiragana", "Katakana") && !within(seen, "Latin", "Han", "Bopomofo") &&
		!within(seen, "Latin", "Han", "Hangul")
}

func within(seen map[string]bool, scripts ...string) bool {
	n := 0
	for _, s := range scripts {
		if seen[s] {
			n++
		}
	}
	return n == len(seen)
}

// scriptOf names the script of r, or "" for characters that go with any.
func scriptOf(r rune) string {
	switch {
	case r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z':
		return "Latin"
	case r < 0x80, unicode.In(r, unicode.Common, unicode.Inherited):
		return ""
	}
	for name, table := range unicode.Scripts {
		if unicode.Is(table, r) {
			return name
		}
	}
	return "unknown"
}
