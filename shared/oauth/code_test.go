package oauth

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// visit is a browser that opens an address.
func visit(t *testing.T, u *url.URL, host string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, u.String(), nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Host = host
	reply, err := (&http.Client{Timeout: browserTime, Transport: &http.Transport{DisableKeepAlives: true}}).Do(r)
	if err != nil {
		return 0, err.Error()
	}
	defer reply.Body.Close()
	body, err := io.ReadAll(reply.Body)
	if err != nil {
		t.Fatal(err)
	}
	if csp := reply.Header.Get("Content-Security-Policy"); !strings.HasPrefix(csp, "default-src 'none'") {
		t.Errorf("the page has the policy %q", csp)
	}
	return reply.StatusCode, string(body)
}

// signIn runs the flow and calls drive with the address that was shown.
func signIn(t *testing.T, i *issuer, drive func(address string, cancel func())) (Grant, error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan struct{})
	g, err := SignInCode(ctx, i.config(), func(address string) {
		go func() {
			defer close(done)
			drive(address, cancel)
		}()
	})
	<-done
	noWords(t, err)
	return g, err
}

func TestCode(t *testing.T) {
	i := newIssuer(t)
	g, err := signIn(t, i, func(address string, _ func()) {
		u, _ := url.Parse(address)
		if q := u.Query(); q.Get("scope") != "mail offline_access" || q.Get("login_hint") != "me@example.com" || len(q.Get("state")) != 43 || !strings.HasPrefix(q.Get("redirect_uri"), "http://127.0.0.1:") {
			t.Errorf("the request is %s", address)
		}
		if status, body := visit(t, i.authorize(address), ""); status != http.StatusOK || strings.Contains(body, "sEcReT") {
			t.Errorf("got %d %s", status, body)
		}
	})
	if err != nil || g.RefreshToken != "refresh-sEcReT-1" || g.For != i.config().Identity() {
		t.Fatalf("got %v", err)
	}
	if got, want := i.asked(), "/.well-known/oauth-authorization-server|/token authorization_code"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// What a page in the person's browser can send ends nothing and redeems nothing; the real answer still works afterwards.
func TestCodeForeignAnswers(t *testing.T) {
	i := newIssuer(t)
	_, err := signIn(t, i, func(address string, _ func()) {
		real := i.authorize(address)
		change := func(f func(*url.URL, url.Values)) *url.URL {
			u := *real
			q := u.Query()
			f(&u, q)
			u.RawQuery = q.Encode()
			return &u
		}
		for _, c := range []struct {
			name string
			u    *url.URL
			host string
			want int
		}{
			{"another state", change(func(_ *url.URL, q url.Values) { q.Set("state", strings.Repeat("A", 43)) }), "", http.StatusBadRequest},
			{"no state", change(func(_ *url.URL, q url.Values) { q.Del("state") }), "", http.StatusBadRequest},
			{"two states", change(func(_ *url.URL, q url.Values) { q.Add("state", "x") }), "", http.StatusBadRequest},
			{"a refusal with another state", change(func(_ *url.URL, q url.Values) { q.Set("error", "access_denied"); q.Set("state", "x") }), "", http.StatusBadRequest},
			{"another issuer", change(func(_ *url.URL, q url.Values) { q.Set("iss", "https://other.example") }), "", http.StatusBadRequest},
			{"two codes", change(func(_ *url.URL, q url.Values) { q.Add("code", "x") }), "", http.StatusBadRequest},
			{"another path", change(func(u *url.URL, _ url.Values) { u.Path = "/callback" }), "", http.StatusNotFound},
			{"another host", real, "rebound.example:80", http.StatusMisdirectedRequest},
			{"localhost", real, "localhost:" + real.Port(), http.StatusMisdirectedRequest},
			{"the real one", real, "", http.StatusOK},
		} {
			if got, _ := visit(t, c.u, c.host); got != c.want {
				t.Errorf("%s: got %d, want %d", c.name, got, c.want)
			}
		}
	})
	if err != nil {
		t.Errorf("got %v after all", err)
	}
	if n := strings.Count(i.asked(), "/token"); n != 1 {
		t.Errorf("%d codes were redeemed, want 1", n)
	}
}

// An answer is taken once. The listener is called directly: after the first the real one is closed.
func TestCodeReplay(t *testing.T) {
	b, err := listen("127.0.0.1", "the-state", "")
	if err != nil {
		t.Fatal(err)
	}
	defer b.close()
	u, err := url.Parse(b.redirect + "?code=one&state=the-state")
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := visit(t, u, ""); got != http.StatusOK {
		t.Errorf("got %d", got)
	}
	u.RawQuery = "code=two&state=the-state"
	if got, _ := visit(t, u, ""); got != http.StatusGone || <-b.code != "one" || len(b.code) != 0 {
		t.Errorf("a second answer: got %d", got)
	}
}

func TestCodeRefusals(t *testing.T) {
	for _, c := range []struct {
		name  string
		drive func(t *testing.T, i *issuer, address string, cancel func())
		want  error
	}{
		{"denied", func(t *testing.T, i *issuer, a string, _ func()) {
			u := i.authorize(a)
			q := u.Query()
			q.Del("code")
			q.Set("error", "access_denied")
			q.Set("error_description", "words-of-the-provider")
			u.RawQuery = q.Encode()
			if _, body := visit(t, u, ""); strings.Contains(body, "words-of") {
				t.Errorf("the page quotes the request: %s", body)
			}
		}, ErrDenied},
		{"no code", func(t *testing.T, i *issuer, a string, _ func()) {
			u := i.authorize(a)
			q := u.Query()
			q.Del("code")
			u.RawQuery = q.Encode()
			visit(t, u, "")
		}, ErrIssuer},
		{"a code of somebody else", func(t *testing.T, i *issuer, a string, _ func()) {
			u := i.authorize(a)
			i.mu.Lock()
			i.challenge = "another" // it was made for another verifier
			i.mu.Unlock()
			visit(t, u, "")
		}, ErrRevoked},
		{"nobody comes", func(_ *testing.T, _ *issuer, _ string, cancel func()) { cancel() }, context.Canceled},
	} {
		t.Run(c.name, func(t *testing.T) {
			i := newIssuer(t)
			if _, err := signIn(t, i, func(a string, cancel func()) { c.drive(t, i, a, cancel) }); !errors.Is(err, c.want) {
				t.Errorf("got %v, want %v", err, c.want)
			}
		})
	}
}

// Microsoft compares the redirect with http://localhost, whatever the port.
func TestRedirectNames(t *testing.T) {
	for p, want := range map[Provider]string{Google: "127.0.0.1", Microsoft: "localhost", Issuer: "127.0.0.1"} {
		if got := (Config{Provider: p}).redirectName(); got != want {
			t.Errorf("%s: got %s, want %s", p, got, want)
		}
	}
}
