package config

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// helperEnv makes the test binary act as something else: a command that prints a secret, or a program with settings.
const helperEnv = "CONFIG_TEST_HELPER"

func TestMain(m *testing.M) {
	switch os.Getenv(helperEnv) {
	case "":
		os.Exit(m.Run())
	case "environ":
		helperEnviron()
	default:
		helperCommand(os.Getenv(helperEnv))
	}
}

// helperCommand is the command of IMAP_PASSWORD_COMMAND.
func helperCommand(how string) {
	how, file, _ := strings.Cut(how, "@")
	if file != "" { // leave a mark for each run
		f, _ := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		_, _ = f.WriteString("x")
		f.Close()
	}
	fmt.Fprintln(os.Stderr, "sEcReT on standard error")
	switch how {
	case "print":
		fmt.Print("first line\r\nsecond line\n")
	case "fail":
		fmt.Println("sEcReT")
		os.Exit(3)
	case "empty":
		fmt.Println()
	case "flood":
		for {
			if _, err := fmt.Print(strings.Repeat("sEcReT", 1000)); err != nil {
				os.Exit(1)
			}
		}
	case "hang":
		stop := make(chan os.Signal, 1)
		signal.Notify(stop, os.Interrupt)
		<-stop
	case "child": // a grandchild that keeps the output open
		c := exec.Command(os.Args[0])
		c.Env, c.Stdout = append(os.Environ(), helperEnv+"=sleep"), os.Stdout
		_ = c.Start()
		fmt.Println("from the parent")
	case "sleep":
		<-time.After(5 * time.Second)
	}
}

// helperEnviron loads the settings and shows what is left of the environment.
func helperEnviron() {
	v, _, err := LoadProcess(testSpec(), Options{})
	sec, getErr := v.Default().Secret("IMAP_PASSWORD").Get(context.Background())
	data, _ := os.ReadFile("/proc/self/environ")
	fmt.Printf("%v|%v|%v|%v|%v|%v\n", err, getErr, sec.Reveal() == "sEcReT", os.Getenv("IMAP_PASSWORD") == "",
		bytes.Contains(data, []byte("sEcReT")), bytes.Contains(data, []byte("IMAP_USER=someone")))
}

func TestProcessEnvironment(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), helperEnv+"=environ", "IMAP_PASSWORD=sEcReT", "IMAP_USER=someone")
	out, err := cmd.Output()
	want := "<nil>|<nil>|true|true|false|true\n"
	if runtime.GOOS != "linux" {
		want = "<nil>|<nil>|true|true|false|false\n"
	}
	if err != nil || string(out) != want {
		t.Errorf("got %q, %v, want %q", out, err, want)
	}
}

func TestLoadProcessForgetsAfterFaults(t *testing.T) {
	t.Setenv("IMAP_PASSWORD", "sEcReT")
	t.Setenv("IMAP_PORT", "x")
	if _, _, err := LoadProcess(testSpec(), Options{}); err == nil {
		t.Error("got nil, want an error")
	}
	if got, ok := os.LookupEnv("IMAP_PASSWORD"); ok {
		t.Errorf("the environment still has it: %q", got)
	}
}

func TestSecretPrintsRedacted(t *testing.T) {
	s := NewSecret("sEcReT")
	holder := struct {
		Public  Secret
		private Secret
		Pointer *Secret
		Map     map[string]Secret
	}{s, s, &s, map[string]Secret{"a": s}}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%t", "%p", "%T", "%08.3f", "%U", "%c", "%b"} {
		for _, value := range []any{s, &s, holder, &holder, []Secret{s}, fmt.Errorf("x %w", errors.New(fmt.Sprint(s)))} {
			got := fmt.Sprintf(verb, value)
			if strings.Contains(got, "sEcReT") || strings.Contains(strings.ToLower(got), "7345635265") {
				t.Errorf("%s: got %q", verb, got)
			}
		}
		if got := fmt.Sprintf(verb, s); got != redacted && verb != "%T" && verb != "%p" {
			t.Errorf("%s: got %q, want %q", verb, got, redacted)
		}
	}
	var b bytes.Buffer
	for _, h := range []slog.Handler{slog.NewTextHandler(&b, nil), slog.NewJSONHandler(&b, nil)} {
		slog.New(h).Info("x", "s", s, "p", &s, "h", holder, slog.Group("g", "s", s))
	}
	j, err := json.Marshal(holder)
	if err != nil {
		t.Error(err)
	}
	type document struct{ S Secret }
	x, err := xml.Marshal(document{s})
	if err != nil {
		t.Error(err)
	}
	all := b.String() + string(j) + string(x)
	if strings.Contains(all, "sEcReT") || strings.Count(all, redacted) < 6 {
		t.Errorf("got %s", all)
	}
	if (Secret{}).Reveal() != "" || !(Secret{}).IsEmpty() || s.Reveal() != "sEcReT" {
		t.Error("Reveal is wrong")
	}
}

