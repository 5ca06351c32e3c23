package fingerprint_test

import (
	"testing"

	"mailgap/shared/deptest"
)

func TestDeps(t *testing.T) {
	deptest.Check(t, []string{"mailgap/shared/addr", "golang.org/x/text/unicode/norm"}, map[string]string{
		"mailgap/readmail": "shared packages import nothing above them", "mailgap/sendmail": "shared packages import nothing above them",
		"mailgap/sanitize": "shared packages import nothing above them", "mailgap/confirm": "shared packages import nothing above them",
		"net/http": "texts are compared without asking the network", "database/sql": "nothing is kept here",
		"testing": "for tests only", "os/exec": "starting programs is for three other places",
	})
}
