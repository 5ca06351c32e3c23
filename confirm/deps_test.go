package confirm

import (
	"os/exec"
	"strings"
	"testing"

	"mailgap/shared/deptest"
)

func TestDeps(t *testing.T) {
	deptest.Check(t, []string{"mailgap/shared/mcpserve"}, map[string]string{
		"mailgap/readmail": "asking knows no mail", "mailgap/sendmail": "asking knows no mail", "mailgap/sanitize": "has its own exact function",
		"github.com/emersion": "asking knows no mail protocol", "net/smtp": "asking knows no mail protocol",
		"testing": "for tests only",
	})
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	for dep := range strings.FieldsSeq(string(out)) {
		if strings.HasPrefix(dep, "mailgap/") && !strings.HasPrefix(dep, "mailgap/shared/") && dep != "mailgap/confirm" {
			t.Errorf("links %s, want shared packages only", dep)
		}
	}
}
