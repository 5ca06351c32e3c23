package oauth

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// Whatever a page in the person's browser sends: without the state it redeems and ends nothing, and no answer repeats it.
func FuzzBrowser(f *testing.F) {
	for _, seed := range []string{"code=c&state=the-state", "state=x&code=c", "code=c&state=the-state&state=the-state", "error=access_denied&state=", "%zz", "code=c;state=the-state", "iss=https://x&state=the-state&code=c"} {
		f.Add("GET", "/", seed, "127.0.0.1:1")
	}
	f.Fuzz(func(t *testing.T, method, path, query, host string) {
		b := &browser{host: "127.0.0.1:1", state: "the-state", issuer: "https://issuer.example", code: make(chan string, 1), failed: make(chan error, 1)}
		r := &http.Request{Method: method, Host: host, URL: &url.URL{Path: path, RawQuery: query}, Header: http.Header{}, Body: http.NoBody}
		w := httptest.NewRecorder()
		b.ServeHTTP(w, r)
		q, _ := url.ParseQuery(query)
		mine := method == http.MethodGet && path == "/" && host == b.host && len(q["state"]) == 1 && q.Get("state") == b.state
		if (len(b.code) > 0 || len(b.failed) > 0) && !mine {
			t.Errorf("%s %s?%s of %s ended the sign-in", method, path, query, host)
		}
		if code := q.Get("code"); len(code) > 20 && strings.Contains(w.Body.String(), code) {
			t.Error("the page repeats the request")
		}
	})
}

// Whatever an issuer publishes: what is used of it is a secure address.
func FuzzMetadata(f *testing.F) {
	for _, seed := range []string{`{"issuer":"https://issuer.example","token_endpoint":"https://a.example/"}`, `{"issuer":"https://issuer.example","token_endpoint":"http://a.example/"}`, `{"token_endpoint":1}`, `[]`, ``} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		c := Config{Provider: Issuer, IssuerURL: issuerURL, ClientID: "c", Scopes: []string{"mail"}, Transport: trip(func(r *http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(string(body))), Request: r}, nil
		})}
		e, err := c.endpoints(t.Context())
		if err == nil && (!secureURL(e.token) || e.auth != "" && !secureURL(e.auth) || e.device != "" && !secureURL(e.device) || e.revoke != "" && !secureURL(e.revoke)) {
			t.Errorf("%q: got %+v", body, e)
		}
	})
}

// Whatever is kept: it is a grant for this config, or nobody has signed in.
func FuzzKept(f *testing.F) {
	c := Config{Provider: Google, ClientID: "c", User: "u"}
	good, _ := json.Marshal(Grant{For: c.Identity(), RefreshToken: "sEcReT"})
	f.Add(string(good))
	f.Add(`{"for":"x"}`)
	f.Fuzz(func(t *testing.T, text string) {
		g, err := Kept(t.Context(), c, &memory{text: text})
		if err == nil && (g.For != c.Identity() || g.RefreshToken == "") {
			t.Errorf("%q: got a grant for %q", text, g.For)
		}
	})
}
