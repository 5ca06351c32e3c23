package decode

import (
	"strings"

	"golang.org/x/net/idna"
)

// Address is one address of an address list.
type Address struct {
	DisplayName string // decoded, one line; empty if there is none
	LocalPart   string // unquoted, one line; empty for an address that could not be read
	Domain      string // lower case, as sent (A-label or U-label), one line
	Group       string // decoded name of the group it was listed in (RFC 5322 §3.4)
	Raw         string // as sent, one line, cut at 512 octets
	Notes       Notes
	NameAddr    string // an address shown inside DisplayName that differs from AddrSpec, lower case; else empty
}

const (
	maxAddresses     = 2000 // Limit: Exchange Online allows 1,000 recipients, Gmail 2,000
	maxRawOctets     = 512  // Limit: for showing what could not be read
	maxLocalOctets   = 256  // Limit: RFC 5321 §4.5.3.1.1 allows 64; signed bounce addresses are longer
	maxDomainOctets  = 255  // RFC 5321 §4.5.3.1.2
	maxDisplayOctets = 1024 // Limit: a display name that fills several screens hides the address
)

// AddrSpec returns LocalPart@Domain without any quoting, or "" when either is missing.
func (a Address) AddrSpec() string {
	if a.LocalPart == "" || a.Domain == "" {
		return ""
	}
	return a.LocalPart + "@" + a.Domain
}

// DomainASCII returns the domain in A-labels (RFC 5890 §2.3.2.1), or Domain if it has no such form.
func (a Address) DomainASCII() string {
	if s, err := idna.Lookup.ToASCII(a.Domain); err == nil && s != "" {
		return s
	}
	return a.Domain
}

// DomainUnicode returns the domain in U-labels, or Domain if it has no such form.
func (a Address) DomainUnicode() string {
	if s, err := idna.Lookup.ToUnicode(a.Domain); err == nil && s != "" {
		return oneLine(s)
	}
	return a.Domain
}

// Addresses reads an address list (From, To, Reply-To ...). The list is split first and names are decoded after, so an encoded
// comma splits nothing. At most 2,000 addresses are returned, the last one then carries NoteAddressLimit.
//
// Quirk: read as well are lists divided by semicolons (Outlook), unquoted commas in a name ("Doe, Jan <a@example.org>"),
// missing angle brackets, "mailto:", and routes (RFC 5322 §4.4). An address that is itself an encoded word is a name, not an
// address: no server would deliver to it.
func Addresses(body string) []Address {
	var out []Address
	for _, e := range splitAddresses(body) {
		if len(out) == maxAddresses {
			out[len(out)-1].Notes.add(NoteAddressLimit)
			break
		}
		if a, ok := e.address(); ok {
			out = append(out, a)
		}
	}
	return out
}

// NewAddress makes an Address of the three parts that an IMAP ENVELOPE gives (RFC 9051 §7.5.2): an undecoded display name, mailbox name and host
// name. Values a server filled in for a missing one, such as "MISSING_DOMAIN", are taken as they are.
func NewAddress(name, mailbox, host string) Address {
	a := Address{Raw: cutOctets(oneLine(replaceInvalid(name+" <"+mailbox+"@"+host+">")), maxRawOctets)}
	a.setParts(mailbox, host)
	a.setName(name)
	return a
}

func (e *addressItem) address() (Address, bool) {
	raw := strings.TrimSpace(e.raw)
	if raw == "" {
		return Address{}, false
	}
	a := Address{Raw: cutOctets(oneLine(replaceInvalid(raw)), maxRawOctets), Group: e.group}
	if e.damaged {
		a.Notes.add(NoteAddressRepaired)
	}
	phrase := e.phrase
	if e.hasAngle {
		a.setSpec(e.angle)
	} else {
		phrase = a.looseSpec(e)
	}
	if strings.TrimSpace(phrase) == "" {
		phrase = e.comment
	}
	a.setName(phrase)
	return a, a.AddrSpec() != "" || a.DisplayName != "" || a.LocalPart != ""
}

// setName decodes a phrase into DisplayName. A name that only repeats the address is none.
func (a *Address) setName(phrase string) {
	name := cutOctets(Unstructured(phrase), maxDisplayOctets)
	name = strings.TrimSpace(strings.Trim(name, "'"))
	if !strings.EqualFold(name, a.AddrSpec()) {
		a.DisplayName = name
	}
	a.flagName()
}

