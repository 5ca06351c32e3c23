package decode

import (
	"errors"
	"time"
)

// ErrDate is returned by Date for text that is no date, or names an impossible one.
var ErrDate = errors.New("decode: no date")

// Unstructured decodes the body of an unstructured field (Subject, Comments, Content-Description) to one line of text.
// Encoded words (RFC 2047) are decoded as clients do, broken ones stay readable, raw 8-bit text is taken for UTF-8 or a legacy
// charset. Control characters and Unicode line breaks become spaces. The output is valid UTF-8.
func Unstructured(body string) string { return "" }

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

// AddrSpec returns LocalPart@Domain without any quoting, or "" when either is missing.
func (a Address) AddrSpec() string { return "" }

// DomainASCII returns the domain in A-labels (RFC 5890 §2.3.2.1), or Domain if it has no such form.
func (a Address) DomainASCII() string { return "" }

// DomainUnicode returns the domain in U-labels, or Domain if it has no such form.
func (a Address) DomainUnicode() string { return "" }

// Addresses reads an address list (From, To, Reply-To ...). The list is split first and names are decoded after, so an encoded
// comma splits nothing. At most 2,000 addresses are returned, the last one then carries NoteAddressLimit.
func Addresses(body string) []Address { return nil }

// MessageIDs reads the ids of Message-ID, In-Reply-To or References in order, without angle brackets and without repetition.
// Words around them are skipped. If there is no id in angle brackets, bare words that look like one count. At most 1,000.
func MessageIDs(body string) []string { return nil }

// Date reads a date as in RFC 5322 §3.3 and in the forms seen in practice. A missing zone is read as UTC.
// Errors: ErrDate.
func Date(body string) (time.Time, error) { return time.Time{}, ErrDate }

// Params holds decoded parameters by lower-case name. Values are one line of valid UTF-8.
type Params map[string]string

// MediaType reads the body of Content-Type: the lower-case type ("text/plain"; "" if none can be read) and its decoded parameters.
func MediaType(body string) (string, Params, Notes) { return "", nil, nil }

// Disposition reads the body of Content-Disposition: the lower-case disposition type and its decoded parameters.
func Disposition(body string) (string, Params, Notes) { return "", nil, nil }

// ParamsFrom decodes parameters that come as a map, such as those of an IMAP BODYSTRUCTURE: RFC 2231 segments are joined
// ("filename*0*"), charsets and encoded words decoded, names lower-cased.
func ParamsFrom(m map[string]string) (Params, Notes) { return nil, nil }

// FileName is a file name from a message. Raw is decoded and one line, and is for showing and comparing after cleaning only;
// Safe is a plain name without path, control or bidirectional characters, at most 200 octets, never empty, not reserved on common systems.
type FileName struct {
	Raw   string // "" if the part has no name
	Safe  string
	Notes Notes
}

// Filename picks the best name a part has (filename before name). fallback is used when there is none, e.g. "part-2".
func Filename(disposition, mediaType Params, fallback string) FileName { return FileName{} }

// TransferDecode undoes a Content-Transfer-Encoding. limit bounds the decoded octets (0: 64 MiB).
func TransferDecode(encoding string, octets []byte, limit int) ([]byte, Notes) { return octets, nil }

// CharsetNote says how text was decoded.
type CharsetNote struct {
	Label   string // as declared, lower case, one line; "" if none
	Used    string // canonical name of the charset used
	Invalid int    // sequences that became U+FFFD
	Notes   Notes
}

// Text decodes octets labelled with a charset as clients do. The output is valid UTF-8 without NUL; line ends are left alone.
func Text(label string, octets []byte) (string, CharsetNote) { return "", CharsetNote{} }

// HTMLText is Text for an HTML part: without a usable label, the charset of a meta element in the first 1,024 octets counts.
func HTMLText(label string, octets []byte) (string, CharsetNote) { return "", CharsetNote{} }

// Flowed joins the lines of format=flowed text (RFC 3676), keeping quote levels and the signature line. Lines come out ended by "\n".
func Flowed(text string, delsp bool) string { return text }

// Entity is a message or body part.
type Entity struct {
	PartNumber        string // RFC 9051 §6.4.5: "1.2"; "TEXT" or "2.TEXT" for the multipart that is the body of a message
	Header            Header
	MediaType         string // lower case; the default type if none is given
	Params            Params
	Disposition       string // lower case; "" if none
	DispositionParams Params
	Encoding          string // lower case; "" if none
	Body              []byte // undecoded octets, a slice of the input
	Start, End        int    // Body's place in the input of ParseMessage; -1 inside a decoded message
	Children          []*Entity
	Notes             Notes
}

// ParseMessage reads a message into a tree without decoding its leaves.
func ParseMessage(octets []byte, l Limits) *Entity { return &Entity{} }

// Decoded returns the body with its transfer encoding undone, at most limit octets (0: 64 MiB).
func (e *Entity) Decoded(limit int) ([]byte, Notes) { return nil, nil }

// Text returns the decoded text of a text part: transfer encoding, charset and format=flowed undone.
func (e *Entity) Text(limit int) (string, CharsetNote) { return "", CharsetNote{} }

// Node describes the entity and what is below it.
func (e *Entity) Node() Node { return Node{} }

// Find returns the entity with the part number, or nil.
func (e *Entity) Find(partNumber string) *Entity { return nil }

// Node describes a part, from an IMAP BODYSTRUCTURE or from an Entity.
type Node struct {
	PartNumber        string
	MediaType         string // lower case
	Params            Params // as ParamsFrom returns them
	Disposition       string // lower case
	DispositionParams Params
	Encoding          string
	Size              int64 // octets as encoded; -1 if unknown
	ContentID         string
	Description       string
	Children          []Node // parts of a multipart; the one root of a message/rfc822
}

// Filename returns the part's file name.
func (n Node) Filename() FileName { return FileName{} }

// Body says which parts are the text of a message and which are files.
type Body struct {
	Plain       []Node // text/plain (and other text shown inline), in order
	HTML        []Node
	Calendar    []Node // text/calendar offered as an alternative; listed in Attachments too
	Attachments []Node // everything that is no body text: files, inline images, attached messages, reports
}

// Bodies chooses as mail clients do.
func Bodies(root Node) Body { return Body{} }

// TNEF is the content of an application/ms-tnef part (winmail.dat).
type TNEF struct {
	Text        string // plain body, if any
	HTML        []byte // HTML body, if any
	Attachments []TNEFAttachment
	Notes       Notes
}

// TNEFAttachment is a file in a TNEF stream. Octets is a slice of the input.
type TNEFAttachment struct {
	Name   FileName
	Octets []byte
}

// ParseTNEF lists what a TNEF stream holds: at most 200 attachments. ok is false if octets is no TNEF stream.
func ParseTNEF(octets []byte) (t TNEF, ok bool) { return TNEF{}, false }
