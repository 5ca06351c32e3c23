package confirm

import (
	"errors"
	"slices"

	"mailgap/shared/mcpserve"
)

// Limits of a question. Beyond the counts and sizes nobody is asked (ErrTooMuch); texts are cut, and the cut is counted.
const (
	maxRecipients    = 100  // To, Cc and Bcc together; a person does not read more
	maxAttachments   = 50   // far above what servers accept
	maxNotes         = 32   // each is one finding
	maxValues        = 20   // of one note
	maxRemovals      = 60   // shown; the rest is counted
	maxLinks         = 30   // shown, those that mislead first; the rest is counted
	maxAllLinks      = 2000 // twice what package sanitize lists of one message
	maxTargetChars   = 300  // of a link's target or text that are shown; the rest is counted
	maxAddressOctets = 512  // RFC 5321 §4.5.3.1: local part 64, domain 255; and a display name of ours
	maxSubjectOctets = 998  // RFC 5322 §2.1.1: one line
	maxNameOctets    = 255  // a file name on common file systems
	maxValueOctets   = 2048 // of a note or a removal

	headCharacters = 12000 // of a text that are shown from its start; some minutes of reading
	headLines      = 400
	tailCharacters = 4000 // and up to its end, where a surprise could hide
	tailLines      = 120
)

// ErrTooMuch says that a question would be too long for a person, or that a value has a size no valid message has.
var ErrTooMuch = errors.New("confirm: too much for one question")

// Purpose says what happens on a yes.
type Purpose int

// The purposes.
const (
	PurposeSend Purpose = iota
	PurposeReply
	PurposeForward
)

// Origin says where a recipient comes from.
type Origin int

// The origins. The zero value is the least trusted one.
const (
	OriginCaller   Origin = iota // written by the AI assistant
	OriginParent                 // taken from the message that is answered
	OriginOperator               // added by the configuration

	OriginListed            // the operator's list has the exact address
	OriginKnown             // the user wrote there before, or had confirmed mail from there
	OriginParentUnconfirmed // taken from a message whose author is not confirmed
	OriginMail              // read in a mail, and nothing else speaks for it
)

// Rule says which kind of entry of the allow-list admits a recipient.
type Rule int

// The rules. The zero value is the widest one.
const (
	RuleAny    Rule = iota // every address is allowed
	RuleDomain             // any address at this domain
	RuleExact              // this address
	RuleNone               // not subject to the list, such as a copy to the sender that the operator configured
)

// Recipient is one forward path.
type Recipient struct {
	Address string // addr-spec as the reader of the question knows it, with a Unicode domain
	ASCII   string // the same with an A-label domain; empty if there is no difference
	Origin  Origin
	Rule    Rule
	Level   Level // above LevelNormal if a note of that level is about this recipient
}

// literal is a string that other packages can only make from an untyped string constant.
type literal string

// Sentence is text in our own words.
type Sentence struct{ s string }

// Say makes a Sentence. The argument must be a string constant; a variable does not type-check. It must be one line.
func Say(s literal) Sentence { return Sentence{string(s)} }

// Level says how much a note matters.
type Level int

// The levels.
const (
	LevelNormal Level = iota
	LevelElevated
	LevelSevere
)

// Note is a finding about the message. Values are what others wrote; Text must say who.
type Note struct {
	Level  Level
	Text   Sentence
	Values []string
}

// Attachment is one file.
type Attachment struct {
	Name, MediaType string
	Octets          int64
	SHA256          [32]byte
	Inline          bool // an image that the HTML part shows in its place
}

// Link is one place that the message leads to, whether the HTML part names it or the text.
type Link struct {
	Host     string // as the network resolves it; empty for a target without one, such as a mail address
	Target   string // the whole of it
	Text     string // what its reader sees in its place; empty if that is the target
	Misleads bool   // Text names another site, or Host imitates one
}

// Removal is something that was taken out of the HTML part.
type Removal struct {
	What   Sentence
	Detail string // as it stood in the input; may be empty
}

// HTML is the HTML part as its reader sees it.
type HTML struct {
	AsRead   string // text in the order of reading, LF line ends
	Octets   int    // of the part
	Removals []Removal
}

// Question is everything a person is asked about, read back from the frozen message and its envelope.
type Question struct {
	Purpose     Purpose
	Notes       []Note
	From        string // the configured identity
	To, Cc, Bcc []Recipient
	Subject     string
	Text        string // the caller's words; LF line ends
	Quote       string // quoted original below the text; empty if there is none or it is part of Text
	Signature   string // configured; empty if there is none or it is part of Text
	HTML        *HTML  // nil if there is none
	Links       []Link // each once, in the order of reading
	MoreLinks   int    // beyond those in Links
	Attachments []Attachment
}

// recipients returns all in the order shown.
func (q Question) recipients() []Recipient { return slices.Concat(q.To, q.Cc, q.Bcc) }

// files returns the inline images, or all the others.
func (q Question) files(inline bool) []Attachment {
	return slices.DeleteFunc(slices.Clone(q.Attachments), func(a Attachment) bool { return a.Inline != inline })
}

// check refuses what cannot be asked about.
func (q Question) check() error {
	all := q.recipients()
	if len(all) == 0 || len(all) > maxRecipients || len(q.Attachments) > maxAttachments || len(q.Notes) > maxNotes {
		return ErrTooMuch
	}
	if len(q.From) > maxAddressOctets || len(q.Subject) > maxSubjectOctets {
		return ErrTooMuch
	}
	for _, r := range all {
		if r.Address == "" || len(r.Address) > maxAddressOctets || len(r.ASCII) > maxAddressOctets {
			return ErrTooMuch
		}
	}
	if len(q.Links) > maxAllLinks || slices.ContainsFunc(q.Links, func(l Link) bool { return len(l.Host) > maxAddressOctets }) {
		return ErrTooMuch
	}
	for _, a := range q.Attachments {
		if len(a.Name) > maxNameOctets || len(a.MediaType) > maxNameOctets {
			return ErrTooMuch
		}
	}
	for _, n := range q.Notes {
		if len(n.Values) > maxValues || slices.ContainsFunc(n.Values, func(v string) bool { return len(v) > maxValueOctets }) {
			return ErrTooMuch
		}
	}
	return nil
}

// shown is text that this package wrote: our words, and values made visible on lines of their own.
type shown string

// SafeText implements [mcpserve.SafeText].
func (s shown) SafeText() string { return string(s) }

var _ mcpserve.SafeText = shown("")