// looseSpec reads an item without angle brackets and returns what is left as its name.
func (a *Address) looseSpec(e *addressItem) string {
	words := splitWords(e.raw)
	at := -1
	for i, w := range words {
		if strings.Contains(w, "@") && !strings.Contains(w, "=?") && !strings.HasPrefix(w, "(") {
			at = i // the last one: a name may show another
		}
	}
	if at < 0 {
		if !strings.ContainsAny(strings.TrimSpace(e.phrase), " \t") && e.quoted == 0 && !strings.Contains(e.phrase, "=?") {
			a.LocalPart = cutOctets(Unstructured(e.phrase), maxLocalOctets) // a local mailbox: "root"
			return ""
		}
		a.Notes.add(NoteAddressRepaired)
		return e.phrase
	}
	var name []string
	for i, w := range words {
		if i != at && !strings.HasPrefix(w, "(") {
			name = append(name, unquote(w))
		}
	}
	if len(name) > 0 {
		a.Notes.add(NoteAddressRepaired)
	}
	a.setSpec(words[at])
	return strings.Join(name, " ")
}

// setSpec reads an addr-spec with an optional route.
//
//	angle-addr = "<" [ "@" domain *("," "@" domain) ":" ] addr-spec ">"   RFC 5322 §4.4
func (a *Address) setSpec(s string) {
	s = strings.Trim(s, " \t\r\n<>")
	if inner, ok := strings.CutPrefix(s, "[mailto:"); ok { // Outlook, in copied lists
		s = strings.TrimSuffix(inner, "]")
	}
	if len(s) > len("mailto:") && strings.EqualFold(s[:len("mailto:")], "mailto:") {
		s = s[len("mailto:"):]
	}
	if strings.HasPrefix(s, "@") {
		if i := strings.IndexByte(s, ':'); i > 0 {
			s = s[i+1:]
		}
	}
	if fields := splitWords(s); len(fields) > 1 { // "name@" <other@example.org>, or words in the brackets
		a.Notes.add(NoteAddressRepaired)
		s = pickSpec(fields)
	}
	local, domain := cutSpec(s)
	if strings.Contains(local, "@") && !strings.HasPrefix(local, `"`) {
		a.Notes.add(NoteAddressRepaired) // a@b@c: programs disagree where it divides
	}
	a.setParts(unquote(local), domain)
}

func (a *Address) setParts(local, domain string) {
	a.LocalPart = strings.ReplaceAll(cutOctets(oneLine(decodeRaw(local)), maxLocalOctets), "\ufffd", "?")
	domain = strings.ToLower(strings.Trim(oneLine(decodeRaw(domain)), " .,;>"))
	a.Domain = strings.ReplaceAll(cutOctets(domain, maxDomainOctets), " ", "")
}

// pickSpec returns the last word with an "@" inside, else all words joined: RFC 5322 §4.4 allows space around "." and "@".
func pickSpec(words []string) string {
	for i := len(words) - 1; i >= 0; i-- {
		if at := strings.LastIndexByte(words[i], '@'); at > 0 && at < len(words[i])-1 {
			return words[i]
		}
	}
	return strings.Join(words, "")
}

// cutSpec divides at the last "@" outside quotes.
func cutSpec(s string) (local, domain string) {
	quoted, at := false, -1
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			quoted = !quoted
		case '@':
			if !quoted {
				at = i
			}
		}
	}
	if at < 0 {
		return s, ""
	}
	return s[:at], s[at+1:]
}

// decodeRaw turns raw 8-bit octets into text without reading encoded words.
func decodeRaw(s string) string {
	text, _ := Text("", []byte(s))
	return text
}

// flagName sets NameAddr when the display name shows another address than the one it belongs to.
//
// Security: most clients show the name only, so "ceo@example.com" <x@example.net> passes for the former.
func (a *Address) flagName() {
	name := strings.Map(func(r rune) rune {
		if r == '＠' || r == '﹫' {
			return '@'
		}
		return r
	}, a.DisplayName)
	for word := range strings.FieldsFuncSeq(name, func(r rune) bool { return strings.ContainsRune(" <>()[]\"',;:", r) }) {
		at := strings.LastIndexByte(word, '@')
		if at > 0 && strings.Contains(word[at+1:], ".") && !strings.EqualFold(word, a.AddrSpec()) {
			a.NameAddr = strings.ToLower(strings.Trim(word, "."))
			a.Notes.add(NoteNameHoldsAddress)
			return
		}
	}
}
