package oauth

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const (
	maxReplyOctets  = 64 << 10         // Limit: metadata of large issuers has 5 kB, tokens 4 kB
	maxHeaderOctets = 32 << 10         // of a reply
	dialTime        = 10 * time.Second // to reach a provider
)

var errTooLarge = errors.New("oauth: a reply is too large")

// http is the client for requests to the provider: bounded, without redirects, without cookies.
//
// Security: a redirect could carry a refresh token to another host.
func (c Config) http() *http.Client {
	next := c.Transport
	if next == nil {
		next = &http.Transport{
			Proxy: http.ProxyFromEnvironment, DialContext: (&net.Dialer{Timeout: dialTime}).DialContext, TLSHandshakeTimeout: dialTime,
			ResponseHeaderTimeout: requestTime, MaxResponseHeaderBytes: maxHeaderOctets, ForceAttemptHTTP2: true, DisableKeepAlives: true,
		}
	}
	return &http.Client{
		Transport:     bounded{next},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// bounded refuses requests to insecure places, and replies that are large or late. It reads a reply to its end: the
// library that asks leaves some open.
type bounded struct{ next http.RoundTripper }

func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	if !secureURL(r.URL.String()) {
		return nil, ErrConfig
	}
	ctx, cancel := context.WithTimeout(r.Context(), requestTime)
	defer cancel()
	reply, err := b.next.RoundTrip(r.WithContext(ctx))
	if err != nil {
		return nil, err
	}
	defer reply.Body.Close()
	body, err := io.ReadAll(io.LimitReader(reply.Body, maxReplyOctets+1))
	if err != nil {
		return nil, err
	}
	if len(body) > maxReplyOctets {
		return nil, errTooLarge
	}
	reply.Body = io.NopCloser(bytes.NewReader(body))
	return reply, nil
}

// secureURL reports whether a URL is for a request with a secret: TLS, or this machine; no user, no fragment.
func secureURL(text string) bool {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.User != nil || u.Fragment != "" {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Scheme == "https" || u.Scheme == "http" && ip != nil && ip.IsLoopback()
}

// metadata is the part of an issuer's metadata (RFC 8414 §2) that is used.
type metadata struct {
	Issuer      string   `json:"issuer"`
	Auth        string   `json:"authorization_endpoint"`
	Token       string   `json:"token_endpoint"`
	Device      string   `json:"device_authorization_endpoint"`
	Revoke      string   `json:"revocation_endpoint"`
	AuthMethods []string `json:"token_endpoint_auth_methods_supported"`
	IssInReply  bool     `json:"authorization_response_iss_parameter_supported"`
}

// discover reads the metadata of the issuer, by RFC 8414 §3.1 and, where there is none, by OpenID Connect Discovery.
func (c Config) discover(ctx context.Context) (endpoints, error) {
	u, err := url.Parse(c.IssuerURL)
	if err != nil {
		return endpoints{}, ErrConfig
	}
	path := strings.TrimSuffix(u.EscapedPath(), "/")
	base := u.Scheme + "://" + u.Host
	var m metadata
	for _, at := range []string{base + "/.well-known/oauth-authorization-server" + path, base + path + "/.well-known/openid-configuration"} {
		if m, err = c.fetchMetadata(ctx, at); err == nil {
			break
		}
	}
	if err != nil {
		return endpoints{}, err
	}
	// Security: RFC 8414 §3.3, or a host that serves several issuers could hand out the endpoints of another.
	if m.Issuer != c.IssuerURL {
		return endpoints{}, ErrConfig
	}
	for _, e := range []string{m.Auth, m.Token, m.Device, m.Revoke} {
		if e != "" && !secureURL(e) {
			return endpoints{}, ErrConfig
		}
	}
	if m.Token == "" {
		return endpoints{}, ErrIssuer
	}
	e := endpoints{auth: m.Auth, token: m.Token, device: m.Device, revoke: m.Revoke, basic: c.ClientSecret != nil && basicOnly(m.AuthMethods)}
	if m.IssInReply {
		e.issuer = m.Issuer
	}
	return e, nil
}

// basicOnly: without a list the method is client_secret_basic (RFC 8414 §2).
func basicOnly(methods []string) bool {
	for _, m := range methods {
		if m == "client_secret_post" {
			return false
		}
	}
	return true
}

func (c Config) fetchMetadata(ctx context.Context, at string) (metadata, error) {
	var m metadata
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, at, nil)
	if err != nil {
		return m, ErrConfig
	}
	reply, err := c.http().Do(r)
	if err != nil {
		return m, failed(ctx)
	}
	defer reply.Body.Close()
	if reply.StatusCode != http.StatusOK || json.NewDecoder(reply.Body).Decode(&m) != nil {
		return m, failed(ctx)
	}
	return m, nil
}

// failed is ErrIssuer, unless the caller gave up.
func failed(ctx context.Context) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return ErrIssuer
}

// Revoke tells the provider that the sign-in is over (RFC 7009), where it has a place for that. The grant is of no use
// afterwards, whether or not it worked.
func Revoke(ctx context.Context, c Config, g Grant) error {
	e, err := c.endpoints(ctx)
	if err != nil || e.revoke == "" {
		return err
	}
	form := url.Values{"token": {g.RefreshToken}, "token_type_hint": {"refresh_token"}, "client_id": {c.ClientID}}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, e.revoke, strings.NewReader(form.Encode()))
	if err != nil {
		return ErrConfig
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	reply, err := c.http().Do(r)
	if err != nil {
		return failed(ctx)
	}
	defer reply.Body.Close()
	if reply.StatusCode != http.StatusOK {
		return ErrIssuer
	}
	return nil
}
