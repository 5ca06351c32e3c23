package policy

import (
	"errors"

	"mailgap/shared/addr"
)

// Limits for one message. The zero value of a field means its default.
type Limits struct {
	MaxRecipients   int // To + Cc + Bcc after folding duplicates; default 10
	MaxSubjectChars int // characters; default 255
	MaxTextBytes    int // bytes of UTF-8; default 1 MiB
	MaxHTMLBytes    int // bytes of UTF-8; default 1 MiB
}

// Rules is what the operator configured. The zero value allows no recipient.
type Rules struct {
	Allowlist Allowlist
	Limits    Limits
	// OwnDomain is the domain of the configured sender. With the entry "*", domains that look like it are refused.
	OwnDomain string
}

// Request is what a caller proposes, as it was written. Nothing in it has been checked.
type Request struct {
	To, Cc, Bcc []string
	Subject     string
	Text        string
	HTML        string
	// HeaderValues are further one-line values that will end up in the header or in a part's header: message ids,
	// attachment names. They get the line break and control character check.
	HeaderValues []string
}

// Kind says which header field names a recipient, or that none does.
type Kind string

// Kinds of recipients.
const (
	To  Kind = "to"
	Cc  Kind = "cc"
	Bcc Kind = "bcc"
)

// Recipient is one accepted recipient.
type Recipient struct {
	Kind    Kind
	Address addr.Address
	Rule    Rule // which kind of allowlist entry let it through; for the person asked, not for the model
}

// Answer is what may be said about one address of a request: its place and a code, never an allowlist entry.
type Answer struct {
	Kind    Kind
	Index   int  // position in that list, from 0
	Allowed bool // Code is "" if and only if Allowed
	Code    Code
}

// Verdict is the outcome for the whole request. It is complete even when Check returns an error.
type Verdict struct {
	Recipients []Recipient // in the order To, Cc, Bcc, duplicates folded into their first place
	Answers    []Answer    // one per address of the request, in the same order
	Duplicates int         // addresses dropped because an earlier one has the same key
	Refusals   []*Refusal  // every reason to refuse, in a stable order; empty means allowed
}

// Refusal is one enumerated reason why a request is refused. Its text never holds a value of the request, an allowlist
// entry or a suggestion of an address.
type Refusal struct {
	Code  Code
	Field string // "to", "cc", "bcc", "subject", "text", "html", "header value"; "" for the message as a whole
	Index int    // position in that list, from 0
	Cause error  // an error of shared/addr, or nil
}

// Error says what was refused and what to do instead.
func (r *Refusal) Error() string { return "policy: " + string(r.Code) }

// Unwrap gives the address error, if there is one.
func (r *Refusal) Unwrap() error { return r.Cause }

// Check judges a request against the rules before anything else is done with it. It does no input or output. The error
// is nil or the first of Verdict.Refusals (a *Refusal).
func Check(req Request, rules Rules) (Verdict, error) {
	return Verdict{}, errors.New("policy: not built yet")
}
