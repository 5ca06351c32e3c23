package fingerprint

import (
	"crypto/hmac"
	"crypto/sha256"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"mailgap/shared/addr"
)

// IDKey keys the hash of identifiers. One key serves one epoch of the ledger.
type IDKey [32]byte

// Kind says what an identifier is.
type Kind string

// The kinds. Their words go into the hash.
const (
	KindAddress Kind = "address" // local part and domain, as addr.Address.Key writes them
	KindShape   Kind = "shape"   // what an address looks like: two addresses with one shape are taken for each other
	KindLocal   Kind = "local"   // local part of an address
	KindDomain  Kind = "domain"  // host name, of an address, of a URL or by itself, in A-label form where it has one
	KindURL     Kind = "url"     // without its fragment
	KindOrigin  Kind = "origin"  // scheme and host of a URL
	KindPath    Kind = "path"    // path and query of a URL, of 6 octets and more
	KindPhone   Kind = "phone"   // digits only, 7 to 15
	KindIBAN    Kind = "iban"    // letters and digits only, upper case, with right check digits
	KindAuthor  Kind = "author"  // address that the mail server confirmed to have written; never found in a text
	KindWritten Kind = "written" // address that the user wrote to; never found in a text
	KindToken   Kind = "token"   // 6 letters and digits and more with a digit among them, lower case, without hyphens
)

// Identifier is something in a text that names a person, a place or a secret.
type Identifier struct {
	Kind     Kind
	Value    string // canonical: two ways of writing one identifier have one value
	Repaired bool   // it was damaged or disguised where it was found, or is a part of what stands there
	View     string // name of the view it was found in; "" is the text as it is
}

// Digest is what is kept of an identifier: HMAC-SHA256 of kind and value, cut to 128 bits.
type Digest [16]byte

// Digest hashes i under the key of one epoch. How it was found makes no difference.
func (i Identifier) Digest(key IDKey) Digest {
	m := hmac.New(sha256.New, key[:])
	m.Write([]byte(i.Kind))
	m.Write([]byte{0})
	m.Write([]byte(i.Value))
	return Digest(m.Sum(nil)[:16])
}

// Limits of the identifiers of one text.
const (
	MaxIdentifiers  = 2000 // Limit: an address counts four times (whole, shape, local part, domain)
	maxLocalOctets  = 64   // RFC 5321 §4.5.3.1.1
	maxDomainOctets = 253  // RFC 1035 §2.3.4
	maxURLOctets    = 2000
	maxTokenOctets  = 200
	minTokenOctets  = 6
	minPathOctets   = 6
)

// Identifiers lists what text names, each once, in all decoded views of it, in the order of views and of appearance. The boolean
// says that there was more than MaxIdentifiers or than the views hold. Linear in text.
func Identifiers(text string) ([]Identifier, bool) { return identifiers(text, asIs) }

// IdentifiersToAsk is Identifiers for a text that leaves: each view is also read turned by thirteen, reversed, and with each
// word reversed. What was recorded need not be.
func IdentifiersToAsk(text string) ([]Identifier, bool) { return identifiers(text, wordsReversed) }

func identifiers(text string, last turn) ([]Identifier, bool) {
	views, partly := Views(text)
	f := newFinder()
	f.partly = partly
	for _, v := range views {
		for t := asIs; t <= last; t++ {
			f.view = viewName(v.Name, t.name())
			f.scan(plain(t.of(v.Text)))
		}
	}
	return f.found, f.partly
}

// AddressForms lists the identifiers to ask for about a recipient: what it is, what it looks like, and how it reads turned by
// thirteen or reversed.
func AddressForms(a addr.Address) []Identifier {
	f := newFinder()
	f.address(a.LocalPart, a.Domain, false)
	for t := rot13; t <= backwards; t++ {
		f.view = t.name()
		f.scan(t.of(a.Key()))
		if u := a.Unicode(); u != a.AddrSpec() {
			f.scan(t.of(u))
		}
	}
	return f.found
}

// plain drops what draws nothing and writes compatibility forms ("＠", "．") as the characters they stand for.
func plain(s string) string {
	ascii := true
	for i := 0; i < len(s) && ascii; i++ {
		ascii = s[i] < utf8.RuneSelf
	}
	if ascii {
		return s
	}
	return norm.NFKC.String(strings.Map(func(r rune) rune {
		switch {
		case r == '。', r == '｡', r == '．':
			return '.'
		case r == '，', r == '、':
			return ','
		case unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point):
			return -1
		}
		return r
	}, s))
}

// finder collects identifiers.
type finder struct {
	view   string
	found  []Identifier
	seen   map[Identifier]bool
	read   map[string]bool // addresses as they stand, so that each is judged once
	partly bool
}

func newFinder() *finder { return &finder{seen: map[Identifier]bool{}, read: map[string]bool{}} }

func (f *finder) add(k Kind, value string, repaired bool) {
	key := Identifier{Kind: k, Value: value}
	if value == "" || f.seen[key] {
		return
	}
	if f.full() {
		return
	}
	f.seen[key] = true
	f.found = append(f.found, Identifier{Kind: k, Value: value, Repaired: repaired, View: f.view})
}

// full reports that nothing more is taken, and remembers that there was more.
func (f *finder) full() bool {
	f.partly = f.partly || len(f.found) >= MaxIdentifiers
	return len(f.found) >= MaxIdentifiers
}

// scan finds everything in one view.
func (f *finder) scan(s string) {
	f.addresses(s)
	f.urls(s)
	f.words(s)
	f.numbers(s)
}

// address adds an address and its parts. A domain may be what is left of one.
func (f *finder) address(local, domain string, repaired bool) {
	local, domain = strings.ToLower(local), strings.ToLower(domain)
	key := local + "@" + domain
	if local == "" || domain == "" || len(local) > maxLocalOctets || len(domain) > maxDomainOctets || f.read[key] || f.full() {
		return
	}
	f.read[key] = true
	if a, err := addr.ParseSpec(key); err == nil {
		key, domain = a.Key(), a.Domain
	}
	f.add(KindAddress, key, repaired)
	f.add(KindShape, shape(local, domain), repaired)
	f.add(KindLocal, local, repaired)
	f.domain(domain, repaired)
}

// shape is what an address looks like. Dots count in the domain only.
func shape(local, domain string) string { return Normalise(local) + "@" + addr.Skeleton(domain) }

func (f *finder) domain(d string, repaired bool) {
	d = strings.ToLower(strings.Trim(d, ".-"))
	if f.read[d] || f.full() {
		return
	}
	f.read[d] = true
	if ascii, err := addr.ParseDomain(d); err == nil {
		d = ascii
	}
	if strings.Contains(d, ".") && len(d) <= maxDomainOctets {
		f.add(KindDomain, d, repaired)
	}
}
