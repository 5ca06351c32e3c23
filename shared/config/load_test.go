package config

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func testSpec() Spec {
	return Spec{
		Prefix: "IMAP_",
		Vars: []Var{
			{Name: "IMAP_HOST", Kind: KindString, Help: "Server.", Aliases: []string{"IMAP_SERVER", "EMAIL_HOST"}, Check: func(s string) error {
				if strings.Contains(s, "://") {
					return errors.New("write a host name without a scheme")
				}
				return nil
			}},
			{Name: "IMAP_PORT", Kind: KindInt, Min: 1, Max: 65535, Default: "993"},
			{Name: "IMAP_USER", Kind: KindString, Aliases: []string{"IMAP_USERNAME"}},
			{Name: "IMAP_PASSWORD", Kind: KindSecret, Aliases: []string{"IMAP_PASS"}},
			{Name: "IMAP_OAUTH_TOKEN", Kind: KindSecret, From: FromFile | FromCommand},
			{Name: "IMAP_TLS", Kind: KindEnum, Choices: []string{"implicit", "starttls", "none"}, Default: "implicit"},
			{Name: "IMAP_READ_ONLY", Kind: KindBool, Default: "true"},
			{Name: "IMAP_TIMEOUT", Kind: KindDuration, Min: int64(time.Second), Max: int64(time.Hour), Default: "30s"},
			{Name: "IMAP_MAX_SIZE", Kind: KindSize, Min: 1 << 10, Max: 1 << 30, Default: "25M"},
			{Name: "IMAP_ALLOW_TOOLS", Kind: KindList, Choices: []string{"get_message", "list_messages"}},
			{Name: "IMAP_LABELS", Kind: KindList},
			{Name: "IMAP_DOWNLOAD_DIR", Kind: KindPath},
		},
		Hints: map[string]string{"IMAP_SSL": "write IMAP_TLS=implicit, starttls or none", "EMAIL_USER": "set IMAP_USER"},
	}
}

func TestLoadGood(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	v, warnings, err := Load([]string{
		"IMAP_HOST=first", "IMAP_HOST=mail.example.com", "IMAP_PORT=143", "IMAP_TLS=starttls", "IMAP_READ_ONLY=false", "IMAP_TIMEOUT=1m30s",
		"IMAP_MAX_SIZE=500k", "IMAP_ALLOW_TOOLS=get_message, list_messages", "IMAP_DOWNLOAD_DIR=~/mail", "IMAP_USER=",
		"IMAP_PASSWORD=pass word", "PATH=/bin", "odd", "=C:=x",
	}, testSpec())
	if err != nil || len(warnings) != 0 {
		t.Fatalf("got %v, %v", warnings, err)
	}
	got := []any{v.String("IMAP_HOST"), v.Int("IMAP_PORT"), v.String("IMAP_TLS"), v.Bool("IMAP_READ_ONLY"), v.Duration("IMAP_TIMEOUT"),
		v.Size("IMAP_MAX_SIZE"), v.List("IMAP_ALLOW_TOOLS"), v.String("IMAP_DOWNLOAD_DIR"), v.String("IMAP_USER"),
		v.IsSet("IMAP_USER"), v.IsSet("IMAP_PASSWORD"), v.IsSet("IMAP_HOST"), v.IsSet("IMAP_LABELS"), v.Secret("IMAP_OAUTH_TOKEN").IsSet()}
	want := []any{"mail.example.com", 143, "starttls", false, 90 * time.Second,
		int64(512000), []string{"get_message", "list_messages"}, filepath.Join(home, "mail"), "",
		false, true, true, false, false}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if sec, err := v.Secret("IMAP_PASSWORD").Get(t.Context()); err != nil || sec.Reveal() != "pass word" {
		t.Errorf("password: got %q, %v", sec.Reveal(), err)
	}
	v.List("IMAP_ALLOW_TOOLS")[0] = "changed"
	if v.List("IMAP_ALLOW_TOOLS")[0] != "get_message" {
		t.Error("a caller changed the settings")
	}
}

