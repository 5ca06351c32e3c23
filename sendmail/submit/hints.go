package submit

import "mailgap/shared/provider"

// hintFor has the words for each reason: what it means, then what to do. Nothing was sent in any of these cases unless
// it says so.
func hintFor(r Reason) string {
	switch r {
	case ReasonConfig:
		return "the settings are incomplete or contradict each other: check SMTP_HOST, SMTP_PORT, SMTP_TLS, SMTP_USER and the password or token"
	case ReasonPlaintext:
		return "plain text is allowed to this machine only: set SMTP_TLS=starttls (port 587) or SMTP_TLS=implicit (port 465)"
	case ReasonEnvelope:
		return "an address cannot be written safely, occurs twice, or there are none or too many"
	case ReasonContent:
		return "the message has lone line ends, NUL, or lines over 998 octets"
	case ReasonPaused:
		return "the login was refused before and is not tried again for a while, so that the account is not locked: correct the credentials, or wait"
	case ReasonNoHost:
		return "the server's name was not found: check the spelling of SMTP_HOST, and the network"
	case ReasonRefusedPort:
		return "nothing listens there: check SMTP_PORT (587 with SMTP_TLS=starttls, 465 with implicit)"
	case ReasonUnreachable:
		return "no connection could be made: check SMTP_HOST, SMTP_PORT and the network; many networks block port 25"
	case ReasonCertificate:
		return "the server's certificate is not trusted: if you trust the server, set SMTP_TLS_CA_FILE, or SMTP_TLS_FINGERPRINT to the SHA-256 shown by the check command"
	case ReasonNoTLS:
		return "the server does not offer STARTTLS here: set SMTP_TLS=implicit and SMTP_PORT=465"
	case ReasonWrongTLSMode:
		return "the port speaks the other kind of TLS: 587 goes with SMTP_TLS=starttls, 465 with SMTP_TLS=implicit"
	case ReasonTLS:
		return "TLS could not be agreed: the server may only speak versions older than 1.2, or something on the way breaks it"
	case ReasonInterference:
		return "someone interferes with the connection, or the server is broken: do not go on over this network"
	case ReasonNotSMTP:
		return "what answers is no mail server, or a broken one: check SMTP_PORT"
	case ReasonBusy:
		return "the server takes no work at the moment, or not from this address: wait, then try again"
	case ReasonTimeout:
		return "the server did not answer in time: try again later; if it never answers, a firewall may block the port"
	case ReasonConnLost:
		return "the connection was lost before the message was complete, so it was not sent: trying again is safe"
	case ReasonLogin:
		return "the server refused the login: check SMTP_USER (often the whole address) and the password"
	case ReasonLoginLater:
		return "the server cannot check credentials at the moment: wait, then try again"
	case ReasonNoLogin:
		return "the server offers no login that is configured: check SMTP_AUTH, SMTP_TLS and SMTP_PORT (587 or 465, not 25)"
	case ReasonLoginNeeded:
		return "the server wants a login before mail: set SMTP_USER and a password or token"
	case ReasonAppPassword:
		return "the account's own password does not work here: make an app password in the account's security settings, or sign in with smtp-mcp login --oauth"
	case ReasonBasicDisabled:
		return "the server accepts no passwords any more (basic authentication is disabled): sign in with smtp-mcp login --oauth microsoft (or set SMTP_AUTH=xoauth2 with a token); an administrator may have to allow authenticated SMTP for the mailbox"
	case ReasonToken:
		return "the token was refused: it may have expired, lack the scope for sending, or belong to another user"
	case ReasonEncryption:
		return "the server wants encryption first: set SMTP_TLS=starttls or implicit"
	case ReasonCredentials:
		return "nothing was asked of the server, because the password or token could not be fetched"
	case ReasonFalseServer:
		return "the server could not prove that it knows the password: do not trust it, or set SMTP_AUTH=plain if you know why"
	case ReasonTooLarge:
		return "the message is larger than the server takes: send smaller attachments, or a link"
	case ReasonNo8BitMIME:
		return "the server takes 7bit content only: compose the message with quoted-printable or base64"
	case ReasonNoSMTPUTF8:
		return "an address or header needs SMTPUTF8, which the server does not offer: use the address's ASCII form if there is one"
	case ReasonSender:
		return "the account may not send as the configured SMTP_FROM: set it to the account's own address, or have the alias allowed"
	case ReasonPolicy:
		return "the server's policy refuses this message (content, reputation or a rule): change the message or ask the server's operator"
	case ReasonRate:
		return "too much mail in a short time or today: wait, then try again"
	case ReasonGreylisted:
		return "the server defers unknown senders for some minutes: try again in five to fifteen minutes"
	case ReasonTooMany:
		return "too many recipients for one message: send to fewer at a time"
	case ReasonRelay:
		return "the server does not pass mail on for this sender or login: check SMTP_USER and that this is the account's submission server"
	case ReasonNoMailbox:
		return "a recipient's mailbox does not exist at the server: check the address; nothing was sent to anybody"
	case ReasonBadAddress:
		return "the server does not take the form of an address: check it; nothing was sent to anybody"
	case ReasonNoDomain:
		return "a recipient's domain does not exist or takes no mail: check the address; nothing was sent to anybody"
	case ReasonMailboxFull:
		return "a recipient's mailbox is full: try again later or use another way; nothing was sent to anybody"
	case ReasonMailboxOff:
		return "a recipient's mailbox is disabled: use another address; nothing was sent to anybody"
	case ReasonStorage:
		return "the server has no room at the moment: try again later"
	case ReasonTransient:
		return "the server refuses at the moment: trying again later is safe"
	case ReasonPermanent:
		return "the server refuses this for good: repeating it unchanged will not help"
	case ReasonStopped:
		return "sending was stopped before the message was complete, so it was not sent"
	case ReasonCancelled:
		return "sending was cancelled before the message was complete, so it was not sent"
	case ReasonUnknown:
		return "the message left completely but no valid answer came: it may or may not have been accepted; look into the Sent mailbox or ask a recipient before sending again"
	case ReasonOther:
		return "no explanation is known for this"
	}
	return ""
}

