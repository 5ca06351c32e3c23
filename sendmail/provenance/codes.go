package provenance

import (
	"errors"
	"fmt"
	"strings"

	"mailgap/confirm"
	"mailgap/sanitize"
)

// Code names a finding.
type Code string

// The findings. Their spelling is part of the settings and of the log.
const (
	CodeFirstContact     Code = "first_contact"      // a recipient that nothing speaks for
	CodeUnconfirmed      Code = "author_unconfirmed" // an answer to somebody of whom the server does not know that he wrote
	CodeReplyTo          Code = "reply_to"           // an answer to where the author asks it to go, not to the author
	CodeList             Code = "reply_to_list"      // an answer to a mailing list
	CodeLookAlike        Code = "look_alike"         // a recipient like another one that was seen
	CodeDisclosure       Code = "disclosure"         // text of a message for people who were not on it
	CodeConfidential     Code = "confidential"       // text of a confidential mailbox, within the organisation
	CodeConfidentialOut  Code = "confidential_out"   // the same to outside
	CodeBulk             Code = "bulk_copy"          // a large piece of a message
	CodeSpreading        Code = "self_spreading"     // a message that has itself sent on
	CodeConfidentialLive Code = "confidential_read"  // confidential mail was read a short time ago
	CodeQuoteAltered     Code = "quote_altered"      // what is quoted is not what was read
	CodeLinkFromMail     Code = "link_from_mail"     // a link that was read in a mail of others
	CodeLinkData         Code = "link_with_data"     // a link that can carry data away
	CodeLedger           Code = "ledger"             // the ledger cannot be trusted
)

// Codes lists all codes.
func Codes() []Code {
	return []Code{CodeFirstContact, CodeUnconfirmed, CodeReplyTo, CodeList, CodeLookAlike, CodeDisclosure, CodeConfidential, CodeConfidentialOut,
		CodeBulk, CodeSpreading, CodeConfidentialLive, CodeQuoteAltered, CodeLinkFromMail, CodeLinkData, CodeLedger}
}

// DefaultLevel is the level of a finding if the operator says nothing.
func DefaultLevel(c Code) confirm.Level {
	switch c {
	case CodeConfidentialOut, CodeBulk, CodeSpreading:
		return confirm.LevelSevere
	}
	return confirm.LevelElevated
}

// Explain says what a finding means, in our own words; for an unknown one that the message itself is the reason.
func Explain(c Code) sanitize.Clean {
	switch c {
	case CodeFirstContact:
		return sanitize.Literal("first message to a recipient, and nothing speaks for the address")
	case CodeUnconfirmed:
		return sanitize.Literal("an answer to a message whose author the mail server did not confirm")
	case CodeReplyTo:
		return sanitize.Literal("an answer to the address that the message asks for, not to its author")
	case CodeList:
		return sanitize.Literal("an answer to a mailing list")
	case CodeLookAlike:
		return sanitize.Literal("a recipient that is easily taken for another address that was read")
	case CodeDisclosure:
		return sanitize.Literal("text of a message for people who were not on it")
	case CodeConfidential:
		return sanitize.Literal("text of a confidential mailbox for people in the organisation who were not on that message")
	case CodeConfidentialOut:
		return sanitize.Literal("text of a confidential mailbox for people outside of the organisation")
	case CodeBulk:
		return sanitize.Literal("a large piece of a message for people who were not on it; passing a message on as such is what forward_mail is for")
	case CodeSpreading:
		return sanitize.Literal("a copy of a mail with instructions to an AI assistant for new recipients")
	case CodeConfidentialLive:
		return sanitize.Literal("confidential mail was read in the hours before, and a recipient was not on it")
	case CodeQuoteAltered:
		return sanitize.Literal("a quote that says what the original message does not")
	case CodeLinkFromMail:
		return sanitize.Literal("a link from a mail whose author is not confirmed")
	case CodeLinkData:
		return sanitize.Literal("a link that can carry data away")
	case CodeLedger:
		return sanitize.Literal("the record of what was read is damaged, older than before or gone")
	}
	return sanitize.Literal("something in the message itself: a hidden recipient, a misleading link, removed HTML, the shape of instructions to an AI assistant")
}

// Levels are the operator's levels for some findings. The zero value changes nothing.
type Levels map[Code]confirm.Level

// ErrLevels is returned by ParseLevels.
var ErrLevels = errors.New("provenance: unusable level")

// ParseLevels reads entries such as first_contact=note, disclosure=severe. The words are note, raised and severe.
func ParseLevels(entries []string) (Levels, error) {
	out := Levels{}
	for k, e := range entries {
		name, word, _ := strings.Cut(strings.TrimSpace(e), "=")
		level, known := levelOf(word)
		if !known || !isCode(Code(name)) {
			return nil, fmt.Errorf("%w: entry %d: write a finding and its level, such as first_contact=note; the levels are note, raised and severe", ErrLevels, k+1)
		}
		out[Code(name)] = level
	}
	return out, nil
}

func levelOf(word string) (confirm.Level, bool) {
	switch word {
	case "note":
		return confirm.LevelNormal, true
	case "raised":
		return confirm.LevelElevated, true
	case "severe":
		return confirm.LevelSevere, true
	}
	return 0, false
}

func isCode(c Code) bool {
	for _, known := range Codes() {
		if c == known {
			return true
		}
	}
	return false
}

// of is the level of a finding.
func (l Levels) of(c Code) confirm.Level {
	if level, set := l[c]; set {
		return level
	}
	return DefaultLevel(c)
}
