package addr

// Prototype gives what the lower-case letter or digit r is drawn like in most typefaces: ASCII letters, or a plainer letter;
// r itself if there is none. It is the table that Skeleton uses, for comparing text that is no address. Safe for
// concurrent use.
func Prototype(r rune) string { return drawnLike(r) }

// drawnLike gives the ASCII letters, or the plainer letter, that r is drawn like in most typefaces; r itself if none.
// The classes are those of confusables.txt of UTS #39 for letters and digits that a lower-case domain label may hold.
func drawnLike(r rune) string {
	if s := latinLike(r); s != "" {
		return s
	}
	if s := digitLike(r); s != "" {
		return s
	}
	if s := kanaLike(r); s != "" {
		return s
	}
	return string(r)
}

// latinLike covers Latin extensions, Cyrillic, Greek, Armenian, Cherokee and a few letters of other scripts.
func latinLike(r rune) string {
	switch r {
	case 'а', 'α', 'ɑ', 'ａ', 'ꭺ':
		return "a"
	case 'æ', 'ӕ':
		return "ae"
	case 'Ь', 'ь', 'ъ', 'ƅ', 'ɓ', 'ƃ', 'ƀ', 'ꮟ', 'в', 'ß', 'β':
		return "b"
	case 'с', 'ϲ', 'ⅽ', 'ƈ', 'ȼ', 'ᴄ', 'ꮯ', 'ς', 'ç', 'ҫ':
		return "c"
	case 'ԁ', 'ⅾ', 'đ', 'ɖ', 'ɗ', 'ꮷ', 'ժ', 'ð':
		return "d"
	case 'е', 'ҽ', 'ｅ', 'ɛ', 'є', 'ε', 'ɇ', 'ꬲ', 'ҿ', 'э':
		return "e"
	case 'ք', 'ƒ', 'ſ', 'ꬵ', 'ẝ', 'ϝ':
		return "f"
	case 'ɡ', 'ց', 'ǥ', 'ɠ', 'ԍ':
		return "g"
	case 'һ', 'հ', 'ħ', 'ɦ', 'ℎ', 'ꮒ', 'ћ', 'ђ', 'н', 'ң', 'ӊ':
		return "h"
	case 'і', 'ı', 'ι', 'ɩ', 'ӏ', 'ⅰ', 'ɪ', 'ɨ', 'ꭵ', 'ⅼ', 'Ӏ', 'ł', 'ƚ', 'ɫ', 'ǀ', 'ו', 'ן', 'ا', 'ߊ', 'ⵏ':
		return "l"
	case 'ј', 'ϳ', 'ɉ', 'ʝ', 'յ':
		return "j"
	case 'к', 'κ', 'ƙ', 'ĸ', 'қ', 'ҝ', 'ҡ', 'ᴋ', 'ӄ':
		return "k"
	case 'м', 'ⅿ', 'ɱ', 'ᴍ', 'ӎ':
		return "m"
	case 'ո', 'п', 'η', 'ŋ', 'ɲ', 'ƞ', 'ռ', 'и', 'ɴ':
		return "n"
	case 'о', 'ο', 'օ', 'σ', 'ø', 'ɵ', 'ө', 'ס', 'ه', 'ة', 'ჿ', 'ഠ', 'ဝ', 'ᴏ', 'ѳ', 'θ', 'ꬽ', 'ⲟ', '୦':
		return "o"
	case 'œ':
		return "oe"
	case 'р', 'ρ', 'þ', 'ƿ', 'ⲣ', 'ҏ':
		return "p"
	case 'ԛ', 'զ', 'գ', 'ɋ':
		return "q"
	case 'г', 'ɍ', 'ɾ', 'ꮁ', 'ⲅ', 'ґ', 'ғ':
		return "r"
	case 'ѕ', 'ꜱ', 'ƨ', 'ʂ', 'ꮪ', 'ș':
		return "s"
	case 'т', 'τ', 'ŧ', 'ƭ', 'ț', 'ҭ', 'ᴛ':
		return "t"
	case 'υ', 'ս', 'ᴜ', 'ʋ', 'ꭎ', 'ц', 'ʉ', 'μ':
		return "u"
	case 'ѵ', 'ν', 'ⅴ', 'ᴠ', 'ט', 'ꮩ':
		return "v"
	case 'ԝ', 'ѡ', 'ա', 'ω', 'ɯ', 'ш', 'щ', 'ᴡ', 'ꮃ':
		return "w"
	case 'х', 'χ', 'ⅹ', 'ҳ', 'ӽ':
		return "x"
	case 'у', 'γ', 'ү', 'ƴ', 'ɏ', 'ʏ', 'ყ', 'ч', 'ұ':
		return "y"
	case 'ᴢ', 'ƶ', 'ʐ', 'ȥ', 'ꮓ', 'з', 'ʒ', 'ӡ':
		return "z"
	}
	return ""
}

// digitLike covers digits of other scripts that are drawn as a ring or a stroke.
func digitLike(r rune) string {
	switch r {
	case '٥', '۵', '०', '০', '੦', '૦', '௦', '౦', '೦', '൦', '๐', '໐', '၀', '០', '߀', '᠐':
		return "o"
	case '١', '۱':
		return "l"
	}
	return ""
}

// kanaLike covers strokes shared by katakana, hiragana and ideographs.
func kanaLike(r rune) string {
	switch r {
	case '一', 'ー', 'ㄧ', '〡':
		return "-"
	case 'ロ', '囗':
		return "口"
	case 'カ':
		return "力"
	case 'ニ':
		return "二"
	case 'ハ':
		return "八"
	case 'タ':
		return "夕"
	case 'ト':
		return "卜"
	case 'エ':
		return "工"
	case 'ヘ':
		return "へ"
	case 'ソ', 'ン':
		return "ン"
	case 'シ', 'ツ':
		return "シ"
	}
	return ""
}
