package decode

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestText(t *testing.T) {
	for _, c := range []struct {
		name, label, octets, want, used string
	}{
		{"ascii", "us-ascii", "abc", "abc", "us-ascii"},
		{"no label, ascii", "", "abc", "abc", "us-ascii"},
		{"utf-8", "UTF-8", "é", "é", "utf-8"},
		{"utf-8 in quotes", `"utf-8"`, "é", "é", "utf-8"},
		{"utf-8 with a mark", "utf-8", "\xef\xbb\xbfé", "é", "utf-8"},
		{"mark beats label", "iso-8859-1", "\xef\xbb\xbfé", "é", "utf-8"},
		{"no label, utf-8", "", "é", "é", "utf-8"},
		{"ascii label, utf-8", "us-ascii", "é", "é", "utf-8"},
		{"ascii label, cp1252", "us-ascii", "na\xefve caf\xe9", "naïve café", "windows-1252"},
		{"unknown label, utf-8", "x-unheard-of", "é", "é", "utf-8"},
		{"unknown-8bit", "unknown-8bit", "caf\xe9 cr\xe8me", "café crème", "windows-1252"},
		{"latin-1 is cp1252", "iso-8859-1", "\x80 \x93x\x94 \x96", "€ “x” –", "windows-1252"},
		{"latin-1 without hyphen", "ISO8859-1", "\xe9", "é", "windows-1252"},
		{"latin-9", "iso-8859-15", "\xa4", "€", "iso-8859-15"},
		{"utf-8 label, cp1252 octets", "utf-8", "caf\xe9 cr\xe8me", "café crème", "windows-1252"},
		{"utf-8 cut off", "utf-8", "caf\xc3\xa9 \xe2\x82", "café \ufffd\ufffd", "utf-8"},
		{"cp1252 by its short name", "cp1252", "\x80", "€", "windows-1252"},
		{"win-1251", "win-1251", "\xcf\xf0\xe8\xe2\xe5\xf2", "Привет", "windows-1251"},
		{"koi8-r", "koi8-r", "\xf0\xd2\xc9\xd7\xc5\xd4", "Привет", "koi8-r"},
		{"koi8-u", "koi8-u", "\xa4\xa6\xa7", "єії", "koi8-u"},
		{"windows-1250", "windows-1250", "\xf8\x9e", "řž", "windows-1250"},
		{"windows-1253", "windows-1253", "\xca\xe1\xeb", "Καλ", "windows-1253"},
		{"windows-1255", "windows-1255", "\xf9\xec\xe5\xed", "שלום", "windows-1255"},
		{"iso-8859-8-i", "iso-8859-8-i", "\xf9\xec", "של", "iso-8859-8-i"},
		{"windows-1256", "windows-1256", "\xe3\xd1\xcd\xc8\xc7", "مرحبا", "windows-1256"},
		{"tis-620", "tis-620", "\xca\xc7\xd1", "สวั", "windows-874"},
		{"mac-roman", "x-mac-roman", "\x8e", "é", "macintosh"},
		{"cp437", "cp437", "\x82", "é", "cp437"},
		{"cp850", "cp850", "\x82\xb5", "éÁ", "cp850"},
		{"cp866", "cp866", "\x8f", "П", "ibm866"},
		{"viscii", "viscii", "Vi\xaet Nam", "Việt Nam", "viscii"},
		{"gb2312 is gb18030", "gb2312", "\xc4\xe3\xba\xc3 \xe9F", "你好 镕", "gb18030"},
		{"gbk euro", "gbk", "\x80", "€", "gb18030"},
		{"big5", "big5", "\xa7A\xa6n", "你好", "big5"},
		{"big5-hkscs", "big5-hkscs", "\x88\x66", "Ê", "big5"},
		{"euc-tw", "euc-tw", "\xd3\xd4\xde\xcc\xc4\xd8\xc5\xf8\xdd\xcc\xa1\xa2\xee\xf9\xd1\xe7\xc8\xad\xa1\xa4\xf4\xed\xfc\xd5\xc4\xe3\xc5\xc6\x20\xe3\xaa\xee\xa3\xf3\xbf\xfd\xc8", "訂單已出貨，請查收。繁體中文 亂碼龜鬱", "euc-tw"},
		{"euc-tw digits in circles", "euc-tw", "\xa6\xa1\xa6\xab", "①⑴", "euc-tw"},
		{"hz", "hz-gb-2312", "~{VPND~}", "中文", "hz-gb-2312"},
		{"euc-kr", "ks_c_5601-1987", "\xc7\xd1\xb1\xdb", "한글", "euc-kr"},
		{"cp949", "euc-kr", "\x8c\x63", "똠", "euc-kr"},
		{"shift_jis", "shift_jis", "\x93\xfa\x96\x7b", "日本", "shift_jis"},
		{"cp932 NEC row", "cp932", "\x87\x40\x87\x54", "①Ⅰ", "shift_jis"},
		{"cp932 IBM row", "windows-31j", "\xfa\xb1", "﨑", "shift_jis"},
		{"half-width kana", "shift_jis", "\xb6\xc5", "ｶﾅ", "shift_jis"},
		{"euc-jp", "euc-jp", "\xc6\xfc\xcb\xdc", "日本", "euc-jp"},
		{"iso-2022-jp", "iso-2022-jp", "\x1b$BF|K\\\x1b(B.", "日本.", "iso-2022-jp"},
		{"iso-2022-jp NEC row", "iso-2022-jp", "\x1b$B-!\x1b(B", "①", "iso-2022-jp"},
		{"iso-2022-jp kana", "cp50221", "\x1b(I6E\x1b(B", "ｶﾅ", "iso-2022-jp"},
		{"iso-2022-jp kana by shift", "cp50222", "\x0e6E\x0f", "ｶﾅ", "iso-2022-jp"},
		{"iso-2022-jp 8-bit kana", "iso-2022-jp", "\xb6\xc5", "ｶﾅ", "iso-2022-jp"},
		{"iso-2022-jp never closed", "iso-2022-jp", "\x1b$BF|K\\\nabc", "日本\nabc", "iso-2022-jp"},
		{"iso-2022-jp-1", "iso-2022-jp-1", "\x1b$(D\x30\x21\x1b(B", "丂", "iso-2022-jp"},
		{"iso-2022-jp without label", "", "\x1b$BF|K\\\x1b(B", "日本", "iso-2022-jp"},
		{"iso-2022-jp under a false label", "utf-8", "\x1b$BF|K\\\x1b(B", "日本", "iso-2022-jp"},
		{"iso-2022-kr", "iso-2022-kr", "\x1b$)C\x0eGQ1[\x0f!", "한글!", "iso-2022-kr"},
		{"iso-2022-cn", "iso-2022-cn", "\x1b$)A\x0eVPND\x0f!", "中文!", "iso-2022-cn"},
		{"utf-7", "utf-7", "Caf+AOk- +- +ZeVnLIqe-", "Café + 日本語", "utf-7"},
		{"utf-16 with mark", "utf-16", "\xfe\xff\x00a\x00\xe9", "aé", "utf-16be"},
		{"utf-16 without mark", "utf-16", "a\x00\xe9\x00b\x00", "aéb", "utf-16"},
		{"utf-16 big endian without mark", "utf-16", "\x00a\x00\xe9\x00b", "aéb", "utf-16"},
		{"utf-16le", "utf-16le", "a\x00\xe9\x00", "aé", "utf-16le"},
		{"utf-16 mark without label", "", "\xff\xfea\x00", "a", "utf-16le"},
		{"utf-32", "utf-32", "\x00\x00\xfe\xff\x00\x00\x00\xe9", "é", "utf-32"},
		{"guess shift_jis", "", "\x82\xb1\x82\xf1\x82\xc9\x82\xbf\x82\xcd\x90\xa2\x8a\x45", "こんにちは世界", "shift_jis"},
		{"guess euc-jp", "", "\xa4\xb3\xa4\xf3\xa4\xcb\xa4\xc1\xa4\xcf\xc0\xa4\xb3\xa6", "こんにちは世界", "euc-jp"},
		{"guess gb", "", "\xce\xd2\xc3\xc7\xb5\xc4\xb6\xa9\xb5\xa5\xd2\xd1\xbe\xad\xb7\xa2\xbb\xf5", "我们的订单已经发货", "gb18030"},
		{"guess big5", "", "\xa7\xda\xad\xcc\xaa\xba\xad\x71\xb3\xe6\xa4\x77\xb8\x67\xb5\x6f\xb3\x66", "我們的訂單已經發貨", "big5"},
		{"guess euc-kr", "", "\xbe\xc8\xb3\xe7\xc7\xcf\xbc\xbc\xbf\xe4 \xb9\xdd\xb0\xa9\xbd\xc0\xb4\xcf\xb4\xd9", "안녕하세요 반갑습니다", "euc-kr"},
		{"guess windows-1251", "", "\xcf\xf0\xe8\xe2\xe5\xf2, \xea\xe0\xea \xe4\xe5\xeb\xe0?", "Привет, как дела?", "windows-1251"},
		{"guess koi8-r", "", "\xf0\xd2\xc9\xd7\xc5\xd4, \xcb\xc1\xcb \xc4\xc5\xcc\xc1?", "Привет, как дела?", "koi8-r"},
		{"guess cp1252", "", "\x93Stra\xdfe\x94 f\xfcr \xc4rger", "“Straße” für Ärger", "windows-1252"},
		{"gb label, utf-8 octets", "gb2312", "你好世界，这是测试", "你好世界，这是测试", "utf-8"},
		{"no label, utf-8 cut off", "", "Grüße, Ärger, Öl, größer \xc3", "Grüße, Ärger, Öl, größer \ufffd", "utf-8"},
		{"NUL", "utf-8", "a\x00b", "ab", "utf-8"},
		{"label with a tail", "utf-8; format=flowed", "é", "é", "utf-8"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, note := Text(c.label, []byte(c.octets))
			if got != c.want || note.Used != c.used {
				t.Errorf("got %q by %s, want %q by %s", got, note.Used, c.want, c.used)
			}
		})
	}
}

