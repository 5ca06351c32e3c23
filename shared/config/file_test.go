package config

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// fileSpec is testSpec with sections.
func fileSpec() Spec {
	s := testSpec()
	s.Program, s.Section, s.Selector, s.Bound = "imap-mcp", "account", "IMAP_ACCOUNT", []string{"IMAP_USER", "IMAP_HOST"}
	for i := range s.Vars {
		switch s.Vars[i].Name {
		case "IMAP_HOST", "IMAP_USER", "IMAP_PASSWORD":
			s.Vars[i].Scope = ScopeOwn
		case "IMAP_ALLOW_TOOLS":
			s.Vars[i].Scope = ScopeProgram
		}
	}
	s.Vars = append(s.Vars, Var{Name: "IMAP_ACCOUNT", Kind: KindString, Default: "default", Check: func(v string) error {
		if strings.ContainsAny(v, " /") {
			return errors.New("write letters")
		}
		return nil
	}})
	return s
}

// write makes a settings file with a mode.
func write(t *testing.T, text string, mode os.FileMode) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "imap.toml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
	return path
}

// line puts values on one line.
func line(values ...any) string { return strings.TrimSuffix(fmt.Sprintln(values...), "\n") }

const twoAccounts = `
timeout = "1m"
allow_tools = ["get_message"]
[account.work]
host = "work.example"
user = "me@work.example"
password_command = "pass work"
max_size = 4096
[account.home]
host = "home.example"
port = 143
read_only = false
labels = ["a", "b c"]
timeout = "2m"
`

