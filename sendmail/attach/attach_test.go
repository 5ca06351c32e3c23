package attach_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mailgap/sendmail/attach"
)

func write(t *testing.T, dir, name string, octets []byte) {
	t.Helper()
	p := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(p), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p, octets, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "notes.txt", []byte("hello\n"))
	write(t, dir, "sub/übersicht.pdf", pdf("ok"))
	for name, want := range map[string]string{"notes.txt": "text/plain", "sub/übersicht.pdf": "application/pdf"} {
		got, err := attach.Open(t.Context(), dir, name, attach.Limits{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got.MediaType != want || got.Name != filepath.Base(name) || got.SHA256 != sha256.Sum256(got.Octets) {
			t.Errorf("%s: got %q %q", name, got.MediaType, got.Name)
		}
	}
}

func TestOpenRefusesPaths(t *testing.T) {
	outside := t.TempDir()
	write(t, outside, "secret.txt", []byte("outside\n"))
	dir := t.TempDir()
	write(t, dir, "notes.txt", []byte("hello\n"))
	write(t, dir, "empty.txt", nil)
	write(t, dir, ".hidden/key.txt", []byte("hidden\n"))
	write(t, dir, "sub/inner.txt", []byte("inner\n"))
	link := func(target, name string) {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	link(filepath.Join(outside, "secret.txt"), "absolute.txt")
	link("../"+filepath.Base(outside)+"/secret.txt", "relative.txt")
	link(outside, "outdir")
	link("sub/../../"+filepath.Base(outside)+"/secret.txt", "twisted.txt")
	link("loop.txt", "loop.txt")
	tests := []struct {
		name, in string
		want     error
	}{
		{"nothing", "", attach.ErrName},
		{"parent", "../" + filepath.Base(outside) + "/secret.txt", attach.ErrName},
		{"parent inside", "sub/../notes.txt", attach.ErrName},
		{"absolute", filepath.Join(outside, "secret.txt"), attach.ErrName},
		{"absolute inside", filepath.Join(dir, "notes.txt"), attach.ErrName},
		{"double slash", "sub//inner.txt", attach.ErrName},
		{"dot", "./notes.txt", attach.ErrName},
		{"backslash", `sub\inner.txt`, attach.ErrName},
		{"drive", "C:notes.txt", attach.ErrName},
		{"stream", "notes.txt:hidden", attach.ErrName},
		{"file URL", "file:///etc/passwd", attach.ErrName},
		{"hidden directory", ".hidden/key.txt", attach.ErrName},
		{"home", "~root/notes.txt", attach.ErrName},
		{"trailing dot", "notes.txt.", attach.ErrName},
		{"trailing space", "notes.txt ", attach.ErrName},
		{"bad UTF-8", "notes\xff.txt", attach.ErrName},
		{"too deep", "a/b/c/d/e/f/g/h/i.txt", attach.ErrName},
		{"too long", strings.Repeat("a", 300) + ".txt", attach.ErrName},
		{"NUL", "notes.txt\x00.pdf", attach.ErrDeceptiveName},
		{"line break", "notes\n.txt", attach.ErrDeceptiveName},
		{"right-to-left override", "invoice\u202etxt.exe", attach.ErrDeceptiveName},
		{"zero-width space", "notes\u200b.txt", attach.ErrDeceptiveName},
		{"override in a directory's name", "a\u202eb/notes.txt", attach.ErrDeceptiveName},
		{"missing", "missing.txt", attach.ErrNotFound},
		{"below a file", "notes.txt/x.txt", attach.ErrUnreadable},
		{"empty", "empty.txt", attach.ErrEmptyFile},
		{"directory", "sub", attach.ErrNotRegular},
		{"link to an absolute path", "absolute.txt", attach.ErrOutside},
		{"link with dots", "relative.txt", attach.ErrOutside},
		{"link through a directory", "twisted.txt", attach.ErrOutside},
		{"linked directory", "outdir/secret.txt", attach.ErrOutside},
		{"loop", "loop.txt", attach.ErrUnreadable},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			got, err := attach.Open(t.Context(), dir, tc.in, attach.Limits{})
			if !errors.Is(err, tc.want) {
				t.Errorf("got %v, want %v", err, tc.want)
			}
			if got.Octets != nil {
				t.Error("octets beside the error")
			}
			if err != nil && (tc.in != "" && strings.Contains(err.Error(), tc.in) || attach.Hint(err) == "") {
				t.Errorf("error repeats the name or has no hint: %v", err)
			}
		})
	}
}

func TestLimits(t *testing.T) {
	dir := t.TempDir()
	for _, n := range []string{"a.txt", "b.txt", "sub/A.txt"} {
		write(t, dir, n, []byte(strings.Repeat("x", 100)))
	}
	tests := []struct {
		name  string
		names []string
		l     attach.Limits
		want  error
	}{
		{"all fit", []string{"a.txt", "b.txt"}, attach.Limits{MaxFiles: 2, MaxFileBytes: 100, MaxTotalBytes: 200}, nil},
		{"one file too many", []string{"a.txt", "b.txt"}, attach.Limits{MaxFiles: 1}, attach.ErrTooManyFiles},
		{"one octet too many", []string{"a.txt"}, attach.Limits{MaxFileBytes: 99}, attach.ErrFileTooLarge},
		{"together too many", []string{"a.txt", "b.txt"}, attach.Limits{MaxTotalBytes: 199}, attach.ErrTotalTooLarge},
		{"same file twice", []string{"a.txt", "a.txt"}, attach.Limits{}, attach.ErrDuplicateName},
		{"same name in another directory and case", []string{"a.txt", "sub/A.txt"}, attach.Limits{}, attach.ErrDuplicateName},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			if _, err := attach.OpenAll(t.Context(), dir, tc.names, tc.l); !errors.Is(err, tc.want) {
				t.Errorf("got %v, want %v", err, tc.want)
			}
		})
	}
	for _, bad := range []string{"", "relative", filepath.Join(dir, "missing"), filepath.Join(dir, "a.txt")} {
		if _, err := attach.Open(t.Context(), bad, "a.txt", attach.Limits{}); !errors.Is(err, attach.ErrNoDirectory) {
			t.Errorf("directory: got %v, want %v", err, attach.ErrNoDirectory)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := attach.Open(ctx, dir, "a.txt", attach.Limits{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: got %v", err)
	}
	if files, err := attach.OpenAll(t.Context(), "", nil, attach.Limits{}); err != nil || files != nil {
		t.Errorf("no names: got %v %v", files, err)
	}
}

func TestLinkInsideIsFollowed(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "sub/real.txt", []byte("inside\n"))
	if err := os.Symlink("sub/real.txt", filepath.Join(dir, "link.txt")); err != nil {
		t.Fatal(err)
	}
	got, err := attach.Open(t.Context(), dir, "link.txt", attach.Limits{})
	if err != nil || string(got.Octets) != "inside\n" || got.Name != "link.txt" {
		t.Errorf("got %q %q %v", got.Octets, got.Name, err)
	}
}
