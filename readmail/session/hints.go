package session

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"strings"
	"syscall"

	"mailgap/shared/provider"
	"mailgap/shared/tlsdial"
)

func asTLS(err error) *TLSError {
	var te *TLSError
	if errors.As(err, &te) {
		return te
	}
	return nil
}

// describe says what went wrong, with the server's words where it gave any.
func describe(err error) string {
	var (
		auth    *AuthError
		refused *ServerError
	)
	switch te := asTLS(err); {
	case te != nil && te.Fingerprint != "":
		return te.Error() + "; the certificate's SHA-256 is " + te.Fingerprint
	case errors.As(err, &auth):
		return strings.TrimSpace(auth.Error() + quoted(auth.CodeRaw, auth.TextRaw) + quoted("", auth.DetailRaw))
	case errors.As(err, &refused):
		return refused.Error() + quoted(refused.CodeRaw, refused.TextRaw)
	}
	return strings.ReplaceAll(err.Error(), "\n", "; ")
}

func quoted(code, text string) string {
	words := strings.TrimSpace(code + " " + text)
	if words == "" {
		return ""
	}
	return fmt.Sprintf("; the server says %q", words)
}

// hint says in words what to change, "" if nothing is known.
func hint(cfg *Config, step StepName, err error) string {
	if step == StepConfig {
		return "check the IMAP_ settings"
	}
	if te := asTLS(err); te != nil {
		return tlsHint(cfg, te)
	}
	switch step {
	case StepDNS, StepTCP:
		return dialHint(cfg, err)
	case StepGreeting, StepCapabilities:
		return greetingHint(cfg, err)
	case StepLogin:
		return loginHint(cfg, err)
	}
	return ""
}

func tlsHint(cfg *Config, te *TLSError) string {
	pin := "if you trust this server, set IMAP_TLS_FINGERPRINT=" + te.Fingerprint
	switch te.Reason {
	case TLSUntrusted:
		if tlsdial.IsLoopbackHost(cfg.Host) {
			return "the certificate is self-signed, as Proton Bridge and other local servers make them: " + pin
		}
		return "the certificate is not from a known authority: set IMAP_TLS_CA_FILE to the authority's certificate, or " + pin
	case TLSExpired:
		return expiryHint(te) + pin
	case TLSHostname:
		return "the certificate is for another name" + names(te.Err) + ": use that name as IMAP_HOST, or " + pin
	case TLSFingerprint:
		return "the certificate is not the pinned one: if it was renewed, " + pin + "; otherwise someone may be listening"
	case TLSPlainOnPort:
		return fmt.Sprintf("the server speaks plain IMAP on port %d: set IMAP_TLS=starttls (usually with IMAP_PORT=143)", cfg.Port)
	case TLSOnPlainPort:
		return fmt.Sprintf("the server expects TLS at once on port %d: set IMAP_TLS=implicit (usually with IMAP_PORT=993)", cfg.Port)
	case TLSNotOffered:
		return "the server does not offer STARTTLS here: set IMAP_TLS=implicit and IMAP_PORT=993"
	case TLSInjected:
		return "someone interferes with the connection, or the server is broken: do not go on over this network"
	}
	if cfg.Port == portIMAP {
		return "port 143 usually needs IMAP_TLS=starttls"
	}
	return "the server may only speak TLS versions older than 1.2, or something on the way breaks TLS"
}

func expiryHint(te *TLSError) string {
	var invalid x509.CertificateInvalidError
	if errors.As(te.Err, &invalid) && invalid.Cert != nil {
		return fmt.Sprintf("the certificate is valid from %s to %s; check the clock of this machine; ",
			invalid.Cert.NotBefore.UTC().Format("2006-01-02"), invalid.Cert.NotAfter.UTC().Format("2006-01-02"))
	}
	return "the certificate has expired; check the clock of this machine; "
}

// names lists the names in a certificate that does not fit.
func names(err error) string {
	var h x509.HostnameError
	if !errors.As(err, &h) || h.Certificate == nil || len(h.Certificate.DNSNames) == 0 {
		return ""
	}
	list := h.Certificate.DNSNames
	return fmt.Sprintf(" (%q)", list[:min(len(list), 4)])
}

func dialHint(cfg *Config, err error) string {
	var dns *net.DNSError
	switch {
	case errors.As(err, &dns) && dns.IsNotFound:
		return "no such host: check the spelling of IMAP_HOST" + bridgeHint(cfg)
	case errors.As(err, &dns):
		return "the name could not be looked up: check the network"
	case errors.Is(err, syscall.ECONNREFUSED):
		return fmt.Sprintf("nothing listens on port %d: check IMAP_PORT (993 with IMAP_TLS=implicit, 143 with starttls)", cfg.Port) + bridgeHint(cfg)
	case errors.Is(err, context.DeadlineExceeded), isTimeout(err):
		return fmt.Sprintf("no answer: a firewall may block port %d, or the host is wrong", cfg.Port)
	}
	return "check IMAP_HOST, IMAP_PORT and the network"
}

