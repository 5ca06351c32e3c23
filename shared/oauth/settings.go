package oauth

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"mailgap/shared/config"
)

// Vars declares the settings of a sign-in for a program with prefix, such as "IMAP_".
func Vars(prefix string) []config.Var {
	v := func(name string, kind config.Kind, help string) config.Var {
		return config.Var{Name: prefix + name, Kind: kind, Scope: config.ScopeOwn, Help: help}
	}
	provider := v("OAUTH", config.KindEnum, "Sign in with OAuth 2.0 instead of a password; the login command does it once.")
	provider.Choices = []string{string(Google), string(Microsoft), string(Issuer)}
	client := v("OAUTH_CLIENT_SECRET", config.KindSecret, "Secret of the OAuth client, if it has one (Google's desktop clients do).")
	client.From = config.FromEnv | config.FromFile | config.FromCommand
	issuer := v("OAUTH_ISSUER", config.KindString, "Address of the provider, whose metadata (RFC 8414) is read; for "+prefix+"OAUTH=issuer.")
	issuer.Check = func(s string) error {
		if !secureURL(s) {
			return errors.New("write an address that begins with https://")
		}
		return nil
	}
	return []config.Var{
		provider,
		v("OAUTH_CLIENT_ID", config.KindString, "Id of the OAuth client that you registered with the provider."),
		client,
		v("OAUTH_TENANT", config.KindString, "Microsoft: directory that people sign in to; common by default."),
		issuer,
		v("OAUTH_SCOPES", config.KindList, "What is asked for, instead of the provider's mail scope; required for "+prefix+"OAUTH=issuer."),
		v("OAUTH_FILE", config.KindPath, "File that keeps the sign-in, instead of the key store."),
	}
}

// FromSettings returns the Config of a sign-in and where it is kept. ok is false if the settings choose none. Errors name a
// setting and never a value.
func FromSettings(prefix string, purpose Purpose, v config.Values) (c Config, k Keeper, ok bool, err error) {
	c = Config{
		Provider: Provider(v.String(prefix + "OAUTH")), IssuerURL: v.String(prefix + "OAUTH_ISSUER"), Tenant: v.String(prefix + "OAUTH_TENANT"),
		ClientID: v.String(prefix + "OAUTH_CLIENT_ID"), Scopes: v.List(prefix + "OAUTH_SCOPES"), Purpose: purpose, User: v.String(prefix + "USER"),
	}
	if c.Provider == "" {
		return c, nil, false, orphans(prefix, v)
	}
	if src := v.Secret(prefix + "OAUTH_CLIENT_SECRET"); src.IsSet() {
		c.ClientSecret = func(ctx context.Context) (string, error) {
			s, err := src.Get(ctx)
			return s.Reveal(), err
		}
	}
	if v.Secret(prefix + "OAUTH_TOKEN").IsSet() {
		return c, nil, false, errors.New(prefix + "OAUTH and " + prefix + "OAUTH_TOKEN contradict each other: leave one of them out")
	}
	if c.Provider == Issuer && (c.IssuerURL == "" || len(c.Scopes) == 0) {
		return c, nil, false, errors.New(prefix + "OAUTH: issuer needs " + prefix + "OAUTH_ISSUER and " + prefix + "OAUTH_SCOPES")
	}
	if c.Provider != Issuer && c.IssuerURL != "" {
		return c, nil, false, errors.New(prefix + "OAUTH_ISSUER: is for " + prefix + "OAUTH=issuer alone: leave it out")
	}
	if c.ClientID == "" {
		return c, nil, false, errors.New(prefix + "OAUTH_CLIENT_ID: required with " + prefix + "OAUTH: write the id of the client that you registered with the provider")
	}
	if err := c.Check(); err != nil {
		return c, nil, false, errors.New(prefix + "OAUTH_TENANT: write a domain, an id, common, organizations or consumers")
	}
	return c, keeper(prefix, v), true, nil
}

// orphans refuses settings of a sign-in that nothing reads.
func orphans(prefix string, v config.Values) error {
	for _, name := range []string{"OAUTH_CLIENT_ID", "OAUTH_ISSUER", "OAUTH_SCOPES", "OAUTH_TENANT", "OAUTH_FILE", "OAUTH_CLIENT_SECRET"} {
		if v.IsSet(prefix + name) {
			return errors.New(prefix + name + ": is of no use without " + prefix + "OAUTH: write google, microsoft or issuer there")
		}
	}
	return nil
}

// keeper is the file, or the entry of the key store, which is named by what the grant belongs to.
func keeper(prefix string, v config.Values) Keeper {
	if path := v.String(prefix + "OAUTH_FILE"); path != "" {
		return InFile(path)
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		dir = os.TempDir()
	}
	entry := "oauth " + strings.ToLower(v.String(prefix+"USER")+"@"+v.String(prefix+"HOST"))
	store := v.Store()
	if store == nil {
		store = noStore{}
	}
	return InStore(store, entry, filepath.Join(dir, "mailgap"))
}

// noStore is where there is no key store.
type noStore struct{}

var errNoStore = errors.New("oauth: there is no key store; name a file for the sign-in (OAUTH_FILE)")

func (noStore) Get(context.Context, string) (string, bool, error) { return "", false, errNoStore }
func (noStore) Set(context.Context, string, string) error         { return errNoStore }
func (noStore) Delete(context.Context, string) error              { return errNoStore }