func TestLoadDefaults(t *testing.T) {
	v, _, err := Load(nil, testSpec())
	if err != nil {
		t.Fatal(err)
	}
	if v.Int("IMAP_PORT") != 993 || v.IsSet("IMAP_PORT") || !v.Bool("IMAP_READ_ONLY") || v.Size("IMAP_MAX_SIZE") != 25<<20 || len(v.List("IMAP_LABELS")) != 0 {
		t.Errorf("got %+v", v.values)
	}
	defer func() {
		if recover() == nil {
			t.Error("a getter of the wrong kind must panic")
		}
	}()
	v.Int("IMAP_HOST")
}

// TestLoadRefuses gives one wrong setting each; the message must say what to write and not hold the value.
func TestLoadRefuses(t *testing.T) {
	tests := []struct{ env, want string }{
		{"IMAP_HOST=imaps://sEcReT", "IMAP_HOST: write a host name without a scheme"},
		{"IMAP_HOST=sEcReT\nx", "IMAP_HOST: the value has control characters"},
		{"IMAP_HOST=sEcReT\xff", "not UTF-8"},
		{"IMAP_HOST=" + strings.Repeat("sEcReT", 10000), "longer than 32768 octets"},
		{"IMAP_PORT=sEcReT", "IMAP_PORT: write a whole number from 1 to 65535"},
		{"IMAP_PORT=0", "from 1 to 65535"},
		{"IMAP_PORT=65536", "from 1 to 65535"},
		{"IMAP_PORT=99999999999999999999", "from 1 to 65535"},
		{"IMAP_TLS=sEcReT", "IMAP_TLS: write one of implicit, starttls, none"},
		{"IMAP_TLS=StartTLS", "IMAP_TLS: write starttls"},
		{"IMAP_READ_ONLY=1", "write true or false, in lower case"},
		{"IMAP_READ_ONLY=True", "write true or false, in lower case"},
		{"IMAP_TIMEOUT=30", "with its unit, such as 90s, 5m or 1h30m from 1s to 1h0m0s"},
		{"IMAP_TIMEOUT=2h", "from 1s to 1h0m0s"},
		{"IMAP_MAX_SIZE=25MB", "such as 500k or 25M from 1k to 1G"},
		{"IMAP_MAX_SIZE=9223372036854775807G", "from 1k to 1G"},
		{"IMAP_MAX_SIZE=-1", "from 1k to 1G"},
		{"IMAP_ALLOW_TOOLS=get_message,,x", "item 2 is empty"},
		{"IMAP_ALLOW_TOOLS=get_message,get_message", "item 2 is listed twice"},
		{"IMAP_ALLOW_TOOLS=get_mesage", "item 1: write get_message"},
		{"IMAP_ALLOW_TOOLS=sEcReT", "item 1: write one of get_message, list_messages"},
		{"IMAP_DOWNLOAD_DIR=sEcReT", "write the whole path"},
		{"IMAP_PASSWORD=sEcReT\n", "IMAP_PASSWORD: the secret has a line break"},
		{"IMAP_PASSWORD_FILE=sEcReT", "IMAP_PASSWORD_FILE: write the whole path"},
		{"IMAP_PASSWORD_COMMAND='sEcReT", "IMAP_PASSWORD_COMMAND: a quotation mark ' is not closed"},
	}
	for _, tt := range tests {
		_, _, err := Load([]string{tt.env}, testSpec())
		if !errors.Is(err, ErrSettings) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%.40q: got %v, want %q", tt.env, err, tt.want)
		}
		if err != nil && strings.Contains(err.Error(), "sEcReT") {
			t.Errorf("%.40q: the message holds the value: %v", tt.env, err)
		}
	}
}

