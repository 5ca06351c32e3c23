package sanitize

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/publicsuffix"
)

// This file finds URLs. The weaver has already copied what stands before the octet that gives one away, so a find
// takes that much back from the output and writes a mark in its place.

const (
	maxTargetOctets = 4096 // Limit: longer than any URL a mail client opens; the rest stays text
	maxSchemeOctets = 32   // Limit: CommonMark §6.4, autolinks
	maxHostOctets   = 260  // Limit: RFC 1035 §2.3.4 allows 255, plus a port
)

// colon handles ":": "scheme://…", "scheme:…" for schemes that act, and ":" after a label.
func (w *weaver) colon(i int) int {
	rest := w.src[i+1:]
	if w.last() == ']' && w.label != labelClosed && pathAhead(rest) {
		w.escape(KindMarkup) // a page that begins at the bracket would make a definition of it
		w.lit = i
	}
	if rest == "" || rest[0] == ' ' || rest[0] == '\n' {
		w.put(':')
		return 1
	}
	start := w.schemeStart(i)
	scheme := strings.ToLower(w.src[start:i])
	switch {
	case strings.HasPrefix(rest, "//") && scheme != "" && targetLen(w.src[i:]) > len("://"):
		return w.url(start, i)
	case strings.HasPrefix(rest, "//"):
		w.puts("[:]")
		w.lit = i + 1
		return 1
	}
	if dot := strings.LastIndexByte(scheme, '.'); dot >= 0 {
		start, scheme = start+dot+1, scheme[dot+1:]
	}
	switch {
	case scheme == "http" || scheme == "https" || scheme == "mailto" && mailtoActs(rest):
		return w.url(start, i)
	case scheme == "data":
		return w.dataURI(start, i)
	case actingScheme(scheme):
		w.puts("[:]")
		w.lit = i + 1
		return 1
	}
	w.put(':')
	return 1
}

// pathAhead reports what could be the target of a definition and leads away: a path, a fragment, a bracketed target.
func pathAhead(rest string) bool {
	rest = strings.TrimLeft(rest[:min(len(rest), 80)], " \t\n>")
	return rest != "" && strings.IndexByte("/\\<#?.", rest[0]) >= 0
}

// schemeStart is the offset where the scheme before src[i] begins; i if there is none.
func (w *weaver) schemeStart(i int) int {
	k := i
	for k > w.lit && i-k < maxSchemeOctets && (isAlnum(w.src[k-1]) || w.src[k-1] == '+' || w.src[k-1] == '-' || w.src[k-1] == '.') {
		k--
	}
	for k < i && !isAlpha(w.src[k]) {
		k++
	}
	return k
}

// actingScheme reports schemes that run code, open an application or start a call when a link with them is followed.
func actingScheme(s string) bool {
	switch s {
	case "javascript", "vbscript", "mailto", "tel", "sms", "xmpp", "sip", "facetime", "skype", "file", "ftp", "blob", "view-source", "jar",
		"intent", "command", "vscode", "vscode-insiders", "cursor", "windsurf", "magnet", "search-ms":
		return true
	}
	return strings.HasPrefix(s, "ms-") || strings.HasPrefix(s, "web+")
}

// mailtoActs reports a mailto target that says more than an address.
func mailtoActs(rest string) bool {
	end := strings.IndexAny(rest, " \n\t<>\"")
	if end < 0 {
		end = len(rest)
	}
	return strings.ContainsAny(rest[:min(end, maxTargetOctets)], "?%&")
}

// dataURI replaces a data URI, which carries its content with it, by its type and length.
func (w *weaver) dataURI(start, i int) int {
	kind, ok := dataType(w.src[i+1:])
	if !ok {
		w.puts("[:]")
		w.lit = i + 1
		return 1
	}
	end := i + 1 + targetLen(w.src[i+1:])
	w.takeBack(start, i)
	w.c.add(KindDataURI, 1)
	w.puts("[data URI, " + kind + strconv.Itoa(end-start) + " characters, not shown]")
	w.lit = end
	return end - i
}

// maxDataTypeOctets bounds the part of a data URI before its comma.
const maxDataTypeOctets = 200