func TestFileSections(t *testing.T) {
	all, warnings, err := LoadAll(fileSpec(), Options{File: write(t, twoAccounts, 0o644), Environ: []string{"IMAP_TLS=starttls"}})
	if err != nil || len(warnings) != 0 {
		t.Fatal(err, warnings)
	}
	var got []string
	for _, name := range all.Names() {
		v, ok := all.Set(name)
		got = append(got, line(name, ok, v.String("IMAP_ACCOUNT"), v.String("IMAP_HOST"), v.Int("IMAP_PORT"), v.Bool("IMAP_READ_ONLY"), v.List("IMAP_LABELS"),
			v.Duration("IMAP_TIMEOUT"), v.Size("IMAP_MAX_SIZE"), v.String("IMAP_TLS"), v.List("IMAP_ALLOW_TOOLS"), v.Secret("IMAP_PASSWORD").Name()))
	}
	want := []string{
		"work true work work.example 993 true [] 1m0s 4096 starttls [get_message] [account.work] password_command",
		"home true home home.example 143 false [a b c] 2m0s 26214400 starttls [get_message] IMAP_PASSWORD",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if _, ok := all.Set("other"); ok || all.Default().String("IMAP_HOST") != "work.example" {
		t.Error("the default is not the first of the file, or a set was invented")
	}
}

// One account: no section is needed, and the environment wins setting by setting.
func TestFileSingle(t *testing.T) {
	path := write(t, "host = \"file.example\"\nport = 143\naccount = \"mine\"\npassword_file = \"/a\"\n", 0o644)
	all, _, err := LoadAll(fileSpec(), Options{File: path, Environ: []string{"IMAP_PORT=1143", "IMAP_PASSWORD=sEcReT"}})
	if err != nil {
		t.Fatal(err)
	}
	v := all.Default()
	sec, err := v.Secret("IMAP_PASSWORD").Get(t.Context())
	got := line(all.Names(), v.String("IMAP_HOST"), v.Int("IMAP_PORT"), sec.Reveal(), err, all.File() == path)
	if want := "[mine] file.example 1143 sEcReT <nil> true"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	effective := Effective(fileSpec(), v)
	for _, want := range []string{"IMAP_HOST = file.example (file)", "IMAP_PORT = 1143 (environment)", "IMAP_TLS = implicit (default)", "IMAP_PASSWORD = [redacted] (environment: IMAP_PASSWORD)"} {
		if !strings.Contains(effective, want+"\n") {
			t.Errorf("want %q in %s", want, effective)
		}
	}
}

func TestFileRefusals(t *testing.T) {
	for _, c := range []struct {
		name, text, want string
		env              []string
	}{
		{"unknown key", `hots = "a"`, "hots: is not a setting of this file; the nearest is host", nil},
		{"name of the variable", `IMAP_HOST = "a"`, `"IMAP_HOST": is not a setting of this file; the nearest is host`, nil},
		{"name of another program", `server = "a"`, "server: is not read; write host", nil},
		{"hint in words of the file", `ssl = "a"`, "ssl: is not read; write tls=implicit", nil},
		{"nothing near", `sEcReT-value-as-key = 1`, "is not a setting of this file", nil},
		{"unknown section", "[acount.work]\nhost = \"a\"", "acount: is not a setting of this file; the nearest is account", nil},
		{"section of the other program", "[identity.me]\nhost = \"a\"", "identity: is not a setting of this file", nil},
		{"key in a section", "[account.a]\nhosts = \"a\"", "[account.a] hosts: is not a setting of this file; the nearest is host", nil},
		{"table in a section", "[account.a.host]\nx = 1", "[account.a] host: write a text in quotation marks", nil},
		{"section without a name", "[account]\nhost = \"a\"", "[account.host]: write the settings of each account under a line of its own", nil},
		{"bad name", "[account.\"a/b\"]\nhost = \"a\"", `[account."a/b"]: the name: write letters`, nil},
		{"empty name", "[account.\"\"]\nhost = \"a\"", `[account.""]: the name: write one`, nil},
		{"scalar as section", "account = 1", "account: write a text in quotation marks", nil},
		{"quoted number", `port = "993"`, "port: write a whole number without quotation marks", nil},
		{"number as text", `host = 1`, "host: write a text in quotation marks", nil},
		{"quoted truth", `read_only = "true"`, "read_only: write true or false without quotation marks", nil},
		{"text as list", `labels = "a, b"`, `labels: write a list: ["one", "two"]`, nil},
		{"comma in an item", `labels = ["a,b"]`, "labels: item 1: write a text in quotation marks, without a comma", nil},
		{"number in a list", `labels = ["a", 1]`, "labels: item 2: write a text in quotation marks", nil},
		{"empty list", `labels = []`, "labels: the list is empty; leave the line out", nil},
		{"empty text", `host = ""`, "host: it is empty; leave the line out", nil},
		{"out of range", `port = 70000`, "port: write a whole number from 1 to 65535", nil},
		{"bad value in a section", "[account.a]\ntls = \"ssl\"", "[account.a] tls: write one of implicit, starttls, none", nil},
		{"two places", "password_file = \"/a\"\npassword_command = \"b\"", "password_file: password_file and password_command are both set", nil},
		{"key twice", "host = \"a\"\nhost = \"sEcReT\"", "line 2 sets a key or a section a second time", nil},
		{"section twice", "[account.a]\nhost=\"a\"\n[account.a]\nhost=\"b\"", "line 3 sets a key or a section a second time", nil},
		{"no TOML", "host = \"a\"\npassword = sEcReT", "line 2 is not TOML", nil},
		{"own setting above sections", "host = \"x\"\n[account.a]\nuser = \"u\"", "host: belongs to one account; move it into its section", nil},
		{"program setting in a section", "[account.a]\nallow_tools = [\"get_message\"]", "[account.a] allow_tools: holds for the whole program", nil},
		{"name inside a section", "[account.a]\naccount = \"b\"", "[account.a] account: the section is named by its first line", nil},
		{"own setting in the environment", twoAccounts, "IMAP_HOST: the file has several [account.NAME]: write it into one of them, or pick one with IMAP_ACCOUNT", []string{"IMAP_HOST=x"}},
		{"own secret in the environment", twoAccounts, "IMAP_PASSWORD_FILE: the file has several", []string{"IMAP_PASSWORD_FILE=/x"}},
		{"section that is not there", twoAccounts, "IMAP_ACCOUNT: names no [account.NAME] of the file", []string{"IMAP_ACCOUNT=wrk"}},
		{"password of another host", "host = \"a.example\"\npassword_file = \"/sEcReT\"", "password_file: belongs to the host of the file, and the environment sets IMAP_HOST to something else", []string{"IMAP_HOST=evil.example"}},
		{"password of another user", twoAccounts, "[account.work] password_command: belongs to the user of the file", []string{"IMAP_USER=x", "IMAP_ACCOUNT=work"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, _, err := LoadAll(fileSpec(), Options{File: write(t, c.text, 0o600), Environ: c.env})
			if !errors.Is(err, ErrSettings) || !strings.Contains(fmt.Sprint(err), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
			if strings.Contains(fmt.Sprint(err), "sEcReT") && c.name != "nothing near" {
				t.Errorf("a value is in %v", err)
			}
		})
	}
}

// What the environment gives beside the file's password is fine as long as it is the same server and user.
func TestFilePasswordWithSameHost(t *testing.T) {
	path := write(t, "host = \"a.example\"\npassword_file = \"/x\"", 0o644)
	if _, _, err := LoadAll(fileSpec(), Options{File: path, Environ: []string{"IMAP_HOST=a.example"}}); err != nil {
		t.Error(err)
	}
	picked, _, err := LoadAll(fileSpec(), Options{File: write(t, twoAccounts, 0o600), Environ: []string{"IMAP_ACCOUNT=home", "IMAP_USER=x"}})
	if got := fmt.Sprint(picked.Names(), err); got != "[home] <nil>" {
		t.Errorf("got %s", got)
	}
}

func TestFileModes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("access lists decide on Windows")
	}
	for _, c := range []struct {
		name, text string
		mode       os.FileMode
		want       string // of the error; empty means none
	}{
		{"without a secret others may read", "host = \"a\"\npassword_file = \"/x\"", 0o644, ""},
		{"with a secret only the owner", "password = \"x\"", 0o600, ""},
		{"with a secret others may read", "password = \"x\"", 0o640, "holds a password and others may read it"},
		{"with a secret in a section", "[account.a]\npassword = \"x\"", 0o604, "holds a password and others may read it"},
		{"the group may write", "host = \"a\"", 0o664, "others may write to it"},
		{"everybody may write", "host = \"a\"", 0o602, "others may write to it"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, _, err := LoadAll(fileSpec(), Options{File: write(t, c.text, c.mode)})
			if (err == nil) != (c.want == "") || !strings.Contains(fmt.Sprint(err)+"<nil>", c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

func TestFileOfAnotherUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("giving a file away needs root")
	}
	path := write(t, "host = \"a\"", 0o600)
	if err := os.Chown(path, 12345, -1); err != nil {
		t.Fatal(err)
	}
	if _, _, err := LoadAll(fileSpec(), Options{File: path}); err == nil || !strings.Contains(err.Error(), "belongs to another user") {
		t.Errorf("got %v, want a refusal", err)
	}
}

func TestFileMissing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "imap.toml")
	if _, _, err := LoadAll(fileSpec(), Options{File: path}); err != nil {
		t.Errorf("got %v, want nil: a file is not needed", err)
	}
	if _, _, err := LoadAll(fileSpec(), Options{File: path, Required: true}); !errors.Is(err, ErrSettings) {
		t.Errorf("got %v, want ErrSettings", err)
	}
	if _, _, err := LoadAll(fileSpec(), Options{File: t.TempDir()}); err == nil || !strings.Contains(err.Error(), "regular file") {
		t.Errorf("a directory: got %v", err)
	}
	big := write(t, strings.Repeat("# \n", maxFileOctets/3+1), 0o600)
	if _, _, err := LoadAll(fileSpec(), Options{File: big}); err == nil || !strings.Contains(err.Error(), "larger than 256k") {
		t.Errorf("a large file: got %v", err)
	}
}

