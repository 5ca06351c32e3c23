package session

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"time"

	"mailgap/shared/logingate"
)

// StepName names a step of Diagnose.
type StepName string

// The steps of Diagnose, in their order.
const (
	StepConfig       StepName = "configuration"
	StepDNS          StepName = "dns"
	StepTCP          StepName = "tcp"
	StepTLS          StepName = "tls"
	StepGreeting     StepName = "greeting"
	StepCapabilities StepName = "capabilities"
	StepLogin        StepName = "login"
	StepID           StepName = "id"
	StepMailboxes    StepName = "mailboxes"
	StepSearch       StepName = "search"
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

// diagnosis goes through the steps and keeps what the next one needs.
type diagnosis struct {
	cfg    Config
	report func(Step)
	conn   net.Conn
	opened *opening
	c      *Conn
}

// Diagnose connects step by step, reports each and stops at the first that fails. It returns whether all were fine. It
// tries one login, whatever happened before.
func Diagnose(ctx context.Context, cfg Config, report func(Step)) bool {
	full, err := cfg.withDefaults()
	d := &diagnosis{cfg: full, report: report}
	if err != nil {
		return d.fail(StepConfig, err)
	}
	d.ok(StepConfig, fmt.Sprintf("host %s, port %d, tls %s, authentication %s", full.Host, full.Port, full.TLS, full.Auth))
	defer d.close()
	for _, step := range []func(context.Context) bool{
		d.resolve, d.dial, d.protect, d.greet, d.login, d.identify, d.mailboxes, d.search,
	} {
		if !step(ctx) {
			return false
		}
	}
	return true
}

func (d *diagnosis) close() {
	switch {
	case d.c != nil:
		d.c.close()
	case d.conn != nil:
		d.conn.Close()
	}
}

func (d *diagnosis) ok(name StepName, detail string) bool {
	d.report(Step{Name: name, OK: true, Detail: detail})
	return true
}

func (d *diagnosis) fail(name StepName, err error) bool {
	step := Step{Name: name, Detail: describe(err), Hint: hint(&d.cfg, name, err)}
	if te := asTLS(err); te != nil && te.Reason == TLSUntrusted {
		step.Fingerprint = te.Fingerprint
	}
	d.report(step)
	return false
}

// limited returns a context with the time for connecting.
func (d *diagnosis) limited(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, d.cfg.DialTimeout)
}

func (d *diagnosis) resolve(ctx context.Context) bool {
	if d.cfg.Dial != nil {
		return true
	}
	if _, err := netip.ParseAddr(d.cfg.Host); err == nil {
		return d.ok(StepDNS, "the host is an address")
	}
	ctx, cancel := d.limited(ctx)
	defer cancel()
	addrs, err := net.DefaultResolver.LookupHost(ctx, d.cfg.Host)
	if err != nil {
		return d.fail(StepDNS, &DialError{Step: "dns", Host: d.cfg.Host, Port: d.cfg.Port, Err: err})
	}
	return d.ok(StepDNS, strings.Join(addrs[:min(len(addrs), 4)], ", "))
}

func (d *diagnosis) dial(ctx context.Context) bool {
	ctx, cancel := d.limited(ctx)
	defer cancel()
	conn, err := dialTCP(ctx, &d.cfg)
	if err != nil {
		return d.fail(StepTCP, err)
	}
	d.conn = conn
	return d.ok(StepTCP, "connected to "+conn.RemoteAddr().String())
}

// protect reports TLS and the greeting, which with STARTTLS comes first.
func (d *diagnosis) protect(ctx context.Context) bool {
	ctx, cancel := d.limited(ctx)
	defer cancel()
	o, err := protect(ctx, &d.cfg, d.conn)
	if isTLS := asTLS(err); isTLS != nil {
		return d.fail(StepTLS, err)
	}
	if err != nil {
		return d.fail(StepGreeting, err)
	}
	d.opened = o
	d.ok(StepTLS, describeTLS(o, d.cfg.Now()))
	return d.ok(StepGreeting, o.greetingRaw)
}

