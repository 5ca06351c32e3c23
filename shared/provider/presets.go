package provider

import "slices"

// Well-known ports: RFC 8314 §7.3 for implicit TLS, RFC 6409 §3.1 for submission with STARTTLS.
const (
	portIMAPS       = 993
	portSubmissions = 465
	portSubmission  = 587
)

func imaps(host string) Endpoint       { return Endpoint{host, portIMAPS, "implicit"} }
func submissions(host string) Endpoint { return Endpoint{host, portSubmissions, "implicit"} }
func submission(host string) Endpoint  { return Endpoint{host, portSubmission, "starttls"} }

// presets lists everything that is known. Where two match, the first counts.
func presets() []Preset {
	return slices.Concat(americanPresets(), germanPresets(), chinesePresets(), otherPresets())
}

// Words about signing in that several presets share.
const (
	microsoftAdvice = "Microsoft accepts no passwords from mail programs (basic authentication is switched off for IMAP, and for sending " +
		"by default from the end of 2026). Sign in with OAuth: register a public client in the Entra admin centre (https://entra.microsoft.com, " +
		"App registrations; redirect http://localhost under Mobile and desktop applications) or ask your administrator for its client id. " +
		"IMAP, and for sending authenticated SMTP, must be allowed for the mailbox."
	neteaseAdvice = "Switch on IMAP/SMTP in the web mail's settings (POP3/SMTP/IMAP) and make an authorisation code there; it stands in place of the " +
		"password. The server wants the client to say its name (ID); imap-mcp does."
)

// Sources: support.google.com/mail (IMAP, app passwords), Google's description of Authentication-Results with mx.google.com
// (support.google.com/mail/answer/180707); learn.microsoft.com (basic authentication off for IMAP since October 2022, outlook.com
// since September 2024, timeline for SMTP AUTH of January 2026); support.apple.com/102525 (user name for IMAP is the part before
// the @, for SMTP the whole address); help.yahoo.com SLN4075; help.aol.com; fastmail.help. Exchange Online writes
// Authentication-Results without an authserv-id. The others use names of single machines, or do not document theirs.
func americanPresets() []Preset {
	yahoo := Preset{
		Provider: Yahoo, Name: "Yahoo Mail", Domains: []string{"yahoo.*", "ymail.com", "rocketmail.com", "myyahoo.com"}, MX: []string{"yahoodns.net"},
		IMAP: imaps("imap.mail.yahoo.com"), SMTP: submissions("smtp.mail.yahoo.com"), Login: PasswordApp,
		Advice: "Make an app password in the account's security settings (https://login.yahoo.com/account/security); the account's own is refused.",
	}
	aol := yahoo
	aol.Name, aol.Domains, aol.MX = "AOL Mail", []string{"aol.*", "aim.com"}, nil
	aol.IMAP, aol.SMTP = imaps("imap.aol.com"), submissions("smtp.aol.com")
	aol.Advice = "Make an app password in the account's security settings (https://login.aol.com/account/security); the account's own is refused."
	japan := yahoo // of another company, with servers of its own; whether it wants an app password is not clear
	japan.Name, japan.Domains, japan.MX, japan.Login = "Yahoo! JAPAN Mail", []string{"yahoo.co.jp"}, nil, PasswordAccount
	japan.IMAP, japan.SMTP = imaps("imap.mail.yahoo.co.jp"), submissions("smtp.mail.yahoo.co.jp")
	japan.Advice = "Switch on IMAP/SMTP access in the web mail's settings."
	outlook := Preset{
		Provider: Microsoft, Name: "Outlook.com", Domains: []string{"outlook.*", "hotmail.*", "live.*", "msn.com"}, MX: []string{"olc.protection.outlook.com"},
		IMAP: imaps("outlook.office365.com"), SMTP: submission("smtp-mail.outlook.com"), Login: SignIn, OAuth: "microsoft", Advice: microsoftAdvice,
	}
	office := outlook
	office.Name, office.Domains, office.MX = "Microsoft 365", []string{"onmicrosoft.com"}, []string{"mail.protection.outlook.com", "mx.microsoft"}
	office.SMTP = submission("smtp.office365.com")
	return []Preset{
		{
			Provider: Google, Name: "Gmail", Domains: []string{"gmail.com", "googlemail.com"}, MX: []string{"google.com", "googlemail.com"},
			IMAP: imaps("imap.gmail.com"), SMTP: submissions("smtp.gmail.com"), Login: PasswordApp, OAuth: "google",
			Advice: "Make an app password: Google account, Security, 2-Step Verification, App passwords (https://myaccount.google.com/apppasswords). " +
				"The account's own password is refused. Where app passwords are not allowed, sign in with OAuth and a client id of your own.",
			FilesSent: FilingYes, AuthservIDs: []string{"mx.google.com"},
		},
		outlook, office, japan, yahoo, aol,
		{
			Provider: Apple, Name: "iCloud Mail", Domains: []string{"icloud.com", "me.com", "mac.com"}, MX: []string{"mail.icloud.com"},
			IMAP: imaps("imap.mail.me.com"), SMTP: submission("smtp.mail.me.com"), LocalUser: true, Login: PasswordApp,
			Advice: "Make an app-specific password: https://account.apple.com, Sign-In and Security. For a domain of your own, the user is your iCloud address.",
		},
		{
			Provider: Fastmail, Name: "Fastmail", Domains: []string{"fastmail.com", "fastmail.fm", "fastmail.net", "fastmail.org", "sent.com"}, MX: []string{"messagingengine.com"},
			IMAP: imaps("imap.fastmail.com"), SMTP: submissions("smtp.fastmail.com"), Login: PasswordApp,
			Advice: "Make an app password: Settings, Privacy & Security, app passwords. Fastmail lets you limit it: choose IMAP for imap-mcp and SMTP for smtp-mcp.",
		},
	}
}

