package decode

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
)

const guessOctets = 8 << 10 // Limit: enough text to tell charsets apart, cheap to decode seven times

// guessCharset names the charset of octets that carry no usable label: UTF-8 if (nearly) valid, else the one whose text looks most like
// writing, else windows-1252.
func guessCharset(octets []byte) charset {
	if mostlyUTF8(octets) {
		return charset{name: "utf-8", family: familyUTF8}
	}
	sample := octets[:min(len(octets), guessOctets)]
	best, bestScore := charset{name: "windows-1252", encoding: charmap.Windows1252}, 0.0
	for _, c := range []struct {
		name  string
		enc   encoding.Encoding
		score func(guessStats) float64
	}{
		{"shift_jis", japanese.ShiftJIS, guessStats.japanese},
		{"euc-jp", japanese.EUCJP, guessStats.japanese},
		{"euc-kr", korean.EUCKR, guessStats.korean},
		{"gb18030", simplifiedchinese.GB18030, guessStats.chinese},
		{"big5", traditionalchinese.Big5, guessStats.chinese},
		{"windows-1251", charmap.Windows1251, guessStats.cyrillic},
		{"koi8-r", charmap.KOI8R, guessStats.cyrillic},
	} {
		if score := c.score(statsOf(decodeWith(c.enc, sample))); score > bestScore {
			best, bestScore = charset{name: c.name, encoding: c.enc}, score
		}
	}
	return best
}

// mostlyUTF8 reports whether octets are UTF-8 but for a little: text that was cut inside a character, or holds a quotation in another charset.
func mostlyUTF8(octets []byte) bool {
	valid, invalid := 0, 0
	for i := 0; i < len(octets); {
		if octets[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, size := utf8.DecodeRune(octets[i:])
		if i += size; r == utf8.RuneError && size == 1 {
			invalid++
		} else {
			valid++
		}
	}
	return valid > 4*invalid || invalid == 0
}

// guessStats counts the kinds of characters outside ASCII in a decoded sample.
type guessStats struct {
	total, invalid, odd                      int
	kana, han, common, hangul, cyrLow, cyrUp int
	halfKana, mixed                          int // mixed: Cyrillic beside a Latin letter
}

// commonHan are among the most frequent characters of Chinese and Japanese text; a wrong table almost never yields them.
const commonHan = "的一是不了在人有我他这個个们中来上大为和国國地到以说說時时要就出会會可也你对對生能而子那得于於着著下自之年过過发發后後作里用道行所然家种種事成方多经經么麼去法学學如都同现現当當没沒动動面起看定天分还還进進好小部其些主样樣理心她本前开開但因只从從想实實日者意无無此最新您请請件邮郵感谢謝单單货貨订訂购購号號月"

func statsOf(s string) guessStats {
	var g guessStats
	var prev rune
	for _, r := range s {
		if isLatin(prev) && isCyrillic(r) || isCyrillic(prev) && isLatin(r) {
			g.mixed++
		}
		if prev = r; r < utf8.RuneSelf {
			continue
		}
		g.total++
		switch {
		case r == utf8.RuneError:
			g.invalid++
		case r >= 0x3041 && r <= 0x30fe:
			g.kana++
		case r >= 0xff61 && r <= 0xff9f:
			g.halfKana++
		case strings.ContainsRune(commonHan, r):
			g.common++
		case unicode.Is(unicode.Han, r):
			g.han++
		case r >= 0xac00 && r <= 0xd7a3:
			g.hangul++
		case r >= 'а' && r <= 'я' || r == 'ё':
			g.cyrLow++
		case r >= 'А' && r <= 'Я':
			g.cyrUp++
		case r >= 0x3000 && r <= 0x3020 || r >= 0xff01 && r <= 0xff5e || r == '—' || r == '…' || r == '“' || r == '”':
		default:
			g.odd++
		}
	}
	return g
}

func isLatin(r rune) bool { return r|0x20 >= 'a' && r|0x20 <= 'z' }

func isCyrillic(r rune) bool { return r >= 'А' && r <= 'я' || r == 'ё' }

// share is n as a share of all characters outside ASCII, less what cannot be text.
func (g guessStats) share(n int) float64 {
	if g.total < 2 || g.invalid*50 > g.total {
		return 0
	}
	return float64(n-g.odd-2*g.halfKana) / float64(g.total)
}

func (g guessStats) japanese() float64 {
	if g.kana*10 < g.total {
		return 0 // Japanese text is never without kana
	}
	return g.share(g.kana + g.han + g.common)
}

func (g guessStats) korean() float64 {
	if g.hangul*10 < g.total*7 {
		return 0
	}
	return g.share(g.hangul)*0.95 - float64(g.han)/float64(g.total)
}

func (g guessStats) chinese() float64 {
	if g.common*10 < g.total { // about half of real text is made of them
		return 0
	}
	return g.share(g.han*8/10 + g.common)
}

func (g guessStats) cyrillic() float64 {
	if g.cyrLow < 3 || g.cyrLow < 2*g.cyrUp || g.mixed*4 > g.cyrLow { // read with the wrong table, upper and lower case change places
		return 0
	}
	return g.share(g.cyrLow+g.cyrUp) * 0.9
}
