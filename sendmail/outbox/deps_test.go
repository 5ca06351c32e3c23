package outbox

import (
	"testing"

	"mailgap/shared/deptest"
)

func TestDependencies(t *testing.T) {
	deptest.Check(t, []string{"modernc.org/sqlite", "mailgap/shared/audit/filelock"}, map[string]string{
		"mailgap/readmail":         "sending never links reading",
		"mailgap/confirm":          "the journal does not ask",
		"mailgap/sanitize":         "strings are made safe where they are shown",
		"mailgap/sendmail/compose": "the journal keeps octets and never makes them",
		"mailgap/sendmail/submit":  "the journal does not send",
		"github.com/emersion":      "no mail protocol here",
		"github.com/mark3labs":     "no MCP here",
		"net/http":                 "no network here",
		"testing":                  "tests only",
	})
}
