package imaptest

import (
	"fmt"
	"strings"
)

// Ugly body structures met in the field: values of the FETCH item BODYSTRUCTURE. Put them into a script with Fetch, or
// into the answer of a memory server with ReplaceItem. Each comment says what is wrong and who has sent the like.
const (
	// StructureStrayQuotes has a description of four quote marks: an unescaped quote within quotes (NetEase).
	StructureStrayQuotes = `(("text" "html" ("charset" "UTF-8") NIL NIL "quoted-printable" 10 1)` +
		`("application" "octet-stream" ("name" "plan.pdf") NIL """" "base64" 100) "mixed")`

	// StructureChildless has a multipart that lists no child where one is required (Gmail, Exchange).
	StructureChildless = `(("ALTERNATIVE" ("BOUNDARY" "inner") NIL NIL)` +
		`("APPLICATION" "PDF" NIL NIL NIL "BASE64" 9 NIL ("ATTACHMENT" ("FILENAME" "plan.pdf")) NIL) "MIXED")`

	// StructureEmptyParameters writes an empty list where NIL belongs, on a delivery status.
	StructureEmptyParameters = `(("text" "plain" ("charset" "us-ascii") NIL NIL "7bit" 120 4)` +
		`("message" "delivery-status" () NIL NIL "7bit" 340) "report")`

	// StructureTwoChildless has two children without content after a good alternative; their disposition has NIL for
	// parameters (Gmail, for parts it could not parse).
	StructureTwoChildless = `((("TEXT" "PLAIN" ("CHARSET" "UTF-8") NIL NIL "7BIT" 12 1)("TEXT" "HTML" ("CHARSET" "UTF-8") NIL NIL "7BIT" 40 1) "ALTERNATIVE")` +
		`("RELATED" NIL ("ATTACHMENT" NIL) NIL)("RELATED" NIL ("ATTACHMENT" NIL) NIL) "MIXED")`

	// StructureNilEncoding has NIL for the transfer encoding and for the value of a parameter (Mail.ru, old Exchange).
	StructureNilEncoding = `("TEXT" "PLAIN" ("CHARSET" NIL) NIL NIL NIL 12 1 NIL NIL NIL)`

	// StructureNilNumbers has NIL for size and lines (gateways that have not counted).
	StructureNilNumbers = `("TEXT" "PLAIN" ("CHARSET" "UTF-8") NIL NIL "7BIT" NIL NIL NIL NIL NIL)`

	// StructureNilSubtype has NIL for type and subtype.
	StructureNilSubtype = `(NIL NIL NIL NIL NIL "7BIT" 12 NIL NIL NIL)`

	// StructureShortMessage is a message/rfc822 without envelope, structure and lines (servers that do not look inside).
	StructureShortMessage = `(("TEXT" "PLAIN" NIL NIL NIL "7BIT" 12 1)("MESSAGE" "RFC822" NIL NIL NIL "7BIT" 900) "MIXED")`

	// StructureShortGlobal is the same for message/global, which only RFC 9051 servers may describe in full.
	StructureShortGlobal = `(("TEXT" "PLAIN" NIL NIL NIL "7BIT" 12 1)("MESSAGE" "GLOBAL" NIL NIL NIL "8BIT" 900) "MIXED")`

	// StructureNoLines is a text part without the count of lines.
	StructureNoLines = `("TEXT" "PLAIN" ("CHARSET" "UTF-8") NIL NIL "7BIT" 12)`

	// StructureOddParameters has a list of parameters with a name that lacks its value.
	StructureOddParameters = `("TEXT" "PLAIN" ("CHARSET" "UTF-8" "FORMAT") NIL NIL "7BIT" 12 1 NIL NIL NIL)`

	// StructureStringDisposition has a disposition that is a string and no list (Domino).
	StructureStringDisposition = `("TEXT" "PLAIN" ("CHARSET" "UTF-8") NIL NIL "7BIT" 12 1 NIL "inline" NIL)`

	// StructureRawName has unencoded UTF-8 and an ISO-8859-1 octet in a file name.
	StructureRawName = "(\"APPLICATION\" \"PDF\" (\"NAME\" \"\xc3\x9cbersicht \xfcber.pdf\") NIL NIL \"BASE64\" 9 NIL NIL NIL)"

	// StructureSpaces has a space between the children of a multipart, which the grammar does not allow.
	StructureSpaces = `(("TEXT" "PLAIN" NIL NIL NIL "7BIT" 12 1) ("TEXT" "HTML" NIL NIL NIL "7BIT" 40 1) "ALTERNATIVE")`
)

