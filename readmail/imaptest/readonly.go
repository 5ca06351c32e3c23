package imaptest

import (
	"regexp"
	"strings"
)

// allowedVerbs are the commands that a reader may send (RFC 9051 §6 and the extensions named).
func allowedVerb(verb string) bool {
	switch verb {
	case "CAPABILITY", "NOOP", "LOGOUT", "STARTTLS", "LOGIN", "AUTHENTICATE", "ENABLE",
		"EXAMINE", "UNSELECT", "LIST", "STATUS", "NAMESPACE", "IDLE", "DONE", "FETCH", "SEARCH",
		"UID FETCH", "UID SEARCH",
		"ID",               // RFC 2971
		"COMPRESS",         // RFC 4978
		"SORT", "UID SORT", // RFC 5256
		"THREAD", "UID THREAD":
		return true
	}
	return false
}

var (
	quotedString = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)
	peekSection  = regexp.MustCompile(`(?:BODY|BINARY)\.PEEK\[[^\]]*\]|BINARY\.SIZE\[[^\]]*\]|RFC822\.SIZE`)
	setsSeen     = regexp.MustCompile(`(?:BODY|BINARY)\[|RFC822`) // RFC 9051 §6.4.5, RFC 3501 §6.4.5
)

// violation says in a line why c does not belong to reading; empty if it does.
func violation(c Command) string {
	if !allowedVerb(c.Verb) {
		return "command " + c.Verb + " is not a reading command"
	}
	if c.Verb != "FETCH" && c.Verb != "UID FETCH" {
		return ""
	}
	items := quotedString.ReplaceAllString(strings.ToUpper(c.Args), "")
	if setsSeen.MatchString(peekSection.ReplaceAllString(items, "")) {
		return "command " + c.Verb + " asks for a body item without PEEK"
	}
	return ""
}
