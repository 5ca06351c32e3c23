package oauth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mailgap/shared/deptest"
)

func TestDeps(t *testing.T) {
	deptest.Check(t, []string{"golang.org/x/oauth2", "mailgap/shared/config"}, map[string]string{
		"mailgap/readmail": "shared packages import nothing of ours", "mailgap/sanitize": "shared packages import nothing of ours",
		"mailgap/sendmail": "shared packages import nothing of ours", "mailgap/confirm": "shared packages import nothing of ours",
		"mailgap/shared/keystore": "the key store comes as an interface", "mailgap/shared/mcpserve": "it knows no protocol of agents",
		"net/smtp": "it signs in and sends nothing", "testing": "for tests only",
	})
}

// memory keeps a grant, and can fail.
type memory struct {
	mu    sync.Mutex
	text  string
	saves int
	err   error
	lock  chan struct{}
}

// signedIn is a keeper with the grant that the issuer takes.
func signedIn(t *testing.T, i *issuer) *memory {
	t.Helper()
	m := &memory{lock: make(chan struct{}, 1)}
	if err := Keep(t.Context(), m, Grant{For: i.config().Identity(), RefreshToken: i.refresh}); err != nil {
		t.Fatal(err)
	}
	m.saves = 0
	return m
}

func (m *memory) Load(context.Context) (string, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.text, m.text != "", nil
}

func (m *memory) Save(_ context.Context, text string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.err == nil {
		m.text = text
		m.saves++
	}
	return m.err
}

func (m *memory) Delete(context.Context) error { return nil }

func (m *memory) Lock(context.Context) (func(), error) {
	m.lock <- struct{}{}
	return func() { <-m.lock }, nil
}

func (m *memory) kept(t *testing.T) string {
	t.Helper()
	var g Grant
	if err := json.Unmarshal([]byte(m.text), &g); err != nil {
		t.Fatal(err)
	}
	return g.RefreshToken
}

// A token is used until a minute before its end; the refresh token that comes with the next is kept before it is used.
func TestRefreshAndRotation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := newIssuer(t)
		i.rotate = true
		k := signedIn(t, i)
		s := NewSource(i.config(), k)
		var got []string
		for _, wait := range []time.Duration{0, 58 * time.Minute, 2 * time.Minute, time.Minute} {
			<-time.After(wait) // of the bubble: the clock is turned on
			token, err := s.Token(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, token+" "+k.kept(t))
		}
		want := []string{
			"access-sEcReT-1 refresh-sEcReT-1", "access-sEcReT-1 refresh-sEcReT-1",
			"access-sEcReT-2 refresh-sEcReT-2", "access-sEcReT-2 refresh-sEcReT-2",
		}
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	})
}