func TestLoadReportsAll(t *testing.T) {
	_, _, err := Load([]string{"IMAP_PORT=x", "IMAP_TLS=x", "IMAP_PASSWORD=a", "IMAP_PASSWORD_FILE=/a", "IMAP_HSOT=x"}, testSpec())
	if err == nil {
		t.Fatal("got nil")
	}
	lines := strings.Split(err.Error(), "\n")
	want := []string{"IMAP_HSOT: is not read; write IMAP_HOST", "IMAP_PASSWORD: IMAP_PASSWORD and IMAP_PASSWORD_FILE are both set", "IMAP_PORT: ", "IMAP_TLS: "}
	if len(lines) != len(want)+1 {
		t.Fatalf("got %d lines, want %d: %v", len(lines), len(want)+1, err)
	}
	for i, w := range want {
		if !strings.Contains(lines[i+1], w) {
			t.Errorf("line %d: got %q, want %q", i+1, lines[i+1], w)
		}
	}
}

func TestStrangers(t *testing.T) {
	refused := func(say string) string { return "refused: " + say }
	warned := func(say string) string { return "warned: " + say }
	tests := []struct{ name, want string }{
		{"IMAP_PASWORD", refused("write IMAP_PASSWORD")},
		{"IMAP_PASSWROD", refused("write IMAP_PASSWORD")},
		{"IMAP_PASSWORDS", refused("write IMAP_PASSWORD")},
		{"IMAP_ALLOW_TOOL", refused("write IMAP_ALLOW_TOOLS")},
		{"IMAP_ALLOWED_TOOLS", refused("write IMAP_ALLOW_TOOLS")},
		{"IMAP_ALLOWTOOLS", refused("write IMAP_ALLOW_TOOLS")},
		{"IMAP_PASSWORDFILE", refused("write IMAP_PASSWORD_FILE")},
		{"IMAP_PASSWORD_CMD", refused("write IMAP_PASSWORD_COMMAND")},
		{"IMAP_PASSWD", refused("write IMAP_PASSWORD")},
		{"IMAP_DOWNLOAD_DIRECTORY", refused("write IMAP_DOWNLOAD_DIR")},
		{"imap_host", refused("write IMAP_HOST")},
		{"Imap_Port", refused("write IMAP_PORT")},
		{"IMPA_HOST", refused("write IMAP_HOST")},
		{"IMAP_HOTS", refused("write IMAP_HOST")},
		{"IMAP_READONLY", refused("write IMAP_READ_ONLY")},
		{"IMAP_OAUTH_TOKEN", warned("IMAP_OAUTH_TOKEN_FILE")},
		{"IMAP_USERNAME", refused("write IMAP_USER")},
		{"IMAP_PASS", refused("write IMAP_PASSWORD")},
		{"IMAP_SERVER", refused("write IMAP_HOST")},
		{"IMAP_SSL", refused("write IMAP_TLS=implicit, starttls or none")},
		{"EMAIL_USER", warned("if it was meant for it, set IMAP_USER")},
		{"EMAIL_HOST", warned("if it was meant for it, write IMAP_HOST")},
		{"IMAP_COLOUR_SCHEME", warned("is not a setting of this program")},
		{"SMTP_HOST", ""},
		{"HOST", ""},
		{"USER", ""},
		{"PASSWORD", ""},
		{"MAP_HOME", ""},
		{"IMAP_", ""},
	}
	for _, tt := range tests {
		got := ""
		_, warnings, err := Load([]string{tt.name + "=sEcReT"}, testSpec())
		switch {
		case err != nil:
			got = "refused: " + err.Error()
		case len(warnings) > 0:
			got = fmt.Sprint("warned: ", warnings)
		}
		kind, say, _ := strings.Cut(tt.want, ": ")
		if !strings.HasPrefix(got, kind) || !strings.Contains(got, say) || tt.want == "" && got != "" || strings.Contains(got, "sEcReT") {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
	s := testSpec()
	s.Ignore = []string{"IMAP_COLOUR_SCHEME"}
	if _, warnings, err := Load([]string{"IMAP_COLOUR_SCHEME=x"}, s); err != nil || len(warnings) != 0 {
		t.Errorf("ignored name: got %v, %v", warnings, err)
	}
}

// TestNamesApart: no declared name is a near miss of another, or setting one would be refused for the other's sake.
func TestNamesApart(t *testing.T) {
	for _, name := range testSpec().names() {
		if _, _, err := Load([]string{name + "=/x"}, testSpec()); err != nil && strings.Contains(err.Error(), "is not read") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// TestValuesNeverEchoed sets every variable to random text, many times, and looks for it in all that is said.
func TestValuesNeverEchoed(t *testing.T) {
	const alphabet = "abcXYZ0189_-+/\\:;,.=@!\"'$%&()[]{}<>|~^ \t\n\x00\x1b\u00e9\u202e"
	rng := rand.New(rand.NewPCG(1, 2))
	names := append(testSpec().names(), "IMAP_PASWORD", "IMAP_SSL", "IMAP_UNKNOWN_THING", "EMAIL_USER")
	for range 3000 {
		secret := "q9"
		for range 8 + rng.IntN(20) {
			r := []rune(alphabet)
			secret += string(r[rng.IntN(len(r))])
		}
		var environ []string
		for _, n := range names {
			if rng.IntN(3) > 0 {
				environ = append(environ, n+"="+secret)
			}
		}
		v, warnings, err := Load(environ, testSpec())
		said := fmt.Sprint(warnings, err)
		for _, decl := range testSpec().Vars {
			if src := v.secrets[decl.Name]; src != nil {
				said += fmt.Sprintf("%v %+v %#v", src.setting, src, src)
			}
		}
		if strings.Contains(said, secret) || strings.Contains(said, strings.TrimSpace(secret)) || strings.Contains(said, "q9") {
			t.Fatalf("the value %q is in %q", secret, said)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"", "5", "25M", "90s", "true", "a,b", "~/x", "/x", "9223372036854775807G"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, v := range testSpec().Vars {
			val, err := v.parse(s)
			if err != nil {
				if len(s) > 40 && strings.Contains(err.Error(), s) {
					t.Fatalf("%s: the error holds the value", v.Name)
				}
				continue
			}
			if (v.Kind == KindInt || v.Kind == KindSize || v.Kind == KindDuration) && (val.num < v.Min || val.num > v.Max) {
				t.Fatalf("%s: got %d, out of range", v.Name, val.num)
			}
		}
		words, err := SplitCommand(s)
		if err == nil && (len(words) == 0 || words[0] == "") {
			t.Fatalf("%q: no program", s)
		}
	})
}

func TestTable(t *testing.T) {
	got := Table(testSpec())
	for _, want := range []string{
		"| `IMAP_HOST` | text |  | Server. |",
		"| `IMAP_PORT` | number from 1 to 65535 | `993` |",
		"| `IMAP_PASSWORD`<br>`IMAP_PASSWORD_FILE`<br>`IMAP_PASSWORD_COMMAND` | secret,",
		"| `IMAP_OAUTH_TOKEN_FILE`<br>`IMAP_OAUTH_TOKEN_COMMAND` |",
		"| size from 1k to 1G | `25M` |",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("want %q in\n%s", want, got)
		}
	}
	if lines := strings.Count(got, "\n"); lines != len(testSpec().Vars)+2 {
		t.Errorf("got %d lines, want %d", lines, len(testSpec().Vars)+2)
	}
}

func TestEffective(t *testing.T) {
	v, _, err := Load([]string{"IMAP_HOST=mail.example.com", "IMAP_PASSWORD=sEcReT", "IMAP_OAUTH_TOKEN_FILE=/sEcReT"}, testSpec())
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Split(Effective(testSpec(), v), "\n")
	for _, want := range []string{"IMAP_HOST = mail.example.com (environment)", "IMAP_PORT = 993 (default)", "IMAP_PASSWORD = [redacted] (environment: IMAP_PASSWORD)", "IMAP_OAUTH_TOKEN = [redacted] (environment: IMAP_OAUTH_TOKEN_FILE)", "IMAP_USER is not set"} {
		if !slices.Contains(got, want) {
			t.Errorf("want %q in %q", want, got)
		}
	}
	if strings.Contains(strings.Join(got, ""), "sEcReT") {
		t.Errorf("a secret is in %q", got)
	}
}