func (f fakeStore) Set(_ context.Context, entry, secret string) error {
	f.entries[entry] = secret
	return f.err
}

func (f fakeStore) Delete(_ context.Context, entry string) error {
	delete(f.entries, entry)
	return f.err
}

// fakeStore is a key store in memory.
type fakeStore struct {
	entries map[string]string
	err     error
}

func (f fakeStore) Get(_ context.Context, entry string) (string, bool, error) {
	s, ok := f.entries[entry]
	return s, ok, f.err
}

func TestStore(t *testing.T) {
	store := fakeStore{entries: map[string]string{"password me@work.example@work.example": "sEcReT"}}
	load := func(t *testing.T, s Store, env ...string) *Source {
		t.Helper()
		all, _, err := LoadAll(fileSpec(), Options{Environ: env, Store: s})
		if err != nil {
			t.Fatal(err)
		}
		return all.Default().Secret("IMAP_PASSWORD")
	}
	mine := []string{"IMAP_HOST=Work.example", "IMAP_USER=me@work.example"}
	src := load(t, store, mine...)
	sec, err := src.Get(t.Context())
	if got := line(src.IsSet(), src.IsStored(), sec.Reveal(), err); got != "false true sEcReT <nil>" {
		t.Errorf("got %s", got)
	}
	for _, c := range []struct {
		name string
		src  *Source
		want string
	}{
		{"another host has no entry", load(t, store, "IMAP_HOST=evil.example", "IMAP_USER=me@work.example"), "the key store has none for this user and host; run imap-mcp login, or set IMAP_PASSWORD or"},
		{"no user", load(t, store, "IMAP_HOST=work.example"), "no secret is set; set IMAP_PASSWORD or"},
		{"no store", load(t, nil, mine...), "no secret is set; set IMAP_PASSWORD or"},
		{"a store that fails", load(t, fakeStore{err: errors.New("locked")}, mine...), "(key store: locked)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := c.src.Get(t.Context()); !errors.Is(err, ErrNoSecret) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
	if src := load(t, store, append(mine, "IMAP_PASSWORD=other")...); src.IsStored() {
		t.Error("the key store is asked though a password is set")
	}
}

// Whatever a file holds, reading it ends, and no fault quotes a value.
func FuzzFile(f *testing.F) {
	for _, seed := range []string{twoAccounts, "host = 'x", "[account]\n", "account = [1]", "[[account.a]]\nhost='x'", "account.a.host = 'x'", "password = '''\nsEcReT'''", "port = 0x10", "host = 1979-05-27"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := parseSettings(fileSpec(), []byte(text))
		if err != nil {
			return
		}
		for _, at := range append([]section{{"", got.top}}, got.sections...) {
			for name, val := range at.vals {
				if val == "" || name == "" {
					t.Errorf("%q holds nothing", name)
				}
			}
		}
	})
}
