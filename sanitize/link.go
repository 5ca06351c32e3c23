package sanitize

import (
	"net/netip"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
	"golang.org/x/net/publicsuffix"
)

const (
	// maxLinks is how many links one result lists; marks beyond it are written and numbered all the same.
	maxLinks = 500
	// maxTargetChars bounds one target in the list.
	maxTargetChars = 2000
	// maxMarkHostChars bounds the host in a mark; what is cut is the front, because the end says whose site it is.
	maxMarkHostChars = 60
)

// Link is one link of a text: what is shown, and where it leads.
type Link struct {
	// Number is the number in the mark that stands in the text; 0 for the target of an image.
	Number int `json:"number"`
	// Text is what the message shows for the link; empty for a bare URL.
	Text Clean `json:"text,omitzero"`
	// Target is the true target, defanged (see Defang); at most 2000 characters of it.
	Target Clean `json:"target,omitzero"`
	// Host is the target's host as it is resolved (punycode), defanged. Empty if the target has none.
	Host Clean `json:"host,omitzero"`
	// UnicodeHost is the host in its own letters, when those are not ASCII.
	UnicodeHost Clean `json:"unicode_host,omitzero"`
	// ShownHost is the host that Text names when Mismatch is set.
	ShownHost Clean `json:"shown_host,omitzero"`
	// Mismatch reports that Text names a site (registrable domain) other than the target's.
	Mismatch bool `json:"mismatch,omitempty"`
	// Confusable reports a host that mixes scripts, or is wholly made of letters that look like Latin ones.
	Confusable bool `json:"confusable,omitempty"`
	// LooksLike is the Latin reading of a confusable host, defanged.
	LooksLike Clean `json:"looks_like,omitzero"`
	// Userinfo reports a target with a user name before the host, which can be taken for the host.
	Userinfo bool `json:"userinfo,omitempty"`
	// Tracking are the names of known tracking parameters in the target.
	Tracking []Clean `json:"tracking,omitempty"`
	// Image reports that the target would have been fetched as an image.
	Image bool `json:"image,omitempty"`
	// Masked reports a sign-in, confirmation or password-reset link: only the host of its target is given.
	Masked bool `json:"masked,omitempty"`
	// Unverified reports a mark that the message itself contained: it looks like ours, and no target is known for it.
	Unverified bool `json:"unverified,omitempty"`

	shown string // the host in the mark
}

// Defang writes a URL so that no renderer makes a link of it: "https://shop.example/a" becomes
// "hxxps[:]//shop[.]example/a". To undo it, replace "[:]" by ":", "[.]" by ".", "[at]" by "@", "[localhost]" by "localhost",
// and "hxxp" at the start by "http". Square and round brackets, angle brackets, quotes and spaces of the URL itself are percent-encoded first,
// so undoing is exact up to that encoding. At most 2000 characters are kept.
func Defang(url string) Clean { return Clean{defang(normalise(url, nil))} }

func defang(url string) string {
	var b strings.Builder
	url, cut := cutRunes(url, maxTargetChars)
	if strings.Contains(url, markOpen) || strings.Contains(url, markClose) {
		url = strings.NewReplacer(markOpen, "%E2%9F%A6", markClose, "%E2%9F%A7").Replace(url)
	}
	b.Grow(len(url) + 32)
	url = defangScheme(url, &b)
	for len(url) > 0 {
		k := strings.IndexAny(url, ".@: []()<>\"`\\|{}^!;\n\t")
		if k < 0 {
			b.WriteString(url)
			break
		}
		b.WriteString(url[:k])
		r, size := utf8.DecodeRuneInString(url[k:])
		switch r {
		case '.':
			b.WriteString("[.]")
		case ':':
			b.WriteString("[:]")
		case '@':
			b.WriteString("[at]")
		default:
			percent(&b, r)
		}
		url = url[k+size:]
	}
	if cut {
		b.WriteString("…")
	}
	s := b.String()
	if !strings.Contains(s, "//") {
		return s
	}
	return bracketLocalhost(s)
}

// bracketLocalhost breaks the one name without a dot that linkify-it links after "//".
func bracketLocalhost(s string) string {
	var b strings.Builder
	for {
		head, rest, ok := strings.Cut(s, "//")
		b.WriteString(head)
		if !ok {
			return b.String()
		}
		b.WriteString("//")
		if hasFoldPrefix(rest, "localhost") {
			b.WriteString("[localhost]")
			rest = rest[len("localhost"):]
		}
		s = rest
	}
}

