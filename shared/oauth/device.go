package oauth

import (
	"context"
	"errors"
	"time"

	"golang.org/x/oauth2"
)

// signInTime bounds a sign-in, whatever the provider would allow.
const signInTime = 15 * time.Minute

// Prompt is what a person is shown in the device flow. Both come from the provider: show them without control characters.
type Prompt struct {
	URL, Code string
	Expires   time.Time
}

// SignInDevice signs a person in on any device (RFC 8628). show is called once; then it polls, as slowly as the provider
// says, until the person has decided. Errors: ErrNoDevice, ErrDenied, ErrExpired, ErrClient, ErrScope, ErrNoRefresh, ErrIssuer.
func SignInDevice(ctx context.Context, c Config, show func(Prompt)) (Grant, error) {
	if c.Provider == Google {
		return Grant{}, ErrNoDevice // its device flow gives no mail scope
	}
	e, err := c.endpoints(ctx)
	if err != nil {
		return Grant{}, err
	}
	if e.device == "" {
		return Grant{}, ErrNoDevice
	}
	within, cancel := context.WithTimeout(ctx, signInTime)
	defer cancel()
	within, o, err := c.client(within, e, "")
	if err != nil {
		return Grant{}, err
	}
	auth, err := o.DeviceAuth(within)
	if err != nil {
		return Grant{}, explain(ctx, err)
	}
	if !secureURL(auth.VerificationURI) || auth.UserCode == "" || auth.DeviceCode == "" {
		return Grant{}, ErrIssuer
	}
	show(Prompt{URL: auth.VerificationURI, Code: auth.UserCode, Expires: auth.Expiry})
	auth.Interval = min(max(auth.Interval, minPoll), maxPoll)
	token, err := o.DeviceAccessToken(within, auth) // it obeys authorization_pending and slow_down (RFC 8628 §3.5)
	if err != nil {
		return Grant{}, ended(ctx, within, auth, err)
	}
	return c.grant(token)
}

const (
	minPoll = 5  // seconds; RFC 8628 §3.2: the interval if the provider names none
	maxPoll = 60 // seconds
)

// ended says why there is no token: the provider's word, or the end of the time.
func ended(ctx, within context.Context, auth *oauth2.DeviceAuthResponse, err error) error {
	var refused *oauth2.RetrieveError
	late := within.Err() != nil || !auth.Expiry.IsZero() && !time.Now().Before(auth.Expiry)
	if ctx.Err() == nil && late && !errors.As(err, &refused) {
		return ErrExpired
	}
	return explain(ctx, err)
}
