package authres

import (
	"slices"
	"strings"

	"golang.org/x/net/idna"
	"golang.org/x/net/publicsuffix"

	"mailgap/readmail/decode"
)

// ExchangeOnline as an entry of the trusted list accepts a field without authserv-id, the form Exchange Online writes.
// Use it for mailboxes at Exchange Online only.
const ExchangeOnline = "exchange-online"

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
	ReasonDMARCPass    Reason = "dmarc-pass"             // DMARC passed for the From domain
	ReasonDKIMAligned  Reason = "dkim-aligned"           // a DKIM signature of the From domain is valid
	ReasonSPFAligned   Reason = "spf-aligned"            // SPF passed for the From domain
	ReasonDMARCFail    Reason = "dmarc-fail"             // DMARC failed
	ReasonNoFrom       Reason = "no-from"                // no author
	ReasonSeveralFrom  Reason = "several-from"           // several authors, or several From fields
	ReasonFromUnusable Reason = "from-unusable"          // the author's address is not clear beyond doubt
	ReasonNoTrustedID  Reason = "no-trusted-authserv-id" // the operator named none
	ReasonNoField      Reason = "no-field"               // no field where the receiving server would put it
	ReasonForeignField Reason = "topmost-field-foreign"  // the topmost field has another authserv-id
	ReasonUnreadable   Reason = "field-unreadable"       // the topmost field does not follow the grammar
	ReasonNotAligned   Reason = "nothing-aligned"        // nothing passed for the From domain
	ReasonConflict     Reason = "results-conflict"       // the field says two things about DMARC
)

// AuthorVerdict is the answer of Verdict.
type AuthorVerdict struct {
	Status     Status
	Method     string // dmarc, dkim or spf when Verified or Failed
	Reason     Reason
	Domain     string   // the From domain in A-labels; "" if there is no single one
	AuthservID string   // of the field that counted
	Results    []Result // of the field that counted
}

// Verdict judges the author. fields are the bodies of the Authentication-Results fields, topmost first; trusted the authserv-ids
// of the reader's own server (compared in lower case); from all addresses of all From fields.
//
// The topmost field alone counts. It makes the author Verified by DMARC (pass, header.from in the From domain), else by DKIM (pass,
// header.d in it), else by SPF (pass, smtp.mailfrom in it), where "in it" means the same organizational domain (RFC 7489 §3.2). A DMARC
// failure makes it Failed. Everything else is Unknown, with the reason.
func Verdict(fields []string, trusted []string, from []decode.Address) AuthorVerdict {
	v := AuthorVerdict{Status: Unknown}
	if v.Domain, v.Reason = authorDomain(from); v.Domain == "" {
		return v
	}
	if len(trusted) == 0 {
		v.Reason = ReasonNoTrustedID
		return v
	}
	if len(fields) == 0 {
		v.Reason = ReasonNoField
		return v
	}
	f, err := Parse(fields[0])
	if err != nil || f.Version != 1 {
		v.Reason = ReasonUnreadable
		return v
	}
	v.AuthservID = f.AuthservID
	if !isTrusted(f.AuthservID, trusted) {
		v.Reason = ReasonForeignField
		return v
	}
	v.Results = f.Results
	v.judge()
	return v
}

// VerdictHeader is Verdict for a whole header: the authors are those of the From fields, and a field below a Received field that a
// foreign server wrote does not count. A server is the reader's own if it shares its organizational domain with a trusted authserv-id, or has no public name.
func VerdictHeader(h decode.Header, trusted []string) AuthorVerdict {
	var fields []string
	var from []decode.Address
	open := true
	for _, f := range h.Fields {
		switch strings.ToLower(f.Name) {
		case "from":
			from = append(from, decode.Addresses(f.Body)...)
		case "received":
			host, ok := receivedBy(f.Body)
			open = open && ok && ownServer(host, trusted)
		case "authentication-results":
			if open {
				fields = append(fields, f.Body)
			}
		}
	}
	if len(h.All("From")) > 1 && len(from) == 1 {
		from = append(from, decode.Address{}) // a second From field without an address is still a second one
	}
	return Verdict(fields, trusted, from)
}

