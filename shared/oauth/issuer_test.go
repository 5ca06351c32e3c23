package oauth

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	issuerURL = "https://issuer.example"
	mailScope = "mail"
)

// issuer is a provider in memory: it is reached through RoundTrip, which needs no network and so works on a fake clock.
type issuer struct {
	t *testing.T

	mu        sync.Mutex
	requests  []string // path, and grant type of token requests
	device    []string // error codes of the next polls; "" gives tokens
	polls     []time.Time
	challenge string // of the authorization request
	code      string // the one that is good, once
	refresh   string // the one that is good
	rotate    bool   // each refresh gives another
	n         int
	scope     string // of replies; "" leaves it out
	noRefresh bool
	status    int    // of token replies, if not 0
	body      string // of token replies, if not ""
	meta      func(map[string]any)
}

func newIssuer(t *testing.T) *issuer {
	t.Helper()
	return &issuer{t: t, refresh: "refresh-sEcReT-0"}
}

// config is a client of the issuer.
func (i *issuer) config() Config {
	return Config{Provider: Issuer, IssuerURL: issuerURL, ClientID: "client", Scopes: []string{mailScope, "offline_access"}, User: "me@example.com", Transport: i}
}

// RoundTrip implements http.RoundTripper.
func (i *issuer) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	if r.Body == nil {
		r.Body = http.NoBody
	}
	w := httptest.NewRecorder()
	i.ServeHTTP(w, r)
	reply := w.Result()
	reply.Request = r
	return reply, nil
}

func (i *issuer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	i.mu.Lock()
	defer i.mu.Unlock()
	_ = r.ParseForm()
	i.requests = append(i.requests, strings.TrimSpace(r.URL.Path+" "+r.PostForm.Get("grant_type")))
	switch r.URL.Path {
	case "/.well-known/oauth-authorization-server":
		m := map[string]any{"issuer": issuerURL, "authorization_endpoint": issuerURL + "/authorize", "token_endpoint": issuerURL + "/token",
			"device_authorization_endpoint": issuerURL + "/device", "revocation_endpoint": issuerURL + "/revoke", "authorization_response_iss_parameter_supported": true}
		if i.meta != nil {
			i.meta(m)
		}
		write(w, http.StatusOK, m)
	case "/device":
		write(w, http.StatusOK, map[string]any{"device_code": "device-sEcReT", "user_code": "ABCD-EFGH", "verification_uri": issuerURL + "/activate", "expires_in": 600, "interval": 5})
	case "/token":
		i.token(w, r)
	case "/revoke":
		w.WriteHeader(http.StatusOK)
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

// token answers token requests. Everything that a provider checks is checked.
func (i *issuer) token(w http.ResponseWriter, r *http.Request) {
	f := r.PostForm
	if i.status != 0 || i.body != "" {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(max(i.status, http.StatusOK))
		_, _ = io.WriteString(w, i.body)
		return
	}
	if f.Get("client_id") != "client" {
		refuse(w, "invalid_client")
		return
	}
	switch f.Get("grant_type") {
	case "urn:ietf:params:oauth:grant-type:device_code":
		i.polls = append(i.polls, time.Now())
		if len(i.device) == 0 {
			i.device = []string{""}
		}
		next := i.device[0]
		i.device = i.device[1:]
		if next != "" {
			refuse(w, next)
			return
		}
	case "authorization_code":
		sum := sha256.Sum256([]byte(f.Get("code_verifier")))
		if i.code == "" || f.Get("code") != i.code || base64.RawURLEncoding.EncodeToString(sum[:]) != i.challenge {
			refuse(w, "invalid_grant")
			return
		}
		i.code = ""
	case "refresh_token":
		if f.Get("refresh_token") != i.refresh {
			refuse(w, "invalid_grant")
			return
		}
	default:
		refuse(w, "unsupported_grant_type")
		return
	}
	i.n++
	reply := map[string]any{"access_token": fmt.Sprintf("access-sEcReT-%d", i.n), "token_type": "Bearer", "expires_in": 3600}
	if f.Get("grant_type") != "refresh_token" || i.rotate {
		i.refresh = fmt.Sprintf("refresh-sEcReT-%d", i.n)
		reply["refresh_token"] = i.refresh
	}
	if i.noRefresh {
		delete(reply, "refresh_token")
	}
	if i.scope != "" {
		reply["scope"] = i.scope
	}
	write(w, http.StatusOK, reply)
}

func refuse(w http.ResponseWriter, code string) {
	write(w, http.StatusBadRequest, map[string]any{"error": code, "error_description": "words-of-the-provider sEcReT"})
}

func write(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

func (i *issuer) asked() string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return strings.Join(i.requests, "|")
}

// authorize is what the provider does when the person agrees: it remembers the challenge and makes a code. It returns the address
// that the browser is sent to.
func (i *issuer) authorize(address string) *url.URL {
	i.mu.Lock()
	defer i.mu.Unlock()
	u, err := url.Parse(address)
	if err != nil {
		i.t.Fatal(err)
	}
	q := u.Query()
	if !strings.HasPrefix(address, issuerURL+"/authorize?") || q.Get("code_challenge_method") != "S256" || q.Get("response_type") != "code" || q.Get("client_id") != "client" {
		i.t.Errorf("the authorization request is %s", address)
	}
	i.challenge, i.code = q.Get("code_challenge"), "code-sEcReT"
	back, err := url.Parse(q.Get("redirect_uri"))
	if err != nil {
		i.t.Fatal(err)
	}
	back.RawQuery = url.Values{"code": {i.code}, "state": {q.Get("state")}, "iss": {issuerURL}}.Encode()
	return back
}

// noWords fails if an error holds a token or what the provider wrote.
func noWords(t *testing.T, err error) {
	t.Helper()
	if err != nil && (strings.Contains(err.Error(), "sEcReT") || strings.Contains(err.Error(), "words-of")) {
		t.Errorf("the error quotes the provider: %v", err)
	}
}
