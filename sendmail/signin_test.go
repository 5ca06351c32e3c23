package sendmail

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"mailgap/sendmail/smtptest"
	"mailgap/shared/config"
	"mailgap/shared/oauth"
)

// A sign-in that is kept in a file logs in at the mail server, by both mechanisms; without one the person is told to sign in, and
// the mail server is not asked.
func TestSignIn(t *testing.T) {
	for _, mechanism := range []string{"XOAUTH2", "OAUTHBEARER"} {
		t.Run(mechanism, func(t *testing.T) {
			srv := smtptest.New(t, smtptest.Options{Mechanisms: []string{mechanism}})
			var issuer *httptest.Server
			issuer = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				if r.URL.Path == "/token" && r.PostFormValue("refresh_token") != "the-refresh-token" {
					w.WriteHeader(http.StatusBadRequest)
				}
				_ = json.NewEncoder(w).Encode(map[string]any{"issuer": issuer.URL, "token_endpoint": issuer.URL + "/token",
					"access_token": smtptest.Token, "token_type": "Bearer", "expires_in": 3600})
			}))
			t.Cleanup(issuer.Close)
			dir := t.TempDir()
			file, kept := filepath.Join(dir, "smtp.toml"), filepath.Join(dir, "sign-in.json")
			host, port, _ := strings.Cut(srv.Addr(), ":")
			writeSettings(t, file, fmt.Sprintf("host = %q\nport = %s\ntls = \"none\"\nuser = %q\nfrom = \"me@example.com\"\nauth = %q\noauth = \"issuer\"\noauth_issuer = %q\noauth_client_id = \"c\"\noauth_scopes = [\"send\"]\noauth_file = %q\n",
				host, port, smtptest.User, strings.ToLower(mechanism), issuer.URL, kept))
			all, _, err := config.LoadAll(Settings(), config.Options{File: file})
			if err != nil {
				t.Fatal(err)
			}
			cfg, err := ConfigFrom(all.Default())
			if err != nil || len(cfg.Missing) != 0 {
				t.Fatalf("got %v, missing %v", err, cfg.Missing)
			}
			probe := func() string {
				s, err := New(cfg)
				if err != nil {
					t.Fatal(err)
				}
				defer s.Close()
				m, err := s.MCP()
				if err != nil {
					t.Fatal(err)
				}
				out, err := m.CallTool(t.Context(), "test_connection", json.RawMessage(`{}`))
				if err != nil {
					t.Fatal(err)
				}
				return out.Text
			}
			if got := probe(); !strings.Contains(got, "nobody has signed in yet") {
				t.Errorf("before the sign-in: %s", got)
			}
			c, k, _, err := oauth.FromSettings("SMTP_", oauth.Sending, all.Default())
			if err != nil {
				t.Fatal(err)
			}
			grant := fmt.Sprintf(`{"for":%q,"refresh_token":"the-refresh-token"}`, c.Identity())
			if err := k.Save(t.Context(), grant); err != nil {
				t.Fatal(err)
			}
			if got := probe(); !strings.Contains(got, "logged in ("+strings.ToLower(mechanism)+")") {
				t.Errorf("with a sign-in: %s", got)
			}
		})
	}
}
