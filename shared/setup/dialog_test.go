package setup

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"mailgap/shared/cli"
	"mailgap/shared/config"
	"mailgap/shared/oauth"
	"mailgap/shared/provider"
	"mailgap/shared/provider/discover"
)

var update = flag.Bool("update", false, "rewrite what testdata/setup says is shown and written")

// store is a key store in memory. A broken one is that of a session without any.
type store struct {
	kept   map[string]string
	broken bool
	full   bool // takes nothing
}

var errStore = errors.New("no key store")

func (s *store) Get(_ context.Context, entry string) (string, bool, error) {
	if s.broken {
		return "", false, errStore
	}
	secret, ok := s.kept[entry]
	return secret, ok, nil
}

func (s *store) Set(_ context.Context, entry, secret string) error {
	if s.broken || s.full {
		return errStore
	}
	s.kept[entry] = secret
	return nil
}

func (s *store) Delete(_ context.Context, entry string) error { delete(s.kept, entry); return nil }

// paper is a terminal whose answers are written beforehand. What is shown is kept, with what is typed, but for secrets.
type paper struct {
	answers []string
	shown   strings.Builder
}

func (p *paper) Write(text []byte) (int, error) { return p.shown.Write(text) }

func (p *paper) ReadLine(context.Context) (string, error) {
	line, err := p.next()
	p.shown.WriteString(line + "\n")
	return line, err
}

func (p *paper) ReadSecret(context.Context) (string, error) { return p.next() }

func (p *paper) next() (string, error) {
	if len(p.answers) == 0 || p.answers[0] == "^D" {
		return "", io.EOF
	}
	line := p.answers[0]
	p.answers = p.answers[1:]
	return line, nil
}

// program is like imap-mcp or smtp-mcp, with fewer settings.
func program(sending bool) cli.Program {
	if sending {
		return cli.Program{Name: "smtp-mcp", File: "smtp.toml", Which: "--identity", Purpose: oauth.Sending, Spec: spec("SMTP_", "identity",
			config.Var{Name: "SMTP_FROM", Scope: config.ScopeOwn}, config.Var{Name: "SMTP_ALLOWED_RECIPIENTS", Kind: config.KindList},
			config.Var{Name: "SMTP_ALLOW_SEND", Kind: config.KindBool, Scope: config.ScopeProgram, Default: "false"},
			config.Var{Name: "SMTP_CONFIRM", Scope: config.ScopeProgram, Default: "auto"}, config.Var{Name: "SMTP_BCC_SELF", Kind: config.KindBool})}
	}
	return cli.Program{Name: "imap-mcp", File: "imap.toml", Which: "--account", Purpose: oauth.Reading, Spec: spec("IMAP_", "account",
		config.Var{Name: "IMAP_TRUSTED_AUTHSERV_ID", Kind: config.KindList}, config.Var{Name: "IMAP_MAILBOX", Default: "INBOX"})}
}

func spec(prefix, section string, more ...config.Var) config.Spec {
	return config.Spec{Prefix: prefix, Section: section, Selector: prefix + strings.ToUpper(section), Program: strings.ToLower(prefix[:4]) + "-mcp",
		Bound: []string{prefix + "USER", prefix + "HOST"}, Vars: slices.Concat(oauth.Vars(prefix), more, []config.Var{
			{Name: prefix + "HOST", Scope: config.ScopeOwn}, {Name: prefix + "PORT", Kind: config.KindInt, Scope: config.ScopeOwn, Min: 1, Max: 65535},
			{Name: prefix + "USER", Scope: config.ScopeOwn}, {Name: prefix + "PASSWORD", Kind: config.KindSecret, Scope: config.ScopeOwn},
			{Name: prefix + "OAUTH_TOKEN", Kind: config.KindSecret, Scope: config.ScopeOwn}, {Name: prefix + "TLS", Scope: config.ScopeOwn},
			{Name: prefix + "TLS_FINGERPRINT", Scope: config.ScopeOwn}, {Name: prefix + strings.ToUpper(section), Default: "default"},
		})}
}

// world is what a script plays in.
type world struct {
	home  string
	store *store
	facts map[string]string // lines of the section world: name and rest
}

// find answers with what the script says, else with what provider knows.
func (w world) find(_ context.Context, domain string) discover.Result {
	var r discover.Result
	if p, ok := provider.ForDomain(domain); ok {
		return discover.Result{Preset: p, Known: true}
	}
	if mx := w.facts["mx"]; mx != "" {
		r.Preset, r.Known = provider.ForMX([]string{mx})
	}
	if host := w.facts["server"]; host != "" {
		s := discover.Server{Endpoint: provider.Endpoint{Host: host, Port: 993, TLS: "implicit"}, Source: w.facts["source"], Elsewhere: !strings.HasSuffix(host, domain)}
		r.IMAP, r.SMTP = []discover.Server{s}, []discover.Server{s}
	}
	return r
}

