package submit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"
	"testing"

	"mailgap/shared/logingate"
	"mailgap/shared/sasl"
	"mailgap/shared/tlsdial"
)

func at(stage Stage, code int, enhanced, text string) error {
	return &ReplyError{Stage: stage, Reply: Reply{Code: code, Enhanced: enhanced, TextRaw: text}}
}

func authFault(code int, enhanced, text string) error {
	r := Reply{Code: code, Enhanced: enhanced, TextRaw: text}
	return &AuthError{Method: AuthPlain, Reply: r, Temporary: r.Transient()}
}

func TestExplain(t *testing.T) {
	rcpt := func(code int, enhanced, text string) error {
		return &RecipientsError{Refused: []Recipient{{Reply: Reply{Code: code, Enhanced: enhanced, TextRaw: text}}}}
	}
	for _, tc := range []struct {
		name string
		err  error
		want Reason
	}{
		{"unknown hides everything else", fmt.Errorf("%w: %w", ErrUnknown, at(StageDot, 550, "5.7.1", "spam")), ReasonUnknown},
		{"stopped", errors.Join(ErrBeforeDot, io.ErrUnexpectedEOF), ReasonStopped},
		{"cancelled", context.Canceled, ReasonCancelled},
		{"plain text", ErrPlaintext, ReasonPlaintext},
		{"paused", &logingate.PausedError{Last: authFault(535, "5.7.8", "no")}, ReasonPaused},
		{"no host", &DialError{Step: "dns", Err: io.EOF}, ReasonNoHost},
		{"port closed", &DialError{Step: "tcp", Err: syscall.ECONNREFUSED}, ReasonRefusedPort},
		{"no route", &DialError{Step: "tcp", Err: syscall.EHOSTUNREACH}, ReasonUnreachable},
		{"dial timeout", &DialError{Step: "tcp", Err: errors.Join(ErrTimeout, io.EOF)}, ReasonTimeout},
		{"untrusted", &TLSError{Reason: tlsdial.Untrusted}, ReasonCertificate},
		{"no starttls", &TLSError{Reason: tlsdial.NotOffered}, ReasonNoTLS},
		{"wrong mode", &TLSError{Reason: tlsdial.PlainOnPort}, ReasonWrongTLSMode},
		{"injection", &TLSError{Reason: tlsdial.Injected}, ReasonInterference},
		{"old TLS", &TLSError{Reason: tlsdial.Handshake}, ReasonTLS},
		{"size", &ExtensionError{Extension: ExtensionSize}, ReasonTooLarge},
		{"utf8", &ExtensionError{Extension: ExtensionSMTPUTF8}, ReasonNoSMTPUTF8},
		{"8bit", &ExtensionError{Extension: Extension8BitMIME}, ReasonNo8BitMIME},
		{"wrong password", authFault(535, "5.7.8", "Error: authentication failed"), ReasonLogin},
		{"gmail bad password", authFault(535, "5.7.8", "Username and Password not accepted."), ReasonLogin},
		{"gmail app password", authFault(534, "5.7.9", "Application-specific password required."), ReasonAppPassword},
		{"microsoft basic", authFault(535, "5.7.139", "Authentication unsuccessful, basic authentication is disabled."), ReasonBasicDisabled},
		{"microsoft tenant", authFault(535, "5.7.3", "SmtpClientAuthentication is disabled for the Tenant."), ReasonBasicDisabled},
		{"login later", authFault(454, "4.7.0", "Temporary authentication failure"), ReasonLoginLater},
		{"encryption", authFault(538, "5.7.11", "Encryption required"), ReasonEncryption},
		{"token", &AuthError{Method: AuthXOAuth2, Reply: Reply{Code: 535}}, ReasonToken},
		{"false server", &AuthError{Method: AuthSCRAMSHA256, Err: sasl.ErrServer}, ReasonFalseServer},
		{"no credentials", &CredentialError{errors.New("locked")}, ReasonCredentials},
		{"starttls first", at(StageMail, 530, "5.7.0", "Must issue a STARTTLS command first"), ReasonLoginNeeded},
		{"authentication required", at(StageMail, 530, "5.7.0", "Authentication Required"), ReasonLoginNeeded},
		{"exchange anonymous", at(StageMail, 530, "5.7.57", "Client not authenticated to send mail."), ReasonLoginNeeded},
		{"exchange send as", at(StageDot, 554, "5.2.252", "SendAsDenied; a@example.com not allowed to send as b@example.com"), ReasonSender},
		{"exchange send as, older", at(StageDot, 550, "5.7.60", "Client does not have permissions to send as this sender"), ReasonSender},
		{"postfix sender", at(StageMail, 553, "5.7.1", "Sender address rejected: not owned by user a"), ReasonSender},
		{"sender refused at RCPT by postfix", rcpt(553, "5.7.1", "<x@example.com>: Sender address rejected: not owned by user a"), ReasonSender},
		{"no mailbox", rcpt(550, "5.1.1", "User unknown in virtual mailbox table"), ReasonNoMailbox},
		{"no mailbox without code", rcpt(550, "", "no such user"), ReasonNoMailbox},
		{"no domain", rcpt(550, "5.1.2", "Host unknown"), ReasonNoDomain},
		{"bad address", rcpt(501, "5.1.3", "Bad recipient address syntax"), ReasonBadAddress},
		{"full", rcpt(452, "4.2.2", "The email account is over quota"), ReasonMailboxFull},
		{"disabled", rcpt(550, "5.2.1", "account is disabled"), ReasonMailboxOff},
		{"relay", rcpt(554, "5.7.1", "Relay access denied"), ReasonRelay},
		{"exchange relay", rcpt(550, "5.7.64", "TenantAttribution; Access Denied"), ReasonRelay},
		{"greylisted", rcpt(450, "4.2.0", "Greylisted, see page"), ReasonGreylisted},
		{"greylisted by code", rcpt(451, "4.7.1", "Please try again later"), ReasonGreylisted},
		{"too many", rcpt(452, "4.5.3", "Too many recipients"), ReasonTooMany},
		{"gmail daily", at(StageMail, 550, "5.4.5", "Daily user sending limit exceeded"), ReasonRate},
		{"gmail rate", at(StageDot, 421, "4.7.28", "unusual rate of mail"), ReasonRate},
		{"yahoo rate", at(StageMail, 421, "4.7.0", "Too many messages, throttled"), ReasonRate},
		{"closing", at(StageMail, 421, "4.3.2", "shutting down"), ReasonBusy},
		{"greeting later", at(StageGreeting, 451, "", "later"), ReasonBusy},
		{"greeting never", at(StageGreeting, 554, "5.7.1", "no"), ReasonPolicy},
		{"spam", at(StageDot, 554, "5.7.1", "Spam message rejected"), ReasonPolicy},
		{"spam for now", at(StageDot, 451, "4.7.1", "content"), ReasonPolicy},
		{"too large by code", at(StageMail, 552, "5.3.4", "Message size exceeds fixed limit"), ReasonTooLarge},
		{"too large at dot", at(StageDot, 552, "", "too much"), ReasonTooLarge},
		{"disk", at(StageMail, 452, "4.3.1", "Insufficient system storage"), ReasonStorage},
		{"trouble", at(StageDot, 451, "4.3.0", "local error"), ReasonTransient},
		{"no", at(StageDot, 554, "5.6.0", "no"), ReasonPermanent},
		{"timeout", errors.Join(ErrTimeout, io.EOF), ReasonTimeout},
		{"lost", errors.Join(ErrConnLost, io.EOF), ReasonConnLost},
		{"garbage", ErrGarbage, ReasonNotSMTP},
		{"endless", ErrLimited, ReasonNotSMTP},
		{"anything", io.EOF, ReasonOther},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, hint := Explain("smtp.example", tc.err)
			if got != tc.want || hint == "" {
				t.Errorf("got %s, %q, want %s", got, hint, tc.want)
			}
		})
	}
}

