package setup

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var itself = server{name: "imap-mcp", command: `C:\Program Files\imap-mcp.exe`, args: []string{"--config", "/home/ann's/imap.toml"}}

func TestInsertJSON(t *testing.T) {
	for name, test := range map[string]struct {
		text string
		want string // what the result begins with, or "" if err is set
		err  error
	}{
		"no file":               {"", "{\n  \"mcpServers\": {\n", nil},
		"blank file":            {" \n", "{\n  \"mcpServers\": {\n", nil},
		"empty object":          {"{}", `{"mcpServers": {`, nil},
		"empty, on two lines":   {"{\n}\n", "{\n  \"mcpServers\": {\n    \"imap-mcp\"", nil},
		"no servers":            {"{\n\t\"a\": 1\n}", "{\n\t\"a\": 1,\n\t\"mcpServers\": {\n\t\t\"imap-mcp\": {\n", nil},
		"empty servers":         {"{\n  \"mcpServers\": {\n  }\n}\n", "{\n  \"mcpServers\": {\n    \"imap-mcp\": {\n", nil},
		"one line inside":       {"{\n  \"mcpServers\": {\"o\": {}}\n}\n", "{\n  \"mcpServers\": {\"o\": {},\n    \"imap-mcp\": {\n", nil},
		"Windows line ends":     {"{\r\n  \"a\": 1\r\n}\r\n", "{\r\n  \"a\": 1,\r\n  \"mcpServers\": {\r\n", nil},
		"large numbers stay":    {`{"n": 12345678901234567890.10}`, `{"n": 12345678901234567890.10,"mcpServers": {`, nil},
		"braces in texts":       {`{"a": "}{,//"}`, `{"a": "}{,//","mcpServers": {`, nil},
		"the same name deeper":  {`{"p": {"mcpServers": {"imap-mcp": 1}}}`, `{"p": {"mcpServers": {"imap-mcp": 1}},"mcpServers": {`, nil},
		"taken":                 {`{"mcpServers": {"imap-mcp": {}}}`, "", errTaken},
		"comment":               {"{\n  // x\n}", "", errForm},
		"trailing comma":        {`{"a": 1,}`, "", errForm},
		"two documents":         {`{} {}`, "", errForm},
		"not an object":         {`[]`, "", errForm},
		"servers not an object": {`{"mcpServers": []}`, "", errForm},
		"servers twice":         {`{"mcpServers": {}, "mcpServers": {}}`, "", errForm},
		"byte order mark":       {"\ufeff{}", "", errForm},
		"cut off":               {`{"a": `, "", errForm},
	} {
		t.Run(name, func(t *testing.T) {
			f := jsonForm("mcpServers", true)
			got, err := f.insert(test.text, itself)
			if !errors.Is(err, test.err) || test.err == nil && !strings.HasPrefix(got, test.want) {
				t.Fatalf("got %q, %v, want %q, %v", got, err, test.want, test.err)
			}
			if test.err != nil {
				return
			}
			if !json.Valid([]byte(got)) || strings.Contains(strings.ReplaceAll(got, "\r\n", ""), "\r") {
				t.Errorf("not valid: %q", got)
			}
			if again, err := f.insert(got, itself); !errors.Is(err, errTaken) {
				t.Errorf("a second time: got %q, %v", again, err)
			}
		})
	}
}

// FuzzInsertJSON: what is not refused has the entry, and without it means what it meant.
func FuzzInsertJSON(f *testing.F) {
	for _, s := range []string{"{}", "{\n \"a\": [1, {\"b\": null}]\n}", `{"mcpServers": {"o": {}}}`, "{\"mcpServers\": {\n}\n}", "{\"a\":1}\r\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		form := jsonForm("mcpServers", false)
		got, err := form.insert(text, itself)
		if err != nil {
			return
		}
		if strings.TrimSpace(text) != "" && form.verify(text, got, itself) != nil {
			t.Errorf("%q became %q", text, got)
		}
		i := 0 // every octet that is not blank stays, in its order
		for _, b := range []byte(text) {
			if strings.ContainsRune(" \t\r\n", rune(b)) {
				continue
			}
			j := strings.IndexByte(got[i:], b)
			if j < 0 {
				t.Fatalf("%q became %q", text, got)
			}
			i += j + 1
		}
	})
}