func TestTextNotes(t *testing.T) {
	for _, c := range []struct {
		name, label, octets string
		want                Note
		invalid             int
	}{
		{"unknown label", "x-unheard-of", "abc", NoteCharsetUnknown, 0},
		{"missing label", "", "é", NoteCharsetMissing, 0},
		{"false label", "us-ascii", "é", NoteCharsetFalse, 0},
		{"guess", "us-ascii", "caf\xe9", NoteCharsetGuessed, 0},
		{"plane without table", "euc-tw", "\x8e\xa3\xa1\xa1 abc", NoteInvalidSequence, 1},
		{"invalid", "utf-8", "é\xff\xfe", NoteInvalidSequence, 2},
		{"NUL", "utf-8", "\x00", NoteNUL, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, note := Text(c.label, []byte(c.octets))
			if !note.Notes.Has(c.want) || note.Invalid != c.invalid {
				t.Errorf("got %v with %d invalid, want %s with %d", note.Notes, note.Invalid, c.want, c.invalid)
			}
		})
	}
}

// TestNoReplacementDecoder checks that text under the labels that the WHATWG table maps to its "replacement" decoder is not lost.
func TestNoReplacementDecoder(t *testing.T) {
	for _, label := range []string{"iso-2022-kr", "iso-2022-cn", "iso-2022-cn-ext", "hz-gb-2312", "csiso2022kr", "replacement"} {
		got, _ := Text(label, []byte("plain words"))
		if got != "plain words" {
			t.Errorf("%s: got %q", label, got)
		}
		if got, _ = Text(label, []byte("caf\xe9 words")); !strings.HasSuffix(got, "words") {
			t.Errorf("%s: got %q, want the words", label, got)
		}
	}
}

