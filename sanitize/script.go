package sanitize

import "unicode"

func isBidiControl(r rune) bool {
	return r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069 || isDirectionMark(r)
}

func isDirectionMark(r rune) bool { return r == 0x200E || r == 0x200F || r == 0x61C }

func isJoiner(r rune) bool { return r == 0x200C || r == 0x200D }

func isJoinerOrSelector(r rune) bool {
	return isJoiner(r) || r == 0x34F || r >= 0xFE00 && r <= 0xFE0F || r >= 0xE0000 && r <= 0xE01EF || r >= 0x180B && r <= 0x180F
}

func isInvisible(r rune) bool { return suspect(r) != "" }

// isRTL reports letters and digits of right-to-left scripts, by their blocks.
func isRTL(r rune) bool {
	return r >= 0x5BE && r <= 0x8FF && r != 0x61C || r >= 0xFB1D && r <= 0xFDFF || r >= 0xFE70 && r <= 0xFEFC || r >= 0x10800 && r <= 0x10FFF || r >= 0x1E800 && r <= 0x1EFFF
}

// startsRTL reports a right-to-left letter in the rest of the line, within the next 64 characters.
func startsRTL(rest string) bool {
	k := 0
	for _, r := range rest {
		if isRTL(r) {
			return true
		}
		if k++; r == '\n' || k > 64 {
			return false
		}
	}
	return false
}

// joins reports letters and marks of scripts whose spelling needs ZWJ and ZWNJ (Unicode Standard chapters 9, 12, 13, 16).
func joins(r rune) bool {
	if r < 0x600 {
		return false
	}
	if !unicode.In(r, unicode.L, unicode.M) || isInvisible(r) {
		return false
	}
	return unicode.In(r, unicode.Arabic, unicode.Syriac, unicode.Nko, unicode.Mongolian, unicode.Mandaic) ||
		r >= 0x900 && r <= 0xDFF || r >= 0x1000 && r <= 0x109F || r >= 0x1780 && r <= 0x17FF || r >= 0xF00 && r <= 0xFFF ||
		r >= 0x1B00 && r <= 0x1BFF || r >= 0xA8E0 && r <= 0xA9DF || r >= 0x11000 && r <= 0x1184F || unicode.Is(unicode.Inherited, r)
}

// spaceless reports scripts that mark word breaks with a zero-width space: Thai, Lao, Khmer, Myanmar, Tai and Javanese.
func spaceless(r rune) bool {
	return r >= 0xE00 && r <= 0xEFF || r >= 0x1000 && r <= 0x109F || r >= 0x1780 && r <= 0x17FF && r != 0x17B4 && r != 0x17B5 ||
		r >= 0x1950 && r <= 0x1AAF || r >= 0xA980 && r <= 0xA9DF || r >= 0xAA60 && r <= 0xAADF
}

// isEmoji reports characters that can stand in an emoji sequence beside a joiner.
func isEmoji(r rune) bool {
	return r >= 0x1F000 && r <= 0x1FAFF || r >= 0x2600 && r <= 0x27BF || r >= 0x2190 && r <= 0x21FF || r >= 0x2B00 && r <= 0x2BFF ||
		r >= 0x2300 && r <= 0x23FF || r >= 0x25A0 && r <= 0x25FF || r == 0x20E3
}

// emojiPresentation reports whether a text or emoji selector may stand between prev and next.
func emojiPresentation(prev, next rune) bool {
	if prev >= '0' && prev <= '9' || prev == '#' || prev == '*' {
		return next == 0x20E3
	}
	if prev >= 0x1F3FB && prev <= 0x1F3FF {
		return false
	}
	switch prev {
	case 0xA9, 0xAE, 0x203C, 0x2049, 0x2122, 0x2139, 0x24C2, 0x3030, 0x303D, 0x3297, 0x3299:
		return true
	}
	return isEmoji(prev) && prev != 0x20E3
}

// isPlainLetter is a shortcut for the common blocks that hold neither marks nor invisible characters:
// Greek, Cyrillic letters, kana, unified ideographs, Hangul syllables.
func isPlainLetter(r rune) bool {
	return r >= 0x370 && r <= 0x482 || r >= 0x48A && r <= 0x58F || r >= 0x3041 && r <= 0x3096 || r >= 0x30A1 && r <= 0x30FA ||
		r >= 0x4E00 && r <= 0x9FFF || r >= 0xAC00 && r <= 0xD7A3
}

func isMark(r rune) bool { return r >= 0x300 && unicode.In(r, unicode.Mn, unicode.Me, unicode.Mc) }

func isRegional(r rune) bool { return r >= 0x1F1E6 && r <= 0x1F1FF }
