package sanitize

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"mailgap/shared/deptest"
)

// TestDeps: the package starts no process and knows no mail protocol. (publicsuffix links net/http for an interface of
// its own; TestImports shows that nothing here uses it.)
func TestDeps(t *testing.T) {
	deptest.Check(t, []string{"mailgap/sanitize/htmltext", "golang.org/x/net/html", "golang.org/x/net/idna", "golang.org/x/net/publicsuffix"}, map[string]string{
		"os/exec":                  "text needs no process",
		"testing":                  "only for tests",
		"mailgap/readmail":         "direction: readmail uses sanitize",
		"mailgap/sendmail":         "direction: sendmail uses sanitize",
		"mailgap/confirm":          "the two do not know each other",
		"mailgap/shared/config":    "nothing here is configured",
		"mailgap/shared/mcpserve":  "direction: tools use sanitize",
		"github.com/emersion":      "no mail protocol",
		"github.com/yuin/goldmark": "a renderer is a judge in tests, not a part of the work",
	})
}

// TestImports: no file of the package imports a way to a file, a network, a process or a random source of its own.
func TestImports(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) < 10 {
		t.Fatalf("got %d files, %v", len(files), err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range f.Imports {
			switch path, _ := strconv.Unquote(i.Path.Value); path {
			case "net", "net/http", "net/url", "os", "io/fs", "os/exec", "syscall", "unsafe", "reflect", "crypto/rand", "math/rand/v2", "log", "log/slog":
				t.Errorf("%s imports %s", name, path)
			}
		}
	}
}