// providerHint says what a provider wants, where that has to do with r.
func providerHint(p provider.Provider, r Reason) string {
	switch r {
	case ReasonLogin, ReasonNoLogin, ReasonAppPassword, ReasonBasicDisabled, ReasonLoginNeeded:
		return loginHint(p)
	case ReasonSender:
		return senderHint(p)
	case ReasonRate:
		return rateHint(p)
	}
	return ""
}

func loginHint(p provider.Provider) string {
	switch p {
	case provider.Google:
		return "Gmail wants an app password (Google account, security, 2-step verification) or OAuth; the account password does not work"
	case provider.Microsoft:
		return "Microsoft 365 and outlook.com switch passwords off for sending: set SMTP_AUTH=xoauth2 with a token of scope SMTP.Send"
	case provider.Yahoo:
		return "Yahoo and AOL want an app password, made in the account's security settings"
	case provider.Apple:
		return "iCloud wants an app-specific password from account.apple.com, port 587 with SMTP_TLS=starttls"
	case provider.Fastmail:
		return "Fastmail wants an app password with SMTP access (settings, privacy and security)"
	case provider.GMX:
		return "GMX and web.de: switch on POP3/IMAP access in the mail settings; with two-factor authentication an app password is needed"
	case provider.Telekom:
		return "T-Online wants the separate e-mail password (customer centre), not the account's"
	case provider.Proton:
		return "Proton Mail sends only through Proton Bridge: SMTP_HOST=127.0.0.1, SMTP_PORT=1025, SMTP_TLS=starttls, the password that Bridge shows, and SMTP_TLS_FINGERPRINT of its certificate"
	case provider.NetEase:
		return "163 and 126 want an authorisation code from the web mail's settings, where SMTP must be switched on"
	case provider.Tencent:
		return "QQ wants an authorisation code from the web mail's settings, where SMTP must be switched on"
	}
	return ""
}

func senderHint(p provider.Provider) string {
	switch p {
	case provider.Microsoft:
		return "Exchange wants the permission Send As for another address"
	case provider.Google:
		return "Gmail lets addresses be added under Accounts, Send mail as"
	}
	return ""
}

func rateHint(p provider.Provider) string {
	switch p {
	case provider.Google:
		return "Gmail allows 500 messages a day (Workspace: 2,000) and 100 recipients a message"
	case provider.Microsoft:
		return "Exchange Online allows 30 messages a minute and 10,000 recipients a day"
	}
	return ""
}
