package session

import "time"

// UID is a unique identifier of a message within a mailbox and UIDVALIDITY (RFC 9051 §2.3.1.1).
type UID uint32

// State is what a server says about an examined mailbox.
type State struct {
	Name          string // as in Mailbox.Name
	UIDValidity   uint32
	UIDNext       UID // 0: the server did not say
	Messages      uint32
	HighestModSeq uint64 // 0: unknown
}

// Status holds counts of a mailbox that is not opened. Has* tell whether the server gave the number.
type Status struct {
	Messages, Unseen       uint32
	HasMessages, HasUnseen bool
	UIDNext                UID    // 0: unknown
	UIDValidity            uint32 // 0: unknown
	HighestModSeq          uint64 // 0: unknown
}

// Mailbox is one entry of a listing. Name, Raw and Attrs come from the server: untrusted.
type Mailbox struct {
	Name       string // decoded, UTF-8; accepted by Examine
	Raw        string // the name as it travels, if that differs from Name; accepted by Examine too
	Delimiter  string // hierarchy delimiter, "" for none
	Attrs      []string
	NoSelect   bool // cannot be opened
	NonExist   bool // only named by its children or a subscription
	Subscribed bool
	SpecialUse SpecialUse
	Guessed    bool    // SpecialUse was guessed from the name
	Status     *Status // nil: not asked for, or StatusErr
	StatusErr  error   // why this mailbox has no Status; the listing goes on
}

// SpecialUse is a role of a mailbox (RFC 6154), lower case, without the backslash. The zero value means none.
type SpecialUse string

// The roles of mailboxes.
const (
	UseInbox     SpecialUse = "inbox"
	UseAll       SpecialUse = "all"
	UseArchive   SpecialUse = "archive"
	UseDrafts    SpecialUse = "drafts"
	UseFlagged   SpecialUse = "flagged"
	UseImportant SpecialUse = "important"
	UseJunk      SpecialUse = "junk"
	UseSent      SpecialUse = "sent"
	UseTrash     SpecialUse = "trash"
)

// ListOptions says what a listing asks for.
type ListOptions struct {
	Pattern    string // LIST wildcards; "" means "*"
	Status     bool   // counts for every mailbox that can be opened
	Subscribed bool   // whether each mailbox is subscribed, where the server tells (LIST-EXTENDED)
}

// Set names messages of one mailbox: by UID, or by sequence number for one call. Build it with UIDs, UIDRange or SeqRange.
type Set struct {
	ranges []numRange
	seq    bool
}

type numRange struct{ from, to uint32 } // to 0 means "*"

// Items says what Fetch asks for. UID is always asked for.
type Items struct {
	Flags         bool
	InternalDate  bool
	Size          bool
	BodyStructure bool
	ModSeq        bool     // ignored if the server has no CONDSTORE
	Header        bool     // the whole header of the message
	HeaderFields  []string // these fields only; ignored if Header is set
	Parts         []PartRequest
	MaxHeader     int // octets of header accepted per message; 0 means 256 KiB, at most 512 KiB
}

// PartRequest asks for octets of a body part, still in their transfer encoding.
type PartRequest struct {
	Number string // part number as in RFC 9051 §6.4.5 ("1.2"); "" for the whole message, "TEXT" for its body
	Offset int64
	Max    int  // octets at most; 0 means 512 KiB. More than 512 KiB is fetched in several pieces
	MIME   bool // the part's MIME header instead of its body
	Header bool // the header of a message/rfc822 part instead of its body
}

// PartKey names a fetched part in Message.Parts.
type PartKey struct {
	Number       string
	MIME, Header bool
	Offset       int64
}

// PartData is what came back for a PartRequest.
type PartData struct {
	Octets    []byte
	Truncated bool // the server sent as many octets as were asked for: there may be more
	Missing   bool // the server answered NIL or nothing
}

// Trouble says what is wrong with a fetched message. The zero value means nothing is.
type Trouble string

// The kinds of trouble.
const (
	TroubleNone         Trouble = ""
	TroubleNoStructure  Trouble = "no-structure" // asked for, but unusable; the rest is there
	TroubleIncomplete   Trouble = "incomplete"   // the server left out something that was asked for
	TroubleUnreadable   Trouble = "unreadable"   // the server fails on this message; only its number is known
	TroubleInternalDate Trouble = "internaldate" // the server's date is impossible; InternalDate is zero
)

