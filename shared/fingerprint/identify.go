package fingerprint

import (
	"crypto/hmac"
	"crypto/sha256"
)

// IDKey keys the hash of identifiers. One key serves one epoch of the ledger.
type IDKey [32]byte

// Kind says what an identifier is.
type Kind string

// The kinds. Their words go into the hash.
const (
	KindAddress Kind = "address" // local part and domain, lower case, domain in A-label form where it has one
	KindLocal   Kind = "local"   // local part of an address
	KindDomain  Kind = "domain"  // host name, of an address, of a URL or by itself
	KindURL     Kind = "url"     // without its fragment
	KindOrigin  Kind = "origin"  // scheme and host of a URL
	KindPath    Kind = "path"    // path and query of a URL, of 6 octets and more
	KindPhone   Kind = "phone"   // digits only
	KindIBAN    Kind = "iban"    // letters and digits only, upper case
	KindToken   Kind = "token"   // 6 letters and digits or more with a digit among them, lower case
)

// Identifier is something in a text that names a person, a place or a secret.
type Identifier struct {
	Kind     Kind
	Value    string // canonical: two ways of writing one identifier have one value
	Repaired bool   // it was damaged or disguised where it was found
	View     string // name of the view it was found in; "" is the text as it is
}

// Digest is what is kept of an identifier: HMAC-SHA256 of kind and value, cut to 128 bits.
type Digest [16]byte

// Digest hashes i under the key of one epoch.
func (i Identifier) Digest(key IDKey) Digest {
	m := hmac.New(sha256.New, key[:])
	m.Write([]byte(i.Kind))
	m.Write([]byte{0})
	m.Write([]byte(i.Value))
	return Digest(m.Sum(nil)[:16])
}

// MaxIdentifiers are listed of one text; each address counts three times (whole, domain, local part).
const MaxIdentifiers = 2000

// Identifiers lists what text names, each once, in all views of it, in the order of appearance. The boolean says that there
// was more than MaxIdentifiers or than the views hold.
func Identifiers(text string) ([]Identifier, bool) { return nil, false }