func TestInsertTOML(t *testing.T) {
	const table = "[mcp_servers.imap-mcp]\ncommand = \"C:\\\\Program Files\\\\imap-mcp.exe\"\nargs = [\"--config\", \"/home/ann's/imap.toml\"]\n"
	for name, test := range map[string]struct {
		text, want string
		err        error
	}{
		"no file":       {"", table, nil},
		"no line end":   {"a = 1 # x", "a = 1 # x\n\n" + table, nil},
		"others":        {"[mcp_servers.o]\ncommand = \"o\"\n\n", "[mcp_servers.o]\ncommand = \"o\"\n\n" + table, nil},
		"taken":         {"[mcp_servers.imap-mcp]\n", "", errTaken},
		"taken, quoted": {"[mcp_servers.\"imap-mcp\"]\n", "", errTaken},
		"inline table":  {"mcp_servers = { o = { command = \"o\" } }\n", "", errForm},
		"dotted keys":   {"mcp_servers.o.command = \"o\"\n", "", errForm},
		"not TOML":      {"a = \n", "", errForm},
	} {
		if got, err := insertTOML(test.text, itself); got != test.want || !errors.Is(err, test.err) {
			t.Errorf("%s: got %q, %v, want %q, %v", name, got, err, test.want, test.err)
		}
	}
}

func TestInsertYAML(t *testing.T) {
	entry := func(indent string) string { return extension(itself, indent) + "\n" }
	for name, test := range map[string]struct {
		text, want string
		err        error
	}{
		"no file":          {"", "extensions:\n" + entry("  "), nil},
		"no extensions":    {"A: b", "A: b\nextensions:\n" + entry("  "), nil},
		"four blanks":      {"extensions:\n\n    # x\n    o:\n        type: builtin\nA: b\n", "extensions:\n" + entry("    ") + "\n    # x\n    o:\n        type: builtin\nA: b\n", nil},
		"none yet":         {"extensions:\nA: b\n", "extensions:\n" + entry("  ") + "A: b\n", nil},
		"document start":   {"---\nextensions:\n  o: {}\n", "---\nextensions:\n" + entry("  ") + "  o: {}\n", nil},
		"name of a cousin": {"extensions:\n  o:\n    imap-mcp: 1\nimap-mcp: 2\n", "extensions:\n" + entry("  ") + "  o:\n    imap-mcp: 1\nimap-mcp: 2\n", nil},
		"taken":            {"extensions:\n  o: 1\n  imap-mcp:\n    type: stdio\n", "", errTaken},
		"taken, quoted":    {"extensions:\n  \"imap-mcp\": {}\n", "", errTaken},
		"flow style":       {"extensions: {}\n", "", errForm},
		"flow root":        {"{extensions: {}}\n", "", errForm},
		"anchor":           {"extensions: &a\n  o: 1\n", "", errForm},
		"comment behind":   {"extensions: # x\n  o: 1\n", "", errForm},
		"twice":            {"extensions:\n  o: 1\nextensions:\n  p: 1\n", "", errForm},
		"quoted key":       {"\"extensions\":\n  o: 1\n", "", errForm},
		"a list":           {"extensions:\n  - o\n", "", errForm},
		"tab":              {"a: b\t# c\n", "", errForm},
		"two documents":    {"a: b\n---\nc: d\n", "", errForm},
		"Windows lines":    {"a: b\r\n", "", errForm},
	} {
		if got, err := insertYAML(test.text, itself); got != test.want || !errors.Is(err, test.err) {
			t.Errorf("%s: got %q, %v, want %q, %v", name, got, err, test.want, test.err)
		}
	}
	if !strings.Contains(entry(""), "cmd: 'C:\\Program Files\\imap-mcp.exe'\n") || !strings.Contains(entry(""), "args: ['--config', '/home/ann''s/imap.toml']\n") {
		t.Errorf("got %s", entry(""))
	}
}

