package config

import (
	"testing"

	"mailgap/shared/deptest"
)

func TestDeps(t *testing.T) {
	deptest.Check(t, []string{"os/exec"}, map[string]string{
		"mailgap/readmail": "shared packages import nothing of ours", "mailgap/sanitize": "shared packages import nothing of ours",
		"mailgap/sendmail": "shared packages import nothing of ours", "mailgap/confirm": "shared packages import nothing of ours",
		"mailgap/shared/mcpserve": "shared packages import nothing of ours",
		"net":                     "settings are read from the environment, files and commands only", "testing": "for tests only",
	})
}