const fingerprint = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"

// check plays a server: one password or a grant is right, a self-signed certificate has to be pinned, a host may be down.
func (w world) check(ctx context.Context, loaded config.Loaded, report func(Step)) (bool, error) {
	v := loaded.Default()
	prefix := "IMAP_"
	if w.facts["program"] == "smtp" {
		prefix = "SMTP_"
	}
	if v.String(prefix+"HOST") == w.facts["down"] {
		report(Step{Name: "dns", Detail: "no such host", Hint: "check the spelling"})
		return false, nil
	}
	if w.facts["self-signed"] != "" && v.String(prefix+"TLS_FINGERPRINT") != fingerprint {
		report(Step{Name: "tls", Detail: "the certificate is not from a known authority", Fingerprint: fingerprint})
		return false, nil
	}
	report(Step{Name: "greeting", OK: true, Detail: strings.NewReplacer("ESC", "\x1b", "CSI", "\u009b", "RLO", "\u202e", "NL", "\r\n", "BEL", "\a").Replace(w.facts["greeting"])})
	if v.String(prefix+"OAUTH") != "" {
		_, ok, err := v.Store().Get(ctx, "grant")
		ok = ok && (w.facts["user"] == "" || w.facts["user"] == v.String(prefix+"USER"))
		report(Step{Name: "login", OK: ok, Detail: "by token"})
		return ok, err
	}
	secret, err := v.Secret(prefix + "PASSWORD").Get(ctx)
	if err != nil || secret.Reveal() != w.facts["password"] || w.facts["user"] != "" && v.String(prefix+"USER") != w.facts["user"] {
		report(Step{Name: "login", Detail: "refused", Hint: "check user and password"})
		return false, nil
	}
	report(Step{Name: "login", OK: true, Detail: "accepted"})
	return true, nil
}

// validate refuses what sendmail would.
func (w world) validate(loaded config.Loaded) error {
	if w.facts["program"] != "smtp" {
		return nil
	}
	for _, name := range loaded.Names() {
		v, _ := loaded.Set(name)
		if v.Bool("SMTP_ALLOW_SEND") && len(v.List("SMTP_ALLOWED_RECIPIENTS")) == 0 {
			return fmt.Errorf("[identity.%s] SMTP_ALLOWED_RECIPIENTS: required with SMTP_ALLOW_SEND=true", name)
		}
	}
	v := loaded.Default()
	if strings.Count(v.String("SMTP_FROM"), "@") > 1 {
		return errors.New("from")
	}
	for _, item := range v.List("SMTP_ALLOWED_RECIPIENTS") {
		if !strings.Contains(item, "@") && item != "*" {
			return errors.New("allowlist")
		}
	}
	return nil
}

func (w world) signIn(ctx context.Context, loaded config.Loaded, _ bool, out io.Writer) error {
	if w.facts["grant"] == "" {
		return errors.New("the provider refused: access_denied")
	}
	fmt.Fprintln(out, "Signed in.")
	return loaded.Default().Store().Set(ctx, "grant", "{grant}")
}

func (w world) options(p Terminal) Options {
	prog := program(w.facts["program"] == "smtp")
	dir := filepath.Join(w.home, ".config", "mailgap")
	return Options{
		Program: prog, Terminal: p, Find: w.find, Check: w.check, Validate: w.validate, SignIn: w.signIn, Store: w.store,
		File: filepath.Join(dir, prog.File), Standard: true, Executable: "/usr/local/bin/" + prog.Name,
		Place: Place{OS: "linux", Home: w.home, Getenv: func(name string) string { return w.facts["env "+name] }},
	}
}

// section of a script: "-- name --" and what follows.
type section struct{ name, text string }

func sections(text string) []section {
	var out []section
	for line := range strings.SplitAfterSeq(text, "\n") {
		if name, ok := strings.CutPrefix(strings.TrimRight(line, "\n"), "-- "); ok && strings.HasSuffix(name, " --") {
			out = append(out, section{name: strings.TrimSuffix(name, " --")})
		} else if len(out) > 0 {
			out[len(out)-1].text += line
		}
	}
	return out
}