func TestHTMLText(t *testing.T) {
	for _, c := range []struct{ name, label, octets, want string }{
		{"meta charset", "", "<html><meta charset=\"koi8-r\"><p>\xf0\xd2\xc9", "При"},
		{"meta http-equiv", "", "<META http-equiv=Content-Type content='text/html; charset=windows-1250'>\xf8", "ř"},
		{"second meta", "", "<meta name=x content=y><meta charset=windows-1250>\xf8", "ř"},
		{"label wins", "windows-1252", "<meta charset=koi8-r>\xe9", "é"},
		{"ascii label does not", "us-ascii", "<meta charset=windows-1250>\xf8", "ř"},
		{"false meta", "", "<meta charset=utf-8>caf\xe9", "café"},
		{"meta without value", "", "<meta charset><p>caf\xe9", "café"},
		{"meta utf-16 in ascii text", "", "<meta charset=utf-16>caf\xc3\xa9", "café"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, _ := HTMLText(c.label, []byte(c.octets))
			if !strings.HasSuffix(got, c.want) {
				t.Errorf("got %q, want it to end in %q", got, c.want)
			}
		})
	}
}

func FuzzText(f *testing.F) {
	for _, label := range []string{"", "utf-8", "iso-2022-jp", "iso-2022-kr", "iso-2022-cn", "utf-7", "utf-16", "utf-32", "gb18030", "big5", "viscii", "euc-tw", "x"} {
		f.Add(label, []byte("abc \x1b$BF|K\\\x1b(B \xe9\x00\xff +AOk- \x0eGQ\x0f"))
	}
	f.Fuzz(func(t *testing.T, label string, octets []byte) {
		text, note := Text(label, octets)
		if !utf8.ValidString(text) || strings.IndexByte(text, 0) >= 0 {
			t.Errorf("text %q", text)
		}
		if len(text) > 4*len(octets)+4 {
			t.Errorf("%d octets became %d", len(octets), len(text))
		}
		checkLine(t, note.Label)
	})
}