// fileSource returns the source of a password file with these octets and mode.
func fileSource(t *testing.T, content string, mode os.FileMode) (*Source, string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "sEcReT-path")
	if err := os.WriteFile(file, []byte(content), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(file, mode); err != nil {
		t.Fatal(err)
	}
	return secretFrom(t, "IMAP_PASSWORD_FILE="+file), file
}

func secretFrom(t *testing.T, line string) *Source {
	t.Helper()
	v, _, err := Load([]string{line}, testSpec())
	if err != nil {
		t.Fatal(err)
	}
	return v.Secret("IMAP_PASSWORD")
}

func TestSecretFile(t *testing.T) {
	tests := []struct {
		name, content string
		mode          os.FileMode
		want, wantErr string
	}{
		{"plain", "pass word", 0o600, "pass word", ""},
		{"line end", "pass\n", 0o400, "pass", ""},
		{"CRLF", "pass\r\n", 0o600, "pass", ""},
		{"inner spaces stay", " pass ", 0o600, " pass ", ""},
		{"not ASCII", "p\u00e4ss\n", 0o600, "p\u00e4ss", ""},
		{"group may read", "sEcReT", 0o640, "", `run: chmod 600 "$IMAP_PASSWORD_FILE"`},
		{"all may read", "sEcReT", 0o604, "", "others may read the file"},
		{"all may write", "sEcReT", 0o602, "", "others may read the file"},
		{"empty", "", 0o600, "", "the secret is empty"},
		{"only a line end", "\n", 0o600, "", "the secret is empty"},
		{"two lines", "sEcReT\nsEcReT\n", 0o600, "", "more than one line"},
		{"NUL", "sEcReT\x00", 0o600, "", "control character"},
		{"not UTF-8", "sEcReT\xff", 0o600, "", "not UTF-8"},
		{"longest", strings.Repeat("x", maxSecretOctets) + "\r\n", 0o600, strings.Repeat("x", maxSecretOctets), ""},
		{"too long", strings.Repeat("x", maxSecretOctets+1), 0o600, "", "longer than"},
	}
	for _, tt := range tests {
		if runtime.GOOS == "windows" && tt.mode != 0o600 {
			continue
		}
		src, _ := fileSource(t, tt.content, tt.mode)
		sec, err := src.Get(t.Context())
		if sec.Reveal() != tt.want || (err == nil) != (tt.wantErr == "") {
			t.Errorf("%s: got %.20q, %v, want %.20q, %q", tt.name, sec.Reveal(), err, tt.want, tt.wantErr)
		}
		if err != nil && (!errors.Is(err, ErrSecret) || !strings.Contains(err.Error(), tt.wantErr) || strings.Contains(err.Error(), "sEcReT")) {
			t.Errorf("%s: got %v, want %q without the value or the path", tt.name, err, tt.wantErr)
		}
	}
}

