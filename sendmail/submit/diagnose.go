package submit

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"time"

	"mailgap/shared/tlsdial"
)

// StepName names a step of Diagnose.
type StepName string

// The steps of Diagnose, in their order.
const (
	StepConfig     StepName = "configuration"
	StepDNS        StepName = "dns"
	StepTCP        StepName = "tcp"
	StepTLS        StepName = "tls"
	StepGreeting   StepName = "greeting"
	StepExtensions StepName = "extensions"
	StepLogin      StepName = "login"
	StepQuit       StepName = "quit"
)

// Step is one finding of Diagnose. Detail may quote the server: untrusted. Hint is in our own words and says what to
// change; it may follow a step that is OK.
type Step struct {
	Name   StepName
	OK     bool
	Detail string
	Hint   string
	// Fingerprint is that of a certificate that no authority vouches for, in hexadecimal; a person may pin it.
	Fingerprint string
}

// diagnosis goes through the steps of a link.
type diagnosis struct {
	cfg    Config
	report func(Step)
	link   *link
}

// Diagnose connects step by step, reports each and stops at the first that fails. It returns whether all were fine. It
// tries one login, whatever happened before. No MAIL command is sent.
func Diagnose(ctx context.Context, cfg Config, report func(Step)) bool {
	full, err := cfg.withDefaults()
	d := &diagnosis{cfg: full, report: report}
	if err != nil {
		return d.fail(StepConfig, err)
	}
	d.ok(StepConfig, fmt.Sprintf("host %s, port %d, tls %s, authentication %s", full.Host, full.Port, full.TLS, full.Auth))
	d.link = &link{cfg: &d.cfg, ctx: ctx}
	defer d.link.close()
	for _, step := range []func(context.Context) bool{d.resolve, d.dial, d.protect, d.extensions, d.login, d.quit} {
		if cfg.Dial != nil && d.link.stage == "" {
			d.link.stage = StageConnect
			continue // names mean nothing to a dialer of the caller's
		}
		if !step(ctx) {
			return false
		}
	}
	return true
}

func (d *diagnosis) ok(name StepName, detail string) bool {
	d.report(Step{Name: name, OK: true, Detail: detail})
	return true
}

func (d *diagnosis) fail(name StepName, err error) bool {
	_, hint := Explain(d.cfg.Host, err)
	step := Step{Name: name, Detail: describe(err), Hint: hint}
	if te := (&TLSError{}); errors.As(err, &te) {
		step.Hint = d.certificateHint(te, hint)
		if te.Reason == tlsdial.Untrusted {
			step.Fingerprint = te.Fingerprint
		}
	}
	d.report(step)
	return false
}

// certificateHint offers the fingerprint to pin.
func (d *diagnosis) certificateHint(te *TLSError, hint string) string {
	pin := "SMTP_TLS_FINGERPRINT=" + te.Fingerprint
	switch {
	case te.Fingerprint == "":
		return hint
	case te.Reason == tlsdial.Pinned:
		return "the certificate is not the pinned one: if it was renewed, set " + pin + "; otherwise someone may be listening"
	case te.Reason == tlsdial.Hostname:
		return "the certificate is for another name: use that name as SMTP_HOST, or, if you trust this server, set " + pin
	case te.Reason == tlsdial.Expired:
		return "the certificate is not valid at this time: check the clock of this machine, or, if you trust this server, set " + pin
	case tlsdial.IsLoopbackHost(d.cfg.Host):
		return "the certificate is self-signed, as Proton Bridge and other local servers make them: if you trust this server, set " + pin
	}
	return "the certificate is not from a known authority: set SMTP_TLS_CA_FILE to the authority's certificate, or, if you trust this server, " + pin
}

