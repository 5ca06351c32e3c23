package oauth

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"golang.org/x/oauth2"
)

// Provider is where people sign in.
type Provider string

// The providers. Issuer is any that publishes metadata (RFC 8414 or OpenID Connect Discovery).
const (
	Google    Provider = "google"
	Microsoft Provider = "microsoft"
	Issuer    Provider = "issuer"
)

// Purpose is what a token is for.
type Purpose int

// The purposes.
const (
	Reading Purpose = iota // IMAP
	Sending                // SMTP submission
)

// Errors. What a person can do about each is in its text; none holds a token or a provider's words.
var (
	ErrConfig      = errors.New("oauth: the settings do not say where to sign in")
	ErrNotSignedIn = errors.New("oauth: nobody has signed in yet, or as somebody else, elsewhere or with another client; run the login command")
	ErrRevoked     = errors.New("oauth: the sign-in is no longer good (expired, revoked, or the password was changed); run the login command again")
	ErrClient      = errors.New("oauth: the provider does not accept this client; check client id, client secret and the redirect address registered for it")
	ErrDenied      = errors.New("oauth: the person or an administrator said no")
	ErrExpired     = errors.New("oauth: nobody finished signing in in time; start again")
	ErrScope       = errors.New("oauth: the sign-in does not allow mail; start again and leave the mail permission ticked")
	ErrNoRefresh   = errors.New("oauth: the provider gave no refresh token; add its offline scope (offline_access) to the scopes")
	ErrIssuer      = errors.New("oauth: the provider cannot be used now (network, server error, or not an OAuth 2.0 reply); try again later")
	ErrNoDevice    = errors.New("oauth: the provider has no device flow for mail; sign in on this machine, without --device")
	ErrKeep        = errors.New("oauth: the sign-in could not be kept")
)

