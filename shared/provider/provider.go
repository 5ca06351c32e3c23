// Package provider recognises large mail providers by the name of their server, so that advice can name their rules.
//
// Security: a guess from a configured name, used for words of advice and for nothing else.
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
)

// Of recognises a provider by its host.
func Of(host string) Provider {
	host = "." + strings.ToLower(strings.TrimSuffix(host, "."))
	for p, domains := range map[Provider]string{
		Google:    "gmail.com googlemail.com google.com",
		Microsoft: "outlook.com office365.com hotmail.com live.com office.com",
		Yahoo:     "yahoo.com aol.com yahoo.co.jp yahoodns.net",
		Apple:     "me.com icloud.com mac.com",
		Fastmail:  "fastmail.com messagingengine.com",
		GMX:       "gmx.net gmx.com gmx.de web.de",
		Telekom:   "t-online.de telekom.de",
		Proton:    "proton.me protonmail.com protonmail.ch",
		NetEase:   "163.com 126.com yeah.net",
		Tencent:   "qq.com",
	} {
		for domain := range strings.FieldsSeq(domains) {
			if strings.HasSuffix(host, "."+domain) {
				return p
			}
		}
	}
	return Other
}
