package reader_test

import (
	"testing"

	"mailgap/shared/deptest"
)

func TestDeps(t *testing.T) {
	deptest.Check(t, []string{"mailgap/shared/ledger", "mailgap/shared/fingerprint", "modernc.org/sqlite"}, map[string]string{
		"mailgap/readmail": "shared packages import nothing above them", "mailgap/sendmail": "shared packages import nothing above them",
		"mailgap/sanitize": "shared packages import nothing above them", "mailgap/confirm": "shared packages import nothing above them",
		"mailgap/shared/ledger/writer": "each side does its own work alone",
		"github.com/zalando":           "the key store is chosen above",
		"github.com/emersion":          "no mail protocol here",
		"net/http":                     "no network here",
		"testing":                      "for tests only",
	})
}