func TestSecretFileChanges(t *testing.T) {
	src, file := fileSource(t, "old", 0o600)
	if sec, err := src.Get(t.Context()); err != nil || sec.Reveal() != "old" {
		t.Fatalf("got %q, %v", sec.Reveal(), err)
	}
	if err := os.WriteFile(file, []byte("new"), 0o600); err != nil {
		t.Fatal(err)
	}
	if sec, err := src.Get(t.Context()); err != nil || sec.Reveal() != "new" {
		t.Errorf("changed file: got %q, %v", sec.Reveal(), err)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if _, err := src.Get(t.Context()); err == nil || !strings.Contains(err.Error(), "IMAP_PASSWORD_FILE: there is no such file") || strings.Contains(err.Error(), "sEcReT") {
		t.Errorf("missing file: got %v", err)
	}
	dir := secretFrom(t, "IMAP_PASSWORD_FILE="+t.TempDir())
	if _, err := dir.Get(t.Context()); err == nil || !strings.Contains(err.Error(), "regular file") {
		t.Errorf("directory: got %v", err)
	}
	none := &Source{places: []string{"IMAP_PASSWORD", "IMAP_PASSWORD_FILE"}}
	if _, err := none.Get(t.Context()); !errors.Is(err, ErrNoSecret) || !strings.Contains(err.Error(), "IMAP_PASSWORD or IMAP_PASSWORD_FILE") || none.Name() != "IMAP_PASSWORD" {
		t.Errorf("no place: got %v", err)
	}
}

// self is a command line that runs the test binary.
func self(t *testing.T, how string) string {
	t.Helper()
	t.Setenv(helperEnv, how)
	return `"` + strings.ReplaceAll(os.Args[0], `\`, `\\`) + `" sEcReT-argument`
}

func TestSecretCommand(t *testing.T) {
	tests := []struct{ how, want, wantErr string }{
		{"print", "first line", ""},
		{"fail", "", "ended with status 3"},
		{"empty", "", "first line of the command's output is empty"},
		{"flood", "", "more than a secret can be long"},
	}
	for _, tt := range tests {
		t.Run(tt.how, func(t *testing.T) {
			sec, err := secretFrom(t, "IMAP_PASSWORD_COMMAND="+self(t, tt.how)).Get(t.Context())
			if sec.Reveal() != tt.want || (err == nil) != (tt.wantErr == "") {
				t.Errorf("got %q, %v, want %q, %q", sec.Reveal(), err, tt.want, tt.wantErr)
			}
			if err != nil && (!strings.Contains(err.Error(), tt.wantErr) || strings.Contains(err.Error(), "sEcReT") || !strings.Contains(err.Error(), "IMAP_PASSWORD_COMMAND")) {
				t.Errorf("got %v, want %q without command or output", err, tt.wantErr)
			}
		})
	}
	_, err := secretFrom(t, "IMAP_PASSWORD_COMMAND=/nowhere/sEcReT").Get(t.Context())
	if err == nil || !strings.Contains(err.Error(), "there is no such program") || strings.Contains(err.Error(), "sEcReT") {
		t.Errorf("missing program: got %v", err)
	}
	_, err = secretFrom(t, "IMAP_PASSWORD_COMMAND=sEcReT-not-in-path").Get(t.Context())
	if err == nil || !strings.Contains(err.Error(), "there is no such program") || strings.Contains(err.Error(), "sEcReT") {
		t.Errorf("program not in the path: got %v", err)
	}
}

func TestSecretCommandEnds(t *testing.T) {
	command := self(t, "hang")
	if _, err := runCommand(t.Context(), command, 100*time.Millisecond); !errors.Is(err, errCommandTimeout) {
		t.Errorf("got %v, want %v", err, errCommandTimeout)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := runCommand(ctx, command, time.Minute); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
	begin := time.Now()
	_, err := runCommand(t.Context(), self(t, "child"), time.Minute)
	if took := time.Since(begin); took > 4*time.Second {
		t.Errorf("a grandchild held the output for %v (%v)", took, err)
	}
}

// TestSecretCommandOnce: many callers share one run, until the value is refused by the server.
func TestSecretCommandOnce(t *testing.T) {
	mark := filepath.Join(t.TempDir(), "runs")
	src := secretFrom(t, "IMAP_PASSWORD_COMMAND="+self(t, "print@"+mark))
	if _, err := os.Stat(mark); err == nil {
		t.Fatal("the command ran when the settings were read")
	}
	done := make(chan error, 10)
	for range cap(done) {
		go func() {
			_, err := src.Get(t.Context())
			done <- err
		}()
	}
	for range cap(done) {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	runs := func() int { data, _ := os.ReadFile(mark); return len(data) }
	if runs() != 1 {
		t.Errorf("got %d runs, want 1", runs())
	}
	src.Invalidate()
	if _, err := src.Get(t.Context()); err != nil || runs() != 2 {
		t.Errorf("after Invalidate: got %d runs, %v, want 2", runs(), err)
	}
}

func TestSplitCommand(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	tests := []struct{ in, want string }{ // words joined by |; "" for an error
		{`pass show mail`, `pass|show|mail`},
		{`  pass   show  `, `pass|show`},
		{`"/opt/my tools/pass" 'a b' c"d e"f`, `/opt/my tools/pass|a b|cd ef`},
		{`p "a \"b\" \\ \n"`, `p|a "b" \ \n`},
		{`p 'a\'`, `p|a\`},
		{`C:\tools\pass.exe x`, `C:\tools\pass.exe|x`},
		{`p "" ''`, `p||`},
		{`p $HOME *.txt ; | & > x`, `p|$HOME|*.txt|;|||&|>|x`},
		{`~/bin/pass ~/x`, filepath.Join(home, "bin/pass") + `|~/x`},
		{``, ``}, {`   `, ``}, {`'a`, ``}, {`"a\"`, ``}, {`"" x`, ``}, {"a\nb", ``}, {"a\tb", ``},
	}
	for _, tt := range tests {
		words, err := SplitCommand(tt.in)
		if got := strings.Join(words, "|"); got != tt.want && tt.want != "" || (err == nil) != (tt.want != "") {
			t.Errorf("%q: got %q, %v, want %q", tt.in, got, err, tt.want)
		}
	}
}
