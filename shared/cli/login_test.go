package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"mailgap/shared/config"
	"mailgap/shared/oauth"
)

// store is a key store in memory.
type store map[string]string

func (s store) Get(_ context.Context, entry string) (string, bool, error) {
	secret, ok := s[entry]
	return secret, ok, nil
}
func (s store) Set(_ context.Context, entry, secret string) error { s[entry] = secret; return nil }
func (s store) Delete(_ context.Context, entry string) error      { delete(s, entry); return nil }

// testProgram is like imap-mcp, with the settings that login needs.
func testProgram() Program {
	spec := config.Spec{Prefix: "IMAP_", Section: "account", Selector: "IMAP_ACCOUNT", Program: "imap-mcp", Bound: []string{"IMAP_USER", "IMAP_HOST"}, Vars: append(oauth.Vars("IMAP_"),
		config.Var{Name: "IMAP_HOST", Scope: config.ScopeOwn}, config.Var{Name: "IMAP_USER", Scope: config.ScopeOwn}, config.Var{Name: "IMAP_PASSWORD", Kind: config.KindSecret, Scope: config.ScopeOwn},
		config.Var{Name: "IMAP_OAUTH_TOKEN", Kind: config.KindSecret}, config.Var{Name: "IMAP_ACCOUNT", Default: "default"})}
	return Program{Name: "imap-mcp", Spec: spec, File: "imap.toml", Which: "--account"}
}

// run loads a file and runs a command about credentials.
func run(t *testing.T, s config.Store, file, command string, values map[string]string, l Login) (string, error) {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", dir)
	for _, v := range testProgram().Spec.Vars { // flags become settings of this process
		t.Setenv(v.Name, "")
	}
	path := filepath.Join(dir, "imap.toml")
	if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	all := map[string]string{"--config": path}
	for k, v := range values {
		all[k] = v
	}
	loaded, _, err := testProgram().Load(all, false, s)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	l.Out = &out
	err = testProgram().Credentials(t.Context(), command, loaded, all, l)
	return out.String(), err
}

const oneAccount = "host = \"imap.example.com\"\nuser = \"Me@example.com\"\n"

func types(secret string) func(context.Context, string) (string, error) {
	return func(context.Context, string) (string, error) { return secret, nil }
}

// A password that is typed is kept under user and host, is found there, and goes again.
func TestLoginPassword(t *testing.T) {
	s := store{}
	var asked string
	out, err := run(t, s, oneAccount, "login", nil, Login{ReadSecret: func(_ context.Context, prompt string) (string, error) {
		asked = prompt
		return "sEcReT", nil
	}})
	if err != nil || s["password me@example.com@imap.example.com"] != "sEcReT" || len(s) != 1 {
		t.Fatalf("got %v, %v", s, err)
	}
	if !strings.Contains(asked, "Me@example.com at imap.example.com") || strings.Contains(out, "sEcReT") || !strings.Contains(out, "imap-mcp check") {
		t.Errorf("asked %q, printed %q", asked, out)
	}
	if out, err := run(t, s, oneAccount+"password_file = \"/x\"\n", "login", nil, Login{ReadSecret: types("x")}); err != nil || !strings.Contains(out, "password_file is set and counts before it") {
		t.Errorf("got %q, %v", out, err)
	}
	for range 2 {
		if _, err := run(t, s, oneAccount, "logout", nil, Login{}); err != nil || len(s) != 0 {
			t.Errorf("logout: got %v, %v", s, err)
		}
	}
}

func TestLoginRefusals(t *testing.T) {
	two := "[account.a]\nhost = \"a\"\nuser = \"a\"\n[account.b]\nhost = \"b\"\nuser = \"b\"\n"
	for _, c := range []struct {
		name, file string
		secret     string
		values     map[string]string
		want       string // of the error; "" means none
	}{
		{"no user", "host = \"a\"\n", "x", nil, ErrWhose.Error()},
		{"nothing typed", oneAccount, "", nil, ErrNoSecret.Error()},
		{"several", two, "x", nil, "there are several: a, b; name one with --account"},
		{"one of several", two, "x", map[string]string{"--account": "b"}, ""},
		{"a client id is missing", oneAccount, "", map[string]string{"--oauth": "google"}, "IMAP_OAUTH_CLIENT_ID: required"},
		{"a device for Google", oneAccount, "", map[string]string{"--oauth": "google", "--client-id": "x"}, oauth.ErrNoDevice.Error()},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := store{}
			_, err := run(t, s, c.file, "login", c.values, Login{ReadSecret: types(c.secret), Device: true})
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
			if (len(s) == 0) != (err != nil) {
				t.Errorf("kept: %v", s)
			}
		})
	}
}

