package submit

import (
	"context"
	"errors"
	"net"
	"strings"
	"syscall"

	"mailgap/shared/provider"
	"mailgap/shared/sasl"
	"mailgap/shared/tlsdial"
)

// Explain turns an error of Send or Probe into an enumerated reason and advice in our own words. host is the configured
// server, for what is known about providers; it may be "". Neither result quotes the server. nil gives "" twice.
func Explain(host string, err error) (Reason, string) {
	if err == nil {
		return "", ""
	}
	r := reasonOf(err)
	h := hintFor(r)
	if fetch := (*CredentialError)(nil); errors.As(err, &fetch) && r == ReasonCredentials {
		h += "; " + fetch.Error()
	}
	if extra := providerHint(provider.Of(host), r); extra != "" {
		h += "; " + extra
	}
	return r, h
}

// reasonOf finds the word for an error. Unknown comes first: whatever else is known does not matter then.
func reasonOf(err error) Reason {
	for _, s := range []struct {
		is error
		r  Reason
	}{
		{ErrUnknown, ReasonUnknown}, {ErrBeforeDot, ReasonStopped}, {ErrPlaintext, ReasonPlaintext}, {ErrEnvelope, ReasonEnvelope},
		{ErrContent, ReasonContent}, {ErrNoAuth, ReasonNoLogin}, {ErrBadConfig, ReasonConfig}, {ErrNotConfigured, ReasonConfig},
		{errBadSecret, ReasonConfig},
	} {
		if errors.Is(err, s.is) {
			return s.r
		}
	}
	if r := typedReason(err); r != "" {
		return r
	}
	switch {
	case errors.Is(err, ErrTimeout): // before the next: our own deadlines are contexts too
		return ReasonTimeout
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return ReasonCancelled
	case errors.Is(err, ErrGarbage), errors.Is(err, ErrLimited):
		return ReasonNotSMTP
	case errors.Is(err, ErrConnLost):
		return ReasonConnLost
	}
	return ReasonOther
}

func typedReason(err error) Reason {
	var (
		paused *LoginPausedError
		dial   *DialError
		tlsErr *TLSError
		auth   *AuthError
		ext    *ExtensionError
		fetch  *CredentialError
		rcpt   *RecipientsError
		reply  *ReplyError
	)
	switch {
	case errors.As(err, &paused):
		return ReasonPaused
	case errors.As(err, &dial):
		return dialReason(dial)
	case errors.As(err, &tlsErr):
		return tlsReason(tlsErr.Reason)
	case errors.As(err, &auth):
		return authReason(auth)
	case errors.As(err, &fetch) && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded):
		return ReasonCredentials
	case errors.As(err, &ext):
		return map[Extension]Reason{ExtensionSize: ReasonTooLarge, Extension8BitMIME: ReasonNo8BitMIME, ExtensionSMTPUTF8: ReasonNoSMTPUTF8}[ext.Extension]
	case errors.As(err, &rcpt):
		return replyReason(StageRcpt, rcpt.Refused[0].Reply)
	case errors.As(err, &reply):
		return replyReason(reply.Stage, reply.Reply)
	}
	return ""
}

func dialReason(e *DialError) Reason {
	var timeout net.Error
	switch {
	case e.Step == "dns":
		return ReasonNoHost
	case errors.Is(e, syscall.ECONNREFUSED):
		return ReasonRefusedPort
	case errors.Is(e, ErrTimeout), errors.As(e.Err, &timeout) && timeout.Timeout():
		return ReasonTimeout
	}
	return ReasonUnreachable
}

func tlsReason(r tlsdial.Reason) Reason {
	switch r {
	case tlsdial.Untrusted, tlsdial.Expired, tlsdial.Hostname, tlsdial.Pinned, tlsdial.OtherProblem:
		return ReasonCertificate
	case tlsdial.NotOffered:
		return ReasonNoTLS
	case tlsdial.PlainOnPort, tlsdial.TLSOnPlain:
		return ReasonWrongTLSMode
	case tlsdial.Injected:
		return ReasonInterference
	}
	return ReasonTLS
}

func authReason(e *AuthError) Reason {
	if sasl.IsFault(e.Err) {
		return ReasonFalseServer
	}
	text := strings.ToLower(e.Reply.TextRaw)
	switch {
	// Quirk: Microsoft's "535 5.7.139 Authentication unsuccessful, basic authentication is disabled" and
	// "SmtpClientAuthentication is disabled for the Tenant".
	case e.Reply.Enhanced == "5.7.139", has(text, "basic authentication is disabled", "smtpclientauthentication is disabled"):
		return ReasonBasicDisabled
	// Quirk: Gmail's "534 5.7.9 Application-specific password required"; RFC 4954 §6 gives 5.7.9 another meaning.
	case e.Reply.Code == 534, has(text, "application-specific password", "app password", "app-specific"):
		return ReasonAppPassword
	case e.Reply.Code == 538, e.Reply.Code == 523, e.Reply.Enhanced == "5.7.11", e.Reply.Enhanced == "5.7.10": // RFC 4954 §6, RFC 5248
		return ReasonEncryption
	case e.Temporary:
		return ReasonLoginLater
	case e.notTried:
		return ReasonNoLogin
	case e.Method == AuthXOAuth2 || e.Method == AuthOAuthBearer:
		return ReasonToken
	}
	return ReasonLogin
}

