package sanitize

import (
	"testing"

	"mailgap/shared/deptest"
)

// TestDeps: the package has no way to a file, a network or another process, and knows no mail protocol.
func TestDeps(t *testing.T) {
	deptest.Check(t, []string{"mailgap/sanitize/htmltext", "golang.org/x/net/html", "golang.org/x/net/idna", "golang.org/x/net/publicsuffix"}, map[string]string{
		"os/exec":                  "text needs no process",
		"net":                      "text needs no network",
		"net/http":                 "text needs no network",
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