type trip func(*http.Request) (*http.Response, error)

func (f trip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// microsoft answers as Microsoft's device flow does.
func microsoft(t *testing.T) trip {
	return func(r *http.Request) (*http.Response, error) {
		body := `{"access_token":"a-sEcReT","refresh_token":"r-sEcReT","token_type":"Bearer","expires_in":3600}`
		switch r.URL.String() {
		case "https://login.microsoftonline.com/contoso.example/oauth2/v2.0/devicecode":
			body = `{"device_code":"d-sEcReT","user_code":"ABC\u001b[31m","verification_uri":"https://microsoft.com/devicelogin","expires_in":900,"interval":5}`
		case "https://login.microsoftonline.com/contoso.example/oauth2/v2.0/token":
		default:
			t.Errorf("asked %s", r.URL)
		}
		return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
	}
}

// A sign-in by flags is kept, and what the server needs to use it is printed.
func TestLoginDevice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := store{}
		flags := map[string]string{"--oauth": "microsoft", "--client-id": "the-client", "--tenant": "contoso.example"}
		out, err := run(t, s, oneAccount, "login", flags, Login{Device: true, Transport: microsoft(t)})
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"https://microsoft.com/devicelogin", "ABC\uFFFD[31m", "oauth = \"microsoft\"\noauth_tenant = \"contoso.example\"\n", "oauth_client_id = \"the-client\"\n"} {
			if !strings.Contains(out, want) {
				t.Errorf("want %q in %q", want, out)
			}
		}
		if strings.Contains(out, "sEcReT") || !strings.Contains(s["oauth me@example.com@imap.example.com"], "r-sEcReT") || strings.Contains(s["oauth me@example.com@imap.example.com"], "a-sEcReT") {
			t.Errorf("printed %q", out)
		}
		if _, err := run(t, s, oneAccount, "logout", flags, Login{Transport: microsoft(t)}); err != nil || len(s) != 0 {
			t.Errorf("logout: got %d entries, %v", len(s), err)
		}
	})
}

func TestCheckFlags(t *testing.T) {
	p := testProgram()
	for _, c := range []struct {
		command string
		device  bool
		values  map[string]string
		fails   bool
	}{
		{"serve", false, map[string]string{"--account": "a", "--config": "f"}, false},
		{"login", true, map[string]string{"--oauth": "google"}, false},
		{"serve", false, map[string]string{"--client-id": "x"}, true},
		{"serve", true, nil, true},
	} {
		if err := p.Check(c.command, c.device, c.values); (err != nil) != c.fails {
			t.Errorf("%v: got %v", c, err)
		}
	}
}

// What is printed says where each setting comes from, and nothing that is secret.
func TestPrint(t *testing.T) {
	path := filepath.Join(t.TempDir(), "imap.toml")
	text := "[account.a]\nhost = \"a.example\"\nuser = \"u\"\npassword = \"sEcReT\"\n[account.b]\nhost = \"b.example\"\nuser = \"u\"\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	loaded, _, err := testProgram().Load(map[string]string{"--config": path}, false, store{})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	testProgram().Print(&out, loaded)
	for _, want := range []string{"# file " + path, "# account a\n", "IMAP_HOST = a.example (file)", "IMAP_PASSWORD = [redacted] (file: [account.a] password)",
		"# account b\n", "IMAP_PASSWORD = [redacted] (key store, if it is there)"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("want %q in %s", want, out.String())
		}
	}
	if strings.Contains(out.String(), "sEcReT") {
		t.Error("a secret is printed")
	}
}

// A flag that picks nothing would do nothing, and is refused.
func TestWhichNeedsSections(t *testing.T) {
	t.Setenv("IMAP_ACCOUNT", "")
	path := filepath.Join(t.TempDir(), "imap.toml")
	if err := os.WriteFile(path, []byte(oneAccount), 0o600); err != nil {
		t.Fatal(err)
	}
	_, _, err := testProgram().Load(map[string]string{"--config": path, "--account": "work"}, false, store{})
	if err == nil || !strings.Contains(err.Error(), "no section [account.NAME]") {
		t.Errorf("got %v", err)
	}
}

// Without a terminal nothing is asked, and the error says what else to do.
func TestReadSecretWithoutTerminal(t *testing.T) {
	if tty, err := os.Open("/dev/tty"); err == nil {
		_ = tty.Close()
		t.Skip("there is a terminal")
	}
	if _, err := ReadSecret(t.Context(), "x: "); !errors.Is(err, ErrNoTerminal) {
		t.Errorf("got %v", err)
	}
}
