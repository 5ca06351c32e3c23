package ledger

import (
	"errors"
	"time"
)

// Limits. What is beyond them is left out, and the message is marked as partly recorded.
const (
	Retention       = 30 * 24 * time.Hour // of entries; a week's key goes with its last entry
	Week            = 7 * 24 * time.Hour  // life of one key
	MaxPrints       = 4096                // fingerprints of one message and week: about 29 kB of normalised text
	MaxSightings    = 2000                // identifiers of one message and week
	MaxParticipants = 500                 // addresses of one field
	MaxReferences   = 100                 // message ids of one field; of a longer list the last ones
	MaxFieldOctets  = 2000                // of one string
)

// Errors. Test with errors.Is.
var (
	ErrNoDirectory = errors.New("ledger: directory is missing and cannot be created")
	ErrNotPrivate  = errors.New("ledger: directory or file is open to other users")
	ErrReadOnly    = errors.New("ledger: book cannot be written")
	ErrFull        = errors.New("ledger: no space left")
	ErrCorrupt     = errors.New("ledger: book is damaged or is not a ledger")
	ErrNewerSchema = errors.New("ledger: book was written by a newer version")
	ErrBusy        = errors.New("ledger: book is locked by another process for too long")
	ErrKey         = errors.New("ledger: master key is missing, unreadable or another one")
	ErrClosed      = errors.New("ledger: closed")
	ErrFailed      = errors.New("ledger: failed")
	ErrNoLedger    = errors.New("ledger: there is none")
	ErrRecord      = errors.New("ledger: record without a reference")
)

// Place says where something was seen.
type Place string

// The places.
const (
	PlaceFrom       Place = "From"
	PlaceReplyTo    Place = "Reply-To"
	PlaceTo         Place = "To"
	PlaceCc         Place = "Cc"
	PlaceSubject    Place = "subject"
	PlaceBody       Place = "body"
	PlaceHidden     Place = "hidden text"
	PlaceLink       Place = "link"
	PlaceAttachment Place = "attachment"
	PlaceFileName   Place = "file name"
	PlaceHeader     Place = "header"
)

// Places lists all places. Their order is part of the format of the book.
func Places() []Place {
	return []Place{PlaceFrom, PlaceReplyTo, PlaceTo, PlaceCc, PlaceSubject, PlaceBody, PlaceHidden, PlaceLink, PlaceAttachment, PlaceFileName, PlaceHeader}
}

// AuthorStatus says what is known of the author of a message.
type AuthorStatus string

// The states of an author. The zero value is AuthorNotChecked.
const (
	AuthorNotChecked AuthorStatus = ""         // only a list entry was read, which does not check
	AuthorVerified   AuthorStatus = "verified" // the account's own server confirmed the domain of the single From address
	AuthorFailed     AuthorStatus = "failed"   // it says that the domain did not send this
	AuthorUnknown    AuthorStatus = "unknown"  // neither
)

// Address is one address as it was decoded. Strings are untrusted.
type Address struct {
	Name     string `json:"n,omitempty"` // display name
	Local    string `json:"l,omitempty"`
	Domain   string `json:"d,omitempty"`
	Raw      string `json:"r,omitempty"` // as it stands in the field, where it is no plain address
	Group    string `json:"g,omitempty"` // name of the group it stands in
	NameAddr string `json:"a,omitempty"` // an address inside the display name that is not this one
}

// AddrSpec returns local part and domain, or "" if one is missing.
func (a Address) AddrSpec() string {
	if a.Local == "" || a.Domain == "" {
		return ""
	}
	return a.Local + "@" + a.Domain
}

// Facts are what is known of a message from its header. Strings are untrusted.
type Facts struct {
	Ref          string       `json:"ref"` // imap://…, without section
	Account      string       `json:"acc,omitempty"`
	Mailbox      string       `json:"box,omitempty"`
	Confidential bool         `json:"conf,omitempty"` // the operator labelled the mailbox so
	Own          bool         `json:"own,omitempty"`  // from the mailbox of sent messages or drafts: the user's own words
	Complete     bool         `json:"full,omitempty"` // the whole header was read; false: a list entry, which has From, To, Subject and Date alone
	MessageID    string       `json:"mid,omitempty"`  // without angle brackets
	InReplyTo    []string     `json:"irt,omitempty"`
	References   []string     `json:"refs,omitempty"`
	From         []Address    `json:"from,omitempty"`
	FromFields   int          `json:"ff,omitempty"` // header fields of that name
	ReplyFields  int          `json:"rf,omitempty"`
	To           []Address    `json:"to,omitempty"`
	Cc           []Address    `json:"cc,omitempty"`
	ReplyTo      []Address    `json:"rt,omitempty"`
	FromRaw      string       `json:"fraw,omitempty"` // body of the first From field as it came, unfolded, for comparison
	ReplyToRaw   string       `json:"rraw,omitempty"`
	ListPost     string       `json:"lp,omitempty"` // body of the field
	ListID       string       `json:"lid,omitempty"`
	Subject      string       `json:"sub,omitempty"`
	Date         time.Time    `json:"date,omitzero"`
	Received     time.Time    `json:"rcv,omitzero"` // by the server's clock
	Author       AuthorStatus `json:"as,omitempty"`
	AuthorDomain string       `json:"ad,omitempty"` // the domain that was confirmed or denied
	AuthorMethod string       `json:"am,omitempty"`
	AuthorReason string       `json:"ar,omitempty"`
	Problems     []string     `json:"prob,omitempty"` // what casts doubt on the author, in the reader's words: several_from, name_shows_other_address, incomplete, unreadable
	Cut          bool         `json:"cut,omitempty"`  // a list or a string was longer than a limit
}

// Text is a text that is handed out.
type Text struct {
	Place Place
	Text  string
}

// Record is what one tool result hands out of one message.
type Record struct {
	Facts
	Texts []Text // addresses of Facts need not be repeated here
}

// Message is what the book knows of one message. Strings are untrusted.
type Message struct {
	Facts
	FirstRead time.Time // when the first word of it was handed out
	LastRead  time.Time // when the last new word was
	Partly    bool      // there was more text than is recorded
	Prints    int       // fingerprints kept
	Octets    int       // of normalised text that they cover
}

// State says in what state the book is.
type State string

// The states.
const (
	StateNever      State = "never existed" // no ledger was ever seen here: provenance is not tracked
	StateOff        State = "off"           // switched off by the operator
	StateOK         State = "ok"
	StateMissing    State = "missing"     // it existed and is gone
	StateGap        State = "gap"         // entries are missing, reordered or altered
	StateRolledBack State = "rolled back" // it is older than what was seen before: an old copy, or cut at its end
	StateReplaced   State = "replaced"    // it is another book than the one seen before
	StateForeignKey State = "foreign key" // the master key is missing or another one
	StateUnreadable State = "unreadable"  // damaged, of a newer version, not private, or it cannot be opened
)

// Health is what an examination of the book found.
type Health struct {
	State   State
	Reasons []string // in our own words, for a person; numbers of entries, no content
	Entries int64    // in the chain now
	Head    int64    // number of the newest entry
	Newest  time.Time
}

// Trusted reports whether absence from the book means anything: state ok.
func (h Health) Trusted() bool { return h.State == StateOK }

// Alarming reports whether the state is one that must raise the level of a question.
func (h Health) Alarming() bool {
	return h.State != StateOK && h.State != StateNever && h.State != StateOff
}

// KeyStore keeps the master key outside the directory of the book. Get returns nil without error if there is no key.
type KeyStore interface {
	Get(service, user string) ([]byte, error)
	Set(service, user string, key []byte) error
}
