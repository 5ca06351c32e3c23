package discover

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"mailgap/shared/deptest"
)

func TestDeps(t *testing.T) {
	deptest.Check(t, []string{"mailgap/shared/provider", "net/http"}, map[string]string{
		"mailgap/readmail": "shared packages import nothing above them", "mailgap/sendmail": "shared packages import nothing above them",
		"mailgap/shared/config": "a lookup has no settings", "os/exec": "a lookup starts nothing", "testing": "for tests only",
	})
}

// zone is a DNS zone: names to records.
type zone struct {
	srv map[string]*net.SRV
	mx  map[string][]*net.MX
}

func (z zone) LookupSRV(_ context.Context, service, proto, name string) (string, []*net.SRV, error) {
	if r, ok := z.srv["_"+service+"._"+proto+"."+name]; ok {
		return "", []*net.SRV{r}, nil
	}
	return "", nil, &net.DNSError{IsNotFound: true}
}

func (z zone) LookupMX(_ context.Context, name string) ([]*net.MX, error) {
	return z.mx[name], nil
}

// web answers requests by their address, over real TLS to a local server.
type web struct {
	t     *testing.T
	pages map[string]http.HandlerFunc
	asked []string
}

func (w *web) RoundTrip(r *http.Request) (*http.Response, error) {
	at := r.URL.String()
	w.asked = append(w.asked, at)
	h, ok := w.pages[at]
	if !ok {
		return nil, errors.New("no such host")
	}
	s := httptest.NewTLSServer(h)
	w.t.Cleanup(s.Close)
	forward := r.Clone(r.Context())
	forward.URL.Scheme, forward.URL.Host = "https", s.Listener.Addr().String()
	return s.Client().Transport.RoundTrip(forward)
}

func page(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, text) }
}

const (
	atHost  = "https://autoconfig.example.org/mail/config-v1.1.xml"
	atKnown = "https://example.org/.well-known/autoconfig/mail/config-v1.1.xml"
)

// file is an autoconfig file with one server of each kind.
func file(imap, smtp string) string {
	return `<?xml version="1.0" encoding="UTF-8"?><clientConfig version="1.1"><emailProvider id="example.org"><displayName>Example</displayName>` +
		imap + smtp + `</emailProvider></clientConfig>`
}

func server(element, kind, host, port, socket string) string {
	return "<" + element + ` type="` + kind + `"><hostname>` + host + "</hostname><port>" + port + "</port><socketType>" + socket +
		"</socketType><username>%EMAILLOCALPART%</username><authentication>password-cleartext</authentication></" + element + ">"
}

func find(t *testing.T, z zone, pages map[string]http.HandlerFunc) (Result, *web) {
	t.Helper()
	w := &web{t: t, pages: pages}
	return Finder{Resolver: z, Transport: w}.Find(t.Context(), "example.org"), w
}

func TestSRV(t *testing.T) {
	got, _ := find(t, zone{srv: map[string]*net.SRV{
		"_imaps._tcp.example.org":       {Target: "imap.example.org.", Port: 993},
		"_imap._tcp.example.org":        {Target: ".", Port: 0},
		"_submissions._tcp.example.org": {Target: "out.example.net.", Port: 465},
		"_submission._tcp.example.org":  {Target: "out.example.net.", Port: 587},
	}}, nil)
	if len(got.IMAP) != 1 || got.IMAP[0].Host != "imap.example.org" || got.IMAP[0].TLS != "implicit" || got.IMAP[0].Elsewhere {
		t.Errorf("IMAP: got %+v", got.IMAP)
	}
	if len(got.SMTP) != 2 || got.SMTP[0].Port != 465 || !got.SMTP[0].Elsewhere || got.SMTP[1].TLS != "starttls" {
		t.Errorf("SMTP: got %+v", got.SMTP)
	}
	if !strings.Contains(got.IMAP[0].Source, "_imaps._tcp.example.org") {
		t.Errorf("source: got %q", got.IMAP[0].Source)
	}
}

// A host that only ends like the domain is elsewhere.
func TestElsewhere(t *testing.T) {
	for host, want := range map[string]bool{"example.org": false, "a.b.example.org": false, "notexample.org": true, "example.org.evil.net": true} {
		got, _ := find(t, zone{srv: map[string]*net.SRV{"_imaps._tcp.example.org": {Target: host, Port: 993}}}, nil)
		if len(got.IMAP) != 1 || got.IMAP[0].Elsewhere != want {
			t.Errorf("%s: got %+v, want elsewhere %t", host, got.IMAP, want)
		}
	}
}

// Of a body without end no more is read than the limit, and what is on its way.
func TestEndlessBody(t *testing.T) {
	done := make(chan int, 1)
	find(t, zone{}, map[string]http.HandlerFunc{atHost: func(w http.ResponseWriter, _ *http.Request) {
		sent := 0
		for sent < 256<<20 {
			n, err := io.WriteString(w, strings.Repeat("<!-- -->", 4096))
			if sent += n; err != nil {
				break
			}
		}
		done <- sent
	}})
	if sent := <-done; sent >= 64<<20 {
		t.Errorf("%d octets were taken", sent)
	}
}

func TestMX(t *testing.T) {
	got, _ := find(t, zone{mx: map[string][]*net.MX{"example.org": {{Host: "backup.example.com.", Pref: 20}, {Host: "in1-smtp.messagingengine.com.", Pref: 10}}}}, nil)
	if !got.Known || got.Preset.Name != "Fastmail" {
		t.Errorf("got %+v", got)
	}
}