func describeTLS(o *opening, now time.Time) string {
	if o.tls == nil {
		return "none: the connection is plain text"
	}
	text := tls.VersionName(o.tls.Version)
	if len(o.tls.PeerCertificates) > 0 {
		text += ", " + describeCert(o.tls.PeerCertificates[0], now) + ", SHA-256 " + o.fingerprint
	}
	return text
}

func describeCert(c *x509.Certificate, now time.Time) string {
	days := int(c.NotAfter.Sub(now).Hours() / 24)
	return fmt.Sprintf("certificate for %s by %s, valid until %s (%d days)", orElse(c.Subject.CommonName, strings.Join(c.DNSNames, " ")),
		orElse(c.Issuer.CommonName, strings.Join(c.Issuer.Organization, " ")), c.NotAfter.UTC().Format(time.DateOnly), days)
}

// greet lets the greeting pass through the wire layer and asks for the capabilities.
func (d *diagnosis) greet(ctx context.Context) bool {
	ctx, cancel := d.limited(ctx)
	defer cancel()
	sh := &shared{cfg: d.cfg, gate: logingate.New(), seen: map[string]seenState{}}
	c, err := newConn(ctx, sh, d.opened)
	if err != nil {
		return d.fail(StepGreeting, err)
	}
	d.c = c
	if err := c.readCaps(ctx); err != nil {
		return d.fail(StepCapabilities, err)
	}
	return d.ok(StepCapabilities, strings.Join(c.info.Caps, " "))
}

func (d *diagnosis) login(ctx context.Context) bool {
	ctx, cancel := d.limited(ctx)
	defer cancel()
	if err := d.c.authenticated(ctx); err != nil {
		return d.fail(StepLogin, err)
	}
	return d.ok(StepLogin, "accepted, by "+string(orElse(d.c.info.Auth, "the server itself (PREAUTH)")))
}

func (d *diagnosis) identify(ctx context.Context) bool {
	ctx, cancel := d.limited(ctx)
	defer cancel()
	d.c.compress(ctx, d.opened)
	d.c.sendID()
	if err := d.c.Noop(ctx); err != nil {
		return d.fail(StepID, err)
	}
	d.c.settleID()
	detail := "the server does not identify itself"
	if id := d.c.info.ServerID; len(id) > 0 {
		detail = strings.TrimSpace(id["name"] + " " + id["version"])
	}
	if d.c.info.Compressed {
		detail += "; compressed"
	}
	return d.ok(StepID, detail)
}

func (d *diagnosis) mailboxes(ctx context.Context) bool {
	boxes, err := d.c.List(ctx, ListOptions{})
	if err != nil {
		return d.fail(StepMailboxes, err)
	}
	var roles []string
	for _, b := range boxes {
		if b.SpecialUse != "" && b.SpecialUse != UseInbox {
			role := string(b.SpecialUse) + " = " + cutString(b.Name, 100)
			if b.Guessed {
				role += " (guessed)"
			}
			roles = append(roles, role)
		}
	}
	slices.Sort(roles)
	return d.ok(StepMailboxes, fmt.Sprintf("%d mailboxes; %s", len(boxes), orElse(strings.Join(roles, ", "), "no special ones")))
}

// search compares what SEARCH ALL finds with what the mailbox says it holds.
func (d *diagnosis) search(ctx context.Context) bool {
	r, err := d.c.Search(ctx, "INBOX", All())
	if err != nil {
		return d.fail(StepSearch, err)
	}
	detail := fmt.Sprintf("INBOX holds %d messages, a search for everything finds %d", r.State.Messages, len(r.UIDs))
	if len(r.UIDs) == int(r.State.Messages) {
		return d.ok(StepSearch, detail)
	}
	d.report(Step{Name: StepSearch, OK: len(r.UIDs) > 0, Detail: detail,
		Hint: "the server's search cannot be trusted; lists are read from the mailbox itself instead"})
	return len(r.UIDs) > 0
}