// The files of clients, on each system.
func TestClientFiles(t *testing.T) {
	env := map[string]string{"APPDATA": "/roaming"}
	for system, want := range map[string]string{
		"linux":   "/h/.claude.json /h/.config/Claude/claude_desktop_config.json /h/.config/Code/User/mcp.json /h/.cursor/mcp.json /h/.codex/config.toml /h/.config/goose/config.yaml /h/.gemini/settings.json",
		"darwin":  "/h/.claude.json /h/Library/Application Support/Claude/claude_desktop_config.json /h/Library/Application Support/Code/User/mcp.json /h/.cursor/mcp.json /h/.codex/config.toml /h/.config/goose/config.yaml /h/.gemini/settings.json",
		"windows": "/h/.claude.json /roaming/Claude/claude_desktop_config.json /roaming/Code/User/mcp.json /h/.cursor/mcp.json /h/.codex/config.toml /roaming/Block/goose/config/config.yaml /h/.gemini/settings.json",
	} {
		var got []string
		for _, c := range clientFiles(Place{OS: system, Home: "/h", Getenv: func(name string) string { return env[name] }}) {
			got = append(got, filepath.ToSlash(c.path))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: got %q, want %q", system, got, want)
		}
	}
	moved := clientFiles(Place{OS: "linux", Home: "/h", Getenv: func(name string) string {
		return map[string]string{"CLAUDE_CONFIG_DIR": "/c", "CODEX_HOME": "/x"}[name]
	}})
	if moved[0].path != filepath.FromSlash("/c/.claude.json") || moved[4].path != filepath.FromSlash("/x/config.toml") {
		t.Errorf("moved: got %q, %q", moved[0].path, moved[4].path)
	}
}

// A file that somebody else changed since it was shown is left as it is, a link stays a link, and copies do not overwrite copies.
func TestReplace(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "real"), filepath.Join(dir, "link")
	write := func(text string) {
		if err := os.WriteFile(path, []byte(text), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	write("old")
	if err := os.Symlink(path, link); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	fine := func(string) error { return nil }
	for i, want := range []string{".bak", ".bak2"} {
		write("old")
		backup, err := replace(link, "old", "new", true, fine)
		if err != nil || backup != path+want {
			t.Errorf("%d: got %q, %v", i, backup, err)
		}
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link: %v, %v", info.Mode(), err)
	}
	if text, _ := os.ReadFile(path); string(text) != "new" {
		t.Errorf("got %q", text)
	}
	for name, f := range map[string]func() (string, error){
		"changed":  func() (string, error) { return replace(path, "old", "x", true, fine) },
		"appeared": func() (string, error) { return replace(path, "", "x", false, fine) },
		"gone":     func() (string, error) { return replace(path+"-not-there", "old", "x", true, fine) },
		"refused":  func() (string, error) { return replace(path, "new", "x", true, func(string) error { return ErrFile }) },
	} {
		if _, err := f(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if text, _ := os.ReadFile(path); string(text) != "new" {
		t.Errorf("got %q after refusals", text)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".mailgap-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// What would mean something else for an account that was there is refused.
func TestVerify(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const old = "[account.a]\nhost = \"a.example.com\"\nuser = \"a\"\n"
	e, err := readExisting(program(false).Spec, write("old", old))
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		text string
		ok   bool
	}{
		"added":            {old + "[account.b]\nhost = \"b.example.com\"\n", true},
		"comments do not":  {"# x\n" + old + "[account.b]\n", true},
		"host changed":     {strings.Replace(old, "a.example", "x.example", 1) + "[account.b]\n", false},
		"changed for all":  {"mailbox = \"X\"\n" + old + "[account.b]\n", false},
		"not added":        {old, false},
		"one too many":     {old + "[account.b]\n[account.c]\n", false},
		"old one is gone":  {"[account.b]\n", false},
		"with faults":      {old + "[account.b]\nhots = \"x\"\n", false},
		"password of file": {old + "password_file = \"/p\"\n[account.b]\n", false},
	} {
		if _, err := e.verify(write("new", test.text), "b"); (err == nil) != test.ok || err != nil && !errors.Is(err, ErrFile) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// If the key store takes one secret and not the next, the first goes again and what was there before is back.
func TestCommitIsWhole(t *testing.T) {
	real := &fussy{store{kept: map[string]string{"a": "before"}}}
	s := newStaging(real)
	for _, entry := range []string{"a", "b", "refused"} {
		if err := s.Set(t.Context(), entry, "new"); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.commit(t.Context(), real); !errors.Is(err, errStore) {
		t.Errorf("got %v, want %v", err, errStore)
	}
	if len(real.kept) != 1 || real.kept["a"] != "before" {
		t.Errorf("got %v", real.kept)
	}
}

// fussy refuses one entry.
type fussy struct{ store }

func (f *fussy) Set(ctx context.Context, entry, secret string) error {
	if entry == "refused" {
		return errStore
	}
	return f.store.Set(ctx, entry, secret)
}