// defangScheme writes the scheme and its colon, and returns what follows.
func defangScheme(url string, b *strings.Builder) string {
	scheme, rest, ok := strings.Cut(url, ":")
	if !ok || scheme == "" || len(scheme) > maxSchemeOctets || strings.ContainsAny(scheme, "/?#.@[]() ") {
		return url
	}
	if hasFoldPrefix(scheme, "http") {
		scheme = "hxxp" + scheme[4:]
	}
	for _, r := range scheme {
		if r < utf8.RuneSelf && (isAlnum(byte(r)) || r == '+' || r == '-') {
			b.WriteRune(r)
		}
	}
	b.WriteString("[:]")
	return rest
}

func percent(b *strings.Builder, r rune) {
	const hex = "0123456789ABCDEF"
	var buf [4]byte
	for _, o := range buf[:utf8.EncodeRune(buf[:], r)] {
		b.Write([]byte{'%', hex[o>>4], hex[o&15]})
	}
}

func cutRunes(s string, n int) (string, bool) {
	if len(s) <= n {
		return s, false
	}
	for i := range s {
		if n--; n < 0 {
			return s[:i], true
		}
	}
	return s, false
}

// target is a URL in its parts, as a browser would take it apart (WHATWG URL: a backslash is a slash).
type target struct {
	scheme, userinfo, host, path, query string
}

func splitTarget(url string) target {
	var t target
	rest := strings.Map(func(r rune) rune {
		if r == '\t' || r == '\n' || r == '\r' {
			return -1
		}
		return r
	}, strings.TrimSpace(url))
	if head, after, ok := strings.Cut(rest, ":"); ok && head != "" && !strings.ContainsAny(head, "/?#.@[") {
		t.scheme, rest = strings.ToLower(head), after
	}
	if t.scheme == "mailto" {
		t.path, t.query, _ = strings.Cut(rest, "?")
		return t
	}
	if !strings.HasPrefix(rest, "//") && t.scheme != "" && t.scheme != "http" && t.scheme != "https" && t.scheme != "ftp" {
		t.path = rest
		return t
	}
	rest = strings.TrimLeft(rest, `/\`)
	authority := rest
	if k := strings.IndexAny(rest, `/\?#`); k >= 0 {
		authority, rest = rest[:k], rest[k:]
	} else {
		rest = ""
	}
	if t.scheme == "file" && strings.HasPrefix(url[len("file:"):], "///") {
		authority = ""
	}
	if k := strings.LastIndexByte(authority, '@'); k >= 0 {
		t.userinfo, authority = authority[:k], authority[k+1:]
	}
	t.host = stripPort(authority)
	rest, _, _ = strings.Cut(rest, "#")
	t.path, t.query, _ = strings.Cut(rest, "?")
	return t
}

func stripPort(authority string) string {
	if strings.HasPrefix(authority, "[") {
		if end := strings.IndexByte(authority, ']'); end > 0 {
			return authority[:end+1]
		}
		return ""
	}
	host, _, _ := strings.Cut(authority, ":")
	return strings.TrimSuffix(host, ".")
}

// inspect reads a target and says what a careful person would want to know about it.
func (w *weaver) inspect(url, text, context string) Link {
	t := splitTarget(url)
	ascii, uni := hostNames(t.host)
	l := Link{Target: Clean{defang(url)}, Host: Clean{dots(ascii)}, Userinfo: t.userinfo != "", Tracking: tracking(t.query)}
	if t.host == "" && t.scheme != "" {
		l.shown = t.scheme
	} else {
		l.shown = ascii
	}
	if uni != ascii {
		l.UnicodeHost = Clean{dots(lineText(uni))}
	}
	if like, odd := confusableHost(uni); odd {
		l.Confusable, l.LooksLike = true, Clean{dots(lineText(like))}
		w.c.add(KindConfusable, 1)
	}
	if text != "" {
		l.Text = Line(text, maxAltChars)
		if shown := hostIn(text); shown != "" && !sameSite(shown, ascii) {
			l.Mismatch, l.ShownHost = true, Clean{markHost(shown)}
			w.c.add(KindMismatch, 1)
		}
	}
	if !w.reveal && secretTarget(t, text+" "+context) {
		l.Masked, l.Target = true, Clean{defang(t.scheme+"://"+ascii+"/") + hiddenLink}
		w.c.add(KindSecret, 1)
	}
	return l
}

func (l Link) mark() string { return markHost(l.shown) }

// markHost is a host as it stands in a mark: ASCII letters, digits and hyphens, dots defanged, at most 60 characters.
// It is its own inverse on what it wrote once the dots are back.
func markHost(host string) string {
	var b strings.Builder
	if len(host) > maxMarkHostChars {
		host = "..." + host[len(host)-maxMarkHostChars+3:]
	}
	for k := 0; k < len(host); k++ {
		switch c := host[k]; {
		case c == '.':
			b.WriteString("[.]")
		case isAlnum(c) || c == '-' || c == '_' || c == ':' && k > 0:
			b.WriteByte(c)
		default:
			b.WriteByte('_')
		}
	}
	if b.Len() == 0 {
		return "unknown"
	}
	return b.String()
}