func TestAutoconfig(t *testing.T) {
	good := file(server("incomingServer", "imap", "imap.example.org", "143", "STARTTLS"), server("outgoingServer", "smtp", "SMTP.example.org", "465", "SSL"))
	for name, pages := range map[string]map[string]http.HandlerFunc{
		"at its own host":    {atHost: page(good)},
		"well known":         {atKnown: page(good)},
		"first one unusable": {atHost: page("<html></html>"), atKnown: page(good)},
		"redirected": {atHost: func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://example.com/c.xml", http.StatusFound)
		},
			"https://example.com/c.xml": page(good)},
	} {
		t.Run(name, func(t *testing.T) {
			got, w := find(t, zone{}, pages)
			if len(got.IMAP) != 1 || got.IMAP[0].Host != "imap.example.org" || got.IMAP[0].TLS != "starttls" || got.IMAP[0].User != UserLocalPart {
				t.Errorf("IMAP: got %+v", got.IMAP)
			}
			if len(got.SMTP) != 1 || got.SMTP[0].Host != "smtp.example.org" || got.SMTP[0].Port != 465 {
				t.Errorf("SMTP: got %+v", got.SMTP)
			}
			for _, at := range w.asked {
				if strings.Contains(at, "@") || strings.Contains(at, "emailaddress") {
					t.Errorf("an address was sent: %s", at)
				}
			}
		})
	}
}

// A hostile file gives nothing, and costs no more than its limit.
func TestHostileAutoconfig(t *testing.T) {
	imap := server("incomingServer", "imap", "imap.example.org", "993", "SSL")
	for name, text := range map[string]string{
		"entity bomb":     `<!DOCTYPE a [<!ENTITY b "bbbbbbbbbb"><!ENTITY c "&b;&b;&b;&b;">]>` + file(imap, ""),
		"external entity": `<!DOCTYPE a SYSTEM "file:///etc/passwd">` + file(imap, ""),
		"unknown entity":  file(strings.ReplaceAll(imap, "imap.example.org", "imap.&x;example.org"), ""),
		"too deep":        file(strings.Repeat("<a>", 20)+strings.Repeat("</a>", 20)+imap, ""),
		"too large":       file(imap, strings.Repeat("<!-- -->", maxFileOctets/8)),
		"not closed":      strings.TrimSuffix(file(imap, ""), "</clientConfig>"),
		"another charset": strings.Replace(file(imap, ""), "UTF-8", "UTF-7", 1),
		"another root":    strings.ReplaceAll(file(imap, ""), "clientConfig", "config"),
		"an address":      file(server("incomingServer", "imap", "192.0.2.1", "993", "SSL"), ""),
		"this machine":    file(server("incomingServer", "imap", "mail.localhost", "993", "SSL"), ""),
		"plain text":      file(server("incomingServer", "imap", "imap.example.org", "143", "plain"), ""),
		"port":            file(server("incomingServer", "imap", "imap.example.org", "99999", "SSL"), ""),
		"escape sequence": file(server("incomingServer", "imap", "imap.example.org\u009b2J", "993", "SSL"), ""),
		"line break":      file(server("incomingServer", "imap", "imap.example.org\nhost = &quot;x&quot;", "993", "SSL"), ""),
		"only pop":        file(server("incomingServer", "pop3", "pop.example.org", "995", "SSL"), ""),
		"nothing":         "",
	} {
		t.Run(name, func(t *testing.T) {
			if got, _ := find(t, zone{}, map[string]http.HandlerFunc{atHost: page(text)}); len(got.IMAP)+len(got.SMTP) != 0 {
				t.Errorf("got %+v, want nothing", got)
			}
		})
	}
}

func TestRedirectAwayFromTLS(t *testing.T) {
	_, w := find(t, zone{}, map[string]http.HandlerFunc{atHost: func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://example.org/c.xml", http.StatusFound)
	}})
	for _, at := range w.asked {
		if strings.HasPrefix(at, "http://") {
			t.Errorf("asked %s", at)
		}
	}
}

// Names that no public DNS has are not asked for.
func TestSpecialNames(t *testing.T) {
	for _, domain := range []string{"mail.test", "localhost", "printer.local", "a.invalid", "example", "intranet", "192.0.2.1", "-x.org", "a..org"} {
		w := &web{t: t}
		if got := (Finder{Resolver: refuse{t}, Transport: w}).Find(t.Context(), domain); got.Known || len(w.asked) > 0 {
			t.Errorf("%s: got %+v, asked %v", domain, got, w.asked)
		}
	}
}

type refuse struct{ t *testing.T }

func (r refuse) LookupSRV(_ context.Context, _, _, name string) (string, []*net.SRV, error) {
	r.t.Errorf("SRV of %s was asked for", name)
	return "", nil, errors.New("no")
}

func (r refuse) LookupMX(_ context.Context, name string) ([]*net.MX, error) {
	r.t.Errorf("MX of %s was asked for", name)
	return nil, errors.New("no")
}

// FuzzParse: whatever a file says, a suggestion is a valid host under TLS.
func FuzzParse(f *testing.F) {
	f.Add([]byte(file(server("incomingServer", "imap", "imap.example.org", "993", "SSL"), server("outgoingServer", "smtp", "a.b", "1", "STARTTLS"))))
	f.Add([]byte(`<!DOCTYPE a><clientConfig>`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := parse(data)
		if err != nil && len(r.IMAP)+len(r.SMTP) > 0 {
			t.Error("servers beside an error")
		}
		for _, s := range append(r.IMAP, r.SMTP...) {
			if !validHost(s.Host) || s.Port < 1 || s.Port > 65535 || s.TLS != "implicit" && s.TLS != "starttls" {
				t.Errorf("got %+v", s)
			}
		}
	})
}
