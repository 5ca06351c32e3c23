package discover

import (
	"cmp"
	"context"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"mailgap/shared/provider"
)

// patience is how long a lookup may take in all. Limit: a person waits for it.
const patience = 12 * time.Second

// User says what a server wants as user name.
type User int

// The forms of user names.
const (
	UserAddress   User = iota // the whole address; also where nothing is said
	UserLocalPart             // the part before the @
)

// Server is a suggestion for one protocol.
type Server struct {
	provider.Endpoint
	User   User
	Source string // where it was found, in words
	// Elsewhere means that Host is not within the domain that was asked about.
	Elsewhere bool
}

// Result is what was found. The zero value means nothing.
type Result struct {
	Preset provider.Preset
	Known  bool // Preset holds
	IMAP   []Server
	SMTP   []Server // the most likely first
}

// Resolver is the part of net.Resolver that is used.
type Resolver interface {
	LookupSRV(ctx context.Context, service, proto, name string) (string, []*net.SRV, error)
	LookupMX(ctx context.Context, name string) ([]*net.MX, error)
}

// Finder looks servers up. Resolver is required; a nil Transport means one that heeds the proxy settings of the environment.
type Finder struct {
	Resolver  Resolver
	Transport http.RoundTripper
}

// Find asks for the servers of domain, which is in ASCII. Failures count as nothing found. It blocks for twelve seconds at
// most and ends early with ctx.
func (f Finder) Find(ctx context.Context, domain string) Result {
	if p, ok := provider.ForDomain(domain); ok {
		return Result{Preset: p, Known: true}
	}
	if special(domain) || !validHost(domain) {
		return Result{}
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var srv, auto Result
	var known provider.Preset
	var ok bool
	var wg sync.WaitGroup
	wg.Go(func() { known, ok = f.byMX(ctx, domain) })
	wg.Go(func() { srv = f.bySRV(ctx, domain) })
	wg.Go(func() { auto = f.byFile(ctx, domain) })
	wg.Wait()
	return Result{Preset: known, Known: ok, IMAP: within(domain, auto.IMAP, srv.IMAP), SMTP: within(domain, auto.SMTP, srv.SMTP)}
}

// within joins suggestions: those that came over HTTPS first. Doubles go.
func within(domain string, lists ...[]Server) []Server {
	var all []Server
	for _, s := range slices.Concat(lists...) {
		if slices.ContainsFunc(all, func(o Server) bool { return o.Endpoint == s.Endpoint }) {
			continue
		}
		s.Elsewhere = s.Host != domain && !strings.HasSuffix(s.Host, "."+domain)
		all = append(all, s)
	}
	return all
}

func (f Finder) byMX(ctx context.Context, domain string) (provider.Preset, bool) {
	records, err := f.Resolver.LookupMX(ctx, domain)
	if err != nil {
		return provider.Preset{}, false
	}
	slices.SortStableFunc(records, func(a, b *net.MX) int { return cmp.Compare(a.Pref, b.Pref) })
	var hosts []string
	for _, r := range records {
		hosts = append(hosts, r.Host)
	}
	return provider.ForMX(hosts)
}

// bySRV asks for the four services; those with TLS from the first octet come first (RFC 8314 §3).
func (f Finder) bySRV(ctx context.Context, domain string) Result {
	return Result{
		IMAP: append(f.service(ctx, domain, "imaps", "implicit"), f.service(ctx, domain, "imap", "starttls")...),
		SMTP: append(f.service(ctx, domain, "submissions", "implicit"), f.service(ctx, domain, "submission", "starttls")...),
	}
}

// service asks for one service. A target of "." says that it is not offered (RFC 6186 §3.4). The records come sorted.
func (f Finder) service(ctx context.Context, domain, service, tls string) []Server {
	_, records, err := f.Resolver.LookupSRV(ctx, service, "tcp", domain)
	if err != nil || len(records) == 0 {
		return nil
	}
	r := records[0]
	s, ok := suggestion(r.Target, int(r.Port), tls)
	s.Source = "the SRV record _" + service + "._tcp." + domain
	if !ok {
		return nil
	}
	return []Server{s}
}

// suggestion checks what a stranger suggests.
func suggestion(host string, port int, tls string) (Server, bool) {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if !validHost(host) || special(host) || port < 1 || port > 65535 {
		return Server{}, false
	}
	return Server{Endpoint: provider.Endpoint{Host: host, Port: port, TLS: tls}}, true
}

// validHost accepts names of two labels or more, of letters, digits and hyphens (RFC 1123 §2.1), whose last label is not a number.
func validHost(host string) bool {
	labels := strings.Split(host, ".")
	if len(host) > 253 || len(labels) < 2 {
		return false
	}
	for _, label := range labels {
		if label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' ||
			strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
			return false
		}
	}
	return strings.Trim(labels[len(labels)-1], "0123456789") != ""
}

// special says that public DNS has no such name: RFC 6761 §6, RFC 6762 §3, RFC 7686, and internal (ICANN, 2024).
func special(host string) bool {
	last := host[strings.LastIndexByte(host, '.')+1:]
	return slices.Contains([]string{"localhost", "local", "test", "invalid", "example", "onion", "internal"}, last)
}
