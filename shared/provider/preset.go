package provider

import (
	"slices"
	"strings"
)

// Endpoint is a server and how it is reached. TLS is implicit or starttls, as in the settings.
type Endpoint struct {
	Host string
	Port int
	TLS  string
}

// Filing says whether a provider files a copy of what is submitted over SMTP in the Sent mailbox by itself.
type Filing int

// The kinds of filing. FilingUnknown means that the provider does not say.
const (
	FilingUnknown Filing = iota
	FilingYes
)

// Login says how people prove who they are to a provider.
type Login int

// The logins.
const (
	// PasswordAccount is the account's own password, or an app password where two-factor authentication is on.
	PasswordAccount Login = iota
	// PasswordApp is a password that is made for the program; the account's own is refused.
	PasswordApp
	// SignIn is OAuth 2.0 alone: passwords are switched off.
	SignIn
)

// Preset is what is known of a provider, or of one of its regions.
type Preset struct {
	Provider Provider
	Name     string
	Domains  []string // of addresses; "yahoo.*" stands for every domain of two or three labels that begins so
	MX       []string // ends of the names of its mail exchangers, for domains of customers
	IMAP     Endpoint
	SMTP     Endpoint

	// LocalUser means that IMAP wants the part before the @ as user name.
	LocalUser bool
	Login     Login
	// OAuth is the value of the OAUTH setting that signs in here, or "".
	OAuth string
	// Bridge means that a program of the provider on this machine is the server, with a certificate of its own making.
	Bridge bool
	// Advice says in words what to do in the account before, and where; it may hold an address for the browser.
	Advice string
	// FilesSent says whether a copy of sent mail appears in the Sent mailbox.
	FilesSent Filing
	// AuthservIDs are what the provider documents as authserv-id of its Authentication-Results (RFC 8601 §2.5).
	AuthservIDs []string
}

// ForDomain returns the preset for addresses at domain, which is the provider's own.
func ForDomain(domain string) (Preset, bool) {
	domain = strings.ToLower(domain)
	for _, p := range presets() {
		if slices.ContainsFunc(p.Domains, func(pattern string) bool { return matches(pattern, domain) }) {
			return p, true
		}
	}
	return Preset{}, false
}

// matches compares a domain with one of Preset.Domains.
func matches(pattern, domain string) bool {
	if name, ok := strings.CutSuffix(pattern, ".*"); ok {
		rest, ok := strings.CutPrefix(domain, name+".")
		return ok && rest != "" && strings.Count(rest, ".") <= 1
	}
	return pattern == domain
}

// ForMX returns the preset of the provider that runs the first of hosts, the mail exchangers of a domain by preference.
func ForMX(hosts []string) (Preset, bool) {
	if len(hosts) == 0 {
		return Preset{}, false
	}
	host := "." + strings.ToLower(strings.TrimSuffix(hosts[0], "."))
	for _, p := range presets() {
		if slices.ContainsFunc(p.MX, func(end string) bool { return strings.HasSuffix(host, "."+end) }) {
			return p, true
		}
	}
	return Preset{}, false
}