// Sources: hilfe.gmx.net, hilfe.web.de (IMAP has to be switched on; an app password with two-factor authentication),
// telekom.de/hilfe (separate e-mail password), kb.mailbox.org, posteo.de/hilfe. Whether they file sent mail is not written down.
func germanPresets() []Preset {
	const advice = "Switch on POP3/IMAP in the web mail's settings; it is off for new accounts. With two-factor authentication, make an app password in the account's security settings."
	gmx := Preset{
		Provider: GMX, Name: "GMX", Domains: []string{"gmx.net", "gmx.de", "gmx.at", "gmx.ch", "gmx.org", "gmx.info", "gmx.biz", "gmx.eu"}, MX: []string{"gmx.net"},
		IMAP: imaps("imap.gmx.net"), SMTP: submissions("mail.gmx.net"), Advice: advice,
	}
	international := gmx
	international.Name, international.Domains, international.MX = "GMX (international)", []string{"gmx.com", "gmx.us", "gmx.co.uk", "gmx.fr", "gmx.es"}, nil
	international.IMAP, international.SMTP = imaps("imap.gmx.com"), submissions("mail.gmx.com")
	web := gmx
	web.Name, web.Domains, web.MX = "web.de", []string{"web.de"}, []string{"web.de"}
	web.IMAP, web.SMTP = imaps("imap.web.de"), submission("smtp.web.de")
	return []Preset{
		gmx, international, web,
		{
			Provider: Telekom, Name: "T-Online", Domains: []string{"t-online.de", "magenta.de"}, MX: []string{"t-online.de"},
			IMAP: imaps("secureimap.t-online.de"), SMTP: submissions("securesmtp.t-online.de"), Login: PasswordApp,
			Advice: "Set the separate password for mail programs in the customer centre; the account's own is refused.",
		},
		{
			Provider: MailboxOrg, Name: "mailbox.org", Domains: []string{"mailbox.org"}, MX: []string{"mailbox.org"},
			IMAP: imaps("imap.mailbox.org"), SMTP: submissions("smtp.mailbox.org"),
			Advice: "With two-factor authentication, make a password for mail programs in the settings; the account's own is refused then.",
		},
		{
			Provider: Posteo, Name: "Posteo", Domains: []string{"posteo.*"}, MX: []string{"posteo.de"},
			IMAP: imaps("posteo.de"), SMTP: submissions("posteo.de"),
			Advice: "If the account asks for it, make an app password in the settings and use that.",
		},
	}
}