// describe says what went wrong, with the server's words where it gave any.
func describe(err error) string {
	text := strings.ReplaceAll(err.Error(), "\n", "; ")
	if te := (&TLSError{}); errors.As(err, &te) && te.Fingerprint != "" {
		return text + "; the certificate's SHA-256 is " + te.Fingerprint
	}
	if r := replyOf(err); r.Code != 0 {
		text += fmt.Sprintf("; the server says %q", strings.TrimSpace(fmt.Sprintf("%d %s %s", r.Code, r.Enhanced, r.TextRaw)))
	}
	if ae := (&AuthError{}); errors.As(err, &ae) && ae.DetailRaw != "" {
		text += fmt.Sprintf("; details %q", ae.DetailRaw)
	}
	return text
}

func (d *diagnosis) resolve(ctx context.Context) bool {
	d.link.stage = StageConnect
	if _, err := netip.ParseAddr(d.cfg.Host); err == nil {
		return d.ok(StepDNS, "the host is an address")
	}
	ctx, cancel := context.WithTimeout(ctx, d.cfg.DialTimeout)
	defer cancel()
	addrs, err := net.DefaultResolver.LookupHost(ctx, d.cfg.Host)
	if err != nil {
		return d.fail(StepDNS, &DialError{Step: "dns", Host: d.cfg.Host, Port: d.cfg.Port, Err: err})
	}
	return d.ok(StepDNS, strings.Join(addrs[:min(len(addrs), 4)], ", "))
}

func (d *diagnosis) dial(ctx context.Context) bool {
	if err := d.link.dial(ctx); err != nil {
		return d.fail(StepTCP, err)
	}
	return d.ok(StepTCP, "connected to "+d.link.raw.RemoteAddr().String())
}

// protect reports TLS and the greeting, which with STARTTLS comes first.
func (d *diagnosis) protect(ctx context.Context) bool {
	err := d.link.protect(ctx)
	if err != nil {
		step := StepTLS
		if d.link.stage == StageGreeting || d.link.stage == StageEHLO {
			step = StepGreeting
		}
		return d.fail(step, err)
	}
	if err := d.link.greet(ctx); err != nil {
		return d.fail(StepGreeting, err)
	}
	d.ok(StepTLS, describeTLS(d.link.state, d.cfg.Now()))
	return d.ok(StepGreeting, d.link.info.GreetingRaw)
}

func describeTLS(state *tls.ConnectionState, now time.Time) string {
	if state == nil {
		return "none: the connection is plain text"
	}
	text := tls.VersionName(state.Version)
	if len(state.PeerCertificates) > 0 {
		c := state.PeerCertificates[0]
		text += ", " + describeCert(c, now) + ", SHA-256 " + tlsdial.Fingerprint(c)
	}
	return text
}

func describeCert(c *x509.Certificate, now time.Time) string {
	days := int(c.NotAfter.Sub(now).Hours() / 24)
	return fmt.Sprintf("certificate for %s by %s, valid until %s (%d days)", orElse(c.Subject.CommonName, strings.Join(c.DNSNames, " ")),
		orElse(c.Issuer.CommonName, strings.Join(c.Issuer.Organization, " ")), c.NotAfter.UTC().Format(time.DateOnly), days)
}

func (d *diagnosis) extensions(ctx context.Context) bool {
	if err := d.link.hello(ctx); err != nil {
		return d.fail(StepExtensions, err)
	}
	info := d.link.info
	hint := ""
	if !info.Has8BitMIME {
		hint = "the server does not offer 8BITMIME: messages are written with 7bit encodings"
	}
	d.report(Step{Name: StepExtensions, OK: true, Detail: strings.Join(info.ExtensionRaw, ", "), Hint: hint})
	return true
}

func (d *diagnosis) login(ctx context.Context) bool {
	if err := d.link.login(ctx); err != nil {
		return d.fail(StepLogin, err)
	}
	if d.link.info.Auth == "" {
		d.report(Step{Name: StepLogin, OK: true, Detail: "no user is configured", Hint: "servers other than a relay on this machine want SMTP_USER"})
		return true
	}
	return d.ok(StepLogin, "accepted, by "+string(d.link.info.Auth))
}

// quit says goodbye. A server that does not answer is no failure.
func (d *diagnosis) quit(context.Context) bool {
	d.link.leave(nil)
	return d.ok(StepQuit, "no message was sent")
}