func bridgeHint(cfg *Config) string {
	if tlsdial.IsLoopbackHost(cfg.Host) || provider.Of(cfg.Host) == provider.Proton {
		return "; Proton Bridge listens on 127.0.0.1 port 1143 with IMAP_TLS=starttls, and must be running"
	}
	return ""
}

func isTimeout(err error) bool {
	var ne net.Error
	return errors.As(err, &ne) && ne.Timeout()
}

func greetingHint(cfg *Config, err error) string {
	var refused *ServerError
	switch {
	case errors.Is(err, errNotIMAP):
		return fmt.Sprintf("what listens on port %d is no IMAP server: check IMAP_PORT", cfg.Port)
	case errors.As(err, &refused):
		return "the server refuses connections at the moment, or from this address: wait, then try again"
	case errors.Is(err, context.DeadlineExceeded) && cfg.TLS != TLSImplicit:
		return "no greeting came: the port may expect TLS at once (IMAP_TLS=implicit, IMAP_PORT=993)"
	}
	return "the server closed the connection or stayed silent: check IMAP_PORT, and whether the server limits connections"
}

func loginHint(cfg *Config, err error) string {
	var auth *AuthError
	var fetch *CredentialError
	switch {
	case errors.As(err, &fetch):
		return "nothing was asked of the server; the line above says what to do"
	case errors.Is(err, ErrNotConfigured):
		return "set IMAP_USER and IMAP_PASSWORD (or IMAP_PASSWORD_FILE, IMAP_PASSWORD_COMMAND), or an OAuth token"
	case errors.Is(err, ErrLoginDisabled):
		if cfg.TLS == TLSNone {
			return "the server takes no password over plain text: set IMAP_TLS=starttls"
		}
		return strings.TrimSuffix("the server takes no password here; "+providerHint(cfg), "; ")
	case !errors.As(err, &auth):
		return ""
	case auth.Temporary:
		return "the server cannot check passwords at the moment: wait, then try again"
	}
	basic := "check IMAP_USER (often the whole address) and the password"
	if auth.Method == AuthXOAuth2 || auth.Method == AuthOAuthBearer {
		basic = "the token was refused: it may have expired or lack the IMAP scope, or belong to another user"
	}
	if p := providerHint(cfg); p != "" {
		return basic + "; " + p
	}
	if strings.Contains(strings.ToLower(auth.TextRaw), "basicauth") || strings.Contains(strings.ToLower(auth.TextRaw), "basic authentication") {
		return basic + "; " + hintMicrosoft
	}
	return basic
}

const hintMicrosoft = "Microsoft 365 and outlook.com accept no passwords over IMAP any more (basic authentication is disabled): " +
	"sign in with imap-mcp login --oauth microsoft --client-id ID, or set IMAP_AUTH=xoauth2 and IMAP_OAUTH_TOKEN_COMMAND; IMAP must be allowed for the mailbox"

// providerHint says what a provider wants of IMAP users.
func providerHint(cfg *Config) string {
	switch provider.Of(cfg.Host) {
	case provider.Google:
		return "Gmail wants an app password (Google account, security, 2-step verification, app passwords) or OAuth (IMAP_AUTH=xoauth2); " +
			"the account password does not work, and IMAP must be enabled for the account"
	case provider.Microsoft:
		return hintMicrosoft
	case provider.Yahoo:
		return "Yahoo and AOL want an app password, made in the account's security settings"
	case provider.Apple:
		return "iCloud wants an app-specific password from account.apple.com; IMAP_USER is the part before the @ or the whole address"
	case provider.Fastmail:
		return "Fastmail wants an app password with IMAP access (settings, privacy and security)"
	case provider.GMX:
		return "GMX and web.de: switch on IMAP in the mail settings; with two-factor authentication an app password is needed"
	case provider.Telekom:
		return "T-Online wants the separate e-mail password (customer centre), not the account's"
	case provider.Proton:
		return "Proton Mail speaks IMAP only through Proton Bridge: IMAP_HOST=127.0.0.1, IMAP_PORT=1143, IMAP_TLS=starttls, " +
			"the password that Bridge shows, and IMAP_TLS_FINGERPRINT of its self-signed certificate"
	case provider.NetEase, provider.Tencent:
		return "163, 126 and QQ want an authorisation code from the web mail's settings, where IMAP must be switched on; the client must send ID, which it does"
	}
	return ""
}