// Sources: help.mail.163.com (authorisation codes; ID before SELECT), service.mail.qq.com.
func chinesePresets() []Preset {
	of := func(domain string) Preset {
		return Preset{
			Provider: NetEase, Name: "NetEase " + domain, Domains: []string{domain, "vip." + domain},
			IMAP: imaps("imap." + domain), SMTP: submissions("smtp." + domain), Login: PasswordApp, Advice: neteaseAdvice,
		}
	}
	return []Preset{
		of("163.com"), of("126.com"), of("yeah.net"),
		{
			Provider: Tencent, Name: "QQ Mail", Domains: []string{"qq.com", "vip.qq.com", "foxmail.com"}, MX: []string{"mx1.qq.com", "mx2.qq.com", "mx3.qq.com"},
			IMAP: imaps("imap.qq.com"), SMTP: submissions("smtp.qq.com"), Login: PasswordApp,
			Advice: "Switch on IMAP/SMTP in the web mail's account settings and make an authorisation code there; it stands in place of the password.",
		},
	}
}

// Sources: proton.me/support/bridge (ports; Bridge files what it sends), yandex.com/support/mail (app passwords), zoho.com/mail/help
// (hosts by data centre; imappro and smtppro for domains of customers).
func otherPresets() []Preset {
	zoho := func(tld string, domains ...string) Preset {
		return Preset{
			Provider: Zoho, Name: "Zoho Mail (" + tld + ")", Domains: domains, IMAP: imaps("imap.zoho." + tld), SMTP: submissions("smtp.zoho." + tld),
			Advice: "Switch on IMAP access in the web mail's settings, Mail Accounts. With two-factor authentication, make an application-specific password (https://accounts.zoho." + tld + ", Security).",
		}
	}
	zohoPro := func(tld string) Preset {
		p := zoho(tld)
		p.MX, p.IMAP, p.SMTP = []string{"zoho." + tld}, imaps("imappro.zoho."+tld), submissions("smtppro.zoho."+tld)
		return p
	}
	return []Preset{
		{
			Provider: Proton, Name: "Proton Mail", Domains: []string{"proton.me", "protonmail.com", "protonmail.ch", "pm.me"}, MX: []string{"protonmail.ch"},
			IMAP: Endpoint{"127.0.0.1", 1143, "starttls"}, SMTP: Endpoint{"127.0.0.1", 1025, "starttls"}, Login: PasswordApp, Bridge: true,
			Advice: "Proton Mail speaks IMAP and SMTP only through Proton Bridge on this machine (https://proton.me/mail/bridge), which must be running. The password is the one " +
				"that Bridge shows, not the account's. Bridge made its certificate itself: you will be shown its fingerprint.",
			FilesSent: FilingYes,
		},
		{
			Provider: Yandex, Name: "Yandex Mail", Domains: []string{"yandex.*", "ya.ru", "narod.ru"}, MX: []string{"yandex.net", "yandex.ru"},
			IMAP: imaps("imap.yandex.com"), SMTP: submissions("smtp.yandex.com"), Login: PasswordApp,
			Advice: "Switch on IMAP in the web mail's settings (Email clients), and make an app password for mail (https://id.yandex.com/security/app-passwords).",
		},
		zoho("com", "zoho.com", "zohomail.com"), zoho("eu", "zoho.eu", "zohomail.eu"), zoho("in", "zoho.in", "zohomail.in"),
		zohoPro("com"), zohoPro("eu"), zohoPro("in"),
	}
}
