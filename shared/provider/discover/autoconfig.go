package discover

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// Limits of an autoconfig file. Those of large providers have 2 kB and five levels.
const (
	maxFileOctets = 64 << 10
	maxDepth      = 12
	maxServers    = 8
	maxRedirects  = 3
)

// Errors of reading an autoconfig file.
var (
	errTooLarge  = errors.New("discover: the file is too large")
	errStructure = errors.New("discover: the file is not what it should be")
	errRedirect  = errors.New("discover: a redirect leads away from HTTPS")
)

// byFile asks the two places where a domain may have its file. Neither question carries an address.
func (f Finder) byFile(ctx context.Context, domain string) Result {
	for _, at := range []string{
		"https://autoconfig." + domain + "/mail/config-v1.1.xml",
		"https://" + domain + "/.well-known/autoconfig/mail/config-v1.1.xml",
	} {
		data, err := f.fetch(ctx, at)
		if err != nil {
			continue
		}
		r, err := parse(data)
		if err != nil || len(r.IMAP)+len(r.SMTP) == 0 {
			continue
		}
		for i := range r.IMAP {
			r.IMAP[i].Source = at
		}
		for i := range r.SMTP {
			r.SMTP[i].Source = at
		}
		return r
	}
	return Result{}
}

// fetch reads a file over HTTPS. No cookie, no credential, no compression beyond what is bounded after it.
func (f Finder) fetch(ctx context.Context, at string) ([]byte, error) {
	client := http.Client{Transport: f.transport(), CheckRedirect: func(r *http.Request, via []*http.Request) error {
		if r.URL.Scheme != "https" || len(via) > maxRedirects {
			return errRedirect
		}
		return nil
	}}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at, nil)
	if err != nil {
		return nil, err
	}
	resp, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, errStructure
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxFileOctets+1))
	if err == nil && len(data) > maxFileOctets {
		err = errTooLarge
	}
	return data, err
}

func (f Finder) transport() http.RoundTripper {
	if f.Transport != nil {
		return f.Transport
	}
	return &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, TLSHandshakeTimeout: patience, ResponseHeaderTimeout: patience, MaxResponseHeaderBytes: maxFileOctets, DisableKeepAlives: true}
}

// parser reads the few elements that count: incomingServer and outgoingServer with hostname, port, socketType and username.
type parser struct {
	result Result
	path   []string
	kind   string            // imap or smtp while inside of such a server
	fields map[string]string // of that server
}

// parse reads a file. What is unknown is passed over; what is not well-formed, declares a document type or nests deeply ends it.
func parse(data []byte) (Result, error) {
	d := xml.NewDecoder(bytes.NewReader(data))
	d.CharsetReader = func(string, io.Reader) (io.Reader, error) { return nil, errStructure } // UTF-8 alone
	var p parser
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) && len(p.path) == 0 {
			return p.result, nil
		}
		if err != nil {
			return Result{}, errStructure
		}
		switch t := token.(type) {
		case xml.Directive:
			return Result{}, errStructure // a document type; entities are declared there
		case xml.StartElement:
			if err := p.open(t); err != nil {
				return Result{}, err
			}
		case xml.CharData:
			p.text(string(t))
		case xml.EndElement:
			p.close()
		}
	}
}

func (p *parser) open(t xml.StartElement) error {
	p.path = append(p.path, t.Name.Local)
	if len(p.path) > maxDepth || p.path[0] != "clientConfig" {
		return errStructure
	}
	kind := ""
	for _, a := range t.Attr {
		if a.Name.Local == "type" {
			kind = a.Value
		}
	}
	switch name := t.Name.Local; {
	case len(p.path) != 3:
	case name == "incomingServer" && kind == "imap", name == "outgoingServer" && kind == "smtp":
		p.kind, p.fields = kind, map[string]string{}
	}
	return nil
}

func (p *parser) text(s string) {
	if p.kind != "" && len(p.path) == 4 {
		p.fields[p.path[3]] += s
	}
}

func (p *parser) close() {
	if p.kind != "" && len(p.path) == 3 {
		p.server()
		p.kind = ""
	}
	p.path = p.path[:len(p.path)-1]
}

// server takes a server that is complete and has TLS.
func (p *parser) server() {
	field := func(name string) string { return strings.TrimSpace(p.fields[name]) }
	tls, ok := map[string]string{"SSL": "implicit", "STARTTLS": "starttls"}[field("socketType")]
	port, err := strconv.Atoi(field("port"))
	s, valid := suggestion(field("hostname"), port, tls)
	if !ok || err != nil || !valid {
		return
	}
	if field("username") == "%EMAILLOCALPART%" {
		s.User = UserLocalPart
	}
	switch {
	case p.kind == "imap" && len(p.result.IMAP) < maxServers:
		p.result.IMAP = append(p.result.IMAP, s)
	case p.kind == "smtp" && len(p.result.SMTP) < maxServers:
		p.result.SMTP = append(p.result.SMTP, s)
	}
}
