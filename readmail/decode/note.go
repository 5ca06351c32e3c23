package decode

import "slices"

// Note names one repair or doubt, in our own words, so it can be shown without cleaning.
type Note string

// The notes this package writes.
const (
	NoteHeaderLineIgnored  Note = "header-line-ignored"  // a header line without a colon, or with a broken name, was skipped
	NoteHeaderTruncated    Note = "header-truncated"     // more fields or longer fields than the limits allow
	NoteMboxLine           Note = "mbox-from-line"       // an mbox "From " line was skipped
	NoteNUL                Note = "nul-removed"          // NUL octets were removed
	NoteDepthLimit         Note = "depth-limit"          // nested deeper than the limit: the rest is one opaque part
	NotePartLimit          Note = "part-limit"           // more parts than the limit: the rest is not listed
	NoteOctetLimit         Note = "octet-limit"          // input cut at the limit
	NoteNoBoundary         Note = "no-boundary"          // multipart without boundary parameter, or boundary never found: read as text
	NoteNoClosingBoundary  Note = "no-closing-boundary"  // the close delimiter is missing
	NoteTextAfterBoundary  Note = "text-after-boundary"  // words follow the close delimiter
	NoteTextBeforeBoundary Note = "text-before-boundary" // words precede the first delimiter
	NoteMediaTypeRepaired  Note = "media-type-repaired"  // Content-Type does not follow the grammar
	NoteParamRepeated      Note = "parameter-repeated"   // a parameter is given twice with different values: the first counts
	NoteParamRepaired      Note = "parameter-repaired"   // quotes missing, wrongly quoted extended value, missing segment
	NoteParamLimit         Note = "parameter-limit"      // more or longer parameters than the limits allow
	NoteEncodingUnknown    Note = "encoding-unknown"     // Content-Transfer-Encoding is unknown: octets as they are
	NoteEncodingFalse      Note = "encoding-false"       // the declared encoding does not fit: octets as they are
	NoteEncodingDamaged    Note = "encoding-damaged"     // junk, wrong padding or stray signs were skipped
	NoteYEnc               Note = "yenc-not-decoded"     // yEnc data is left as it is
	NoteOutputLimit        Note = "output-limit"         // the decoded octets were cut at the limit
	NoteCharsetUnknown     Note = "charset-unknown"      // the label is unknown
	NoteCharsetMissing     Note = "charset-missing"      // no label, and the octets are not ASCII
	NoteCharsetFalse       Note = "charset-false"        // the octets contradict the label; another charset was used
	NoteCharsetGuessed     Note = "charset-guessed"      // the charset used is a guess
	NoteInvalidSequence    Note = "invalid-sequence"     // octets that mean nothing in the charset became U+FFFD
	NoteAddressRepaired    Note = "address-repaired"     // the address list does not follow the grammar
	NoteAddressLimit       Note = "address-limit"        // more addresses than the limit: the rest is not listed
	NoteNameHoldsAddress   Note = "name-holds-address"   // the display name shows an address other than the real one
	NoteNameUnsafe         Note = "name-unsafe"          // a file name held path parts, control or bidirectional characters
	NoteNameReserved       Note = "name-reserved"        // a file name is reserved on some system
	NoteNameShortened      Note = "name-shortened"       // a file name was cut
	NoteTNEFDamaged        Note = "tnef-damaged"         // the TNEF stream ends early or is damaged
	NoteMessageEncoded     Note = "message-encoded"      // message/rfc822 carried in base64 or quoted-printable
)

// Notes is a set of notes in the order in which they arose. The zero value is an empty set.
type Notes []Note

// Has reports whether n is in the set.
func (ns Notes) Has(n Note) bool { return slices.Contains(ns, n) }

// add puts each of n into the set once.
func (ns *Notes) add(n ...Note) {
	for _, x := range n {
		if !ns.Has(x) {
			*ns = append(*ns, x)
		}
	}
}
