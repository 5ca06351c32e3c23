package provider

import "strings"

// Login is how a provider lets programs in.
type Login int

// The ways.
const (
	Password    Login = iota // the account's password, as far as is known
	AppPassword              // a password made for programs
	SignIn                   // OAuth 2.0 alone
	Bridge                   // a program of the provider on this machine
)

// Server is where a service is reached. TLS is a word of the settings: implicit, starttls.
type Server struct {
	Host string
	Port int
	TLS  string
}

// Preset is what is known of a large provider: where it is reached, how one logs in, and what a person has to do first.
type Preset struct {
	Name       string
	IMAP, SMTP Server
	Login      Login
	// OAuth is the word of the settings for signing in (google, microsoft), or "".
	OAuth string
	// Advice is one or two sentences for a person, before a login is tried.
	Advice string
	// FilesSent says that the provider puts what is submitted into the Sent mailbox by itself.
	FilesSent bool
}

// Known returns the preset of a provider. ok is false for Other.
func Known(p Provider) (preset Preset, ok bool) {
	tls := func(host string, port int) Server { return Server{host, port, "implicit"} }
	start := func(host string, port int) Server { return Server{host, port, "starttls"} }
	preset, ok = map[Provider]Preset{
		Google: {"Gmail", tls("imap.gmail.com", 993), tls("smtp.gmail.com", 465), AppPassword, "google",
			"Gmail takes an app password (Google account, security, 2-step verification, app passwords), or OAuth with a client id of your own.", true},
		Microsoft: {"Microsoft 365 or outlook.com", tls("outlook.office365.com", 993), start("smtp.office365.com", 587), SignIn, "microsoft",
			"Microsoft takes no passwords from programs any more (basic authentication is switched off): register an application in Entra with the redirect http://localhost and the delegated permissions IMAP.AccessAsUser.All and SMTP.Send, and keep its client id at hand.", true},
		Yahoo: {"Yahoo or AOL", tls("imap.mail.yahoo.com", 993), tls("smtp.mail.yahoo.com", 465), AppPassword, "",
			"Yahoo takes an app password, made in the account's security settings.", true},
		Apple: {"iCloud", tls("imap.mail.me.com", 993), start("smtp.mail.me.com", 587), AppPassword, "",
			"iCloud takes an app-specific password from account.apple.com.", false},
		Fastmail: {"Fastmail", tls("imap.fastmail.com", 993), tls("smtp.fastmail.com", 465), AppPassword, "",
			"Fastmail takes an app password (settings, privacy and security): one with IMAP for reading, another with SMTP for sending.", false},
		GMX: {"GMX or web.de", tls("imap.gmx.net", 993), start("mail.gmx.net", 587), Password, "",
			"IMAP has to be switched on in the mail settings of the web site; with two-factor authentication an app password is needed.", false},
		Telekom: {"T-Online", tls("secureimap.t-online.de", 993), tls("securesmtp.t-online.de", 465), AppPassword, "",
			"T-Online takes the separate e-mail password from the customer centre, not the account's.", false},
		Proton: {"Proton Mail", start("127.0.0.1", 1143), start("127.0.0.1", 1025), Bridge, "",
			"Proton Mail is reached through Proton Bridge, which must be running: use the password that Bridge shows, and the fingerprint of its own certificate, which check prints (tls_fingerprint).", true},
		NetEase: {"163, 126 or yeah.net", tls("imap.163.com", 993), tls("smtp.163.com", 465), AppPassword, "",
			"163 takes an authorisation code from the web mail's settings, where IMAP and SMTP have to be switched on.", true},
		Tencent: {"QQ", tls("imap.qq.com", 993), tls("smtp.qq.com", 465), AppPassword, "",
			"QQ takes an authorisation code from the web mail's settings, where IMAP and SMTP have to be switched on.", true},
	}[p]
	return preset, ok
}

// ForDomain returns the preset for the domain of an address; exchangers are the names of its MX records, which show where a domain
// of its own is hosted. ok is false if neither is known.
func ForDomain(domain string, exchangers []string) (Preset, bool) {
	domain = strings.ToLower(strings.TrimSuffix(domain, "."))
	preset, ok := Known(Of(domain))
	for _, mx := range exchangers {
		if ok {
			break
		}
		preset, ok = Known(Of(mx))
	}
	servers := map[string][2]string{ // one provider, other names
		"126.com": {"imap.126.com", "smtp.126.com"}, "yeah.net": {"imap.yeah.net", "smtp.yeah.net"},
		"web.de": {"imap.web.de", "smtp.web.de"}, "gmx.com": {"imap.gmx.com", "mail.gmx.com"}, "aol.com": {"imap.aol.com", "smtp.aol.com"},
	}
	if names, other := servers[domain]; other && ok {
		preset.IMAP.Host, preset.SMTP.Host = names[0], names[1]
	}
	return preset, ok
}