// Ugly values of other FETCH items.
const (
	// EnvelopeNilHost has addresses with NIL for mailbox or host, a group, and NIL for the date.
	EnvelopeNilHost = `(NIL "no host" (("Somebody" NIL "somebody" NIL)) (("Nobody" NIL NIL "example.com")) NIL ` +
		`((NIL NIL "friends" NIL)(NIL NIL "one" "example.org")(NIL NIL NIL NIL)) NIL NIL NIL NIL)`

	// EnvelopeRawOctets has octets outside ASCII, neither encoded nor valid UTF-8, in subject and name.
	EnvelopeRawOctets = "(\"Mon, 2 Nov 2026 09:00:00 +0000\" \"Gr\xfc\xdfe\" ((\"J\xfcrgen\" NIL \"office\" \"example.com\")) NIL NIL NIL NIL NIL NIL \"<raw@example.com>\")"

	// EnvelopeShort ends after the subject.
	EnvelopeShort = `("Mon, 2 Nov 2026 09:00:00 +0000" "cut short")`

	// EnvelopeForgedLine has a display name that decodes to CR LF and looks like a server's line after it.
	EnvelopeForgedLine = `("Mon, 2 Nov 2026 09:00:00 +0000" "hello" (("=?UTF-8?Q?A=0D=0A=2A_9_EXISTS?=" NIL "a" "example.com")) NIL NIL NIL NIL NIL NIL "<forged@example.com>")`

	// InternalDateImpossible, InternalDateEmpty and InternalDateISO are no date-time of RFC 9051 §9.
	InternalDateImpossible = `"00-Jan-0000 00:00:00 +0000"`
	InternalDateEmpty      = `""`
	InternalDateISO        = `"2026-11-02T09:00:00Z"`

	// FlagsOdd has an empty atom's place taken by NIL, a bracket and a repeated flag.
	FlagsOdd = `(\Seen NIL \Seen Label[1] $Junk)`

	// UnknownItems are FETCH items that a client did not ask for (vendors, RFC 8474, RFC 8514).
	UnknownItems = `X-GM-LABELS ("\\Inbox" "Home [2026]") X-VENDOR (1 (2 "three") NIL) EMAILID (M1) SAVEDATE NIL`
)

// Ugly LIST lines, each a whole response without CRLF.
const (
	// ListModifiedUTF7 is "Gelöschte Elemente" in modified UTF-7 (RFC 3501 §5.1.3).
	ListModifiedUTF7 = `* LIST (\HasNoChildren \Trash) "/" "Gel&APY-schte Elemente"`

	// ListAtom, ListLiteral name the same kind of mailbox in the two other forms of a string.
	ListAtom    = `* LIST (\HasNoChildren \Drafts) "/" Entw&APw-rfe`
	ListLiteral = "* LIST (\\HasNoChildren \\Sent) \"/\" {20}\r\nGesendete \"Elemente\""

	// ListLoneAmpersand is no modified UTF-7: "&" begins a run that never ends (Yandex).
	ListLoneAmpersand = `* LIST (\HasNoChildren) "/" "R&D reports"`

	// ListRawUTF8 has UTF-8 although nobody enabled it.
	ListRawUTF8 = "* LIST (\\HasNoChildren) \"/\" \"Entw\xc3\xbcrfe\""

	// ListTurkish names Gmail's "All Mail" in Turkish; it can be opened by its encoded name only.
	ListTurkish = `* LIST (\All \HasNoChildren) "/" "[Gmail]/T&APw-m Postalar"`

	// ListNilDelimiter has no hierarchy; ListLowerCase has INBOX in another case and attributes likewise.
	ListNilDelimiter = `* LIST () NIL "Notes.2026"`
	ListLowerCase    = `* LIST (\hasnochildren \NOSELECT) "." Inbox`

	// ListEmptyName has a name of no characters, ListNoName leaves it out.
	ListEmptyName = `* LIST (\Noselect) "/" ""`
	ListNoName    = `* LIST (\Noselect) "/"`

	// ListLineBreak has CR LF inside a literal name.
	ListLineBreak = "* LIST () \"/\" {13}\r\nSpam\r\n* 9 BAD"
)

// Ugly answers to a search, each with all its lines.
const (
	// SearchNoData is ESEARCH without any result, which RFC 4731 §3.1 allows.
	SearchNoData = "* ESEARCH (TAG \"{tag}\") UID\r\n{tag} OK done\r\n"

	// SearchCompletionOnly has no untagged line at all; the words of the tagged one are not numbers (iCloud).
	SearchCompletionOnly = "{tag} OK SEARCH completed (took 237 ms)\r\n"

	// SearchBadCharset refuses any charset (Exchange); SearchBadCharsetBare names none.
	SearchBadCharset     = "{tag} NO [BADCHARSET (US-ASCII)] The specified charset is not supported.\r\n"
	SearchBadCharsetBare = "{tag} NO [BADCHARSET] no\r\n"

	// SearchTrailingSpace ends with a space, SearchSplit comes in two lines, SearchRepeats names a message twice.
	SearchTrailingSpace = "* SEARCH 2 3 \r\n{tag} OK done\r\n"
	SearchSplit         = "* SEARCH 2 3\r\n* SEARCH 5\r\n{tag} OK done\r\n"
	SearchRepeats       = "* SEARCH 3 2 3 0\r\n{tag} OK done\r\n"

	// SearchOtherTag is ESEARCH with the tag of another command.
	SearchOtherTag = "* ESEARCH (TAG \"ZZ9\") UID ALL 2\r\n{tag} OK done\r\n"
)

// Fetch returns one FETCH response without CRLF: "* seq FETCH (UID uid item value ...)". Items come in pairs.
func Fetch(seq, uid int, items ...string) string {
	return fmt.Sprintf("* %d FETCH (%s)", seq, strings.Join(append([]string{fmt.Sprintf("UID %d", uid)}, items...), " "))
}

// NestedStructure returns a BODYSTRUCTURE of multiparts within multiparts, depth levels deep, around one text part.
func NestedStructure(depth int) string {
	return strings.Repeat("(", depth) + `("TEXT" "PLAIN" NIL NIL NIL "7BIT" 12 1)` + strings.Repeat(` "MIXED")`, depth)
}
