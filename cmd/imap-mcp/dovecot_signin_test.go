package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"mailgap/readmail/imaptest"
)

// localIssuer is a provider on loopback, whose access tokens a Dovecot takes. It rotates refresh tokens and takes none twice.
type localIssuer struct {
	*httptest.Server
	token string // an access token

	mu      sync.Mutex
	refresh string // the one that is good
	n       int
}

func startIssuer(t *testing.T, token string) *localIssuer {
	t.Helper()
	i := &localIssuer{token: token}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/oauth-authorization-server", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]any{"issuer": i.URL, "authorization_endpoint": i.URL + "/authorize", "token_endpoint": i.URL + "/token", "device_authorization_endpoint": i.URL + "/device"})
	})
	mux.HandleFunc("GET /authorize", func(w http.ResponseWriter, r *http.Request) { // the person agrees at once
		q := r.URL.Query()
		http.Redirect(w, r, q.Get("redirect_uri")+"?"+url.Values{"code": {"the-code"}, "state": {q.Get("state")}}.Encode(), http.StatusFound)
	})
	mux.HandleFunc("POST /token", i.serveToken)
	i.Server = httptest.NewServer(mux)
	t.Cleanup(i.Close)
	return i
}

func (i *localIssuer) serveToken(w http.ResponseWriter, r *http.Request) {
	i.mu.Lock()
	defer i.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	good := r.PostFormValue("grant_type") == "authorization_code" && r.PostFormValue("code") == "the-code" && r.PostFormValue("code_verifier") != "" ||
		r.PostFormValue("grant_type") == "refresh_token" && r.PostFormValue("refresh_token") == i.refresh
	if !good {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write([]byte(`{"error":"invalid_grant"}`))
		return
	}
	i.n++
	i.refresh = fmt.Sprintf("refresh-%d", i.n)
	_ = json.NewEncoder(w).Encode(map[string]any{"access_token": i.token, "refresh_token": i.refresh, "token_type": "Bearer", "expires_in": 3600})
}

func (i *localIssuer) refreshes() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.n
}

func (i *localIssuer) revoke() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.refresh = "revoked"
}

// testSignIn signs in with a browser and reads mail with the tokens: by both mechanisms, in several processes, until the sign-in is
// revoked.
func testSignIn(t *testing.T, program string) {
	d := imaptest.StartDovecot(t, imaptest.DovecotOptions{Mailboxes: watched(t), OAuth: true})
	issuer := startIssuer(t, d.OAuthToken(t, time.Hour))
	file := filepath.Join(t.TempDir(), "imap.toml")
	kept := filepath.Join(t.TempDir(), "sign-in.json")
	text := fmt.Sprintf("host = \"127.0.0.1\"\nport = %d\ntls = \"none\"\nuser = %q\noauth = \"issuer\"\noauth_issuer = %q\noauth_client_id = \"the-client\"\noauth_scopes = [\"mail\"]\noauth_file = %q\n",
		imaptest.Port(d.Addr()), imaptest.User, issuer.URL, kept)
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	read := func(auth string) string {
		cmd := exec.Command(program, "--config", file, "call", "list_messages", "{}")
		cmd.Env = append(os.Environ(), "IMAP_AUTH="+auth)
		if auth == "" {
			cmd = exec.Command(program, "--config", file, "check")
		}
		out, err := cmd.CombinedOutput()
		return fmt.Sprint(string(out), " status ", err)
	}
	if out := read("xoauth2"); !strings.Contains(out, "nobody has signed in yet") || !strings.Contains(out, "run the login command") {
		t.Errorf("before the sign-in: %s", out)
	}
	browse(t, program, file)
	if info, err := os.Stat(kept); err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("the sign-in is not kept: %v", err)
	}
	for n, auth := range []string{"xoauth2", "oauthbearer", "auto"} {
		if out := read(auth); !strings.HasSuffix(out, "status <nil>") || issuer.refreshes() != n+2 {
			t.Errorf("%s: %s; %d tokens were given", auth, out, issuer.refreshes())
		}
	}
	if out := read(""); !strings.Contains(out, "All steps passed") {
		t.Errorf("check: %s", out)
	}
	issuer.revoke()
	if out := read("auto"); !strings.Contains(out, "no longer good") || !strings.Contains(out, "No login was tried") || strings.Contains(out, "refresh-") {
		t.Errorf("after it was revoked: %s", out)
	}
}

// browse runs login and is the person's browser.
func browse(t *testing.T, program, file string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, "--config", file, "login")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	for lines := bufio.NewScanner(out); lines.Scan(); {
		said.WriteString(lines.Text() + "\n")
		if !strings.HasPrefix(lines.Text(), "http") {
			continue
		}
		reply, err := http.Get(lines.Text())
		if err != nil {
			t.Fatal(err)
		}
		reply.Body.Close()
		if reply.StatusCode != http.StatusOK || !strings.HasPrefix(reply.Request.URL.Host, "127.0.0.1:") {
			t.Errorf("the browser ended at %s with %d", reply.Request.URL.Host, reply.StatusCode)
		}
	}
	if err := cmd.Wait(); err != nil || !strings.Contains(said.String(), "Signed in.") || strings.Contains(said.String(), "refresh-") {
		t.Errorf("login: %v\n%s", err, said.String())
	}
}

// testTwoAccounts reads two accounts of one server from one file; the password of one is wrong.
func testTwoAccounts(t *testing.T, program string) {
	d := imaptest.StartDovecot(t, imaptest.DovecotOptions{Mailboxes: watched(t)})
	dir := t.TempDir()
	for name, secret := range map[string]string{"good": imaptest.Password, "bad": "wrong"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(secret+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(dir, "imap.toml")
	account := "[account.%s]\nhost = \"127.0.0.1\"\nport = " + strconv.Itoa(imaptest.Port(d.Addr())) + "\ntls = \"none\"\nuser = \"" + imaptest.User + "\"\npassword_file = %q\n"
	text := fmt.Sprintf(account, "work", filepath.Join(dir, "good")) + fmt.Sprintf(account, "home", filepath.Join(dir, "bad"))
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(program, "--config", file, "call", "list_messages", "{}").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "imap://work/INBOX") || !strings.Contains(string(out), "Account work, mailbox INBOX") ||
		!strings.Contains(string(out), "Account home, mailbox * was not read") {
		t.Errorf("both accounts: %v\n%s", err, out)
	}
	out, err = exec.Command(program, "--config", file, "--account", "work", "check").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "All steps passed") {
		t.Errorf("one account: %v\n%s", err, out)
	}
	out, err = exec.Command(program, "--config", file, "config").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "# account home\n") || !strings.Contains(string(out), "IMAP_PASSWORD = [redacted] (file: [account.home] password_file)") {
		t.Errorf("config: %v\n%s", err, out)
	}
}
