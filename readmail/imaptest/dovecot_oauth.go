package imaptest

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// writeOAuth writes the key that tokens are checked with, where Dovecot looks for it: by the party the token is for,
// the algorithm, and the name of the key (all "default" if the token does not say).
func (d *Dovecot) writeOAuth() error {
	if d.oauthKey == nil {
		d.oauthKey = make([]byte, 32)
		if _, err := rand.Read(d.oauthKey); err != nil {
			return err
		}
	}
	dir := d.path("keys", "default", "HS256")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	key := base64.StdEncoding.EncodeToString(d.oauthKey)
	if err := os.WriteFile(filepath.Join(dir, "default"), []byte(key), 0o600); err != nil {
		return err
	}
	conf := "introspection_mode = local\nlocal_validation_key_dict = fs:posix:prefix=" + d.path("keys") + "/\nusername_attribute = email\n"
	return os.WriteFile(d.path("oauth2.conf"), []byte(conf), 0o600)
}

func (d *Dovecot) oauthPassdb() string {
	return "passdb {\n  driver = oauth2\n  mechanisms = xoauth2 oauthbearer\n  args = " + d.path("oauth2.conf") + "\n}\n"
}

// OAuthToken returns an access token for the user that is valid for life; negative, it has run out. It needs
// DovecotOptions.OAuth.
func (d *Dovecot) OAuthToken(t testing.TB, life time.Duration) string {
	t.Helper()
	now := time.Now()
	claims, err := json.Marshal(map[string]any{"sub": d.options.User, "email": d.options.User,
		"iat": now.Add(-time.Hour).Unix(), "nbf": now.Add(-time.Hour).Unix(), "exp": now.Add(life).Unix()})
	d.must(t, err)
	enc := base64.RawURLEncoding.EncodeToString
	signed := enc([]byte(`{"alg":"HS256","typ":"JWT"}`)) + "." + enc(claims)
	mac := hmac.New(sha256.New, d.oauthKey)
	mac.Write([]byte(signed))
	return signed + "." + enc(mac.Sum(nil))
}