// newWorld makes the files of a script.
func newWorld(t *testing.T, script []section) (world, []string) {
	t.Helper()
	w := world{home: t.TempDir(), store: &store{kept: map[string]string{}}, facts: map[string]string{"password": "right"}}
	var typed []string
	for _, s := range script {
		name, path, _ := strings.Cut(s.name, " ")
		switch name {
		case "world":
			for line := range strings.Lines(s.text) {
				key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
				w.facts[key] = value
			}
		case "typed":
			if s.text != "" {
				typed = strings.Split(strings.TrimSuffix(s.text, "\n"), "\n")
			}
		case "before":
			full := filepath.Join(w.home, path)
			if strings.HasSuffix(path, "/") {
				full = filepath.Join(full, "x")
			}
			if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
				t.Fatal(err)
			}
			if strings.HasSuffix(path, "/") {
				continue
			}
			if err := os.WriteFile(full, []byte(strings.ReplaceAll(s.text, "HOME", w.home)), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	w.store.broken = w.facts["store"] == "none"
	w.store.full = w.facts["store"] == "full"
	return w, typed
}

// result lists what is shown, returned, kept and written.
func (w world) result(t *testing.T, p *paper, err error) []section {
	t.Helper()
	out := []section{{"shown", p.shown.String()}}
	if err != nil {
		out = append(out, section{"error", err.Error() + "\n"})
	}
	for _, entry := range slices.Sorted(maps.Keys(w.store.kept)) {
		out = append(out, section{"key store", entry + " = " + w.store.kept[entry] + "\n"})
	}
	err = filepath.WalkDir(w.home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(w.home, path)
		out = append(out, section{fmt.Sprintf("after %s %o", filepath.ToSlash(rel), info.Mode().Perm()), string(text)})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := range out {
		out[i].text = strings.ReplaceAll(out[i].text, w.home, "HOME")
	}
	return out
}

// Whole dialogs: what is typed, what is shown, what results.
func TestDialogs(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the scripts show paths and modes of Unix")
	}
	files, err := filepath.Glob(filepath.Join("..", "..", "testdata", "setup", "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			script := sections(string(text))
			w, typed := newWorld(t, script)
			p := &paper{answers: typed}
			err = Run(t.Context(), w.options(p))
			compare := w.result(t, p, err)
			if len(p.answers) > 0 && p.answers[0] != "^D" {
				t.Errorf("not asked for: %q", p.answers)
			}
			golden(t, file, string(text), script, compare)
			checkShown(t, p.shown.String())
		})
	}
}

// golden compares what resulted with the rest of the script.
func golden(t *testing.T, file, text string, script, got []section) {
	t.Helper()
	isResult := func(s section) bool {
		name, _, _ := strings.Cut(s.name, " ")
		return slices.Contains([]string{"shown", "error", "key", "after"}, name)
	}
	var want, have strings.Builder
	for _, s := range script {
		if isResult(s) {
			fmt.Fprintf(&want, "-- %s --\n%s", s.name, s.text)
		}
	}
	for _, s := range got {
		fmt.Fprintf(&have, "-- %s --\n%s", s.name, s.text)
		if !strings.HasSuffix(s.text, "\n") && s.text != "" {
			have.WriteString("\n")
		}
	}
	if want.String() == have.String() {
		return
	}
	if !*update {
		t.Errorf("differs from the script (-update rewrites it):\n%s", diff(want.String(), have.String()))
		return
	}
	head, _, _ := strings.Cut(text, "-- shown --\n")
	if err := os.WriteFile(file, []byte(head+have.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// checkShown: no secret and nothing that a terminal acts on is ever shown.
func checkShown(t *testing.T, shown string) {
	t.Helper()
	for _, secret := range []string{"right", "wrong", "client-secret-7"} {
		for line := range strings.Lines(shown) {
			if strings.Contains(line, secret) {
				t.Errorf("a secret is shown: %q", line)
			}
		}
	}
	for _, r := range shown {
		if r < ' ' && r != '\n' || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e {
			t.Errorf("%U is shown", r)
		}
	}
}

// Ctrl-D at any question of any script: before the yes nothing is on disk or in the key store, and nothing is lost later.
func TestEndedAnywhere(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join("..", "..", "testdata", "setup", "*.txt"))
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		script := sections(string(text))
		_, typed := newWorld(t, script)
		for n := range typed {
			w, typed := newWorld(t, script)
			before := w.result(t, &paper{}, nil)
			p := &paper{answers: typed[:n]}
			err := Run(t.Context(), w.options(p))
			after := w.result(t, &paper{}, nil)
			if strings.Contains(p.shown.String(), "\nWritten: ") || len(w.store.kept) > 0 {
				if err != nil {
					t.Errorf("%s, %d answers: written and an error: %v", file, n, err)
				}
			} else if !slices.Equal(before, after) {
				t.Errorf("%s, %d answers: something was written:\n%v", file, n, after)
			} else if err == nil {
				t.Errorf("%s, %d answers: no error though nothing was written", file, n)
			}
			for _, s := range before { // what was there is there still, or as a copy
				path := strings.TrimPrefix(s.name, "after ")
				if s.text != "" && s.name != "shown" && !slices.ContainsFunc(after, func(a section) bool { return strings.Contains(a.name, strings.Fields(path)[0]) && a.text == s.text }) {
					t.Errorf("%s, %d answers: %s is lost", file, n, path)
				}
			}
		}
	}
}
