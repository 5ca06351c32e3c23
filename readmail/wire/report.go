package wire

// RepairKind says what was wrong with a response and what was done about it.
type RepairKind int

// The repairs. "Dropped" kinds lose something; the others keep all information.
const (
	RepairNone               RepairKind = iota
	RepairUnstructured                  // BODYSTRUCTURE not understood: dropped, the message has no structure
	RepairUnknownPart                   // one part not understood: shown as UnknownMediaType
	RepairChildlessMultipart            // multipart without parts: shown as a part of type multipart/*
	RepairNilString                     // NIL where a string is required
	RepairParameterList                 // empty, odd or otherwise wrong parameter list
	RepairQuoting                       // unescaped quotes or backslashes in a quoted string
	RepairShortMessage                  // message/rfc822 or message/global without envelope or structure
	RepairBodyField                     // other field of a BODYSTRUCTURE wrong or missing
	RepairInternalDate                  // INTERNALDATE is no date: dropped, so the time is zero
	RepairEnvelope                      // ENVELOPE wrong in parts: those are NIL
	RepairEnvelopeDropped               // ENVELOPE not understood: dropped
	RepairFetchItem                     // FETCH item unknown or unusable: dropped
	RepairMessageDropped                // FETCH response not understood, or without a usable UID: dropped
	RepairOversized                     // response over a limit: only its UID was passed on
	RepairPartialIgnored                // the server ignored the partial range: cut to what was asked for
	RepairLiteralCut                    // literal larger than allowed: cut
	RepairUnknownResponse               // response of an unknown kind: dropped
	RepairBadResponse                   // response of a known kind, not understood: dropped
	RepairMailboxName                   // mailbox name is not modified UTF-7: see Repair.Mailbox
	RepairMailboxAmbiguous              // two mailbox names show as the same: the first one seen is opened
	RepairSearchJunk                    // junk after the numbers of a SEARCH
	RepairBareNewline                   // raw line break inside a quoted string
	RepairBlankLine                     // empty line or line that is no response
	RepairStatusLine                    // tagged response without proper status
	RepairUnexpectedTag                 // tagged response to no command: dropped
	RepairUnexpectedContinue            // "+" that nobody waits for: dropped
	RepairDepth                         // nesting deeper than allowed: cut
	RepairFlag                          // flag or attribute that is no atom: dropped
	RepairCapabilityHidden              // IMAP4rev2 beside IMAP4rev1, not enabled: hidden from the client
	repairKinds
)

// Unstructured reports whether the message concerned has come without a usable structure.
func (k RepairKind) Unstructured() bool {
	return k == RepairUnstructured || k == RepairOversized || k == RepairMessageDropped
}

// Repair is one deviation met in a response.
type Repair struct {
	Kind RepairKind
	// Seq and UID name the message concerned; 0 if there is none or it is not known. UID is known only if the
	// response carried it.
	Seq, UID uint32
	// Mailbox is the raw name as sent by the server, for the mailbox kinds only. Untrusted.
	Mailbox string
}

// UnknownMediaType is the media type of a part that the server described in a way that cannot be understood.
// Its size is 0. The text can still be fetched by its part number.
const UnknownMediaType = "application/x-mailgap-unknown"

// Stats counts what passed. Octets are those on the connection given to New (compressed ones after Compress,
// plaintext ones if TLS is below).
type Stats struct {
	OctetsIn, OctetsOut int64
	// RoundTrips counts the writes that followed a read: commands written in one go count once.
	RoundTrips int64
	// Commands sent, and untagged responses received.
	Commands, Untagged int64
	// Repairs per kind, indexed by RepairKind.
	Repairs [repairKinds]int64
}

// Command is one line of the command log.
type Command struct {
	Tag  string
	Verb string // upper case; "UID FETCH" with its space
	// Args is safe for logs: LOGIN and AUTHENTICATE data, mailbox names and search strings are replaced by "?".
	Args string
	// Full is the command as sent, without CR LF, only with Options.RecordFull. LOGIN and AUTHENTICATE data are
	// replaced even here.
	Full string
	// Refused is set when the command was stopped: nothing of it was sent.
	Refused bool
	// Vendor is set for commands of Do and Compress.
	Vendor bool
}
