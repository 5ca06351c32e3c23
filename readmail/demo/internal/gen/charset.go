package main

import (
	"encoding/base64"
	"strings"

	"golang.org/x/net/idna"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/simplifiedchinese"
)

// codec returns the encoding of a charset that the messages use; nil is UTF-8.
func codec(charset string) encoding.Encoding {
	switch charset {
	case "iso-2022-jp":
		return japanese.ISO2022JP
	case "gb18030":
		return simplifiedchinese.GB18030
	case "koi8-r":
		return charmap.KOI8R
	case "windows-1255":
		return charmap.Windows1255
	case "windows-1252", "iso-8859-1":
		return charmap.Windows1252
	case "utf-8":
		return nil
	}
	panic("no codec for " + charset)
}

// in encodes s, which must fit into the charset.
func in(charset, s string) []byte {
	enc := codec(charset)
	if enc == nil {
		return []byte(s)
	}
	out, err := enc.NewEncoder().Bytes([]byte(s))
	if err != nil {
		panic(charset + ": " + err.Error())
	}
	const toASCII = "\x1b(B" // ISO-2022-JP text ends in ASCII (RFC 1468)
	if charset == "iso-2022-jp" && strings.Contains(string(out), "\x1b") && lastEscape(out) != toASCII {
		out = append(out, toASCII...)
	}
	return out
}

func lastEscape(b []byte) string {
	i := strings.LastIndexByte(string(b), 0x1b)
	return string(b[i:min(i+3, len(b))])
}

// word makes encoded words of s, folded as RFC 2047 §2 wants: whole characters, at most 75 octets each.
func word(charset, s string) string {
	const charsPerWord = 11 // with four octets each and base64 this stays below the limit for each charset used
	var words []string
	for runes := []rune(s); len(runes) > 0; {
		n := min(charsPerWord, len(runes))
		words = append(words, "=?"+charset+"?B?"+base64.StdEncoding.EncodeToString(in(charset, string(runes[:n])))+"?=")
		runes = runes[n:]
	}
	return strings.Join(words, "\n ")
}

// punycode returns the ASCII form of a domain.
func punycode(domain string) string {
	out, err := idna.ToASCII(domain)
	if err != nil {
		panic(err)
	}
	return out
}

// tags returns s in tag characters (U+E0000 block), which no screen shows.
func tags(s string) string {
	return strings.Map(func(r rune) rune { return 0xE0000 + r }, s)
}
