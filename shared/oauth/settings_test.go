package oauth

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"mailgap/shared/config"
)

func values(t *testing.T, store config.Store, env ...string) config.Values {
	t.Helper()
	spec := config.Spec{Prefix: "IMAP_", Vars: append(Vars("IMAP_"),
		config.Var{Name: "IMAP_HOST"}, config.Var{Name: "IMAP_USER"}, config.Var{Name: "IMAP_OAUTH_TOKEN", Kind: config.KindSecret})}
	all, _, err := config.LoadAll(spec, config.Options{Environ: env, Store: store})
	if err != nil {
		t.Fatal(err)
	}
	return all.Default()
}

func TestFromSettings(t *testing.T) {
	for _, c := range []struct {
		name string
		env  []string
		want string // scopes, or the error
	}{
		{"none", nil, "off"},
		{"google", []string{"IMAP_OAUTH=google", "IMAP_OAUTH_CLIENT_ID=x"}, "[https://mail.google.com/]"},
		{"microsoft", []string{"IMAP_OAUTH=microsoft", "IMAP_OAUTH_CLIENT_ID=x", "IMAP_OAUTH_TENANT=contoso.example"}, "[https://outlook.office.com/IMAP.AccessAsUser.All offline_access]"},
		{"issuer", []string{"IMAP_OAUTH=issuer", "IMAP_OAUTH_CLIENT_ID=x", "IMAP_OAUTH_ISSUER=https://id.example", "IMAP_OAUTH_SCOPES=mail, offline_access"}, "[mail offline_access]"},
		{"no client", []string{"IMAP_OAUTH=google"}, "IMAP_OAUTH_CLIENT_ID: required"},
		{"no issuer", []string{"IMAP_OAUTH=issuer", "IMAP_OAUTH_CLIENT_ID=x"}, "needs IMAP_OAUTH_ISSUER and IMAP_OAUTH_SCOPES"},
		{"issuer of another", []string{"IMAP_OAUTH=google", "IMAP_OAUTH_CLIENT_ID=x", "IMAP_OAUTH_ISSUER=https://id.example"}, "IMAP_OAUTH_ISSUER: is for IMAP_OAUTH=issuer alone"},
		{"tenant with a path", []string{"IMAP_OAUTH=microsoft", "IMAP_OAUTH_CLIENT_ID=x", "IMAP_OAUTH_TENANT=a/b"}, "IMAP_OAUTH_TENANT: write"},
		{"both ways", []string{"IMAP_OAUTH=google", "IMAP_OAUTH_CLIENT_ID=x", "IMAP_OAUTH_TOKEN_FILE=/x"}, "contradict each other"},
		{"left over", []string{"IMAP_OAUTH_CLIENT_ID=x"}, "IMAP_OAUTH_CLIENT_ID: is of no use without IMAP_OAUTH"},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg, _, ok, err := FromSettings("IMAP_", Reading, values(t, nil, c.env...))
			got := fmt.Sprint(cfg.scopes())
			if err != nil {
				got = err.Error()
			} else if !ok {
				got = "off"
			}
			if !strings.Contains(got, c.want) {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

// entries is a key store in memory.
type entries map[string]string

func (e entries) Get(_ context.Context, entry string) (string, bool, error) {
	s, ok := e[entry]
	return s, ok, nil
}
func (e entries) Set(_ context.Context, entry, secret string) error { e[entry] = secret; return nil }
func (e entries) Delete(_ context.Context, entry string) error      { delete(e, entry); return nil }

// A sign-in is kept under the user and the host that it is for, so that no other host is shown its token.
func TestKeptForUserAndHost(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	store := entries{}
	env := []string{"IMAP_OAUTH=google", "IMAP_OAUTH_CLIENT_ID=x", "IMAP_USER=Me@example.com", "IMAP_HOST=imap.example.com"}
	c, k, _, err := FromSettings("IMAP_", Reading, values(t, store, env...))
	if err != nil {
		t.Fatal(err)
	}
	if err := Keep(t.Context(), k, Grant{For: c.Identity(), RefreshToken: "r"}); err != nil {
		t.Fatal(err)
	}
	if _, ok := store["oauth me@example.com@imap.example.com"]; !ok || len(store) != 1 {
		t.Errorf("got %v", store)
	}
	if unlock, err := k.Lock(t.Context()); err != nil {
		t.Error(err)
	} else {
		unlock()
	}
	other, k, _, err := FromSettings("IMAP_", Reading, values(t, store, append(env, "IMAP_HOST=evil.example")...))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Kept(t.Context(), other, k); err == nil {
		t.Error("another host finds the sign-in")
	}
	if _, k, _, _ = FromSettings("IMAP_", Reading, values(t, nil, env...)); k.Save(t.Context(), "x") == nil {
		t.Error("without a key store something was kept")
	}
}
