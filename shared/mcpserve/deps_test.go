package mcpserve

import (
	"testing"

	"mailgap/shared/deptest"
)

func TestDeps(t *testing.T) {
	deptest.Check(t, []string{"github.com/mark3labs/mcp-go/server", "github.com/santhosh-tekuri/jsonschema/v6"}, map[string]string{
		"mailgap/readmail": "shared packages import nothing of ours", "mailgap/sanitize": "shared packages import nothing of ours",
		"mailgap/sendmail": "shared packages import nothing of ours", "mailgap/confirm": "shared packages import nothing of ours",
		"mailgap/shared/config":              "shared packages import nothing of ours",
		"github.com/mark3labs/mcp-go/client": "a server asks nobody", "github.com/mark3labs/mcp-go/mcptest": "hides the faults that matter",
		"testing": "for tests only", "os/exec": "starting programs is for three other places",
	})
}
