package session

import "time"

// Criteria is a tree of search conditions (RFC 9051 §6.4.4). Build it with the functions of this package; the zero value
// matches every message. Texts are untrusted and may hold anything but CR, LF and NUL.
type Criteria struct {
	op          op
	kids        []Criteria
	name, value string
	date        time.Time
	num         uint64
	set         Set
}

type op uint8

const (
	opAll op = iota
	opAnd
	opOr
	opNot
	opHeader
	opText
	opBody
	opSince
	opBefore
	opOn
	opSentSince
	opSentBefore
	opSentOn
	opFlag
	opNotFlag
	opLarger
	opSmaller
	opSet
	opModSeq
	opGmailRaw
)

// All matches every message.
func All() Criteria { return Criteria{} }

// And matches what every one of cs matches; without arguments, every message.
func And(cs ...Criteria) Criteria { return Criteria{op: opAnd, kids: cs} }

// Or matches what at least one of cs matches; without arguments, no message.
func Or(cs ...Criteria) Criteria { return Criteria{op: opOr, kids: cs} }

// Not matches what c does not.
func Not(c Criteria) Criteria { return Criteria{op: opNot, kids: []Criteria{c}} }

// Header matches messages with a header field of that name whose body contains value; "" matches any body.
func Header(name, value string) Criteria { return Criteria{op: opHeader, name: name, value: value} }

// From matches a text in the From field.
func From(text string) Criteria { return Header("From", text) }

// To matches a text in the To field.
func To(text string) Criteria { return Header("To", text) }

// Cc matches a text in the Cc field.
func Cc(text string) Criteria { return Header("Cc", text) }

// Bcc matches a text in the Bcc field.
func Bcc(text string) Criteria { return Header("Bcc", text) }

// Subject matches a text in the Subject field.
func Subject(text string) Criteria { return Header("Subject", text) }

// Text matches a text in header or body.
func Text(text string) Criteria { return Criteria{op: opText, value: text} }

// Body matches a text in the body.
func Body(text string) Criteria { return Criteria{op: opBody, value: text} }

// Since matches messages whose INTERNALDATE is on or after the calendar day of t, in t's zone. Servers use a zone of their
// own: widen by a day and filter exactly afterwards.
func Since(t time.Time) Criteria { return Criteria{op: opSince, date: t} }

// Before matches messages whose INTERNALDATE is before the calendar day of t. See Since about zones.
func Before(t time.Time) Criteria { return Criteria{op: opBefore, date: t} }

// On matches messages whose INTERNALDATE is on the calendar day of t. See Since about zones.
func On(t time.Time) Criteria { return Criteria{op: opOn, date: t} }

// SentSince is Since for the Date header field.
func SentSince(t time.Time) Criteria { return Criteria{op: opSentSince, date: t} }

// SentBefore is Before for the Date header field.
func SentBefore(t time.Time) Criteria { return Criteria{op: opSentBefore, date: t} }

// SentOn is On for the Date header field.
func SentOn(t time.Time) Criteria { return Criteria{op: opSentOn, date: t} }

// Flag matches messages that carry a flag or keyword: `\Seen`, `\Flagged`, `\Answered`, `\Deleted`, `\Draft`, `$Forwarded`.
func Flag(flag string) Criteria { return Criteria{op: opFlag, value: flag} }

// NotFlag matches messages that do not carry a flag or keyword.
func NotFlag(flag string) Criteria { return Criteria{op: opNotFlag, value: flag} }

// Seen matches messages that were read.
func Seen() Criteria { return Flag(`\Seen`) }

// Unseen matches messages that were not read.
func Unseen() Criteria { return NotFlag(`\Seen`) }

// Flagged matches messages with the \Flagged flag.
func Flagged() Criteria { return Flag(`\Flagged`) }

// Unflagged matches messages without the \Flagged flag.
func Unflagged() Criteria { return NotFlag(`\Flagged`) }

// Larger matches messages of more than n octets.
func Larger(n int64) Criteria { return Criteria{op: opLarger, num: uint64(max(n, 0))} }

// Smaller matches messages of fewer than n octets.
func Smaller(n int64) Criteria { return Criteria{op: opSmaller, num: uint64(max(n, 0))} }

// In matches messages of a set of UIDs.
func In(set Set) Criteria { return Criteria{op: opSet, set: set} }

// ModSeq matches messages changed since a modification sequence (RFC 7162 §3.1.5). It needs CONDSTORE.
func ModSeq(n uint64) Criteria { return Criteria{op: opModSeq, num: n} }

// GmailRaw is a query in Gmail's own search language. It needs X-GM-EXT-1 and may stand alone or in an And.
func GmailRaw(query string) Criteria { return Criteria{op: opGmailRaw, value: query} }