// dataType reads the media type and parameters before the comma of a data URI (RFC 2397 §3) at the start of s.
func dataType(s string) (kind string, ok bool) {
	k := 0
	for k < len(s) && k < maxDataTypeOctets && (isAlnum(s[k]) || strings.IndexByte("/-+.;=_\"'%", s[k]) >= 0) {
		k++
	}
	if k == len(s) || s[k] != ',' || k > 0 && !strings.ContainsAny(s[:k], "/;") {
		return "", false
	}
	kind, _, _ = strings.Cut(s[:k], ";")
	if kind == "" || len(kind) > 60 || strings.ContainsAny(kind, "\"'%=._") {
		return "", true
	}
	return kind + ", ", true
}

// dot handles ".": a name that begins with "www." is a URL without its scheme.
func (w *weaver) dot(i int) int {
	start := i - 3
	if start >= w.lit && hasFoldPrefix(w.src[start:i], "www") && i+1 < len(w.src) && w.src[i+1] > ' ' {
		if whole := start == 0 || !isAlnum(w.src[start-1]); whole && isAlnum(w.src[i+1]) || whole && w.src[i+1] >= utf8.RuneSelf {
			return w.url(start, i)
		}
		w.puts("[.]") // a page that begins inside the word must not bring the name back
		w.lit = i + 1
		return 1
	}
	w.put('.')
	return 1
}

// slash handles "/": a host name before it makes a URL without its scheme, a second slash one relative to the scheme.
func (w *weaver) slash(i int) int {
	rest := w.src[i+1:]
	if rest != "" && rest[0] > ' ' {
		if start := w.hostStart(i); start < i && actsAsPath(w.src[i:]) && (start == 0 || strings.IndexByte("@/\\", w.src[start-1]) < 0) {
			return w.url(start, i)
		}
	}
	if w.last() == '/' && hostAhead(rest) {
		w.escape(KindMarkup)
		w.lit = i
	}
	w.put('/')
	return 1
}

// actsAsPath reports a path that only a URL has: with a parameter, an escape, a digit or a second level. "Shop.com/Mall"
// and "ASP.NET/C#" are prose, and no renderer of the panel links a name without a scheme.
func actsAsPath(s string) bool {
	path := s[:targetLen(s)]
	return strings.ContainsAny(path, "?=&%0123456789") || strings.Count(path, "/") > 1
}

// hostStart is the offset where a host name that ends before src[i] begins; i if there is none.
func (w *weaver) hostStart(i int) int {
	k := i
	for k > w.lit && i-k < maxHostOctets {
		if b := w.src[k-1]; !isAlnum(b) && b != '.' && b != '-' && b != ':' && b < utf8.RuneSelf {
			break
		}
		k--
	}
	host := w.src[k:i]
	if c := strings.IndexByte(host, ':'); c >= 0 {
		if port := host[c+1:]; port == "" || strings.Trim(port, "0123456789") != "" {
			return i
		}
		host = host[:c]
	}
	if !plausibleHost(host) {
		return i
	}
	return k
}

// plausibleHost reports a dotted name whose last label is a known top-level domain and hardly a file name's ending.
func plausibleHost(host string) bool {
	dot := strings.LastIndexByte(host, '.')
	if dot < 1 || len(host)-dot < 3 || strings.Contains(host, "..") || !utf8.ValidString(host) {
		return false
	}
	tld := strings.ToLower(host[dot+1:])
	switch tld {
	case "md", "py", "rs", "sh", "pl", "so", "cc", "zip", "mov", "ps", "java", "app":
		return tld == "app" && strings.Count(host, ".") < 3
	case "example", "test", "invalid", "onion", "local", "internal":
		return true
	}
	suffix, icann := publicsuffix.PublicSuffix(tld)
	return icann && suffix == tld
}

// hostAhead reports what linkify-it takes for a host after "//": a dotted name in the widest sense, an address in
// brackets, or localhost.
func hostAhead(s string) bool {
	if hasFoldPrefix(s, "localhost") || bracketedAddress(s) {
		return true
	}
	name := false
	for k, r := range s[:min(len(s), 70)] {
		switch {
		case hostRune(r):
			name = true
		case (r == '.' || r == '@') && name:
			next, size := utf8.DecodeRuneInString(s[k+1:])
			return size > 0 && hostRune(next)
		default:
			return false
		}
	}
	return false
}

// bracketedAddress reports an IPv6 address as URLs write it.
func bracketedAddress(s string) bool {
	end := strings.IndexByte(s[:min(len(s), 50)], ']')
	return end > 0 && s[0] == '[' && strings.Count(s[:end], ":") > 1 && strings.Trim(s[1:end], "0123456789abcdefABCDEF:.") == ""
}