// Many calls at once, of two processes with one keeper, and a provider that takes no refresh token twice.
func TestRefreshAtTheSameTime(t *testing.T) {
	i := newIssuer(t)
	i.rotate = true
	k := signedIn(t, i)
	sources := []*Source{NewSource(i.config(), k), NewSource(i.config(), k)}
	var wg sync.WaitGroup
	for n := range 20 {
		wg.Go(func() {
			if _, err := sources[n%2].Token(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := strings.Count(i.asked(), "/token refresh_token"); n != 2 || k.kept(t) != i.refresh {
		t.Errorf("%d refreshes, want one for each process; kept %v", n, k.kept(t) == i.refresh)
	}
}

func TestRefreshFails(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*issuer, *memory)
		want   error
	}{
		{"revoked", func(i *issuer, _ *memory) { i.refresh = "another" }, ErrRevoked},
		{"a policy wants the person", func(i *issuer, _ *memory) { i.status, i.body = 400, `{"error":"interaction_required"}` }, ErrRevoked},
		{"the client is gone", func(i *issuer, _ *memory) { i.status, i.body = 401, `{"error":"invalid_client"}` }, ErrClient},
		{"server error", func(i *issuer, _ *memory) { i.status, i.body = 503, "words-of-the-provider sEcReT" }, ErrIssuer},
		{"a page instead of a token", func(i *issuer, _ *memory) { i.body = "<html>sEcReT" }, ErrIssuer},
		{"no access token", func(i *issuer, _ *memory) { i.body = `{"token_type":"Bearer"}` }, ErrIssuer},
		{"huge reply", func(i *issuer, _ *memory) {
			i.body = `{"access_token":"sEcReT","token_type":"Bearer"}` + strings.Repeat(" ", maxReplyOctets)
		}, ErrIssuer},
		{"redirect", func(i *issuer, _ *memory) { i.status, i.body = 307, "x" }, ErrIssuer},
		{"nobody signed in", func(_ *issuer, m *memory) { m.text = "" }, ErrNotSignedIn},
		{"damaged", func(_ *issuer, m *memory) { m.text = m.text[:20] }, ErrNotSignedIn},
		{"somebody else signed in", func(i *issuer, m *memory) { m.text = strings.Replace(m.text, "me@", "you@", 1) }, ErrNotSignedIn},
		{"metadata of another issuer", func(i *issuer, _ *memory) { i.meta = func(m map[string]any) { m["issuer"] = "https://other.example" } }, ErrConfig},
		{"an endpoint without TLS", func(i *issuer, _ *memory) {
			i.meta = func(m map[string]any) { m["token_endpoint"] = "http://issuer.example/token" }
		}, ErrConfig},
		{"no endpoint", func(i *issuer, _ *memory) { i.meta = func(m map[string]any) { delete(m, "token_endpoint") } }, ErrIssuer},
	} {
		t.Run(c.name, func(t *testing.T) {
			i := newIssuer(t)
			k := signedIn(t, i)
			c.change(i, k)
			token, err := NewSource(i.config(), k).Token(t.Context())
			noWords(t, err)
			if !errors.Is(err, c.want) || token != "" {
				t.Errorf("got %v, want %v", err, c.want)
			}
			if strings.Contains(i.asked(), "/elsewhere") {
				t.Error("a redirect was followed")
			}
			if k.saves != 0 {
				t.Error("what was kept has changed")
			}
		})
	}
}

// A new refresh token that cannot be kept is not lost: the access token is held back, and the next call keeps it.
func TestRotationThatCannotBeKept(t *testing.T) {
	i := newIssuer(t)
	i.rotate = true
	k := signedIn(t, i)
	s := NewSource(i.config(), k)
	k.err = errors.New("disk full")
	if _, err := s.Token(t.Context()); !errors.Is(err, ErrKeep) {
		t.Fatalf("got %v, want ErrKeep", err)
	}
	k.err = nil
	if _, err := s.Token(t.Context()); err != nil || k.kept(t) != i.refresh {
		t.Errorf("got %v", err)
	}
}

// A caller who gives up is not kept waiting by the refresh of another.
func TestTokenGivesUp(t *testing.T) {
	i := newIssuer(t)
	s := NewSource(i.config(), signedIn(t, i))
	<-s.turn // another call refreshes
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Token(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the error of the context", err)
	}
}

// OpenID Connect Discovery serves where RFC 8414 does not, and an issuer with a path has it in the middle.
func TestDiscovery(t *testing.T) {
	var asked []string
	c := Config{Provider: Issuer, IssuerURL: "https://id.example/realm", ClientID: "c", Scopes: []string{"mail"}, Transport: trip(func(r *http.Request) (*http.Response, error) {
		asked = append(asked, r.URL.String())
		i := &issuer{meta: func(m map[string]any) { m["issuer"] = "https://id.example/realm" }}
		if strings.HasSuffix(r.URL.Path, "openid-configuration") {
			r = r.Clone(r.Context())
			r.URL.Path = "/.well-known/oauth-authorization-server"
		}
		return i.RoundTrip(r)
	})}
	e, err := c.endpoints(t.Context())
	want := "[https://id.example/.well-known/oauth-authorization-server/realm https://id.example/realm/.well-known/openid-configuration]"
	if err != nil || fmt.Sprint(asked) != want || e.token != issuerURL+"/token" {
		t.Errorf("got %v, %v, %v", asked, e, err)
	}
}

type trip func(*http.Request) (*http.Response, error)

func (f trip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestSecureURL(t *testing.T) {
	for text, want := range map[string]bool{
		"https://a.example/x": true, "http://127.0.0.1:80/": true, "http://[::1]/": true, "http://a.example/": false, "http://localhost/": false,
		"https://u:p@a.example/": false, "ftp://a.example": false, "https:///x": false, "a.example": false, "https://a.example/#x": false, "http://127.0.0.1.example/": false,
	} {
		if got := secureURL(text); got != want {
			t.Errorf("%s: got %t, want %t", text, got, want)
		}
	}
}

// Reading and sending ask for different scopes where the provider has them.
func TestPresets(t *testing.T) {
	for _, c := range []struct {
		p       Provider
		purpose Purpose
		want    string
	}{
		{Google, Reading, "[https://mail.google.com/]"},
		{Google, Sending, "[https://mail.google.com/]"},
		{Microsoft, Reading, "[https://outlook.office.com/IMAP.AccessAsUser.All offline_access]"},
		{Microsoft, Sending, "[https://outlook.office.com/SMTP.Send offline_access]"},
	} {
		if got := fmt.Sprint(Config{Provider: c.p, Purpose: c.purpose}.scopes()); got != c.want {
			t.Errorf("%s %d: got %s, want %s", c.p, c.purpose, got, c.want)
		}
	}
	for _, tenant := range []string{"../evil", "a/b", "a?b", "a b"} {
		if err := (Config{Provider: Microsoft, ClientID: "x", Tenant: tenant}).Check(); !errors.Is(err, ErrConfig) {
			t.Errorf("tenant %q: got %v", tenant, err)
		}
	}
	e, err := Config{Provider: Microsoft, ClientID: "x"}.endpoints(t.Context())
	if err != nil || e.token != "https://login.microsoftonline.com/common/oauth2/v2.0/token" {
		t.Errorf("got %v, %v", e, err)
	}
}

func TestFileKeeper(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "sign-in.json")
	k := InFile(path)
	if _, ok, err := k.Load(t.Context()); ok || err != nil {
		t.Errorf("nothing kept: got %t, %v", ok, err)
	}
	for _, text := range []string{"one", "two"} {
		if err := k.Save(t.Context(), text); err != nil {
			t.Fatal(err)
		}
		got, ok, err := k.Load(t.Context())
		if got != text || !ok || err != nil {
			t.Errorf("got %q, %t, %v", got, ok, err)
		}
	}
	if files, _ := os.ReadDir(filepath.Dir(path)); len(files) != 1 {
		t.Errorf("%d files are left, want 1", len(files))
	}
	if runtime.GOOS != "windows" {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("mode: got %v, %v", info.Mode(), err)
		}
		if err := os.Chmod(path, 0o640); err != nil {
			t.Fatal(err)
		}
		if _, _, err := k.Load(t.Context()); !errors.Is(err, ErrLoose) {
			t.Errorf("a file that others may read: got %v", err)
		}
	}
	unlock, err := k.Lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := InFile(path).Lock(gone); !errors.Is(err, context.Canceled) {
		t.Errorf("a second lock: got %v", err)
	}
	unlock()
	if unlock, err = InFile(path).Lock(t.Context()); err != nil {
		t.Fatal(err)
	}
	unlock()
	for range 2 {
		if err := k.Delete(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

// A grant that is logged by mistake shows nothing.
func TestGrantIsNotLogged(t *testing.T) {
	g := Grant{RefreshToken: "sEcReT"}
	var out strings.Builder
	for _, h := range []slog.Handler{slog.NewTextHandler(&out, nil), slog.NewJSONHandler(&out, nil)} {
		slog.New(h).Info("x", "grant", g)
	}
	if got := out.String() + fmt.Sprintf("%v %+v %#v %s", g, g, g, g); strings.Contains(got, "sEcReT") {
		t.Errorf("got %s", got)
	}
}

func TestRevoke(t *testing.T) {
	i := newIssuer(t)
	if err := Revoke(t.Context(), i.config(), Grant{RefreshToken: "x"}); err != nil || !strings.HasSuffix(i.asked(), "/revoke") {
		t.Errorf("got %v, %s", err, i.asked())
	}
}