// authorDomain returns the domain of the one author, or why there is none.
//
// Security: with several authors, or an address that had to be repaired, the server that wrote the results and the client that shows the
// message may mean different people.
func authorDomain(from []decode.Address) (string, Reason) {
	switch {
	case len(from) == 0:
		return "", ReasonNoFrom
	case len(from) > 1:
		return "", ReasonSeveralFrom
	case from[0].AddrSpec() == "" || from[0].Notes.Has(decode.NoteAddressRepaired):
		return "", ReasonFromUnusable
	}
	domain := asciiDomain(from[0].Domain)
	if domain == "" {
		return "", ReasonFromUnusable
	}
	return domain, ""
}

func isTrusted(id string, trusted []string) bool {
	if id == "" {
		return slices.Contains(trusted, ExchangeOnline)
	}
	return slices.ContainsFunc(trusted, func(t string) bool {
		return t != "" && t != ExchangeOnline && strings.EqualFold(strings.TrimSpace(t), id)
	})
}

// judge fills in the verdict from the results of a trusted field.
func (v *AuthorVerdict) judge() {
	pass, fail := v.dmarc()
	switch {
	case pass && fail:
		v.Reason = ReasonConflict
	case fail:
		v.Status, v.Method, v.Reason = Failed, "dmarc", ReasonDMARCFail
	case pass:
		v.Status, v.Method, v.Reason = Verified, "dmarc", ReasonDMARCPass
	case v.dkim():
		v.Status, v.Method, v.Reason = Verified, "dkim", ReasonDKIMAligned
	case v.spf():
		v.Status, v.Method, v.Reason = Verified, "spf", ReasonSPFAligned
	default:
		v.Reason = ReasonNotAligned
	}
}

// dmarc reports whether some result passed for the From domain, and whether some failed. A pass for another domain is neither.
func (v *AuthorVerdict) dmarc() (pass, fail bool) {
	for _, r := range v.Results {
		if r.Method != "dmarc" {
			continue
		}
		domain, ok := r.property("header", "from")
		switch r.Result {
		case "pass":
			pass = pass || ok && aligned(domain, v.Domain)
		case "fail":
			fail = true
		}
	}
	return pass, fail
}

// dkim reports whether a signature of the From domain passed. header.i stands in where header.d is missing (Gmail).
func (v *AuthorVerdict) dkim() bool {
	return slices.ContainsFunc(v.Results, func(r Result) bool {
		if r.Method != "dkim" || r.Result != "pass" {
			return false
		}
		_, hasD := find(r, "d")
		domain, ok := r.property("header", "d")
		if !hasD {
			domain, ok = r.property("header", "i")
		}
		return ok && aligned(domain, v.Domain)
	})
}

func find(r Result, name string) (Property, bool) {
	i := slices.IndexFunc(r.Properties, func(p Property) bool { return p.PType == "header" && p.Property == name })
	if i < 0 {
		return Property{}, false
	}
	return r.Properties[i], true
}

// spf reports whether SPF passed for the From domain and nothing else is said about the envelope sender.
func (v *AuthorVerdict) spf() bool {
	pass := false
	for _, r := range v.Results {
		domain, ok := r.property("smtp", "mailfrom")
		if r.Method != "spf" || !ok {
			continue
		}
		if r.Result != "pass" || !aligned(domain, v.Domain) {
			return false
		}
		pass = true
	}
	return pass
}

// aligned reports whether value (a domain or an address) has the organizational domain of from.
func aligned(value, from string) bool {
	if at := strings.LastIndexByte(value, '@'); at >= 0 {
		value = value[at+1:]
	}
	domain := asciiDomain(value)
	return domain != "" && orgDomain(domain) == orgDomain(from)
}

// orgDomain returns the registered domain, or the domain itself if it is a public suffix or has no dot.
func orgDomain(domain string) string {
	if org, err := publicsuffix.EffectiveTLDPlusOne(domain); err == nil {
		return org
	}
	return domain
}

// asciiDomain returns a host name in lower-case A-labels, or "" if it is none.
func asciiDomain(s string) string {
	s, err := idna.Lookup.ToASCII(strings.TrimSuffix(strings.Trim(s, "<> "), "."))
	if err != nil || s == "" || strings.ContainsAny(s, " @[]:/\\") {
		return ""
	}
	return strings.ToLower(s)
}
