package decode

import (
	"bytes"
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/ianaindex"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
)

// family says which decoder reads a charset.
type family int

const (
	familyTable family = iota // a table of x/text
	familyASCII
	familyUTF8
	familyUTF7
	familyUTF16
	familyUTF32
	familyJP // ISO-2022-JP and its variants
	familyKR
	familyCN
	familyTW
	familyVISCII
)

type charset struct {
	name     string
	family   family
	encoding encoding.Encoding // for familyTable and familyUTF32
}

// wide reports charsets in which ASCII text is not ASCII octets.
func (c charset) wide() bool {
	return c.family == familyUTF16 || c.family == familyUTF32 || c.family == familyUTF7
}

// normalLabel returns a label as the tables know it: lower case, one line, without quotes and what follows the first word.
func normalLabel(label string) string {
	label = strings.Trim(oneLine(label), "\"' ;,")
	if i := strings.IndexAny(label, " ;,\"'("); i > 0 {
		label = label[:i]
	}
	return strings.ToLower(cutOctets(label, maxCharsetLabelOctets))
}

// findCharset returns the charset that clients take label for.
func findCharset(label string) (charset, bool) {
	if cs, ok := ownCharset(label); ok {
		return cs, true
	}
	label = canonLabel(label)
	if e, err := htmlindex.Get(label); err == nil {
		name, err := htmlindex.Name(e)
		if err == nil && name != "replacement" && name != "x-user-defined" {
			return charset{name: name, encoding: e}, true
		}
		return charset{}, false
	}
	if e, err := ianaindex.IANA.Encoding(label); err == nil && e != nil {
		return charset{name: label, encoding: e}, true
	}
	return charset{}, false
}

// ownCharset holds the labels that x/text lacks, or takes for something else than mail clients do.
func ownCharset(label string) (charset, bool) {
	table := func(name string, e encoding.Encoding) (charset, bool) {
		return charset{name: name, encoding: e}, true
	}
	of := func(name string, f family) (charset, bool) { return charset{name: name, family: f}, true }
	switch label {
	case "":
		return charset{}, false
	case "us-ascii", "ascii", "ansi_x3.4-1968", "iso-ir-6", "iso646-us", "iso_646.irv:1991", "646", "us", "7bit", "x-ascii":
		return of("us-ascii", familyASCII)
	case "utf-8", "utf8", "utf_8", "unicode-1-1-utf-8", "utf8mb4", "utf-8mb4", "cp65001", "x-utf-8", "utf-8-sig":
		return of("utf-8", familyUTF8)
	case "gb2312", "gb_2312-80", "gbk", "gb18030", "cp936", "ms936", "windows-936", "euc-cn", "euccn", "x-gbk", "chinese", "csgb2312", "gb2312-80", "gb_2312":
		return table("gb18030", simplifiedchinese.GB18030) // a superset of all of them
	case "hz-gb-2312", "hz", "hz-gb2312":
		return table("hz-gb-2312", simplifiedchinese.HZGB2312)
	case "iso-2022-cn", "iso-2022-cn-ext", "iso2022cn":
		return of("iso-2022-cn", familyCN)
	case "big5", "big5-hkscs", "big5hkscs", "cp950", "ms950", "windows-950", "big-5", "x-x-big5", "cn-big5", "big5-eten":
		return table("big5", traditionalchinese.Big5) // the table holds HKSCS
	case "euc-tw", "euctw", "x-euc-tw", "cns11643":
		return of("euc-tw", familyTW)
	case "shift_jis", "shift-jis", "sjis", "x-sjis", "cp932", "ms932", "windows-31j", "cswindows31j", "windows-932", "ms_kanji", "shift_jisx0213", "shift_jis-2004":
		return table("shift_jis", japanese.ShiftJIS) // the table holds NEC row 13 and the IBM rows
	case "euc-jp", "eucjp", "x-euc-jp", "eucjp-ms", "eucjp-win", "cp51932", "ujis":
		return table("euc-jp", japanese.EUCJP)
	case "iso-2022-jp", "csiso2022jp", "iso-2022-jp-1", "iso-2022-jp-2", "iso-2022-jp-3", "iso-2022-jp-2004", "iso-2022-jp-ms", "cp50220", "cp50221", "cp50222", "x-iso-2022-jp", "_iso-2022-jp", "jis", "iso2022jp":
		return of("iso-2022-jp", familyJP)
	case "iso-2022-kr", "csiso2022kr", "iso2022kr":
		return of("iso-2022-kr", familyKR)
	case "ks_c_5601-1987", "ks_c_5601-1989", "ksc5601", "ks_c_5601", "euc-kr", "euckr", "cp949", "ms949", "windows-949", "uhc", "korean", "ks_c_5601_1987", "x-windows-949":
		return table("euc-kr", korean.EUCKR) // the table is cp949
	case "utf-7", "utf7", "unicode-1-1-utf-7", "csutf7", "x-unicode-2-0-utf-7":
		return of("utf-7", familyUTF7)
	case "utf-16", "utf16", "ucs-2", "iso-10646-ucs-2", "unicode":
		return of("utf-16", familyUTF16)
	case "utf-16le", "utf16le":
		return of("utf-16le", familyUTF16)
	case "utf-16be", "utf16be", "unicodefffe":
		return of("utf-16be", familyUTF16)
	case "utf-32", "utf32", "ucs-4", "utf-32be":
		return charset{"utf-32", familyUTF32, utf32.UTF32(utf32.BigEndian, utf32.UseBOM)}, true
	case "utf-32le":
		return charset{"utf-32le", familyUTF32, utf32.UTF32(utf32.LittleEndian, utf32.UseBOM)}, true
	case "viscii", "viscii1.1-1", "csviscii":
		return of("viscii", familyVISCII)
	case "mac", "mac-roman", "macroman", "macintosh", "x-mac-roman", "csmacintosh":
		return table("macintosh", charmap.Macintosh)
	case "cp858", "ibm858", "ibm00858":
		return table("cp858", charmap.CodePage858)
	case "mac-cyrillic", "maccyrillic":
		return table("x-mac-cyrillic", charmap.MacintoshCyrillic)
	case "koi8-r", "koi8r", "koi8", "koi", "cskoi8r", "koi8-ru":
		return table("koi8-r", charmap.KOI8R)
	case "unknown-8bit", "x-unknown", "unknown", "none", "default", "binary", "8bit", "default_charset", "_iso-2022-jp$esc", "x-user-defined", "user-defined", "auto":
		return charset{}, false
	}
	return charset{}, false
}