// Config says who signs in where. The zero value of each optional field is safe.
type Config struct {
	Provider Provider
	// IssuerURL is for Provider Issuer. Tenant is for Microsoft; empty means common.
	IssuerURL, Tenant string
	ClientID          string
	// ClientSecret fetches the client secret; nil means that the client has none.
	ClientSecret func(context.Context) (string, error)
	// Scopes replace those of the provider and purpose. Required for Provider Issuer.
	Scopes  []string
	Purpose Purpose
	// User is the mailbox, which providers prefill.
	User string
	// Transport reaches the provider; nil means TLS as Go does it, with deadlines. For tests.
	Transport http.RoundTripper
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// requestTime is how long one request to a provider may take.
const requestTime = 20 * time.Second

func (c Config) now() time.Time {
	if c.Now == nil {
		return time.Now()
	}
	return c.Now()
}

// Identity is what a Grant for c is good for: provider, client and user in one line.
func (c Config) Identity() string {
	return strings.Join([]string{string(c.Provider), c.IssuerURL, c.tenant(), c.ClientID, strings.ToLower(c.User)}, "|")
}

func (c Config) tenant() string {
	if c.Provider == Microsoft && c.Tenant == "" {
		return "common"
	}
	return c.Tenant
}

// scopes are what is asked for.
func (c Config) scopes() []string {
	if len(c.Scopes) > 0 {
		return slices.Clone(c.Scopes)
	}
	switch {
	case c.Provider == Google: // one scope for both: https://developers.google.com/workspace/gmail/imap/xoauth2-protocol
		return []string{"https://mail.google.com/"}
	case c.Provider == Microsoft && c.Purpose == Sending:
		return []string{"https://outlook.office.com/SMTP.Send", "offline_access"}
	case c.Provider == Microsoft:
		return []string{"https://outlook.office.com/IMAP.AccessAsUser.All", "offline_access"}
	}
	return nil
}

// Check says what is missing. It asks nobody.
func (c Config) Check() error {
	switch {
	case c.ClientID == "", !slices.Contains([]Provider{Google, Microsoft, Issuer}, c.Provider):
		return ErrConfig
	case c.Provider == Issuer && (len(c.Scopes) == 0 || !secureURL(c.IssuerURL)):
		return ErrConfig
	case strings.Trim(c.tenant(), "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-") != "":
		return ErrConfig
	}
	return nil
}

// endpoints are where a provider is reached.
type endpoints struct {
	auth, token, device, revoke string
	issuer                      string // for RFC 9207; empty if it is not promised
	basic                       bool   // the client secret goes into a header field (RFC 6749 §2.3.1)
}

// endpoints are the preset ones, or those that the issuer publishes.
func (c Config) endpoints(ctx context.Context) (endpoints, error) {
	if err := c.Check(); err != nil {
		return endpoints{}, err
	}
	switch c.Provider {
	case Google:
		return endpoints{
			auth: "https://accounts.google.com/o/oauth2/v2/auth", token: "https://oauth2.googleapis.com/token",
			revoke: "https://oauth2.googleapis.com/revoke", issuer: "https://accounts.google.com",
		}, nil
	case Microsoft:
		base := "https://login.microsoftonline.com/" + c.tenant() + "/oauth2/v2.0/"
		return endpoints{auth: base + "authorize", token: base + "token", device: base + "devicecode"}, nil
	}
	return c.discover(ctx)
}

// client is the configuration of the library. ctx of the result carries the HTTP client.
func (c Config) client(ctx context.Context, e endpoints, redirect string) (context.Context, *oauth2.Config, error) {
	o := &oauth2.Config{
		ClientID: c.ClientID, RedirectURL: redirect, Scopes: c.scopes(),
		// The style is said: the library would find it out by trying, and spend a code or a refresh token that is good for one use.
		Endpoint: oauth2.Endpoint{AuthURL: e.auth, TokenURL: e.token, DeviceAuthURL: e.device, AuthStyle: oauth2.AuthStyleInParams},
	}
	if e.basic {
		o.Endpoint.AuthStyle = oauth2.AuthStyleInHeader
	}
	if c.ClientSecret != nil {
		secret, err := c.ClientSecret(ctx)
		if err != nil {
			return ctx, nil, err
		}
		o.ClientSecret = secret
	}
	return context.WithValue(ctx, oauth2.HTTPClient, c.http()), o, nil
}

// grant checks what a provider gave at the end of a sign-in.
func (c Config) grant(t *oauth2.Token) (Grant, error) {
	if t.RefreshToken == "" {
		return Grant{}, ErrNoRefresh
	}
	if !c.granted(t) {
		return Grant{}, ErrScope
	}
	return Grant{For: c.Identity(), RefreshToken: t.RefreshToken, SignedIn: c.now().UTC().Truncate(time.Second)}, nil
}

// granted reports whether a reply grants what was asked for. One that names no scopes grants them all (RFC 6749 §5.1).
func (c Config) granted(t *oauth2.Token) bool {
	text, _ := t.Extra("scope").(string)
	have := strings.Fields(strings.ToLower(text))
	if len(have) == 0 {
		return true
	}
	for _, want := range c.scopes() {
		if want = strings.ToLower(want); !slices.Contains([]string{"offline_access", "openid", "email", "profile"}, want) && !slices.Contains(have, want) {
			return false
		}
	}
	return true
}

// explain turns an error of the library into one of ours. Its own text quotes the reply.
func explain(ctx context.Context, err error) error {
	var refused *oauth2.RetrieveError
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case !errors.As(err, &refused):
		return ErrIssuer
	}
	switch refused.ErrorCode { // RFC 6749 §5.2, RFC 8628 §3.5
	case "invalid_grant":
		return ErrRevoked
	case "invalid_client", "unauthorized_client", "unsupported_grant_type", "invalid_request":
		return ErrClient
	case "invalid_scope":
		return ErrScope
	case "access_denied", "authorization_declined": // Quirk: the second is Microsoft's
		return ErrDenied
	case "expired_token", "bad_verification_code":
		return ErrExpired
	case "interaction_required", "consent_required": // Quirk: Microsoft, when a policy wants the person again
		return ErrRevoked
	}
	return ErrIssuer
}