// Message is what a server says about one message. All texts and octets come from the server: untrusted.
type Message struct {
	UID          UID
	Seq          uint32 // valid within the call that returned it
	Flags        []string
	HasFlags     bool
	InternalDate time.Time // zero if not asked for or impossible, see Troubles
	Size         int64
	ModSeq       uint64
	Structure    *Part
	Header       []byte // raw octets of Items.Header or Items.HeaderFields
	HeaderCut    bool   // Header was cut at Items.MaxHeader
	Parts        map[PartKey]PartData
	Repairs      []string // what the wire layer repaired in this message's reply, in words of ours ("quoting")
	Troubles     []Trouble
}

// Has reports whether t is among the message's troubles.
func (m *Message) Has(t Trouble) bool {
	for _, have := range m.Troubles {
		if have == t {
			return true
		}
	}
	return false
}

// Part is one node of a body structure (RFC 9051 §7.5.2). All texts come from the sender: untrusted. Encoded words (RFC
// 2047) in them may or may not have been decoded already; RFC 2231 parameters are as they came. MediaType, Encoding,
// Disposition and parameter names are lower case.
type Part struct {
	Number            string // as in RFC 9051 §6.4.5; "" for the multipart at the top, "2.TEXT" for that of message 2
	MediaType         string // "text/plain"
	Params            map[string]string
	ID, Description   string
	Encoding          string // transfer encoding
	Size              int64  // octets, encoded
	Lines             int64
	Disposition       string
	DispositionParams map[string]string
	Language          []string
	Location          string
	Children          []*Part // parts of a multipart; the one message of a message/rfc822 part
}

// Walk calls fn for p and every part below it, parents first, until fn returns false for a part: then the parts
// below that one are skipped.
func (p *Part) Walk(fn func(p *Part) bool) {
	if p == nil || !fn(p) {
		return
	}
	for _, c := range p.Children {
		c.Walk(fn)
	}
}

// Find returns the part with that number, or nil.
func (p *Part) Find(number string) *Part {
	var found *Part
	p.Walk(func(q *Part) bool {
		if q.Number == number && found == nil {
			found = q
		}
		return found == nil
	})
	return found
}

// Note is a remark about how far a result can be trusted.
type Note string

// The notes of a search.
const (
	// NoteServerSearchBroken: a search that matches every message found none although the mailbox has some.
	NoteServerSearchBroken Note = "server-search-broken"
	// NoteIgnoredUIDs: the server named messages that cannot exist in this mailbox; they were left out.
	NoteIgnoredUIDs Note = "ignored-uids"
	// NoteCapped: more messages matched than are returned; the highest UIDs were kept.
	NoteCapped Note = "capped"
)

// SearchResult holds the UIDs found, ascending, each once.
type SearchResult struct {
	UIDs  []UID
	State State
	Notes []Note
}

// MailboxCriteria is one search of SearchMany.
type MailboxCriteria struct {
	Mailbox  string
	Criteria Criteria
}

// MailboxResult is the answer to one MailboxCriteria. Err concerns that mailbox alone.
type MailboxResult struct {
	Mailbox string
	SearchResult
	Err error
}

// ThreadNode is a message of a conversation and its replies; UID is 0 where the server knows of a missing parent.
type ThreadNode struct {
	UID      UID
	Children []ThreadNode
}

// Stats counts what went over the wire.
type Stats struct {
	OctetsIn, OctetsOut int64
	RoundTrips          int64 // times that an answer was waited for
	Connects            int64
	Commands            int64
}

// Info is what is known about the server from the last login. Texts are the server's own: untrusted.
type Info struct {
	Connected     bool // a login has succeeded at least once
	Host          string
	Port          int
	TLS           bool
	TLSVersion    string
	Fingerprint   string // SHA-256 of the server's certificate
	Auth          AuthMethod
	Compressed    bool
	Caps          []string // upper case, sorted
	ServerNameRaw string   // from ID
	ServerID      map[string]string
	GreetingRaw   string
}

// EventKind is what Idle reports.
type EventKind string

// The kinds of events.
const (
	EventReady   EventKind = "ready"   // the mailbox is open and watched; State is set
	EventExists  EventKind = "exists"  // the number of messages is now Messages
	EventExpunge EventKind = "expunge" // a message went away
	EventFlags   EventKind = "flags"   // flags of a message changed
)

// Event is one change in a watched mailbox. Look at the mailbox to learn what changed.
type Event struct {
	Kind     EventKind
	Messages uint32
	State    State
}