// canonLabel brings common spellings of code page names to the registered one.
func canonLabel(label string) string {
	for _, p := range []string{"windows-", "windows_", "windows", "win-", "win", "x-cp", "cp-", "cp", "ms", "ansi-"} {
		if n, ok := strings.CutPrefix(label, p); ok && len(n) == 4 && strings.HasPrefix(n, "125") {
			return "windows-" + n
		}
	}
	for _, p := range []string{"iso-8859-", "iso_8859-", "iso_8859_", "iso8859-", "iso8859_", "iso-8859_", "iso 8859-", "8859-", "8859_", "iso-8859", "iso8859", "latin-"} {
		n, ok := strings.CutPrefix(label, p)
		if !ok || n == "" {
			continue
		}
		if p == "latin-" {
			return "latin" + n
		}
		if n == "1" || n == "15" || isDigits(n) && len(n) <= 2 {
			return "iso-8859-" + n
		}
	}
	return label
}

func isDigits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// bomCharset returns the charset that a byte-order mark names, if the mark is to be believed.
func bomCharset(octets []byte, cs charset, known bool) (charset, bool) {
	switch {
	case bytes.HasPrefix(octets, []byte("\xef\xbb\xbf")):
		return charset{name: "utf-8", family: familyUTF8}, true
	case known && cs.family != familyUTF16 && cs.family != familyUTF8 && cs.family != familyASCII:
		return charset{}, false
	case bytes.HasPrefix(octets, []byte("\xff\xfe")):
		return charset{name: "utf-16le", family: familyUTF16}, true
	case bytes.HasPrefix(octets, []byte("\xfe\xff")):
		return charset{name: "utf-16be", family: familyUTF16}, true
	}
	return charset{}, false
}

// utf16For picks the octet order: mark, label, else the half that holds more zeros. WHATWG takes little endian when nothing tells.
func utf16For(cs charset, octets []byte) encoding.Encoding {
	little := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)
	big := unicode.UTF16(unicode.BigEndian, unicode.UseBOM)
	switch cs.name {
	case "utf-16be":
		return big
	case "utf-16le":
		return little
	}
	var zeros [2]int
	for i, c := range octets[:min(len(octets), metaOctets)] {
		if c == 0 {
			zeros[i&1]++
		}
	}
	if zeros[0] > zeros[1] {
		return big
	}
	return little
}