// strictNames writes addresses and host names in running text so that no renderer links them.
func strictNames(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		k := i
		for k < len(s) && (isAlnum(s[k]) || s[k] >= utf8.RuneSelf || strings.IndexByte(".-_+@", s[k]) >= 0) {
			k++
		}
		word := s[i:k]
		if at := strings.IndexByte(word, '@'); at > 0 && at < len(word)-1 || plausibleHost(strings.TrimRight(word, ".-_+")) {
			word = strings.NewReplacer(".", "[.]", "@", "[at]").Replace(strings.TrimRight(word, ".")) + word[len(strings.TrimRight(word, ".")):]
		}
		b.WriteString(word)
		for i = k; i < len(s) && !isAlnum(s[i]) && s[i] < utf8.RuneSelf; i++ {
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

func dots(host string) string { return strings.ReplaceAll(host, ".", "[.]") }

// hostNames gives a host as it is resolved and as it is written; what no resolver takes is given with "_" for the odd letters.
func hostNames(host string) (ascii, uni string) {
	host = strings.ToLower(percentDecoded(host))
	if host != "" && plainHost(host) && !strings.Contains(host, "xn--") && isAlpha(host[len(host)-1]) {
		return host, host
	}
	if addr, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return addr.String(), addr.String()
	}
	ascii, err := idna.Lookup.ToASCII(host)
	if err != nil {
		ascii, err = idna.Punycode.ToASCII(host)
	}
	if err != nil || !plainHost(ascii) {
		ascii = strings.ReplaceAll(markHost(host), "[.]", ".")
	}
	uni, err = idna.Punycode.ToUnicode(ascii)
	if err != nil {
		uni = ascii
	}
	return ascii, uni
}

func plainHost(s string) bool {
	for k := 0; k < len(s); k++ {
		if !isAlnum(s[k]) && s[k] != '.' && s[k] != '-' && s[k] != '_' {
			return false
		}
	}
	return len(s) <= 253
}

func percentDecoded(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	var b []byte
	for k := 0; k < len(s); k++ {
		if s[k] == '%' && k+2 < len(s) {
			if hi, lo := unhex(s[k+1]), unhex(s[k+2]); hi < 16 && lo < 16 {
				b = append(b, hi<<4|lo)
				k += 2
				continue
			}
		}
		b = append(b, s[k])
	}
	return normalise(string(b), nil)
}

func unhex(b byte) byte {
	switch {
	case b >= '0' && b <= '9':
		return b - '0'
	case b|0x20 >= 'a' && b|0x20 <= 'f':
		return b | 0x20 - 'a' + 10
	}
	return 16
}

// hostIn is the host that a link's text claims to lead to: a URL or a bare host name, nothing that merely has a dot.
func hostIn(text string) string {
	if strings.IndexByte(text, '.') < 0 {
		return ""
	}
	for _, f := range strings.Fields(strings.ReplaceAll(strings.ReplaceAll(text, "[.]", "."), "[:]", ":")) {
		f = strings.Trim(f, "<>()[]\"'.,;:!?")
		if strings.Contains(f, "://") {
			ascii, _ := hostNames(splitTarget(f).host)
			return ascii
		}
		if k := strings.IndexAny(f, "/?#"); k >= 0 {
			f = f[:k]
		}
		if !strings.Contains(f, "@") && (plausibleHost(f) || hasFoldPrefix(f, "www.")) {
			ascii, _ := hostNames(f)
			return ascii
		}
	}
	return ""
}

// sameSite reports that two hosts belong to one registrable domain.
func sameSite(a, b string) bool {
	if a == b {
		return true
	}
	da, errA := publicsuffix.EffectiveTLDPlusOne(a)
	db, errB := publicsuffix.EffectiveTLDPlusOne(b)
	return errA == nil && errB == nil && da == db
}

// tracking are the names of query parameters whose only known use is to follow a reader.
func tracking(query string) []Clean {
	var found []Clean
	for part := range strings.SplitSeq(query, "&") {
		name, _, _ := strings.Cut(part, "=")
		switch name = strings.ToLower(strings.TrimPrefix(name, "amp;")); {
		case strings.HasPrefix(name, "utm_"), strings.HasPrefix(name, "mtm_"), strings.HasPrefix(name, "pk_"), strings.HasPrefix(name, "hsa_"):
		case name == "gclid", name == "fbclid", name == "mc_eid", name == "mc_cid", name == "msclkid", name == "dclid", name == "yclid", name == "_hsenc",
			name == "_hsmi", name == "mkt_tok", name == "vero_id", name == "oly_enc_id", name == "igshid", name == "s_cid", name == "trk", name == "ml_subscriber":
		default:
			continue
		}
		if len(found) < 10 {
			found = append(found, Line(name, 40))
		}
	}
	return found
}
