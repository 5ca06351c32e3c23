package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"mailgap/shared/config"
	"mailgap/shared/oauth"
)

// Login keeps the credentials of one account or identity, and takes them away again.
type Login struct {
	Program string // such as imap-mcp, for hints
	Prefix  string // of its settings, such as IMAP_
	Purpose oauth.Purpose
	Values  config.Values
	// Device signs in on another device instead of in a browser on this machine.
	Device bool
	// ReadSecret asks on the terminal without echo. See Terminal.
	ReadSecret func(ctx context.Context, prompt string) (string, error)
	// Out is the terminal.
	Out io.Writer
	// Transport is that of oauth.Config; nil outside of tests.
	Transport http.RoundTripper
}

// Errors of Login, beside those of packages config, keystore and oauth.
var (
	ErrWhose    = errors.New("the user and the server are not set; a password is kept for both")
	ErrNoStore  = errors.New("there is no key store to keep it in")
	ErrNoSecret = errors.New("nothing was typed; nothing is kept")
)

// In signs in if the settings name a provider; else it asks for the password and keeps it in the key store. Nothing is
// printed that is secret but the address for the browser, which is for the person at this terminal.
func (l Login) In(ctx context.Context) error {
	c, keeper, ok, err := l.signIn()
	if err != nil {
		return err
	}
	if !ok {
		return l.keepPassword(ctx)
	}
	if l.missing() {
		return ErrWhose
	}
	var g oauth.Grant
	if l.Device {
		g, err = oauth.SignInDevice(ctx, c, l.showPrompt)
	} else {
		g, err = oauth.SignInCode(ctx, c, l.showAddress)
	}
	if err != nil {
		return err
	}
	if err := oauth.Keep(ctx, keeper, g); err != nil {
		return err
	}
	fmt.Fprintf(l.Out, "Signed in. %s check tests it.\n", l.Program)
	if c.Provider == oauth.Google {
		fmt.Fprintln(l.Out, "Google has one permission for reading and sending mail: what is kept would allow both. This program does its half only.")
	}
	return nil
}

// signIn is the OAuth part of the settings.
func (l Login) signIn() (oauth.Config, oauth.Keeper, bool, error) {
	c, keeper, ok, err := oauth.FromSettings(l.Prefix, l.Purpose, l.Values)
	c.Transport = l.Transport
	return c, keeper, ok, err
}

func (l Login) missing() bool {
	return l.Values.String(l.Prefix+"USER") == "" || l.Values.String(l.Prefix+"HOST") == ""
}

func (l Login) showAddress(address string) {
	fmt.Fprintf(l.Out, "Open this address in a browser on this machine, and sign in as %s:\n\n%s\n\nWaiting for the browser; Ctrl-C gives up.\n",
		visible(l.Values.String(l.Prefix+"USER")), visible(address))
}

func (l Login) showPrompt(p oauth.Prompt) {
	fmt.Fprintf(l.Out, "Open %s on any device, sign in as %s, and type this code:\n\n    %s\n\n", visible(p.URL), visible(l.Values.String(l.Prefix+"USER")), visible(p.Code))
	if !p.Expires.IsZero() {
		fmt.Fprintf(l.Out, "The code is good until %s. Waiting; Ctrl-C gives up.\n", p.Expires.Format(time.TimeOnly))
	}
}

func (l Login) keepPassword(ctx context.Context) error {
	src, store := l.Values.Secret(l.Prefix+"PASSWORD"), l.Values.Store()
	switch {
	case store == nil:
		return ErrNoStore
	case l.missing():
		return ErrWhose
	}
	if _, _, err := store.Get(ctx, src.Entry()); err != nil {
		return err // before anybody types for nothing
	}
	secret, err := l.ReadSecret(ctx, fmt.Sprintf("Password (or app password) of %s at %s: ", visible(l.Values.String(l.Prefix+"USER")), visible(l.Values.String(l.Prefix+"HOST"))))
	if err != nil {
		return err
	}
	if secret == "" {
		return ErrNoSecret
	}
	if err := store.Set(ctx, src.Entry(), secret); err != nil {
		return err
	}
	fmt.Fprintf(l.Out, "Kept in the key store. %s check tests it.\n", l.Program)
	if src.IsSet() {
		fmt.Fprintf(l.Out, "%s is set and counts before it: take it out of the settings.\n", src.Name())
	}
	return nil
}

// Forget takes password and sign-in out of the key store or file, and tells the provider that the sign-in is over.
func (l Login) Forget(ctx context.Context) error {
	if l.missing() {
		return ErrWhose
	}
	c, keeper, ok, err := l.signIn()
	if err != nil {
		return err
	}
	if ok {
		err = l.forgetSignIn(ctx, c, keeper)
	}
	if store := l.Values.Store(); store != nil && err == nil {
		err = store.Delete(ctx, l.Values.Secret(l.Prefix+"PASSWORD").Entry())
	}
	if err == nil {
		fmt.Fprintln(l.Out, "Nothing is kept for this user and server any more.")
	}
	return err
}

// forgetSignIn revokes as far as the provider lets it: what counts is that it is no longer kept.
func (l Login) forgetSignIn(ctx context.Context, c oauth.Config, k oauth.Keeper) error {
	g, err := oauth.Kept(ctx, c, k)
	if err == nil && oauth.Revoke(ctx, c, g) != nil {
		fmt.Fprintln(l.Out, "The provider could not be told; end the sign-in in the security settings of the account too.")
	}
	return k.Delete(ctx)
}

// visible replaces what a terminal would act on.
func visible(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 || r >= 0x200b && r <= 0x200f || r >= 0x2028 && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
			return '\uFFFD'
		}
		return r
	}, s)
}
