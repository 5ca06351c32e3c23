package provider

import "strings"

// Provider is a mail provider with rules of its own.
type Provider int

// The providers. Other is everyone else.
const (
	Other Provider = iota
	Google
	Microsoft
	Yahoo
	Apple
	Fastmail
	GMX
	Telekom
	Proton
	NetEase
	Tencent
	Yandex
	Zoho
	MailboxOrg
	Posteo
)

// Of recognises a provider by its host.
func Of(host string) Provider {
	host = "." + strings.ToLower(strings.TrimSuffix(host, "."))
	for p, domains := range map[Provider]string{
		Google:    "gmail.com googlemail.com google.com",
		Microsoft: "outlook.com office365.com hotmail.com live.com msn.com office.com",
		Yahoo:     "yahoo.com ymail.com aol.com yahoo.co.jp yahoodns.net",
		Apple:     "me.com icloud.com mac.com",
		Fastmail:  "fastmail.com fastmail.fm messagingengine.com",
		GMX:       "gmx.net gmx.com gmx.de gmx.at gmx.ch web.de",
		Telekom:   "t-online.de telekom.de",
		Proton:    "proton.me pm.me protonmail.com protonmail.ch",
		NetEase:   "163.com 126.com yeah.net",
		Tencent:   "qq.com foxmail.com",
		Yandex:    "yandex.com yandex.ru ya.ru yandex.net",
		Zoho:      "zoho.com zoho.eu zoho.in zohomail.com zohomail.eu",

		MailboxOrg: "mailbox.org",
		Posteo:     "posteo.de",
	} {
		for domain := range strings.FieldsSeq(domains) {
			if strings.HasSuffix(host, "."+domain) {
				return p
			}
		}
	}
	return Other
}