func hostRune(r rune) bool {
	return r == '-' || r == '_' || r > ' ' && r != '<' && r != '>' && !unicode.IsPunct(r) && !unicode.IsSpace(r) && !unicode.IsControl(r)
}

// takeBack removes src[start:i], the last octets written, from out.
func (w *weaver) takeBack(start, i int) {
	w.out = w.out[:len(w.out)-(i-start)]
	if n := len(w.out); !w.inline && !w.inLink && n >= 2 && w.out[n-1] == '\\' && w.out[n-2] == '<' && start > 0 && w.src[start-1] == '<' {
		w.out = w.out[:n-1] // "<" before a mark needs no break
	}
}

// url writes a mark for the URL that starts at start and was noticed at i; it returns the octets used from i.
func (w *weaver) url(start, i int) int {
	end := i + targetLen(w.src[i:])
	target := w.src[start:end]
	w.takeBack(start, i)
	w.lit = end
	if w.inline || w.inLink {
		w.puts(defang(target))
		return end - i
	}
	l := w.inspect(target, w.labelBefore(), w.wordsAround(end))
	w.number++
	l.Number = w.number
	w.addLink(l)
	w.writeMark(l.mark(), l.Masked)
	return end - i
}

func (w *weaver) addLink(l Link) {
	if len(w.links) < maxLinks {
		w.links = append(w.links, l)
	}
}

// wordsAround is what stands before a URL and in the rest of its line and the next: what it is said to be for.
func (w *weaver) wordsAround(end int) string {
	after := clip(w.src, end, min(len(w.src), end+80))
	return string(w.out[max(0, len(w.out)-120):]) + " " + after
}

// labelBefore is the text of an inline link whose target is about to be written: "[text]\(".
func (w *weaver) labelBefore() string {
	head := w.out[max(0, len(w.out)-maxAltChars):]
	if n := len(head); n > 0 && head[n-1] == '<' {
		head = head[:n-1]
	}
	n := len(head) - len(`]\(`)
	if n < 0 || string(head[n:]) != `]\(` {
		return ""
	}
	open := strings.LastIndexByte(string(head[:n]), '[')
	if open < 0 {
		return ""
	}
	return string(head[open+1 : n])
}

// targetLen is how many octets of s belong to a URL: up to white space, quotes, angle brackets, a bracket that was not
// opened inside, and without the punctuation that ends a sentence.
func targetLen(s string) int {
	end, depth := 0, [3]int{}
	for end < len(s) && end < maxTargetOctets {
		r, size := utf8.DecodeRuneInString(s[end:])
		if endsTarget(r) {
			break
		}
		if k := strings.IndexRune("([{", r); k >= 0 {
			depth[k]++
		} else if k := strings.IndexRune(")]}", r); k >= 0 {
			if depth[k]--; depth[k] < 0 {
				break
			}
		}
		end += size
	}
	after, _ := utf8.DecodeRuneInString(s[end:])
	for end > 1 && strings.IndexByte(".,;:!?'*_~", s[end-1]) >= 0 && !endsReference(s[:end]) && (end == len(s) || !hostRune(after)) {
		end--
	}
	return max(end, 1)
}

// endsReference reports that s ends in a character reference, whose semicolon must not be left behind.
func endsReference(s string) bool {
	amp := strings.LastIndexByte(s[max(0, len(s)-34):], '&')
	if amp < 0 || s[len(s)-1] != ';' {
		return false
	}
	name := s[max(0, len(s)-34)+amp+1 : len(s)-1]
	return strings.IndexFunc(name, func(r rune) bool { return r >= utf8.RuneSelf || !isAlnum(byte(r)) && r != '#' }) < 0
}

func endsTarget(r rune) bool {
	switch r {
	case '<', '>', '"', '`', '|', '«', '»', '“', '”', '„', '’', '‘', '⟦', '⟧', '「', '」', '『', '』', '【', '】', '（', '）', '，', '。', '、', '；', '！', '？', '：',
		0xA0, 0x1680, 0x202F, 0x205F, 0x3000:
		return true
	}
	return r <= ' ' || r >= 0x2000 && r <= 0x200A || r >= 0xFDD0 && r <= 0xFDEF
}
