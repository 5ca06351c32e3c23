package policy

import (
	"errors"
	"fmt"

	"mailgap/shared/addr"
)

// Limits for one message. The zero value of a field means its default.
type Limits struct {
	MaxRecipients   int // To + Cc + Bcc after folding duplicates; default 10
	MaxSubjectChars int // characters; default 255
	MaxTextBytes    int // bytes of UTF-8; default 1 MiB
	MaxHTMLBytes    int // bytes of UTF-8; default 1 MiB
}

const (
	defaultMaxRecipients   = 10      // Limit: a message to more people is a mailing, and belongs elsewhere
	defaultMaxSubjectChars = 255     // Limit: beyond it clients cut, and people do not read
	defaultMaxTextBytes    = 1 << 20 // Limit: some 200,000 words; nobody approves more
	defaultMaxHTMLBytes    = 1 << 20
	maxHeaderValueOctets   = 998   // RFC 5322 §2.1.1
	maxRawRecipients       = 1_000 // Limit: input is not parsed beyond it
)

func (l Limits) withDefaults() Limits {
	orDefault := func(v *int, d int) {
		if *v <= 0 {
			*v = d
		}
	}
	orDefault(&l.MaxRecipients, defaultMaxRecipients)
	orDefault(&l.MaxSubjectChars, defaultMaxSubjectChars)
	orDefault(&l.MaxTextBytes, defaultMaxTextBytes)
	orDefault(&l.MaxHTMLBytes, defaultMaxHTMLBytes)
	return l
}

// Rules is what the operator configured. The zero value allows no recipient.
type Rules struct {
	Allowlist Allowlist
	Limits    Limits
	// OwnDomain is the domain of the configured sender. Domains that look like it are refused, whatever the allowlist's "*" says.
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
	// HasAttachments makes a message without subject and text acceptable.
	HasAttachments bool
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
	Cause   error // an error of shared/addr if Code is CodeRecipientMalformed or CodeDisplayName
}

// Verdict is the outcome for the whole request. It is complete even when Check returns an error.
type Verdict struct {
	Recipients []Recipient // in the order To, Cc, Bcc, duplicates folded into their first place
	Answers    []Answer    // one per address of the request, in the same order; none if there are too many addresses
	Duplicates int         // addresses dropped because an earlier one has the same key
	Refusals   []*Refusal  // every reason to refuse, in a stable order; empty means allowed
}

// Of returns the accepted addresses of one kind, in order.
func (v Verdict) Of(k Kind) []addr.Address {
	var out []addr.Address
	for _, r := range v.Recipients {
		if r.Kind == k {
			out = append(out, r.Address)
		}
	}
	return out
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
func (r *Refusal) Error() string {
	text := "policy: " + string(r.Code)
	switch r.Field {
	case "to", "cc", "bcc", "header value":
		text += fmt.Sprintf(" (%s %d)", r.Field, r.Index+1)
	case "":
	default:
		text += " (" + r.Field + ")"
	}
	remedy := Explain(r.Code).Remedy
	if hint := addr.Hint(r.Cause); r.Cause != nil && hint != "" {
		remedy = hint
	}
	return text + ": " + remedy
}

// Unwrap gives the address error, if there is one.
func (r *Refusal) Unwrap() error { return r.Cause }

// Is makes two refusals equal for errors.Is when their codes are.
func (r *Refusal) Is(target error) bool {
	var other *Refusal
	return errors.As(target, &other) && other.Code == r.Code
}

// Check judges a request against the rules before anything else is done with it. It does no input or output. The error
// is nil or the first of Verdict.Refusals (a *Refusal).
func Check(req Request, rules Rules) (Verdict, error) {
	limits := rules.Limits.withDefaults()
	v := CheckRecipients(req, rules)
	v.checkSubject(req.Subject, limits.MaxSubjectChars)
	for k, value := range req.HeaderValues {
		v.checkHeaderValue(value, k)
	}
	v.checkBody("text", req.Text, limits.MaxTextBytes, CodeTextTooLarge)
	v.checkBody("html", req.HTML, limits.MaxHTMLBytes, CodeHTMLTooLarge)
	if blank(req.Subject) && blank(req.Text) && blank(req.HTML) && !req.HasAttachments {
		v.refuse(CodeEmptyMessage, "", 0, nil)
	}
	if len(v.Refusals) > 0 {
		return v, v.Refusals[0]
	}
	return v, nil
}

func (v *Verdict) refuse(code Code, field string, index int, cause error) {
	v.Refusals = append(v.Refusals, &Refusal{Code: code, Field: field, Index: index, Cause: cause})
}