func BenchmarkText(b *testing.B) {
	for _, c := range []struct{ label, unit string }{
		{"utf-8", "Grüße aus Köln, "}, {"gb18030", "\xc4\xe3\xba\xc3\xca\xc0\xbd\xe7 abc "}, {"iso-8859-1", "caf\xe9 cr\xe8me "}, {"iso-2022-jp", "\x1b$BF|K\\\x1b(B abc\n"},
	} {
		octets := []byte(strings.Repeat(c.unit, (1<<20)/len(c.unit)))
		b.Run(c.label, func(b *testing.B) {
			b.SetBytes(int64(len(octets)))
			for b.Loop() {
				Text(c.label, octets)
			}
		})
	}
}

// TestLabelsSeenInMail checks that every label is known and keeps ASCII text.
func TestLabelsSeenInMail(t *testing.T) {
	for label := range strings.FieldsSeq(`us-ascii ascii ansi_x3.4-1968 utf-8 utf8 UTF_8 iso-8859-1 iso8859-1 iso_8859-1 iso8859_1 8859-1 latin1 latin-1 l1 iso-8859-2
		iso-8859-3 iso-8859-4 iso-8859-5 iso-8859-6 iso-8859-7 iso-8859-8 iso-8859-8-i iso-8859-9 iso-8859-10 iso-8859-11 iso-8859-13
		iso-8859-14 iso-8859-15 iso-8859-16 latin2 windows-874 windows-1250 windows-1251 windows-1252 windows-1253 windows-1254 windows-1255
		windows-1256 windows-1257 windows-1258 windows1252 win-1251 cp1250 cp-1252 x-cp1251 ms1252 ansi-1252 koi8-r koi8-u macintosh x-mac-cyrillic
		cp437 ibm437 cp850 ibm850 cp852 cp855 cp858 cp860 cp862 cp863 cp865 cp866 ibm866 gb2312 gbk gb18030 cp936 x-gbk euc-cn hz-gb-2312 big5 big5-hkscs
		cp950 euc-tw shift_jis shift-jis sjis x-sjis cp932 windows-31j ms_kanji euc-jp x-euc-jp iso-2022-jp iso-2022-jp-2 cp50220 cp50221
		_iso-2022-jp euc-kr ks_c_5601-1987 ksc5601 cp949 uhc iso-2022-kr iso-2022-cn tis-620 viscii utf-7 unicode-1-1-utf-7`) {
		if _, ok := findCharset(normalLabel(label)); !ok {
			t.Errorf("%s is not known", label)
			continue
		}
		if got, note := Text(label, []byte("Plain words")); got != "Plain words" || len(note.Notes) > 0 {
			t.Errorf("%s: got %q, %v", label, got, note.Notes)
		}
	}
}
