package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"mailgap/shared/deptest"
)

// TestDeps: the program that reads mail links nothing that could send it.
func TestDeps(t *testing.T) {
	deptest.Check(t, []string{"mailgap/readmail", "mailgap/shared/ledger/writer", "github.com/emersion/go-imap/v2/imapclient"}, map[string]string{
		"net/smtp":                    "imap-mcp cannot send",
		"github.com/emersion/go-smtp": "imap-mcp cannot send",
		"mailgap/sendmail":            "imap-mcp cannot send",
		"mailgap/confirm":             "there is nothing to approve",
		"mailgap/readmail/imaptest":   "only for tests",
		"testing":                     "only for tests",
	})
}

// TestProcessesAreStartedInFewPlaces: programs are run only for commands that print a secret, to open the approval page, and
// to read attachments apart from the server.
func TestProcessesAreStartedInFewPlaces(t *testing.T) {
	root := filepath.Join("..", "..")
	may := []string{"shared/config", "shared/chromium", "confirm", "readmail/extract", "shared/deptest", "cmd/mail-evals", "readmail/imaptest", "sendmail/smtptest"}
	found := map[string]bool{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() && path != root && (strings.HasPrefix(name, ".") || name == "testdata" || name == "node_modules") {
			return fs.SkipDir
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		for _, i := range f.Imports {
			if p, _ := strconv.Unquote(i.Path.Value); p == "os/exec" {
				found[filepath.ToSlash(rel)] = true
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for dir := range found {
		if !within(dir, may) {
			t.Errorf("%s imports os/exec; only %s may", dir, strings.Join(may, ", "))
		}
	}
	if !found["shared/config"] || !found["readmail/extract"] {
		t.Errorf("os/exec was found in %v; the walk misses packages that use it", found)
	}
}

func within(dir string, may []string) bool {
	for _, m := range may {
		if dir == m || strings.HasPrefix(dir, m+"/") {
			return true
		}
	}
	return false
}