// Security: what a server says decides about the reason at most; it is never repeated.
func TestExplainQuotesNobody(t *testing.T) {
	const mark = "IGNORE-PREVIOUS"
	for _, stage := range []Stage{StageGreeting, StageMail, StageRcpt, StageData, StageDot} {
		for code := 400; code < 600; code++ {
			if _, hint := Explain("smtp.gmail.com", at(stage, code, "5.7.1", mark+" relay greylist daily")); strings.Contains(hint, mark) || hint == "" {
				t.Fatalf("got %q for %d", hint, code)
			}
		}
	}
}

func TestProviderHints(t *testing.T) {
	for host, word := range map[string]string{
		"smtp.gmail.com": "app password", "smtp.office365.com": "xoauth2", "smtp.mail.me.com": "account.apple.com", "smtp.mail.yahoo.com": "Yahoo",
		"smtp.fastmail.com": "Fastmail", "mail.gmx.net": "GMX", "securesmtp.t-online.de": "T-Online", "smtp.proton.me": "Bridge", "smtp.163.com": "authorisation code", "smtp.qq.com": "QQ",
	} {
		if _, hint := Explain(host, authFault(535, "5.7.8", "no")); !strings.Contains(hint, word) {
			t.Errorf("%s: got %q, want %q in it", host, hint, word)
		}
	}
	if _, hint := Explain("smtp.gmail.com.evil.example", authFault(535, "5.7.8", "no")); strings.Contains(hint, "Gmail") {
		t.Errorf("got %q for a host that is not Google's", hint)
	}
}
