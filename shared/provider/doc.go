// Package provider knows large mail providers: their servers, what they want of mail programs, and how to recognise them by
// an address, the name of a server or the MX records of a domain. Read Preset first.
//
// # Where it comes from
//
// Presets hold what the providers' help pages and published autoconfig files are known to say as of November 2026; not every page
// was opened again for it, and none was tried with an account. What changes often
// or is not written down by the provider is left out: FilesSent is FilingUnknown, AuthservIDs is empty. A wrong host shows at
// once, since every connection is verified by TLS; a wrong authserv-id would be believed, so there is one only where the
// provider itself documents it.
//
// # Security model
//
// A guess from a configured name or from DNS. It is used for words of advice and for suggestions that a person confirms, and for
// nothing else: DNS answers are not authenticated.
package provider