func has(text string, words ...string) bool {
	for _, w := range words {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}

// replyReason classifies a refusal: by exact enhanced code, by what the text says where codes are ambiguous, by stage, by class.
func replyReason(stage Stage, r Reply) Reason {
	if r.Code == 421 {
		if rateLimited(strings.ToLower(r.TextRaw)) || r.Enhanced == "4.7.28" {
			return ReasonRate
		}
		return ReasonBusy
	}
	if stage == StageGreeting && r.Transient() {
		return ReasonBusy
	}
	for _, find := range []func(Stage, Reply) Reason{exactReason, wordReason, codeReason} {
		if reason := find(stage, r); reason != "" {
			return reason
		}
	}
	if r.Transient() {
		return ReasonTransient
	}
	return ReasonPermanent
}

// exactReason knows the enhanced codes (RFC 3463 §3, RFC 4954 §6, RFC 5248) that leave no doubt.
func exactReason(_ Stage, r Reply) Reason {
	_, rest, _ := strings.Cut(r.Enhanced, ".")
	switch rest {
	case "1.1", "1.10":
		return ReasonNoMailbox
	case "1.2", "4.4":
		return ReasonNoDomain
	case "1.3":
		return ReasonBadAddress
	case "1.7", "1.8", "7.60", "2.252": // Exchange: 5.7.60 and 5.2.252 mean that sending as this address is not allowed
		return ReasonSender
	case "2.1":
		return ReasonMailboxOff
	case "2.2":
		return ReasonMailboxFull
	case "2.3", "3.4":
		return ReasonTooLarge
	case "3.1":
		return ReasonStorage
	case "4.5", "7.28":
		return ReasonRate
	case "5.3":
		return ReasonTooMany
	case "6.7":
		return ReasonNoSMTPUTF8
	case "7.57":
		return ReasonLoginNeeded // Exchange: client was not authenticated
	case "7.64":
		return ReasonRelay // Exchange
	case "7.10", "7.11":
		return ReasonEncryption
	case "7.0":
		if r.Code == 530 {
			return ReasonLoginNeeded
		}
	}
	return ""
}

// rateLimited looks for the words of servers that count messages.
func rateLimited(text string) bool {
	return has(text, "rate limit", "ratelimit", "too many messages", "too many mails", "sending limit", "throttl", "daily", "too much mail", "try sending later")
}

// wordReason looks at the words where the codes are used for many things. Only whether a word occurs matters.
func wordReason(_ Stage, r Reply) Reason {
	text := strings.ToLower(r.TextRaw)
	switch {
	case has(text, "greylist", "graylist", "grey list", "greylisted"):
		return ReasonGreylisted
	case rateLimited(text):
		return ReasonRate
	case has(text, "too many recipients"):
		return ReasonTooMany
	case has(text, "relay"):
		return ReasonRelay
	case has(text, "authentication required", "authenticate first", "not authenticated"):
		return ReasonLoginNeeded
	case has(text, "starttls"):
		return ReasonEncryption
	case has(text, "not owned by", "not allowed to send as", "sender address rejected", "sendasdenied", "not permitted to send"):
		return ReasonSender
	case has(text, "mailbox full", "over quota", "mailbox is full"):
		return ReasonMailboxFull
	case has(text, "user unknown", "no such user", "mailbox unavailable", "does not exist", "unknown user"):
		return ReasonNoMailbox
	}
	return ""
}

// codeReason goes by the reply code and the stage (RFC 5321 §4.2.3).
func codeReason(stage Stage, r Reply) Reason {
	policy := strings.HasPrefix(r.Enhanced, "5.7.") || strings.HasPrefix(r.Enhanced, "4.7.")
	switch {
	case r.Code == 530:
		return ReasonLoginNeeded
	case r.Code == 552 && stage != StageRcpt:
		return ReasonTooLarge
	case r.Code == 552:
		return ReasonMailboxFull
	case r.Code == 452 && stage == StageRcpt:
		return ReasonTooMany // RFC 5321 §4.5.3.1.10
	case r.Code == 452:
		return ReasonStorage
	case r.Code == 553 && stage == StageRcpt, r.Code == 501 && stage == StageRcpt:
		return ReasonBadAddress
	case stage == StageMail && r.Permanent() && (policy || r.Code == 550 || r.Code == 553 || r.Code == 501):
		return ReasonSender
	case stage == StageRcpt && policy && r.Transient():
		return ReasonGreylisted // Quirk: 4.7.1 at RCPT is what greylisting servers say
	case policy:
		return ReasonPolicy
	case stage == StageRcpt && r.Code == 550:
		return ReasonNoMailbox
	}
	return ""
}
