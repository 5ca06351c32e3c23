package authres

import (
	"errors"

	"mailgap/readmail/decode"
)

// ExchangeOnline as an entry of the trusted list accepts a field without authserv-id, the form Exchange Online writes.
// Use it for mailboxes at Exchange Online only.
const ExchangeOnline = "exchange-online"

// ErrSyntax is returned by Parse for a field that does not follow the grammar.
var ErrSyntax = errors.New("authres: syntax")

// Property is one ptype.property=value (RFC 8601 §2.2). PType and Property are lower case.
type Property struct{ PType, Property, Value string }

// Result is one method's result. Method and Result are lower case.
type Result struct {
	Method     string
	Result     string
	Reason     string
	Properties []Property
}

// Field is one parsed Authentication-Results field.
type Field struct {
	AuthservID string // lower case; "" in Exchange Online's form
	Version    int    // 1 if absent
	Results    []Result
}

// Parse reads the body of an Authentication-Results field. Errors: ErrSyntax.
func Parse(body string) (Field, error) { return Field{}, ErrSyntax }

// Status is what can be said about the author.
type Status string

// Statuses.
const (
	Verified Status = "verified" // the receiving server confirmed the From domain
	Failed   Status = "failed"   // the receiving server says that the From domain did not send this
	Unknown  Status = "unknown"  // nothing trustworthy is known
)

// Reason says why a verdict is what it is.
type Reason string

// Reasons.
const (
	ReasonDMARCPass    Reason = "dmarc-pass"
	ReasonDKIMAligned  Reason = "dkim-aligned"
	ReasonSPFAligned   Reason = "spf-aligned"
	ReasonDMARCFail    Reason = "dmarc-fail"
	ReasonNoFrom       Reason = "no-from"
	ReasonSeveralFrom  Reason = "several-from"
	ReasonFromUnusable Reason = "from-unusable"
	ReasonNoTrustedID  Reason = "no-trusted-authserv-id" // the operator named none
	ReasonNoField      Reason = "no-field"
	ReasonForeignField Reason = "topmost-field-foreign"
	ReasonUnreadable   Reason = "field-unreadable"
	ReasonNotAligned   Reason = "nothing-aligned"
	ReasonConflict     Reason = "results-conflict"
)

// AuthorVerdict is the answer of Verdict.
type AuthorVerdict struct {
	Status     Status
	Method     string // dmarc, dkim or spf when Verified or Failed
	Reason     Reason
	Domain     string // the From domain in A-labels; "" if there is no single one
	AuthservID string
	Results    []Result // of the field that counted
}

// Verdict judges the author. fields are the bodies of the Authentication-Results fields, topmost first; trusted the authserv-ids
// of the reader's own server; from all addresses of all From fields.
func Verdict(fields []string, trusted []string, from []decode.Address) AuthorVerdict {
	return AuthorVerdict{Status: Unknown, Reason: ReasonNoTrustedID}
}

// VerdictHeader is Verdict for a whole header: it also stops at the first Received field that a foreign server wrote, and takes the authors from
// the From fields.
func VerdictHeader(h decode.Header, trusted []string) AuthorVerdict {
	return AuthorVerdict{Status: Unknown, Reason: ReasonNoTrustedID}
}
