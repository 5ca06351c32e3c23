package addr_test

import (
	"testing"

	"mailgap/shared/deptest"
)

func TestDeps(t *testing.T) {
	deptest.Check(t, []string{"golang.org/x/net/idna", "golang.org/x/text/unicode/norm"}, map[string]string{
		"mailgap/readmail": "shared packages import nothing of ours", "mailgap/sendmail": "shared packages import nothing of ours",
		"mailgap/sanitize": "shared packages import nothing of ours", "mailgap/confirm": "shared packages import nothing of ours",
		"mailgap/shared/config": "shared packages import nothing of ours", "net/http": "an address is judged without asking the network",
		"testing": "for tests only", "os/exec": "starting programs is for three other places",
	})
}
