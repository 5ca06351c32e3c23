package audit

import (
	"testing"

	"mailgap/shared/deptest"
)

func TestDependencies(t *testing.T) {
	deptest.Check(t, []string{"mailgap/shared/audit/filelock"}, map[string]string{
		"mailgap/readmail":     "shared packages import nothing above them",
		"mailgap/sendmail":     "shared packages import nothing above them",
		"mailgap/confirm":      "shared packages import nothing above them",
		"mailgap/sanitize":     "shared packages import nothing above them",
		"github.com/emersion":  "no mail protocol here",
		"github.com/mark3labs": "no MCP here",
		"net":                  "a log has no network",
		"os/exec":              "a log starts nothing",
		"testing":              "tests only",
	})
}
